"""Edges: bound by scope, import and receiver; never to a mere namesake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cortex_store import stored_edges
from sakur4_core.cortex.cortex import Cortex
from sakur4_core.engine import Engine


async def edges(engine: Engine, source: str, kind: str = "calls") -> set[tuple[str, str]]:
    """Target (or ``?name``) and confidence of each edge from a definition."""
    found = await engine.workspace.database.read(stored_edges)
    return {
        (edge.target or f"?{edge.name}", edge.confidence)
        for edge in found
        if edge.source == source and edge.kind == kind
    }


async def test_names_are_bound_by_scope_import_and_receiver(
    engine: Engine, cortex: Cortex, write: Any
) -> None:
    write(
        {
            "lib/__init__.py": "from lib.core import Engine, start as begin\n",
            "lib/core.py": (
                "class Base:\n    def stop(self): ...\n    def join(self): ...\n\n\n"
                "class Engine(Base):\n    def run(self):\n        self.stop()\n        self.go()\n"
                "        super().join()\n        helper()\n\n"
                "    def go(self): ...\n\n\n"
                "def helper(): ...\n\n\n"
                "def start(): ...\n"
            ),
            "use.py": (
                "import json\nimport lib.core\nimport lib.core as lc\n"
                "from lib import Engine, begin\n\n\n"
                "def direct():\n    begin()\n    lib.core.helper()\n    lc.start()\n\n\n"
                "def typed(engine: Engine):\n    engine.run()\n\n\n"
                "def built():\n    engine = Engine()\n    engine.go()\n\n\n"
                "def unknown(engine, run):\n    engine.run()\n    run()\n"
                "    json.dumps(1)\n    len([])\n\n\n"
                "def twice(flag):\n    engine = Engine()\n    engine = flag\n    engine.go()\n\n\n"
                "def shadowed(helper):\n    helper()\n\n\n"
                "def passed():\n    call(begin, key=direct)\n\n\n"
                "class Own(Engine):\n    def __init__(self, peer: Engine):\n"
                "        self.peer = peer\n        self.made = Engine()\n\n"
                "    def work(self):\n        self.peer.run()\n        self.made.go()\n"
                "        self.run()\n        self.missing()\n"
            ),
        }
    )
    await cortex.index()
    assert await edges(engine, "Engine.run") == {
        ("Base.stop", "probable"),
        ("Engine.go", "exact"),
        ("Base.join", "probable"),
        ("helper", "exact"),
    }
    assert await edges(engine, "direct") == {("start", "exact"), ("helper", "exact")}
    assert await edges(engine, "typed") == {("Engine.run", "probable")}
    assert await edges(engine, "built") == {("Engine", "exact"), ("Engine.go", "probable")}
    assert await edges(engine, "unknown") == {("?run", "unresolved")}
    assert await edges(engine, "twice") == {("Engine", "exact"), ("?go", "unresolved")}
    assert await edges(engine, "shadowed") == set()
    assert await edges(engine, "passed", "references") == {("start", "exact"), ("direct", "exact")}
    assert await edges(engine, "Own", "inherits") == {("Engine", "exact")}
    assert await edges(engine, "Own.work") == {
        ("Engine.run", "probable"),
        ("Engine.go", "probable"),
        ("?missing", "unresolved"),
    }


async def test_a_namesake_elsewhere_is_not_a_callee(
    engine: Engine, cortex: Cortex, write: Any
) -> None:
    write(
        {
            "one/json.py": "def dumps(x): ...\n",
            "two/user.py": "import json\n\n\ndef save(x):\n    json.dumps(x)\n    close(x)\n",
            "three/files.py": "def close(x): ...\n",
        }
    )
    await cortex.index()
    assert await edges(engine, "save") == {("?close", "unresolved")}
    impact = await cortex.impact("close", 3)
    assert impact.callers == () and impact.unresolved == 1
    assert "could not be resolved" in impact.rendered


async def test_the_nearest_source_root_wins(engine: Engine, cortex: Cortex, write: Any) -> None:
    for root in ("a", "b"):
        write(
            {
                f"{root}/util.py": f"def of_{root}(): ...\n",
                f"{root}/main.py": (
                    f"from util import of_{root}\n\n\ndef main_{root}():\n    of_{root}()\n"
                ),
            }
        )
    write({"src/pkg/__init__.py": "", "src/pkg/m.py": "def f(): ...\n"})
    write({"tests/test_m.py": "from pkg.m import f\n\n\ndef test_f():\n    f()\n"})
    await cortex.index()
    assert await edges(engine, "main_a") == {("of_a", "exact")}
    assert await edges(engine, "main_b") == {("of_b", "exact")}
    assert await edges(engine, "test_f") == {("f", "exact")}


async def test_callers_to_any_depth_each_once(cortex: Cortex, write: Any) -> None:
    chain = "\n\n\n".join(f"def f{n}():\n    f{n + 1}()" for n in range(6))
    write({"chain.py": f"{chain}\n\n\ndef f6():\n    f0()\n"})
    await cortex.index()
    impact = await cortex.impact("f6", 4)
    assert [(c.qualified_name, c.depth, c.via) for c in impact.callers] == [
        ("f5", 1, "f6"),
        ("f4", 2, "f5"),
        ("f3", 3, "f4"),
        ("f2", 4, "f3"),
    ]
    assert len((await cortex.impact("f6", 32)).callers) == 6


async def test_a_caller_that_saw_another_surface_is_marked(cortex: Cortex, write: Any) -> None:
    await cortex.index()

    async def stale() -> bool | None:
        callers = (await cortex.impact("check_user", 1)).callers
        return next(c.stale for c in callers if c.qualified_name == "login")

    assert await stale() is False
    write({"src/auth.py": "def check_user(email: str, realm: str) -> bool:\n    return True\n"})
    await cortex.index()
    assert await stale() is True
    impact = await cortex.impact("check_user", 1)
    assert "[STALE: changed since it last saw this symbol]" in impact.rendered
    # Parsing the caller's file again does not count: the caller itself did not change.
    write(
        {
            "src/api.py": "from src.auth import check_user\n\n\ndef login(email: str) -> dict:\n"
            '    return {"ok": check_user(email)}\n\n\ndef other(): ...\n'
        }
    )
    await cortex.index()
    assert await stale() is True
    await cortex.index(full=True)
    assert await stale() is True
    write(
        {
            "src/api.py": "from src.auth import check_user\n\n\ndef login(email: str) -> dict:\n"
            '    return {"ok": check_user(email, "r")}\n'
        }
    )
    await cortex.index()
    assert await stale() is False


async def test_an_impact_is_never_out_of_date(cortex: Cortex, project: Path, write: Any) -> None:
    await cortex.index()
    (project / "src" / "api.py").unlink()
    assert (await cortex.impact("check_user", 2)).callers == ()
    write({"src/auth.py": "def check_user(): ...\n\n\ndef enter():\n    check_user()\n"})
    impact = await cortex.impact("check_user", 2)
    assert [caller.qualified_name for caller in impact.callers] == ["enter"]


async def test_an_edge_that_appears_by_relinking_is_not_checked(
    cortex: Cortex, write: Any
) -> None:
    write({"early.py": "from late import arrive\n\n\ndef go():\n    arrive()\n"})
    await cortex.index()
    write({"late.py": "def arrive(): ...\n"})
    await cortex.index()
    impact = await cortex.impact("arrive", 1)
    assert {(c.qualified_name, c.stale) for c in impact.callers} == {("early", None), ("go", None)}
    assert "(not checked)" in impact.rendered
