"""The layout of each kind of row, and the cache of row layouts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QGuiApplication

from desktop_app.conversation.events import MessageState
from desktop_app.conversation.message import Message, Reasoning, Role, Text
from desktop_app.ui.theme import theme
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.look import MEDIUM, Corner, colour, font, scale
from desktop_app.ui.widgets.number_formats import speaker_of
from desktop_app.ui.widgets.pictures import graphics

from .cards import (
    estimated_attachments_height,
    lay_out_attachments,
    lay_out_failure,
    lay_out_mark,
    lay_out_missing,
    lay_out_other_versions,
)
from .documents import LINE_HEIGHT, DocumentCache, text_direction
from .row_builder import ACTION_GAP, ActionLink, RowBuilder, Tag, advance, fold_sign
from .row_painter import Action, Fill, Flow, RowLayout, mirror
from .row_text import actions_of, arguments_summary, meta_of, spoken_text, tags_of, versions_of
from .text_flow import estimated_text_height, flow_markdown, flow_plain
from .tool_card import CARD_LINES, HEAD, lay_out_result, lay_out_running
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

LONG = 20_000  # characters beyond which a user's message is shortened until it is unfolded
LONG_SHOWN = 6_000  # characters of a shortened message
MAX_COUNTED = 500_000  # characters in which words are counted
RUN_HEIGHT = 22  # pixels of the line that represents several calls
ACTIONS_HEIGHT = 24  # pixels of the actions below a reply
GAP_MESSAGE = 130  # pixels for a message that is not loaded
ARCHIVED_OPACITY = 0.55


def lay_out(builder: RowBuilder, item: Item) -> RowLayout:
    """Lay a row out."""
    match item:
        case MessageItem(row) if row.message.role is Role.SYSTEM:
            title = tr("System prompt · %n tokens", "", builder.tokens_of(row))
            _foldable(builder, item.key, title, row.message.text, tags_of(row))
        case MessageItem(row) if row.message.role is Role.TOOL:
            lay_out_result(builder, item)
        case MessageItem():
            _message(builder, item)
        case OtherVersionsItem(ids):
            lay_out_other_versions(builder, ids)
        case ReplyItem():
            _reply(builder, item)
        case ToolItem():
            lay_out_running(builder, item)
        case RunItem():
            _run(builder, item)
        case GapItem():
            builder.y = estimated_height(item, builder.width)
        case MarkItem(operation):
            lay_out_mark(builder, operation)
        case FailureItem(failure):
            lay_out_failure(builder, failure)
    if isinstance(item, MessageItem):
        lay_out_missing(builder, item)
        builder.layout.message_id = item.row.message.id
        builder.layout.opacity = ARCHIVED_OPACITY if item.row.state is MessageState.ARCHIVED else 1.0
    return builder.finish()


def estimated_height(item: Item, width: float) -> float:
    """Return the approximate height of a row, for the scroll bar."""
    match item:
        case MessageItem(row) if row.message.role is Role.SYSTEM:
            return scale(20)
        case MessageItem(row) if row.message.role is Role.TOOL:
            lines = min(row.message.text.count("\n") + 1, CARD_LINES)
            return scale(40 + 19 * lines + 20) + estimated_attachments_height(row.message)
        case MessageItem(row):
            is_user, text = row.message.role is Role.USER, row.message.text
            visible = text[:LONG_SHOWN] if is_user and len(text) > LONG else text
            below = 24 if is_user else ACTIONS_HEIGHT if _ends_turn(row.message) else 0
            around = scale(20 + below) + estimated_attachments_height(row.message)
            return around + estimated_text_height(visible, width, LINE_HEIGHT)
        case ToolItem():
            return scale(HEAD)
        case RunItem():
            return scale(RUN_HEIGHT)
        case GapItem(first, last):
            return scale(GAP_MESSAGE) * (last - first + 1)
        case _:
            return scale(60)


def _message(builder: RowBuilder, item: MessageItem) -> None:
    message = item.row.message
    name = speaker_of(message)
    if message.tool_calls and not message.text and not item.unanswered:
        tools = ", ".join(call.name for call in message.tool_calls)
        name = tr("{name} called {tools}").format(name=name, tools=tools)
    meta = meta_of(item.row, builder.tokens_of(item.row))
    builder.head_line(name, tags_of(item.row), meta, actions_of(item), versions_of(item.row))
    _reasoning(builder, item.key, "\n\n".join(p.text for p in message.parts if isinstance(p, Reasoning)))
    if message.role is Role.USER and message.text:
        _user_box(builder, item.key, message.text)
    elif message.text:
        builder.skip(6 if message.text.startswith(("```", "~~~")) else 2)
        if not flow_markdown(builder, item.key, message.text):
            builder.skip(4)
            label = tr("Show all %n characters", "", len(message.text))
            builder.link(0, ActionLink(Action.READ, item.key, label), font(13, MEDIUM), scale(22))
            builder.y += scale(22)
    elif all(isinstance(part, Text) for part in message.parts):
        builder.words(0, tr("(no text)"), font(13), "ink_faint", scale(22))
        builder.y += scale(22)
    lay_out_attachments(builder, message)
    for call in item.unanswered:
        builder.skip(6)
        _chip_line(builder, call.name, arguments_summary(call))
    if _ends_turn(message):
        _actions_below(builder, item)


def _ends_turn(message: Message) -> bool:
    return message.role is Role.ASSISTANT and bool(message.text) and not message.tool_calls


def _actions_below(builder: RowBuilder, item: MessageItem) -> None:
    """Put the actions below a reply, so that they are near after reading a long one; only the ones that fit."""
    look, height, x = font(12), scale(ACTIONS_HEIGHT), 0.0
    builder.skip(4)
    for link in actions_of(item):
        if x + advance(look, link.label) > builder.width:
            break
        x = builder.link(x, link, look, height, tint="ink_faint") + scale(ACTION_GAP)
    builder.y += height


def _run(builder: RowBuilder, item: RunItem) -> None:
    """Lay out the line of a run of calls, which expands to their cards."""
    height = scale(RUN_HEIGHT)
    words = f"{fold_sign(item.is_open)} {summary_of_run(item)}"
    tokens = tr("%n tokens", "", sum(builder.tokens_of(message.row) for message in item.items))
    right = builder.right_end(tokens, (), 0, height)
    link = ActionLink(Action.FOLD_RUN, item.key, words)
    builder.link(0, link, font(13), height, tint="ink_soft", most=right)
    builder.y += height


def _user_box(builder: RowBuilder, key: str, text: str) -> None:
    is_long = len(text) > LONG
    top = builder.y = builder.y + scale(2)
    builder.skip(11)
    index = len(builder.layout.drawn)
    visible = text[:LONG_SHOWN] if is_long and not builder.is_unfolded else text
    flow_plain(builder, key, visible, inset=scale(16))
    builder.skip(11)
    box = QRectF(0, top, builder.width, builder.y - top)
    builder.layout.drawn.insert(index, Fill(box, colour("bubble"), None, Corner.MESSAGE))
    if is_long:
        builder.skip(4)
        label = tr("Show less") if builder.is_unfolded else tr("Show all %n characters", "", len(text))
        builder.link(0, ActionLink(Action.FOLD, key, label), font(13, MEDIUM), scale(22))
        builder.y += scale(22)


def _chip_line(builder: RowBuilder, name: str, detail: str) -> None:
    height = scale(22)
    x = builder.words(0, name, font(12.5, MEDIUM, is_mono=True), "ink", height)
    builder.words(x + scale(10), detail, font(12.5, is_mono=True), "ink_soft", height, builder.width - x - scale(10))
    builder.y += height


def _reasoning(builder: RowBuilder, key: str, reasoning: str) -> None:
    builder.y += scale(20)
    if reasoning:
        builder.skip(2)
        count = builder.cache.computed(_count_words, reasoning, key)
        words = tr("Reasoning · %n words", "", count)
        words = words if len(reasoning) <= MAX_COUNTED else tr("Reasoning · at least %n words", "", count)
        _foldable(builder, key, words, reasoning)


def _count_words(text: str) -> int:
    return len(text[:MAX_COUNTED].split())


def _foldable(builder: RowBuilder, key: str, words: str, text: str, tags: Sequence[Tag] = ()) -> None:
    """Lay out a line that unfolds to a text."""
    height = scale(20)
    x = builder.fold_link(key, words, builder.is_unfolded, height)
    for tag in tags:
        x = builder.tag(x + scale(8), tag, height)
    builder.y += height
    if builder.is_unfolded:
        builder.skip(4)
        flow_plain(builder, f"{key} folded", text, inset=scale(14), is_soft=True)
        builder.skip(6)


def _reply(builder: RowBuilder, item: ReplyItem) -> None:
    builder.head_line(item.reply.model.rsplit("/", 1)[-1] or tr("Assistant"), (), "", ())
    _reasoning(builder, item.key, item.reasoning)
    builder.skip(2)
    note = ""
    if item.text:
        if not flow_markdown(builder, item.key, item.text):
            note = tr("The rest can be read once the reply has ended.")
            builder.skip(4)
    elif not item.reasoning:
        note = tr("No answer yet, asking again…") if item.reply.is_retried else tr("Reading the conversation…")
    if note:
        builder.words(0, note, font(), "ink_faint", scale(22))
        builder.y += scale(22)


MAX_ROWS = 64  # cached rows
MAX_WRITTEN = 1_000  # replies that are remembered; older ones may be folded, as they are long out of view


class RowCache:
    """Caches the layouts of rows: they are laid out when first needed, and again after a change."""

    def __init__(self) -> None:
        self._documents = DocumentCache()
        self._kept: OrderedDict[str, tuple[tuple[object, ...], RowLayout]] = OrderedDict()
        self._unfolded: set[str] = set()
        self._shifts: dict[str, float] = {}
        self._written: dict[str, None] = {}  # replies shown while they were written: their code is not folded
        self.token_scale = 1.0  # the factor for each message's tokens, see `Gauge`
        self._edited, self._edited_height = "", 0  # the row that is covered by the editor, and the editor's height

    def fold(self, key: str) -> None:
        self._unfolded ^= {key}

    def is_unfolded(self, key: str) -> bool:
        return key in self._unfolded

    def scroll_code(self, flow: Flow, pixels: float) -> bool:
        """Scroll code or a table to the left; return False if it cannot be scrolled further."""
        shift = min(max(flow.shift + pixels, 0.0), flow.max_shift)
        self._shifts[flow.shift_key] = shift
        return shift != flow.shift

    def leave_room(self, key: str, height: int) -> None:
        """Leave a row blank, with that height, for the editor; "" for no row."""
        self._edited, self._edited_height = key, height

    def unfold(self, key: str) -> bool:
        """Unfold a row; return False if it is unfolded already."""
        was_folded = key not in self._unfolded
        self._unfolded.add(key)
        return was_folded

    def find(self, item: Item, width: int) -> RowLayout | None:
        """Return the layout of a row if it is cached and up to date."""
        state, layout = self._kept.get(item.key, ((), None))
        return layout if state == self._state(item, width) else None

    def make(self, item: Item, width: int, deadline: float | None = None, looked_at: float = 0) -> RowLayout:
        """Lay a row out. After the deadline, only the cached parts of a long text are included.

        looked_at: see `RowBuilder`.
        """
        direction, key = text_direction(spoken_text(item)), item.key
        self._documents.begin(deadline, direction)
        if key == self._edited:
            layout = RowLayout(height=self._edited_height)
        else:
            if isinstance(item, ReplyItem):
                self._written[key] = None
                if len(self._written) > MAX_WRITTEN:
                    del self._written[next(iter(self._written))]
            is_unfolded, can_fold = key in self._unfolded, key not in self._written
            look = direction, *self._state(item, width)[1:]
            folds = self._unfolded, can_fold, self._shifts
            builder = RowBuilder(width, self._documents, is_unfolded, looked_at, *folds, self.token_scale, look)
            layout = lay_out(builder, item)
            if QGuiApplication.isRightToLeft():
                mirror(layout, width)
        self._kept[key] = self._state(item, width), layout
        self._kept.move_to_end(key)
        while len(self._kept) > MAX_ROWS:
            self._kept.popitem(last=False)
        return layout

    def stale(self, key: str) -> RowLayout | None:
        """Return the last layout of a row, whether up to date or not."""
        return self._kept.get(key, (None, None))[1]

    def _state(self, item: Item, width: int) -> tuple[object, ...]:
        height = self._edited_height if item.key == self._edited else None
        unfolded = sum(key.startswith(item.key) for key in self._unfolded)
        shift = sum(shift for key, shift in self._shifts.items() if key.startswith(item.key))
        return item, width, theme.version, graphics.version, unfolded, shift, height, self.token_scale
