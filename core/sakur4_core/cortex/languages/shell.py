"""Shell scripts, by their functions and exported variables, and files of variables."""

from __future__ import annotations

from sakur4_core.cortex.languages.declared import by_patterns, declared

_VARIABLE = r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)$"

SHELL = declared(
    "shell",
    (".sh", ".bash", ".zsh", ".ksh"),
    by_patterns(
        function=r"\s*(?:function\s+(?=[\w:.-]+\s*(?:\(|\{|$))|(?=[\w:.-]+\s*\(\s*\)))(?P<name>[\w:.-]+)",
        constant=rf"(?:\s*(?:export|readonly|alias|declare\s+-\w+)\s+)?{_VARIABLE}",
    ),
    (".bashrc", ".zshrc", ".profile", ".bash_profile"),
)

ENVIRONMENT = declared(
    "environment",
    (".env",),
    by_patterns(constant=rf"\s*(?:export\s+)?{_VARIABLE}"),
    (".env", ".envrc"),
)
