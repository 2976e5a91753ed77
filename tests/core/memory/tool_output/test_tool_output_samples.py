"""Each parser on outputs of the real tools, or written in their exact form."""

from __future__ import annotations

from pathlib import Path

import pytest
from sakur4_core.memory.tool_output import parse

SAMPLES = Path(__file__).parent / "samples"

# Sample, parsers, summary, and some of its facts: (kind, name, value).
KNOWN: list[tuple[str, str, str, list[tuple[str, str, str]]]] = [
    (
        "pytest_default",
        "pytest",
        "pytest: 2 failed, 2 passed, 1 skipped, 1 error",
        [
            ("test_result", "pytest", "2 failed, 2 passed, 1 skipped, 1 error"),
            (
                "test_result",
                "tests/test_cart.py::test_discount[a b - c]",
                "failed: KeyError: 'a b - c'",
            ),
            ("test_result", "tests/test_cart.py::test_till", "error: OSError: no such till"),
            ("stack_frame", "KeyError", "shop/cart.py:9"),
        ],
    ),
    (
        "pytest_verbose",  # with colours
        "pytest",
        "pytest: 2 failed, 2 passed, 1 skipped, 1 error",
        [
            ("test_result", "tests/test_cart.py::test_total", "passed"),
            ("test_result", "tests/test_cart.py::test_later", "skipped: not yet"),
            (
                "test_result",
                "tests/test_cart.py::test_wrong",
                "failed: AssertionError: sum - is wrong",
            ),
        ],
    ),
    (
        "pytest_xdist",
        "pytest",
        "pytest: 2 failed, 2 passed, 1 skipped, 1 error",
        [("test_result", "tests/test_cart.py::test_discount[SPRING]", "passed")],
    ),
    (
        "pytest_short",
        "pytest",
        "pytest: 2 failed, 2 passed, 1 skipped, 1 error",
        [("stack_frame", "test_wrong", "tests/test_cart.py:17")],
    ),
    ("pytest_quiet", "pytest", "pytest: 2 failed, 2 passed, 1 skipped, 1 error", []),
    ("pytest_none", "pytest", "pytest: 6 deselected", []),
    (
        "pytest_collect",
        "pytest",
        "pytest: 1 error",
        [("test_result", "tests/test_gone.py", "error")],
    ),
    (
        "codex_shell",
        "exit_code+pytest",
        "exit code 1; pytest: 1 failed, 2 passed",
        [("tool_exit_code", "exit_code", "1")],
    ),
    (
        "unittest_verbose",
        "unittest+python-traceback",
        "unittest: 4 run, FAILED (failures=1, errors=1, skipped=1); Python stack trace, 2 frames,"
        " AssertionError: 1 != 2 : till is open",
        [
            ("test_result", "test_unit.Till.test_break", "error"),
            ("test_result", "test_unit.Till.test_open", "passed"),
            ("test_result", "test_unit.Till.test_later", "skipped: 'later'"),
            ("diagnostic", "ValueError", "ValueError: no key"),
        ],
    ),
    (
        "cargo_test",
        "cargo-test+rustc+rust-panic",
        "cargo-test: 1 failed, 2 passed, 1 ignored; rustc: 1 warning; Rust stack trace, 8 frames,"
        " panic: assertion `left == right` failed: till is off (thread tests::wrong)",
        [
            (
                "test_result",
                "tests::wrong",
                "failed: assertion `left == right` failed: till is off",
            ),
            ("test_result", "tests::panics", "passed"),
            ("test_result", "tests::later", "ignored: slow"),
            ("diagnostic", "src/lib.rs:4:43", "warning: unused variable: `unused`"),
            ("stack_frame", "till::tests::wrong", "./src/lib.rs:9"),
        ],
    ),
    (
        "go_test",
        "go-test",
        "go-test: 3 failed; 3 packages (1 failed, 1 passed, 1 no tests)",
        [
            ("test_result", "TestTotal", "failed: Total() = 4, want 3"),
            ("test_result", "TestDiscount/unknown_code", "failed: unexpected error: no such code"),
            ("test_result", "example.org/shop/till", "passed"),
        ],
    ),
    (
        "go_test_verbose",
        "go-test",
        "go-test: 1 passed, 1 skipped; 1 package (1 passed)",
        [("test_result", "TestLater", "skipped")],
    ),
    (
        "go_test_json",
        "go-test",
        "go-test: 1 failed, 1 passed; 1 package (1 failed)",
        [("test_result", "example.org/shop/cart.TestDiscount", "failed")],
    ),
    (
        "jest",
        "jest",
        "jest: 1 failed, 1 skipped, 3 passed, 5 total",
        [
            ("test_result", "cart › applies a code", "failed"),
            ("test_result", "adds prices", "passed"),
            ("test_result", "refunds", "skipped"),
        ],
    ),
    (
        "vitest",
        "vitest",
        "vitest: 1 failed, 3 passed",
        [
            (
                "test_result",
                "src/cart.test.ts > cart > applies a code",
                "failed: AssertionError: expected +0 to be 0.1 // Object.is equality",
            ),
            ("stack_frame", "<anonymous>", "src/cart.test.ts:11"),
        ],
    ),
    (
        "node_test",
        "node-test+node-stack",
        "node-test: 1 failed, 1 passed, 1 skipped; JavaScript stack trace, 14 frames,"
        " AssertionError: 1 == 2",
        [("test_result", "later", "skipped")],
    ),
    (
        "node_test_tap",
        "node-test",
        "node-test: 1 failed, 1 passed, 1 skipped",
        [("test_result", "fails", "failed")],
    ),
    (
        "ruff_full",
        "ruff",
        "ruff: 3 errors",
        [("diagnostic", "shop/cart.py:1:8", "error F401: [*] `os` imported but unused")],
    ),
    (
        "ruff_concise",
        "ruff",
        "ruff: 1 error",
        [("diagnostic", "shop/cart.py:1:8", "error F401: [*] `os` imported but unused")],
    ),
    ("ruff_clean", "ruff", "ruff: no problems", [("diagnostic", "ruff", "All checks passed!")]),
    (
        "mypy_errors",
        "mypy",
        "mypy: 7 errors, 4 notes",
        [
            (
                "diagnostic",
                "shop/cart.py:5",
                'error arg-type: Argument 1 to "sum" has incompatible type "list[float]";'
                ' expected "Iterable[bool]"',
            ),
        ],
    ),
    (
        "mypy_pretty",
        "mypy",
        "mypy: 1 error",
        [
            (
                "diagnostic",
                "shop/cart.py:5:16",
                'error arg-type: Argument 1 to "sum" has incompatible type "list[float]";'
                ' expected "Iterable[bool]"',
            )
        ],
    ),
    ("mypy_clean", "mypy", "mypy: no problems", []),
    (
        "eslint",
        "eslint",
        "eslint: 3 errors, 1 warning",
        [
            (
                "diagnostic",
                "/home/dev/shop/src/cart.js:12:3",
                "warning no-console: Unexpected console statement",
            ),
            (
                "diagnostic",
                "/home/dev/shop/src/cart.js:20:1",
                "error: Parsing error: Unexpected token }",
            ),
        ],
    ),
    (
        "tsc",
        "tsc",
        "tsc: 2 errors",
        [("diagnostic", "src/till.ts:14:2", "error TS1005: ';' expected.")],
    ),
    ("tsc_pretty", "tsc", "tsc: 1 error", []),
    (
        "gcc",
        "compiler",
        "compiler: 2 errors, 5 warnings",
        [
            ("diagnostic", "till.c:3:9", "warning -Wunused-variable: unused variable ‘unused’"),
            ("diagnostic", "till.c:6:50", "error: expected ‘;’ before ‘}’ token"),
        ],
    ),
    (
        "javac_types",
        "compiler",
        "compiler: 3 errors",
        [("diagnostic", "Till.java:3", "error: cannot find symbol")],
    ),
    (
        "cargo_build",
        "rustc",
        "rustc: 2 errors",
        [
            (
                "diagnostic",
                "src/lib.rs:5:19",
                "error E0425: cannot find value `missing` in this scope",
            )
        ],
    ),
    ("cargo_short", "compiler", "compiler: 2 errors", []),
    (
        "go_build",
        "go",
        "go: 3 errors",
        [("diagnostic", "till/till.go:4:15", "error: undefined: lost")],
    ),
    (
        "golangci",
        "go",
        "go: 1 error",
        [
            (
                "diagnostic",
                "cart/cart.go:14:15",
                "error errcheck: Error return value of `till.Open` is not checked",
            )
        ],
    ),
    (
        "git_status",
        "git-status",
        "git status, on master, 17 changed paths",
        [
            ("vcs_status", "new.txt", "staged: renamed"),
            ("vcs_status", "ünï.txt", "not staged: modified"),
            ("vcs_status", "till.c", "untracked"),
        ],
    ),
    (
        "git_status_conflict",
        "git-status",
        "git status, on master, 11 changed paths",
        [("vcs_status", "keep.txt", "unmerged: both modified")],
    ),
    (
        "git_status_short",
        "git-status",
        "git status, on master, 17 changed paths",
        [("vcs_status", "new.txt", "R "), ("vcs_status", "ünï.txt", " M")],
    ),
    ("git_status_porcelain", "git-status", "git status, 17 changed paths", []),
    (
        "git_status_v2",
        "git-status",
        "git status, on master, 17 changed paths",
        [("vcs_status", "new.txt", "R.")],
    ),
    (
        "git_log",
        "git-log",
        "git log, 2 commits",
        [
            (
                "vcs_status",
                "b8a27ddf3d6fb72cfbbfcc433b8da56ee360fa94",
                "Second: rename and change; Ada Example <ada@example.org>;"
                " Mon Nov 30 22:35:16 2026 +0000",
            )
        ],
    ),
    (
        "git_log_oneline",
        "git-log",
        "git log, 2 commits",
        [("vcs_status", "b8a27dd", "Second: rename and change; HEAD -> master")],
    ),
    (
        "git_log_graph",
        "git-log",
        "git log, 5 commits",
        [("vcs_status", "6fee4fb", "First till")],
    ),
    (
        "git_log_patch",
        "diff+git-log",
        "diff, 6 files, 3 added and 2 removed lines; git log, 1 commit",
        [],
    ),
    (
        "git_show",
        "diff+git-log",
        "diff, 6 files, 3 added and 2 removed lines; git log, 1 commit",
        [],
    ),
    (
        "git_diff_staged",
        "diff",
        "diff, 6 files, 3 added and 2 removed lines",
        [
            ("diff_hunk", "keep.txt:1", "@@ -1,5 +1,6 @@ 2 added, 1 removed"),
            ("diff_hunk", "fresh.txt:new", "new"),
            ("diff_hunk", "gone.txt:deleted", "deleted"),
            ("diff_hunk", "new.txt:rename", "rename from old name.txt"),
            ("diff_hunk", "pic.bin:binary", "binary"),
            ("diff_hunk", "tilde.txt:mode", "new mode 100755"),
        ],
    ),
    ("git_diff_combined", "diff", "diff, 1 file, 10 added and 0 removed lines", []),
    ("diff_plain", "diff", "diff, 1 file, 1 added and 2 removed lines", []),
    (
        "git_diff_stat",
        "git-change",
        "git, 6 files changed, 3 insertions(+), 2 deletions(-)",
        [("vcs_status", "pic.bin", "changed: Bin 3 -> 2 bytes")],
    ),
    (
        "git_merge",
        "git-change",
        "git, 1 conflict",
        [("vcs_status", "keep.txt", "conflict: content")],
    ),
    (
        "python_chain",
        "python-traceback",
        "Python stack trace, 4 frames, RuntimeError: no till",
        [
            ("diagnostic", "KeyError", "KeyError: 'k'"),
            ("stack_frame", "main", "/home/dev/shop/chain.py:8: open_till("),
        ],
    ),
    (
        "python_group",
        "python-traceback",
        "Python stack trace, 2 frames, ExceptionGroup: many (2 sub-exceptions)",
        [],
    ),
    (
        "python_syntax",
        "python-traceback",
        "Python stack trace, 0 frames, SyntaxError: '(' was never closed",
        [],
    ),
    (
        "node_crash",
        "node-stack",
        "JavaScript stack trace, 9 frames,"
        " TypeError: Cannot read properties of undefined (reading 'left')",
        [("stack_frame", "Till.open", "/home/dev/shop/crash.js:2")],
    ),
    (
        "node_reject",
        "node-stack",
        "JavaScript stack trace, 8 frames, Error: empty purse",
        [("diagnostic", "TypeError", "TypeError: no money")],
    ),
    (
        "rust_backtrace",
        "rust-panic",
        "Rust stack trace, 9 frames,"
        " panic: index out of bounds: the len is 1 but the index is 7 (thread main)",
        [("stack_frame", "p::open", "./p.rs:1")],
    ),
    (
        "go_panic",
        "exit_code+go-panic",
        "exit code 2; Go stack trace, 2 frames,"
        " panic: runtime error: index out of range [7] with length 1",
        [("stack_frame", "main.open", "/home/dev/shop/main.go:5")],
    ),
    (
        "curl",
        "http+json",
        "HTTP 200, 4 headers; JSON, 2 keys, 4 fields",
        [
            ("http_header", "location", "https://shop.example/api/orders"),
            ("json_field", "$.orders[0].id", "number 17"),
        ],
    ),
    (
        "csv",
        "csv",
        "CSV, 3 rows, 5 columns",
        [
            ("csv_column", "id", "integer, 3 values"),
            ("csv_column", "name", "text, 3 values"),
            ("csv_column", "since", "date, 3 values, 1 empty"),
        ],
    ),
    (
        "grep",
        "grep",
        "search, 8 hits in 2 files",
        [("regex_match", "shop/cart.py:8", "def discount(code: str) -> float:")],
    ),
    ("grep_context", "grep", "search, 2 hits in 1 file", []),
]


@pytest.mark.parametrize(
    ("sample", "parser", "summary", "facts"), KNOWN, ids=[known[0] for known in KNOWN]
)
def test_output_of_a_tool(
    sample: str, parser: str, summary: str, facts: list[tuple[str, str, str]]
) -> None:
    parsed = parse((SAMPLES / f"{sample}.txt").read_text(encoding="utf-8"))
    assert parsed is not None
    assert (parsed.parser, parsed.summary) == (parser, summary)
    seen = [(finding.kind.value, finding.name, finding.value) for finding in parsed.findings]
    assert [fact for fact in facts if fact not in seen] == []


def test_every_sample_is_used() -> None:
    assert {path.stem for path in SAMPLES.iterdir()} == {known[0] for known in KNOWN} | {
        "ls",
        "unittest_default",
    }


def test_a_place_in_a_file_is_kept_as_path_and_line() -> None:
    parsed = parse((SAMPLES / "gcc.txt").read_text(encoding="utf-8"))
    assert parsed is not None
    assert (parsed.findings[0].file_path, parsed.findings[0].line) == ("till.c", 4)


def test_several_reports_join_in_one_order_whatever_theirs_is() -> None:
    parts = [
        (SAMPLES / f"{name}.txt").read_text(encoding="utf-8")
        for name in ("mypy_errors", "pytest_quiet", "ruff_concise")
    ]
    joined = [parse("\n".join(order)) for order in (parts, parts[::-1])]
    assert [parsed.parser for parsed in joined if parsed] == ["pytest+ruff+mypy"] * 2
    assert {parsed.summary for parsed in joined if parsed} == {
        "pytest: 2 failed, 2 passed, 1 skipped, 1 error; ruff: 1 error; mypy: 7 errors, 4 notes"
    }


def test_lines_of_a_diff_are_nothing_but_a_diff() -> None:
    inner = (SAMPLES / "git_status_v2.txt").read_text(encoding="utf-8").splitlines()
    body = "".join(f" {line}\n" for line in inner)
    parsed = parse(f"--- a/x\n+++ b/x\n@@ -1,{len(inner)} +1,{len(inner) + 1} @@\n{body}+new\n")
    assert parsed is not None
    assert parsed.parser == "diff"
