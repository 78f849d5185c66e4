"""Pictures that are not sent: damaged ones, and the ones because of which a server refuses a request."""

from __future__ import annotations

import base64
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from desktop_app.context.view.dialect import sent_part
from desktop_app.context.view.unsent_pictures import (
    MAX_SUSPECTS,
    is_about_one,
    is_sound,
    key_of,
    pictures_in,
    search_among,
    to_leave_out,
    with_own_type,
)
from desktop_app.conversation.listing import Dialect
from desktop_app.conversation.message import Attachment, user_message

FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


def picture(kind: str = "PNG", size: int = 24, seed: int = 0) -> Attachment:
    content = io.BytesIO()
    image = Image.effect_noise((size, size), 40 + seed % 60).convert("RGB")
    image.save(content, kind)
    return of_bytes(content.getvalue(), FORMATS[kind])


def of_bytes(data: bytes, kind: str = "image/png") -> Attachment:
    return Attachment("shot", kind, f"data:{kind};base64,{base64.b64encode(data).decode()}")


def bytes_of(attachment: Attachment) -> bytes:
    return base64.b64decode(attachment.content.partition(",")[2])


@pytest.mark.parametrize("kind", FORMATS)
def test_a_whole_picture_is_sent_as_it_is(kind: str) -> None:
    whole = picture(kind)
    assert sent_part(whole, Dialect()) is whole


@pytest.mark.parametrize("kind", FORMATS)
def test_a_cut_picture_is_replaced_by_a_line(kind: str) -> None:
    data = bytes_of(picture(kind, 64))
    for length in (len(data) // 3, len(data) // 2, len(data) - 70):
        cut = of_bytes(data[:length], FORMATS[kind])
        assert not is_sound(cut)
        sent = sent_part(cut, Dialect())
        assert isinstance(sent, Attachment)
        assert not sent.is_image


def test_a_png_with_a_changed_byte_is_damaged() -> None:
    data = bytearray(bytes_of(picture("PNG")))
    data[60] ^= 1
    assert not is_sound(of_bytes(bytes(data)))


@pytest.mark.parametrize("kind", FORMATS)
def test_the_media_type_follows_the_content(kind: str) -> None:
    renamed = of_bytes(bytes_of(picture(kind)), "image/*")
    sent = with_own_type(renamed)
    assert sent.media_type == FORMATS[kind]
    assert sent.content.startswith(f"data:{FORMATS[kind]};base64,")
    assert bytes_of(sent) == bytes_of(renamed)


TWELVE = [picture(seed=n) for n in range(12)]

COUNTED = [
    ("At most 4 image(s) may be provided in one prompt.", 4),
    ("messages: too many images: maximum of 5 allowed", 5),
    ("You may provide up to 8 images.", 8),
    ("Too many images in request", 6),
    ("Could not process image", 6),
    ("cannot identify image file <_io.BytesIO object at 0x7f>", 6),
    ("Request exceeds the maximum size", 6),
    ("http://127.0.0.1 answered with status 413.", 6),
    ("Request Entity Too Large", 6),
    ("Invalid image data", 6),
    ("This model does not support image input", 0),
    ("No endpoints found that support image input", 0),
    ("messages[1].content: unknown variant `image_url`, expected `text`", 0),
]


@pytest.mark.parametrize(("error", "left"), COUNTED)
def test_the_oldest_pictures_are_left_out(error: str, left: int) -> None:
    out = to_leave_out(TWELVE, error)
    assert TWELVE[len(out) :] == TWELVE[12 - left :]
    assert out == TWELVE[: len(out)]


def test_pictures_that_are_too_large_are_left_out_first() -> None:
    large = picture("PNG", 2_100)
    error = (
        "messages.3.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size"
    )
    assert to_leave_out([TWELVE[0], large, TWELVE[1]], f"{error} for many-image requests: 2000 pixels") == [large]
    assert to_leave_out([TWELVE[0], TWELVE[1]], error) == [TWELVE[0]], "it is about another limit"


@pytest.mark.parametrize(
    "error",
    [
        "This model's maximum context length is 8192 tokens.",
        "Internal server error",
        "Conversation roles must alternate",
    ],
)
def test_other_errors_leave_no_picture_out(error: str) -> None:
    assert to_leave_out(TWELVE, error) == []


@given(st.integers(1, 12), st.sampled_from([error for error, _ in COUNTED]))
def test_repeated_refusals_end_without_pictures(count: int, error: str) -> None:
    left, refusals = TWELVE[:count], 0
    while left:
        out = to_leave_out(left, error)
        if not out:  # the number that the error names is kept
            break
        left, refusals = left[len(out) :], refusals + 1
    assert refusals <= 4
    assert left == TWELVE[count - len(left) : count]


def test_what_is_left_out_is_not_sent() -> None:
    message = user_message("Look.", tuple(TWELVE[:2]))
    dialect = Dialect(left_out=frozenset({key_of(TWELVE[0])}))
    sent = [sent_part(part, dialect) for part in message.parts]
    assert pictures_in([user_message("", tuple(p for p in sent if isinstance(p, Attachment)))]) == [TWELVE[1]]


def refused_until_accepted(count: int, bad: set[int], where: str) -> list[int]:
    """Return the places of the pictures that are left out in the end. where: how the error names a place; "" if not."""
    search = search_among(TWELVE[:count])
    for _ in range(MAX_SUSPECTS + 1):
        sent = [n for n in range(count) if TWELVE[n] not in search.left_out]
        if not bad & set(sent):
            break
        error = f"{where.format(min(bad & set(sent)))}Could not process image"
        assert is_about_one(TWELVE[:count], error)
        search = search.next(error) or search_among(())
    return [n for n in range(count) if TWELVE[n] in search.left_out]


@given(st.integers(1, MAX_SUSPECTS), st.data())
def test_the_only_picture_that_cannot_be_read_is_left_out_alone(count: int, data: st.DataObject) -> None:
    bad = data.draw(st.integers(0, count - 1))
    assert refused_until_accepted(count, {bad}, "") == [bad]


@given(
    st.sets(st.integers(0, MAX_SUSPECTS - 1), min_size=1), st.sampled_from(["messages.{}.content.1: ", "image {}: "])
)
def test_pictures_that_are_refused_one_by_one_are_left_out_together(bad: set[int], where: str) -> None:
    found = refused_until_accepted(MAX_SUSPECTS, bad, where)
    assert set(found) in (bad, set())
    assert found or len(bad) > 1


@pytest.mark.parametrize("error", ["Too many images in request", "image exceeds the maximum size", "Server error"])
def test_a_limit_is_not_about_one_picture(error: str) -> None:
    assert not is_about_one(TWELVE, error)
