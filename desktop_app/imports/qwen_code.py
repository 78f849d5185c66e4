"""Sessions of Qwen Code: `~/.qwen/projects/FOLDER/chats/SESSION.jsonl`, and `subagents/SESSION/AGENT.jsonl`.

A line has an id and the id of the line that it follows; its message is a `Content` of Google's, as in Gemini CLI. A
compression has the list of contents that Qwen Code sends from then on: the summary, and the last messages if it keeps
any. Based on version 0.24.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from desktop_app.conversation.foreign import ForeignCompaction
from desktop_app.conversation.message import Message, Role, Usage
from desktop_app.conversation.words import translatable

from .agent_sessions import AgentSession, lines_of, sibling_object, usage_of
from .format import Fields, Format, Found, json_of
from .gemini_parts import fields_of, parts_of, turns_of
from .sources import Source

PROGRAM = "Qwen Code"
LINE = {"uuid", "parentUuid", "sessionId", "timestamp", "type"}
CONTENT = re.compile(rb'"message":\s*\{"role":\s*"(?:user|model)",\s*"parts"')
ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool_result": Role.TOOL}
LOG = "ui_telemetry"
"""Lines of this kind repeat replies and calls."""
LASTING = ("cwd", "version", "gitBranch", "sessionId", "agentId", "agentName", "isSidechain", "provenance")
"""Fields that most lines repeat; an import keeps them only where they change."""


def recognizes(source: Source) -> bool:
    """Return whether the first line is of a session, and a message has Google's parts: Claude Code's have a content."""
    return source.first_keys >= LINE and CONTENT.search(source.beginning) is not None


def read(source: Source) -> Iterator[Found]:
    """Yield the session or the subagent."""
    session = AgentSession(PROGRAM, source)
    name = source.name.rpartition("/")[2].removesuffix(".jsonl")
    session.model = sibling_object(source, f"{name}.meta.json").text("model")  # of a subagent
    contents: dict[str, list[str]] = {}
    lasting: dict[str, Any] = {}
    for number, line in lines_of(source, session.unread):
        record = line.text("uuid") or f"line {number}"
        session.follow(record, line.text("parentUuid"))
        _describe(session, line)
        about = {name: line.value(name) for name in LASTING if name in line}
        if line.text("subtype") != LOG:
            contents[record] = _add(session, record, line, contents)
            changed = {name: value for name, value in about.items() if lasting.get(name) != value}
            session.keep(record, Fields(line.rest() | changed))
            lasting |= changed
        session.current = record
    yield session.found()


def _describe(session: AgentSession, line: Fields) -> None:
    session.folder = session.folder or line.text("cwd")
    session.id = session.id or "/".join(filter(None, (line.text("sessionId"), line.text("agentId"))))
    session.is_put_away = session.is_put_away or line.flag("isSidechain")


def _add(session: AgentSession, record: str, line: Fields, contents: dict[str, list[str]]) -> list[str]:
    """Add the entries of a line, and return its parts as JSON."""
    at, kind, payload = line.time("timestamp"), line.text("type"), line.object("systemPayload")
    match line.text("subtype"):
        case "chat_compression":
            _compact(session, record, line, contents)
        case "custom_title":
            session.title = payload.text("customTitle") or session.title
            payload.keep("customTitle")
        case _ if kind in ROLES:
            message = line.object("message")
            message.skip("role")
            parts = fields_of(message.value("parts") or "")
            session.add(record, _messages(line, ROLES[kind], parts, at, session.model))
            if rests := [rest for part in parts if (rest := part.rest())]:
                session.rests[f"{record}/parts"] = rests
            return [_json(part) for part in message.values("parts")]
        case _:
            pass
    return []


def _messages(line: Fields, role: Role, parts: list[Fields], at: float, session_model: str) -> Iterator[Message]:
    model, usage = line.text("model"), _usage(line.object("usageMetadata"))
    speaker = Role.ASSISTANT if role is Role.ASSISTANT else Role.USER
    for each, turn in turns_of(speaker, parts_of(parts)):
        if each is Role.ASSISTANT:
            yield Message(role=each, parts=turn, at=at, model=model or session_model, usage=usage)
            usage = None
        else:
            yield Message(role=each, parts=turn, at=at)


def _usage(fields: Fields) -> Usage | None:
    """Return the measured tokens. The reply's tokens may be with or without the thoughts."""
    prompt, total = fields.count("promptTokenCount"), fields.count("totalTokenCount")
    reply, thought = fields.count("candidatesTokenCount"), fields.count("thoughtsTokenCount")
    return usage_of(prompt, max(reply, total - prompt), fields.count("cachedContentTokenCount"), 0, thought)


def _compact(session: AgentSession, record: str, line: Fields, contents: dict[str, list[str]]) -> None:
    """Add a compaction. Kept are the last messages whose parts are in the list; the rest of it is the summary."""
    payload = line.object("systemPayload")
    about, history = payload.object("info"), payload.objects("compressedHistory")
    listed = {_json(part) for content in history for part in content.values("parts")}
    kept: list[str] = []
    found: set[str] = set()
    for each in reversed(session.path_to(line.text("parentUuid"))):
        parts = [part for part in contents.get(each, []) if '"thought": true' not in part]
        if not listed.issuperset(parts):
            break
        found.update(parts)
        kept[:0] = session.entries_of(each)
    texts = [
        Fields(part).text("text")
        for content in history
        if content.text("role") == "user"
        for part in content.values("parts")
        if _json(part) not in found
    ]
    session.compact(
        record,
        ForeignCompaction(
            record,
            session.end,
            "\n\n".join(filter(None, texts)),
            line.time("timestamp"),
            is_automatic=about.peek("triggerReason") != "manual",
            tokens_before=about.count("originalTokenCount"),
            tokens_after=about.count("newTokenCount"),
            kept=tuple(kept),
        ),
    )


def _json(part: object) -> str:
    return json_of(part, sort_keys=True)


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.qwen/projects, or a session in it"),
    recognizes,
    read,
    homes=(".qwen/projects",),
)
