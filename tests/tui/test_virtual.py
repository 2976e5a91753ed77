"""The list: a million rows cost what is in view, and the cursor stays on its thing."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import App, ComposeResult
from textual.content import Content

from sakur4_tui.widgets.virtual import Row, VirtualList


class Numbers(Sequence[Row]):
    def __init__(self, count: int) -> None:
        self.count = count
        self.drawn = 0

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        self.drawn += 1
        return Row(Content(f"row {index}"), str(index))


class Listing(VirtualList):
    rows: Sequence[Row] = ()

    def build(self, width: int, height: int) -> Sequence[Row]:
        return self.rows


class Host(App[None]):
    def __init__(self, rows: Sequence[Row]) -> None:
        super().__init__()
        self.rows = rows

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return {"cursor": "blue"}

    def compose(self) -> ComposeResult:
        listing = Listing()
        listing.rows = self.rows
        yield listing


async def test_a_million_rows_are_not_drawn() -> None:
    rows = Numbers(1_000_000)
    app = Host(rows)
    async with app.run_test(size=(40, 10)) as pilot:
        listing = app.query_one(Listing)
        assert listing.cursor == "0"
        await pilot.press("G")
        await pilot.pause()
        assert listing.cursor == "999999"
        assert listing.scroll_y == 999_990
        await pilot.press("k", "ctrl+u", "g", "j")
        assert listing.cursor == "1"
        assert rows.drawn < 5_000


async def test_the_cursor_follows_its_thing() -> None:
    rows = [Row(Content(name), name) for name in "abcdef"]
    app = Host(rows)
    async with app.run_test(size=(40, 10)) as pilot:
        listing = app.query_one(Listing)
        await pilot.press("j", "j")
        listing.rows = [Row(Content("new"), "new"), *rows]
        listing.rebuild()
        assert listing.cursor == "c"
        listing.rows = [row for row in listing.rows if row.key != "c"]
        listing.rebuild()
        assert listing.cursor == "d"
        listing.rows = []
        listing.rebuild()
        assert listing.cursor is None


async def test_what_fails_to_draw_costs_its_own_place_only() -> None:
    class Broken(Listing):
        def build(self, width: int, height: int) -> Sequence[Row]:
            raise KeyError("gone")

    class BrokenHost(Host):
        def compose(self) -> ComposeResult:
            yield Broken()

    app = BrokenHost(())
    async with app.run_test(size=(80, 10)):
        assert "KeyError" in app.query_one(Broken)._rows[0].content.plain
