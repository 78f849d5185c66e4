"""Search with the window and the real engine: filters typed and chosen, hits walked through, nothing found."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from person import Person, store_talk
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from ui_scenes import top_of_text

from builders import model
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult, user_message
from desktop_app.ui.palette.search_palette import SearchPalette
from provider import Reply
from texts import REMOVE_FILTER

pytestmark = [pytest.mark.wire, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]
FILLING = "\n\n".join(f"Paragraph {n} of a report about nothing in particular." for n in range(120))
LONG = f"{FILLING}\n\nHere the harbour ledger stands.\n\n{FILLING}"


def store_talks(data: Path) -> None:
    calling = model("I look.", ToolCall("1", "bash", '{"command": "ls harbour"}'))
    result = Message(role=Role.TOOL, parts=(ToolResult("1", "bash", "harbour.txt"),))
    written = model(LONG, model="work/large")
    asyncio.run(store_talk(data, [user_message("Where is the harbour?"), calling, result, written], "c1", "Report"))
    asyncio.run(store_talk(data, [user_message("Another harbour, in Lisbon")], "c2", "Lisbon"))


def results(palette: SearchPalette) -> list[str]:
    return [] if palette.list.isHidden() else [row.title for row in palette.list.rows.rows]


async def opened(person: Person) -> SearchPalette:
    await person.click(person.window.ui.sidebar.search)
    return await person.sheet(SearchPalette, 20, "the search")


def test_filters_are_typed_completed_chosen_and_removed(play_by_engine, data_folder) -> None:
    store_talks(data_folder)

    async def scene(person: Person) -> None:
        palette = await opened(person)
        await person.sees(palette.filters.chips["tool"].isVisible, "the names of tools")
        await person.type("harbour")
        await person.sees(lambda: len(results(palette)) == 5, "all hits")
        await person.type(" tool:b")
        await person.sees(lambda: results(palette) == ["tool:bash"], "what may be meant")
        assert palette.typed.wrong is not None
        assert not palette.filters.chips["tool"].value, "not wrong yet"
        QTest.keyClick(palette.field, Qt.Key.Key_Tab)
        await person.sees(lambda: results(palette) == ["Report · Tool", "Report · Assistant"], "the tool's messages")
        chip = palette.filters.chips["tool"]
        assert chip.text().startswith("bash")
        assert chip.accessibleName() == REMOVE_FILTER.format(filter="Tool: bash")
        await person.click(chip)
        await person.sees(lambda: len(results(palette)) == 5, "all hits again")
        assert palette.query() == "harbour"
        await person.click(palette.filters.chips["role"])
        menu = palette.findChildren(QMenu)[-1]
        next(action for action in menu.actions() if action.text() == "You").trigger()
        menu.close()
        await person.sees(lambda: sorted(results(palette)) == ["Lisbon · You", "Report · You"], "what the user said")
        await person.type(" tool:none")
        await person.sees(lambda: palette.note.text() == "No tool called “none” was used.", "what is wrong")
        palette.field.setText("harbour before:2001")
        await person.sees(lambda: palette.note.text().startswith("Nothing found with these filters"), "nothing")
        assert results(palette) == []
        await person.click(palette.filters.chips["time"])
        await person.sees(lambda: len(results(palette)) == 5, "all hits without the time")

    play_by_engine(scene, [Reply("At sea.")])


def test_hits_are_walked_through_at_the_very_line_and_escape_ends_it(play_by_engine, data_folder) -> None:
    store_talks(data_folder)

    async def scene(person: Person) -> None:
        window, bar, view = person.window, person.window.ui.hit_bar, person.window.ui.transcript
        palette = await opened(person)
        await person.type("harbour ledger")
        await person.sees(lambda: results(palette) == ["Report · Assistant"], "the hit")
        await person.enter()
        await person.sees(bar.isVisible, "the bar")

        def line_is_seen() -> bool:
            row = view.transcript.row_of("c1-m3")
            top = top_of_text(view.layout_of(row), ("harbour", "ledger")) if row >= 0 and view.is_settled else None
            return top is not None and 0 < view.origin(row).y() + top < view.viewport().height()

        await person.sees(line_is_seen, "the very line of a long message")
        assert bar.count.text() == "1 of 1"
        await person.click(bar.results)
        await person.sees(palette.isVisible, "the results again")
        palette.field.setText("harbour role:user")
        await person.sees(lambda: len(results(palette)) == 2, "both conversations")
        first = results(palette)[0]
        await person.enter()
        titles = {"Lisbon · You": "Lisbon", "Report · You": "Report"}
        await person.sees(lambda: window.ui.header.title == titles[first], "the first hit")
        window.activateWindow()  # the platform without a screen does so for nobody
        QTest.keyClick(window, Qt.Key.Key_F3)
        await person.sees(lambda: window.ui.header.title == titles[{*titles}.difference({first}).pop()], "the next one")
        assert bar.count.text() == "2 of 2"
        assert view.found_text == ("harbour",)
        QTest.keyClick(window, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
        await person.sees(lambda: window.ui.header.title == titles[first] and view.is_settled, "the first again")
        QTest.keyClick(window.ui.composer.field, Qt.Key.Key_Escape)
        await person.sees(bar.isHidden, "no bar")
        assert view.found_text == ""

    play_by_engine(scene, [Reply("At sea.")])
