"""What can be wrong with a stream beside its events: its bytes, its transfer, its head, and when it comes."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Callable
from itertools import pairwise

import msgspec

PATIENCE = 0.6
"""Seconds of silence that the client waits in these trials, and the longest pause that is sound is far below."""


class Write(msgspec.Struct, frozen=True):
    """Bytes on the socket. body: how many of them, without their framing, are the reply's."""

    data: bytes
    body: int = 0


class Pause(msgspec.Struct, frozen=True):
    """Nothing for some seconds."""

    seconds: float


class Flood(msgspec.Struct, frozen=True):
    """The same bytes until the client leaves; packed: as gzip. chunked: in chunks of the transfer coding."""

    data: bytes
    packed: bool = False
    chunked: bool = True


class Hold(msgspec.Struct, frozen=True):
    """Nothing more, with the connection open, until the client leaves."""


class Reset(msgspec.Struct, frozen=True):
    """The connection is torn down."""


Action = Write | Pause | Flood | Hold | Reset


# What happens to the bytes of a body: the new bytes, and up to where they are the old ones.
Bytes = Callable[[random.Random, bytes], tuple[bytes, int]]


def _cut(rng: random.Random, body: bytes) -> tuple[bytes, int]:
    place = rng.randrange(len(body) + 1)
    return body[:place], place


def _changed_byte(rng: random.Random, body: bytes) -> tuple[bytes, int]:
    place = rng.randrange(len(body) + 1)
    return body[:place] + bytes([rng.randrange(256)]) + body[place + 1 :], place


def _odd_bytes(rng: random.Random, body: bytes) -> tuple[bytes, int]:
    place = rng.randrange(len(body) + 1)
    odd = rng.choice((b"\xff\xfe", b"\xc3", b"\xed\xa0\xbd", b"\x00" * 9, b"\xef\xbb\xbf", b"\xf0\x9f", b"\x1b[2J"))
    return body[:place] + odd + body[place:], place


def _mixed_lines(rng: random.Random, body: bytes) -> tuple[bytes, int]:
    lines = body.split(b"\n")
    return b"".join(line + rng.choice((b"\n", b"\r\n")) for line in lines[:-1]) + lines[-1], len(body)


def _only_cr(rng: random.Random, body: bytes) -> tuple[bytes, int]:
    return body.replace(b"\n", b"\r"), 0


def _bare(rng: random.Random, body: bytes) -> tuple[bytes, int]:
    """Without the last line's end."""
    kept = body.rstrip(b"\n")
    return kept, max(kept.rfind(b"\n"), 0)


def _with_mark(rng: random.Random, body: bytes) -> tuple[bytes, int]:
    return b"\xef\xbb\xbf" + body, 0


def _garbage_behind(rng: random.Random, body: bytes) -> tuple[bytes, int]:
    behind = (b"\n\ndata: {\n\n", b"<html>", b"\x00\x01\x02", b"\n" * 5_000, b"data: " * 1_000)
    return body + rng.choice(behind), body.rfind(b"\n", 0, len(body) - 2)


BYTES: dict[str, Bytes] = {
    "cut": _cut, "byte": _changed_byte, "odd": _odd_bytes, "mixed": _mixed_lines, "cr": _only_cr, "bare": _bare,
    "bom": _with_mark, "behind": _garbage_behind,
}  # fmt: skip


# How a body is transferred: what is done, whether all of the body arrives, and whether the connection is kept.
Sent = tuple[list[Action], bool, bool]
Transfer = Callable[[random.Random, bytes, bytes], Sent]
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


def _pieces(rng: random.Random, body: bytes) -> list[bytes]:
    """The body, cut at a few places or at nearly every byte."""
    count = rng.choice((0, 1, 5, 40)) if len(body) < 20_000 else 4
    places = sorted({0, len(body), *(rng.randrange(len(body) + 1) for _ in range(count))})
    return [body[begin:end] for begin, end in pairwise(places)]


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _chunked(rng: random.Random, head: bytes, body: bytes) -> Sent:
    chunks = (Write(_chunk(piece), len(piece)) for piece in _pieces(rng, body))
    return [Write(head + CHUNKED), *chunks, Write(b"0\r\n\r\n")], True, True


def _length(rng: random.Random, head: bytes, body: bytes) -> Sent:
    told = head + b"Content-Length: %d\r\n\r\n" % len(body)
    return [Write(told), *(Write(piece, len(piece)) for piece in _pieces(rng, body))], True, True


def _until_closed(rng: random.Random, head: bytes, body: bytes) -> Sent:
    pieces = (Write(piece, len(piece)) for piece in _pieces(rng, body))
    return [Write(head + b"Connection: close\r\n\r\n"), *pieces], True, False


def _short(rng: random.Random, head: bytes, body: bytes) -> Sent:
    """It says more bytes than come."""
    return (
        [Write(head + b"Content-Length: %d\r\n\r\n" % (len(body) + rng.choice((1, 10**6, 10**18))) + body)],
        True,
        False,
    )


def _long(rng: random.Random, head: bytes, body: bytes) -> Sent:
    """It says fewer bytes than come, and keeps the connection: the rest stands before the next answer."""
    told = rng.randrange(len(body) + 1)
    return [Write(head + b"Content-Length: %d\r\n\r\n" % told + body)], False, True


def _bad_chunk(rng: random.Random, head: bytes, body: bytes) -> Sent:
    pieces = _pieces(rng, body)
    place, odd = (
        rng.randrange(len(pieces) + 1),
        rng.choice((b"zz\r\n", b"-5\r\n", b"ffffffffffffffff\r\n", b"5", b"\r\n\r\n")),
    )
    actions: list[Action] = [Write(head + CHUNKED), *(Write(_chunk(p), len(p)) for p in pieces)]
    actions[place + 1 :] = [Write(odd)]
    return actions, place == len(pieces), False


def _no_last_chunk(rng: random.Random, head: bytes, body: bytes) -> Sent:
    return [Write(head + CHUNKED), Write(_chunk(body) if body else b"")], True, False


def _reset(rng: random.Random, head: bytes, body: bytes) -> Sent:
    place = rng.randrange(len(body) + 1)
    return [Write(head + CHUNKED), Write(_chunk(body[:place]) if place else b""), Reset()], False, False


def _gzipped(rng: random.Random, head: bytes, body: bytes) -> Sent:
    return _length(rng, head + b"Content-Encoding: gzip\r\n", gzip.compress(body, 1))


def _gzip_cut(rng: random.Random, head: bytes, body: bytes) -> Sent:
    packed = gzip.compress(body, 1)
    actions, _, _ = _length(rng, head + b"Content-Encoding: gzip\r\n", packed[: rng.randrange(len(packed))])
    return actions, False, False


def _gzip_lie(rng: random.Random, head: bytes, body: bytes) -> Sent:
    coding = rng.choice((b"gzip", b"deflate", b"br", b"zstd", b"gzip, gzip", b"x-odd", b"identity"))
    content = rng.choice((body, zlib.compress(body), gzip.compress(body) + b"behind"))
    actions, _, _ = _length(rng, head + b"Content-Encoding: " + coding + b"\r\n", content)
    return actions, False, False


def _bomb(rng: random.Random, head: bytes, body: bytes) -> Sent:
    flood = rng.choice((b": ping\n\n", b"\n", b"a", b'data: {"choices":[]}\n\n', b" ", b"data: a\n")) * 60_000
    return [Write(head + b"Content-Encoding: gzip\r\n" + CHUNKED), Flood(flood, packed=True)], False, False


def _endless(rng: random.Random, head: bytes, body: bytes) -> Sent:
    flood = rng.choice(
        (b": ping\n\n", b"a" * 999, b"\n", body or b"x", b"data: {}\n\n", b"data: [DONE]\n\n", b"data: a\n")
    )
    flood *= max(1, 50_000 // len(flood))
    return [Write(head + CHUNKED), Write(_chunk(body) if body else b""), Flood(flood)], True, False


def _endless_head(rng: random.Random, head: bytes, body: bytes) -> Sent:
    flood = rng.choice((b"X-More: of it\r\n", b"X" * 1_000, b"A: b\r\n c\r\n"))
    return [Write(head), Flood(flood * 50, chunked=False)], False, False


def _odd_head(rng: random.Random, head: bytes, body: bytes) -> Sent:
    two_lengths = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\n"
    heads = (b"999 Odd", b"200 OK\r\n: x", b"103 Early\r\nLink: x", b"204 No", b"200 OK\r\nContent-Length: -1")
    heads += (b"101 Switching\r\nUpgrade: x", b"200 \xff\xfe\r\nA\xff: b", b"202 Later")
    others = (
        b"",
        b"\r\n\r\n",
        b"HTTP/0.9 200\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n",
        b"\x16\x03\x01\x02",
        b"HTTP/2.0 200 OK\r\n\r\n",
    )
    others += (b"HTTP/1.1 100 Continue\r\n\r\n" * 50, two_lengths)
    lines = (*(b"HTTP/1.1 " + head + b"\r\n\r\n" for head in heads), *others)
    return [Write(rng.choice(lines) + body)], False, False


TRANSFERS: dict[str, Transfer] = {
    "chunked": _chunked, "length": _length, "until closed": _until_closed, "short": _short, "long": _long,
    "bad chunk": _bad_chunk, "no last chunk": _no_last_chunk, "reset": _reset, "gzip": _gzipped, "gzip cut": _gzip_cut,
    "gzip lie": _gzip_lie, "bomb": _bomb, "endless": _endless, "endless head": _endless_head, "odd head": _odd_head,
}  # fmt: skip
PACKED = ("gzip", "gzip cut")
OTHER_BODIES = ("gzip lie", "odd head", "bomb", "endless head")
"""Transfers after which the client reads another body than was made, or none."""


# A status line and headers in place of 200.
Header = Callable[[random.Random], tuple[bytes, list[tuple[str, str | bytes]]]]


def _refused(rng: random.Random) -> tuple[bytes, list[tuple[str, str | bytes]]]:
    codes = (
        400,
        401,
        402,
        403,
        404,
        405,
        408,
        409,
        413,
        418,
        422,
        429,
        431,
        451,
        500,
        501,
        502,
        503,
        504,
        520,
        529,
        599,
    )
    waits = ("", "0.01", "-5", "nan", "inf", "1e400", "9" * 500, "Wed, 21 Oct 2015 07:28:00 GMT", "soon", "0x10", "1,5")
    headers: list[tuple[str, str | bytes]] = [
        ("Content-Type", rng.choice(("text/html", "application/json", "", "text/event-stream")))
    ]
    if wait := rng.choice(waits):
        headers.append((rng.choice(("Retry-After", "retry-after-ms", "x-ratelimit-reset-requests")), wait))
    return b"%d Odd" % rng.choice(codes), headers


def _redirected(rng: random.Random) -> tuple[bytes, list[tuple[str, str | bytes]]]:
    to = (
        "",
        "/v1/chat/completions",
        "file:///etc/passwd",
        "http://",
        "http://[::1",
        "//",
        "http://127.0.0.1:1/",
        b"\xff\xfe",
        "a b",
    )
    return b"%d Moved" % rng.choice((301, 302, 303, 307, 308, 304, 300)), [("Location", rng.choice(to))]


def _odd_type(rng: random.Random) -> tuple[bytes, list[tuple[str, str | bytes]]]:
    types = (
        "text/html; charset=utf-16",
        "",
        "image/png",
        "application/json; charset=\x00",
        "text/event-stream; charset=bogus",
        ";;;",
        "x" * 5_000,
    )
    return b"200 OK", [("Content-Type", rng.choice(types))]


HEADERS: dict[str, Header] = {"refused": _refused, "redirected": _redirected, "odd type": _odd_type}


# When it happens.
Timing = Callable[[random.Random, list[Action]], list[Action]]


def _stalls(rng: random.Random, actions: list[Action]) -> list[Action]:
    """It stops for ever: within the head, or where the body was cut."""
    return [*actions[: rng.choice((0, len(actions) - 1, len(actions) - 1))], Hold()]


def _hesitates(rng: random.Random, actions: list[Action]) -> list[Action]:
    place = rng.randrange(len(actions) + 1)
    return [*actions[:place], Pause(PATIENCE / 4), *actions[place:]]


def _byte_by_byte(rng: random.Random, actions: list[Action]) -> list[Action]:
    """Some bytes alone, each after a pause."""
    place = rng.randrange(len(actions))
    if not isinstance(slow := actions[place], Write):
        return actions
    begin = rng.randrange(len(slow.data) + 1)
    single = [
        each
        for n in range(begin, min(begin + 8, len(slow.data)))
        for each in (Write(slow.data[n : n + 1]), Pause(0.01))
    ]
    rest = [Write(slow.data[begin + 8 :])]
    return [*actions[:place], Write(slow.data[:begin]), *single, *rest, *actions[place + 1 :]]


def _lingers(rng: random.Random, actions: list[Action]) -> list[Action]:
    """All comes but the end, and the connection stays open."""
    return [*actions[:-1], Hold()]


def _lingers_alive(rng: random.Random, actions: list[Action]) -> list[Action]:
    """All comes but the end; then signs of life, again and again."""
    sign = rng.choice((b": ping\n\n", b"\n\n", b'data: {"choices":[]}\n\n', b'{"done":false}\n'))
    return [*actions[:-1], *[each for _ in range(50) for each in (Write(_chunk(sign)), Pause(PATIENCE / 8))]]


TIMINGS: dict[str, Timing] = {
    "stalls": _stalls, "hesitates": _hesitates, "byte by byte": _byte_by_byte, "lingers": _lingers,
    "lingers alive": _lingers_alive,
}  # fmt: skip
SOUND_TIMINGS = ("hesitates", "byte by byte")
