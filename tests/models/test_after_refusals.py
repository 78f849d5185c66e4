"""No conversation ends for what a server says: after any refusal, the next message of the conversation is answered.

The refusals are all that the tests know: the errors of providers, the wordings that name their cure, and the answers of
the wire cases, each also in other words, with other numbers, in other bodies, in a stream, and after half a reply.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from desktop_app.chat.turn import reply
from desktop_app.conversation import quirks
from desktop_app.settings import ServerKind
from provider_vectors import vectors
from refusals import Json, Refusal, play
from refused_forms import REFUSALS

CASES = sorted((Path(__file__).parent / "wire_cases").glob("*.json"))
KINDS: dict[str, ServerKind] = {"anthropic": "anthropic", "gemini": "gemini", "ollama": "ollama", "openai": "openai"}
"""The kinds of server whose errors are sent in their own format; the others speak OpenAI's."""


def _roles(body: Json) -> list[str]:
    return [message["role"] for message in body.get("messages") or ()]


def _neighbours(body: Json) -> set[tuple[str, str]]:
    roles = _roles(body)
    return set(itertools.pairwise(roles))


def _with_calls(body: Json) -> list[Json]:
    return [message for message in body.get("messages") or () if message.get("tool_calls")]


KEEPS: dict[str, Callable[[Json], bool]] = {
    quirks.MAX_COMPLETION_TOKENS: lambda body: "max_tokens" in body,
    quirks.NO_TOOLS: lambda body: "tools" in body,
    quirks.CALLS_AS_TEXT: lambda body: "tool" in _roles(body),
    quirks.NO_SYSTEM: lambda body: "system" in _roles(body),
    quirks.ALTERNATING: lambda body: any(one == other for one, other in _neighbours(body)) or "tool" in _roles(body),
    quirks.ONE_CALL: lambda body: any(len(message["tool_calls"]) > 1 for message in _with_calls(body)),
    quirks.NO_USER_AFTER_TOOL: lambda body: ("tool", "user") in _neighbours(body),
    quirks.ALL_REASONING: lambda body: not all(message.get("reasoning_content") for message in _with_calls(body)),
    quirks.NO_REASONING: lambda body: any("reasoning_content" in message for message in body.get("messages") or ()),
}
"""What a server refuses that wants a form, by the quirk."""


def _keeps(quirk: str) -> Callable[[Json, int, int], bool] | None:
    if quirk.startswith(quirks.WITHOUT):
        return lambda body, size, first: quirk.removeprefix(quirks.WITHOUT) in body
    test = KEEPS.get(quirk)
    return None if test is None else lambda body, size, first: test(body)


def _is_long(body: Json, size: int, first: int) -> bool:
    return size > 0.85 * first


def _has_pictures(body: Json, size: int, first: int) -> bool:
    return json.dumps(body).count("base64") > 1


def of_vectors() -> Iterator[Refusal]:
    """Yield the errors of providers, as their status or in a stream."""
    for vector in vectors():
        kind = KINDS.get(vector.provider, "openai_compatible")
        status = vector.status or 200
        body = vector.text if vector.status else _in_stream(vector.text)
        is_overflow = vector.kind == "overflow"
        about_pictures = bool(re.search("image|media", vector.text, re.IGNORECASE))
        yield Refusal(
            str(vector), status, body, vector.headers, kind, _is_long if is_overflow else None, picture=about_pictures
        )


def of_cures() -> Iterator[Refusal]:
    """Yield the refusals that name the form which the server wants."""
    for words, quirk in REFUSALS:
        yield Refusal(f"cure {quirk}", 400, json.dumps(_error(words)), keeps=_keeps(quirk))


PICTURES = (
    "At most 1 image(s) may be provided in one prompt.",
    "Failed to load image or audio file",
    "Could not process image",
    "messages[1].content[1].type: unknown variant `image_url`, expected `text`",
    "image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
    "image dimensions exceed max allowed size: 8000 pixels",
)


def of_cases() -> Iterator[Refusal]:
    """Yield the refusals of the wire cases, and the ones that are about pictures."""
    for file in CASES:
        case = json.loads(file.read_text(encoding="utf-8"))
        answers = [case.get("refuse"), *case["replies"]]
        for answer in answers:
            text = "" if answer is None else _text(answer)
            if answer is not None and (answer.get("status", 200) >= 400 or '"error"' in text[:300]):
                kind = KINDS.get(case["model"].split("/")[0], "openai_compatible")
                headers = answer.get("headers", {})
                yield Refusal(f"case {file.stem}", answer.get("status", 200), text, headers, kind, picture=True)
    for words in PICTURES:
        yield Refusal("pictures", 400, json.dumps(_error(words)), keeps=_has_pictures, picture=True)


def _text(answer: Json) -> str:
    if "events" in answer:
        return _in_stream(*(event if isinstance(event, str) else json.dumps(event) for event in answer["events"]))
    body = answer.get("body", "")
    return body if isinstance(body, str) else json.dumps(body)


def _error(words: str) -> Json:
    return {"error": {"message": words, "type": "invalid_request_error", "param": None, "code": 400}}


def _in_stream(*events: str) -> str:
    return "".join(f"data: {event}\n\n" for event in events)


# Other bodies with the same words


def _value(body: str) -> Any:
    lines = [line.removeprefix("data: ") for line in body.splitlines() if line.startswith("data: {")]
    try:
        return json.loads(lines[-1] if lines else body)
    except ValueError:
        return _error(body)


def _words(body: str) -> str:
    value = _value(body)
    while isinstance(value, list) and value:
        value = value[0]
    inner: Any = value.get("error", value) if isinstance(value, dict) else value
    if isinstance(inner, dict):
        raw = (inner.get("metadata") or {}).get("raw")
        inner = raw or inner.get("message", inner.get("detail", inner))
    found = inner
    return found if isinstance(found, str) else json.dumps(found)


def _compact(body: str) -> str:
    return json.dumps(_value(body))


def _with_status(status: int) -> int:
    return status if status >= 400 else 400


BODIES: dict[str, Callable[[Refusal], Refusal]] = {
    "as plain text": lambda r: replace(r, status=_with_status(r.status), body=_words(r.body)),
    "as a detail": lambda r: replace(r, status=_with_status(r.status), body=json.dumps({"detail": _words(r.body)})),
    "as a text": lambda r: replace(r, status=_with_status(r.status), body=json.dumps({"error": _words(r.body)})),
    "by a gateway": lambda r: replace(
        r,
        status=_with_status(r.status),
        body=json.dumps(
            {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": _compact(r.body)}}}
        ),
    ),
    "by litellm's proxy": lambda r: replace(
        r,
        status=_with_status(r.status),
        body=json.dumps(_error(f"litellm.BadRequestError: OpenAIException - {_words(r.body)}. Received Model Group=m")),
    ),
    "in a list": lambda r: replace(r, status=_with_status(r.status), body=f"[{_compact(r.body)}]"),
    "in a stream": lambda r: replace(r, status=200, headers={}, body=_in_stream(_compact(r.body))),
    "as an event": lambda r: replace(r, status=200, headers={}, body=f"event: error\ndata: {_compact(r.body)}\n\n"),
    "as a whole reply": lambda r: replace(r, status=200, headers={}, body=_compact(r.body)),
    "after half a reply": lambda r: replace(
        r, status=200, headers={}, body=_in_stream(_compact(r.body)), begins=True, keeps=None
    ),
    "as status 500": lambda r: replace(r, status=500, body=_compact(r.body)),
    "without its numbers": lambda r: _changed(r, lambda words: re.sub(r"\d{4,}", "***", words)),
    "with small numbers": lambda r: _changed(r, lambda words: re.sub(r"\d{4,}", lambda m: m[0][:3], words)),
    "with 1,500": lambda r: _changed(r, lambda words: re.sub(r"\d{4,}", "1500", words, count=1)),
    "with separators": lambda r: _changed(r, lambda words: re.sub(r"\b\d{4,}\b", lambda m: f"{int(m[0]):,}", words)),
    "in capitals": lambda r: _changed(r, str.upper),
}


def _changed(refusal: Refusal, change: Callable[[str], str]) -> Refusal:
    """Return the refusal with other words."""
    words = _words(refusal.body)
    return replace(refusal, status=_with_status(refusal.status), body=json.dumps(_error(change(words))))


def known() -> list[Refusal]:
    """Return the refusals as they were seen."""
    return [*of_vectors(), *of_cures(), *of_cases()]


def in_other_bodies() -> list[Refusal]:
    """Return each refusal in two other bodies, of which one says it in a stream or with other numbers."""
    refusals, names = known(), list(BODIES)
    chance = random.Random(25)
    found: list[Refusal] = []
    for refusal in refusals:
        for name in chance.sample(names, 2):
            changed = BODIES[name](refusal)
            is_stated = chance.random() < 0.7
            found.append(replace(changed, name=f"{refusal.name}, {name}", is_stated=is_stated))
    return found


@pytest.fixture(autouse=True)
def _without_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeat a request at once, whatever the server asks for."""

    async def at_once(seconds: float) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr(reply, "asyncio", SimpleNamespace(sleep=at_once, to_thread=asyncio.to_thread))


def _report(wrong: list[str]) -> None:
    assert not wrong, "\n".join([f"{len(wrong)} problems", *wrong])


SAMPLE = 24
BATCH = 60
ALL = [*known(), *in_other_bodies()]


@pytest.mark.usefixtures("loaded")
async def test_the_next_message_is_answered(tmp_path: Path) -> None:
    sample = random.Random(7).sample(ALL, SAMPLE)
    _report(await play(sample, tmp_path))


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize("start", range(0, len(ALL), BATCH))
async def test_the_next_message_is_answered_after_any_refusal(start: int, tmp_path: Path) -> None:
    _report(await play(ALL[start : start + BATCH], tmp_path))
