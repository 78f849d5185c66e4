"""Pictures that are not sent: damaged ones, and the oldest ones when a server refuses a request because of them. Pure.

A request shows a line in the place of each. The record keeps the picture.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterable, Sequence

import msgspec

from desktop_app.context.counting.picture_tokens import picture_size
from desktop_app.conversation.message import Attachment, Message, Role

DAMAGED_LINE = "(an image that is damaged and cannot be shown)"
LEFT_OUT_LINE = "(an image that was left out, because the server accepts no more or no larger ones)"
MAX_BYTES = 3_700_000
"""Bytes of a picture that all providers accept: Anthropic's limit is 5 MB of base64."""
MAX_SIDE = 2_000
"""Pixels that all providers accept: Anthropic's limit for a side in requests with many pictures."""

NOT_SEEN = re.compile(
    r"image[^.\n]{0,30}(is|are) not supported|(does|do) not support (images?|image input|vision|multimodal)"
    r"|not a (multimodal|vision) model|unknown variant\W{1,3}image_url|no endpoints found that support image"
    r"|text[- ]only model|image_url is only supported",
    re.IGNORECASE,
)
"""Refusals of a model that cannot see."""
TOO_LARGE = re.compile(r"image[^\n]{0,40}(exceed|too (large|big)|dimension|resolution|size|pixels)", re.IGNORECASE)
BYTES = re.compile(
    r"request_too_large|(request|payload|entity|body)[^\n]{0,40}(too large|exceeds)|status 413|content[- ]length",
    re.IGNORECASE,
)
ABOUT_PICTURES = re.compile(
    r"\bimages?\b[^\n]{0,80}(process|decod|load|invalid|valid|identif|open|too many|maximum|limit|at most|media[ _]type"
    r"|format|corrupt|exceed|read|could not|failed)"
    r"|(process|decod|load|invalid|identify|open|too many|more than|maximum|limit|at most|unsupported|corrupt|failed)"
    r"[^\n]{0,60}\bimages?\b|image_parse_error|invalid_image",
    re.IGNORECASE,
)
TOO_MUCH = re.compile(r"too (many|large|big)|maximum|at most|limit|exceed|more than|\bsize\b", re.IGNORECASE)
"""Refusals of pictures for their number or size, which leaving out any of them may cure."""
POSITION = re.compile(r"(?:messages|content|images?|input|parts)\W{0,3}(\d{1,4})", re.IGNORECASE)
MAX_SUSPECTS = 8
"""Pictures that are left out alone in turn; of more, the older half is left out at once."""
NUMBER_OF_PICTURES = re.compile(
    r"(?:at most|maximum(?: number)?(?: of)?|up to|limit(?: of| is)?|more than|only)\W{1,3}(\d{1,3})\W{1,3}images?"
    r"|(\d{1,3}) images? (?:per|are allowed|maximum)|maximum of (\d{1,3})",
    re.IGNORECASE,
)


MAX_PIXELS = re.compile(r"(\d{3,5}) ?(?:px|pixels)|(?:max|maximum|limit)\D{0,40}(\d{4,5})\b", re.IGNORECASE)


def key_of(picture: Attachment) -> int:
    """Return the identity of a picture within this run."""
    return hash(picture.content)


def pictures_in(messages: Iterable[Message]) -> list[Attachment]:
    """Return the pictures that are sent with the messages, the oldest first."""
    return [part for message in messages for part in message.parts if isinstance(part, Attachment) and part.is_image]


def damaged_in_turn(messages: Sequence[Message]) -> list[Attachment]:
    """Return the pictures of the newest message of the user, and of what follows it, that cannot be decoded."""
    start = max((index for index, message in enumerate(messages) if message.role is Role.USER), default=0)
    return [picture for picture in pictures_in(messages[start:]) if not is_sound(picture)]


def to_leave_out(pictures: Sequence[Attachment], error: str) -> list[Attachment]:
    """Return the pictures without which a refused request may be accepted; [] if the error is not about them.

    pictures: the ones of the request, the oldest first. error: what the server answered.
    """
    if NOT_SEEN.search(error):
        return list(pictures)
    if named := _above_number(pictures, error) or _above_size(pictures, error):
        return named
    if ABOUT_PICTURES.search(error):
        unknown = [picture for picture in pictures if picture_size(picture.content) is None]
        return unknown or _older_half(pictures)
    return _older_half(pictures) if BYTES.search(error) or TOO_LARGE.search(error) else []


class PictureSearch(msgspec.Struct, frozen=True):
    """The search for a picture that the server cannot read: the newest ones are left out in turn, each alone.

    An error rarely says which one it is. If it does, and says another one after a picture was left out, both are bad.
    """

    waiting: tuple[Attachment, ...] = ()
    trial: tuple[Attachment, ...] = ()
    found: tuple[Attachment, ...] = ()
    position: tuple[str, ...] = ()

    @property
    def left_out(self) -> tuple[Attachment, ...]:
        """The pictures to leave out of the next request."""
        return (*self.found, *self.trial)

    def next(self, error: str) -> PictureSearch | None:
        """Return the search after another refusal; None if no picture is left to try."""
        if not self.waiting:
            return None
        position = tuple(POSITION.findall(error))
        is_another = bool(position) and position != self.position
        found = self.left_out if is_another else self.found
        return PictureSearch(self.waiting[1:], self.waiting[:1], found, position)


def is_about_one(pictures: Sequence[Attachment], error: str) -> bool:
    """Return whether a refusal may be about any single one of the pictures, which it cannot read."""
    if not ABOUT_PICTURES.search(error) or NOT_SEEN.search(error) or TOO_MUCH.search(error):
        return False
    return all(picture_size(each.content) is not None for each in pictures)


def search_among(pictures: Sequence[Attachment]) -> PictureSearch:
    """Return the search for the picture that a refusal is about."""
    return PictureSearch(tuple(reversed(pictures))[:MAX_SUSPECTS])


def most_pictures(error: str) -> int | None:
    """Return the number of pictures that a request may have, as a refusal names it; None if it names none."""
    if NOT_SEEN.search(error):
        return 0
    named = NUMBER_OF_PICTURES.search(error)
    return int(next(filter(None, named.groups()))) if named else None


def _above_number(pictures: Sequence[Attachment], error: str) -> list[Attachment]:
    most = most_pictures(error)
    return [] if most is None else list(pictures[: max(len(pictures) - most, 0)])


def _above_size(pictures: Sequence[Attachment], error: str) -> list[Attachment]:
    if not TOO_LARGE.search(error):
        return []
    named = MAX_PIXELS.search(error)
    most = int(named[1] or named[2]) if named else MAX_SIDE
    return [picture for picture in pictures if _bytes_of(picture) > MAX_BYTES or _side_of(picture) > most]


def _bytes_of(picture: Attachment) -> int:
    return len(picture.content) * 3 // 4


def _side_of(picture: Attachment) -> int:
    return max(picture_size(picture.content) or (0,))


def _older_half(pictures: Sequence[Attachment]) -> list[Attachment]:
    return list(pictures[: (len(pictures) + 1) // 2])


MAX_KNOWN = 4_096
_KNOWN: dict[int, bool] = {}


def is_sound(picture: Attachment) -> bool:
    """Return whether the picture is complete, as far as its format tells. Others that are not known count as complete.

    A provider refuses the whole request for one picture that it cannot decode.
    """
    if (known := _KNOWN.get(key := key_of(picture))) is None:
        if len(_KNOWN) >= MAX_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[key] = _is_complete(picture.content)
    return known


def _is_complete(url: str) -> bool:
    head, comma, encoded = url.partition(",")
    if not comma or not head.endswith(";base64"):
        return True
    try:
        data = base64.b64decode(encoded, validate=False)
    except (binascii.Error, ValueError):
        return False
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return _is_complete_png(data)
    if data.startswith(b"\xff\xd8"):
        return b"\xff\xd9" in data[2:]
    if data.startswith(b"GIF8"):
        return b"\x3b" in data[-64:]
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return int.from_bytes(data[4:8], "little") + 8 <= len(data)
    return bool(data)


def _is_complete_png(data: bytes) -> bool:
    at = 8
    while at + 12 <= len(data):
        end = at + 8 + int.from_bytes(data[at : at + 4], "big")
        kind = data[at + 4 : at + 8]
        if end + 4 > len(data) or zlib.crc32(data[at + 4 : end]) != int.from_bytes(data[end : end + 4], "big"):
            return False
        if kind == b"IEND":
            return True
        at = end + 4
    return False


SIGNATURES = {"iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp"}
"""The beginnings of pictures in base64."""


def with_own_type(picture: Attachment) -> Attachment:
    """Return the picture with the media type of its content: Anthropic refuses a PNG that is called a JPEG."""
    head, comma, encoded = picture.content.partition(",")
    own = next((kind for start, kind in SIGNATURES.items() if encoded.startswith(start)), "")
    if not comma or not own or head == f"data:{own};base64" or not head.endswith(";base64"):
        return picture
    return msgspec.structs.replace(picture, media_type=own, content=f"data:{own};base64,{encoded}")
