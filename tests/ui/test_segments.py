"""Markdown in segments: nothing is lost, and what is settled stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.ui.transcript.blocks import PIECE
from desktop_app.ui.transcript.segments import CODE_LINES, SETTLED, CodeSegment, ProseSegment, segments_of

PROSE = "A line of prose that says something. " * 8
LINES = st.lists(
    st.sampled_from(["", "", PROSE, "- item", "  indented", "```python", "```", "~~~", "x = 1"]), max_size=60
)


def content(text: str) -> list[str]:
    """The words of all segments."""
    return " ".join(segment.text for segment in segments_of(text)).split()


@given(LINES)
def test_every_word_is_in_one_segment_in_its_order(lines: list[str]) -> None:
    words = [word for line in lines for word in line.split() if not word.startswith(("```", "~~~"))]
    shown = [word for word in content("\n".join(lines)) if not word.startswith(("```", "~~~"))]
    assert shown == words


@given(LINES, st.integers(0, 400))
def test_a_growing_text_changes_only_its_end(lines: list[str], cut: int) -> None:
    text = "\n".join(lines)
    before, after = segments_of(text[:-cut] if cut else text), segments_of(text)
    assert before[:-2] == after[: max(len(before) - 2, 0)]


def test_fences_become_code_with_their_language() -> None:
    found = segments_of("Look:\n\n```python title=x\ndef f():\n    ...\n```\nDone.")
    assert found == [ProseSegment("Look:"), CodeSegment("def f():\n    ...", "python"), ProseSegment("Done.")]


def test_a_fence_inside_another_kind_of_fence_is_code() -> None:
    assert segments_of("~~~~md\n```\nx\n```\n~~~~") == [CodeSegment("```\nx\n```", "md")]


def test_an_open_fence_reaches_to_the_end() -> None:
    assert segments_of("```\nx\n\ny") == [CodeSegment("x\n\ny", "")]


def test_long_code_goes_on_in_further_segments() -> None:
    found = segments_of("```\n" + "\n".join(str(n) for n in range(CODE_LINES + 5)) + "\n```")
    assert [(s.is_first, s.is_last) for s in found if isinstance(s, CodeSegment)] == [(True, False), (False, True)]


def test_prose_is_cut_at_a_blank_line_but_never_inside_a_list() -> None:
    paragraph = "word " * (SETTLED // 5 + 10)
    assert len(segments_of(f"{paragraph}\n\n{paragraph}\n\nend")) == 3
    assert len(segments_of(f"- {paragraph}\n\n- item\n\n  more")) == 1


def test_a_paragraph_without_an_end_is_cut_at_a_space() -> None:
    found = segments_of("word " * 3 * PIECE)
    assert max(len(segment.text) for segment in found) <= PIECE
    assert not any(segment.text.startswith("ord") for segment in found)


def test_text_without_a_space_is_cut_too() -> None:
    assert "".join(segment.text for segment in segments_of("x" * 3 * PIECE)) == "x" * 3 * PIECE
