"""What is being read stays where it is, pixel for pixel, whatever happens below and above it."""

from __future__ import annotations

import asyncio

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from ui_scenes import play_scene, until

from builders import model
from desktop_app.conversation.events import (
    Failure,
    MessageRecorded,
    MessageRow,
    OperationRow,
    QuestionAnswered,
    QuestionAsked,
    ReplyStarted,
    RetryScheduled,
    TextDelta,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
    ViewChanged,
)
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission
from desktop_app.conversation.transcript import Trigger
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.main_window import MainWindow

CALL = ToolCall("c", "bash", '{"command": "ls"}')
WORDS = "A reply that streams, line by line, and is long enough to push.\n\n"
DELTAS = 16


def place(window: MainWindow) -> tuple[str, int]:
    """The first row in sight, and where it begins on the screen."""
    view = window.ui.transcript
    row = view.heights.row_at(view.verticalOffset())
    top = view.heights.top(row) - view.verticalOffset()
    return view.transcript.item(row).key, view.viewport().mapTo(window, QPoint(0, top)).y()


def scroll_up(window: MainWindow, notches: int) -> None:
    view = window.ui.transcript.viewport()
    at = QPointF(view.rect().center())
    for _ in range(notches):
        turn = QPoint(0, 120)
        event = QWheelEvent(
            at, view.mapToGlobal(at), QPoint(), turn, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(view, event)


@pytest.mark.long
@play_scene()
async def test_what_is_read_stays_while_a_reply_streams_ends_and_cards_come(window: MainWindow, bridge: Bridge) -> None:
    conversation, view = window.chat.conversation, window.ui.transcript
    newest = window.ui.transcript_model.rows[-1]
    reply = model(WORDS * DELTAS, id="r")
    mark = OperationRow(
        "op", "compaction", 9e9, Trigger.AFTER_TURN, {"extractive": 4}, 4, 9_000, 4_000,
        after_message_id=window.ui.transcript_model.rows[0].message.id,
    )  # fmt: skip
    asked = QuestionAsked(conversation, "q", "permission", CALL, (RequiredPermission("bash", "run", "ls"),))
    happening: list[TurnEvent] = [
        *(TextDelta(conversation, "r", WORDS) for _ in range(DELTAS)),
        RetryScheduled(conversation, "Busy", 2.0, 1),
        asked,
        QuestionAnswered(conversation, "q", True),
        MessageRecorded(conversation, MessageRow(reply, newest.index + 1, 400)),
        ViewChanged(conversation, (mark,), (), Trigger.AFTER_TURN),
        TurnFailed(conversation, Failure("server", "It went wrong", "Quite so.", "All is kept.", "Try again.")),
        TurnFinished(conversation, "failed"),
    ]

    async def settle() -> None:
        for _ in range(3):
            await until(lambda: view.is_settled)
            await asyncio.sleep(0.02)

    bridge.happened.emit(TurnStarted(conversation))
    bridge.happened.emit(ReplyStarted(conversation, "r", "Sonnet"))
    for event in happening[:5]:
        bridge.happened.emit(event)
    await settle()
    assert view.follows_end
    scroll_up(window, 4)
    await until(lambda: not view.follows_end)
    await settle()
    await settle()
    before = place(window)
    for event in happening[5:]:
        bridge.happened.emit(event)
        await settle()
        assert place(window) == before, type(event).__name__
    window.ui.toast.show_message("Something else", "Undo", lambda: None)
    await settle()
    assert place(window) == before
    window.ui.failure.show_failure(Failure("disk", "The disk is full", "x", "y", "z"), "Try again", lambda: None)
    await settle()
    assert place(window) == before
    window.ui.failure.clear()
    window.ui.toast.hide()
    await settle()
    assert place(window) == before
    assert view.jump.isVisible(), "and it is told that there is more below"
