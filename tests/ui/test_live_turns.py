"""What goes on in every conversation, folded from events."""

from __future__ import annotations

import pytest
from transcript_rows import chat, row
from ui_scenes import tell

from desktop_app.conversation.events import (
    Failure,
    MessageRecorded,
    Noticed,
    QuestionAnswered,
    QuestionAsked,
    ReasoningDelta,
    ReplyStarted,
    TextDelta,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop_app.conversation.message import Role, Text
from desktop_app.ui.live_turns import RESTING, Activity, LiveReply, LiveTurns
from desktop_app.ui.transcript.items import FailureItem
from desktop_app.ui.transcript.replies import ReplyItem
from desktop_app.ui.transcript.transcript_model import TranscriptModel

QUESTION = QuestionAsked("a", "q1", "rounds", rounds=25)


def told(*events: TurnEvent) -> LiveTurns:
    turns = LiveTurns()
    for event in events:
        turns.fold(event, 0.0)
    return turns


def test_a_question_comes_before_work_and_a_failure_stays_until_the_next_turn() -> None:
    turns = told(TurnStarted("a"), TurnStarted("b"), QUESTION, QUESTION)
    assert turns.activities == {"a": Activity.WAITS, "b": Activity.WORKS}
    assert turns.of("a").questions == (QUESTION,)
    turns.fold(QuestionAnswered("a", "q1", True), 0.0)
    assert turns.activities["a"] is Activity.WORKS
    for event in (TurnFailed("a", Failure("server", "No answer")), TurnFinished("a", "failed"), TurnFinished("b")):
        turns.fold(event, 0.0)
    assert turns.activities == {"a": Activity.FAILED}
    turns.fold(TurnStarted("a"), 0.0)
    assert turns.activities == {"a": Activity.WORKS}


def test_nothing_is_kept_of_a_turn_that_ended_well() -> None:
    turns = told(TurnStarted("a"), TextDelta("a", "r", "Hello"), TurnFinished("a"))
    assert turns.of("a") == RESTING
    assert turns.activities == {}
    assert turns.running == frozenset()


def test_a_reply_grows_until_it_is_stored() -> None:
    turns = told(
        TurnStarted("a"),
        ReplyStarted("a", "r", "Sonnet", "m0"),
        ReasoningDelta("a", "r", "Hm. "),
        TextDelta("a", "r", "Good "),
        TextDelta("b", "other", "elsewhere"),
        TextDelta("a", "r", "morning"),
    )
    assert turns.of("a").reply == LiveReply("r", "Sonnet", "m0", "Good morning", "Hm. ")
    stored = row(3, Role.ASSISTANT, Text("Good morning"))
    turns.fold(MessageRecorded("a", stored), 0.0)  # another message's id: the reply goes on
    assert turns.of("a").reply is not None
    turns.fold(ReplyStarted("a", "m3", "Sonnet"), 0.0)
    turns.fold(MessageRecorded("a", stored), 0.0)
    assert turns.of("a").reply is None


def test_the_engine_s_word_at_an_opening_counts() -> None:
    turns = told(TurnStarted("a"), TextDelta("a", "r", "Half"), QUESTION)
    turns.note_opened("a", True, ())
    assert turns.of("a").questions == ()
    assert turns.of("a").reply is not None
    turns.note_opened("a", False, ())
    assert turns.of("a") == RESTING


def test_with_the_engine_all_turns_end_but_failures_can_still_be_read() -> None:
    failed = TurnFailed("b", Failure("server", "No answer"))
    turns = told(TurnStarted("a"), QUESTION, TurnStarted("b"), failed, TurnFinished("b", "failed"))
    turns.end_all()
    assert turns.of("a") == RESTING
    assert [failure.title for failure in turns.of("b").failures] == ["No answer"]


def test_a_conversation_is_opened_with_what_has_arrived_of_its_turn(qapp) -> None:
    model = TranscriptModel()
    turns = told(TurnStarted("a"), ReplyStarted("a", "r", "Sonnet"), TextDelta("a", "r", "Half a sen"))
    model.open(chat(1), (), turns.of("a"))
    tell(model, TextDelta("a", "r", "tence"))
    model.refresh()
    reply = model.item(1)
    assert isinstance(reply, ReplyItem)
    assert (reply.text, reply.reply.model) == ("Half a sentence", "Sonnet")


def test_a_continued_reply_is_opened_with_all_that_was_said_before(qapp) -> None:
    model = TranscriptModel()
    turns = told(TurnStarted("a"), ReplyStarted("a", "r2", "Sonnet", "m1"), TextDelta("a", "r2", "lf and"))
    model.open([*chat(1), row(1, Role.ASSISTANT, Text("The first ha"))], (), turns.of("a"))
    assert model.rowCount() == 2
    assert model.streaming_text == "The first half and"


def test_why_a_turn_failed_is_shown_again(qapp) -> None:
    model = TranscriptModel()
    turns = told(TurnStarted("a"), TurnFailed("a", Failure("server", "No answer")), TurnFinished("a", "failed"))
    model.open(chat(1), (), turns.of("a"))
    model.open(chat(1), (), turns.of("a"))
    cards = [model.item(n) for n in range(model.rowCount()) if isinstance(model.item(n), FailureItem)]
    assert len(cards) == 1


@pytest.mark.parametrize("kind", ["rounds", "nearly_full"])
def test_a_turn_that_waits_for_the_users_word_did_not_go_wrong(kind: str) -> None:
    turns = LiveTurns()
    for event in (TurnStarted("a"), TurnFailed("a", Failure(kind, "What now?")), TurnFinished("a", "failed")):
        turns.fold(event, 0.0)
    assert turns.activities["a"] is Activity.WAITS


def test_a_notice_is_kept_and_is_no_failure() -> None:
    turns = LiveTurns()
    notice = Failure("silent_cut", "The server may have read only a part")
    for event in (TurnStarted("a"), Noticed("a", notice), TurnFinished("a")):
        turns.fold(event, 0.0)
    assert turns.of("a").notices == (notice,)
    assert not turns.activities
