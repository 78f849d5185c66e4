"""Adapt a request to one model, as the last step of assembling. The result is counted and sent.

The messages are already valid for every provider; the changes here would be wrong, or wasted, for other models.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from desktop_app.conversation import quirks
from desktop_app.conversation.listing import Dialect, ReturnedReasoning
from desktop_app.conversation.message import (
    Attachment,
    Message,
    Part,
    ProviderSummary,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    with_parts,
)
from desktop_app.conversation.model_servers import break_control_tokens
from desktop_app.conversation.tools import ToolSpec

from .reshaping import CALL_LINE, RESULT_LINES, reshape
from .unsent_pictures import DAMAGED_LINE, LEFT_OUT_LINE, is_sound, key_of, with_own_type

BLANK = " "
"""Replaces reasoning that is no longer needed, if the field must not be missing."""
UNKNOWN_REASONING = "(The thoughts before this call are not known.)"
"""Replaces reasoning that the model wants back and that was not recorded. DeepSeek refuses a blank."""
NOT_AVAILABLE = "Not available now."
"""The description of a tool that is only declared."""
IMAGE_LINE = "(an image, which this model cannot see)"
ELSEWHERE_LINE = "(an image that is not here: only its address is known, and it is not loaded)"


def to_dialect(
    messages: Sequence[Message], tools: tuple[ToolSpec, ...], dialect: Dialect
) -> tuple[list[Message], tuple[ToolSpec, ...]]:
    """Return the messages and the tools in the form for the model.

    Reasoning is left in a message only if its text is returned in a separate field; reasoning in the metadata of a call
    stays with the call.
    """
    tools = sent_tools(messages, tools, dialect)
    returned = reasoning_to_return(messages, dialect)
    sent = [_sent(message, text, dialect) for message, text in zip(messages, returned, strict=True)]
    joined = join_duplicate_calls(sent) if dialect.joins_duplicate_calls else sent
    return reshape([*images_after_results(joined)], dialect), tools


def sent_tools(messages: Iterable[Message], tools: tuple[ToolSpec, ...], dialect: Dialect) -> tuple[ToolSpec, ...]:
    """Return the tools that are sent with the messages: the available ones, or declarations of called ones."""
    if not dialect.supports_tools:
        return ()
    if tools or not dialect.declares_called_tools:
        tools = tuple(_with_short_description(tool, dialect.max_description) for tool in tools)
        return tuple(map(without_control_tokens, tools)) if dialect.breaks_control_tokens else tools
    names = dict.fromkeys(call.name for message in messages for call in message.tool_calls)
    return tuple(ToolSpec(name, NOT_AVAILABLE) for name in names)


def _with_short_description(tool: ToolSpec, most: int) -> ToolSpec:
    if not 0 < most < len(tool.description):
        return tool
    return replace(tool, description=tool.description[: most - 1].rstrip() + "…")


def without_control_tokens(tool: ToolSpec) -> ToolSpec:
    """Return a tool without control tokens of chat templates in its description, which a foreign server may write."""
    return replace(
        tool,
        description=break_control_tokens(tool.description),
        parameters=break_control_tokens(tool.parameters),
    )


def _sent(message: Message, reasoning: str, dialect: Dialect) -> Message:
    parts = [sent_part(part, dialect) for part in message.parts if not isinstance(part, Reasoning)]
    return with_parts(message, [Reasoning(reasoning), *parts] if reasoning else parts)


def sent_part(part: Part, dialect: Dialect) -> Part:
    """Return the part without content that the model cannot see or did not write, and without control tokens."""
    if dialect.breaks_control_tokens:
        part = part_without_control_tokens(part)
    if isinstance(part, ProviderSummary):
        return behind_own(part) if returns_summary(part, dialect) else Text(part.text)
    if isinstance(part, Attachment) and part.is_elsewhere:  # litellm, or the provider, would fetch what it names
        return Attachment(part.name, "text/plain", ELSEWHERE_LINE)
    if isinstance(part, Attachment) and part.is_image:
        return _sent_picture(part, dialect)
    if dialect.writes_calls_as_text and isinstance(part, ToolCall):
        return Text(CALL_LINE.format(name=part.name, arguments=part.arguments))
    if dialect.writes_calls_as_text and isinstance(part, ToolResult):
        return Text(RESULT_LINES.format(name=part.name, text=part.text))
    if isinstance(part, ToolCall) and part.provider_metadata and not returns_metadata(part, dialect):
        return replace(part, provider_metadata="")
    return part


BEHIND_SUMMARY = "[The summary above has replaced the earlier messages, which are archived.]"
LACKING = "It lacks these lines:"
RECORD = "This is a record of them:"


def returns_summary(part: ProviderSummary, dialect: Dialect) -> bool:
    """Return whether the model gets the summary in the form in which its provider wrote it."""
    return part.writer == dialect.record_name and quirks.TEXT_SUMMARIES not in dialect.quirks


def behind_own(part: ProviderSummary) -> ProviderSummary:
    """Return the part with the text that is sent behind the provider's own summary."""
    added = f"{LACKING if part.readable else RECORD}\n\n{part.addition}" if part.addition else ""
    return replace(part, text=f"{BEHIND_SUMMARY} {added}".rstrip())


def _sent_picture(picture: Attachment, dialect: Dialect) -> Attachment:
    if not dialect.supports_vision:
        return Attachment(picture.name, "text/plain", IMAGE_LINE)
    if not is_sound(picture):
        return Attachment(picture.name, "text/plain", DAMAGED_LINE)
    if key_of(picture) in dialect.left_out:
        return Attachment(picture.name, "text/plain", LEFT_OUT_LINE)
    return with_own_type(picture)


def part_without_control_tokens(part: Part) -> Part:
    """Return the part with the control tokens of chat templates in it as plain text; itself if it has none."""
    match part:
        case Text(text) | Reasoning(text):
            broken = break_control_tokens(text)
            return part if broken == text else replace(part, text=broken)
        case ToolResult():
            broken = break_control_tokens(part.text)
            return part if broken == part.text else replace(part, text=broken)
        case ToolCall():
            broken = break_control_tokens(part.arguments)
            return part if broken == part.arguments else replace(part, arguments=broken)
        case Attachment():
            name = break_control_tokens(part.name)
            content = part.content if part.is_image else break_control_tokens(part.content)
            return part if (name, content) == (part.name, part.content) else replace(part, name=name, content=content)


class _Metadata(msgspec.Struct):
    writer: str = ""


def returns_metadata(call: ToolCall, dialect: Dialect) -> bool:
    """Return whether the call's metadata is returned to the model."""
    if not call.provider_metadata or not dialect.returns_metadata:
        return False
    try:
        return msgspec.json.decode(call.provider_metadata, type=_Metadata).writer == dialect.record_name
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False


def reasoning_of(message: Message) -> str:
    """Return the reasoning of the message; "" if it is not known."""
    return "".join(part.text for part in message.parts if isinstance(part, Reasoning))


def reasoning_to_return(messages: Sequence[Message], dialect: Dialect) -> list[str]:
    """Return for each message of a request the reasoning that is returned with it; "" for none.

    Most providers do not want it. Kimi and DeepSeek want the reasoning of the running turn if it led to calls; from
    its version 4, DeepSeek wants the reasoning before all calls. MiniMax wants its replies back as it wrote them.
    """
    running = max((index for index, message in enumerate(messages) if message.role is Role.USER), default=-1)
    kind, breaks = dialect.returned_reasoning, dialect.breaks_control_tokens
    returned = (_returned(message, index > running, kind) for index, message in enumerate(messages))
    return [break_control_tokens(text) if breaks else text for text in returned]


def _returned(message: Message, is_running: bool, kind: ReturnedReasoning) -> str:
    if kind == "tagged" or (kind == "every" and message.role is Role.ASSISTANT and not message.tool_calls):
        return reasoning_of(message).strip() and reasoning_of(message)
    if not message.tool_calls or not kind:
        return ""
    if kind in ("all", "every"):
        return reasoning_of(message) if reasoning_of(message).strip() else UNKNOWN_REASONING
    reasoning = reasoning_of(message) if is_running else ""
    return reasoning or (BLANK if kind == "always" else "")


OF_RESULTS = "[Images of the results above: {names}. They come from tools, not from the user.]"


def images_after_results(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield the messages, with the images of results in a message of the user's after all results of a reply.

    Only some providers accept images in results, and all of them do in this form.
    """
    images = list[Attachment]()
    for message in messages:
        if message.role is not Role.TOOL and images:
            yield _message_of(images)
            images = []
        if message.role is Role.TOOL and message.tool_result is not None and len(message.parts) > 1:
            images += [part for part in message.parts if isinstance(part, Attachment) and part.is_image]
            message = with_parts(message, (_with_unseen(message.tool_result, message.parts),))
        yield message
    if images:
        yield _message_of(images)


def _with_unseen(result: ToolResult, parts: Sequence[Part]) -> ToolResult:
    """Return the result with those that were joined to it, and with a line for each image that the model cannot see."""
    joined = [part.text for part in parts if isinstance(part, ToolResult)]
    lines = [part.as_text for part in parts if isinstance(part, Attachment) and not part.is_image]
    return replace(result, text="\n\n".join((*joined, *lines)))


def images_of_result(message: Message) -> Message:
    """Return the message in which the images of a result are sent, as if it were the only one."""
    return _message_of([part for part in message.parts if isinstance(part, Attachment) and part.is_image])


def _message_of(images: Sequence[Attachment]) -> Message:
    names = ", ".join(" ".join(image.name.split()) for image in images)
    return Message(role=Role.USER, parts=(Text(OF_RESULTS.format(names=names)), *images))


def join_duplicate_calls(messages: Iterable[Message]) -> list[Message]:
    """Keep one of several calls with the same name and arguments in a message, and join their results.

    litellm drops the duplicates for Gemini but keeps their results, and Gemini refuses more results than calls.
    """
    joined: list[Message] = []
    kept_for, indexes = dict[str, str](), dict[str, int]()
    for message in messages:
        result = message.tool_result
        if message.tool_calls:
            kept_for, indexes = _kept_calls(message.tool_calls), {}
            parts = [p for p in message.parts if not isinstance(p, ToolCall) or p.call_id not in kept_for]
            joined.append(with_parts(message, parts))
        elif result is not None and kept_for:
            call_id = kept_for.get(result.call_id, result.call_id)
            index = indexes.setdefault(call_id, len(joined))
            before = [previous.text for previous in joined[index : index + 1]]
            merged = replace(result, call_id=call_id, text="\n\n".join([*before, result.text]))
            earlier = (part for previous in joined[index : index + 1] for part in previous.parts)
            images = [part for part in (*earlier, *message.parts) if isinstance(part, Attachment)]
            joined[index : index + 1] = [replace(message, parts=(merged, *images))]
        else:
            joined.append(message)
    return joined


def _kept_calls(calls: tuple[ToolCall, ...]) -> dict[str, str]:
    """Return for the id of each duplicate the id of the call that is kept."""
    first: dict[str, ToolCall] = {}
    kept_for: dict[str, str] = {}
    for call in calls if len(calls) > 1 else ():
        key = json.dumps([call.name, json.loads(call.arguments or "{}")], sort_keys=True)
        if first.setdefault(key, call) is not call:
            kept_for[call.call_id] = first[key].call_id
    return kept_for
