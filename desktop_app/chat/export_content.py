"""The content of an export, independent of its format: the messages of one branch, and notes for the reader."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import msgspec

from desktop_app.context.text_cuts import head_of
from desktop_app.context.view.view import View, assemble, inseparable_ids
from desktop_app.conversation.branches import Branches
from desktop_app.conversation.listing import title_in_english
from desktop_app.conversation.markdown_html import Drawing, Graphic, graphics_in
from desktop_app.conversation.message import REPLY_ENDINGS, Message, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.message_rows import MessageState
from desktop_app.conversation.words import pluralize

from .tasks import CheckPoint

SPEAKERS = {Role.SYSTEM: "System", Role.USER: "You", Role.ASSISTANT: "Assistant", Role.TOOL: "Tool"}
MAX_ARGUMENT = 100  # characters, after the name of the tool


class ExportContent(msgspec.Struct, frozen=True):
    """A branch, or a part of one, to be exported."""

    title: str
    messages: tuple[Message, ...]
    project: str = ""
    """The name of the conversation's project; "" for none."""
    notes: tuple[str, ...] = ()
    """Sentences for the top of the export."""
    marks: Mapping[str, tuple[str, ...]] = {}
    """Tags of messages, by message id: "summary", "archived", "version 2 of 3"."""
    drawings: Mapping[Graphic, Drawing] = {}
    """Rendered formulas and diagrams."""

    def calls_of_results(self) -> dict[str, ToolCall]:
        """Map the id of each tool message to the call that it answers. Call ids may repeat: the newest call counts."""
        calls: dict[str, ToolCall] = {}
        answered: dict[str, ToolCall] = {}
        for message in self.messages:
            calls |= {call.call_id: call for call in message.tool_calls}
            result = message.tool_result
            if result is not None and result.call_id in calls:
                answered[message.id] = calls[result.call_id]
        return answered

    def details_of(self, message: Message) -> list[str]:
        """Return the line under a message's heading, in pieces: its model, its marks, and how it ended."""
        model = message.model.rsplit("/", 1)[-1]
        ended = "interrupted" if message.is_interrupted else REPLY_ENDINGS.get(message.ending, "")
        goes_on = ["continued"] if message.continues else []
        return [*filter(None, [model]), *self.marks.get(message.id, ()), *goes_on, *filter(None, [ended])]


class ExportedPart(msgspec.Struct, frozen=True):
    """The part of a conversation to export.

    scope: "record" for the recorded messages, "view" for what the model sees now. first, last: ids of the first and
    the last recorded message to export; "" for the beginning and the end of the branch. They override the scope.
    """

    scope: str = "record"
    first: str = ""
    last: str = ""


WHOLE = ExportedPart()


def content_of(title: str, view: View, part: ExportedPart = WHOLE, project: str = "") -> ExportContent:
    """Return the content to export: the current branch only, so never two versions of a message."""
    title = title_in_english(" ".join(title.split()))
    if part.scope == "view" and not (part.first or part.last):
        notes = ("This is what the model sees now.",)
        return ExportContent(title, tuple(assemble(view)), project, notes, _marks_of_view(view))
    recorded = [entry for entry in view.path if isinstance(entry, Message)]
    chosen = _between(recorded, part.first, part.last) if part.first or part.last else recorded
    marks = dict(_marks_of(view, chosen))
    notes = tuple(_notes(view, chosen, is_part=len(chosen) < len(recorded)))
    return ExportContent(title, tuple(chosen), project, notes, marks)


def graphics_of(content: ExportContent, check: CheckPoint) -> list[Graphic]:
    """Return the distinct formulas and diagrams. check: called before each message."""
    texts = (
        part.text
        for message in content.messages
        if message.role is not Role.SYSTEM and check() is None
        for part in message.parts
        if isinstance(part, Text | Reasoning)
    )
    return list(dict.fromkeys(graphic for text in texts for graphic in graphics_in(text)))


def _marks_of_view(view: View) -> dict[str, tuple[str, ...]]:
    """Return the marks of the messages that are in the view only: the summary, and recalled excerpts."""
    recalled = {recalled.id: ("recalled",) for recalled in view.recalled.values()}
    return recalled | ({view.summary.id: ("summary",)} if view.summary is not None else {})


def _marks_of(view: View, messages: Iterable[Message]) -> Iterator[tuple[str, tuple[str, ...]]]:
    branches = Branches(view.entries) if view.path is not view.entries else None
    for message in messages:
        marks: list[str] = []
        versions = branches.versions(message.id) if branches is not None else ()
        if len(versions) > 1:
            marks.append(f"version {versions.index(message.id) + 1} of {len(versions)}")
        if _is_archived(view, message):
            marks.append("archived")
        if marks:
            yield message.id, tuple(marks)


def _is_archived(view: View, message: Message) -> bool:
    status = view.statuses.get(message.id)
    return status is not None and status.state is MessageState.ARCHIVED


def _notes(view: View, messages: Iterable[Message], *, is_part: bool) -> Iterator[str]:
    if is_part:
        yield "This is a part of the conversation."
    if left := sum(status.state is MessageState.ABANDONED for status in view.statuses.values()):
        yield f"One version of each message is here; those left out have {pluralize(left, 'message')}."
    if archived := sum(_is_archived(view, message) for message in messages):
        yield f"Marked “archived”: {pluralize(archived, 'message')}, in whose place the model sees a summary."


def _between(messages: list[Message], first: str, last: str) -> list[Message]:
    """Return the messages from `first` to `last`, inclusive, without separating calls from their results."""
    ids = [message.id for message in messages]
    wanted = inseparable_ids(messages, {one for one in (first, last) if one in ids})
    indexes = [ids.index(one) for one in wanted]
    begin = min(indexes) if first and indexes else 0
    end = max(indexes) + 1 if last and indexes else len(messages)
    return messages[begin:end]


def exported_speaker(message: Message) -> str:
    """Return the name of the message's speaker, or its role."""
    return " ".join(message.speaker.split()) or SPEAKERS[message.role]


def local_time(at: float) -> datetime | None:
    """Return a timestamp in the local time zone; None for 0 and for one out of range."""
    try:
        return datetime.fromtimestamp(at).astimezone() if at else None
    except (OverflowError, ValueError, OSError):
        return None


def ending_of(result: ToolResult) -> str:
    """Return the outcome of a call, in words."""
    words = {
        "denied": "was not allowed",
        "stopped": "was stopped",
        "timed_out": "took too long",
        "repeated": "was not run again",
    }
    return words.get(result.ending, "failed" if result.is_error else "answered")


def call_words(call: ToolCall) -> str:
    """Return a call on one line: the tool's name and its first argument."""
    named = _arguments_of(call)
    value = next(iter(named.values()), "")
    first = next(iter((value if isinstance(value, str) else json.dumps(value)).strip().splitlines()), "")
    cut = head_of(first, MAX_ARGUMENT)
    return " ".join(f"{call.name} {cut}{'…' if cut != first else ''}".split())


def call_arguments(call: ToolCall) -> str:
    """Return the arguments as the model wrote them, or as plain text if one has several lines, for legibility."""
    named = _arguments_of(call)
    if not any(isinstance(value, str) and "\n" in value for value in named.values()):
        return call.arguments
    words = {name: value if isinstance(value, str) else json.dumps(value) for name, value in named.items()}
    return "\n".join(f"{name}:\n{word}" if "\n" in word else f"{name}: {word}" for name, word in words.items())


def _arguments_of(call: ToolCall) -> dict[str, object]:
    try:
        arguments: object = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return msgspec.convert(arguments, dict[str, object]) if isinstance(arguments, dict) else {}
