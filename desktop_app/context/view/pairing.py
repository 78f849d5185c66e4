"""Results come to their calls: the order in which a view sends them, whatever the order in which they were recorded.

A result may be recorded behind a message of the user's, late, before its call, or twice. Providers want it right behind
its call, and ids repeat in real traces: a result belongs to the call of its id that it directly follows; else to the
nearest call before it that waits for one, then to the nearest behind it, then to one that has a result already.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

import msgspec

from desktop_app.conversation.message import Message, Role, ToolCall

_USER, _ASSISTANT, _TOOL, _SYSTEM = Role.USER, Role.ASSISTANT, Role.TOOL, Role.SYSTEM  # looked up once
MAX_PLACEHOLDER = 200
"""Characters of a line that stands for a result which did not come."""
_BRACKETED = re.compile(r"[\[(<].*[\])>]", re.DOTALL)
_WORDS = r"interrupted|aborted|cancel+ed|pending|no (?:result|output|response)|not (?:yet )?(?:available|recorded)"
_SAYS_NONE = re.compile(rf"\b(?:{_WORDS})\b", re.IGNORECASE)
_SAYS_NONE_IN_BRACKETS = re.compile(
    rf"\b(?:{_WORDS}|interrupt|abort|stopped|ended|missing|unavailable|running|in progress|timed out|waiting|lost)\b",
    re.IGNORECASE,
)


class PairedMessages(msgspec.Struct, frozen=True):
    """Messages in the order in which they are sent."""

    messages: Sequence[Message]
    moved: frozenset[str] = frozenset()
    """Ids of results that stand elsewhere in the record."""
    again: frozenset[str] = frozenset()
    """Ids of results whose call has one already, right before them."""
    stray_ids: frozenset[str] = frozenset()
    """The call ids of results whose call is not among the messages."""


class _PairedCall(msgspec.Struct, gc=False):
    """A call while results are paired."""

    call_id: str
    reply: int
    """The index of the first message of its reply."""
    message: int
    results: list[int] = []
    """Indices of messages."""


def arrange_results(messages: Sequence[Message]) -> PairedMessages:
    """Return the messages with each result behind its call. The same sequence, if that is so already."""
    if not _has_stray(messages):
        return PairedMessages(messages)
    first = _Pairing(messages)
    pairing = _Pairing(messages, first.elsewhere) if first.may_part_replies else first
    return pairing.arrangement()


def is_placeholder(text: str) -> bool:
    """Return whether a result only says that there is none, as programs write where a call was interrupted."""
    text = text.strip()
    if not text:
        return True
    if len(text) > MAX_PLACEHOLDER or "\n" in text:
        return False
    said = _SAYS_NONE_IN_BRACKETS if _BRACKETED.fullmatch(text) else _SAYS_NONE
    return said.search(text) is not None


def _has_stray(messages: Iterable[Message]) -> bool:
    """Return whether a result answers no call of the reply that it directly follows."""
    waiting: list[str] = []
    before = _USER
    for message in messages:
        role = message.role
        if role is _ASSISTANT:
            if before is not _ASSISTANT:
                waiting = []
            for part in message.parts:
                if isinstance(part, ToolCall):
                    waiting.append(part.call_id)
        elif role is _TOOL:
            call_id = _call_id_of(message)
            if call_id not in waiting and (call_id or not waiting):
                return True
            waiting.remove(call_id if call_id in waiting else waiting[0])
        elif role is _USER:
            waiting = []
        if role is not _SYSTEM:
            before = role
    return False


def _call_id_of(message: Message) -> str:
    result = message.tool_result
    return result.call_id if result else ""


class _Pairing:
    """Pairs the results of some messages with their calls.

    away: indices of results that are sent elsewhere, so that they part no reply.
    """

    def __init__(self, messages: Sequence[Message], away: AbstractSet[int] = frozenset()) -> None:
        self._messages = messages
        self._away = away
        # Of each message, the index of the first one of the reply that it belongs to or directly follows; else -1.
        self._replies: list[int] = []
        # By the index of a reply, that of its last message, and its calls.
        self._ends: dict[int, int] = {}
        self._own_calls: dict[int, list[_PairedCall]] = {}
        self._behind_replies: set[int] = set()  # indices of strays that stand right behind a reply, or within one
        strays = self._pair_neighbours()
        # The calls of the ids that results ask for which follow no call of theirs.
        self._calls: dict[str, list[_PairedCall]] = {_call_id_of(messages[index]): [] for index in strays}
        for call in chain.from_iterable(self._own_calls.values()):
            if call.call_id in self._calls:
                self._calls[call.call_id].append(call)
        self._waiting = {call_id: [*filter(self._waits, calls)] for call_id, calls in self._calls.items()}
        self._lost = {index for index in strays if not self._pair_stray(index)}
        self.elsewhere = set(strays) - self._lost

    @property
    def may_part_replies(self) -> bool:
        """Whether a reply may be parted by a result that is sent elsewhere."""
        return not self.elsewhere.isdisjoint(self._behind_replies)

    def arrangement(self) -> PairedMessages:
        """Return the messages, each result that was paired behind the reply of its call."""
        messages, moved, again = self._messages, set[str](), set[str]()
        behind: dict[int, list[int]] = {}
        paired: set[int] = set()
        for reply, calls in self._own_calls.items():
            if len(calls) == 1 and calls[0].results == [self._ends[reply] + 1]:
                continue  # it is there already, as nearly everywhere
            # A reply is sent up to the message for whose call a result is there already, and then goes on.
            ends = sorted({call.message for call in calls if min(call.results, default=call.message) < call.message})
            for call in sorted((call for call in calls if call.results), key=lambda call: min(call.results)):
                chosen, end = self._first_that_says_more(call.results), bisect_left(ends, call.message)
                behind.setdefault(ends[end] if end < len(ends) else self._ends[reply], []).extend(chosen)
                again.update(messages[index].id for index in chosen[1:])
                moved.update(messages[index].id for index in chosen if self._replies[index] != reply)
                paired.update(chosen)
        order: list[int] = []
        for index in range(len(messages)):
            if index not in paired:
                order.append(index)
            if index in behind:
                order += behind[index]
        return PairedMessages([messages[index] for index in order], frozenset(moved), frozenset(again), self.lost_ids)

    @property
    def lost_ids(self) -> frozenset[str]:
        """The call ids of results whose call is not there."""
        return frozenset(_call_id_of(self._messages[index]) for index in self._lost)

    def _pair_neighbours(self) -> list[int]:
        """Pair each result with a call of the reply that it directly follows; return the others."""
        strays: list[int] = []
        reply, before = -1, _USER
        for index, message in enumerate(self._messages):
            role = message.role
            if role is _ASSISTANT:
                reply = reply if before is _ASSISTANT else index
                self._note_reply(reply, index, message)
            elif role is _USER:
                reply = -1
            self._replies.append(reply)
            is_stray = role is _TOOL and not self._pair(index, self._waiting_in(reply, _call_id_of(message)))
            if is_stray:
                strays.append(index)
                if before is _ASSISTANT:
                    self._behind_replies.add(index)
            if role is not _SYSTEM and not (is_stray and index in self._away):
                before = role
        return strays

    def _waiting_in(self, reply: int, call_id: str) -> _PairedCall | None:
        """Return the call of that reply that a result of that id answers: without an id, the first that waits."""
        first = None
        for call in self._own_calls.get(reply, ()):
            if not call.results:
                if call.call_id == call_id:
                    return call
                first = first or call
        return None if call_id else first

    def _note_reply(self, reply: int, index: int, message: Message) -> None:
        self._ends[reply] = index
        calls = [_PairedCall(part.call_id, reply, index) for part in message.parts if isinstance(part, ToolCall)]
        if calls:
            self._own_calls.setdefault(reply, []).extend(calls)

    def _pair_stray(self, index: int) -> bool:
        """Pair a result that follows no call of its own; return whether there is one."""
        call_id = _call_id_of(self._messages[index])
        if not call_id:
            return self._pair(index, self._newest_waiting(index))
        calls, waiting = self._calls.get(call_id, []), self._waiting.get(call_id, [])
        before = bisect_left(calls, index, key=_reply_of) - 1
        if before >= 0 and calls[before].reply == self._replies[index]:
            return self._pair(index, calls[before])  # right behind another result of its call
        if waiting:
            nearest = max(bisect_left(waiting, index, key=_reply_of) - 1, 0)
            is_paired = self._pair(index, waiting[nearest])
            if not self._waits(waiting[nearest]):
                del waiting[nearest]
            return is_paired
        return self._pair(index, calls[before] if before >= 0 else None)

    def _newest_waiting(self, index: int) -> _PairedCall | None:
        """Return the first call without a result of the newest reply before that message that made any."""
        for reply in range(index - 1, -1, -1):
            if self._own_calls.get(reply):
                return self._waiting_in(reply, "")
        return None

    def _pair(self, index: int, call: _PairedCall | None) -> bool:
        if call is None:
            return False
        call.results.append(index)
        return True

    def _waits(self, call: _PairedCall) -> bool:
        """Return whether nothing came for that call but words that say so."""
        return all(map(self._is_placeholder, call.results))

    def _is_placeholder(self, index: int) -> bool:
        return is_placeholder(self._messages[index].text)

    def _first_that_says_more(self, results: Iterable[int]) -> list[int]:
        """Return the results, in front the first one that is no placeholder, or else the newest."""
        results = sorted(results)
        if len(results) == 1:
            return results
        real = [index for index in results if not self._is_placeholder(index)]
        first = real[0] if real else results[-1]
        return [first, *(index for index in results if index != first)]


def _reply_of(call: _PairedCall) -> int:
    return call.reply
