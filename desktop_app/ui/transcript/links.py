"""Links in messages: where they lead, which of them say another address, and which are opened."""

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
MARGIN = 8  # pixels beside and below the address that is shown
_ADDRESS = re.compile(
    r"(?:https?://|www\.)([^\s/?#]+)|([\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov))(?=[:/?#\s]|$)", re.I
)
"""A text that reads as an address; names of files, such as README.md, are none."""


class Link(msgspec.Struct, frozen=True):
    """A link as it stands in a message. words: those that are shown for it, "" if they are not known."""

    target: str
    words: str = ""

    @property
    def is_opened(self) -> bool:
        """Whether it leads to the web or to mail: a message must not start a program or open a file."""
        return QUrl(self.target).scheme().lower() in OPENED_SCHEMES

    @property
    def is_misleading(self) -> bool:
        """Whether its words, or what stands before an @ in its address, read as the address of another host."""
        url = QUrl(self.target)
        if url.scheme().lower() == "mailto":
            return False
        said = _ADDRESS.match(self.words.strip())
        return bool(url.userInfo()) or (said is not None and _host_of(said[1] or said[2]) != _plain(host_of(url)))


def host_of(url: QUrl) -> str:
    """Return the host in ASCII, so that a letter of another alphabet passes for no other."""
    return url.host(QUrl.ComponentFormattingOption.FullyEncoded)


def shown_address(target: str) -> str:
    """Return where a link leads, as it is shown: the host in ASCII, and nothing that would turn the line around."""
    url = QUrl(target)
    text = url.toString()
    if (host := url.host()) and host != host_of(url):
        text = text.replace(host, host_of(url), 1)
    return "".join(sign if sign.isprintable() else "�" for sign in text or target)


def link_at(layout: RowLayout, point: QPointF) -> Link | None:
    """Return the link under a point of the row, with all its words."""
    flow = flow_at(layout, point)
    if flow is None:
        return None
    seen, inside = flow.document.documentLayout(), flow.inside(point)
    target = seen.anchorAt(inside)
    if not target:
        return None
    return Link(target, _words_around(flow.document, seen.hitTest(inside, Qt.HitTestAccuracy.FuzzyHit), target))


class Links(QObject):
    """Opens the links of a view, web and mail addresses only, and shows where the one under the mouse leads."""

    questioned = Signal(str, object)  # that a link leads elsewhere than it says, and what opens it

    def __init__(self, view: QWidget, copy: Callable[[str, str], object]) -> None:
        """copy: copies its first argument, and tells the user its second."""
        super().__init__(view)
        self.address = LinkAddress(view)
        self._copy = copy

    def show_address(self, link: Link | None) -> None:
        """Show where it leads; None: hide."""
        self.address.show_link(link)

    def open_target(self, target: str) -> None:
        """Open a link whose address was told whole."""
        self.open(Link(target))

    def open(self, link: Link) -> None:
        """Open a link; one whose words say another address only once the user has seen where it leads."""
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
    """Where the link under the mouse leads, in the lower corner of the conversation. The mouse goes through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._conversation = parent
        self.label = TextLabel(size=12.5, tint="ink_soft")
        horizontal(self.label, holder=self, spacing=0, margins=(10, 4, 10, 4))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def show_link(self, link: Link | None) -> None:
        """Show where it leads; None: hide."""
        self.setVisible(link is not None)
        if link is None:
            return
        self.label.set_text(shown_address(link.target))
        room, wanted = self._conversation.rect(), self.sizeHint()
        margin = scale(MARGIN)
        width = min(wanted.width(), room.width() - 2 * margin)
        left = room.width() - margin - width if self.isRightToLeft() else margin
        self.setGeometry(left, room.height() - margin - wanted.height(), width, wanted.height())
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_box(QPainter(self), QRectF(self.rect()), colour("raised"), colour("line"), Corner.ROW)


def _host_of(said: str) -> str:
    """Return the host of an address that is read in a text."""
    return _plain(host_of(QUrl(f"https://{said.rpartition('@')[2]}")))


def _plain(host: str) -> str:
    return host.lower().removeprefix("www.").rstrip(".")


def _words_around(document: QTextDocument, position: int, target: str) -> str:
    """Return the words of the link that is there, also where they are in several looks."""
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
    """Yield where each run of characters of one look starts and ends, its text, and the link that it is in."""
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        iterator += 1
        start = fragment.position()
        yield start, start + fragment.length(), fragment.text(), fragment.charFormat().anchorHref()
