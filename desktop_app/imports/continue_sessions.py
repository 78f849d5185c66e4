"""Sessions of Continue, of its command line and its editor extensions: `~/.continue/sessions/SESSION.json`.

A session has a list of items: a message, what was attached to it, and the states of its tool calls with their results.
Messages have no ids and no times; `sessions.json` next to them has the time at which each session began. The command
line replaces all items by the summary when it compacts, which is then a reply. Based on version 1.5.47 of it.
"""

from __future__ import annotations

import hashlib
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

from .agent_sessions import AgentSession, object_of, sibling, usage_of
from .format import Fields, Format, Found, arguments_json, json_of, seconds_of
from .sources import BadFile, Source
from .trees import attachment_at

PROGRAM = "Continue"
UNTITLED = ("Untitled Session", "New Session")
SESSION = {"sessionId", "workspaceDirectory", "history"}
INDEX = {"sessionId", "workspaceDirectory", "dateCreated"}
FAILED = ("errored", "canceled")


def recognizes(source: Source) -> bool:
    """Return whether the file is a session, or the list of sessions."""
    return any(each <= source.first_keys for each in (SESSION, INDEX))


def read(source: Source) -> Iterator[Found]:
    """Yield the session. The list of sessions is read with each of them."""
    if not source.first_keys >= SESSION:
        return
    session = AgentSession(PROGRAM, source)
    about = object_of(source, "history", session.unread)
    name = source.name.rpartition("/")[2].removesuffix(".json")
    session.id, session.folder = about.text("sessionId") or name, about.text("workspaceDirectory")
    title = about.text("title")
    session.title = "" if title in UNTITLED else title
    about.keep("title")
    session.created_at = _created_at(source, session.id)
    history = _History(session)
    for item in about.objects("history"):
        history.add(item)
    session.keep("session", about)
    yield session.found()


def _created_at(source: Source, session: str) -> float:
    """Return when a session began, in seconds since 1970; 0.0 if the list of sessions does not say it."""
    index = sibling(source, "sessions.json")
    try:
        for value in index.values() if index is not None else ():
            about = Fields(value)
            if about.text("sessionId") == session:
                text = about.text("dateCreated")
                return seconds_of(int(text) if text.isascii() and text.isdigit() else text)
    except BadFile:  # the session can do without its time
        return 0.0
    return 0.0


class _History:
    """Converts the items, one after the other."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._name = ""
        self._thoughts: list[Part] = []
        self._names: dict[str, str] = {}
        self._answered: set[str] = set()

    def add(self, item: Fields) -> None:
        """Add an item."""
        message = item.object("message")
        self._name = _hashed(self._name, message)
        summary = item.text("conversationSummary")
        if summary and self._session.end:
            message.skip("role", "content")
            self._session.compact(self._name, ForeignCompaction(self._name, self._session.end, summary))
        else:
            self._session.add(self._name, self._messages(item, message))
        item.skip("editorState")
        message.skip("id")

    def _messages(self, item: Fields, message: Fields) -> Iterator[Message]:
        parts = [*_parts(message)]
        match message.text("role"):
            case "thinking":
                self._thoughts += [Reasoning(part.text) for part in parts if isinstance(part, Text)]
            case "assistant":
                yield from self._reply(item, message, parts)
            case "tool":
                if (call_id := message.text("toolCallId")) not in self._answered:
                    yield self._result(call_id, parts, is_error=False)
            case "system" if parts:
                yield Message(role=Role.SYSTEM, parts=tuple(parts))
            case _:
                files = [_attached(each) for each in item.objects("contextItems")]
                if parts or files:
                    yield Message(role=Role.USER, parts=(*parts, *files))

    def _reply(self, item: Fields, message: Fields, parts: list[Part]) -> Iterator[Message]:
        if thought := item.object("reasoning").text("text"):
            self._thoughts.append(Reasoning(thought))
        calls = [self._call(each) for each in message.objects("toolCalls")]
        found, self._thoughts = (*self._thoughts, *parts, *calls), []
        usage = message.object("usage")
        if found:
            yield Message(role=Role.ASSISTANT, parts=found, model=usage.text("model"), usage=_usage(usage))
        for state in item.objects("toolCallStates"):
            call_id, status = state.text("toolCallId"), state.text("status")
            state.skip("toolCall", "parsedArgs")
            output = [Text(text) for each in state.objects("output") if (text := each.text("content"))]
            if output or status in FAILED:
                self._answered.add(call_id)
                yield self._result(call_id, [*output], is_error=status in FAILED)

    def _call(self, call: Fields) -> ToolCall:
        call.skip("type")
        call_id, function = call.text("id"), call.object("function")
        self._names[call_id] = function.text("name") or "tool"
        return ToolCall(call_id, self._names[call_id], arguments_json(function.value("arguments")))

    def _result(self, call_id: str, parts: list[Part], is_error: bool) -> Message:
        text = "\n\n".join(part.text for part in parts if isinstance(part, Text))
        result = ToolResult(call_id, self._names.get(call_id, "tool"), text, is_error)
        return Message(role=Role.TOOL, parts=(result, *(part for part in parts if isinstance(part, Attachment))))


def _hashed(before: str, message: Fields) -> str:
    """Return the id of a message: a hash of it and all messages before it, as Continue gives it none."""
    content = json_of([message.peek("role"), message.peek("content"), message.peek("toolCalls")], sort_keys=True)
    return hashlib.sha256(f"{before}{content}".encode(errors="backslashreplace")).hexdigest()


def _parts(message: Fields) -> Iterator[Part]:
    if text := message.text("content"):
        yield Text(text)
    for each in message.objects("content"):
        if text := each.text("text"):
            yield Text(text)
        elif url := each.object("imageUrl").text("url"):
            yield attachment_at(url)


def _attached(item: Fields) -> Attachment:
    return Attachment(item.text("name") or "file", "text/plain", item.text("content"))


def _usage(usage: Fields) -> Usage | None:
    cached = usage.object("prompt_tokens_details").count("cached_tokens")
    thought = usage.object("completion_tokens_details").count("reasoning_tokens")
    usage.skip("total_tokens")
    dollars = usage.number("cost_cents") / 100
    return usage_of(usage.count("prompt_tokens"), usage.count("completion_tokens"), cached, 0, thought, dollars)


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.continue/sessions, or a session in it"),
    recognizes,
    read,
    homes=(".continue/sessions",),
)
