"""Answers that were replaced, and messages that have none: as rows, and as the user meets them."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from test_transcript import click, settle, words
from transcript_rows import abandoned, call, result, row
from ui_scenes import tell

from desktop_app.conversation.events import (
    Failure,
    MessageChange,
    MessageRecorded,
    MessageRow,
    MessageState,
    ReplyStarted,
    TurnFailed,
    TurnFinished,
    TurnStarted,
    ViewChanged,
)
from desktop_app.conversation.message import Role, Text
from desktop_app.ui.transcript.display_list import Action
from desktop_app.ui.transcript.items import MessageItem, items_of
from desktop_app.ui.transcript.replies import EarlierItem, MissingReply
from desktop_app.ui.transcript.transcript_model import TranscriptModel

KEY = "earlier than m0"


def opened(rows: list[MessageRow]) -> TranscriptModel:
    model = TranscriptModel()
    model.open(rows, ())
    return model


def waits(model: TranscriptModel) -> list[MissingReply]:
    return [item.missing for n in range(model.rowCount()) if isinstance(item := model.item(n), MessageItem)]


def test_answers_that_were_replaced_stand_between_the_question_and_the_new_one() -> None:
    called = replace(call(2, "read"), state=MessageState.ABANDONED, operation_id="r2")
    read = replace(result(3, "read"), state=MessageState.ABANDONED, operation_id="r2")
    rows = [row(0), abandoned(1, "r1"), called, read, abandoned(4, "r2"), row(5, Role.ASSISTANT)]
    _, earlier, newest = items_of(rows, ())
    assert isinstance(earlier, EarlierItem)
    assert [[row.message.id for row in answer] for answer in earlier.answers] == [["m1"], ["m2", "m3", "m4"]]
    assert not earlier.is_only
    assert "message 4" in earlier.text(1)
    assert (newest.key, earlier.has("m3"), earlier.has("m5")) == ("m5", True, False)


def test_what_had_arrived_stays_when_it_is_asked_for_again(qapp) -> None:
    """It is shown until there is text of the new answer; then it is folded, and stays."""
    partial = replace(row(1, Role.ASSISTANT).message, is_interrupted=True)
    model = opened([row(0), replace(row(1), message=partial)])
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert waits(model) == [MissingReply.NOTHING, MissingReply.REST]
    tell(model, TurnStarted("c"))
    tell(model, ViewChanged("c", (), (MessageChange("m1", MessageState.ABANDONED, operation_id="r1"),)))
    tell(model, ReplyStarted("c", "m2", "Sonnet"))
    earlier = model.item(1)
    assert isinstance(earlier, EarlierItem)
    assert (earlier.is_only, earlier.text(0), earlier.is_interrupted(0)) == (True, "message 1", True)
    assert model.row_of("m1") == 1
    tell(model, MessageRecorded("c", row(2, Role.ASSISTANT)))
    tell(model, TurnFinished("c"))
    earlier = model.item(1)
    assert isinstance(earlier, EarlierItem)
    assert not earlier.is_only
    assert model.item(2).key == "m2"


def test_a_message_without_an_answer_says_so_at_a_restart_and_before_the_next_one(qapp) -> None:
    model = opened([row(0)])
    assert waits(model) == [MissingReply.ANSWER]
    tell(model, TurnStarted("c"))
    assert waits(model) == [MissingReply.NOTHING]
    tell(model, TurnFailed("c", Failure("rate_limit", "Rate limit reached")))
    tell(model, TurnFinished("c", "failed"))
    assert waits(model) == [MissingReply.NOTHING]  # the card says more
    tell(model, TurnStarted("c"))
    tell(model, MessageRecorded("c", row(1)))
    tell(model, MessageRecorded("c", row(2, Role.ASSISTANT)))
    tell(model, TurnFinished("c"))
    assert waits(model) == [MissingReply.PASSED_OVER, MissingReply.NOTHING, MissingReply.NOTHING]
    assert waits(opened([row(0), row(1), row(2, Role.ASSISTANT)]))[0] is MissingReply.PASSED_OVER


def test_results_without_the_answer_that_they_are_for_say_so() -> None:
    items = items_of([row(0), call(1, "read"), result(2, "read")], ())
    assert [item.missing for item in items if isinstance(item, MessageItem)][-1] is MissingReply.ANSWER


def test_replaced_answers_unfold_and_are_turned_over(view, qtbot):
    first, second = abandoned(1, "r1", Text("**first** try")), abandoned(2, "r2", Text("second try"))
    view.transcript.open([row(0), first, second, row(3, Role.ASSISTANT)], ())
    assert words(view, KEY) == ["▸ 2 earlier answers"]
    click(view, qtbot, KEY, Action.FOLD)
    assert {"2 of 2", "second try"} <= set(words(view, KEY))
    click(view, qtbot, KEY, Action.EARLIER)
    assert {"1 of 2", "first try"} <= set(words(view, KEY))
    view.perform(Action.COPY, KEY)
    assert QGuiApplication.clipboard().text() == "**first** try"
    click(view, qtbot, KEY, Action.LATER)
    assert "second try" in words(view, KEY)
    click(view, qtbot, KEY, Action.FOLD)
    assert words(view, KEY) == ["▸ 2 earlier answers"]


def test_an_answer_that_was_given_up_is_read_until_there_is_another(view, qtbot):
    view.transcript.open([row(0), abandoned(1, "r1", Text("half an ans"))], ())
    assert "half an ans" in words(view, KEY)
    tell(view.transcript, TurnStarted("c"))
    settle(view, qtbot)
    assert "half an ans" in words(view, KEY)


def test_a_message_without_an_answer_can_be_tried_again(view, qtbot):
    view.transcript.open([row(0), row(1, Role.ASSISTANT), row(2)], ())
    assert "No answer yet." in words(view, "m2")
    with qtbot.waitSignal(view.action_requested) as told:
        click(view, qtbot, "m2", Action.TRY_AGAIN)
    assert told.args[0] is Action.TRY_AGAIN
