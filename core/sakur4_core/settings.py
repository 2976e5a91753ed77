"""Settings: layered, typed, and each value knows where it came from.

Later layers win: defaults, the user's file, the project's file (harmless keys only), the
environment (``SAKUR4_<SECTION>_<KEY>``), flags.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sakur4_core.errors import ConfigError

PROJECT_FILE = ".sakur4.toml"
SAFE_IN_PROJECT: dict[str, bool] = {"project_safe": True}


class Section(BaseModel):
    """A group of settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class StoreSettings(Section):
    """How the store keeps its promises."""

    durability: Literal["normal", "full"] = "normal"
    """``full`` also survives a power cut without losing the last commits; slower."""


class ContextSettings(Section):
    """The window, the planner and the backend."""

    window: int | None = Field(
        default=None, ge=1_000, le=100_000_000, json_schema_extra={**SAFE_IN_PROJECT}
    )
    """The model's window in tokens; None: taken from the harness, else 200,000 (estimated)."""
    reserve_output: int = Field(
        default=16_000, ge=0, le=1_000_000, json_schema_extra={**SAFE_IN_PROJECT}
    )
    """Tokens of the window kept free for the model's answer."""
    profile: Literal["cache-first", "window-first", "balanced"] = Field(
        default="balanced", json_schema_extra={**SAFE_IN_PROJECT}
    )
    """When a plan is made and how far it goes (DESIGN: trigger / target)."""
    anchor_budget: float = Field(default=0.10, gt=0, le=0.5, json_schema_extra={**SAFE_IN_PROJECT})
    """The share of the window that pinned anchors may fill."""
    backend: str = "auto"
    """``auto``, ``embedded``, ``none``, or the URL of a llama.cpp server."""
    auto_plan: bool = Field(default=True, json_schema_extra={**SAFE_IN_PROJECT})
    """Whether a plan is proposed by itself when the trigger is reached."""
    proposal_hours: float = Field(default=24, gt=0, le=24 * 365)
    """How long a proposal waits before it expires."""


class CortexSettings(Section):
    """What is indexed."""

    ignores: tuple[str, ...] = Field(default=(), json_schema_extra={**SAFE_IN_PROJECT})
    """Patterns, in gitignore's form, that are not indexed."""
    languages: tuple[str, ...] = Field(default=(), json_schema_extra={**SAFE_IN_PROJECT})
    """Languages to index; empty means all that are known."""
    max_file_bytes: int = Field(
        default=2_000_000, ge=1_000, le=100_000_000, json_schema_extra={**SAFE_IN_PROJECT}
    )
    """Larger files are listed, not parsed."""
    parse_timeout_s: float = Field(default=10, gt=0, le=600, json_schema_extra={**SAFE_IN_PROJECT})
    """A file that takes longer is marked timed_out."""
    map_budget: int = Field(
        default=2_048, ge=64, le=200_000, json_schema_extra={**SAFE_IN_PROJECT}
    )
    """Tokens of the repository map shown in the interface."""
    watch: bool = True
    """Whether the lease holder watches files."""


class RecallSettings(Section):
    """How evidence is found."""

    fusion: Literal["scaled", "rrf"] = "scaled"
    """How the views' scores are joined."""
    embedder: Literal["local", "off", "endpoint"] = "local"
    """Where vectors come from."""
    endpoint: str | None = None
    """An OpenAI-compatible base URL, used only when ``embedder`` is ``endpoint``."""
    endpoint_model: str = "text-embedding-3-small"
    endpoint_key_env: str = "SAKUR4_EMBEDDING_KEY"
    """The environment variable that holds the endpoint's key."""
    budget_tokens: int = Field(
        default=4_000, ge=64, le=200_000, json_schema_extra={**SAFE_IN_PROJECT}
    )
    """Tokens that a recall's hits may fill in total."""


class McpSettings(Section):
    """What agents may do."""

    policy: Literal["ask", "auto", "plan-only"] = "ask"
    """What happens when an agent asks for a decision."""
    toolset: Literal["full", "core"] = "full"
    ask_wait_s: float = Field(default=40, ge=0, le=600)
    """How long a tool call waits for a person before it answers ``pending``."""


class HarnessSettings(Section):
    """How running agents are followed."""

    tail: bool = True
    """Whether running sessions of known harnesses are followed."""
    block_compaction: bool = False
    """Whether the PreCompact hook may hold a compaction back while a plan waits."""


class DreamSettings(Section):
    """The idle consolidator."""

    enabled: bool = True
    quiet_s: float = Field(default=90, ge=0)
    """Idle time before a pass."""
    poll_s: float = Field(default=15, gt=0)
    min_tokens: int = Field(default=96, ge=1)
    """Episodes smaller than this are not worth a summary."""
    items: int = Field(default=24, ge=1)
    regenerations: int = Field(default=8, ge=0)
    archive_days: float = Field(default=14, gt=0)
    endpoint: str | None = None
    """An OpenAI-compatible base URL for summaries; None: extractive only."""
    endpoint_model: str = ""
    endpoint_key_env: str = "SAKUR4_DREAM_KEY"
    endpoint_timeout_s: float = Field(default=30, gt=0)


class TuiSettings(Section):
    """The interface."""

    theme: str = "sakur4-dark"
    keymap: Literal["default", "vim"] = "default"
    keys: dict[str, str] = Field(default_factory=dict)
    """Binding id to key, over the keymap's own."""
    animations: bool = True
    ascii: bool = False
    mouse: bool = True
    notify: bool = False
    """Whether the terminal is told (OSC 9) when something waits and it is not focused."""


class ProxySettings(Section):
    """The reverse proxy."""

    max_body_bytes: int = Field(default=64_000_000, ge=1_000)
    ask_wait_s: float = Field(default=40, ge=0)


class CliSettings(Section):
    """The command line."""

    decide_without_asking: bool = False
    """Whether approve, reject, undo, pin, unpin and redact skip the typed yes."""


class Settings(BaseModel):
    """All settings. ``sources`` names the layer that each non-default value came from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: StoreSettings = StoreSettings()
    context: ContextSettings = ContextSettings()
    cortex: CortexSettings = CortexSettings()
    recall: RecallSettings = RecallSettings()
    mcp: McpSettings = McpSettings()
    harness: HarnessSettings = HarnessSettings()
    dream: DreamSettings = DreamSettings()
    tui: TuiSettings = TuiSettings()
    proxy: ProxySettings = ProxySettings()
    cli: CliSettings = CliSettings()
    sources: dict[str, str] = Field(default_factory=dict, exclude=True)

    def source_of(self, key: str) -> str:
        """The layer that ``section.key`` came from: a file's path, a variable, or default."""
        return self.sources.get(key, "default")


Layer = tuple[str, Mapping[str, Mapping[str, Any]]]


def load_settings(
    *,
    user_file: Path | None = None,
    project_root: Path | None = None,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Settings:
    """Read every layer and join them.

    Args:
        flags: ``{"section.key": value}`` from the command line.

    Raises:
        ConfigError: A file does not parse, or a value does not fit; it names file and key.
    """
    layers: list[Layer] = []
    if user_file is not None and user_file.exists():
        layers.append((str(user_file), _read_toml(user_file)))
    if project_root is not None and (project_root / PROJECT_FILE).exists():
        file = project_root / PROJECT_FILE
        layers.append((str(file), _only_safe(file, _read_toml(file))))
    layers.extend(_from_environment(os.environ if environment is None else environment))
    if flags:
        layers.append(("flag", _nested(flags)))
    merged: dict[str, dict[str, Any]] = {}
    sources: dict[str, str] = {}
    for name, values in layers:
        for section, entries in values.items():
            if not isinstance(entries, Mapping):
                raise ConfigError(f"{name}: {section} is not a table.", "Write [section] first.")
            for key, value in entries.items():
                merged.setdefault(section, {})[key] = value
                sources[f"{section}.{key}"] = name
    try:
        return Settings.model_validate({**merged, "sources": sources})
    except ValidationError as error:
        raise _explain(error, sources) from error


def setting_keys() -> dict[str, bool]:
    """Every ``section.key`` with whether a project's own file may set it."""
    keys: dict[str, bool] = {}
    for section, field in Settings.model_fields.items():
        model = field.annotation
        if isinstance(model, type) and issubclass(model, Section):
            for key, leaf in model.model_fields.items():
                extra = leaf.json_schema_extra
                keys[f"{section}.{key}"] = isinstance(extra, dict) and "project_safe" in extra
    return keys


def _read_toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}.", "Correct the file.") from error


def _only_safe(file: Path, values: dict[str, Any]) -> dict[str, Any]:
    """A project's file is untrusted: it may set what is marked harmless, nothing else."""
    allowed = setting_keys()
    for section, entries in values.items():
        for key in entries if isinstance(entries, Mapping) else ():
            if not allowed.get(f"{section}.{key}", False):
                raise ConfigError(
                    f"{file}: {section}.{key} may not be set by a project.",
                    "Set it in your own settings file; `sakur4-tui locate` names it.",
                )
    return values


def _from_environment(environment: Mapping[str, str]) -> list[Layer]:
    layers: list[Layer] = []
    for key in setting_keys():
        section, name = key.split(".")
        variable = f"SAKUR4_{section}_{name}".upper()
        text = environment.get(variable)
        if text is not None:
            layers.append((f"${variable}", {section: {name: _parse_text(key, text)}}))
    return layers


def _parse_text(key: str, text: str) -> Any:
    section, name = key.split(".")
    annotation = Settings.model_fields[section].annotation
    assert annotation is not None
    leaf = annotation.model_fields[name].annotation
    if Ellipsis in get_args(leaf):
        return tuple(part for part in text.split(os.pathsep) if part)
    return text


def _nested(flat: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    nested: dict[str, dict[str, Any]] = {}
    for key, value in flat.items():
        section, name = key.split(".", 1)
        nested.setdefault(section, {})[name] = value
    return nested


def _explain(error: ValidationError, sources: Mapping[str, str]) -> ConfigError:
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"][:2])
    where = sources.get(key, "settings")
    return ConfigError(f"{where}: {key}: {first['msg']}.", "Correct the value or remove the key.")
