"""Count the tokens of pictures by their providers' rules, from the width and height in a picture's header.

Sources: OpenAI's guide to images and vision, Anthropic's and Google's pages on vision and tokens, mistral-common's
image encoder, and the image processors of Gemma 3, Qwen 2.5 and 3 VL and Llama 4 (docs/tokenizers.md).
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from collections.abc import Callable
from typing import Literal

from desktop_app.conversation.message import Attachment

PictureRule = Literal[
    "",
    "openai",
    "openai-5",
    "openai-o",
    "openai-4o-mini",
    "openai-mini",
    "openai-nano",
    "openai-o4-mini",
    "claude",
    "gemini",
    "gemma",
    "qwen-2.5",
    "qwen-3",
    "llama-4",
    "mistral",
    "pixtral",
]
"""The rule by which a picture is counted; "" if none is known."""
IMAGE_TOKENS = 1_200
"""A picture of unknown size or rule (features.md C3; pi-mono uses the same figure)."""
HEADER = 512 * 1024
"""Base64 characters of a picture that are read: a JPEG's size may follow a preview and a colour profile."""
START = 64
"""First bytes, which in all other formats contain the size."""


def picture_tokens(picture: Attachment, rule: PictureRule) -> int:
    """Return the tokens of a picture by the rule."""
    size = picture_size(picture.content) if rule else None
    return _RULES[rule](*size) if size is not None else IMAGE_TOKENS


def picture_size(url: str) -> tuple[int, int] | None:
    """Return width and height in pixels of the picture in a data URL; None for other URLs and unknown formats."""
    head, comma, encoded = url.partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return None
    size = _size(_decoded(encoded[: START * 2]), START) or _size(_decoded(encoded[:HEADER]), HEADER)
    return size if size is not None and min(size) > 0 else None


def _decoded(encoded: str) -> bytes:
    try:
        return base64.b64decode(encoded[: len(encoded) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _size(data: bytes, length: int) -> tuple[int, int] | None:
    try:
        if data.startswith(b"\x89PNG"):
            return struct.unpack(">II", data[16:24])
        if data.startswith(b"GIF8"):
            return struct.unpack("<HH", data[6:10])
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return _webp(data)
        if data.startswith(b"BM"):
            width, height = struct.unpack("<ii", data[18:26])
            return width, abs(height)
        return _jpeg(data) if data.startswith(b"\xff\xd8") and length > START else None
    except (struct.error, IndexError):  # truncated before its size
        return None


def _webp(data: bytes) -> tuple[int, int]:
    match data[12:16]:
        case b"VP8X":
            return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case _:
            width, height = struct.unpack("<HH", data[26:30])
            return width & 0x3FFF, height & 0x3FFF


FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers in a JPEG that precede its size."""


def _jpeg(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker in FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 1 if marker == 0xFF else 2 + max(int.from_bytes(data[at + 2 : at + 4], "big"), 2)
    return None


def _fitted(width: float, height: float, longest: float = math.inf, shortest: float = math.inf) -> tuple[float, float]:
    """Return the size scaled down in proportion, so that no side exceeds its limit."""
    scale = min(1.0, longest / max(width, height), shortest / min(width, height))
    return width * scale, height * scale


def _tiles(base: int, tile: int) -> Callable[[int, int], int]:
    """Return OpenAI's rule for most models: scaled into 2,048, and to 768 for the shorter side, then tiles of 512."""

    def tokens(width: int, height: int) -> int:
        fitted = _fitted(*_fitted(width, height, longest=2048), shortest=768)
        return base + tile * math.prod(math.ceil(round(side, 6) / 512) for side in fitted)

    return tokens


def _patches(factor: float) -> Callable[[int, int], int]:
    """Return OpenAI's rule for small models: at most 1,536 patches of 32, times a factor."""

    def tokens(width: int, height: int) -> int:
        most = 1536
        columns, rows = math.ceil(width / 32), math.ceil(height / 32)
        if columns * rows > most:
            scale = math.sqrt(most * 32 * 32 / (width * height))
            wide, high = width * scale / 32, height * scale / 32
            scale *= min(math.floor(wide) / wide, math.floor(high) / high) if min(wide, high) >= 1 else 1.0
            columns, rows = math.ceil(width * scale / 32 - 1e-9), math.ceil(height * scale / 32 - 1e-9)
        return math.ceil(min(columns * rows, most) * factor)

    return tokens


def _claude(width: int, height: int) -> int:
    """Apply Anthropic's rule: a token per 750 pixels, after scaling the longer side to at most 1,568."""
    wide, high = _fitted(width, height, longest=1568)
    return min(max(int(wide * high / 750), 1), 1600)


def _gemini(width: int, height: int) -> int:
    """Apply Google's rule: 258, or 258 per tile, whose side is two thirds of the picture's shorter one."""
    if max(width, height) <= 384:
        return 258
    side = min(max(min(width, height) // 1.5, 256), 768)
    return 258 * math.ceil(width / side) * math.ceil(height / side)


def _cells(side: int, fewest: int, most: int) -> Callable[[int, int], int]:
    """Return Qwen's rule: a token per square with the given side, and two around them.

    The picture is reduced or enlarged to a number of squares between `fewest` and `most`.
    """

    def tokens(width: int, height: int) -> int:
        columns, rows = round(width / side), round(height / side)
        if columns * rows > most:
            scale = math.sqrt(width * height / (most * side * side))
            columns, rows = (max(math.floor(length / scale / side), 1) for length in (width, height))
        elif columns * rows < fewest:
            scale = math.sqrt(fewest * side * side / (width * height))
            columns, rows = (math.ceil(length * scale / side) for length in (width, height))
        return columns * rows + 2

    return tokens


def _rows(patch: int, longest: int) -> Callable[[int, int], int]:
    """Return mistral-common's rule: a token per patch, and one at the end of each row."""

    def tokens(width: int, height: int) -> int:
        scale = max(width / longest, height / longest, 1.0)
        columns, rows = (max((math.floor(side / scale) - 1) // patch + 1, 1) for side in (width, height))
        return (columns + 1) * rows

    return tokens


TILE, TILE_TOKENS, MAX_TILES = 336, 144, 16


def _llama_4(width: int, height: int) -> int:
    """Apply Meta's rule: tiles of 336 in the best grid, one for the entire picture if there are several, and marks."""
    grids = [(c, r) for c in range(1, MAX_TILES + 1) for r in range(1, MAX_TILES + 1) if c * r <= MAX_TILES]
    scales = {grid: min(grid[0] * TILE / width, grid[1] * TILE / height) for grid in grids}
    enlarging = [scale for scale in scales.values() if scale >= 1]
    best = min(enlarging) if enlarging else max(scales.values())
    columns, rows = min((g for g in grids if scales[g] == best), key=math.prod)
    tiles = columns * rows
    return TILE_TOKENS * (tiles + (tiles > 1)) + (tiles if tiles > 1 else 0) + 3


_RULES: dict[PictureRule, Callable[[int, int], int]] = {
    "": lambda width, height: IMAGE_TOKENS,
    "openai": _tiles(85, 170),
    "openai-5": _tiles(70, 140),
    "openai-o": _tiles(75, 150),
    "openai-4o-mini": _tiles(2833, 5667),
    "openai-mini": _patches(1.62),
    "openai-nano": _patches(2.46),
    "openai-o4-mini": _patches(1.72),
    "claude": _claude,
    "gemini": _gemini,
    "gemma": lambda width, height: 260,
    "qwen-2.5": _cells(28, 4, 16_384),
    "qwen-3": _cells(32, 64, 16_384),
    "llama-4": _llama_4,
    "mistral": _rows(28, 1540),
    "pixtral": _rows(16, 1024),
}
