"""Sessions of Kimi Code: `~/.kimi-code/sessions/FOLDER/SESSION/agents/AGENT/wire.jsonl`, and `SESSION/state.json`.

The lines are events. `context.*` are what the model receives: messages, and steps of the model with their parts, calls
and results; other events repeat them. A compaction keeps the last messages of the user, before the summary; `/undo`
takes back turns. Based on version 2.1.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignCompaction, ForeignMessage
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

from .agent_sessions import AgentSession, lines_of, object_in, usage_of
from .format import Fields, Format, Found, arguments_json
from .sources import Source
from .trees import attachment_at

PROGRAM = "Kimi Code"
MAIN = "main"
REPEATED = frozenset({"agent.message.appended", "turn.prompt", "usage.record", "token_counting.measured"})
"""Events that repeat messages and tokens."""


def recognizes(source: Source) -> bool:
    """Return whether the first line begins an agent's events, or the file describes a session."""
    keys = source.first_keys
    return {"type", "protocol_version", "created_at"} <= keys or {"id", "version", "cwd", "agents", "createdAt"} <= keys


def read(source: Source) -> Iterator[Found]:
    """Yield the agent's conversation. The session's description is read with it."""
    if "protocol_version" not in source.first_keys:
        return
    session = AgentSession(PROGRAM, source)
    _describe(session, source)
    events = _ContextEvents(session)
    for number, line in lines_of(source, session.unread):
        events.add(f"line {number}", line)
    events.finish()
    yield session.found()


def _describe(session: AgentSession, source: Source) -> None:
    folder, _, agent = f"/{source.name}".rpartition("/")[0].rpartition("/agents/")
    folder, agent = folder.removeprefix("/"), agent or MAIN
    state = object_in(source.folder.named(f"{folder}/state.json" if folder else "state.json"))
    name = state.text("id") or folder.rpartition("/")[2]
    session.id = name if agent == MAIN or not name else f"{name}/{agent}"
    session.folder = state.text("cwd")
    session.is_put_away = agent != MAIN or state.flag("archived")
    if agent == MAIN:
        is_preliminary = state.peek("titleKind") == "replaceable" and not state.flag("isCustomTitle")
        session.title = "" if is_preliminary else state.text("title")
        session.created_at = state.time("createdAt")
        state.keep("archived", "isCustomTitle")
        session.keep("state", state)


class _ContextEvents:
    """Converts the events, one after the other."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._turns: list[tuple[str, str]] = []
        """For each message that the user wrote, its id and the id of the entry that it follows."""
        self._step = ""
        self._parts: list[Part] = []
        self._results: list[Message] = []
        self._at = 0.0
        self._names: dict[str, str] = {}
        self._is_automatic = True

    def add(self, name: str, line: Fields) -> None:
        """Add an event."""
        kind, at = line.text("type"), line.time("time")
        if kind in REPEATED:
            return
        match kind:
            case "context.append_message":
                self.finish()
                self._add_message(name, line.object("message"), at)
            case "context.append_loop_event":
                self._add_event(name, line.object("event"), at)
            case "context.apply_compaction":
                self.finish()
                self._compact(name, line, at)
            case "full_compaction.begin":
                self._is_automatic = line.peek("source") != "manual"
            case "context.undo":
                self.finish()
                self._undo(line.count("count"))
            case "turn.step.interrupted":
                self.finish()
                self._interrupt()
            case "profile.bind":
                self._session.model = line.text("modelAlias").rpartition("/")[2]
                line.keep("modelAlias")
            case "llm.request":
                self._session.model = line.text("model") or self._session.model
                return
            case _:
                pass
        line.skip("agentId")
        self._session.keep(name, line)

    def _add_message(self, name: str, message: Fields, at: float) -> None:
        """Add a message of the user; what Kimi Code adds in the user's role is kept apart."""
        kind = message.object("origin").text("kind")
        if message.peek("role") != "user" or kind == "injection":
            message.object("origin").keep("kind")
            return
        if parts := tuple(_parts(message)):
            name = message.text("id") or name
            self._turns.append((name, self._session.end))
            self._session.add(name, [Message(role=Role.USER, parts=parts, at=at)])

    def _add_event(self, name: str, event: Fields, at: float) -> None:
        match event.text("type"):
            case "step.begin":
                self.finish()
                self._step, self._at = event.text("uuid") or name, at
            case "content.part":
                self._parts += filter(None, [_part(event.object("part"))])
            case "tool.call":
                call_id, tool = event.text("toolCallId"), event.text("name") or "tool"
                self._names[call_id] = tool
                self._parts.append(ToolCall(call_id, tool, arguments_json(event.value("args"))))
            case "tool.result":
                self._results.append(self._result(event, at))
            case "step.end":
                self.finish(_usage(event.object("usage")))
            case _:
                pass
        event.skip("uuid", "stepUuid", "parentUuid", "turnId", "step")

    def _result(self, event: Fields, at: float) -> Message:
        call_id, result = event.text("toolCallId"), event.object("result")
        parts = [*_parts(result, "output"), *([Text(note)] if (note := result.text("note")) else [])]
        text = "\n".join(part.text for part in parts if isinstance(part, Text))
        found = ToolResult(call_id, self._names.get(call_id, "tool"), text, result.flag("isError"))
        return Message(role=Role.TOOL, parts=(found, *(p for p in parts if isinstance(p, Attachment))), at=at)

    def finish(self, usage: Usage | None = None) -> None:
        """Add the model's message of the current step, then its results."""
        name = self._step or f"step {len(self._session.entries)}"
        if self._parts:
            model, parts = self._session.model, tuple(self._parts)
            self._session.add(name, [Message(role=Role.ASSISTANT, parts=parts, at=self._at, model=model, usage=usage)])
        for result in self._results:
            (found, *_) = result.parts
            self._session.add(f"{name}/{found.call_id if isinstance(found, ToolResult) else ''}", [result])
        self._step, self._parts, self._results = "", [], []

    def _compact(self, name: str, line: Fields, at: float) -> None:
        count = line.count("keptUserMessageCount")
        kept = tuple(each for each, _ in self._turns[-count:]) if count else ()
        self._session.compact(
            name,
            ForeignCompaction(
                f"compaction {at:.3f}",
                self._session.end,
                line.text("summary"),
                at,
                is_automatic=self._is_automatic,
                tokens_before=line.count("tokensBefore"),
                tokens_after=line.count("tokensAfter"),
                kept=kept,
                follows=kept[-1] if kept else "",
            ),
        )

    def _undo(self, turns: int) -> None:
        """Go back to before the last messages that the user wrote."""
        for _ in range(min(turns, len(self._turns))):
            _, self._session.end = self._turns.pop()

    def _interrupt(self) -> None:
        last = self._session.entries[-1] if self._session.entries else None
        if isinstance(last, ForeignMessage) and last.message.role is Role.ASSISTANT:
            self._session.entries[-1] = replace(last, message=replace(last.message, is_interrupted=True))


def _parts(holder: Fields, field: str = "content") -> Iterator[Part]:
    if text := holder.text(field):
        yield Text(text)
    yield from filter(None, map(_part, holder.objects(field)))


def _part(part: Fields) -> Part | None:
    kind = part.text("type")
    if kind == "think":
        thought = part.text("think")
        return Reasoning(thought) if thought else None
    if kind == "image_url":
        url = part.object("imageUrl").text("url") or part.object("image_url").text("url")
        return attachment_at(url)
    text = part.text("text")
    return Text(text) if text else None


def _usage(fields: Fields) -> Usage | None:
    read, written = fields.count("inputCacheRead"), fields.count("inputCacheCreation")
    return usage_of(fields.count("inputOther") + read + written, fields.count("output"), read, written)


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.kimi-code/sessions, or the folder of a session in it"),
    recognizes,
    read,
    homes=(".kimi-code/sessions",),
)
