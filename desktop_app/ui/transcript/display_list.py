"""A row that was laid out: what is painted where, and what a click does."""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import (
    QColor,
    QFont,
)

from desktop_app.conversation.words import translatable

from .documents import InkDocument


class Action(StrEnum):
    """What a click does, in the words that are shown for it, translated."""

    COPY = translatable("Copy")
    COPY_CODE = translatable("Copy code")
    SAVE_CODE = translatable("Save code…")
    SHOW_CODE = translatable("Show code")
    WRAP_CODE = translatable("Wrap")
    REGENERATE = translatable("Regenerate")
    PIN = translatable("Pin")
    UNPIN = translatable("Unpin")
    BRING_BACK = translatable("Bring back")
    FOLD = translatable("Collapse")
    FOLD_RUN = translatable("Show or hide the calls")
    READ = translatable("Open as text")
    SHOW_OPERATION = translatable("Show")
    UNDO_OPERATION = translatable("Undo")
    OPEN_CONVERSATION = translatable("Open")
    SHOW_RECALLED = translatable("Show where it was said")
    STOP = translatable("Stop")
    OPEN_ATTACHMENT = translatable("Open attachment")
    SHOW_IN_REQUEST = translatable("Show in the request")
    SHOW_REQUEST = translatable("What the model saw")
    OPEN_WHOLE = translatable("Open whole output")
    TRY_AGAIN = translatable("Try again")
    GO_ON = translatable("Continue")
    CONTINUE_REPLY = translatable("Continue the reply")
    OPTIMIZE_AND_RETRY = translatable("Optimize and retry")
    SEND_ANYWAY = translatable("Send anyway")
    USE_OWN_WINDOW = translatable("Use the full window")
    START_FRESH = translatable("Start fresh with a summary…")
    SWITCH_MODEL = translatable("Switch model…")
    CHOOSE_TOOLS = translatable("Choose tools…")
    SHOW_PINS = translatable("Show pins")
    SHOW_MEMORY = translatable("Show memory")
    EDIT_SETUP = translatable("Edit the system prompt…")
    EXPORT = translatable("Export…")
    OPEN_SETTINGS = translatable("Open settings")
    EARLIER = translatable("Previous version")
    LATER = translatable("Next version")
    FORK = translatable("Branch off into a new conversation")
    MORE = translatable("More…")
    EDIT_MESSAGE = translatable("Edit your message")
    EXPORT_FROM = translatable("Export from here on…")
    EXPORT_TO = translatable("Export up to here…")
    SEND_AS_FILE = translatable("Attach it as a file")
    SEND_CUT = translatable("Cut it")


class Fill(msgspec.Struct, frozen=True):
    """A box. radius: of all corners, unless the top is square."""

    box: QRectF
    fill: QColor | None = None
    border: QColor | None = None
    radius: float = 0
    has_square_top: bool = False


class TextLine(msgspec.Struct, frozen=True):
    """Text on one line, with an ellipsis if it is too long."""

    box: QRectF
    text: str
    font: QFont
    ink: QColor
    is_right_aligned: bool = False


class Flow(msgspec.Struct, frozen=True):
    """A document at a position. language: of code to be highlighted. joint: what separates it from the text before.

    shift: pixels by which its lines are scrolled to the left, up to max_shift, under that key.
    """

    top_left: QPointF
    document: InkDocument
    language: str = ""
    is_code: bool = False
    joint: str = "\n"
    shift: float = 0
    max_shift: float = 0
    shift_key: str = ""

    def inside(self, point: QPointF) -> QPointF:
        """Return a point of the row as one of the document."""
        return point - self.top_left + QPointF(self.shift, 0)

    @property
    def box(self) -> QRectF:
        size = self.document.size()
        return QRectF(self.top_left.x(), self.top_left.y(), self.document.textWidth(), size.height())


class Picture(msgspec.Struct, frozen=True):
    """An attached image, by its data URL."""

    box: QRectF
    url: str
    radius: float = 0


class DrawnGraphic(msgspec.Struct, frozen=True):
    """A diagram, by its name."""

    box: QRectF
    name: str


class DashedRule(msgspec.Struct, frozen=True):
    """A dashed horizontal rule."""

    left: QPointF
    length: float
    ink: QColor


class HitRegion(msgspec.Struct, frozen=True):
    """A region that can be clicked. argument: what the action is about. is_on_hover: shown while the row is hovered."""

    box: QRectF
    action: Action
    argument: str
    words: TextLine | None = None
    is_on_hover: bool = False


DisplayItem = Fill | TextLine | Flow | DashedRule | Picture | DrawnGraphic


class CodeHead(msgspec.Struct):
    """The line above the block of code with that key. end: where the block ends, in pixels from the top of the row."""

    key: str
    box: QRectF
    end: float

    def shift_at(self, top: float) -> float:
        """Return by how much it is painted lower, so that it stays in sight where the row is cut off at `top`."""
        return max(min(top, self.end - self.box.height()) - self.box.top(), 0.0) if top < self.end else 0.0


class RowLayout(msgspec.Struct):
    """A row, laid out from (0, 0) in a column.

    opacity: below 1 for what the model does not see. is_complete: whether all of it was laid out.
    """

    drawn: list[DisplayItem] = []
    hit_regions: list[HitRegion] = []
    code_heads: list[CodeHead] = []
    height: float = 0
    opacity: float = 1.0
    message_id: str = ""
    is_complete: bool = True

    @property
    def flows(self) -> list[Flow]:
        """The documents, top to bottom."""
        return [drawn for drawn in self.drawn if isinstance(drawn, Flow)]

    def shifted_head(self, top: float) -> tuple[CodeHead, float] | None:
        """Return the head of the block that goes through `top`, and by how much it is painted lower; None without."""
        shifts = ((head, head.shift_at(top)) for head in self.code_heads)
        return next(((head, shift) for head, shift in shifts if shift), None)

    def point_under(self, point: QPointF, top: float) -> QPointF:
        """Return the point of the row that is painted at a point of it, where the row is cut off at `top`."""
        head = self.shifted_head(top)
        if head is not None and head[0].box.translated(0, head[1]).contains(point):
            return point - QPointF(0, head[1])
        return point

    def region_at(self, point: QPointF, is_hovered: bool) -> HitRegion | None:
        return next((h for h in self.hit_regions if h.box.contains(point) and (is_hovered or not h.is_on_hover)), None)


def mirror(layout: RowLayout, width: float) -> None:
    """Turn the row around, for a window that is read from right to left; inside a document nothing moves."""

    def turned(drawn: DisplayItem) -> DisplayItem:
        match drawn:
            case Flow(top_left):
                return replace(drawn, top_left=QPointF(width - drawn.box.right(), top_left.y()))
            case DashedRule(left, length):
                return replace(drawn, left=QPointF(width - left.x() - length, left.y()))
            case _:
                return replace(drawn, box=turned_box(drawn.box))

    def turned_box(box: QRectF) -> QRectF:
        return QRectF(width - box.right(), box.top(), box.width(), box.height())

    layout.drawn = [turned(drawn) for drawn in layout.drawn]
    layout.hit_regions = [
        replace(
            region,
            box=turned_box(region.box),
            words=replace(region.words, box=turned_box(region.words.box)) if region.words else None,
        )
        for region in layout.hit_regions
    ]
