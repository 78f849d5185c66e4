"""The X-ray with the real engine: what is shown and copied is what arrives at the provider, now and at any moment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from person import Person
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from desktop_app.conversation.gauge import PartChange, PartKind, Segment
from desktop_app.ui.request_view.part_rows import PartAction, PartRow
from desktop_app.ui.request_view.request_view import RequestView, ShownRequest
from desktop_app.ui.transcript.row_painter import Action
from provider import Call, Reply

pytestmark = [pytest.mark.wire, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]
READ = Reply("I look.", calls=(Call("read", '{"path": "notes.txt"}'),), finish="tool_calls", usage=None)


def view_of(person: Person) -> RequestView:
    return person.window.ui.chat_pane.request


async def shown_rows(person: Person, moment: ShownRequest, text: str) -> list[PartRow]:
    """Wait until the X-ray shows that moment with a part that says so; return its rows."""
    view = view_of(person)

    def rows() -> list[PartRow]:
        return view.list.parts.rows if view.isVisible() and view.moment is moment else []

    await person.sees(lambda: any(text in row.part.text for row in rows()), f"“{text}” in the X-ray, {moment}")
    return list(rows())


async def copied(person: Person) -> dict[str, Any]:
    """Press "Copy JSON"; return what is in the clipboard then."""
    QApplication.clipboard().setText("")
    await person.click(view_of(person).copy)
    await person.sees(lambda: QApplication.clipboard().text(), "a request in the clipboard")
    return json.loads(QApplication.clipboard().text())


@pytest.mark.row("W5", "what is shown and copied is what the provider gets")
@pytest.mark.row("W9", "then, now, and what has changed")
@pytest.mark.row("S10", "what is counted is what is sent")
def test_what_is_shown_and_copied_is_what_the_provider_gets(play_by_engine, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("The tide turns at noon.\n")
    held: dict[str, Any] = {}

    async def scene(person: Person) -> None:
        await person.ask("Read my notes.", "At noon.")
        person.window.activateWindow()
        await person.click(person.window.ui.header.views.button("request"))
        rows = await shown_rows(person, ShownRequest.NOW, "At noon.")
        gauge = await person.shown_gauge()
        assert sum(row.part.tokens for row in rows) == gauge.total
        held["now"], parts = await copied(person), {row.part.kind for row in rows}
        assert {PartKind.TOOLS, PartKind.MESSAGE} <= parts
        assert any("turns at noon" in row.part.text for row in rows if row.part.segment is Segment.RESULTS)
        # the same view, by its key, and the chat again
        await person.press_keys(Qt.Key.Key_X, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier)
        await person.sees(person.window.ui.transcript.isVisible, "the chat")
        await person.ask("And the next one?", "At midnight.")
        # what the model saw when it answered first
        await person.press_action(person.id_of("At noon."), Action.MORE)
        await person.choose_from_menu(Action.SHOW_REQUEST.value)
        await shown_rows(person, ShownRequest.THEN, "Read my notes.")
        held["then"] = await copied(person)
        await person.click(view_of(person).curl)
        await person.sees(lambda: QApplication.clipboard().text().startswith("curl"), "the request as a command")
        assert person.provider.base_url in QApplication.clipboard().text()
        # and what is other now
        await person.click(view_of(person).moments.button(ShownRequest.CHANGES.value))
        changed = await shown_rows(person, ShownRequest.CHANGES, "At midnight.")
        assert [row.part.text for row in changed if row.part.kind is PartKind.MESSAGE] == [
            "At noon.", "And the next one?", "At midnight.",
        ]  # fmt: skip
        assert {row.change for row in changed if row.part.kind is PartKind.MESSAGE} == {PartChange.ADDED}
        # a part leads to its message
        number = next(n for n, row in enumerate(changed) if row.part.text == "And the next one?")
        view_of(person).list.choose(number)
        box = view_of(person).list.link_box(number, PartAction.SHOW_IN_CHAT)
        await person.click(view_of(person).list.viewport(), box.center().toPoint().toTuple())
        await person.sees(person.window.ui.transcript.isVisible, "the message in the chat")

    off = ("bash", "edit", "glob", "grep", "list", "recall", "web_fetch", "save_memory", "web_search", "write")
    steps = [READ, Reply("At noon.", usage=None), Reply("At midnight.", usage=None)]
    provider = play_by_engine(scene, steps, folder=str(tmp_path), tools_off=off)
    first, second, third = (request.body for request in provider.requests)
    assert held["then"]["messages"] == second["messages"]
    assert held["then"]["tools"] == second["tools"] == first["tools"]
    assert held["now"]["messages"] == third["messages"][:-1], "what was shown before the next message was written"
    assert held["now"]["tools"] == third["tools"]
