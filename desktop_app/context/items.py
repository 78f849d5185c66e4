"""The items of a view: messages as the model sees them, in a sequence that every provider accepts.

Providers refuse what their rules forbid, so the strictest of each (Anthropic's and Mistral's) holds for all:

- system messages first, as one; then a user's message; user and assistant take turns: neighbours of one role are joined
- each call is answered right behind it, and no result comes without its call; call ids never repeat
- nothing is empty; a user never speaks directly behind a tool

What breaks a rule is repaired here, in the view; the record keeps what arrived.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.chain import Seen
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult

NO_RESULT = "[No result was recorded for this call.]"
EMPTY = "[empty message]"
EMPTY_RESULT = "[no output]"
STOPPED = "[The reply was stopped here.]"
UNDERSTOOD = "Understood. I go on from this summary."
BEGINNING = "[The conversation begins with the assistant.]"
CALL_ID_MOST = 40
"""Characters of a call id: OpenAI refuses longer ones."""


class Kind(StrEnum):
    """What an item is: a message of the record, the summary, or something that stands in no record."""

    MESSAGE = "message"
    SUMMARY = "summary"
    MADE_UP = "made_up"


class Repair(StrEnum):
    """What was wrong with a history, where the view differs from the record."""

    MISSING_RESULT = "missing result"
    ORPHAN_RESULT = "result without a call"
    REPEATED_ID = "repeated call id"
    EMPTY = "empty message"
    SECOND_SYSTEM = "second system message"
    ASSISTANT_FIRST = "beginning without a user's message"


class Item(msgspec.Struct, frozen=True):
    """One message as the model sees it; it may differ from the record's.

    is_joined: it is sent as the continuation of the item before it. separators: blank lines that joining adds.
    """

    message: Message
    kind: Kind = Kind.MESSAGE
    is_pinned: bool = False
    pruned_by: str = ""
    is_joined: bool = False
    separators: int = 0
    repair: Repair | None = None


def is_of_user(item: Item) -> bool:
    """Whether the user said that; a result without a call is only told as if."""
    is_recorded = item.kind is Kind.MESSAGE and item.repair is not Repair.ORPHAN_RESULT
    return is_recorded and item.message.role is Role.USER


class OpenCall(msgspec.Struct, frozen=True):
    """A call that has no result yet, as it is sent, and the id that its result will name."""

    call: ToolCall
    recorded_id: str


class LegalSequence:
    """Adds items behind others so that all rules hold. It lives only while a view is folded."""

    def __init__(
        self,
        last: Item | None = None,
        has_text: bool = False,
        open_calls: tuple[OpenCall, ...] = (),
        call_ids: Seen | None = None,
    ) -> None:
        self.items: list[Item] = []
        self.open_calls = open_calls
        self.call_ids = call_ids or Seen()
        self._last = last
        self._has_text = has_text

    def add(self, item: Item) -> None:
        """Adds that item, and before it what the rules ask for."""
        message = item.message
        if message.role is Role.TOOL:
            self._add_result(item)
            return
        last = self._last
        is_same_reply = message.role is Role.ASSISTANT and last is not None and last.message.role is Role.ASSISTANT
        if self.open_calls and not is_same_reply:
            self._close(message.id)
        self._make_way_for(message)
        item = _filled(item)
        if message.role is Role.ASSISTANT and message.tool_calls:
            item = self._with_own_ids(item)
        self._push(item)

    def _make_way_for(self, message: Message) -> None:
        """What has to stand between the last item and a message of that role."""
        last = self._last
        if message.role is Role.USER and last is not None:
            if last.kind is Kind.SUMMARY:
                self._push(_made_up(message, Role.ASSISTANT, UNDERSTOOD))
            elif last.message.role is Role.TOOL:
                self._push(_made_up(message, Role.ASSISTANT, STOPPED))
        elif message.role is Role.ASSISTANT and (last is None or last.message.role is Role.SYSTEM):
            self._push(_made_up(message, Role.USER, BEGINNING, Repair.ASSISTANT_FIRST))

    def _add_result(self, item: Item) -> None:
        result = item.message.tool_result or ToolResult("", "tool", item.message.text)
        paired = next((c for c in self.open_calls if c.recorded_id == result.call_id or not result.call_id), None)
        if paired is None:
            self._add_orphan(item, result)
            return
        position = self.open_calls.index(paired)
        self.open_calls = self.open_calls[:position] + self.open_calls[position + 1 :]
        text = result.text if result.text and not result.text.isspace() else EMPTY_RESULT
        if (text, paired.call.call_id) != (result.text, result.call_id) or len(item.message.parts) != 1:
            sent = replace(result, call_id=paired.call.call_id, text=text)
            item = replace(item, message=replace(item.message, parts=(sent,)))
        self._push(item)

    def _add_orphan(self, item: Item, result: ToolResult) -> None:
        """A result without a call is told behind the result before it, or else as a user's note."""
        self._close(item.message.id)
        told = f"[Result of {result.name}, whose call is not in this conversation]\n{result.text}"
        last = self._last
        if last is not None and last.message.role is Role.TOOL:
            note = replace(item.message, parts=(replace(result, text=told),))
            self._push(replace(item, message=note, repair=Repair.ORPHAN_RESULT))
        else:
            note = replace(item.message, role=Role.USER, parts=(Text(told),))
            self.add(replace(item, message=note, repair=Repair.ORPHAN_RESULT))

    def _close(self, before: str) -> None:
        """Gives each open call a result that says that there is none."""
        for call in self.open_calls:
            self._push(missing_result(call.call, before))
        self.open_calls = ()

    def _with_own_ids(self, item: Item) -> Item:
        """The item with its calls opened; a call id that was used before gets a number behind it."""
        parts = list(item.message.parts)
        is_changed = False
        for place, part in enumerate(parts):
            if isinstance(part, ToolCall):
                sent_id = self._unused(part.call_id)
                if sent_id != part.call_id:
                    parts[place], is_changed = replace(part, call_id=sent_id), True
                self.call_ids = self.call_ids.add(sent_id)
                self.open_calls = (*self.open_calls, OpenCall(replace(part, call_id=sent_id), part.call_id))
        if not is_changed:
            return item
        return replace(item, message=replace(item.message, parts=tuple(parts)), repair=Repair.REPEATED_ID)

    def _unused(self, call_id: str) -> str:
        kept = call_id[:CALL_ID_MOST] or "call"
        number = 2
        unused = kept
        while unused in self.call_ids:
            ending = f"_{number}"
            unused, number = kept[: CALL_ID_MOST - len(ending)] + ending, number + 1
        return unused

    def _push(self, item: Item) -> None:
        last = self._last
        is_orphan = item.message.role is Role.TOOL and item.repair is Repair.ORPHAN_RESULT
        is_neighbour = last is not None and last.message.role is item.message.role is not Role.TOOL
        is_joined = last is not None and (is_orphan or is_neighbour)
        if last is not None and is_joined:
            if item.message.role is Role.SYSTEM:
                item = replace(item, repair=item.repair or Repair.SECOND_SYSTEM)
            if item.message.speaker and item.message.speaker != last.message.speaker:
                item = replace(item, message=_named(item.message))
        has_text = has_written(item.message)
        if is_joined:
            item = replace(item, is_joined=True, separators=int(has_text and self._has_text))
            has_text = has_text or self._has_text
        self._has_text = has_text
        self._last = item
        self.items.append(item)


def has_written(message: Message) -> bool:
    """Whether a message has parts that are sent as text."""
    return any(
        isinstance(part, Text | ToolResult) or (isinstance(part, Attachment) and not part.is_image)
        for part in message.parts
    )


def missing_result(call: ToolCall, before: str) -> Item:
    """A result that says that there is none. Its id depends on its place alone, so that the prefix stays the same."""
    result = ToolResult(call.call_id, call.name, NO_RESULT, is_error=True)
    message = Message(id=f"{before}/{call.call_id}", role=Role.TOOL, parts=(result,))
    return Item(message, Kind.MADE_UP, repair=Repair.MISSING_RESULT)


def _made_up(before: Message, role: Role, text: str, repair: Repair | None = None) -> Item:
    message = Message(id=f"{before.id}/{role.value}", role=role, parts=(Text(text),))
    return Item(message, Kind.MADE_UP, repair=repair)


def _filled(item: Item) -> Item:
    """The item without blank texts; a message of which nothing is left says that it was empty."""
    parts = item.message.parts
    if parts and not any(_is_blank(part) or isinstance(part, Reasoning) for part in parts):
        return item
    kept = tuple(part for part in parts if not _is_blank(part))
    if any(not isinstance(part, Reasoning) for part in kept):
        return item if len(kept) == len(parts) else replace(item, message=replace(item.message, parts=kept))
    return replace(item, message=replace(item.message, parts=(*kept, Text(EMPTY))), repair=Repair.EMPTY)


def _is_blank(part: object) -> bool:
    return isinstance(part, Text) and (not part.text or part.text.isspace())


def _named(message: Message) -> Message:
    """The message with its speaker's name in its text: what it is joined to has another one."""
    return replace(message, parts=(Text(f"{message.speaker}:"), *message.parts))


def joined(messages: list[Message]) -> Message:
    """Several messages of one role as the one that is sent."""
    first, *others = messages
    return replace(first, parts=tuple(part for message in messages for part in message.parts)) if others else first
