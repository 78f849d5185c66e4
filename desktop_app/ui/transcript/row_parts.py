"""What a row shows, in the order in which it is read: for screen readers."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import msgspec
from PySide6.QtCore import QRectF
from PySide6.QtGui import QTextCursor, QTextDocument

from desktop_app.ui.translation import tr

from .display_list import Action, Flow, HitRegion, Picture, RowLayout, TextLine
from .formulas import selected_text

NAMED_BY_ACTION = (Action.COPY_CODE, Action.SAVE_CODE, Action.EARLIER, Action.LATER)
"""What is painted of these is too short where their place is not seen."""


class RowPartKind(Enum):
    """What a part is."""

    TEXT = "text"
    BUTTON = "button"
    LINK = "link"
    CODE = "code"
    PICTURE = "picture"


class RowPart(msgspec.Struct, frozen=True):
    """A part of a row. argument: what the action is about, or where the link leads. parts: of a block of code."""

    kind: RowPartKind
    name: str
    box: QRectF
    action: Action | None = None
    argument: str = ""
    parts: tuple[RowPart, ...] = ()
    is_on_hover: bool = False  # these come last: what is said is heard before what can be done with it


def name_of_row(layout: RowLayout) -> str:
    """Return what the row's first line says, such as who spoke, and when."""
    lines = _first_line(layout)
    return ", ".join(filter(None, (line.text.strip(" ·") for line in lines)))


def parts_of_row(layout: RowLayout, is_unfolded: bool) -> list[RowPart]:
    """Return what the row shows, except for what is its name. is_unfolded: see `RowBuilder`."""
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
    others = (region for region in layout.hit_regions if not any(_is_beside(region.box, one.box) for one in blocks))
    once = {(region.action, region.argument): region for region in others}  # the head and the end offer the same
    parts += [_button(region, is_unfolded) for region in once.values()]
    return sorted((part for part in parts if part.name), key=_place)


def _place(part: RowPart) -> tuple[bool, int, float]:
    return part.is_on_hover, round(part.box.top()), part.box.left()


def _first_line(layout: RowLayout) -> list[TextLine]:
    """Return the texts of the first line, from the left."""
    lines = [drawn for drawn in layout.drawn if isinstance(drawn, TextLine)]
    if not lines:
        return []
    middle = min((line.box for line in lines), key=lambda box: box.top()).center().y()
    first = [line for line in lines if line.box.top() <= middle <= line.box.bottom()]
    return sorted(first, key=lambda line: line.box.left())


def _code_part(layout: RowLayout, block: HitRegion) -> RowPart:
    """Return a block of code with its text and its buttons, by the button that copies it."""
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
    whole = QRectF(0, block.box.top(), block.box.right(), max((box.bottom() for box in boxes), default=0))
    whole.setBottom(max([block.box.bottom(), *(box.bottom() for box in boxes)]))
    buttons = [_button(region, False) for region in layout.hit_regions if _is_beside(region.box, block.box)]
    text = RowPart(RowPartKind.TEXT, block.argument, boxes[0] if boxes else whole)
    name = tr("Code in {language}").format(language=language) if language else tr("Code")
    return RowPart(RowPartKind.CODE, name, whole, parts=(text, *buttons))


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
    """Return the text, with formulas as they were written."""
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    return selected_text(cursor)


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
