"""The state machine of a streaming reply, in whatever order of events Hypothesis thinks of."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from conversations_made_up import Letters
from desktop_app.chat.ports import Piece, ReasoningPiece, ReplyEnd, TextPiece, ToolCallPiece
from desktop_app.chat.turn.stream_guard import ENDS, STREAMS, Limits, Shown, State, StreamGuard, WrongMoment
from desktop_app.conversation.message import ToolCall
from examples import examples
from garbage import collect_if_much

CALL = ToolCall("c", "bash", '{"command": "ls"}')
NAMES = tuple("anchor basil copper dragon ember falcon garnet hollow indigo jasper kettle lantern".split())  # noqa: SIM905
RARELY = st.sampled_from([False] * 9 + [True])
SCRIPTS = st.lists(
    st.sampled_from(["{} {}", "{}, {} ", "{}\n", "```python\n{} = {}\n```\n", "{}😀{} ", "я{}语{}. ", "| {} | {} |\n"]),
    min_size=20,
    max_size=90,
)


def script_of(shapes: list[str]) -> str:
    """A text whose every word is another one, so that it is clear what was said twice."""
    words = iter(f"{name}{number}{name[::-1]}" for number in range(100) for name in NAMES)
    return "".join(shape.format(*(next(words) for _ in range(shape.count("{}")))) for shape in shapes)


class Reply(RuleBasedStateMachine):
    """A provider that knows what it will say, a guard, and a driver that does as the guard's state says."""

    @initialize(
        shapes=SCRIPTS,
        thought=st.sampled_from(["", "Let me think about that."]),
        calls=st.lists(st.sampled_from([CALL, ToolCall("d", "write", '{"text": "' + "x" * 300 + '"}')]), max_size=2),
        restarts=st.sampled_from([2, 2, 2, 1, 0]),
        window=st.sampled_from([200, 200, 400, 1_000]),
        before=st.integers(10, 150),
        is_capped=st.booleans(),
    )
    def begin(
        self,
        shapes: list[str],
        thought: str,
        calls: list[ToolCall],
        restarts: int,
        window: int,
        before: int,
        is_capped: bool,
    ) -> None:
        self.script, self.thought, self.calls = script_of(shapes), thought, tuple(calls)
        self.limits = Limits(window, round(0.9 * window), window, restarts)
        self.request, self.is_capped = before, is_capped
        self.guard = StreamGuard(Letters().count)
        self.stored: list[tuple[str, int | None]] = []
        """Text of each message, and which one it goes on with."""
        self.text = self.reasoning = ""
        self.coming: list[Piece] = []
        self.rooms = self.stops = 0
        self.has_failed = self.is_cut = False

    @property
    def said(self) -> str:
        return "".join(text for text, _ in self.stored) + self.text

    def take(self, shown: tuple[Shown, ...]) -> None:
        """What the driver does with what is shown."""
        for piece in shown:
            if isinstance(piece, TextPiece):
                self.text += piece.text
            else:
                self.reasoning += piece.text

    def is_in(self, *states: State) -> bool:
        return hasattr(self, "guard") and self.guard.state in states

    @precondition(lambda self: self.is_in(State.READY))
    @rule(
        back=st.one_of(st.just(0), st.integers(24, 200), st.integers(24, 60)),
        size=st.integers(1, 60),
        is_thinking=st.booleans(),
    )
    def ask(self, back: int, size: int, is_thinking: bool) -> None:
        """The model goes on with what was said, or says some of it once more; its pieces are cut anywhere."""
        said = len(self.said)
        begin = said - back if self.stored and back <= said else said
        rest = self.script[begin:]
        thoughts: list[Piece] = [ReasoningPiece(self.thought)] if self.thought and is_thinking else []
        texts = [TextPiece(rest[n : n + size]) for n in range(0, len(rest), size)]
        fragments = [
            ToolCallPiece(place, call.name, call.arguments[n : n + size])
            for place, call in enumerate(self.calls)
            for n in range(0, len(call.arguments), size)
        ]
        reason = "tool_calls" if self.calls else "stop"
        self.coming = [*thoughts, *texts, *fragments, ReplyEnd(reason, tool_calls=self.calls)]
        self.guard.begun(self.limits, self.request, self.said, self.is_capped)

    @precondition(lambda self: self.is_in(State.STREAMING, State.FINDING_END) and self.coming)
    @rule(count=st.sampled_from([1, 2, 30, 400, 400]))
    def stream(self, count: int) -> None:
        for _ in range(count):
            if not self.coming or self.guard.state not in (State.STREAMING, State.FINDING_END):
                return
            was, before = self.guard.state, self.guard.used
            piece = self.coming.pop(0)
            self.take(self.guard.arrived(piece))
            if was is State.STREAMING and self.guard.state is State.DECIDING:
                assert before < self.limits.stop_at <= self.guard.used or before == self.request, "at once, not late"
                assert self.guard.restarts < self.limits.restarts

    @precondition(lambda self: self.is_in(State.DECIDING))
    @rule(is_worth_it=st.sampled_from([True, True, True, True, True, False]))
    def weigh(self, is_worth_it: bool) -> None:
        self.guard.decided(is_worth_it)

    @precondition(lambda self: self.is_in(State.STOPPING))
    @rule()
    def store(self) -> None:
        if self.text.strip():
            self.stored.append((self.text, len(self.stored) - 1 if self.stored else None))
            self.text = ""
        self.guard.stored()

    @precondition(lambda self: self.is_in(State.MAKING_ROOM))
    @rule(
        is_made=st.sampled_from([True, True, True, False]),
        request=st.one_of(st.integers(10, 120), st.integers(170, 185)),
    )
    def make_room(self, is_made: bool, request: int) -> None:
        self.guard.room_made(is_made)
        self.rooms += is_made
        self.request = request

    @precondition(lambda self: self.is_in(*STREAMS) and not self.has_failed)
    @rule(is_overflow=st.booleans(), wants=RARELY)
    def fail(self, is_overflow: bool, wants: bool) -> None:
        if not wants:
            return
        self.has_failed, had = True, self.guard.has_shown
        self.take(self.guard.failed(is_overflow))
        self.coming = []
        assert had or self.guard.state is State.READY

    @precondition(lambda self: self.is_in(*STREAMS) and not self.is_cut)
    @rule(
        reason=st.sampled_from(["length", "length", "content_filter", "odd"]),
        calls=st.booleans(),
        wants=st.sampled_from([False, False, True]),
    )
    def end_early(self, reason: str, calls: bool, wants: bool) -> None:
        """The provider ends the reply where it is; a call may be there only in part."""
        if not wants:
            return
        self.is_cut = True
        made = (ToolCall("c", "write", '{"text": "x'),) if calls else ()
        self.take(self.guard.arrived(ReplyEnd(reason, tool_calls=made)))
        self.coming = []

    @precondition(lambda self: not self.is_in(*ENDS))
    @rule(wants=RARELY)
    def stop(self, wants: bool) -> None:
        if wants:
            self.take(self.guard.abandoned())

    @precondition(lambda self: self.is_in(*ENDS))
    @rule()
    def nothing_comes_after_the_end(self) -> None:
        with pytest.raises(WrongMoment):
            self.guard.arrived(TextPiece("more"))

    @invariant()
    def nothing_is_lost_or_doubled(self) -> None:
        if hasattr(self, "guard"):
            assert self.script.startswith(self.said)

    @invariant()
    def restarts_are_few_and_the_chain_is_one(self) -> None:
        if hasattr(self, "guard"):
            assert self.guard.restarts == self.rooms <= self.limits.restarts
            assert [before for _, before in self.stored] == [None, *range(len(self.stored) - 1)][: len(self.stored)]

    @invariant()
    def calls_are_run_only_of_a_reply_that_ended_by_itself(self) -> None:
        if not hasattr(self, "guard"):
            return
        guard = self.guard
        assert (guard.end is not None) == (guard.state is State.DONE)
        if guard.end is not None and guard.end.reason in ("stop", "tool_calls"):
            assert self.said == self.script
            assert guard.end.tool_calls == self.calls
        elif guard.end is not None:
            assert not guard.end.tool_calls
        if guard.is_exceeded and guard.state is State.ABORTED and not self.is_cut:
            assert guard.used >= self.limits.abort_at or self.guard.restarts == self.rooms

    @invariant()
    def what_is_used_is_what_came(self) -> None:
        if self.is_in(*STREAMS):
            assert self.request <= self.guard.used == self.request + sum(self.guard.generated.values())

    def teardown(self) -> None:
        """It always ends, whoever drives it on."""
        collect_if_much()
        if not hasattr(self, "guard"):
            return
        steps: dict[State, Callable[[], object]] = {
            State.READY: lambda: self.ask(60 * (self.rooms % 2), 7, True),
            State.STREAMING: lambda: self.stream(1),
            State.FINDING_END: lambda: self.stream(1),
            State.DECIDING: lambda: self.weigh(True),
            State.STOPPING: self.store,
            State.MAKING_ROOM: lambda: self.make_room(True, 20 if self.rooms % 2 else 172),
        }
        for _ in range(20_000):
            if self.guard.state in ENDS:
                break
            steps[self.guard.state]()
            self.nothing_is_lost_or_doubled()
            self.calls_are_run_only_of_a_reply_that_ended_by_itself()
        assert self.guard.state in ENDS


TestReply = pytest.mark.timeout(600)(Reply.TestCase)
TestReply.settings = settings(max_examples=examples(150), stateful_step_count=30, deadline=None)


class ManyReplies(Reply):
    """The same in many more orders."""


TestManyReplies = pytest.mark.slow(pytest.mark.timeout(3_600)(ManyReplies.TestCase))
TestManyReplies.settings = settings(max_examples=3_000, stateful_step_count=40, deadline=None)
