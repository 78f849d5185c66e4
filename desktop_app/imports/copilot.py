"""Sessions of the Copilot CLI: `~/.copilot/session-state/SESSION/events.jsonl`, with `workspace.yaml` next to it.

A line is an event {type, data, id, timestamp}; the events of a subagent have an `agentId`. Files are events, to
which attachments refer. When Copilot compacts, it sends all messages of the user, and after them the summary. Based on
version 1.0.102 and the types in its package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from desktop_app.conversation.foreign import ForeignCompaction, ForeignMessage
from desktop_app.conversation.message import Attachment, Message, Part, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.words import translatable

from .agent_sessions import AgentSession, lines_of, sibling, usage_of
from .format import Fields, Format, Found, arguments_json
from .sources import BadFile, Source
from .trees import NOT_IN_EXPORT, attachment_at

PROGRAM = "Copilot CLI"
NAME = re.compile(r"^name: *(?:'((?:[^']|'')+)'|\"([^\"\\]+)\"|([^'\"|>\s].*))$", re.MULTILINE)
"""The session's name in workspace.yaml, on one line."""
REPEATED = "model."
"""Begins the types of events that repeat the requests of a compaction."""


def recognizes(source: Source) -> bool:
    """Return whether the first line is an event."""
    first = source.beginning.partition(b"\n")[0]
    return {"type", "data", "id", "timestamp"} <= source.first_keys and b'"session.' in first


def read(source: Source) -> Iterator[Found]:
    """Yield the session, then its subagents."""
    reader = _SessionEvents(source)
    for number, line in lines_of(source, reader.main.unread):
        reader.add(line.text("id") or f"line {number}", line)
    yield from (session.found() for session in reader.sessions.values())


class _SessionEvents:
    """Converts the events, one after the other."""

    def __init__(self, source: Source) -> None:
        self.main = AgentSession(PROGRAM, source)
        self.main.title = _name_of(source)
        self.sessions = {"": self.main}
        self._source = source
        self._starts: dict[str, tuple[AgentSession, str]] = {}
        """By event, the session and the entry that the event's entries follow."""
        self._usage: dict[str, Fields] = {}
        self._tools: dict[str, str] = {}
        self._files: dict[str, str] = {}

    def add(self, record: str, line: Fields) -> None:
        """Add an event."""
        session = self._session_of(line.text("agentId"))
        self._starts[record] = session, session.end
        line.skip("parentId")
        data, at, kind = line.object("data"), line.time("timestamp"), line.text("type")
        if kind.startswith(REPEATED):
            return
        match kind:
            case "session.start":
                session.id, session.model = data.text("sessionId"), data.text("selectedModel")
                session.created_at = data.time("startTime")
                session.folder = data.object("context").text("cwd")
            case "session.title_changed":
                session.title = data.text("title") or session.title
            case "session.snapshot_rewind":
                undone, before = self._starts.get(data.text("upToEventId"), (session, session.end))
                undone.end = before
            case "session.usage_record":
                usage = data.object("usage")
                self._usage[usage.text("apiCallId")] = usage
            case "session.binary_asset":
                self._files[data.text("assetId")] = _data_url(data)
            case "session.compaction_complete":
                _compact(session, record, data, at)
            case _:
                session.add(record, self._messages(kind, data, at))
        session.keep(record, line)

    def _session_of(self, agent: str) -> AgentSession:
        """Return the session itself or its subagent, which works in the same folder."""
        if agent not in self.sessions:
            session = self.sessions[agent] = AgentSession(PROGRAM, self._source)
            session.id, session.folder, session.is_put_away = f"{self.main.id}/{agent}", self.main.folder, True
        return self.sessions[agent]

    def _messages(self, kind: str, data: Fields, at: float) -> Iterator[Message]:
        match kind:
            case "user.message":
                data.skip("transformedContent")
                text = data.text("content")
                files = [self._file(each) for each in data.objects("attachments")]
                if parts := (*([Text(text)] if text else []), *files):
                    yield Message(role=Role.USER, parts=parts, at=at)
            case "assistant.message":
                if parts := tuple(self._reply(data)):
                    usage = self._usage.get(data.text("apiCallId"), Fields({}))
                    names = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens")
                    measured = usage_of(*(usage.count(name) for name in names))
                    yield Message(role=Role.ASSISTANT, parts=parts, at=at, model=data.text("model"), usage=measured)
            case "tool.execution_start":
                self._tools[data.text("toolCallId")] = data.text("toolName")
                data.skip("arguments")
            case "tool.execution_complete":
                yield self._result(data, at)
            case _:
                pass

    def _reply(self, data: Fields) -> Iterator[Part]:
        if thought := data.text("reasoningText"):
            yield Reasoning(thought)
        if text := data.text("content"):
            yield Text(text)
        for call in data.objects("toolRequests"):
            call_id, name = call.text("toolCallId"), call.text("name") or "tool"
            self._tools[call_id] = name
            yield ToolCall(call_id, name, arguments_json(call.value("arguments")))

    def _result(self, data: Fields, at: float) -> Message:
        call_id, result, error = data.text("toolCallId"), data.object("result"), data.object("error")
        text = result.text("content") or error.text("message")
        files = [self._file(each) for each in result.objects("binaryResultsForLlm")]
        name = self._tools.get(call_id) or data.text("toolName") or "tool"
        is_error = data.value("success") is False or data.object("shellExecution").count("exitCode") > 0
        found = ToolResult(call_id, name, text, is_error)
        return Message(role=Role.TOOL, parts=(found, *files), at=at)

    def _file(self, file: Fields) -> Attachment:
        name = file.text("displayName") or file.text("description") or "file"
        if selected := file.text("text"):
            return Attachment(name, "text/plain", selected)
        url = _data_url(file) if file.peek("data") else self._files.get(file.text("assetId"), "")
        media_type = file.text("mimeType") or "application/octet-stream"
        return attachment_at(url, name) if url else Attachment(name, media_type, "", about=NOT_IN_EXPORT)


def _data_url(file: Fields) -> str:
    return f"data:{file.text('mimeType')};base64,{file.text('data')}"


def _compact(session: AgentSession, record: str, data: Fields, at: float) -> None:
    """Add a compaction. Copilot keeps the user's messages, before the summary."""
    kept = tuple(each.id for each in session.entries if isinstance(each, ForeignMessage) and _is_written(each))
    session.compact(
        record,
        ForeignCompaction(
            record,
            session.end,
            data.text("summaryContent"),
            at,
            is_automatic=data.peek("trigger") != "manual",
            tokens_before=data.count("preCompactionTokens"),
            tokens_after=data.count("postCompactionTokens"),
            model=data.object("compactionTokensUsed").text("model"),
            kept=kept,
            follows=kept[-1] if kept else "",
        ),
    )


def _is_written(entry: ForeignMessage) -> bool:
    return entry.message.role is Role.USER


def _name_of(source: Source) -> str:
    """Return the session's name; "" if it has none."""
    workspace = sibling(source, "workspace.yaml")
    try:
        found = NAME.search(workspace.read().decode()) if workspace is not None else None
    except (BadFile, UnicodeDecodeError):  # the session can do without its name
        return ""
    return next(filter(None, found.groups()), "").replace("''", "'").strip() if found else ""


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.copilot/session-state, or the folder of a session in it"),
    recognizes,
    read,
    homes=(".copilot/session-state",),
)
