"""The outline with the real engine: what was asked and answered is listed, filtered, jumped to and followed."""

from __future__ import annotations

import pytest
from person import Person
from PySide6.QtCore import Qt

from desktop_app.ui.transcript.row_painter import Action
from provider import Reply

pytestmark = [pytest.mark.wire, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]

LONG = "\n\n".join(["# Harbour", "The sea is wide. " * 400, "## North", "The quay is long. " * 400, "# Harbour"])


def lines(person: Person) -> list[str]:
    """Return the words of the outline's rows."""
    return [row.words.strip() for row in person.window.ui.panel.outline.list.rows.rows]


def marked(person: Person) -> str:
    return person.window.ui.panel.outline.list.currentIndex().data().strip()


async def open_outline(person: Person) -> None:
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    await person.press_keys(Qt.Key.Key_L, control, shift)


@pytest.mark.row("U14", "list, filter, jump by keys and clicks, and where one is")
def test_the_outline_is_filtered_jumped_to_and_followed(play_by_engine) -> None:
    async def scene(person: Person) -> None:
        view, outline = person.window.ui.transcript, person.window.ui.panel.outline
        await person.ask("Where to?", LONG)
        await open_outline(person)
        await person.sees(lambda: lines(person) == ["Where to?", "Harbour", "North", "Harbour"], "the outline")
        await person.ask("And then?", "Home.")
        await person.sees(lambda: lines(person)[-1] == "And then?", "the new question")
        await person.sees(lambda: marked(person) == "And then?", "where the reader is")

        await open_outline(person)
        await person.type("nor")
        await person.sees(lambda: lines(person) == ["North"], "the filtered outline")
        await person.enter()
        await person.sees(lambda: view.current_place is not None and view.is_settled, "the heading")
        assert view.current_place is not None
        key, box = view.current_place
        top = view.heights.top(view.transcript.row_of(key)) + box.top() - view.verticalOffset()
        assert 0 <= top < view.viewport().height(), "the heading is in sight"
        await person.sees(lambda: not view.found_text, "an end of the highlight")

        await person.escape()
        assert len(lines(person)) == 5
        view.setFocus()
        view.go_to_start()
        await person.sees(lambda: marked(person) == "Where to?", "where the reader is now")
        await person.click(
            outline.list.viewport(), outline.list.visualRect(outline.list.rows.index(4)).center().toTuple()
        )
        await person.sees(lambda: view.index_read >= 2, "the newest question")

    play_by_engine(scene, [Reply(LONG, usage=None), Reply("Home.", usage=None)])


@pytest.mark.row("U14", "versions")
def test_versions_are_in_the_outline(play_by_engine) -> None:
    async def scene(person: Person) -> None:
        await person.ask("First?", "One.")
        await person.ask("Second?", "Two.")
        await open_outline(person)
        await person.sees(lambda: lines(person) == ["First?", "Second?"], "the outline")
        await person.press_action(person.id_of("Second?"), Action.EDIT_MESSAGE)
        await person.type(" Really?")
        await person.press_keys(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await person.sees_end("Three.")
        await person.sees(lambda: lines(person)[1:] == ["Second? Really? · 2 versions"], "the versions")
        await person.press_action(person.id_of("Three."), Action.REGENERATE)
        await person.sees_end("Four.")
        await person.sees(lambda: lines(person)[2:] == ["2 versions\n    Four."], "the versions of the reply")

    play_by_engine(scene, [Reply(text, usage=None) for text in ("One.", "Two.", "Three.", "Four.")])
