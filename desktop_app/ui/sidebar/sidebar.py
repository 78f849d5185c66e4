"""The left column: search, new conversation, the list of conversations, settings, and an edge to resize it."""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLineEdit, QMenu, QSizePolicy, QWidget

from desktop_app.conversation.words import translatable
from desktop_app.ui.actions import keys_text
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.accessibility import Role, WithRole
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.layouts import FlowLayout, horizontal, set_margins, vertical
from desktop_app.ui.widgets.look import Corner, StyleAware, colour, font, in_reading_order, paint_box, reading_x, scale
from desktop_app.ui.widgets.row_list import ENTER
from desktop_app.ui.window_memory import WindowMemory

from .arrangement import Arrangement, Order
from .conversation_list import ConversationList

EDGE = 7  # width of the edge that can be dragged, in pixels
STEP = 16  # pixels for each press of an arrow key
STEPS = {Qt.Key.Key_Left: -STEP, Qt.Key.Key_Right: STEP}


class ResizeEdge(WithRole, QWidget):
    """The edge, moved by the mouse or the arrow keys. A double click resets the width.

    Signal: width_requested(pixels).
    """

    accessible_role = Role.Splitter
    width_requested = Signal(int)

    def __init__(self, sidebar: QWidget) -> None:
        super().__init__(sidebar)
        self._sidebar = sidebar
        self.setCursor(Qt.CursorShape.SplitHCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(tr("Width of the sidebar"))
        self.setToolTip(tr("Drag to change the width; double-click for the usual one"))

    def sizeHint(self) -> QSize:
        return QSize(EDGE, EDGE)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            x = self.mapTo(self._sidebar, event.position().toPoint()).x()
            self.width_requested.emit(max(round(reading_x(x, self._sidebar)), 1))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.width_requested.emit(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in STEPS:
            step = STEPS[Qt.Key(event.key())]
            self.width_requested.emit(self._sidebar.width() + (-step if self.isRightToLeft() else step))
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.hasFocus() or self.underMouse():
            tint = colour("accent" if self.hasFocus() else "hatch")
            QPainter(self).fillRect(0 if self.isRightToLeft() else self.width() - 2, 0, 2, self.height(), tint)


WIDTH, MAX_WIDTH = 248, 560  # pixels
CHAT_WIDTH = 420  # pixels of the window that a wide sidebar leaves to the conversation
ORDER_NAMES = {
    Order.ACTIVITY: translatable("Newest first"),
    Order.TITLE: translatable("By title"),
    Order.MESSAGES: translatable("Most messages first"),
}
NEW = translatable("+ New conversation")
PADDING = 12  # pixels of the buttons at the foot


class WideButton(Button):
    """A button as wide as its column, with its text at the left and its shortcut at the right."""

    def __init__(self, text: str, shortcut: str = "", is_faint: bool = False) -> None:
        super().__init__(text)
        self._shortcut = shortcut
        self._is_faint = is_faint
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect())
        fill, _, ink = self._colours()
        paint_box(painter, box, fill, colour("accent" if self.hasFocus() else "line"), Corner.CONTROL)
        painter.setFont(font() if self._is_faint else self._font())
        painter.setPen(colour("ink_faint") if self._is_faint else ink)
        inner = box.adjusted(10, 0, -10, 0)
        width = QFontMetricsF(font(11)).horizontalAdvance(self._shortcut) + 10 if self._shortcut else 0.0
        text = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, int(inner.width() - width))
        is_short = self.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Fixed
        sideways = Qt.AlignmentFlag.AlignHCenter if is_short else Qt.AlignmentFlag.AlignLeft
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignVCenter | sideways), text)
        if self._shortcut:
            painter.setFont(font(11))
            key = QRectF(inner.right() - width + 2, box.center().y() - scale(9), width, scale(18))
            key = in_reading_order(painter, box, key)
            paint_box(painter, key, None, colour("line"), Corner.TAG)
            painter.setPen(colour("ink_faint"))
            painter.drawText(key, int(Qt.AlignmentFlag.AlignCenter), self._shortcut)


class FilterField(QLineEdit):
    """A field that filters the list as the user types. Down moves into the list; Enter opens the first conversation."""

    def __init__(self, conversations: ConversationList) -> None:
        super().__init__()
        self._list = conversations
        self.setPlaceholderText(tr("Filter titles…"))
        self.setAccessibleName(tr("Filter the conversations by title, and the projects"))
        self.textChanged.connect(self._filter)
        conversations.query_left.connect(self.clear)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self._list.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self._list.choose_first()
        elif event.key() in ENTER:
            self._list.choose_first()
            self._list.open_current()
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)

    def _filter(self, text: str) -> None:
        self._list.arrange(replace(self._list.conversations.arrangement, query=text))


class Sidebar(StyleAware, QWidget):
    """The left column. The conversations' signals are in `list`."""

    search_requested = Signal()
    new_requested = Signal()
    import_requested = Signal()
    deleted_requested = Signal()
    settings_requested = Signal()
    insights_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = WideButton(tr("Search everything…"), keys_text(("Ctrl+K",)).replace("+", " "), is_faint=True)
        self.search.setAccessibleName(tr("Search everything"))
        self.new = WideButton(tr(NEW))
        self.new.setAccessibleName(tr("New conversation"))
        self.new.setToolTip(tr("New conversation ({keys})").format(keys=keys_text(("Ctrl+N",))))
        self.list = ConversationList()
        self.filter = FilterField(self.list)
        self.sorting = Button(tr("Sort"), ButtonKind.QUIET, padding=PADDING)
        self.sorting.setAccessibleName(tr("Sort the conversations, show the archived ones"))
        self.sorting.clicked.connect(self.offer_orders)
        self.edge = ResizeEdge(self)
        self.edge.width_requested.connect(self.set_width)
        self._wanted_width = 0  # pixels that the user chose; 0 for the default
        self.importing = Button(tr("Import…"), ButtonKind.QUIET, padding=PADDING)
        self.insights = Button(tr("Insights"), ButtonKind.QUIET, padding=PADDING)
        self.insights.setToolTip(keys_text(("Ctrl+I",)))
        self.settings = Button(tr("Settings"), ButtonKind.QUIET, padding=PADDING)
        self.settings.setToolTip(keys_text(("Ctrl+,",)))
        self.search.clicked.connect(self.search_requested)
        self.new.clicked.connect(self.new_requested)
        self.importing.clicked.connect(self.import_requested)
        self.insights.clicked.connect(self.insights_requested)
        self.settings.clicked.connect(self.settings_requested)
        bottom = FlowLayout(self.importing, self.insights, self.settings, gap=10)
        narrowing = horizontal((self.filter, 1), self.sorting, spacing=4)
        self._head = vertical(self.search, self.new, spacing=12)
        self._column = vertical(self._head, narrowing, (self.list, 1), bottom, holder=self, spacing=12)
        self.set_low(is_low=False)
        self.refresh_style()

    def set_low(self, is_low: bool) -> None:
        """Leave most of a low window to the list; the menu of orders then contains what the foot has no space for."""
        self._head.setDirection(QBoxLayout.Direction.LeftToRight if is_low else QBoxLayout.Direction.TopToBottom)
        self.new.setText("+" if is_low else tr(NEW))
        width = QSizePolicy.Policy.Fixed if is_low else QSizePolicy.Policy.Expanding
        self.new.setSizePolicy(width, QSizePolicy.Policy.Fixed)
        self.importing.setVisible(not is_low)
        around = 6 if is_low else 12
        for layout in (self._head, self._column):
            layout.setSpacing(around)
        set_margins(self._column, 12, around + 4, 13, around)

    def refresh_style(self) -> None:
        """Grow half as fast as the text, which leaves more width to the conversation; titles are elided."""
        self.set_width(self._wanted_width)

    def set_width(self, pixels: int) -> None:
        """Set the width in pixels, as far as the window allows; 0 for the default."""
        self._wanted_width = pixels
        usual = (WIDTH + scale(WIDTH)) // 2
        room = self.window().width() - CHAT_WIDTH if self.parentWidget() is not None else MAX_WIDTH
        self.setFixedWidth(max(min(pixels or usual, max(room, usual), MAX_WIDTH), self.minimumSizeHint().width()))

    def open_filter(self) -> None:
        """Show the sidebar, and let the user filter the list."""
        self.show()
        self.filter.setFocus()

    def offer_orders(self) -> None:
        """Open the menu of orders below its button."""
        self.show()
        menu = QMenu(self.sorting)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        now = self.list.conversations.arrangement
        for order, text in ORDER_NAMES.items():
            action = menu.addAction(tr(text), partial(self.sort, order))
            action.setCheckable(True)
            action.setChecked(now.order is order)
        menu.addSeparator()
        archived = menu.addAction(tr("Show archived"), self.toggle_put_away)
        archived.setCheckable(True)
        archived.setChecked(now.shows_put_away)
        menu.addAction(tr("Deleted conversations…"), self.deleted_requested.emit)
        if self.importing.isHidden():
            menu.addSeparator()
            menu.addAction(self.importing.text(), self.import_requested.emit)
        menu.popup(self.sorting.mapToGlobal(QPoint(0, self.sorting.height() + 4)))

    def sort(self, order: Order) -> None:
        self.list.arrange(replace(self.list.conversations.arrangement, order=order))

    def toggle_put_away(self) -> None:
        """Show or hide the archived conversations."""
        now = self.list.conversations.arrangement
        self.list.arrange(replace(now, shows_put_away=not now.shows_put_away))

    def save(self, memory: WindowMemory) -> None:
        """Store the width, the order and the folded projects."""
        now = self.list.conversations.arrangement
        memory.set("sidebar_width", self._wanted_width)
        memory.set("sidebar_order", now.order.value)
        memory.set("sidebar_put_away", now.shows_put_away)
        memory.set("sidebar_folded", "\n".join(sorted(now.folded)))

    def recall(self, memory: WindowMemory) -> None:
        """Restore what `save` has stored."""
        order = memory.text("sidebar_order")
        known = Order(order) if order in set(Order) else Order.ACTIVITY
        folded = frozenset(filter(None, memory.text("sidebar_folded").split("\n")))
        shows_put_away = memory.is_set("sidebar_put_away", False)
        self.list.arrange(Arrangement(known, shows_put_away=shows_put_away, folded=folded))
        self.set_width(memory.number("sidebar_width"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.edge.setGeometry(0 if self.isRightToLeft() else self.width() - EDGE, 0, EDGE, self.height())
        self.edge.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour("side"))
        painter.fillRect(0 if self.isRightToLeft() else self.width() - 1, 0, 1, self.height(), colour("line"))
