"""Calls that one turn makes again: which of them run, and which are answered from the record. Pure."""

from __future__ import annotations

import json

import msgspec

from desktop_app.context.view.view import View
from desktop_app.conversation.message import Message, ToolCall, ToolResult
from desktop_app.conversation.tools import AS_RECORDED, HAS_IT, ToolOutcome

MAX_SAME = 2
"""How often in a row the same call may give the same result before it is not run again."""
MAX_ANSWERS = 3
"""At so many answers from the record to one call, the turn stops."""

Signature = tuple[str, str]
"""Of a call: the name of its tool, and its arguments, whatever their order."""


class EarlierCall(msgspec.Struct):
    """A call that was made in this turn, with its newest result."""

    result: ToolResult
    """As it was recorded."""
    result_id: str
    """The message in which the model gets it."""
    output: int
    """The hash of the whole result, before it was truncated."""
    changes: bool
    """Whether it may change something."""
    round: int
    runs: int = 1
    same: int = 1
    """How many of its runs have had this result, one after the other."""
    answers: int = 0
    """How often it was answered from the record."""
    was_read: bool = False
    """Whether its result has gone to the model as it is recorded."""

    @property
    def is_answered(self) -> bool:
        """Whether the call, made again, is answered from the record."""
        return self.same >= MAX_SAME or (self.changes and not self.was_read)


def signature_of(call: ToolCall) -> Signature:
    """Return what is the same for calls that ask for the same."""
    try:
        return call.name, json.dumps(json.loads(call.arguments or "{}"), sort_keys=True)
    except (ValueError, RecursionError):
        return call.name, call.arguments.strip()


class RepeatedCalls:
    """The calls of one turn.

    A call runs again as long as that may bring something new. It is answered from the record where it has given the
    same result twice, and where it may change something and its result never went to the model: who repeats it then
    asks for the result, and not for its effect once more. Both hold until another call has changed something.
    """

    def __init__(self) -> None:
        self._earlier: dict[Signature, EarlierCall] = {}
        self._round = 0

    def begin_round(self, view: View) -> None:
        """Note which results have gone to the model. view: of the request that was answered with the next calls."""
        self._round += 1
        whole = {item.message.id for item in view.items if not item.pruned_by}
        for earlier in self._earlier.values():
            earlier.was_read = earlier.was_read or earlier.result_id in whole

    def answer(self, call: ToolCall, view: View) -> ToolOutcome | None:
        """Return the answer from the record, and count it; None for a call that is to run."""
        earlier = self._earlier.get(signature_of(call))
        if earlier is None or not earlier.is_answered:
            return None
        earlier.answers += 1
        is_above = any(item.message.id == earlier.result_id and not item.pruned_by for item in view.items)
        text = HAS_IT if is_above else f"{AS_RECORDED}\n{earlier.result.text}"
        return ToolOutcome(text, earlier.result.is_error, "repeated")

    def note_answer(self, call: ToolCall, message: Message) -> None:
        """Note the message that answers a call from the record: the newest one in which the model gets the result."""
        earlier, result = self._earlier.get(signature_of(call)), message.tool_result
        if earlier is not None and result is not None and result.text != HAS_IT:
            earlier.result_id = message.id

    def note_result(self, call: ToolCall, output: str, message: Message, changes: bool) -> None:
        """Note how a call that ran has ended. output: its whole result. message: as which it is recorded."""
        signature, result = signature_of(call), message.tool_result
        if result is None:
            return
        made = EarlierCall(result, message.id, hash(output), changes, self._round)
        earlier = self._earlier.pop(signature, None)
        if earlier is not None:
            made.runs += earlier.runs
            made.answers = earlier.answers
            made.same += earlier.same if earlier.output == made.output else 0
        if changes and made.same == 1 and result.ending != "denied":
            self._forget_what_may_differ()
        self._earlier[signature] = made

    @property
    def circle(self) -> tuple[str, EarlierCall] | None:
        """The tool and the call that was answered from the record too often; None if there is none."""
        circles = ((name, e) for (name, _), e in self._earlier.items() if e.answers >= MAX_ANSWERS)
        return next(circles, None)

    def _forget_what_may_differ(self) -> None:
        """Let calls run again behind one that may have changed what they would find.

        Those of the same reply were asked for without a look at each other's results: they do not run a second time
        unless the model has seen the first.
        """
        kept = {s: e for s, e in self._earlier.items() if e.round == self._round and e.changes}
        for earlier in kept.values():
            earlier.same = 1
        self._earlier = kept
