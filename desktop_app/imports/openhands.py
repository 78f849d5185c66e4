"""Conversations of OpenHands: `~/.openhands/conversations/ID/base_state.json`, and an event a file in `events`.

Calls of one reply are events with the same `llm_response_id`; the tokens of each reply are in the state. A condensation
names the events that are no longer sent, and where among the others its summary is. Times are local. Based on version
1.16.0.
"""

from __future__ import annotations

import json
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

from .agent_sessions import AgentSession, local_seconds_of, object_of, usage_of
from .format import NOT_JSON, Fields, Format, Found, arguments_json
from .sources import BadFile, Source
from .trees import attachment_at

PROGRAM = "OpenHands"
STATE = {"id", "agent", "workspace", "persistence_dir"}
EVENT = {"id", "timestamp", "source", "kind"}
NOT_SENT = frozenset({"ConversationStateUpdateEvent", "PauseEvent", "InterruptEvent", "CondensationRequest"})
"""Kinds of events that the model does not receive."""


def recognizes(source: Source) -> bool:
    """Return whether the file is the state of a conversation, or an event in its folder."""
    keys = source.first_keys
    is_event = keys >= EVENT and source.name.rpartition("/")[2].startswith("event-")
    return keys >= STATE or is_event


def read(source: Source) -> Iterator[Found]:
    """Yield the conversation. The events are read with its state."""
    if not source.first_keys >= STATE:
        return
    session = AgentSession(PROGRAM, source)
    state = object_of(source, "tools", session.unread)
    folder = source.name.rpartition("/")[0]
    session.id = state.text("id") or folder.rpartition("/")[2]
    session.folder = state.object("workspace").text("working_dir")
    session.title = state.text("title")
    session.model = state.object("agent").object("llm").text("model").partition("/")[2]
    events = _AgentEvents(session, _usages(state))
    for each in source.folder.directly_in(f"{folder}/events" if folder else "events"):
        try:
            event = Fields(json.loads(each.read())) if each.name.endswith(".json") else Fields({})
        except (BadFile, ValueError, RecursionError):
            problem = translatable("{file} cannot be read: {problem}").format(file=each.name, problem=NOT_JSON)
            session.unread.append(problem)
            continue
        if event:
            events.add(event.text("id") or each.name, event)
    events.finish()
    state.object("agent").keep("llm")
    session.keep("state", state)
    yield session.found()


def _usages(state: Fields) -> dict[str, tuple[str, Usage | None]]:
    """Return the model and the tokens of each reply, by the reply's id."""
    found: dict[str, tuple[str, Usage | None]] = {}
    for metrics in state.object("stats").object("usage_to_metrics").named_objects().values():
        for each in metrics.objects("token_usages"):
            names = ("prompt", "completion", "cache_read", "cache_write", "reasoning")
            usage = usage_of(*(each.count(f"{name}_tokens") for name in names))
            found[each.text("response_id")] = each.text("model").rpartition("/")[2], usage
    return found


class _AgentEvents:
    """Converts the events, one after the other."""

    def __init__(self, session: AgentSession, usages: dict[str, tuple[str, Usage | None]]) -> None:
        self._session = session
        self._usages = usages
        self._sent: list[str] = []
        """The events that are sent to the model, and condensations for their summaries."""
        self._reply = self._first = ""
        self._parts: list[Part] = []
        self._at = 0.0

    def add(self, name: str, event: Fields) -> None:
        """Add an event."""
        kind, at = event.text("kind"), local_seconds_of(event.text("timestamp"))
        response = event.text("llm_response_id")
        event.keep("timestamp") if not at else None
        if kind != "ActionEvent" or not response or response != self._reply:
            self.finish()
        match kind:
            case "ActionEvent":
                self._reply, self._first, self._at = response, self._first or name, self._at or at
                self._parts += _call(event)
            case "MessageEvent" if event.object("llm_message").peek("role") == "assistant":
                self._reply, self._first, self._at = response, name, at
                self._parts += _reply(event.object("llm_message"))
                self.finish()
            case "MessageEvent":
                message = event.object("llm_message")
                parts = (*_parts(message, "content"), *_parts(event, "extended_content"))
                self._session.add(name, [Message(role=Role.USER, parts=parts, at=at)] if parts else [])
            case "Condensation":
                self._condense(name, event, at)
            case _ if event.peek("tool_call_id"):
                self._session.add(name, [_result(event, at)])
            case _:
                pass
        if kind not in NOT_SENT and kind != "Condensation":
            self._sent.append(name)
        self._session.keep(name, event)

    def finish(self) -> None:
        """Add the reply whose events were added last."""
        if self._parts:
            model, usage = self._usages.get(self._reply, ("", None))
            model, parts = model or self._session.model, tuple(self._parts)
            self._session.add(
                self._first, [Message(role=Role.ASSISTANT, parts=parts, at=self._at, model=model, usage=usage)]
            )
        self._reply, self._first, self._parts, self._at = "", "", [], 0.0

    def _condense(self, name: str, event: Fields, at: float) -> None:
        forgotten, offset = set(event.strings("forgotten_event_ids")), event.count("summary_offset")
        sent = [each for each in self._sent if each not in forgotten and f"{each}-summary" not in forgotten]
        kept = [entry for each in sent for entry in self._session.entries_of(each)]
        before = [entry for each in sent[:offset] for entry in self._session.entries_of(each)]
        summary, follows = event.text("summary"), before[-1] if before else ""
        compaction = ForeignCompaction(name, self._session.end, summary, at, kept=tuple(kept), follows=follows)
        self._session.compact(name, compaction)
        self._sent = [*sent[:offset], name, *sent[offset:]]


def _reply(message: Fields) -> Iterator[Part]:
    message.skip("role")
    if thought := message.text("reasoning_content"):
        yield Reasoning(thought)
    yield from _parts(message, "content")


def _call(event: Fields) -> Iterator[Part]:
    if thought := event.text("reasoning_content"):
        yield Reasoning(thought)
    yield from _parts(event, "thought")
    call = event.object("tool_call")
    event.skip("action", "tool_call_id")  # they repeat the call
    name = call.text("name") or event.text("tool_name") or "tool"
    yield ToolCall(call.text("id"), name, arguments_json(call.value("arguments")))


def _result(event: Fields, at: float) -> Message:
    """Return a result, an error of the agent, or the user's refusal of a call."""
    observation, call_id = event.object("observation"), event.text("tool_call_id")
    parts = [*_parts(observation, "content")]
    problem = event.text("error") or event.text("rejection_reason")
    text = "\n\n".join(filter(None, [*(part.text for part in parts if isinstance(part, Text)), problem]))
    is_error = observation.flag("is_error") or bool(problem) or observation.number("exit_code") != 0
    ending = "denied" if event.peek("kind") == "UserRejectObservation" else ""
    result = ToolResult(call_id, event.text("tool_name") or "tool", text, is_error, ending=ending)
    return Message(role=Role.TOOL, parts=(result, *(part for part in parts if isinstance(part, Attachment))), at=at)


def _parts(holder: Fields, field: str) -> Iterator[Part]:
    for each in holder.objects(field):
        if text := each.text("text"):
            yield Text(text)
        yield from map(attachment_at, each.strings("image_urls"))


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.openhands/conversations, or the folder of a conversation in it"),
    recognizes,
    read,
    homes=(".openhands/conversations",),
)
