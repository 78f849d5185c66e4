"""Bad inputs from good ones, by a seed: bytes changed, pieces of two joined, JSON with other types in its places."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from stream_events import WRONG, places_in

TOKENS: tuple[bytes, ...] = (
    *(
        b"\x00",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xed\xa0\xbd",
        b"\xf0\x9f",
        "\u202e\u2028".encode(),
        b"\r",
        b"\n\n",
        b"'",
        b'"',
    ),
    *(
        b"\\ud83d",
        b"\\u0000",
        b"NaN",
        b"-1",
        b"1e999",
        b"9" * 5_000,
        b"[" * 3_000,
        b'{"a":' * 3_000,
        b"null",
        b"{}",
        b"[]",
    ),
    *(
        b"../../etc/passwd",
        b"%s%n",
        b"&a;",
        b"<!DOCTYPE a [<!ENTITY a 'aaaa'>]>",
        b"```",
        b"<|im_end|>",
        b"<think>",
        b"0x1",
    ),
    *(b"A" * 70_000, b"]]>", b"--", b"2026-99-99T99:99:99Z", b"file:///etc/passwd", b"data:image/png;base64,AAAA"),
)


def mutated(rng: random.Random, samples: Sequence[bytes]) -> bytes:
    """One bad input: a sample with one to four things wrong with it. Some are left as they are, and some are noise."""
    content = rng.choice(samples) if samples and rng.random() < 0.97 else rng.randbytes(rng.randrange(64))
    for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
        content = rng.choice(WAYS)(rng, content, samples)
    return content


def _cut(rng: random.Random, content: bytes, samples: Sequence[bytes]) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _flip(rng: random.Random, content: bytes, samples: Sequence[bytes]) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 8, 64)) if changed else 0):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _insert(rng: random.Random, content: bytes, samples: Sequence[bytes]) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(TOKENS) + content[place:]


def _left_out(rng: random.Random, content: bytes, samples: Sequence[bytes]) -> bytes:
    begin = rng.randrange(len(content) + 1)
    return content[:begin] + content[begin + rng.choice((1, 4, 100, 2_000)) :]


def _repeated(rng: random.Random, content: bytes, samples: Sequence[bytes]) -> bytes:
    begin = rng.randrange(len(content) + 1)
    end = begin + rng.choice((1, 8, 300))
    return content[:end] + content[begin:end] * rng.choice((1, 2, 50)) + content[end:]


def _joined(rng: random.Random, content: bytes, samples: Sequence[bytes]) -> bytes:
    other = rng.choice(samples or (b"",))
    return content[: rng.randrange(len(content) + 1)] + other[rng.randrange(len(other) + 1) :]


def _other_json(rng: random.Random, content: bytes, samples: Sequence[bytes]) -> bytes:
    """JSON, or a line of it, with up to three values of another type, or left out."""
    lines = content.split(b"\n")
    for place in (None, rng.randrange(len(lines))):
        try:
            value = json.loads(content if place is None else lines[place])
        except (ValueError, RecursionError):
            continue
        changed = json.dumps(_changed(rng, value)).encode()
        return changed if place is None else b"\n".join([*lines[:place], changed, *lines[place + 1 :]])
    return content


def _changed(rng: random.Random, value: Any) -> Any:
    for _ in range(rng.randrange(1, 4)):
        places = list(places_in(value))
        if not places:
            return deepcopy(rng.choice(WRONG))
        holder, key = rng.choice(places)
        if isinstance(holder, dict) and rng.random() < 0.3:
            del holder[key]
        elif rng.random() < 0.2:
            other, name = rng.choice(places)
            holder[key] = deepcopy(other[name]) if other is not holder else None
        else:
            holder[key] = deepcopy(rng.choice(WRONG))
    return value


WAYS = (_cut, _flip, _insert, _left_out, _repeated, _joined, _other_json, _other_json, _other_json)
