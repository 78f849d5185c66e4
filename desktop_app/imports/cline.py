"""Sessions of Cline: `~/.cline/data/sessions/SESSION/SESSION.messages.json`.

The file holds all messages in Anthropic's format, also those that a compaction replaced. `SESSION.compaction.json` has
the list that Cline sends instead of the first ones, and `SESSION.json` describes the session. Based on version 3.0.65
of the command. Tasks of earlier versions are read by `cline_tasks`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from desktop_app.conversation.foreign import ForeignCompaction
from desktop_app.conversation.message import Attachment, Message, Part, Role, Usage
from desktop_app.conversation.words import translatable

from .agent_sessions import AgentSession, object_of, sibling_object, usage_of
from .anthropic_blocks import called_tools, turns_of
from .cline_tasks import PROGRAM, read_task, recognizes_task
from .format import Fields, Format, Found, json_in, json_of
from .sources import Source

ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
INPUT = re.compile(r"(<user_input\b[^>]*>)(.*)</user_input>", re.DOTALL)
"""Encloses what the user wrote; Cline sends it without."""
SESSION = {"sessionId", "agent", "messages"}
ABOUT = {"session_id", "messages_path"}
COMPACTION = {"conversation_id", "source_message_count", "messages"}
Json = dict[str, Any]


def recognizes(source: Source) -> bool:
    """Return whether the file has the messages of a session or a task, or is one of those that belong to it."""
    return any(each <= source.first_keys for each in (SESSION, ABOUT, COMPACTION)) or recognizes_task(source)


def read(source: Source) -> Iterator[Found]:
    """Yield the session or the task. The other files are read with it."""
    if recognizes_task(source):
        yield from read_task(source)
        return
    if not source.first_keys >= SESSION:
        return
    session = AgentSession(PROGRAM, source)
    about = object_of(source, "messages", session.unread)
    name = source.name.rpartition("/")[2].removesuffix(".messages.json")
    session.id = about.text("sessionId") or name
    session.is_put_away = about.text("agent") not in ("", "lead")
    parent = about.object("origin").text("parentThreadId")
    _describe(session, sibling_object(source, f"{parent or name}.json"), is_own=not parent)
    compacted = sibling_object(source, f"{name}.compaction.json")
    _add_all(session, about.objects("messages"), compacted)
    session.updated_at = about.time("updated_at")
    about.keep("agent")
    session.keep("session", about)
    yield session.found()


def _describe(session: AgentSession, about: Fields, is_own: bool) -> None:
    """Use what the session's file says. is_own: False for a subagent, whose session's file describes its caller."""
    session.folder = about.text("cwd", "workspace_root")
    session.model = about.text("model")
    if is_own:
        about.skip("session_id", "messages_path", "compaction_path")
        session.title = about.object("metadata").text("title") or about.text("prompt")
        session.created_at = about.time("started_at")
        session.keep("about", about)


def _add_all(session: AgentSession, messages: list[Fields], compacted: Fields) -> None:
    """Add the messages, and the compaction after the last one that Cline compacted."""
    boundary = compacted.text("source_last_message_key").removeprefix("id:")
    names: dict[str, str] = {}
    for number, message in enumerate(messages):
        record = message.text("id") or f"message {number}"
        blocks = [_block(each) for each in _content(message)]
        names |= called_tools(blocks)
        session.add(record, _messages(message, blocks, names))
        rests = [rest for block in blocks if (rest := block.rest())]
        message.skip("content")
        session.keep(record, Fields(message.rest() | ({"content": rests} if rests else {})))
        if record == boundary:
            _compact(session, compacted)


def _content(message: Fields) -> list[object]:
    text = message.text("content")
    return [{"type": "text", "text": text}] if text else message.values("content")


def _block(value: object) -> Fields:
    """Return a block in Anthropic's format."""
    block = Fields(value)
    kind = block.text("type")
    if kind == "text":
        text = block.text("text")
        found = INPUT.fullmatch(text.strip())
        return Fields({"type": "text", "text": found[2], "enclosed in": found[1]} if found else value)
    if kind == "tool_result":
        results = _results(block.value("content"))
        content = [each for result in results for each in _elements(result)] or block.value("content")
        is_error = block.flag("is_error") or any(result.peek("success") is False for result in results)
        return Fields({**cast("Json", value), "content": content, "is_error": is_error})
    return Fields(_image(block) if kind == "image" else value)


def _image(image: Fields) -> Json:
    """Return an image, which Cline stores without Anthropic's `source`, in Anthropic's format."""
    media_type, data = image.text("mediaType"), image.text("data")
    source = {"type": "base64", "media_type": media_type, "data": data}
    return {"type": "image", "source": source if data else image.value("source")}


def _results(content: object) -> list[Fields]:
    """Return the results of a tool, which are a list, one object, or the JSON of either; [] for other contents."""
    value: object = json_in(content) if isinstance(content, str) else content
    elements = cast("list[object]", value) if isinstance(value, list) else [value]
    results = [Fields(each) for each in elements if isinstance(each, dict) and "success" in each]
    return results if len(results) == len(elements) else []


def _elements(result: Fields) -> Iterator[Json]:
    """Yield what one result holds as elements of Anthropic's; `query` repeats the call."""
    result.skip("query", "success")
    text, error = result.text("result"), result.text("error")
    for part in result.objects("result") if isinstance(result.peek("result"), list) else ():
        yield _image(part) if part.text("type") == "image" else part.rest() | {"text": part.text("text")}
    if text:
        yield {"type": "text", "text": text}
    if error and error not in text:
        yield {"type": "text", "text": error}
    if not isinstance(result.peek("result"), list) and (rest := result.rest()):
        yield {"type": "text", "text": json_of(rest)}


def _messages(message: Fields, blocks: list[Fields], names: dict[str, str]) -> Iterator[Message]:
    role, at = ROLES.get(message.text("role"), Role.USER), message.time("ts")
    model, usage = message.object("modelInfo").text("id"), _usage(message.object("metrics"))
    files = [_file(block) for block in blocks if block.text("type") == "file"]
    turns = turns_of(role, [block for block in blocks if block.text("type") != "file"], names)
    if files:
        last = turns.pop()[1] if turns and turns[-1][0] is role else ()
        turns.append((role, (*last, *files)))
    for speaker, parts in turns:
        if speaker is Role.ASSISTANT:
            yield Message(role=speaker, parts=parts, at=at, model=model, usage=usage)
            usage = None
        else:
            yield Message(role=speaker, parts=parts, at=at)


def _file(block: Fields) -> Part:
    path = block.text("path")
    block.keep("path")
    return Attachment(path.rpartition("/")[2] or "file", "text/plain", block.text("content"))


def _usage(metrics: Fields) -> Usage | None:
    """Return the measured tokens. The input may be with or without the tokens of the cache."""
    names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")
    prompt, reply, read, written = (metrics.count(name) for name in names)
    return usage_of(prompt if prompt >= read + written else prompt + read + written, reply, read, written)


def _compact(session: AgentSession, compacted: Fields) -> None:
    """Add the compaction: the summary's message is in the list that Cline sends, among the kept ones."""
    before: list[str] = []
    kept: list[str] = []
    summary, about = "", Fields({})
    for message in compacted.objects("messages"):
        metadata = message.object("metadata")
        if metadata.text("kind") == "compaction_summary":
            summary, about, before = metadata.text("summary"), metadata, list(kept)
        else:
            kept += session.entries_of(message.text("id"))
    at = about.time("generatedAt")
    session.compact(
        "compaction",
        ForeignCompaction(
            f"compaction {at:.3f}",
            session.end,
            summary,
            at,
            tokens_before=about.count("tokensBefore"),
            kept=tuple(kept),
            follows=before[-1] if before else "",
        ),
    )


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.cline/data/sessions, or the folder of a session or a task"),
    recognizes,
    read,
    homes=(
        ".cline/data/sessions",
        ".cline/data/tasks",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks",
        ".config/VSCodium/User/globalStorage/saoudrizwan.claude-dev/tasks",
    ),
)
