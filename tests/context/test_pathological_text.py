"""Text that hangs careless regular expressions is read in a time that grows no faster than its length."""

from __future__ import annotations

import base64
import time

import pytest

from builders import head, model, result, user
from conversations_made_up import Letters
from desktop_app.context.extractive.extract import extract
from desktop_app.context.extractive.summary_builder import lines_of
from desktop_app.context.ledger.ledger import fidelity, ledger_of
from desktop_app.conversation.memory import Ledger
from desktop_app.conversation.message import Message
from slowness import slowness

TEXTS = {
    "a megabyte without a space": "a" * 1_000_000,
    "a megabyte of mixed signs": "ab1_/.-Z" * 125_000,
    "a megabyte of spaces": " " * 1_000_000,
    "a megabyte of Chinese": "我们必须" * 250_000,
    "dots": "." * 100_000,
    "slashes": "/a" * 50_000,
    "under_scores": "a_" * 50_000,
    "commas": "1," * 50_000,
    "back-ticks": "`" * 100_000,
    "unclosed back-ticks": "`a" * 50_000,
    "unclosed brackets": "[a " * 50_000,
    "addresses": "a@b." * 25_000,
    "links": "https://" * 12_500,
    "questions": "a? " * 50_000,
    "errors": "error: " * 50_000,
    "rules": "never " * 50_000,
    "unclosed quotes in JSON": '"error": "' * 30_000,
    "half of a stamp": "[2024 " * 50_000,
    "short lines": "a b c d\n" * 60_000,
    "wrapped lines": ("x" * 60 + " abc\n") * 15_000,
    "base64": base64.b64encode(bytes(range(256)) * 3_000).decode(),
    "emoji": "🙂🙃" * 50_000,
    "control characters": "\x00\x01" * 50_000,
    "lone surrogates": "\ud800" * 50_000,
}
SECONDS = 5.0
"""Each takes under half a second on an idle core; what is quadratic takes minutes."""


@pytest.mark.parametrize("speaker", [result, *(pytest.param(one, marks=pytest.mark.slow) for one in (user, model))])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_no_text_takes_long(text: str, speaker) -> None:
    said: list[Message] = head(speaker(text), user("go on"))
    started = time.perf_counter()
    ledger = ledger_of(said, Ledger())
    page = extract(said, "", ledger, 500, Letters().count)
    fidelity(said, page, [], set())
    lines_of(text)
    assert time.perf_counter() - started < SECONDS * slowness()
    assert Letters().count(page) <= 500
