"""A font without letters that claims to shape one script, as the bytes of a TrueType file. No Qt."""

from __future__ import annotations

import struct

EM, ASCENT, DESCENT = 1000, 900, 200  # units
_LEFT, _RIGHT, _TOP, _LINE = 80, 920, 720, 50
_UNUSED = 0xFFFE  # Unicode has no such character: a font must have one


def placeholder_font(family: str, script: str) -> bytes:
    """Return a font of that name, whose only glyph is the box for what is missing. script: its OpenType tag."""
    outline = _box()
    tables = {
        b"GSUB": _features(script.encode()),
        b"OS/2": _metrics(),
        b"cmap": _characters(),
        b"glyf": 2 * outline,
        b"head": struct.pack(
            ">2I2I2H2q4h2H3h", 0x10000, 0x10000, 0, 0x5F0F3CF5, 3, EM, 0, 0, _LEFT, 0, _RIGHT, _TOP, 0, 8, 2, 1, 0
        ),
        b"hhea": struct.pack(">I3hH11hH", 0x10000, ASCENT, -DESCENT, 0, EM, _LEFT, EM - _RIGHT, _RIGHT, 1, *[0] * 7, 1),
        b"hmtx": struct.pack(">Hhh", EM, _LEFT, _LEFT),
        b"loca": struct.pack(">3I", 0, len(outline), 2 * len(outline)),
        b"maxp": struct.pack(">I14H", 0x10000, 2, 8, 2, 0, 0, 1, *[0] * 8),
        b"name": _names(family),
        b"post": struct.pack(">2I2h5I", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0),
    }
    return _file(tables)


def _box() -> bytes:
    """Return a rectangle with another one within it."""
    left, right, top, bottom = _LEFT + _LINE, _RIGHT - _LINE, _TOP - _LINE, _LINE
    points = [(_LEFT, 0), (_LEFT, _TOP), (_RIGHT, _TOP), (_RIGHT, 0)]
    points += [(left, bottom), (right, bottom), (right, top), (left, top)]
    steps = [(x - a, y - b) for (x, y), (a, b) in zip(points, [(0, 0), *points], strict=False)]
    xs, ys = zip(*steps, strict=True)
    head = struct.pack(">5h2HH", 2, _LEFT, 0, _RIGHT, _TOP, 3, 7, 0)
    return head + b"\1" * 8 + struct.pack(">16h", *xs, *ys) + b"\0\0"


def _features(script: bytes) -> bytes:
    """Return a table that names the script, and has no rule for it."""
    scripts = struct.pack(">H4sHHHHHH", 1, script, 8, 4, 0, 0, 0xFFFF, 0)
    lists = 10 + len(scripts)
    return struct.pack(">I3H", 0x10000, 10, lists, lists + 2) + scripts + b"\0" * 4


def _characters() -> bytes:
    ends = struct.pack(">2HH2H", _UNUSED, 0xFFFF, 0, _UNUSED, 0xFFFF)
    segments = struct.pack(">7H", 4, 32, 0, 4, 4, 1, 0) + ends + struct.pack(">4H", (1 - _UNUSED) % 0x10000, 1, 0, 0)
    return struct.pack(">4HI", 0, 1, 3, 1, 12) + segments


def _metrics() -> bytes:
    widths = struct.pack(">HhHHH10hh", 4, EM, 400, 5, 0, *[0] * 10, 0)
    signs = b"\0" * 26 + struct.pack(">4s3H", b"    ", 0x40, _UNUSED, _UNUSED)
    return widths + signs + struct.pack(">3h2H2I2h3H", ASCENT, -DESCENT, 0, ASCENT, DESCENT, 0, 0, 500, 700, 0, 32, 0)


def _names(family: str) -> bytes:
    names = {1: family, 2: "Regular", 4: family, 6: family.replace(" ", "")}
    records, text = b"", b""
    for number, name in names.items():
        encoded = name.encode("utf-16-be")
        records += struct.pack(">6H", 3, 1, 0x409, number, len(encoded), len(text))
        text += encoded
    return struct.pack(">3H", 0, len(names), 6 + len(records)) + records + text


def _file(tables: dict[bytes, bytes]) -> bytes:
    at = 12 + 16 * len(tables)
    head, body = struct.pack(">I4H", 0x10000, len(tables), 128, 3, 16 * len(tables) - 128), b""
    for name, table in sorted(tables.items()):
        padded = table + b"\0" * (-len(table) % 4)
        total = sum(struct.unpack(f">{len(padded) // 4}I", padded)) % 2**32
        head += struct.pack(">4s3I", name, total, at + len(body), len(table))
        body += padded
    return head + body
