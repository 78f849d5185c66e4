"""The X-ray in the window: the switch and its key, its links and the way back, earlier requests, the clipboard."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from ui_scenes import play_scene, until

from desktop_app.conversation.events import MessageRecorded
from desktop_app.conversation.gauge import PartKind, Segment, SentPart
from desktop_app.conversation.message import Message, Part, Role, Text, ToolCall
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.live_turns import RESTING
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.request_view.part_rows import PartAction, PartRow
from desktop_app.ui.request_view.request_controller import title_of_reply
from desktop_app.ui.request_view.request_view import ShownRequest
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.widgets.long_text import TextReader


async def click(button: QWidget) -> None:
    await asyncio.sleep(0.02)  # until it is laid out
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


async def switch(window: MainWindow) -> list[PartRow]:
    """Turns to the X-ray; its rows, once they are there."""
    await click(window.ui.header.views.button("request"))
    rows = window.ui.chat_pane.request.list.parts.rows
    await until(lambda: rows)
    return rows


def messages(rows: list[PartRow]) -> list[PartRow]:
    return [row for row in rows if row.part.message_id]


@play_scene()
async def test_the_switch_and_the_key_turn_the_chat_into_the_request_and_back(
    window: MainWindow, bridge: Bridge
) -> None:
    rows = await switch(window)
    assert len(messages(rows)) == 200
    assert window.ui.chat_pane.currentWidget() is window.ui.chat_pane.request
    QTest.keyClick(window, Qt.Key.Key_X, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert window.ui.chat_pane.currentWidget() is window.ui.transcript
    assert window.ui.header.views.value() == "chat"


@pytest.mark.long
@play_scene()
async def test_a_new_conversation_shows_its_page_and_not_its_request(window: MainWindow, bridge: Bridge) -> None:
    await switch(window)
    await click(window.ui.sidebar.new)
    await until(lambda: window.ui.chat_pane.currentWidget() is window.ui.chat_pane.welcome)
    assert window.ui.header.views.value() == "chat"


@play_scene()
async def test_a_part_leads_to_its_message_and_a_message_to_its_part(window: MainWindow, bridge: Bridge) -> None:
    await switch(window)
    view = window.ui.chat_pane.request
    asked = view.list.parts.rows[-2].part.message_id
    view.list.choose(len(view.list.parts.rows) - 2)
    box = view.list.link_box(len(view.list.parts.rows) - 2, PartAction.SHOW_IN_CHAT)
    QTest.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, pos=box.center().toPoint())
    await until(lambda: window.ui.chat_pane.currentWidget() is window.ui.transcript)
    other = view.list.parts.rows[-4].part.message_id
    assert other != asked
    window.ui.transcript.perform(Action.SHOW_IN_REQUEST, other)
    await until(lambda: view.list.currentIndex().isValid())
    await until(lambda: view.list.parts.rows[view.list.currentIndex().row()].part.message_id == other)


@pytest.mark.long
@play_scene()
async def test_what_the_model_saw_when_it_answered(window: MainWindow, bridge: Bridge) -> None:
    rows = [row for row in window.ui.transcript_model.rows if row.message.role == "assistant"]
    window.ui.transcript.perform(Action.SHOW_REQUEST, rows[-1].message.id)
    view = window.ui.chat_pane.request
    await until(lambda: view.list.parts.rows)
    assert view.moment is ShownRequest.THEN
    assert len(messages(view.list.parts.rows)) == rows[-1].index
    await click(view.moments.button("changes"))
    await until(lambda: view.list.parts.rows)
    changed = [row.part.message_id for row in view.list.parts.rows if not row.tokens_before]
    assert changed[0] == rows[-1].message.id
    window.request.show_earlier(rows[-2].message.id, ShownRequest.CHANGES)
    await until(lambda: view.list.parts.rows)
    changed = [row.part.message_id for row in view.list.parts.rows if not row.tokens_before]
    assert changed[0] == rows[-2].message.id


@pytest.mark.long
@play_scene(messages=0)
async def test_the_request_follows_what_is_sent_and_pinned(window: MainWindow, bridge: Bridge) -> None:
    await click(window.ui.header.views.button("request"))
    view = window.ui.chat_pane.request
    window.chat.send("Why?")
    await until(lambda: len(messages(view.list.parts.rows)) == 2)
    assert view.isVisible(), "sending does not turn away from it"
    window.request.perform(PartAction.PIN, messages(view.list.parts.rows)[0])
    await until(lambda: messages(view.list.parts.rows)[0].part.is_pinned)
    await until(lambda: window.ui.panel.breakdown.largest.parts)


@pytest.mark.long
@play_scene(messages=0)
async def test_the_largest_parts_follow_while_a_reply_streams(window: MainWindow, bridge: Bridge) -> None:
    window.chat.send("!wait")
    await until(lambda: [part.name.text() for part in window.ui.panel.breakdown.largest.parts] == ["You · !wait"])
    assert window.ui.transcript_model.is_running
    window.chat.stop()
    await until(lambda: not window.ui.transcript_model.is_running)


@pytest.mark.row("W5", "a part whole, as JSON")
@pytest.mark.long
@play_scene()
async def test_a_row_of_the_breakdown_and_a_part_whole_and_copied(window: MainWindow, bridge: Bridge) -> None:
    window.ui.panel.requests.segment_requested.emit(Segment.ASSISTANT)
    view = window.ui.chat_pane.request
    await until(lambda: view.list.parts.rows)
    assert {row.part.segment for row in view.list.parts.rows} == {Segment.ASSISTANT}
    row = view.list.parts.rows[0]
    view.list.choose(0)
    QTest.keyClick(view.list, Qt.Key.Key_Return)
    await until(lambda: any(isinstance(w, TextReader) for w in QApplication.topLevelWidgets()))
    [reader] = [w for w in QApplication.topLevelWidgets() if isinstance(w, TextReader)]
    assert reader.text.toPlainText().startswith(row.part.text)
    reader.close()
    QApplication.clipboard().clear()
    await click(view.copy)
    await until(lambda: row.part.text.split()[0] in QApplication.clipboard().text())


@pytest.mark.long
@play_scene()
async def test_another_conversation_begins_with_the_request_of_now(window: MainWindow, bridge: Bridge) -> None:
    reply = next(row for row in window.ui.transcript_model.rows if row.message.role == "assistant")
    window.ui.transcript.perform(Action.SHOW_REQUEST, reply.message.id)
    view = window.ui.chat_pane.request
    view.filter(Segment.USER)
    other = "c2" if window.chat.conversation == "c1" else "c1"
    window.chat.open(other)
    await until(lambda: view.moment is ShownRequest.NOW and view.list.parts.rows)
    assert view.segment is None
    await until(lambda: messages(view.list.parts.rows))
    await until(lambda: all(row.part.message_id.startswith(other) for row in messages(view.list.parts.rows)))


@play_scene(tools_off=())
async def test_tools_are_left_out_and_taken_back(window: MainWindow, bridge: Bridge) -> None:
    ours = SentPart(PartKind.TOOLS, "", "", "", 0, 240, Segment.SCHEMAS)
    window.ui.panel.requests.part_requested.emit(PartAction.LEAVE_OUT, ours)
    await until(window.ui.toast.isVisible)
    offered = {tool.spec.name for tool in (await bridge.ask(p.ListTools("c1"))).tools}
    assert set((await bridge.ask(p.ReadSettings())).settings.tools_off) == offered
    await click(window.ui.toast.action)
    read = p.ReadSettings()
    async with asyncio.timeout(20):
        while (await bridge.ask(read)).settings.tools_off:
            await asyncio.sleep(0.01)


@play_scene()
async def test_earlier_requests_are_offered_as_their_replies_read(
    window: MainWindow, bridge: Bridge, monkeypatch
) -> None:
    rows = [row for row in window.ui.transcript_model.rows if row.message.role == "assistant"]
    said = replace(rows[-1].message, parts=(Text("## Report\n\n**Bold** words" + " that go on" * 20),))
    window.ui.transcript_model.apply(
        MessageRecorded(window.chat.conversation, replace(rows[-1], message=said)), RESTING
    )
    offered = list[str]()

    def offer(replies: list[tuple[str, str]]) -> QMenu:
        offered.extend(text for _, text in replies)
        return QMenu(window)

    monkeypatch.setattr(window.ui.chat_pane.request, "offer_replies", offer)
    window.request.offer_replies()
    assert "  Report Bold words that go on" in offered[0]
    assert offered[0].endswith("…")


@pytest.mark.parametrize(
    ("parts", "title"),
    [
        ((ToolCall("1", "read", '{"path": "app/report.py"}'),), "read app/report.py"),
        ((ToolCall("1", "bash", '{"command": "ls -la"}'), ToolCall("2", "list", "{}")), "bash ls -la, list"),
        ((Text("Look:"), ToolCall("1", "list", "{}")), "Look:"),
        ((), "(no text)"),
    ],
)
def test_a_reply_without_a_text_is_called_by_its_calls(parts: tuple[Part, ...], title: str) -> None:
    assert title_of_reply(Message(id="m", at=0, role=Role.ASSISTANT, parts=parts)) == title
