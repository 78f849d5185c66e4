"""A reply of any provider as single events with JSON, and all that can be wrong with them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import msgspec

from kinds_of_server import CODEX, KINDS, Kind
from provider_flavours import FLAVOURS
from provider_script import Call, Json, Reply

OF_NAME: dict[str, Kind] = {**{kind.kind: kind for kind in KINDS}, "codex": CODEX}
"""Every kind of server; "codex" is OpenAI's Responses API."""

WRONG: tuple[Any, ...] = (
    None, True, 0, -4, 12.5, 1e308, 10**30, 2**63, "", "x", "12", "nan", "stop", [], [3], {}, {"a": 1}, [[]],
    "\ud83d", "a\x00b", "\u202e", "é" * 3_000, ["x", None, {}], {"text": 1},
)  # fmt: skip
TEXTS = (
    "",
    "Hi.",
    "naïve 世界 👩‍👩‍👧‍👦 я🇫🇷́ fin",
    "a\u2028b\u2029c\u0085d\x0be",
    "```python\nfor n in range(3):\n",
    "word " * 200,
)
TOOLS = ("count", "look", "count", "unknown_tool", "", "näme\nof two lines")


class Event(msgspec.Struct):
    """One event: the bytes before its JSON and behind it, the JSON itself (None: bytes only), and its visible text."""

    before: bytes
    value: Any
    after: bytes
    text: str = ""

    def encoded(self) -> bytes:
        if self.value is None:
            return self.before + self.after
        return self.before + json_bytes(self.value) + self.after


class Raw(msgspec.Struct, frozen=True):
    """JSON text that is written as it is, where a value should stand."""

    text: str


def json_bytes(value: Any) -> bytes:
    if isinstance(value, Raw):
        return value.text.encode("utf-8", "surrogatepass")
    # Lone surrogates as \u escapes, all other characters as themselves.
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def reply_of(rng: random.Random, mark: str) -> Reply:
    """A reply that some provider could give. mark: stands in the arguments of its calls."""
    calls = tuple(
        Call(
            rng.choice(TOOLS), json.dumps({"mark": f"{mark}.{n}", "text": "世界 and more"}), rng.choice(("c1", f"c{n}"))
        )
        for n in range(rng.choice((0, 0, 1, 1, 2, 3)))
    )
    return Reply(
        rng.choice(TEXTS),
        size=rng.choice((1, 3, 40, 5_000)) if not calls else rng.choice((3, 40)),
        reasoning=rng.choice(("", "", "Well, 世界. I look.")),
        calls=calls,
        usage=rng.choice((None, (11, 7, 0), (11, 7, 4))),
        finish=rng.choice(("stop", "stop", "stop", "length", "content_filter", "eos")),
    )


def events_of(kind: Kind, reply: Reply) -> list[Event]:
    """The reply as that kind of server streams it."""
    shape = FLAVOURS[kind.flavour]
    body: Json = {"model": kind.model, "stream_options": {"include_usage": True}}
    written = [*shape.opening(reply, body), *shape.ending(reply, body), shape.done()]
    return [_event(one) for one in written if one]


def _event(content: bytes) -> Event:
    begin, end = content.find(b"{"), content.rfind(b"}") + 1
    if begin < 0 or end <= begin:
        return Event(content, None, b"")
    value = json.loads(content[begin:end])
    return Event(content[:begin], value, content[end:], visible_text(value))


def visible_text(value: Any) -> str:
    """The text that an intact event adds to the reply, in whichever shape."""
    match value:
        case {"choices": [{"delta": {"content": str(text)}}, *_]}:
            return text
        case {"type": "content_block_delta", "delta": {"type": "text_delta", "text": str(text)}}:
            return text
        case {"candidates": [{"content": {"parts": [*parts]}}, *_]}:
            return "".join(part["text"] for part in parts if "text" in part and not part.get("thought"))
        case {"done": _, "message": {"content": str(text)}}:
            return text
        case {"type": "response.output_text.delta", "delta": str(text)}:
            return text
        case _:
            return ""


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a JSON value, as its holder and its key or index."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places_in(value[key])


Change = Callable[[random.Random, list[Event]], int]
"""Changes the events in place; returns the index of the first one that is not as it was."""


def _some(rng: random.Random, events: list[Event]) -> int:
    """The index of an event with JSON."""
    return rng.choice([n for n, event in enumerate(events) if isinstance(event.value, dict)] or [0])


def wrong_type(rng: random.Random, events: list[Event]) -> int:
    index = _some(rng, events)
    if places := list(places_in(events[index].value)):
        holder, key = rng.choice(places)
        holder[key] = deepcopy(rng.choice(WRONG))
    return index


def missing_field(rng: random.Random, events: list[Event]) -> int:
    index = _some(rng, events)
    if places := list(places_in(events[index].value)):
        holder, key = rng.choice(places)
        del holder[key]
    return index


def wrong_event(rng: random.Random, events: list[Event]) -> int:
    index = _some(rng, events)
    odd = (
        *WRONG[:16], Raw("{"), Raw(""), Raw("NaN"), Raw("[" * 50_000), Raw('{"a":' * 5_000), Raw("1" * 6_000),
        Raw("[DONE]"),
        Raw('{"choices":[{"delta":{"content":"\\ud83d"}}]}'), Raw("<html><body>Welcome to nginx!</body></html>"),
    )  # fmt: skip
    events[index].value = deepcopy(odd[rng.randrange(len(odd))])
    if events[index].value is None:
        events[index].value = Raw("null")
    return index


def repeated(rng: random.Random, events: list[Event]) -> int:
    index = rng.randrange(len(events))
    events[index:index] = [deepcopy(events[index]) for _ in range(rng.choice((1, 1, 2, 150)))]
    return index


def reordered(rng: random.Random, events: list[Event]) -> int:
    one, other = sorted((rng.randrange(len(events)), rng.randrange(len(events))))
    events.insert(one, events.pop(other))
    return one


def left_out(rng: random.Random, events: list[Event]) -> int:
    index = rng.randrange(len(events))
    del events[index : index + rng.choice((1, 1, 3))]
    return index


def ended_twice(rng: random.Random, events: list[Event]) -> int:
    """Its last events once more, or what would come behind them."""
    count, length = rng.randrange(1, 4), len(events)
    events += deepcopy(events[-count:])
    if rng.random() < 0.5:
        events += deepcopy(events[:count])
    return length


def ended_early(rng: random.Random, events: list[Event]) -> int:
    index = rng.randrange(len(events))
    events[index:index] = deepcopy(events[-rng.randrange(1, 4) :])
    return index


USAGES = (
    "usage",
    "usageMetadata",
    "prompt_tokens",
    "input_tokens",
    "promptTokenCount",
    "prompt_eval_count",
    "eval_count",
)


def odd_usage(rng: random.Random, events: list[Event]) -> int:
    """Usage twice, negative, absurd, as text, of another type."""
    found = [(n, *place) for n, e in enumerate(events) for place in places_in(e.value) if place[1] in USAGES]
    if not found:
        return len(events)
    index, holder, key = rng.choice(found)
    tokens = rng.choice((-1, 10**12, "12", "1" * 5_000, 1.5, Raw, [1], {}, None, True, 10**400))
    holder[key] = {name: tokens for name in holder[key]} if isinstance(holder[key], dict) else tokens
    if tokens is Raw:
        holder[key] = "Infinity"
    if rng.random() < 0.3:
        events.insert(index, deepcopy(events[index]))
    return index


CALL_FIELDS = (
    "id",
    "call_id",
    "index",
    "name",
    "arguments",
    "partial_json",
    "args",
    "input",
    "output_index",
    "function",
)


def odd_call(rng: random.Random, events: list[Event]) -> int:
    """Calls without ids, with the same ones, with arguments of another kind, split elsewhere."""
    found = [(n, *place) for n, e in enumerate(events) for place in places_in(e.value) if place[1] in CALL_FIELDS]
    if not found:
        return len(events)
    first = len(events)
    odd = rng.choice(
        (None, "", "c1", 0, -1, 7, "0", {}, [], {"a": "b"}, '{"a": 1}', "{", "[[", "\ud83d", "x" * 100_000, 10**6)
    )
    field = rng.choice(found)[2]
    for index, holder, key in found:
        if key == field:
            first = min(first, index)
            holder[key] = deepcopy(odd)
    return first


def keep_alives(rng: random.Random, events: list[Event]) -> int:
    """Signs of life that change nothing: comments, empty lines, pings."""
    is_lines = not events[0].before.startswith((b"data:", b"event:"))
    signs = (
        (b"\n", b"\r\n\r\n")
        if is_lines
        else (b": ping\n\n", b"\n\n", b"event: ping\n\n", b"retry: 3\n\n", b"id: 7\n\n")
    )
    for _ in range(rng.choice((1, 5, 300))):
        events.insert(rng.randrange(len(events) + 1), Event(rng.choice(signs), None, b""))
    return len(events) if signs[0] != b"\n" else 0


ERRORS: tuple[Any, ...] = (
    {"error": {"message": "Overloaded", "type": "overloaded_error", "code": 529}},
    {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    {"error": "out of memory"},
    {"error": {"message": "prompt is too long: 9000 tokens > 8192 maximum", "code": "context_length_exceeded"}},
    {"error": {"message": None, "code": "rate_limit_exceeded"}},
    {"error": {"code": 10**30, "message": ["a"]}},
    {"error": []},
    {"error": {"message": {"error": {"message": "deep"}}}},
    {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "no"}}},
    {"type": "response.failed"},
    {"type": "error", "error": None},
    {"candidates": [], "promptFeedback": {"blockReason": "SAFETY"}},
    {"object": "error", "message": "vLLM says no", "code": 400},
    {"detail": "Not Found"},
)


def error_inside(rng: random.Random, events: list[Event]) -> int:
    index, model = rng.randrange(len(events) + 1), events[min(1, len(events) - 1)]
    before = rng.choice((model.before, b"event: error\ndata: ", b"data: "))
    events.insert(index, Event(before, deepcopy(rng.choice(ERRORS)), model.after or b"\n\n"))
    return index


def huge_line(rng: random.Random, events: list[Event]) -> int:
    index = _some(rng, events)
    size = rng.choice((70_000, 1_000_000, 5_000_000))
    places = [place for place in places_in(events[index].value) if isinstance(place[0][place[1]], str)]
    if places:
        holder, key = rng.choice(places)
        holder[key] = "long " * (size // 5)
    return index


CHANGES: dict[str, Change] = {
    change.__name__: change
    for change in (
        wrong_type, missing_field, wrong_event, repeated, reordered, left_out, ended_twice, ended_early, odd_usage,
        odd_call, keep_alives, error_inside, huge_line,
    )
}  # fmt: skip
