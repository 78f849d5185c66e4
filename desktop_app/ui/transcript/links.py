"""Links in messages: their targets, whether their text claims another address, and which are opened."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QPainter, QPaintEvent, QTextBlock, QTextDocument
from PySide6.QtWidgets import QWidget

from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.layouts import horizontal
from desktop_app.ui.widgets.look import Corner, colour, paint_box, scale
from desktop_app.ui.widgets.text_label import TextLabel

from .row_painter import RowLayout
from .selection import flow_at

OPENED_SCHEMES = ("http", "https", "mailto")
MARGIN = 8  # pixels at the sides of and below the address
_ADDRESS = re.compile(
    r"(?:https?://|www\.)([^\s/?#]+)|([\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov))(?=[:/?#\s]|$)", re.I
)
"""A text that reads like an address; file names, such as README.md, do not match."""


class Link(msgspec.Struct, frozen=True):
    """A link in a message. words: its text, or "" if that is not known."""

    target: str
    words: str = ""

    @property
    def is_opened(self) -> bool:
        """Whether it leads to the web or to mail: a message must not be able to start a program or open a file."""
        return QUrl(self.target).scheme().lower() in OPENED_SCHEMES

    @property
    def is_misleading(self) -> bool:
        """Whether its text reads like an address with another host, or its address has a user name before an @."""
        url = QUrl(self.target)
        if url.scheme().lower() == "mailto":
            return False
        claimed = _ADDRESS.match(self.words.strip())
        is_other = claimed is not None and _host_of(claimed[1] or claimed[2]) != _plain(host_of(url))
        return bool(url.userInfo()) or is_other


def host_of(url: QUrl) -> str:
    """Return the host in ASCII, so that letters of other alphabets cannot imitate another host."""
    return url.host(QUrl.ComponentFormattingOption.FullyEncoded)


def shown_address(target: str) -> str:
    """Return a link's target for display: with the host in ASCII, and without characters that change the direction."""
    url = QUrl(target)
    text = url.toString()
    if (host := url.host()) and host != host_of(url):
        text = text.replace(host, host_of(url), 1)
    return "".join(sign if sign.isprintable() else "�" for sign in text or target)


def link_at(layout: RowLayout, point: QPointF) -> Link | None:
    """Return the link under a point of the row, with its complete text."""
    flow = flow_at(layout, point)
    if flow is None:
        return None
    seen, inside = flow.document.documentLayout(), flow.inside(point)
    target = seen.anchorAt(inside)
    if not target:
        return None
    return Link(target, _words_around(flow.document, seen.hitTest(inside, Qt.HitTestAccuracy.FuzzyHit), target))


class Links(QObject):
    """Opens the links of a view that lead to the web or to mail, and shows the target of the one under the mouse."""

    questioned = Signal(str, object)  # a warning that a link is misleading, and the callable that opens it anyway

    def __init__(self, view: QWidget, copy: Callable[[str, str], object]) -> None:
        """copy: copies its first argument, and shows its second to the user."""
        super().__init__(view)
        self.address = LinkAddress(view)
        self._copy = copy

    def open_target(self, target: str) -> None:
        """Open a link whose full address the user has been given."""
        self.open(Link(target))

    def open(self, link: Link) -> None:
        """Open a link; if it is misleading, only after the user has seen where it leads."""
        url = QUrl(link.target)
        if not link.is_opened:
            words = tr("Links to “{scheme}” are not opened; the address was copied")
            self._copy(link.target, words.format(scheme=url.scheme() or tr("files")))
        elif link.is_misleading:
            words = tr("This link does not lead where it says: it leads to {host}")
            self.questioned.emit(words.format(host=host_of(url)), lambda: QDesktopServices.openUrl(url))
        else:
            QDesktopServices.openUrl(url)


class LinkAddress(QWidget):
    """The target of the link under the mouse, in the lower corner of the conversation. It ignores the mouse."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._conversation = parent
        self.label = TextLabel(size=12.5, tint="ink_soft")
        horizontal(self.label, holder=self, spacing=0, margins=(10, 4, 10, 4))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_link(self, link: Link | None) -> None:
        """Show the target of a link; None hides it."""
        self.setVisible(link is not None)
        if link is None:
            return
        self.label.set_text(shown_address(link.target))
        area, wanted = self._conversation.rect(), self.sizeHint()
        margin = scale(MARGIN)
        width = min(wanted.width(), area.width() - 2 * margin)
        left = area.width() - margin - width if self.isRightToLeft() else margin
        self.setGeometry(left, area.height() - margin - wanted.height(), width, wanted.height())
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), colour("raised"), colour("line"), Corner.ROW)


def _host_of(address: str) -> str:
    """Return the host of an address in a text."""
    return _plain(host_of(QUrl(f"https://{address.rpartition('@')[2]}")))


def _plain(host: str) -> str:
    return host.lower().removeprefix("www.").rstrip(".")


def _words_around(document: QTextDocument, position: int, target: str) -> str:
    """Return the complete text of the link at a position, which may consist of several fragments."""
    words, is_reached = "", False
    for start, end, text, anchor in _fragments(document.findBlock(position)):
        if anchor != target:
            if is_reached:
                break
            words = ""
            continue
        words += text
        is_reached |= start <= position <= end
    return words


def _fragments(block: QTextBlock) -> Iterator[tuple[int, int, str, str]]:
    """Yield the start and end of each fragment with one format, its text, and its link's target."""
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        iterator += 1
        start = fragment.position()
        yield start, start + fragment.length(), fragment.text(), fragment.charFormat().anchorHref()
