"""Which calls of a turn run again: any that may bring something new, and no command whose result was not read."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import result
from desktop_app.chat.turn.tool_calls import MAX_ANSWERS, RepeatedCalls, signature_of
from desktop_app.context.view.items import Item
from desktop_app.context.view.view import View, view_of
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult
from desktop_app.conversation.tools import AS_RECORDED, HAS_IT
from desktop_app.conversation.transcript import Chain, Transcript

EMPTY = view_of(Transcript(Chain(())))


def showing(*messages: Message, pruned: bool = False) -> View:
    return replace(EMPTY, items=Chain(Item(message, pruned_by="p" if pruned else "") for message in messages))


def call(command: str) -> ToolCall:
    return ToolCall("id", "bash", json.dumps({"command": command}))


class Rounds:
    """Replies of one call each, whose results the model reads or does not."""

    def __init__(self) -> None:
        self.repeats = RepeatedCalls()
        self.runs: list[str] = []
        self.texts: list[str] = []
        self._sent = EMPTY
        self._number = 0

    def make(self, command: str, output: str = "same", changes: bool = True, reads: bool = True) -> bool:
        """Make the call, and return whether it ran. reads: whether its result goes to the model whole."""
        self.repeats.begin_round(self._sent)
        answer = self.repeats.answer(call(command), self._sent)
        self._number += 1
        text = answer.text if answer else output
        ending = answer.ending if answer else ""
        message = Message(id=f"m{self._number}", role=Role.TOOL, parts=(ToolResult("id", "bash", text, ending=ending),))
        if answer:
            self.repeats.note_answer(call(command), message)
        else:
            self.runs.append(command)
            self.repeats.note_result(call(command), output, message, changes)
        self.texts.append(text)
        self._sent = showing(*self._sent.messages, message) if reads else EMPTY
        return answer is None


def test_the_order_of_arguments_does_not_matter() -> None:
    one, other = '{"a": 1, "b": {"c": 2, "d": 3}}', '{"b": {"d": 3, "c": 2}, "a": 1}'
    assert signature_of(ToolCall("1", "t", one)) == signature_of(ToolCall("2", "t", other))
    assert signature_of(ToolCall("1", "t", one)) != signature_of(ToolCall("1", "other", one))
    assert signature_of(ToolCall("1", "t", "{half")) == ("t", "{half")


def test_a_call_that_gave_the_same_twice_is_answered_and_at_the_third_answer_it_is_a_circle() -> None:
    rounds = Rounds()
    assert [rounds.make("pytest") for _ in range(4)] == [True, True, False, False]
    assert rounds.texts[2:] == [HAS_IT, HAS_IT]
    assert rounds.repeats.circle is None
    assert not rounds.make("pytest")
    assert rounds.repeats.circle is not None
    name, earlier = rounds.repeats.circle
    assert (name, earlier.runs, earlier.answers) == ("bash", 2, MAX_ANSWERS)


def test_what_changes_from_run_to_run_is_always_run() -> None:
    rounds = Rounds()
    assert all(rounds.make("status", f"{n} %") for n in range(20))


def test_a_command_whose_result_was_not_read_does_not_run_twice_and_comes_with_the_next_answer() -> None:
    rounds = Rounds()
    assert rounds.make("echo hit", "hit", reads=False)
    assert not rounds.make("echo hit", reads=False)
    assert rounds.texts[-1] == f"{AS_RECORDED}\nhit"
    assert not rounds.make("echo hit", reads=True)
    assert rounds.make("echo hit", "hit"), "it has read it now, and wants the effect"


def test_what_only_looks_runs_again_if_it_was_not_read() -> None:
    rounds = Rounds()
    assert [rounds.make("look", reads=False, changes=False) for _ in range(3)] == [True, True, False]


def test_behind_a_change_everything_may_be_new() -> None:
    rounds = Rounds()
    for number in range(10):  # the tests fail in the same way, whatever is edited
        assert rounds.make(f"edit {number}", "done")
        assert rounds.make("pytest", "1 failed", reads=number % 2 == 0)


def test_calls_of_one_reply_whose_results_were_not_read_stay_known() -> None:
    repeats = RepeatedCalls()
    repeats.begin_round(EMPTY)
    for number in range(3):
        message = result(f"{number}", "id", id=f"m{number}")
        repeats.note_result(call(f"step {number}"), f"{number}", message, changes=True)
    repeats.begin_round(EMPTY)
    assert all(repeats.answer(call(f"step {number}"), EMPTY) for number in range(3))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.booleans(), st.booleans()), max_size=40))
def test_nothing_runs_a_third_time_for_the_same_and_no_circle_is_endless(
    rounds_made: list[tuple[str, str, bool, bool]],
) -> None:
    rounds, since = Rounds(), dict[str, list[str]]()
    for command, output, changes, reads in rounds_made:
        if rounds.make(command, output, changes, reads):
            same = since.setdefault(command, [])
            is_new = not same or same[-1] != output
            since[command] = [output] if is_new else [*same, output]
            assert len(since[command]) <= 2, "ran a third time for the same"
            if changes and is_new:
                since = {command: since[command]}
        if rounds.repeats.circle is not None:
            return
