"""The texts of a row: its tags and numbers, and its words for screen readers and the clipboard."""

from __future__ import annotations

import json
import re
import time
from datetime import datetime

from msgspec.structs import replace

from desktop_app.conversation.events import MessageRow, MessageState, OperationRow
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import REPLY_ENDINGS, CallSandbox, Role, ToolCall
from desktop_app.conversation.words import translatable
from desktop_app.ui.engine_texts import join_sentences
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import (
    first_line,
    format_time,
    format_title,
    format_wait,
    readable_text,
    speaker_of,
)
from desktop_app.ui.widgets.invisible import escape_invisible

from .call_diff import TEXTS, arguments_of, changes_in_call
from .display_list import Action
from .items import FailureItem, Item, MarkItem, MessageItem, RunItem, ToolItem
from .pages import GapItem
from .replies import OtherVersionsItem, ReplyItem
from .row_builder import NO_VERSIONS, ActionLink, Tag, TagFrame, Versions
from .tool_runs import summary_of_run

OTHER_VERSIONS = translatable("This conversation goes on in another version.")

PLACES: dict[CallSandbox, str] = {
    "closed": translatable("in the sandbox · no network"),
    "network": translatable("in the sandbox"),
    "outside": translatable("outside of the sandbox"),
    "missing": translatable("no sandbox"),
}
SPEAKERS = (Role.USER, Role.ASSISTANT)
MIN_SECONDS = 0.05  # of a call: "0.0 s" says nothing
MAX_RAW_LINE = 50_000  # characters of a line of output that are read, with what is not shown of it
MAX_LINE = 400  # characters of a line of a running tool's output
# Colours and cursor movements, titles of a terminal's window, and other control characters that are no line's end.
_CONTROLS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\x00-\x08\x0b\x0c\x0e-\x1f]")


def tags_of(row: MessageRow) -> list[Tag]:
    """Return the tags of a message's state."""
    tags: list[Tag] = []
    if row.is_pinned:
        tags.append(Tag(tr("◆ pinned"), Segment.PINNED, TagFrame.NOTHING))
    if row.state is MessageState.ARCHIVED:
        tags.append(Tag(tr("summarized"), "accent", TagFrame.ACCENT))
    if row.state is MessageState.PRUNED:
        tags.append(Tag(tr("shortened"), "warning"))
    if row.message.is_interrupted:
        tags.append(Tag(tr("interrupted"), "warning"))
    elif row.message.ending:
        tags.append(Tag(tr(REPLY_ENDINGS[row.message.ending]), "warning"))
    return tags


def meta_of(row: MessageRow, tokens: int, has_clock: bool = True) -> str:
    """Return the time, or the duration, and the tokens. tokens: those in the request."""
    parts = [clock_time(row.message.at, time.time())] if has_clock and row.message.at else []
    if not has_clock and (row.message.seconds or 0) >= MIN_SECONDS:
        parts.append(format_wait(row.message.seconds))
    return " · ".join([*parts, tr("%n tokens", "", tokens)])


def place_of(row: MessageRow) -> str:
    """Return where the program of a tool's result ran, if that is worth a word; else ""."""
    result = row.message.tool_result
    return tr(PLACES[result.sandbox]) if result is not None and result.sandbox else ""


def actions_of(item: MessageItem) -> list[ActionLink]:
    """Return what is offered beside the message while the mouse is over it."""
    row, key = item.row, item.row.message.id
    # First, since it goes once it is done: nothing else moves to where the mouse is.
    links = [ActionLink(Action.BRING_BACK, key)] if row.state is MessageState.ARCHIVED else []
    links.append(ActionLink(Action.COPY, key))
    if row.message.role is Role.USER:
        links.append(ActionLink(Action.EDIT_MESSAGE, key, tr("Edit")))
    if item.can_regenerate:
        links.append(ActionLink(Action.REGENERATE, key))
    links.append(ActionLink(Action.UNPIN if row.is_pinned else Action.PIN, key))
    return [*links, ActionLink(Action.MORE, key)] if row.message.role in SPEAKERS else links


def versions_of(row: MessageRow) -> Versions:
    """Return which version of a message it is, with the links to those before and after it."""
    ids = row.versions
    if row.message.id not in ids or len(ids) < 2:
        return NO_VERSIONS
    number = ids.index(row.message.id)
    before, after = ids[number - 1] if number else "", ids[number + 1] if number + 1 < len(ids) else ""
    links = replace(NO_VERSIONS.before, argument=before), replace(NO_VERSIONS.after, argument=after)
    return Versions(number + 1, len(ids), *links)


def clock_time(at: float, now: float) -> str:
    """Return the time of a message: of today's, the clock alone."""
    is_today = datetime.fromtimestamp(at).date() == datetime.fromtimestamp(now).date()
    return f"{datetime.fromtimestamp(at):%H:%M}" if is_today else format_time(at, now)


def arguments_summary(call: ToolCall) -> str:
    """Return a call's arguments on one line: the first value bare, the others with their names.

    Of what is written to a file only how many lines change: the card shows them as a diff.
    """
    named = _words_of_arguments(call)
    if named is None:
        return escape_invisible(first_line(call.arguments))
    changes = changes_in_call(call)
    if changes:
        named = [(name, word) for name, word in named if name not in TEXTS]
    words = [word if not index else f"{name}={word}" for index, (name, word) in enumerate(named)]
    return escape_invisible(first_line("  ".join((*words, changes.size) if changes else words)))


def arguments_text(call: ToolCall) -> str:
    """Return a call's arguments with their names; text of several lines as it is, not as JSON."""
    named = _words_of_arguments(call)
    if named is None:
        return call.arguments
    return "\n".join(f"{name}:\n{word}" if "\n" in word else f"{name}: {word}" for name, word in named)


def _words_of_arguments(call: ToolCall) -> list[tuple[str, str]] | None:
    """Return names and values as text; None for what is not a JSON object."""
    arguments = arguments_of(call)
    if arguments is None:
        return None
    return [(name, word if isinstance(word, str) else json.dumps(word)) for name, word in arguments.items()]


def copied_text(item: Item | None) -> str:
    """Return what is copied of a row: a message as it was written."""
    match item:
        case None:
            return ""
        case MessageItem(row):
            return readable_text(row.message)
        case ReplyItem():
            return item.text
        case _:
            return accessible_text(item)


def spoken_text(item: Item) -> str:
    """Return what somebody wrote; "" for rows of the window's own words."""
    match item:
        case MessageItem(row):
            return row.message.text
        case ReplyItem():
            return item.text
        case _:
            return ""


def accessible_text(item: Item) -> str:
    """Return the row in words."""
    match item:
        case MessageItem(row):
            where = f" ({place})" if (place := place_of(row)) else ""
            return f"{speaker_of(row.message)}{where}: {readable_text(row.message)}"
        case GapItem(count=count):
            return tr("%n messages not loaded yet", "", count)
        case OtherVersionsItem():
            return tr(OTHER_VERSIONS)
        case ReplyItem():
            return tr("{name} is writing: {text}").format(name=item.reply.model or tr("Assistant"), text=item.text)
        case ToolItem(call=call, run=run):
            words = tr("{tool} waits: {arguments}") if run is None else tr("{tool} is running: {arguments}")
            return words.format(tool=call.name, arguments=arguments_summary(call))
        case MarkItem(operation):
            return mark_text(operation)
        case RunItem():
            return summary_of_run(item)
        case FailureItem(failure):
            return join_sentences(failure.title, failure.detail, failure.kept, failure.advice)


def mark_text(operation: OperationRow) -> str:
    """Return what an operation did, such as "42 messages summarized"."""
    if not operation.is_elsewhere:
        return _deed(operation)
    return tr("{deed} in another version", "such as “42 messages summarized”").format(deed=_deed(operation))


def _deed(operation: OperationRow) -> str:
    match operation.kind:
        case "compaction" if operation.is_beginning:
            return tr("Begins with a summary")
        case "compaction":
            words = tr("%n messages left out", "", operation.messages)
            return words if operation.has_no_summary else tr("%n messages summarized", "", operation.messages)
        case "flush":
            return tr("%n memories saved", "", operation.messages)
        case "link":
            is_sequel = "from" in operation.strategies
            words = tr("Continues “{conversation}”") if is_sequel else tr("Continued in “{conversation}”")
            title = format_title(operation.note) if operation.note else tr("another conversation")
            return words.format(conversation=title)
        case _:
            return tr("%n tool results shortened", "", operation.messages)


def plain_output(text: str) -> str:
    """Return what a terminal would show: no colours, and of a line that was rewritten its last state."""
    shown = _CONTROLS.sub("", text.replace("\r\n", "\n"))
    if "\r" not in shown:
        return shown
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in shown.split("\n"))


def beginning_of_output(text: str, most_lines: int, room: int) -> tuple[str, bool]:
    """Return the first lines of what a terminal would show, about as many characters as there is room for, and whether
    that is all: of an output of megabytes no more is read."""
    lines: list[str] = []
    at = taken = 0
    while 0 <= at <= len(text) and len(lines) < most_lines and taken <= room + 1:
        end = text.find("\n", at)
        line = text[at : end if end >= 0 else len(text)].rstrip("\r")
        line = line[line.rfind("\r") + 1 :]
        if len(line) > MAX_RAW_LINE:
            return "\n".join([*lines, plain_output(line[:MAX_RAW_LINE])]), False
        lines.append(plain_output(line))
        taken += len(lines[-1]) + 1
        at = end + 1 or len(text) + 1
    return "\n".join(lines), at > len(text)


def last_lines(text: str, most: int) -> str:
    """Return the last lines of an output, each cut to what can be shown."""
    lines = plain_output(text).rstrip("\n").split("\n")[-most:]
    return "\n".join(line if len(line) <= MAX_LINE else line[:MAX_LINE] + "…" for line in lines)
