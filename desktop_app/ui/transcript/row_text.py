"""The texts of a row: its tags, numbers and menu, and its text for screen readers and the clipboard."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import Enum
from itertools import zip_longest

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QRectF
from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor, QTextDocument, QTextListFormat, QTextTable

from desktop_app.conversation.events import MessageRow, MessageState, OperationRow
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import REPLY_ENDINGS, CallSandbox, Role, ToolCall
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import join_sentences, tr
from desktop_app.ui.widgets.number_formats import (
    escape_invisible,
    first_line,
    format_time,
    format_title,
    format_wait,
    readable_text,
    shorten,
    speaker_of,
)

from .call_diff import TEXTS, arguments_of, changes_in_call
from .formulas import selected_text
from .row_builder import NO_VERSIONS, ActionLink, Tag, TagFrame, Versions
from .row_painter import Action, Flow, HitRegion, Picture, RowLayout, TextLine
from .tool_runs import summary_of_run
from .transcript_items import (
    FailureItem,
    GapItem,
    Item,
    MarkItem,
    MessageItem,
    OtherVersionsItem,
    ReplyItem,
    RunItem,
    ToolItem,
)

OTHER_VERSIONS = translatable("This conversation goes on in another version.")

PLACES: dict[CallSandbox, str] = {
    "closed": translatable("in the sandbox · no network"),
    "network": translatable("in the sandbox"),
    "outside": translatable("outside of the sandbox"),
    "missing": translatable("no sandbox"),
}
SPEAKERS = (Role.USER, Role.ASSISTANT)
MIN_SECONDS = 0.05  # a shorter duration of a call, "0.0 s", is not shown
MAX_RAW_LINE = 50_000  # characters of a line of output that are read, including control sequences
BULLETS = (QTextListFormat.Style.ListDisc, QTextListFormat.Style.ListCircle, QTextListFormat.Style.ListSquare)
MAX_SPOKEN = 10_000  # characters of a row that a screen reader says at once
MAX_LINE = 400  # characters of a line of a running tool's output
# Colours and cursor movements, terminal window titles, and other control characters except line ends.
_CONTROLS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\x00-\x08\x0b\x0c\x0e-\x1f]")


def tags_of(row: MessageRow) -> list[Tag]:
    """Return tags for the state of a message."""
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
    """Return the time, or the duration without `has_clock`, and the tokens. tokens: the message's in the request."""
    parts = [clock_time(row.message.at, time.time())] if has_clock and row.message.at else []
    if not has_clock and (row.message.seconds or 0) >= MIN_SECONDS:
        parts.append(format_wait(row.message.seconds))
    return " · ".join([*parts, tr("%n tokens", "", tokens)])


def place_of(row: MessageRow) -> str:
    """Return where the program of a tool's result ran, in or outside of the sandbox; "" if that is not known."""
    result = row.message.tool_result
    return tr(PLACES[result.sandbox]) if result is not None and result.sandbox else ""


def actions_of(item: MessageItem) -> list[ActionLink]:
    """Return the actions that are shown next to a message while the mouse is over it."""
    row, key = item.row, item.row.message.id
    # The first one, since it disappears once it is done: otherwise another action would move under the mouse.
    links = [ActionLink(Action.BRING_BACK, key)] if row.state is MessageState.ARCHIVED else []
    links.append(ActionLink(Action.COPY, key))
    if row.message.role is Role.USER:
        links.append(ActionLink(Action.EDIT_MESSAGE, key, tr("Edit")))
    if item.can_regenerate:
        links.append(ActionLink(Action.REGENERATE, key))
    links.append(ActionLink(Action.UNPIN if row.is_pinned else Action.PIN, key))
    return [*links, ActionLink(Action.MORE, key)] if row.message.role in SPEAKERS else links


def versions_of(row: MessageRow) -> Versions:
    """Return the number of a message's version, with links to the previous and the next one."""
    ids = row.versions
    if row.message.id not in ids or len(ids) < 2:
        return NO_VERSIONS
    number = ids.index(row.message.id)
    before, after = ids[number - 1] if number else "", ids[number + 1] if number + 1 < len(ids) else ""
    links = replace(NO_VERSIONS.before, argument=before), replace(NO_VERSIONS.after, argument=after)
    return Versions(number + 1, len(ids), *links)


def clock_time(at: float, now: float) -> str:
    """Return the time of a message, without the date if it is today's."""
    is_today = datetime.fromtimestamp(at).date() == datetime.fromtimestamp(now).date()
    return f"{datetime.fromtimestamp(at):%H:%M}" if is_today else format_time(at, now)


def arguments_summary(call: ToolCall) -> str:
    """Return a call's arguments on one line: the first value alone, the others with their names.

    For text that is written to a file, include only the number of changed lines: the card shows a diff.
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
    """Return a call's arguments with their names; text values unchanged, not as JSON."""
    named = _words_of_arguments(call)
    if named is None:
        return call.arguments
    return "\n".join(f"{name}:\n{word}" if "\n" in word else f"{name}: {word}" for name, word in named)


def _words_of_arguments(call: ToolCall) -> list[tuple[str, str]] | None:
    """Return the names and values as text; None if the arguments are not a JSON object."""
    arguments = arguments_of(call)
    if arguments is None:
        return None
    return [(name, word if isinstance(word, str) else json.dumps(word)) for name, word in arguments.items()]


def copied_text(item: Item | None) -> str:
    """Return the text to copy from a row; for a message, its source."""
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
    """Return the text of a message or reply; "" for rows with the window's own texts."""
    match item:
        case MessageItem(row):
            return row.message.text
        case ReplyItem():
            return item.text
        case _:
            return ""


def accessible_text(item: Item) -> str:
    """Return the text of a row for screen readers."""
    match item:
        case MessageItem(row):
            suffix = f" ({place})" if (place := place_of(row)) else ""
            return f"{speaker_of(row.message)}{suffix}: {readable_text(row.message)}"
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
    """Return a text about an operation, such as "42 messages summarized"."""
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
    """Return output as a terminal would show it: without colours, and with the last state of rewritten lines."""
    plain = _CONTROLS.sub("", text.replace("\r\n", "\n"))
    if "\r" not in plain:
        return plain
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n"))


def beginning_of_output(text: str, most_lines: int, most: int) -> tuple[str, bool]:
    """Return the first lines of an output as a terminal would show them, about `most` characters, and whether that is
    all. No more is read, as the output may be megabytes long."""
    lines: list[str] = []
    at = taken = 0
    while 0 <= at <= len(text) and len(lines) < most_lines and taken <= most + 1:
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
    """Return the last lines of an output, each cut to MAX_LINE characters."""
    lines = plain_output(text).rstrip("\n").split("\n")[-most:]
    return "\n".join(line if len(line) <= MAX_LINE else line[:MAX_LINE] + "…" for line in lines)


NAMED_BY_ACTION = (Action.COPY_CODE, Action.SAVE_CODE, Action.EARLIER, Action.LATER)
"""Actions that are named by their value: their painted label is too short without its context."""


class RowPartKind(Enum):
    """The kind of a part."""

    TEXT = "text"
    BUTTON = "button"
    LINK = "link"
    CODE = "code"
    PICTURE = "picture"


class RowPart(msgspec.Struct, frozen=True):
    """A part of a row for screen readers.

    argument: the object of the action, or the target of the link. parts: the text and the buttons of a block of code.
    """

    kind: RowPartKind
    name: str
    box: QRectF
    action: Action | None = None
    argument: str = ""
    parts: tuple[RowPart, ...] = ()
    is_on_hover: bool = False  # such parts come last, so that the text is read before the actions


def name_of_row(layout: RowLayout) -> str:
    """Return the text of the row's first line, such as the speaker and the time."""
    lines = _first_line(layout)
    return ", ".join(filter(None, (line.text.strip(" ·") for line in lines)))


def parts_of_row(layout: RowLayout, is_unfolded: bool) -> list[RowPart]:
    """Return the parts of a row, except the line that is its name. is_unfolded: see `RowBuilder`."""
    blocks = [region for region in layout.hit_regions if region.action is Action.COPY_CODE]
    named = _first_line(layout)
    parts = [_code_part(layout, block) for block in blocks]
    for drawn in layout.drawn:
        match drawn:
            case TextLine(box, text) if drawn not in named and not _is_within(drawn.box, parts):
                parts.append(RowPart(RowPartKind.TEXT, text.strip(" ·"), box))
            case Picture(box):
                parts.append(RowPart(RowPartKind.PICTURE, tr("Picture"), box))
            case Flow() if not (blocks and drawn.is_code):
                parts.append(RowPart(RowPartKind.TEXT, _text_of(drawn.document), drawn.box))
                parts.extend(_links(drawn))
            case _:
                pass
    others = (region for region in layout.hit_regions if not any(_is_beside(region.box, block.box) for block in blocks))
    once = {
        (region.action, region.argument): region for region in others
    }  # the head and the end offer the same actions
    parts += [_button(region, is_unfolded) for region in once.values()]
    return sorted((part for part in parts if part.name), key=_place)


def _place(part: RowPart) -> tuple[bool, int, float]:
    return part.is_on_hover, round(part.box.top()), part.box.left()


def _first_line(layout: RowLayout) -> list[TextLine]:
    """Return the texts of the first line, from left to right."""
    lines = [drawn for drawn in layout.drawn if isinstance(drawn, TextLine)]
    if not lines:
        return []
    middle = min((line.box for line in lines), key=lambda box: box.top()).center().y()
    first = [line for line in lines if line.box.top() <= middle <= line.box.bottom()]
    return sorted(first, key=lambda line: line.box.left())


def _code_part(layout: RowLayout, block: HitRegion) -> RowPart:
    """Return a block of code with its text and its buttons. block: its button that copies the code."""
    beside = [line for line in layout.drawn if isinstance(line, TextLine) and _is_beside(line.box, block.box)]
    language = next((line.text for line in beside), "")
    flows = [flow for flow in layout.flows if flow.is_code and flow.top_left.y() > block.box.top()]
    after = [
        region.box.top()
        for region in layout.hit_regions
        if region.action is Action.COPY_CODE and region.box.top() > block.box.top()
    ]
    below = min(after, default=layout.height)
    boxes = [flow.box for flow in flows if flow.top_left.y() < below]
    outline = QRectF(0, block.box.top(), block.box.right(), max((box.bottom() for box in boxes), default=0))
    outline.setBottom(max([block.box.bottom(), *(box.bottom() for box in boxes)]))
    buttons = [_button(region, False) for region in layout.hit_regions if _is_beside(region.box, block.box)]
    text = RowPart(RowPartKind.TEXT, block.argument, boxes[0] if boxes else outline)
    name = tr("Code in {language}").format(language=language) if language else tr("Code")
    return RowPart(RowPartKind.CODE, name, outline, parts=(text, *buttons))


def _button(region: HitRegion, is_unfolded: bool) -> RowPart:
    if region.words is not None and region.action not in NAMED_BY_ACTION:
        name = region.words.text.strip()
    elif region.action is Action.FOLD:
        name = tr("Show less") if is_unfolded else tr("Show more")
    else:
        name = tr(region.action.value)
    return RowPart(
        RowPartKind.BUTTON, name.lstrip("▸▾ "), region.box, region.action, region.argument, (), region.is_on_hover
    )


def _text_of(document: QTextDocument) -> str:
    """Return the text of a document as it is read aloud: with the sources of its formulas, and with words or signs for
    what its layout says, such as a heading or the number of an item."""
    lines: list[str] = []
    block = document.begin()
    while block.isValid():
        cursor = QTextCursor(block)
        if (table := cursor.currentTable()) is not None:
            lines += _rows_of(table)
            block = table.lastCursorPosition().block().next()
            continue
        lines.append(_words_before(block) + _text_in(block))
        block = block.next()
    return "\n".join(lines).strip("\n")


def _text_in(block: QTextBlock) -> str:
    cursor = QTextCursor(block)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    return selected_text(cursor).strip("\n")  # Qt begins a part of a list with an empty block


def _words_before(block: QTextBlock) -> str:
    """Return what the layout of a block says, to be read before its text."""
    shape, listed = block.blockFormat(), block.textList()
    if level := shape.headingLevel():
        return tr("Heading {level}: ").format(level=level)
    match shape.marker():
        case QTextBlockFormat.MarkerType.Checked:
            return tr("Done: ")
        case QTextBlockFormat.MarkerType.Unchecked:
            return tr("To do: ")
        case _:
            pass
    if listed is None:
        return ""
    return "• " if listed.format().style() in BULLETS else f"{listed.itemText(block)} "


def _rows_of(table: QTextTable) -> Iterator[str]:
    """Yield the rows of a table, each cell after the head of its column."""
    heads: list[str] = []
    for row in range(table.rows()):
        cells = [_cell_text(table, row, column) for column in range(table.columns())]
        yield " | ".join(
            f"{head}: {cell}" if head and cell else cell for head, cell in zip_longest(heads, cells, fillvalue="")
        )
        if row < table.format().headerRowCount():
            heads = cells


def _cell_text(table: QTextTable, row: int, column: int) -> str:
    cell = table.cellAt(row, column)
    cursor = cell.firstCursorPosition()
    cursor.setPosition(cell.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor)
    return selected_text(cursor)


def spoken_name(layout: RowLayout, parts: Sequence[RowPart]) -> str:
    """Return the text of a whole row: a screen reader says the name of the row that it comes to, and not the labels in
    it. The end of a long text is left out."""
    texts = [within.name for part in parts for within in (part, *part.parts) if within.kind is RowPartKind.TEXT]
    return shorten("\n".join(filter(None, (name_of_row(layout), *texts))), MAX_SPOKEN)


def _links(flow: Flow) -> Iterator[RowPart]:
    """Yield the links of a document, each once."""
    for target, text in dict(_anchors(flow.document)).items():
        yield RowPart(RowPartKind.LINK, text, flow.box.adjusted(0, 0.5, 0, 0), argument=target)


def _anchors(document: QTextDocument) -> Iterator[tuple[str, str]]:
    block = document.begin()
    while block.isValid():
        fragments = block.begin()
        while not fragments.atEnd():
            fragment = fragments.fragment()
            if fragment.charFormat().isAnchor() and fragment.charFormat().anchorHref():
                yield fragment.charFormat().anchorHref(), fragment.text()
            fragments += 1
        block = block.next()


def _is_beside(box: QRectF, other: QRectF) -> bool:
    return box.top() <= other.center().y() <= box.bottom()


def _is_within(box: QRectF, parts: list[RowPart]) -> bool:
    return any(part.kind is RowPartKind.CODE and part.box.contains(box.center()) for part in parts)


LABELS = {
    Action.COPY: translatable("Copy message"),
    Action.EDIT_MESSAGE: translatable("Edit and send again"),
    Action.EARLIER: Action.EARLIER.value,
    Action.LATER: Action.LATER.value,
}
"""Labels of actions in a menu, where their message is not next to them."""
LEFT_OUT = (Action.COPY_CODE, Action.SAVE_CODE, Action.MORE)


def menu_of(item: Item, regions: Sequence[HitRegion]) -> list[ActionLink]:
    """Return the actions on a row for its menu: the visible ones, others that did not fit, and more."""
    offered = {(link.action, link.argument): link.label for link in _message_actions(item)}
    offered |= {
        (hot.action, hot.argument): hot.words.text if hot.words else tr("Expand or collapse") for hot in regions
    }
    return [
        ActionLink(action, argument, tr(LABELS[action]) if action in LABELS else label)
        for (action, argument), label in offered.items()
        if action not in LEFT_OUT
    ]


def _message_actions(item: Item) -> list[ActionLink]:
    if not isinstance(item, MessageItem):
        return []
    key = item.row.message.id
    is_sent = item.row.state in (MessageState.IN_VIEW, MessageState.PRUNED)
    seen = [ActionLink(Action.SHOW_REQUEST, key)] if item.row.message.role is Role.ASSISTANT else []
    seen += [ActionLink(Action.SHOW_IN_REQUEST, key)] if is_sent else []
    forks = [ActionLink(Action.FORK, key)] if item.row.message.role in SPEAKERS else []
    exports = [ActionLink(Action.EXPORT_FROM, key), ActionLink(Action.EXPORT_TO, key)] if forks else []
    return [*actions_of(item), *forks, *exports, *seen, ActionLink(Action.READ, item.key)]
