"""Long texts are read in slices: each moves on, and what was read is the same as if it had been read at once."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from desktop_app.ui.transcript import readable_text, segments
from desktop_app.ui.transcript.readable_text import ReadableText
from desktop_app.ui.transcript.segments import (
    CodeSegment,
    GrowingPlainText,
    GrowingText,
    ProseSegment,
    segments_of,
    split_plain_text,
)

SMALL = ("STRETCH", "STRETCH_LINES", "LONG_LINE", "LONG_LINES", "NOTHING", "MAX_TOKENS", "MAX_STRETCH", "UNSETTLED")
PIECES_OF_TEXT = (
    "a",
    " ",
    "\n",
    "\n\n",
    "```",
    "```py\n",
    "> ",
    "- ",
    "|a|b|\n|-|-|\n",
    "[a]: b\n",
    "x" * 9,
    "$$",
    "    ",
)
BEHIND_LANGUAGE = re.compile(r"^ {0,3}```+ *[^\s`]+ +([^`\n]*)$", re.MULTILINE)
"""What may follow the language of a fenced block: a block shows its language, and nothing of that."""


@settings(max_examples=30, deadline=None)
@example("\n```xxxxxxxxx", [1] * 8)
@example("```xxxxxxxxx xxxxxxxxx\nxxxxxxxxx", [1] * 8)
@given(
    st.lists(st.sampled_from(PIECES_OF_TEXT), max_size=40).map("".join),
    st.lists(st.integers(1, 9), min_size=8, max_size=8),
)
def test_reading_always_moves_on(text: str, bounds: list[int]) -> None:
    """Whatever the bounds are, each a number that was chosen by measuring."""
    stretches = 0

    def has_time() -> bool:
        nonlocal stretches
        stretches += 1
        assert stretches < 20 * len(text) + 100
        return True

    with pytest.MonkeyPatch.context() as patch:
        for name, bound in zip(SMALL, bounds, strict=True):
            patch.setattr(f"desktop_app.ui.transcript.segments.{name}", bound)
        segments, left = GrowingText().segments_of(text, has_time)
    assert left == 0
    languages = [part.language for part in segments if isinstance(part, CodeSegment) and part.is_first]
    unseen = text.count("x") - "".join((*languages, *(segment.text for segment in segments))).count("x")
    assert 0 <= unseen <= "".join(BEHIND_LANGUAGE.findall(text)).count("x")


SOME_TEXT = st.lists(
    st.sampled_from(("a", "b1 ", "\n", "\r\n", "\r", "\u0301" * 20, "👩\u200d" * 20, "> ", "漢")), max_size=60
)


@settings(max_examples=30, deadline=None)
@given(SOME_TEXT.map("".join), st.integers(1, 30))
def test_a_text_that_is_read_in_slices_reads_the_same(text: str, size: int) -> None:
    whole = ReadableText().read(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readable_text, "SLICE", size)
        source, passes = ReadableText(), 0
        while (found := source.read(text, lambda: False))[1]:
            passes += 1
            assert passes <= len(text) + 1
    assert found == whole


@settings(max_examples=30, deadline=None)
@given(SOME_TEXT.map("".join), st.integers(1, 30))
def test_text_as_it_was_typed_is_whole_in_its_pieces(text: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "PLAIN", size)
        patch.setattr(segments, "AT_A_TIME", 1)
        growing, passes = GrowingPlainText(), 0
        while (found := growing.pieces_of(text, iter([True, False]).__next__))[1]:
            passes += 1
            assert passes <= len(text) + 1
        assert found[0] == split_plain_text(text)
    shown = "".join((joint if number else "") + piece for number, (joint, piece) in enumerate(found[0]))
    assert re.sub(r"‹U\+([0-9A-F]{4})›", lambda sign: chr(int(sign[1], 16)), shown) == text


@pytest.mark.parametrize(
    ("text", "code", "after"),
    [
        ("```py\n" + "x" * 100_000 + "\n```\nend", "x" * 100_000, "end"),
        ("```\n" + "x" * 40_000 + "```\nmore\n```\nend", "x" * 40_000 + "```\nmore", "end"),
        ("Intro\n\n```py\na\n" + "x" * 100_000 + "\nb\n```\nend", "a\n" + "x" * 100_000 + "\nb", "end"),
    ],
)
def test_code_is_cut_within_a_long_line_and_goes_on(text: str, code: str, after: str) -> None:
    found = segments_of(text)
    pieces = [one for one in found if isinstance(one, CodeSegment)]
    assert "".join((one.joint if number else "") + one.text for number, one in enumerate(pieces)) == code
    assert len({one.language for one in pieces}) == 1
    assert found[-1] == ProseSegment(after)
