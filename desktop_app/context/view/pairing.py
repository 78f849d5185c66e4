"""Move results to their calls: the order in which a view sends them, independent of the recorded order.

A result may be recorded after a user's message, late, before its call, or twice. Providers require it right after its
call, and ids repeat in real traces: a result belongs to the call with its id that it directly follows; otherwise to the
nearest waiting call before it, then to the nearest one after it, then to a call that already has a result.
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
"""Maximum characters of a line that replaces a missing result."""
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
    """Ids of results that are elsewhere in the record."""
    again: frozenset[str] = frozenset()
    """Ids of second results of a call, which directly follow its first one."""
    stray_ids: frozenset[str] = frozenset()
    """The call ids of results whose call is not among the messages."""


class _PairedCall(msgspec.Struct, gc=False):
    """A call during pairing."""

    call_id: str
    reply: int
    """The index of the first message of its reply."""
    message: int
    results: list[int] = []
    """Indices of its results' messages."""


def arrange_results(messages: Sequence[Message]) -> PairedMessages:
    """Return the messages with each result after its call; the same sequence if they are already in order."""
    if not _has_stray(messages):
        return PairedMessages(messages)
    first = _Pairing(messages)
    pairing = _Pairing(messages, first.elsewhere) if first.may_split_replies else first
    return pairing.arrangement()


def is_placeholder(text: str) -> bool:
    """Return whether a result only says that there is none, as programs do for an interrupted call."""
    text = text.strip()
    if not text:
        return True
    if len(text) > MAX_PLACEHOLDER or "\n" in text:
        return False
    pattern = _SAYS_NONE_IN_BRACKETS if _BRACKETED.fullmatch(text) else _SAYS_NONE
    return pattern.search(text) is not None


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

    away: indices of results that are sent elsewhere, so that they split no reply.
    """

    def __init__(self, messages: Sequence[Message], away: AbstractSet[int] = frozenset()) -> None:
        self._messages = messages
        self._away = away
        # By message, the index of the first message of the reply that it belongs to or directly follows, or -1.
        self._replies: list[int] = []
        # By the index of a reply: the index of its last message, and its calls.
        self._ends: dict[int, int] = {}
        self._own_calls: dict[int, list[_PairedCall]] = {}
        self._after_replies: set[int] = set()  # indices of strays right after a reply, or within one
        strays = self._pair_neighbours()
        # The calls with the ids of stray results.
        self._calls: dict[str, list[_PairedCall]] = {_call_id_of(messages[index]): [] for index in strays}
        for call in chain.from_iterable(self._own_calls.values()):
            if call.call_id in self._calls:
                self._calls[call.call_id].append(call)
        self._waiting = {call_id: [*filter(self._waits, calls)] for call_id, calls in self._calls.items()}
        self._lost = {index for index in strays if not self._pair_stray(index)}
        self.elsewhere = set(strays) - self._lost

    @property
    def may_split_replies(self) -> bool:
        """Whether a result that is sent elsewhere may split a reply."""
        return not self.elsewhere.isdisjoint(self._after_replies)

    def arrangement(self) -> PairedMessages:
        """Return the messages, with each paired result after the reply of its call."""
        messages, moved, again = self._messages, set[str](), set[str]()
        following: dict[int, list[int]] = {}
        paired: set[int] = set()
        for reply, calls in self._own_calls.items():
            if len(calls) == 1 and calls[0].results == [self._ends[reply] + 1]:
                continue  # already in place, as in nearly all replies
            # A reply is split after a message with a call whose result was recorded before it.
            ends = sorted({call.message for call in calls if min(call.results, default=call.message) < call.message})
            for call in sorted((call for call in calls if call.results), key=lambda call: min(call.results)):
                chosen, end = self._most_informative_first(call.results), bisect_left(ends, call.message)
                following.setdefault(ends[end] if end < len(ends) else self._ends[reply], []).extend(chosen)
                again.update(messages[index].id for index in chosen[1:])
                moved.update(messages[index].id for index in chosen if self._replies[index] != reply)
                paired.update(chosen)
        order: list[int] = []
        for index in range(len(messages)):
            if index not in paired:
                order.append(index)
            if index in following:
                order += following[index]
        return PairedMessages([messages[index] for index in order], frozenset(moved), frozenset(again), self.lost_ids)

    @property
    def lost_ids(self) -> frozenset[str]:
        """The call ids of results whose call is missing."""
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
                    self._after_replies.add(index)
            if role is not _SYSTEM and not (is_stray and index in self._away):
                before = role
        return strays

    def _waiting_in(self, reply: int, call_id: str) -> _PairedCall | None:
        """Return the reply's waiting call with the id; without an id, its first waiting call."""
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
        """Pair a result that does not follow its call; return whether there is a call for it."""
        call_id = _call_id_of(self._messages[index])
        if not call_id:
            return self._pair(index, self._newest_waiting(index))
        calls, waiting = self._calls.get(call_id, []), self._waiting.get(call_id, [])
        before = bisect_left(calls, index, key=_reply_of) - 1
        if before >= 0 and calls[before].reply == self._replies[index]:
            return self._pair(index, calls[before])  # right after another result of its call
        if waiting:
            nearest = max(bisect_left(waiting, index, key=_reply_of) - 1, 0)
            is_paired = self._pair(index, waiting[nearest])
            if not self._waits(waiting[nearest]):
                del waiting[nearest]
            return is_paired
        return self._pair(index, calls[before] if before >= 0 else None)

    def _newest_waiting(self, index: int) -> _PairedCall | None:
        """Return the first waiting call of the newest reply with calls before the message."""
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
        """Return whether the call has no results but placeholders."""
        return all(map(self._is_placeholder, call.results))

    def _is_placeholder(self, index: int) -> bool:
        return is_placeholder(self._messages[index].text)

    def _most_informative_first(self, results: Iterable[int]) -> list[int]:
        """Return the results, beginning with the first one that is not a placeholder, or otherwise the newest."""
        results = sorted(results)
        if len(results) == 1:
            return results
        real = [index for index in results if not self._is_placeholder(index)]
        first = real[0] if real else results[-1]
        return [first, *(index for index in results if index != first)]


def _reply_of(call: _PairedCall) -> int:
    return call.reply
