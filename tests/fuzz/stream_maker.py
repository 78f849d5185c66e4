"""Ten thousand bad streams, each of one integer: what a server writes, from its status line to how it hangs up.

    stream = stream_of(Recipe.of_seed(17))

A recipe names what is done to a sound reply; leaving a part of it out gives another recipe, which is how a failure is
made smaller. The same seed gives the same stream in every process.
"""

from __future__ import annotations

import math
import random

import msgspec
from msgspec.structs import replace
from stream_events import CHANGES, OF_NAME, events_of, reply_of
from stream_parts import BYTES, HEADERS, OTHER_BODIES, PACKED, SOUND_TIMINGS, TIMINGS, TRANSFERS, Action, Write


class Stream(msgspec.Struct, frozen=True):
    """kind: of the server. actions: what it does. texts: of the body before anything in it is wrong, each with the
    number of the body's bytes up to its end; infinite where it is packed, so that only all of it tells.

    is_whole: whether that part of the body arrives, whatever else happens. is_kept: whether the connection stays open
    for another request.
    """

    kind: str
    actions: tuple[Action, ...]
    texts: tuple[tuple[float, str], ...]
    is_whole: bool = True
    is_kept: bool = False

    def text(self, read: float = math.inf) -> str:
        """The sound text in so many bytes of the body."""
        return "".join(text for end, text in self.texts if end <= read)


class Recipe(msgspec.Struct, frozen=True):
    """How a stream is made. changes: of the events, each with a seed of its own; then of bytes, of the transfer."""

    seed: int
    kind: str
    changes: tuple[tuple[str, int], ...] = ()
    bytes_change: str = ""
    transfer: str = "chunked"
    header: str = ""
    timing: str = ""
    number: int = 0
    """Of the request that it answers, within its turn."""

    @classmethod
    def of_seed(cls, seed: int, number: int = 0, kind: str = "") -> Recipe:
        rng = random.Random(f"{seed}/{number}")
        kind = kind or rng.choice(sorted(OF_NAME))
        count = rng.choice((0, 1, 1, 1, 1, 2, 3))
        changes = tuple((rng.choice(sorted(CHANGES)), rng.randrange(10**6)) for _ in range(count))
        plain = rng.random() < 0.5
        return cls(
            seed,
            kind,
            changes,
            "" if plain else rng.choice(("", "", *sorted(BYTES))),
            rng.choice(("chunked", "length")) if plain else rng.choice(sorted(TRANSFERS)),
            "" if rng.random() < 0.85 else rng.choice(sorted(HEADERS)),
            "" if rng.random() < 0.88 else rng.choice(sorted(TIMINGS)),
            number,
        )

    def smaller(self) -> list[Recipe]:
        """The same with one thing less that is wrong, the largest first."""
        less = [replace(self, **{name: ""}) for name in ("header", "timing", "bytes_change") if getattr(self, name)]
        less += [replace(self, transfer="chunked")] if self.transfer != "chunked" else []
        parts = range(len(self.changes))
        return less + [replace(self, changes=self.changes[:n] + self.changes[n + 1 :]) for n in parts]


def stream_of(recipe: Recipe) -> Stream:
    """The stream of that recipe."""
    rng = random.Random(f"{recipe.seed}/{recipe.number}/body")
    events = events_of(OF_NAME[recipe.kind], reply_of(rng, f"{recipe.seed}.{recipe.number}"))
    sound = len(events)
    for name, seed in recipe.changes:
        if events:
            sound = min(sound, CHANGES[name](random.Random(seed), events))
    body = plain = b"".join(event.encoded() for event in events)
    ends = [0]
    for event in events:
        ends.append(ends[-1] + len(event.encoded()))
    sound_bytes = ends[min(sound, len(events))]
    if recipe.bytes_change or recipe.timing == "stalls":
        body, first = BYTES[recipe.bytes_change or "cut"](rng, body)
        sound_bytes = min(sound_bytes, first)
    sound_texts = [(end, event.text) for event, end in zip(events, ends[1:], strict=True) if end <= sound_bytes]
    if recipe.bytes_change == "mixed":
        sound_texts = [(_end_of_lines(body, plain.count(b"\n", 0, end)), text) for end, text in sound_texts]
    if recipe.transfer in PACKED:
        sound_texts = [(math.inf, text) for _, text in sound_texts]
    status, headers = HEADERS[recipe.header](rng) if recipe.header else (b"200 OK", [])
    texts = () if recipe.header or recipe.transfer in OTHER_BODIES else tuple(sound_texts)
    kind = OF_NAME[recipe.kind]
    named = {name.lower() for name, _ in headers}
    if "content-type" not in named:
        headers.append(("Content-Type", "application/x-ndjson" if kind.flavour == "ollama" else "text/event-stream"))
    head = b"HTTP/1.1 " + status + b"\r\n" + b"".join(b"%s: %s\r\n" % (n.encode(), _line(v)) for n, v in headers)
    actions, is_whole, is_kept = TRANSFERS[recipe.transfer](rng, head, body)
    if recipe.timing:
        actions = TIMINGS[recipe.timing](rng, actions)
        is_whole, is_kept = is_whole and recipe.timing in SOUND_TIMINGS, False
    if recipe.timing == "lingers alive":  # its signs of life are bytes of the body, too, for the one who reads
        written = sum(action.body for action in actions if isinstance(action, Write))
        texts = tuple((end, text) for end, text in texts if end <= written)
    return Stream(recipe.kind, tuple(actions), texts, is_whole, is_kept)


def _end_of_lines(body: bytes, count: int) -> int:
    """The number of bytes up to the end of so many lines."""
    return sum(len(line) + 1 for line in body.split(b"\n")[:count])


def _line(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("latin-1", "replace")
