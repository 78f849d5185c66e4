"""A message that is laid out in segments shows what it would show in one piece; code in it has colours."""

from __future__ import annotations

import re
from itertools import accumulate
from threading import Event
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QObject
from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot
from shiboken6 import delete
from shown_markdown import Shown, joined_segments, whole

from desktop_app.ui.transcript import blocks, code_blocks, segments
from desktop_app.ui.transcript.blocks import Carry, ParsedBlocks, parse_blocks
from desktop_app.ui.transcript.code_blocks import Highlighter
from desktop_app.ui.transcript.code_blocks import find_lexer as highlight_lexer
from desktop_app.ui.transcript.formulas import selected_text
from desktop_app.ui.transcript.markdown_documents import markdown_document
from desktop_app.ui.transcript.segments import (
    CodeSegment,
    GrowingBlocks,
    GrowingText,
    MarkdownSegment,
    ProseSegment,
    TableSegment,
    segments_of,
    split_plain_text,
)
from examples import examples

WORDS = ("plain", "words", "**bold words**", "*slanted*", "~~struck~~", "`code x`", "[a link](https://x.org/a)",
         "*a **b** c*", "**bold *inner* more**", "***both of them***", "_under score_", "(*p*)", "a*b c*d",
         "[named]", "2 * 3", "snake_case", "it's", "中文字", "🎉", "$a_b + c$", r"\(x^2\)")  # fmt: skip
line = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
paragraph = st.lists(line, min_size=1, max_size=12).map("\n".join)
heading = st.builds(lambda level, words: f"{'#' * level} {words}", st.integers(1, 4), line)
fence = st.builds(lambda lines: "```python\n" + "\n".join(lines) + "\n```", st.lists(line, min_size=1, max_size=9))
quote = st.lists(line, min_size=1, max_size=6).map(lambda lines: "\n>\n".join(f"> {words}" for words in lines))
indented = st.lists(line, min_size=1, max_size=6).map(lambda lines: "\n".join(f"    {words}" for words in lines))
NAMED = "[named]: https://example.org/named"
named = st.just(NAMED)
rule = st.just("---")


@st.composite
def lists(draw) -> str:
    start, gap = draw(st.integers(0, 40)), draw(st.sampled_from(["\n", "\n\n"]))
    is_numbered, nested = draw(st.booleans()), draw(st.sampled_from(["", "inner", "paragraph", "fence"]))
    items = []
    for number, words in enumerate(draw(st.lists(line, min_size=1, max_size=14))):
        mark = f"{start + number}. " if is_numbered else "- "
        indent = " " * len(mark)
        inner = {"inner": f"\n{indent}- {words}\n{indent}- more", "paragraph": f"\n\n{indent}{words}",
                 "fence": f"\n\n{indent}```\n{indent}x = 1\n{indent}```"}  # fmt: skip
        items.append(mark + words + (inner.get(nested, "") if number % 3 == 1 else ""))
    return gap.join(items)


@st.composite
def tables(draw) -> str:
    columns = draw(st.integers(1, 4))
    cells = st.lists(st.sampled_from(WORDS[:8]), min_size=columns, max_size=columns).map(" | ".join)
    rows = draw(st.lists(cells, min_size=1, max_size=14))
    return "\n".join(f"| {row} |" for row in [draw(cells), " | ".join([":--"] * columns), *rows])


documents = st.lists(
    st.one_of(paragraph, heading, fence, quote, indented, lists(), tables(), named, rule), min_size=1, max_size=9
)


def unbroken(parts: list[str]) -> Shown:
    """What is shown without any cut but those at fences."""
    groups: list[str] = []
    for number, part in enumerate(parts):
        is_code = part.startswith("```")
        if number and not is_code and not groups[-1].startswith("```"):
            groups[-1] += f"\n\n{part}"
        else:
            groups.append(part)
    return whole(*groups, references=NAMED if NAMED in parts else "")


@pytest.fixture
def short_segments(monkeypatch):
    """Cuts wherever a cut may be, so that short documents have many."""
    monkeypatch.setattr(segments, "SETTLED", 30)
    monkeypatch.setattr(segments, "SETTLED_INSIDE", 30)
    monkeypatch.setattr(segments, "CODE_LINES", 3)
    monkeypatch.setattr(blocks, "ROW_WEIGHT", 20)
    monkeypatch.setattr(blocks, "PIECE", 80)


@pytest.mark.slow
@pytest.mark.usefixtures("qapp", "short_segments")
def test_what_is_shown_is_what_one_piece_would_show() -> None:
    """Property: 500 documents, in the full run."""
    cuts: list[int] = []

    @settings(max_examples=examples(500))
    @given(documents)
    def each(parts: list[str]) -> None:
        found = segments_of("\n\n".join(parts))
        cuts.append(len(found))
        assert joined_segments(found) == unbroken(parts)

    each()
    assert sum(cuts) > 3 * len(cuts)


@pytest.mark.wire
@pytest.mark.usefixtures("qapp", "short_segments")
@given(documents, st.data())
def test_a_text_that_has_grown_is_cut_as_a_whole_one(parts: list[str], data: st.DataObject) -> None:
    text, growing = "\n\n".join(parts), GrowingText()
    for end in sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12))):
        growing.segments_of(text[:end])
    assert joined_segments(growing.segments_of(text)[0]) == unbroken(parts)


GROWN = st.lists(
    st.sampled_from([
        "", "", "", "word", "- item", "1. first", "  - inner", "    indented", "> quote", "lazy", "# Heading", "===",
        "---", "```py", "```", "~~~", "| a | b |", "|---|---|", "| 1 | 2 |", "$$", "x $$ y", "\\[", "\\]", "`tick",
        "tick`", "[a]: https://x.org", "[a]: https://y.org", "[^1]: A note.", "[^1]", "<div>", "<!--", "-->",
        "\t- tab", "* * *",
    ]),
    max_size=30,
)  # fmt: skip


@given(GROWN, st.lists(st.integers(0, 200), max_size=8))
def test_blocks_of_a_text_that_has_grown_are_those_of_the_whole(lines: list[str], ends: list[int]) -> None:
    text, growing = "\n".join(lines), GrowingBlocks()
    for end in (*sorted(ends), len(text)):
        assert growing.parse(text[:end], None) == parse_blocks(text[:end])


def test_blocks_that_cannot_change_are_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []

    def parse(text: str, carry: Carry | None = None) -> ParsedBlocks:
        parsed.append(len(text))
        return parse_blocks(text, carry)

    monkeypatch.setattr("desktop_app.ui.transcript.segments.parse_blocks", parse)
    text, growing = "A paragraph of some words.\n\n" * 100, GrowingText()
    for end in range(0, len(text), 10):
        growing.segments_of(text[:end])
    assert sorted(parsed)[len(parsed) * 95 // 100] < 120  # the last blocks, and now and then a stretch that is settled


LONG = {
    "list": "Steps:\n\n" + "".join(f"{n}. Point number {n} with a **bold** word\n" for n in range(1, 401)),
    "table": "| No | Name |\n|---|---|\n" + "".join(f"| {n} | `name {n}` |\n" for n in range(1, 401)),
    "paragraph": "word **bold** of [a text](https://x.org) that `goes on` " * 400,
    "nested": "*a **b** c* and **d *e* f** or ***g h*** with __i _j_ k__ " * 300,
    "word": "x" * 20_000,
    "quote": "".join(f"> Said number {n}, *slanted*.\n>\n" for n in range(400)),
    "code": "```python\n" + "".join(f"value_{n} = {n}\n" for n in range(1_000)) + "```\n\nEnd.",
}


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("kind", LONG)
@pytest.mark.long
def test_a_long_block_is_shown_whole(kind: str) -> None:
    found = segments_of(LONG[kind])
    assert len(found) > 2
    assert max(len(segment.text) for segment in found) < 9_000
    assert joined_segments(found) == whole(*(LONG[kind].split("\n\n") if kind == "code" else [LONG[kind]]))


def test_what_a_segment_needs_goes_with_it() -> None:
    numbers = [one.number for one in segments_of(LONG["list"]) if isinstance(one, ProseSegment) and one.goes_on]
    assert numbers == sorted(numbers)
    assert all(f"{one.number}. " in one.text[:6] for one in segments_of(LONG["list"]) if one.number)
    assert {one.head for one in segments_of(LONG["table"])[1:] if isinstance(one, TableSegment)} == {
        "| No | Name |\n|---|---|"
    }
    assert [one.is_last for one in segments_of(LONG["code"]) if isinstance(one, CodeSegment)][-1]


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


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        (
            "Look:\n\n```python title=x\ndef f():\n    ...\n```\nDone.",
            [ProseSegment("Look:"), CodeSegment("def f():\n    ...", "python"), ProseSegment("Done.")],
        ),
        ("~~~~md\n```\nx\n```\n~~~~", [CodeSegment("```\nx\n```", "md")]),
        ("```\nx\n\ny", [CodeSegment("x\n\ny", "", is_open=True)]),
    ],
)
def test_fences_become_code_with_their_language(text: str, segments: list[MarkdownSegment]) -> None:
    assert segments_of(text) == segments


def test_prose_is_cut_at_a_blank_line_or_a_space_but_never_inside_an_item() -> None:
    paragraph = "word " * (segments.SETTLED // 5 + 10)
    assert len(segments_of(f"{paragraph}\n\n{paragraph}\n\nend")) == 3
    assert len(segments_of(f"- {paragraph}\n\n- item\n\n  more")) == 1
    assert not any(segment.text.startswith("ord") for segment in segments_of("word " * 3 * blocks.PIECE))


@pytest.mark.parametrize(
    ("language", "code", "count"),
    [("diff", "-old = 1\n+new = 2", 2), ("diff", "+new", 1), ("python", "# one\n# two", 2), ("diff", "\n\n+", 1)],
)
def test_every_line_has_its_colour_and_the_last_one_too(qtbot: QtBot, language: str, code: str, count: int) -> None:
    owner, document = QObject(), QTextDocument(code)
    highlighter = Highlighter(owner)
    highlighter.add(document, language)
    qtbot.waitUntil(lambda: highlighter.is_idle)
    blocks = [document.findBlockByNumber(number) for number in range(document.blockCount())]
    assert sum(len(block.layout().formats()) for block in blocks) == count
    assert blocks[-1].layout().formats()
    assert document.toPlainText() == code


def test_a_view_may_go_while_a_language_is_loaded_for_it(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    may_load = Event()
    monkeypatch.setattr(code_blocks, "find_lexer", lambda language: may_load.wait(10) and highlight_lexer(language))
    owner, document = QObject(), QTextDocument("# one")
    Highlighter(owner).add(document, "python")
    delete(owner)
    may_load.set()
    other, shown = Highlighter(document), QTextDocument("# two")
    other.add(shown, "python")
    qtbot.waitUntil(lambda: other.is_idle)
    assert shown.firstBlock().layout().formats()
    assert not document.firstBlock().layout().formats()


def looks_of(text: str) -> list[tuple[str, str]]:
    """Return the parts of a text as the window shows it, each with its look: bold, italic, struck, raised, linked."""
    found: list[tuple[str, str]] = []
    for segment in segments_of(text):
        assert isinstance(segment, ProseSegment)
        document = markdown_document(segment)
        block = document.begin()
        while block.isValid():
            iterator = block.begin()
            while not iterator.atEnd():
                look, words = iterator.fragment().charFormat(), iterator.fragment().text()
                iterator += 1
                raised = look.verticalAlignment() == QTextCharFormat.VerticalAlignment.AlignSuperScript
                is_bold = look.fontWeight() > QFont.Weight.Medium
                parts = (("b", is_bold), ("i", look.fontItalic()), ("s", look.fontStrikeOut()), ("^", raised))
                found.append((words, "".join(sign for sign, is_on in parts if is_on) + look.anchorHref()))
            block = block.next()
    return found


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("_i_ and __b__", [("i", "i"), (" and ", ""), ("b", "b")]),
        ("~x~ and ~~y~~", [("~x~ and ", ""), ("y", "s")]),
        ("含**「重点」**内容", [("含", ""), ("「重点」", "b"), ("内容", "")]),
        ("**a &amp; b** c", [("a & b", "b"), (" c", "")]),
        ("[A &amp; B](https://a.example)!", [("A & B", "https://a.example"), ("!", "")]),
        ("See https://a.example/b_(c).", [("See ", ""), ("https://a.example/b_(c)",) * 2, (".", "")]),
        ("见https://a.example/d，后", [("见", ""), ("https://a.example/d",) * 2, ("，后", "")]),
        (
            "a[^1]\n\n[^1]: word\n[^2]: two",
            [("a", ""), ("1", "^"), ("1", "^"), (" word", ""), ("2", "^"), (" two", "")],
        ),
        ("| a |\n|-|\n| x<br>y |", [("a", "b"), ("x\u2028y", "")]),
    ],
)
def test_the_window_shows_markup_as_it_is_meant(text: str, looks: list[tuple[str, str]]) -> None:
    assert looks_of(text) == looks


LISTED = "Intro\n\n- first\n- second\n\n1. one\n2. two\n\nend"


@given(st.integers(0, 60), st.integers(0, 60))
def test_a_copied_part_is_what_is_marked(start: int, end: int) -> None:
    document = markdown_document(ProseSegment(LISTED))
    text = document.toPlainText()
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    assert selected_text(cursor) == text[start:end]


@pytest.mark.parametrize(
    "text",
    [
        "lighthouse " * 2_000,
        "**" + "lighthouse " * 2_000 + "end**",
        "12345 " * 3_000,
        "lighthouse,keeper;" * 1_000,
        "`" + "a" * 3_900 + "` " + "lighthouse " * 1_000,
        "灯塔lighthouse" * 1_000,
        "สวัสดี" * 2_000,
    ],
)
def test_no_word_is_broken_in_a_long_paragraph_or_a_typed_text(text: str) -> None:
    text = text.strip()
    starts = [start for start, _ in blocks.split_paragraph(text)][1:]
    typed = split_plain_text(text)
    assert "".join(joint + piece for joint, piece in typed) == text
    lengths = accumulate(len(joint) + len(piece) for joint, piece in typed)
    for place in (*starts, *lengths):
        assert not re.fullmatch("[a-z0-9]{2}", text[place - 1 : place + 1]), "within a word"
        assert category(text[place : place + 1] or " ")[0] != "M", "a mark without its letter"
    assert len(starts) >= 2
    assert len(typed) >= 3
