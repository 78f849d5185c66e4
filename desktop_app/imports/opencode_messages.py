"""The messages of a session of opencode as entries: each part of a reply is one, with the result behind its call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignCompaction, ForeignEntry, ForeignMessage
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

from .fields import Fields, arguments_json
from .images import NOT_IN_EXPORT, attachment_at


class Said:
    """Takes the messages of a session one after the other."""

    def __init__(self) -> None:
        self.entries: list[ForeignEntry] = []
        self.rests: dict[str, Any] = {}
        self.starts: dict[str, str] = {}
        """What each message follows, by the message's id."""
        self.folder = self.model = ""
        self._ids: set[str] = set()
        self._is_asked = False
        """Whether a user asked for the summary that comes next, and not opencode."""

    def add(self, message: Fields, parts: list[Fields]) -> None:
        """Add a message with its parts."""
        name, role = message.text("id"), message.text("role")
        message.skip("sessionID", "parentID")
        self.starts.setdefault(name, self._end)
        at = message.object("time").time("created")
        if role == "user":
            self._add_question(name, at, parts)
        elif role == "assistant":
            self._add_answer(name, at, message, parts)
        self._keep(name, message)
        for number, part in enumerate(parts):
            part.skip("sessionID", "messageID")
            self._keep(part.text("id") or f"{name}/{number}", part)

    def _add_question(self, name: str, at: float, parts: list[Fields]) -> None:
        said: list[Part] = []
        for part in parts:
            kind = part.text("type")
            if kind == "compaction":
                self._is_asked = not part.flag("auto")
            elif found := _part(part, kind):
                said.append(found)
        if said:
            self._add(name, Message(role=Role.USER, parts=tuple(said), at=at))

    def _add_answer(self, name: str, at: float, message: Fields, parts: list[Fields]) -> None:
        model = message.text("modelID") or message.object("model").text("modelID")
        error = message.object("error")
        self.model = model or self.model
        self.folder = self.folder or message.object("path").text("cwd")
        is_interrupted = error.text("name") == "MessageAbortedError"
        if not error and message.flag("summary") and self._add_summary(name, at, model, parts):
            return
        before = len(self.entries)
        for number, part in enumerate(parts):
            part_name = part.text("id") or f"{name}/{number}"
            for entry_name, said in _entries(part, part_name, at):
                self._add(entry_name, replace(said, model=model if said.role is Role.ASSISTANT else ""))
        replies = [n for n in range(before, len(self.entries)) if _is_reply(self.entries[n])]
        if replies and isinstance(last := self.entries[replies[-1]], ForeignMessage):
            said = replace(last.message, usage=_usage(message), is_interrupted=is_interrupted)
            self.entries[replies[-1]] = replace(last, message=said)

    def _add_summary(self, name: str, at: float, model: str, parts: list[Fields]) -> bool:
        """Add what was put in the place of all before; return whether there is any of both."""
        summary = "\n\n".join(text for part in parts if part.text("type") == "text" and (text := part.text("text")))
        if not summary or not self._end or name in self._ids:
            return False
        self._ids.add(name)
        is_automatic, self._is_asked = not self._is_asked, False
        self.entries.append(ForeignCompaction(name, self._end, summary, at, is_automatic, model=model))
        return True

    @property
    def _end(self) -> str:
        return self.entries[-1].id if self.entries else ""

    def _add(self, name: str, message: Message) -> None:
        if name and name not in self._ids:
            self._ids.add(name)
            self.entries.append(ForeignMessage(name, self._end, message))

    def _keep(self, name: str, fields: Fields) -> None:
        if rest := fields.rest():
            self.rests[name] = rest


def _is_reply(entry: ForeignEntry) -> bool:
    return isinstance(entry, ForeignMessage) and entry.message.role is Role.ASSISTANT


def _entries(part: Fields, name: str, at: float) -> Iterator[tuple[str, Message]]:
    """Return a part of a reply as a message with its id, and the result of a tool as another one."""
    kind = part.text("type")
    at = part.object("time").time("start") or at
    if kind == "tool":
        yield from _tool(part, name, at)
    elif found := _part(part, kind):
        yield name, Message(role=Role.ASSISTANT, parts=(found,), at=at)


def _tool(part: Fields, name: str, at: float) -> Iterator[tuple[str, Message]]:
    call_id, tool, state = part.text("callID"), part.text("tool") or "tool", part.object("state")
    times, status = state.object("time"), state.text("status")
    at = times.time("start") or at
    call = ToolCall(call_id, tool, arguments_json(state.value("input")))
    yield name, Message(role=Role.ASSISTANT, parts=(call,), at=at)
    if status in ("pending", "running"):
        return
    is_error = status == "error"
    text = state.text("error" if is_error else "output")
    pictures = [found for each in state.objects("attachments") if (found := _part(each, each.text("type")))]
    result = ToolResult(call_id, tool, text, is_error)
    yield f"{name}/result", Message(role=Role.TOOL, parts=(result, *pictures), at=times.time("end") or at)


def _part(part: Fields, kind: str) -> Part | None:
    """Return what a part says; None for what says nothing, such as the beginning of a step."""
    if kind == "file":
        return _file(part)
    text = part.text("prompt" if kind == "subtask" else "text")
    if not text or kind not in ("text", "reasoning", "subtask"):
        return None
    return Reasoning(text) if kind == "reasoning" else Text(text)


def _file(part: Fields) -> Attachment:
    """Return an image with its content. The text of another file stands beside it, as opencode sent it."""
    name, kind = part.text("filename"), part.text("mime")
    if kind.startswith("image/"):
        return attachment_at(part.text("url"), name or "image")
    return Attachment(name or "file", kind or "application/octet-stream", "", about=NOT_IN_EXPORT)


def _usage(message: Fields) -> Usage | None:
    """Return the measured tokens: those of the prompt are told without the cached ones."""
    tokens, dollars = message.object("tokens"), message.number("cost")
    cache = tokens.object("cache")
    read, written = cache.count("read"), cache.count("write")
    prompt, reply, thought = tokens.count("input"), tokens.count("output"), tokens.count("reasoning")
    if not prompt + reply + read + written:
        return None
    dollars = dollars if 0 <= dollars < 1e9 else None
    return Usage(prompt + read + written, reply, read, written, dollars, reasoning_tokens=thought)
