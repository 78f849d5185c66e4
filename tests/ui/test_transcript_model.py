"""The transcript's rows: made from the record and the turn, and folded from events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy
from transcript_rows import call, changes_of, chat, compaction, result, row
from ui_scenes import keys, tell

from desktop_app.conversation.events import (
    Failure,
    GaugeChanged,
    MessageChange,
    MessageRecorded,
    MessageRow,
    MessageState,
    Noticed,
    QuestionAnswered,
    QuestionAsked,
    ReasoningDelta,
    ReasoningRecognized,
    ReplyStarted,
    TextDelta,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
    ViewChanged,
)
from desktop_app.conversation.gauge import Gauge, Status
from desktop_app.conversation.message import Message, Reasoning, Role, Text
from desktop_app.ui.live_turns import RESTING, Activity, LiveTurn, LiveTurns
from desktop_app.ui.transcript.transcript_items import (
    MAX_OLDER,
    PAGE,
    GapItem,
    Item,
    MessageItem,
    MissingReply,
    OtherVersionsItem,
    ReplyItem,
    items_of,
)
from desktop_app.ui.transcript.transcript_model import TranscriptModel

QUESTION = QuestionAsked("a", "q1", "rounds", rounds=25)
REPLY_STARTED = ReplyStarted("c", "m1", "Sonnet")
NO_ANSWER = Failure("server", "No answer")


def opened(rows: list[MessageRow], *operations, turn: LiveTurn = RESTING, other_versions=()) -> TranscriptModel:
    """A model whose rows keep to Qt's rules."""
    model = TranscriptModel()
    model.open(rows, operations, turn, other_versions)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    return model


def folded(*events: TurnEvent) -> LiveTurns:
    turns = LiveTurns()
    for event in events:
        turns.fold(event, 0.0)
    return turns


def waits(model: TranscriptModel) -> list[MissingReply]:
    return [item.missing for n in range(model.rowCount()) if isinstance(item := model.item(n), MessageItem)]


# Turns


def test_a_question_comes_before_work_and_a_failure_stays_until_the_next_turn() -> None:
    turns = folded(TurnStarted("a"), TurnStarted("b"), QUESTION, QUESTION)
    assert turns.activities == {"a": Activity.WAITS, "b": Activity.WORKS}
    assert turns.of("a").questions == (QUESTION,)
    turns.fold(QuestionAnswered("a", "q1", True), 0.0)
    assert turns.activities["a"] is Activity.WORKS
    for event in (TurnFailed("a", NO_ANSWER), TurnFinished("a", "failed"), TurnFinished("b")):
        turns.fold(event, 0.0)
    assert turns.activities == {"a": Activity.FAILED}
    turns.fold(TurnStarted("a"), 0.0)
    assert turns.activities == {"a": Activity.WORKS}


@pytest.mark.parametrize(
    ("told", "activity"),
    [
        (TextDelta("a", "r", "Hello"), None),
        (TurnFailed("a", Failure("rounds", "What now?")), Activity.WAITS),
        (TurnFailed("a", Failure("nearly_full", "What now?")), Activity.WAITS),
        (TurnFailed("a", NO_ANSWER), Activity.FAILED),
        (Noticed("a", Failure("silent_cut", "Perhaps cut")), None),
    ],
)
def test_what_is_left_of_a_turn(told: TurnEvent, activity: Activity | None) -> None:
    turns = folded(TurnStarted("a"), told, TurnFinished("a"))
    assert turns.activities.get("a") is activity
    assert (turns.of("a") == RESTING) is isinstance(told, TextDelta)
    assert turns.running == frozenset()


def test_the_engine_s_word_at_an_opening_counts_and_its_end_ends_all() -> None:
    turns = folded(TurnStarted("a"), TextDelta("a", "r", "Half"), QUESTION)
    turns.note_opened("a", True, ())
    assert turns.of("a").questions == ()
    assert turns.of("a").reply is not None
    turns.note_opened("a", False, ())
    assert turns.of("a") == RESTING
    turns = folded(TurnStarted("a"), QUESTION, TurnStarted("b"), TurnFailed("b", NO_ANSWER))
    turns.end_all()
    assert turns.of("a") == RESTING
    assert turns.of("b") == LiveTurn(failures=(NO_ANSWER,))
    assert folded(MessageRecorded("a", call(1, "read"))).of("a") == RESTING


def test_what_had_arrived_stays_in_sight_while_a_dead_engine_is_started_again() -> None:
    turns = folded(TurnStarted("a"), TextDelta("a", "r", "Half"), TurnStarted("b"), ReplyStarted("b", "s", "m"))
    turns.end_all()
    assert (turns.running, turns.of("b")) == (frozenset(), RESTING)
    *_, last = items_of(chat(1), (), turns.of("a"))
    assert isinstance(last, ReplyItem)
    assert last.text == "Half"
    turns.note_opened("a", False, ())
    assert turns.of("a") == RESTING


# The record


def test_marks_stand_behind_their_messages() -> None:
    items = items_of(chat(4), [compaction(1, after=1), compaction(2, after=3, is_undone=True)])
    assert [item.key for item in items] == ["m0", "m1", "mark op1", "m2", "m3"]


@pytest.mark.parametrize(("turn", "expected"), [(RESTING, ["m1", "m3"]), (LiveTurn(is_running=True), [])])
def test_any_reply_can_be_had_anew_while_none_is_written(turn: LiveTurn, expected: list[str]) -> None:
    items = items_of(chat(5), (), turn)
    assert [item.key for item in items if isinstance(item, MessageItem) and item.can_regenerate] == expected


def test_results_find_their_calls_although_ids_repeat() -> None:
    items = items_of([call(0, "read", "bash"), result(1, "read"), result(2, "bash"), call(3, "grep")], ())
    found = [(item.call and item.call.name, bool(item.unanswered)) for item in items if isinstance(item, MessageItem)]
    assert found == [(None, False), ("read", False), ("bash", False), (None, True)]


@pytest.mark.row("W4", "archived messages are dimmed, and are back after undo")
def test_an_operation_dims_its_messages_and_undo_brings_them_back(qapp) -> None:
    model = opened(chat(4))
    archived = tuple(row(n, r.message.role, state=MessageState.ARCHIVED) for n, r in enumerate(chat(2)))
    tell(model, ViewChanged("c", (compaction(1, after=1),), changes_of(archived)))
    assert keys(model) == ["m0", "m1", "mark op1", "m2", "m3"]
    assert model.rows[0].state is MessageState.ARCHIVED
    tell(model, ViewChanged("c", (compaction(1, after=1, is_undone=True),), changes_of(chat(2))))
    assert keys(model) == ["m0", "m1", "m2", "m3"]


def test_pages_fill_gaps_and_overlaps_are_left_out(qapp) -> None:
    model = opened(chat(4, first=10))
    assert model.item(0) == GapItem(0, 9)
    model.add_page(chat(3, first=2), 3)
    assert [model.item(0), model.item(4)] == [GapItem(0, 1), GapItem(5, 9)]
    assert [model.row_of_index(n) for n in (0, 2, 7, 10)] == [0, 1, 4, 5]
    model.add_page(chat(12), 3)
    assert keys(model) == [f"m{n}" for n in range(14)]


def test_what_is_kept_is_bounded_and_the_end_is_always_there(qapp) -> None:
    model = opened(chat(60, first=9_940))
    for before in range(60, 3_000, 300):
        model.add_page(chat(60, first=before - 60), before)
        assert len(model.rows) <= MAX_OLDER + 2 * PAGE
    assert keys(model)[-1] == "m9999"


@pytest.mark.long
def test_a_conversation_that_grows_is_not_kept_whole(qapp) -> None:
    """Each event took 15 ms in one that had grown by 1,200 messages, since all of them were gone through."""
    model = opened(chat(MAX_OLDER))
    for index in range(MAX_OLDER, MAX_OLDER + 2 * PAGE):
        tell(model, MessageRecorded("c", chat(1, first=index)[0]))
        model.keep_newest()
        assert PAGE <= len(model.rows) <= MAX_OLDER + PAGE
        assert keys(model)[-1] == f"m{index}"
    assert model.item(0) == GapItem(0, model.rows[0].index - 1)


def test_the_system_prompt_alone_is_still_blank(qapp) -> None:
    assert opened([row(0, Role.SYSTEM)]).is_blank
    assert not opened(chat(1)).is_blank


# The reply


def test_a_reply_grows_in_one_row_and_becomes_the_stored_message(qapp) -> None:
    model = opened(chat(1))
    tell(model, TurnStarted("c"), REPLY_STARTED)
    inserted, removed, changed = (QSignalSpy(s) for s in (model.rowsInserted, model.rowsRemoved, model.dataChanged))
    tell(model, *(ReasoningDelta("c", "m1", "Hm. "), TextDelta("c", "m1", "Good "), TextDelta("c", "m1", "morning")))
    model.refresh()
    reply = model.item(1)
    assert isinstance(reply, ReplyItem)
    assert (reply.text, reply.reasoning, reply.reply.model) == ("Good morning", "Hm. ", "Sonnet")
    tell(model, ReasoningRecognized("c", "m1"), TextDelta("c", "m1", "Hello"))
    model.refresh()
    reply = model.item(1)
    assert isinstance(reply, ReplyItem)
    assert (reply.text, reply.reasoning) == ("Hello", "Hm. Good morning")
    tell(model, MessageRecorded("c", row(1, Role.ASSISTANT)), TurnFinished("c"))
    assert keys(model) == ["m0", "m1"]
    assert isinstance(model.item(1), MessageItem)
    assert (inserted.count(), removed.count(), changed.count() >= 2) == (0, 0, True)
    assert not model.is_running


def test_a_stopped_reply_of_which_nothing_was_stored_leaves_no_row(qapp) -> None:
    model = opened(chat(1))
    tell(model, TurnStarted("c"), REPLY_STARTED, TurnFinished("c", "stopped"))
    assert keys(model) == ["m0"]


@pytest.mark.parametrize(("before", "continues"), [("", ""), ("The first ", "m1")])
def test_a_conversation_is_opened_with_what_has_arrived_of_its_turn(qapp, before: str, continues: str) -> None:
    turns = folded(TurnStarted("a"), ReplyStarted("a", "m2", "Sonnet", continues), TextDelta("a", "m2", "half a sen"))
    begun = [row(1, Role.ASSISTANT, Reasoning("Hm."), Text(before))] if before else []
    model = opened([*chat(1), *begun], turn=turns.of("a"))
    tell(model, TextDelta("a", "m2", "tence"))
    model.refresh()
    assert model.streaming_text == f"{before}half a sentence"
    assert keys(model) == ["m0", "m1" if before else "m2"]
    assert model.item(1).reasoning == ("Hm." if before else "")
    assert keys(opened([*chat(1), row(2, Role.ASSISTANT)], turn=turns.of("a"))).count("m2") == 1, "it is stored already"


def test_a_failure_stands_at_the_end_until_the_next_turn(qapp) -> None:
    model = opened(chat(1))
    for title in ("Too small", "Other", "Too small"):  # "Optimize and retry" may fail before a turn starts
        tell(model, TurnFailed("c", Failure("window_too_small", title)), TurnFinished("c", "failed"))
    assert keys(model) == keys(opened(chat(1), turn=model.turn)) == ["m0", "failure 0", "failure 1"]
    assert [failure.title for failure in model.turn.failures] == ["Other", "Too small"]
    tell(model, TurnStarted("c"))
    assert keys(model) == ["m0"]


# Other versions, and messages without an answer


def test_what_another_branch_has_leaves_and_is_offered_at_the_end(qapp) -> None:
    model = opened(chat(4))
    left = (MessageChange("m1", MessageState.ABANDONED), MessageChange("m2", MessageState.ABANDONED))
    gone = ViewChanged("c", (), (*left, MessageChange("m3", MessageState.ABANDONED)), other_versions=("m1",))
    tell(model, TurnStarted("c"), gone)
    assert keys(model) == ["m0"], "it is offered once no answer is being written"
    tell(model, TurnFinished("c", "failed"))
    assert [item.ids for item in items_in(model) if isinstance(item, OtherVersionsItem)] == [("m1",)]
    again = opened(list(model.rows), other_versions=("m1",))
    assert keys(again) == keys(model)
    newer = replace(row(1, Role.ASSISTANT), message=replace(row(1, Role.ASSISTANT).message, id="n1"))
    tell(model, TurnStarted("c"), MessageRecorded("c", newer), TurnFinished("c"))
    assert keys(model) == ["m0", "n1"]


def items_in(model: TranscriptModel) -> list[Item]:
    return [model.item(n) for n in range(model.rowCount())]


def test_a_message_without_an_answer_says_so_at_a_restart_and_before_the_next_one(qapp) -> None:
    model = opened([row(0)])
    assert waits(model) == [MissingReply.ANSWER]
    tell(model, TurnStarted("c"))
    assert waits(model) == [MissingReply.NOTHING]
    tell(model, TurnFailed("c", NO_ANSWER), TurnFinished("c", "failed"))
    assert waits(model) == [MissingReply.NOTHING]  # the card says more
    recorded = [MessageRecorded("c", row(1)), MessageRecorded("c", row(2, Role.ASSISTANT))]
    tell(model, TurnStarted("c"), *recorded, TurnFinished("c"))
    assert waits(model) == [MissingReply.PASSED_OVER, MissingReply.NOTHING, MissingReply.NOTHING]
    assert waits(opened([row(0), call(1, "read"), result(2, "read")]))[-1] is MissingReply.ANSWER


ENDED_EARLY = {
    MissingReply.CUT: Message(role=Role.ASSISTANT, parts=(Text("Half a"),), ending="length"),
    MissingReply.CUT_CALL: Message(role=Role.ASSISTANT, ending="length", lost_call="write"),
    MissingReply.CUT_THOUGHTS: Message(role=Role.ASSISTANT, parts=(Reasoning("Hm"),), ending="length"),
    MissingReply.REFUSED: Message(role=Role.ASSISTANT, ending="content_filter"),
    MissingReply.BAD_CALL: Message(role=Role.ASSISTANT, ending="malformed_call"),
    MissingReply.EMPTY: Message(role=Role.ASSISTANT, ending="empty"),
    MissingReply.ONLY_THOUGHTS: Message(role=Role.ASSISTANT, parts=(Reasoning("Hm"),), ending="empty"),
    MissingReply.REST: Message(role=Role.ASSISTANT, parts=(Text("Half a"),), is_interrupted=True),
    MissingReply.NOTHING: Message(role=Role.ASSISTANT, parts=(Text("All"),)),
}


@pytest.mark.parametrize("missing", ENDED_EARLY, ids=lambda missing: missing.name)
def test_a_reply_that_ended_early_says_why_until_something_follows_it(qapp, missing: MissingReply) -> None:
    reply = replace(row(1), message=replace(ENDED_EARLY[missing], id="m1"))
    assert waits(opened([row(0), reply]))[-1] is missing
    assert waits(opened([row(0), reply, row(2)]))[1] is MissingReply.NOTHING
    first = replace(row(1), message=replace(ENDED_EARLY[MissingReply.CUT], id="m1"))
    rest = replace(row(2), message=replace(ENDED_EARLY[missing], id="m2", continues="m1"))
    joined = MissingReply.CUT if missing is MissingReply.CUT_THOUGHTS else missing  # there is text to go on with
    assert waits(opened([row(0), first, rest]))[1:] == [joined], "one reply, which ended as its last part did"


@given(st.lists(st.sampled_from(["send", "reply", "stop", "fail", "archive", "undo", "gauge"]), max_size=14))
def test_folding_events_gives_what_a_snapshot_gives(acts: list[str]) -> None:
    """Property: at the end of a turn the folded model shows the same messages and marks as one opened anew."""
    model, record = opened([]), list[MessageRow]()
    operation = None

    def say(role: Role, text: str) -> None:
        message = Message(id=f"m{len(record)}", role=role, parts=(Text(text),))
        record.append(MessageRow(message, len(record), 1))
        tell(model, MessageRecorded("c", record[-1]))

    for act in acts:
        reply_id = f"m{len(record) + 1}"
        if act in ("send", "stop", "fail"):
            tell(model, TurnStarted("c"))
            say(Role.USER, act)
            tell(model, ReplyStarted("c", reply_id, ""), TextDelta("c", reply_id, "partial"))
            if act == "fail":
                tell(model, TurnFailed("c", NO_ANSWER))
            tell(model, TurnFinished("c"), TurnStarted("c"), TurnFinished("c"))
        elif act == "reply":
            tell(model, ReplyStarted("c", f"m{len(record)}", ""))
            say(Role.ASSISTANT, "reply")
        elif act in ("archive", "undo") and record:
            state = MessageState.ARCHIVED if act == "archive" else MessageState.IN_VIEW
            record[0] = MessageRow(record[0].message, 0, 1, state)
            operation = compaction(1, after=0, is_undone=act == "undo")
            tell(model, ViewChanged("c", (operation,), changes_of(record[:1])))
        else:
            tell(model, GaugeChanged("c", Gauge({}, 0, 10, 1, Status.SAFE)))
    fresh = opened(record, *([operation] if operation else []))
    assert [model.item(n) for n in range(model.rowCount())] == [fresh.item(n) for n in range(fresh.rowCount())]
