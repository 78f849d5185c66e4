"""Change the order and the roles of a request's messages for templates that cannot take them as they are.

Each function returns messages that it would not change again, so that a request may be reshaped twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from msgspec.structs import replace

from desktop_app.conversation import quirks
from desktop_app.conversation.listing import Dialect
from desktop_app.conversation.message import Message, Part, Role, Text, ToolCall, with_parts

CALL_LINE = "[Called the tool {name} with {arguments}]"
RESULT_LINES = "[Result of the tool {name}]\n{text}\n[End of the result]"
EARLIER_LINE = "[Before this call you said: {text}]\n\n{result}"
SEEN = "I go on."


def reshape(messages: Sequence[Message], dialect: Dialect) -> list[Message]:
    """Return the messages, whose parts are in the dialect already, in an order that the model's template accepts."""
    known = dialect.quirks
    shaped = list(messages)
    if dialect.writes_calls_as_text:
        shaped = [_as_users(message) for message in shaped]
    else:
        if quirks.TEXT_WITH_RESULT in known:
            shaped = move_text_to_results(shaped)
        if quirks.ONE_CALL in known:
            shaped = split_calls(shaped)
        if quirks.NO_USER_AFTER_TOOL in known:
            shaped = separate_users_from_results(shaped)
    if quirks.NO_SYSTEM in known:
        shaped = [replace(m, role=Role.USER) if m.role is Role.SYSTEM else m for m in shaped]
    if dialect.writes_calls_as_text or quirks.NO_SYSTEM in known:
        shaped = join_neighbours(shaped)
    return shaped


def _as_users(message: Message) -> Message:
    return replace(message, role=Role.USER) if message.role is Role.TOOL else message


def join_neighbours(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with successive ones of one role joined."""
    joined: list[Message] = []
    for _, group in groupby(messages, key=lambda message: message.role):
        first, *others = group
        joined.append(with_parts(first, [part for message in (first, *others) for part in message.parts]))
    return joined


def split_calls(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with a reply for each call, which its result follows.

    The first of these replies has the text and the reasoning.
    """
    split: list[Message] = []
    for is_result, group in groupby(messages, key=lambda message: message.role is Role.TOOL):
        if not is_result or not split or len(calls := split[-1].tool_calls) < 2:
            split += group
            continue
        reply, results = split.pop(), list(group)
        first: list[Part] = [part for part in reply.parts if not isinstance(part, ToolCall)]
        for call in calls:
            own = [result for result in results if _answers(result, call)]
            split += [with_parts(reply, [*first, call]), *own]
            first = []
        split += (result for result in results if not any(_answers(result, call) for call in calls))
    return split


def _answers(message: Message, call: ToolCall) -> bool:
    return message.tool_result is not None and message.tool_result.call_id == call.call_id


def move_text_to_results(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with the text of each reply that has calls before the result of its first call."""
    moved: list[Message] = []
    before = ""
    for message in messages:
        result = message.tool_result
        if message.tool_calls and message.text.strip():
            before = message.text
            moved.append(with_parts(message, [part for part in message.parts if not isinstance(part, Text)]))
        elif result is not None and before:
            text = EARLIER_LINE.format(text=before, result=result.text)
            parts = [replace(result, text=text) if part is result else part for part in message.parts]
            moved.append(with_parts(message, parts))
            before = ""
        else:
            before = ""
            moved.append(message)
    return moved


def separate_users_from_results(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with a short reply between a result and a message of the user's, such as its images."""
    separated: list[Message] = []
    for message in messages:
        last = separated[-1] if separated else None
        if last is not None and (last.role, message.role) == (Role.TOOL, Role.USER):
            separated.append(Message(id=last.id, at=last.at, role=Role.ASSISTANT, parts=(Text(SEEN),)))
        separated.append(message)
    return separated
