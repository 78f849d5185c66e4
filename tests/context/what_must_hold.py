"""What must hold of a request (design, section 6), found by means of its own: a line for each thing that does not.

A request is looked at in OpenAI's chat shape, as it goes out; the record as it was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.pairing import is_placeholder
from desktop_app.context.view.view import View, assemble
from desktop_app.conversation.message import Attachment, Message, Role, Text, ToolResult
from desktop_app.conversation.openai_chat import Json, chat_of

REPAIRS = ("[No result was recorded for this call.]", "whose call is not in this conversation")
"""How the view tells of pairs that were broken when they arrived."""


def have_none(faults: Iterable[str]) -> None:
    """Fails, and tells them all."""
    found = list(faults)
    assert not found, "\n".join(found[:40])


def chat_in(view: View) -> list[Json]:
    """The request of that view."""
    return chat_of(assemble(view))


def text_of(message: Json) -> str:
    """All text of a message that is sent."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n\n".join(part.get("text", "") for part in content)


def recorded_pairs(messages: Sequence[Message]) -> list[tuple[Message, Message]]:
    """Each call's message and its result's, by place and id: between two messages that are no results."""
    pairs, caller, waiting = [], Message(role=Role.USER), list[str]()
    for message in messages:
        result = message.tool_result
        if message.role is not Role.TOOL:
            caller, waiting = message, [call.call_id for call in message.tool_calls]
        elif result is not None and result.call_id in waiting:
            waiting.remove(result.call_id)
            pairs.append((caller, message))
    return pairs


def parted(view: View, messages: Sequence[Message]) -> Iterator[str]:
    """Property 1: of each pair both messages are in the view, or neither."""
    for call, result in recorded_pairs(messages):
        if (call.id in view.statuses) != (result.id in view.statuses):
            yield f"{call.id} and its result {result.id} are parted"


def misplaced(view: View, messages: Sequence[Message]) -> Iterator[str]:
    """Property 2: each message is in exactly one of the view and the archive; property 9: in the record's order, but
    for results that stand apart from their calls there."""
    shown = [item.message.id for item in view.items if item.kind is ItemKind.MESSAGE]
    present = [m for m in messages if m.id not in view.statuses]
    own = view.request_context.system_prompt  # in the place of what the record begins with
    systems = [m.id for m in present if m.role is Role.SYSTEM] if own is None else []
    systems += [f"{view.request_context.id}/prompt"] if own else []
    wanted = systems + [m.id for m in present if m.role is not Role.SYSTEM]
    results = {m.id for m in present if m.role is Role.TOOL}
    same_order = [i for i in shown if i not in results] == [i for i in wanted if i not in results]
    if sorted(shown) != sorted(wanted) or not same_order:
        yield f"in the view: {shown}; not archived: {[m.id for m in present]}"


def unsent(view: View, chat: Sequence[Json], messages: Sequence[Message]) -> Iterator[str]:
    """Property 2: what is in the view and was not pruned is sent word for word."""
    sent = "\n".join(text_of(message) for message in chat)
    pruned = {item.message.id for item in view.items if item.pruned_by}
    for message in messages:
        if message.id in view.statuses or message.id in pruned:
            continue
        for part in message.parts:
            text = part.text if isinstance(part, Text | ToolResult) else ""
            text = part.content if isinstance(part, Attachment) and not part.is_image else text
            if text.strip() and text.strip() not in sent and not is_placeholder(text):
                yield f"{message.role.value} message {message.id} is in the view, but not sent: {text[:60]!r}"


def counted_wrong(total: int, chat: Sequence[Json], counts: TokenCounts) -> Iterator[str]:
    """Property 6: the tokens are those of the request."""
    sent, doubt = tokens_of(chat, counts)
    if abs(total - sent) > doubt:
        yield f"{total} tokens were counted, {sent} would be sent"


def tokens_of(chat: Sequence[Json], counts: TokenCounts) -> tuple[int, int]:
    """OpenAI's published counting rule, applied to what is sent, and how far joined texts may be off.

    Where two texts meet, a token may become one of both: two tokens for each blank line, the frames' own included.
    """
    around, count = counts.tokenizer.overhead, counts.tokenizer.count
    total, doubt = around.priming, 0
    for message in chat:
        total += around.around(Role(message["role"]))
        content = message.get("content") or ""
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        total += sum(count(part["text"]) if part["type"] == "text" else 1_200 for part in parts)
        total += count(message["name"]) if message.get("name") and message["role"] != "tool" else 0
        for call in message.get("tool_calls") or []:
            total += count(call["function"]["name"]) + count(call["function"]["arguments"])
        doubt += 2 * text_of(message).count("\n\n") + 2 * (len(parts) - 1)
    return total, doubt


def grown_otherwise(before: Sequence[Json], after: Sequence[Json]) -> Iterator[str]:
    """Property 8: what was sent before is a prefix of what is sent now; only the last message may have grown."""
    if not before:
        return
    if list(after[: len(before) - 1]) != list(before[:-1]):
        yield "the prefix has changed"
    else:
        old, new = before[-1], after[len(before) - 1]
        if new["role"] != old["role"] or not text_of(new).startswith(text_of(old)):
            yield f"the last message was not extended but changed: {old} became {new}"


def repaired(chat: Sequence[Json]) -> int:
    """How many broken pairs the request tells of."""
    texts = [text_of(message) for message in chat if message["role"] in ("tool", "user")]
    return sum(text.count(repair) for text in texts for repair in REPAIRS)
