"""Sessions of pi: `~/.pi/agent/sessions/FOLDER/TIME_ID.jsonl`.

The first line describes the session; each other one has an id and the id of the line that it follows, so that a session
is a tree, and the last line is where it is open. Lines without ids, of older versions, follow each other. A compaction
names the first line that was kept. Based on version 1.5.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from desktop_app.conversation.foreign import ForeignCompaction
from desktop_app.conversation.message import (
    Attachment,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)
from desktop_app.conversation.words import translatable

from .agent_sessions import AgentSession, lines_of, usage_of
from .format import Fields, Format, Found, arguments_json
from .sources import Source
from .trees import attachment_at

PROGRAM = "pi"
SUMMARY_OF_BRANCH = "Summary of a branch that was left:"


def recognizes(source: Source) -> bool:
    """Return whether the first line describes a session."""
    keys = source.first_keys
    return {"type", "id", "timestamp", "cwd"} <= keys and b'"session"' in source.beginning.partition(b"\n")[0]


def read(source: Source) -> Iterator[Found]:
    """Yield the session."""
    session = AgentSession(PROGRAM, source)
    before = ""
    for number, line in lines_of(source, session.unread):
        record = line.text("id") or f"line {number}"
        if line.text("type") == "session":
            _describe(session, line)
        else:
            is_linked = "parentId" in line
            session.follow(record, line.text("parentId") if is_linked else before)
            _add(session, record, line)
            session.current = before = record
        session.keep(record, line)
    yield session.found()


def _describe(session: AgentSession, line: Fields) -> None:
    session.id = line.text("id")
    session.folder = line.text("cwd")
    session.created_at = line.time("timestamp")


def _add(session: AgentSession, record: str, line: Fields) -> None:
    kind, at = line.text("type"), line.time("timestamp")
    match kind:
        case "message":
            message = line.object("message")
            session.add(record, _messages(message, message.time("timestamp") or at))
            message.skip("timestamp")
        case "compaction":
            _compact(session, record, line, at)
        case "branch_summary" if summary := line.text("summary"):
            session.add(record, [Message(role=Role.USER, parts=(Text(f"{SUMMARY_OF_BRANCH}\n\n{summary}"),), at=at)])
        case "custom_message" if parts := _parts(line):
            session.add(record, [Message(role=Role.USER, parts=parts, at=at)])
        case "session_info":
            session.title = line.text("name") or session.title
            line.keep("name")
        case _:
            pass


def _compact(session: AgentSession, record: str, line: Fields, at: float) -> None:
    first, parent = line.text("firstKeptEntryId"), line.text("parentId")
    session.compact(
        record,
        ForeignCompaction(
            record,
            session.end,
            line.text("summary"),
            at,
            tokens_before=line.count("tokensBefore"),
            model=session.model,
            kept=session.messages_since(first, parent),
        ),
    )


def _messages(message: Fields, at: float) -> Iterator[Message]:
    """Yield a message; none for what the model does not receive as one, such as pi's own instructions."""
    match message.text("role"):
        case "user":
            if parts := _parts(message):
                yield Message(role=Role.USER, parts=parts, at=at)
        case "assistant":
            is_interrupted = message.text("stopReason") == "aborted"
            model, usage = message.text("model"), _usage(message.object("usage"))
            if parts := _parts(message):
                yield Message(
                    role=Role.ASSISTANT, parts=parts, at=at, model=model, usage=usage, is_interrupted=is_interrupted
                )
        case "toolResult":
            parts = _parts(message)
            text = "\n\n".join(part.text for part in parts if isinstance(part, Text))
            name = message.text("toolName") or "tool"
            result = ToolResult(message.text("toolCallId"), name, text, message.flag("isError"))
            pictures = (part for part in parts if isinstance(part, Attachment))
            yield Message(role=Role.TOOL, parts=(result, *pictures), at=at)
        case "bashExecution" if not message.flag("excludeFromContext"):
            command, output = message.text("command"), message.text("output")
            yield Message(role=Role.USER, parts=(Text(f"Ran `{command}`:\n\n```\n{output.rstrip()}\n```"),), at=at)
        case _:
            pass


def _parts(message: Fields) -> tuple[Part, ...]:
    if text := message.text("content"):
        return (Text(text),)
    return tuple(part for block in message.objects("content") if (part := _part(block)))


def _part(block: Fields) -> Part | None:
    match block.text("type"):
        case "thinking":
            thought = block.text("thinking")
            return Reasoning(thought) if thought else None
        case "toolCall":
            return ToolCall(block.text("id"), block.text("name") or "tool", arguments_json(block.value("arguments")))
        case "image":
            return attachment_at(f"data:{block.text('mimeType') or 'image/png'};base64,{block.text('data')}")
        case _:
            text = block.text("text")
            return Text(text) if text else None


def _usage(fields: Fields) -> Usage | None:
    fields.skip("totalTokens")
    read, written = fields.count("cacheRead"), fields.count("cacheWrite")
    prompt, reply, thought = fields.count("input"), fields.count("output"), fields.count("reasoning")
    dollars = fields.object("cost").number("total")
    return usage_of(prompt + read + written, reply, read, written, thought, dollars)


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.pi/agent/sessions, or a session in it"),
    recognizes,
    read,
    homes=(".pi/agent/sessions",),
)
