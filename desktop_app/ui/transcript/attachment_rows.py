"""The attachments of a message in the transcript: images in place, files as chips that open."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF

from desktop_app.conversation.message import Attachment, Message
from desktop_app.ui.engine_texts import tr_engine
from desktop_app.ui.widgets.invisible import escape_name
from desktop_app.ui.widgets.look import MEDIUM, Corner, colour, font, scale
from desktop_app.ui.widgets.pictures import fitting_size

from .display_list import Action, Fill, HitRegion, Picture, TextLine
from .row_builder import RowBuilder, advance

CHIP, GAP = 34, 8  # pixels


def attachments_of(message: Message) -> Iterator[tuple[int, Attachment]]:
    """Yield the attachments with their numbers among the parts."""
    return ((number, part) for number, part in enumerate(message.parts) if isinstance(part, Attachment))


def about_words(attachment: Attachment) -> str:
    """Return what should be known of a file, in the window's language."""
    return " · ".join(tr_engine(text) for text in attachment.about.split(" · "))


def estimated_attachments_height(message: Message) -> float:
    """Return about how tall they will be."""
    images = [attachment.is_image for _, attachment in attachments_of(message)]
    return scale(240) * sum(images) + scale(CHIP + GAP) * (len(images) - sum(images))


def lay_out_attachments(builder: RowBuilder, message: Message) -> None:
    """Lay the attachments out below the text: first images, then chips side by side."""
    found = list(attachments_of(message))
    chips = [one for one in found if not (one[1].is_image and _picture(builder, one[1]))]
    x = 0.0
    for number, attachment in chips:
        x = _chip(builder, x, message.id, number, attachment)
    if chips:
        builder.y += scale(CHIP)


def _picture(builder: RowBuilder, attachment: Attachment) -> bool:
    """Lay an image out; return False for one that cannot be shown, such as one on the web."""
    size = fitting_size(attachment.content) if attachment.content.startswith("data:") else None
    if size is None or size.isEmpty():
        return False
    builder.skip(GAP)
    share = min(builder.width / size.width(), 1.0)
    box = QRectF(0, builder.y, size.width() * share, size.height() * share)
    builder.layout.drawn.append(Picture(box, attachment.content, Corner.CONTROL))
    builder.y += box.height()
    builder.skip(4)
    label = " · ".join(filter(None, (escape_name(attachment.name), about_words(attachment))))
    builder.words(0, label, font(12), "ink_faint", scale(18), builder.width)
    builder.y += scale(18)
    return True


def _chip(builder: RowBuilder, x: float, message_id: str, number: int, attachment: Attachment) -> float:
    """Lay a chip out at `x`, or on the next line; return where the next one begins."""
    name, detail, inset = font(13, MEDIUM), font(12), scale(12)
    shown = escape_name(attachment.name)
    about = about_words(attachment) or attachment.media_type
    detail_width = advance(detail, about) + 1
    width = min(advance(name, shown) + detail_width + 2 * inset + scale(10), builder.width)
    if x == 0:
        builder.skip(GAP)
    elif x + width > builder.width:
        x = 0
        builder.y += scale(CHIP + GAP)
    box = QRectF(x, builder.y, width, scale(CHIP))
    builder.layout.drawn.append(Fill(box, colour("raised"), colour("line"), Corner.CONTROL))
    detail_box = QRectF(box.right() - inset - detail_width, box.top(), detail_width, box.height())
    builder.layout.drawn.append(TextLine(detail_box, about, detail, colour("ink_faint")))
    words_box = QRectF(x + inset, box.top(), detail_box.left() - scale(10) - x - inset, box.height())
    words = TextLine(words_box, shown, name, colour("ink"))
    if attachment.is_image:
        builder.layout.drawn.append(words)
    else:
        region = HitRegion(box, Action.OPEN_ATTACHMENT, f"{message_id} {number}", words)
        builder.layout.hit_regions.append(region)
    return box.right() + scale(GAP)
