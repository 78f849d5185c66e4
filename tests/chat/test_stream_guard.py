"""The state machine of a streaming reply: its table row by row."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from conversations_made_up import Letters
from desktop_app.chat.ports import Piece, ReasoningPiece, ReplyEnd, TextPiece, TextWasReasoning, ToolCallPiece
from desktop_app.chat.turn.stream_guard import (
    Limits,
    Shown,
    State,
    StreamGuard,
    WrongMoment,
    find_stop_boundary,
    limits_of,
)
from desktop_app.context.fitting import STREAM_GRACE
from desktop_app.context.policy import BALANCED
from desktop_app.context.presets import PRESETS
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import ToolCall

LIMITS = Limits(window=1_000, stop_at=900, abort_at=1_000, restarts=2, grace=10)
CALL = ToolCall("c", "bash", '{"command": "ls"}')


def guard_at(used: int, limits: Limits = LIMITS, before: str = "", is_capped: bool = False) -> StreamGuard:
    """A guard of a reply whose request took so many tokens; four characters are one."""
    guard = StreamGuard(Letters().count)
    guard.begun(limits, used, before, is_capped)
    return guard


def text_of(*shown: Shown) -> str:
    return "".join(piece.text for piece in shown if isinstance(piece, TextPiece))


def stopping(guard: StreamGuard) -> StreamGuard:
    guard.arrived(TextPiece("word" * 400))
    guard.decided(is_worth_it=True)
    guard.arrived(TextPiece("end of line\nand more"))
    assert guard.state is State.STOPPING
    return guard


def test_at_the_stop_it_is_weighed_and_then_the_line_is_ended() -> None:
    guard = guard_at(500)
    assert text_of(*guard.arrived(TextPiece("word" * 400))) == "word" * 400
    assert guard.state is State.DECIDING
    guard.decided(is_worth_it=True)
    assert guard.state is State.FINDING_END
    assert text_of(*guard.arrived(TextPiece(" the"))) == " the"
    assert text_of(*guard.arrived(TextPiece(" end\n\nNext"))) == " end\n\n"
    assert guard.state is State.STOPPING


def test_what_would_not_help_is_not_done_and_not_asked_again() -> None:
    guard = guard_at(500)
    guard.arrived(TextPiece("word" * 400))
    guard.decided(is_worth_it=False)
    guard.arrived(TextPiece("word" * 50))
    assert guard.state is State.STREAMING
    guard.arrived(TextPiece("word" * 50))
    assert (guard.state, guard.is_exceeded, guard.used) == (State.ABORTED, True, 1_000)


def test_a_line_that_does_not_end_is_cut_behind_a_word_then_anywhere() -> None:
    assert find_stop_boundary(" some words", 5, 10) is None
    assert find_stop_boundary(" some words", 11, 10) == 1
    assert find_stop_boundary("words more", 11, 10) == 6
    assert find_stop_boundary("words", 11, 10) is None
    assert find_stop_boundary("words", 21, 10) == 5
    grace = limits_of(BALANCED, 200_000, is_automatic=True).grace
    assert grace == STREAM_GRACE
    assert find_stop_boundary("我们", grace + 1, grace) is None
    assert find_stop_boundary("我们", 2 * grace + 1, grace) == 2
    assert find_stop_boundary("one\n\n\ntwo\n", 1, 10) == 6


def test_a_reply_that_stands_at_the_end_of_a_line_is_stopped_there() -> None:
    guard = guard_at(500)
    guard.arrived(TextPiece("word" * 399 + "abc\n"))
    guard.decided(is_worth_it=True)
    assert guard.state is State.STOPPING


@pytest.mark.parametrize("piece", [ReasoningPiece("hm"), ToolCallPiece(0, "bash", '{"comm')])
def test_thoughts_and_calls_do_not_land(piece: Piece) -> None:
    guard = guard_at(500)
    guard.arrived(TextPiece("word" * 400))
    guard.decided(is_worth_it=True)
    guard.arrived(piece)
    assert guard.state is State.STOPPING
    assert guard.lost_call == ("bash" if isinstance(piece, ToolCallPiece) else "")


def test_a_call_that_was_being_written_is_lost_at_once() -> None:
    guard = guard_at(500)
    guard.arrived(TextPiece("I look."))
    assert guard.arrived(ToolCallPiece(0, "write", "x" * 4 * 400)) == ()
    assert guard.generated[Segment.CALLS] == 400
    guard.decided(is_worth_it=True)
    assert (guard.state, guard.lost_call, guard.end) == (State.STOPPING, "write", None)


def test_a_call_that_was_whole_when_the_reply_ended_is_kept_however_full_the_window_is() -> None:
    guard = guard_at(500)
    guard.arrived(ToolCallPiece(0, "write", "x" * 4 * 400))
    assert guard.state is State.DECIDING
    guard.arrived(ReplyEnd("tool_calls", tool_calls=(CALL,)))
    assert guard.state is State.DONE
    assert guard.end
    assert guard.end.tool_calls == (CALL,)


def test_after_room_was_made_it_goes_on_and_what_is_said_twice_is_trimmed() -> None:
    guard = stopping(guard_at(500))
    guard.stored()
    guard.room_made(is_made=True)
    guard.begun(LIMITS, 400, "The quick brown fox jumped over")
    assert (guard.used, guard.restarts) == (400, 1)
    assert guard.arrived(TextPiece("brown fox jumped over")) == ()
    assert text_of(*guard.arrived(TextPiece(" the lazy dog."))) == " the lazy dog."
    guard = stopping(guard_at(500))
    guard.stored()
    guard.room_made(is_made=False)
    assert (guard.state, guard.is_exceeded) == (State.ABORTED, True)


def test_without_restarts_left_it_streams_on_to_the_end_of_the_window() -> None:
    guard = guard_at(500)
    for _ in range(2):
        stopping(guard).stored()
        guard.room_made(is_made=True)
        guard.begun(LIMITS, 500)
    guard.arrived(TextPiece("word" * 450))
    assert guard.state is State.STREAMING
    guard.arrived(TextPiece("word" * 50))
    assert (guard.state, guard.is_exceeded) == (State.ABORTED, True)


@pytest.mark.parametrize(
    ("reason", "is_capped", "restarts", "state", "calls"),
    [
        ("stop", False, 2, State.DONE, (CALL,)),
        ("length", False, 2, State.DONE, ()),
        ("content_filter", False, 2, State.DONE, ()),
        ("length", True, 2, State.STOPPING, None),
        ("length", True, 0, State.ABORTED, None),
    ],
)
def test_how_a_reply_ends_says_whether_its_calls_may_be_run(
    reason: str, is_capped: bool, restarts: int, state: State, calls: tuple[ToolCall, ...] | None
) -> None:
    guard = guard_at(500, replace(LIMITS, restarts=restarts), is_capped=is_capped)
    guard.arrived(TextPiece("word"))
    guard.arrived(ReplyEnd(reason, tool_calls=(CALL,)))
    assert (guard.state, guard.is_exceeded) == (state, state is State.ABORTED)
    assert guard.end == (None if calls is None else ReplyEnd(reason, tool_calls=calls))


def test_a_short_reply_that_is_cut_in_an_empty_window_was_not_cut_by_the_window() -> None:
    guard = guard_at(100, is_capped=True)
    guard.arrived(TextPiece("word"))
    guard.arrived(ReplyEnd("length"))
    assert (guard.state, guard.is_exceeded) == (State.DONE, False)


@pytest.mark.parametrize(("reason", "rest"), [("length", ""), ("content_filter", ""), ("stop", "anchored in the bay ")])
def test_who_is_cut_off_while_repeating_is_not_shown_twice(reason: str, rest: str) -> None:
    """It had begun with the last sentence but one, and did not get to where it stopped. Who ends there meant it."""
    guard = guard_at(500, before="The ship was anchored in the bay behind the old lighthouse of Hollow Point. ")
    assert guard.arrived(TextPiece("anchored in the bay ")) == ()
    assert text_of(*guard.arrived(ReplyEnd(reason))) == rest
    assert guard.state is State.DONE


@pytest.mark.parametrize(
    ("is_overflow", "pieces", "state"),
    [
        (True, (), State.READY),
        (False, (), State.READY),
        (False, (ToolCallPiece(0, "bash", "{"),), State.READY),
        (False, (TextPiece("word"),), State.ABORTED),
        (False, (ReasoningPiece("hm"),), State.ABORTED),
        (True, (TextPiece("word"),), State.STOPPING),
    ],
)
def test_what_a_failure_leads_to(is_overflow: bool, pieces: tuple[Piece, ...], state: State) -> None:
    guard = guard_at(500)
    for piece in pieces:
        guard.arrived(piece)
    guard.failed(is_overflow)
    assert (guard.state, guard.is_exceeded) == (state, False)


def test_text_that_was_reasoning_is_counted_and_shown_as_reasoning() -> None:
    guard = guard_at(500)
    shown = [*guard.arrived(TextPiece("word" * 10)), *guard.arrived(TextWasReasoning())]
    shown += guard.arrived(TextPiece("word" * 3))
    assert shown == [TextPiece("word" * 10), TextWasReasoning(), TextPiece("word" * 3)]
    assert (guard.generated[Segment.REASONING], guard.generated[Segment.ASSISTANT]) == (10, 3)
    assert guard.used == 513


def test_off_is_off_and_a_policy_without_this_phase_does_not_stop() -> None:
    assert limits_of(BALANCED, 1_000, is_automatic=True) == LIMITS
    assert limits_of(BALANCED, 1_000, is_automatic=False).restarts == 0
    for policy in PRESETS.values():
        restarts = limits_of(policy, 1_000, is_automatic=True).restarts
        assert restarts == (policy.stream_restarts if "streaming" in policy.phases else 0)


def test_the_providers_tokens_are_what_counts() -> None:
    guard = guard_at(500, Limits(1_000, 900, 1_000, 2, factor=1.25))
    guard.arrived(TextPiece("word" * 319))
    assert (guard.used, guard.state) == (899, State.STREAMING)
    guard.arrived(TextPiece("word"))
    assert (guard.used, guard.state) == (900, State.DECIDING)


def test_small_pieces_do_not_stop_it_too_early() -> None:
    guard, pieces = guard_at(500), 0
    while guard.state is State.STREAMING:
        guard.arrived(TextPiece("w"))  # each is a token by itself, four are one together
        pieces += 1
    assert pieces == 4 * 399 + 1


def test_an_event_at_the_wrong_moment_is_a_mistake_of_the_drivers() -> None:
    guard = StreamGuard(len)
    for event in (
        guard.stored,
        lambda: guard.decided(True),
        lambda: guard.room_made(True),
        lambda: guard.failed(False),
    ):
        with pytest.raises(WrongMoment):
            event()
    guard.abandoned()
    guard.abandoned()
    assert guard.state is State.ABORTED
    with pytest.raises(WrongMoment):
        guard.begun(LIMITS, 1)
