"""No text hangs a tokenizer or makes it raise, and what is cut up to be counted counts the same."""

from __future__ import annotations

import base64
import random
import re
import time

import pytest
from families import EACH_ITS_WAY
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop_app.models.tokens import encoding as tokenizer_encoding
from desktop_app.models.tokens.estimate import WEIGHTS, families
from desktop_app.models.tokens.tokenizers import SOURCES, tokenizer_of
from examples import examples

ALIKE = sorted({*SOURCES, *WEIGHTS, *families(), ""} - set(EACH_ITS_WAY))
ALL = [
    "o200k",
    "claude",
    *(pytest.param(family, marks=pytest.mark.wire) for family in EACH_ITS_WAY[2:]),
    *(pytest.param(family, marks=pytest.mark.slow) for family in ALIKE),
]
MEGABYTE = 1_000_000
TEXTS = {
    "one letter": "a" * 100_000,
    "letters without a space": "".join(random.Random(1).choices("abcdefXYZ0123456789+/", k=MEGABYTE)),
    "base64": base64.b64encode(random.Random(2).randbytes(MEGABYTE * 3 // 4)).decode(),
    "spaces": " " * MEGABYTE,
    "newlines": "\n" * MEGABYTE,
    "Windows' newlines": "\r\n" * (MEGABYTE // 2),
    "one sign": "=" * MEGABYTE,
    "digits": "7" * MEGABYTE,
    "emoji": "\U0001f600" * 200_000,
    "joined emoji": "👩‍👩‍👧" * 50_000,
    "Chinese": "中" * 300_000,
    "lone surrogates": "\ud800x\udfff" * 50_000,
    "controls": "\x00\x01\x04\x1b" * 100_000,
    "special tokens": "<|endoftext|>" * 20_000,
    "mixed scripts": "aж中אقक한\u0301 " * 30_000,
    "marks": "a" + "\u0301\u0316" * 100_000,
}


@pytest.mark.parametrize("family", ALL)
@pytest.mark.parametrize("share", [0.05, pytest.param(1.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", TEXTS)
def test_no_text_makes_it_raise_or_hang(family: str, name: str, share: float) -> None:
    """The quick tests try a twentieth of each text: what raises does so there, too; what takes long does not."""
    text = TEXTS[name][: round(len(TEXTS[name]) * share)]
    tokenizer = tokenizer_of(family)
    tokenizer.count("loaded before the clock starts")
    started = time.thread_time()  # of this thread: the machine may be busy
    assert 0 < tokenizer.count(text) <= 2 * len(text.encode(errors="replace"))
    assert time.thread_time() - started < 2  # a second on an idle core


WORDS = st.one_of(
    st.text(alphabet=st.characters(exclude_characters=" "), min_size=1, max_size=12),
    st.sampled_from(
        ["the", "don't", "x1", "12345", "//", "中文字", "カナ", "한국어", "e\u0301", "👩‍👩‍👧", "\x00", "\ud800", "==="]
    ),
)
SEPARATORS = st.sampled_from([" ", " ", "\n", "  ", "\n\n", "\t", "\n/", "\r\n", " \n "])


@st.composite
def written(draw: st.DrawFn) -> str:
    """Words and what parts them, a single space at least every second time."""
    words = draw(st.lists(st.tuples(WORDS, SEPARATORS, WORDS), min_size=8, max_size=25))
    return "".join(f"{first}{between}{second} " for first, between, second in words) + "end"


@pytest.mark.parametrize("family", ALL)
@settings(max_examples=examples(30), deadline=None)
@given(text=written())
def test_a_text_counts_as_much_in_chunks_as_in_one(family: str, text: str) -> None:
    tokenizer = tokenizer_of(family)
    whole = tokenizer.count(text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tokenizer_encoding, "CHUNK", 90)
        assert tokenizer.count(text) == whole


@pytest.mark.parametrize("family", ALL)
def test_the_pieces_of_a_stream_add_up(family: str) -> None:
    """Words as models stream them: the sum is near the whole, also where a word is a token and a quarter."""
    said = "You asked how the release of the parser went on Tuesday and what was left to be done about it"
    pieces = re.findall(r"(?:^| )\S+", f"{said} " * 20)
    tokenizer = tokenizer_of(family)
    whole, added = tokenizer.count("".join(pieces)), sum(map(tokenizer.count, pieces))
    assert abs(added - whole) <= 0.15 * whole
