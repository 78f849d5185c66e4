"""A selection is quoted in the draft by its key, below what is written there, and sent."""

from __future__ import annotations

import pytest
from person import Person
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from provider import Reply

pytestmark = [pytest.mark.wire, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]

ANSWER = "It is **deep**.\n\nAnd *wide*."


def select_row(person: Person, text: str) -> None:
    """Select a message from its beginning to its end, with the mouse."""
    view, left = person.window.ui.transcript, Qt.MouseButton.LeftButton
    number = view.transcript.row_of(person.id_of(text))
    first, last = (view.layout_of(number).flows[n].box for n in (0, -1))
    start, end = first.topLeft().toPoint() + QPoint(0, 6), last.bottomRight().toPoint() - QPoint(2, 6)
    origin = view.origin(number).toPoint()
    QTest.mousePress(view.viewport(), left, pos=origin + start)
    QTest.mouseMove(view.viewport(), origin + end)
    QTest.mouseRelease(view.viewport(), left, pos=origin + end)


@pytest.mark.row("U1", "quote a selection in the draft")
def test_a_selection_is_quoted_below_the_draft_and_sent(play_by_engine) -> None:
    async def scene(person: Person) -> None:
        await person.ask("The sea?", ANSWER)
        await person.write("You said:")
        await person.sees(lambda: person.window.ui.transcript.is_settled, "a transcript at rest")
        select_row(person, "It is")
        await person.press_keys(Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier)
        quote = "You said:\n\n> It is **deep**.\n>\n> And *wide*.\n\n"
        await person.sees(lambda: person.window.ui.composer.text() == quote, "the quote in the draft")
        await person.type("How wide?")
        await person.enter()
        await person.sees_end("Very.")

    provider = play_by_engine(scene, [Reply(ANSWER, usage=None), Reply("Very.", usage=None)])
    asked = provider.requests[-1].body["messages"][-1]["content"]
    assert asked == "You said:\n\n> It is **deep**.\n>\n> And *wide*.\n\nHow wide?"
