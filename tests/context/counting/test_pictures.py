"""A picture takes what its provider's rule says of its width and height, which its header tells."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import user
from desktop_app.context.counting.breakdown import request_tokens, tally
from desktop_app.context.counting.picture_tokens import IMAGE_TOKENS, PictureRule, picture_size, picture_tokens
from desktop_app.context.counting.tokens import Overhead, TokenCounts
from desktop_app.context.view.view import view_of
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.message import Attachment
from desktop_app.conversation.transcript import Transcript
from desktop_app.models.tokens.tokenizers import tokenizer_of, with_overhead
from examples import examples
from requests_made_up import PICTURES

MEASURED: dict[PictureRule, list[int | None]] = json.loads(Path(__file__).with_name("picture_totals.json").read_bytes())
"""What packages made of PICTURES, by rule."""


def data_url(data: bytes, kind: str = "png") -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def png(width: int, height: int) -> str:
    """A picture without pixels: its header and its end."""
    header = b"IHDR" + struct.pack(">II", width, height) + b"\x08\x02\x00\x00\x00"
    chunks = b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in (header, b"IEND")
    )
    return data_url(b"\x89PNG\r\n\x1a\n" + chunks)


def jpeg(width: int, height: int, before: int = 20) -> str:
    """A JPEG with so many bytes of other segments before its size."""
    segments = b""
    while before > 0:
        size = min(before, 60_000)
        segments += b"\xff\xe1" + struct.pack(">H", size + 2) + b"x" * size
        before -= size
    frame = b"\xff\xc2" + struct.pack(">HBHH", 17, 8, height, width) + b"\x03" + b"\x00" * 9
    return data_url(b"\xff\xd8" + segments + frame, "jpeg")


def webp(kind: bytes, width: int, height: int) -> str:
    if kind == b"VP8X":
        body = b"\x00" * 4 + b"\x00" * 4 + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    elif kind == b"VP8L":
        body = b"\x00" * 4 + b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little")
    else:
        body = b"\x00" * 4 + b"\x00\x00\x00\x9d\x01\x2a" + struct.pack("<HH", width, height)
    return data_url(b"RIFF\x00\x00\x00\x00WEBP" + kind + body, "webp")


def gif(width: int, height: int) -> str:
    return data_url(b"GIF89a" + struct.pack("<HH", width, height) + b"\x00" * 3, "gif")


def tokens(rule, width: int, height: int) -> int:
    return picture_tokens(Attachment("p.png", "image/png", png(width, height)), rule)


@pytest.mark.parametrize(
    ("rule", "of_1024", "of_256"),
    [
        ("openai", 765, 255),
        ("openai-5", 630, 210),
        ("openai-mini", 1_659, 104),
        ("claude", 1_398, 87),
        ("gemini", 1_032, 258),
        ("gemma", 260, 260),
        ("qwen-2.5", 1_371, 83),
        ("qwen-3", 1_026, 66),
        ("llama-4", 2_467, 147),
        ("mistral", 1_406, 110),
        ("pixtral", 4_160, 272),
        ("", IMAGE_TOKENS, IMAGE_TOKENS),
    ],
)
def test_a_picture_is_counted_by_its_providers_rule(rule, of_1024: int, of_256: int) -> None:
    assert tokens(rule, 1_024, 1_024) == of_1024
    assert tokens(rule, 256, 256) == of_256


@pytest.mark.parametrize("rule", MEASURED)
def test_a_picture_is_counted_as_a_real_package_does(rule: PictureRule) -> None:
    """The image processors of Qwen and Mistral, and OpenAI's tiles in litellm (tests/bench/peers/pictures.py)."""
    counted = {size: (tokens(rule, *size), real) for size, real in zip(PICTURES, MEASURED[rule], strict=True)}
    assert {size: both for size, both in counted.items() if both[1] is not None and both[0] != both[1]} == {}
    assert sum(real is not None for real in MEASURED[rule]) >= 30


@pytest.mark.parametrize(
    ("rule", "width", "height", "published"),
    [
        ("claude", 200, 200, 54),
        ("claude", 1000, 1000, 1_334),
        ("claude", 1092, 1092, 1_590),
        ("gemini", 384, 384, 258),
        ("gemini", 960, 540, 6 * 258),
        ("openai", 1024, 1024, 765),
        ("openai", 2048, 4096, 1_105),
    ],
)
def test_a_picture_is_counted_as_its_provider_publishes(rule, width: int, height: int, published: int) -> None:
    """The examples of Anthropic's, Google's and OpenAI's guides; Anthropic says "about"."""
    assert tokens(rule, width, height) == pytest.approx(published, abs=1 if rule == "claude" else 0)


@pytest.mark.parametrize("rule", MEASURED)
def test_a_request_has_its_pictures_as_a_part(rule: PictureRule) -> None:
    """Two pictures make the request, and the part of its attachments, larger by what the package says of them."""
    counts = TokenCounts(with_overhead(tokenizer_of(""), Overhead(pictures=rule)))
    for (width, height), real in zip(PICTURES, MEASURED[rule], strict=True):
        if real is None:
            continue
        picture = Attachment("p.png", "image/png", png(width, height))
        view, bare = (
            view_of(Transcript().extend((user("Look.", *pictures, id="m"),))) for pictures in ((picture, picture), ())
        )
        assert tally(view, counts).segments[Segment.ATTACHMENTS] == 2 * real
        assert request_tokens(view, counts) - request_tokens(bare, counts) == 2 * real


@pytest.mark.parametrize("rule", ["openai", "openai-5", "openai-mini", "claude"])
def test_a_huge_picture_is_scaled_down_first(rule) -> None:
    """Four tiles wide and two high at the most; 1,536 patches; 1,600 tokens."""
    most = {"openai": 85 + 170 * 8, "openai-5": 70 + 140 * 8, "openai-mini": 2_489, "claude": 1_600}[rule]
    for width, height in ((20_000, 20_000), (9_000, 3_000), (1, 60_000), (60_000, 1)):
        assert 0 < tokens(rule, width, height) <= most


@given(st.integers(1, 16_383), st.integers(1, 16_383))
@settings(max_examples=examples(60), deadline=None)
def test_the_size_is_read_from_any_header(width: int, height: int) -> None:
    for url in (png(width, height), gif(width, height), jpeg(width, height), jpeg(width, height, 150_000)):
        assert picture_size(url) == (width, height)
    for kind in (b"VP8X", b"VP8L", b"VP8 "):
        assert picture_size(webp(kind, width, height)) == (width, height)


@given(
    st.binary(max_size=200),
    st.sampled_from([b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF....WEBP", b"GIF8", b"BM", b""]),
)
@settings(max_examples=examples(200), deadline=None)
def test_what_is_no_picture_has_no_size_and_counts_as_one(rest: bytes, begin: bytes) -> None:
    url = data_url(begin + rest)
    size = picture_size(url)
    assert size is None or min(size) > 0
    for rule in ("openai", "llama-4", "mistral", "qwen-3", "gemini", "claude"):
        assert picture_tokens(Attachment("p", "image/png", url), rule) > 0
    assert picture_size("https://example.org/a.png") is None
    assert picture_size("data:image/png;base64,é") is None
