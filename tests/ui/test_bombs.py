"""Texts that are made to hold the window. How long each one does is measured by `tests/bench/measure_bombs.py`."""

from __future__ import annotations

from collections import defaultdict
from math import inf

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QAbstractTextDocumentLayout, QImage, QPainter
from transcript_rows import row
from ui_scenes import settle, words

from bombs import TEXTS
from desktop_app.conversation.message import Role, Text
from desktop_app.ui.transcript import row_painter, script_fonts, transcript_view
from desktop_app.ui.transcript.blocks import DENSE, is_dense, parse_blocks
from desktop_app.ui.transcript.code_blocks import MAX_RANGES, Highlighter
from desktop_app.ui.transcript.documents import MAX_CODE_SPANS, DocumentCache, code_document, plain_document
from desktop_app.ui.transcript.markdown_documents import markdown_document
from desktop_app.ui.transcript.readable_text import part_clusters
from desktop_app.ui.transcript.row_builder import RowBuilder
from desktop_app.ui.transcript.row_layout import RowCache
from desktop_app.ui.transcript.row_painter import Marks, occurrences, paint_row
from desktop_app.ui.transcript.script_fonts import load_document_fonts
from desktop_app.ui.transcript.segments import (
    CodeSegment,
    GrowingText,
    ProseSegment,
    TableSegment,
    segments_of,
    split_plain_text,
)
from desktop_app.ui.transcript.selecting_view import RowSearch
from desktop_app.ui.transcript.text_flow import flow_markdown


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "name", ["quotes, each line deeper", "carriage returns", "links within links", "lists on one line"]
)
@pytest.mark.long
def test_it_is_shown_before_long(view, qtbot, name):
    """Each took over a minute, or ended the program."""
    view.transcript.open([row(0, Role.ASSISTANT, Text(TEXTS[name][:60_000])), row(1)], ())
    settle(view, qtbot)
    assert "message 1" in "\n".join(words(view, "m1"))


@pytest.mark.parametrize(
    "text",
    [">" * 25 + " deep", "- " * 30 + "item", "  " * 60 + "- item", "1. - " * 15 + "item", "```\n" + "> " * 40 + "a"],
)
def test_what_is_nested_deeper_than_anyone_writes_is_shown_as_it_was_written(text: str) -> None:
    [shown] = segments_of(text)
    assert isinstance(shown, CodeSegment)
    assert shown.text == text


@pytest.mark.parametrize("text", ["- " * 40, "* * * " * 20, "> > > quoted", "    - item\n" * 3, "-" * 80])
def test_what_people_write_is_not(text: str) -> None:
    assert not any(isinstance(segment, CodeSegment) and text == segment.text for segment in segments_of(text))


def test_lines_end_however_they_are_ended() -> None:
    [shown] = segments_of("one\r\ntwo\rthree\n")
    assert isinstance(shown, ProseSegment)
    assert shown.text == "one\ntwo\nthree"


@pytest.mark.parametrize("sign", ["word ", "x", "*a b* ", "- a ", "<b>", "#", ">"])
@pytest.mark.long
def test_a_paragraph_of_one_long_line_is_read_in_stretches(sign: str) -> None:
    text, stretches = "Begin " + sign * (120_000 // len(sign)) + "\n\nEnd", 0

    def has_time() -> bool:
        nonlocal stretches
        stretches += 1
        return True

    segments, left = GrowingText().segments_of(text, has_time)
    assert left == 0
    assert stretches > 5
    assert max(len(segment.text) for segment in segments) < 20_000
    joined = "".join(
        (" " if segment.goes_on == "paragraph" else "") + segment.text
        for segment in segments[:-1]
        if isinstance(segment, ProseSegment)
    )
    assert joined.rstrip() == text.partition("\n")[0].rstrip()


SOME = ("lines of one letter", "references", "empty lines", "a table of 500 columns", "a wide table", "fences")
ALL = [pytest.param(name, marks=() if name in SOME else pytest.mark.slow) for name in TEXTS]


class Parsed:
    """Notes what is parsed at a time, and parses it."""

    def __init__(self) -> None:
        self.longest = self.most_lines = 0

    def __call__(self, text, carry=None):
        if carry is None or not carry.written:
            self.longest, self.most_lines = max(self.longest, len(text)), max(self.most_lines, text.count("\n"))
        return parse_blocks(text, carry)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.long
def test_what_is_parsed_and_laid_out_at_a_time_is_bounded(name, monkeypatch):
    parsed = Parsed()
    monkeypatch.setattr("desktop_app.ui.transcript.segments.parse_blocks", parsed)
    segments = segments_of(TEXTS[name])
    assert parsed.longest <= 65_000
    assert parsed.most_lines <= 3_300
    assert max((len(segment.text) for segment in segments), default=0) <= 16_100
    assert max((segment.text.count("\n") for segment in segments), default=0) <= 2_000
    assert max((segment.head.count("|") for segment in segments if isinstance(segment, TableSegment)), default=0) < 100
    assert sum(isinstance(segment, CodeSegment) and segment.is_first for segment in segments) <= 2_000
    assert len(segments) < 2_500


@pytest.mark.wire
@pytest.mark.parametrize("name", [p for p in ALL if p.values[0] != "halves of characters"])
def test_it_is_the_same_when_it_has_grown(name):
    text, growing = TEXTS[name], GrowingText()
    for end in range(len(text) // 7, len(text), len(text) // 7 + 1):
        growing.segments_of(text[:end])
    grown = growing.segments_of(text)[0]
    assert [(s.text, getattr(s, "joint", "")) for s in grown] == [
        (s.text, getattr(s, "joint", "")) for s in segments_of(text)
    ]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (TEXTS["a table of 500 columns"], TEXTS["a table of 500 columns"]),
        (TEXTS["an item of many items"], TEXTS["an item of many items"]),
        ("Before.\n\n" + "> a\n" * 20_000, "Before.\n\n" + "> a\n" * 20_000),
        ("Before.\n\n|" + "a|" * 40 + "\n|" + "-|" * 40 + "\n|" + "b|" * 40, "|" + "a|" * 40),
    ],
)
@pytest.mark.long
def test_what_nobody_writes_is_shown_as_it_was_written_and_nothing_is_lost(text: str, written: str) -> None:
    segments = segments_of(text)
    code = [segment for segment in segments if isinstance(segment, CodeSegment)]
    assert segments[-len(code) :] == code
    shown = "".join((segment.joint if number else "") + segment.text for number, segment in enumerate(code))
    assert shown.startswith(written.rstrip("\n"))
    assert "".join(segment.text for segment in segments).replace("\n", "") == text.replace("\n", "")
    assert [segment.is_first for segment in code] == [True] + [False] * (len(code) - 1)


def test_what_people_write_is_not_shown_so() -> None:
    items = "".join(f"- item {n}\n  - within it\n" for n in range(500))
    table = "|" + "a|" * 30 + "\n|" + "-|" * 30 + "\n" + ("|" + "b|" * 30 + "\n") * 50
    definitions = "".join(f"[r{n}]: https://example.org/{n}\n" for n in range(600))
    text = f"{items}\n{table}\n[r1] and [r599]\n\n{definitions}\nThe *end*."
    segments = segments_of(text)
    assert not any(isinstance(segment, CodeSegment) for segment in segments)
    assert segments[-1] == ProseSegment("The *end*.")
    linked = next(one for one in segments if isinstance(one, ProseSegment) and "[r599]" in one.text)
    assert "https://example.org/599" in linked.references


def test_long_clusters_show_their_marks_and_others_stay_as_they_are() -> None:
    family, flag, letter = "👩\u200d👩\u200d👧", "🏴\U000e0067\U000e0062\U000e007f", "a" + "\u0301" * 20
    assert part_clusters(family + flag + letter) == family + flag + letter
    assert part_clusters("a" + "\u0301" * 40) == "a" + "‹U+0301›" * 40
    assert part_clusters("👩\u200d" * 40) == "👩‹U+200D›" * 40
    assert part_clusters("\u200b" * 40 + "b") == "‹U+200B›" * 40 + "b"
    assert max(len(piece) for _, piece in split_plain_text("\u0f40" * 9_000)) <= 1_000


@pytest.mark.parametrize("start", [0, 1, 37, 99, 100, 101, 250])
def test_a_run_of_letters_is_dense_wherever_it_stands(start: int) -> None:
    before, run = "a\u0f40 " * 100, "\u0f40" * DENSE
    assert is_dense(before[:start] + run)
    assert is_dense(before[:start] + run + " a" * 100)
    assert not is_dense(before[:start] + "a" + run[1:] + " a" * 100)


@pytest.mark.parametrize("name", ["formulas that differ", "paragraphs of one letter", "many scripts"])
def test_after_its_time_a_pass_makes_one_thing_more(qapp, name):
    cache, passes = DocumentCache(), 0
    flows = [-1]
    while passes < 12:
        cache.begin(0.0, Qt.LayoutDirection.LayoutDirectionAuto)
        builder = RowBuilder(700, cache)
        flow_markdown(builder, "m", TEXTS[name])
        assert len(builder.layout.flows) - flows[-1] <= (1 if passes else 2)
        flows.append(len(builder.layout.flows))
        passes += 1


def test_a_row_is_looked_through_document_by_document(qapp):
    cache = DocumentCache()
    cache.begin(None, Qt.LayoutDirection.LayoutDirectionAuto)
    builder = RowBuilder(700, cache)
    flow_markdown(builder, "m", "word\n\n" * 2_000 + "needle and thread")
    search, looks = RowSearch(builder.finish(), ("needle", "thread")), 1
    while not search.go_on(deadline=0.0):
        looks += 1
    assert looks >= len(builder.layout.flows) - 1 > 5
    assert search.top is not None
    assert builder.layout.height - 100 < search.top < builder.layout.height


def test_what_is_marked_is_looked_for_while_there_is_time_and_then_known(qapp):
    cache = DocumentCache()
    cache.begin(None, Qt.LayoutDirection.LayoutDirectionAuto)
    builder = RowBuilder(700, cache)
    flow_markdown(builder, "m", "क्ष " * 4_000)
    layout, image = builder.finish(), QImage(700, 2_000, QImage.Format.Format_RGB32)
    assert len(layout.flows) > 3
    clip = QRectF(0, 0, 700, 2_000)

    def paint(seconds: float) -> bool:
        found = Marks("क", seconds)
        with QPainter(image) as painter:
            paint_row(painter, layout, clip, False, None, (), found)
        return found.is_whole

    def noted() -> int:
        return sum(bool(flow.document.found[1]) for flow in layout.flows)

    assert not paint(0.0)
    assert noted() == 0
    assert not paint(1e-9)
    assert noted() == 1
    assert paint(inf)
    assert paint(0.0)
    assert noted() == sum(flow.box.intersects(clip) for flow in layout.flows)


def test_marking_comes_to_an_end_however_long_painting_takes(view, qtbot, monkeypatch):
    monkeypatch.setattr(transcript_view, "Marks", lambda found: Marks(found, 1e-9))
    view.transcript.open([row(n, Role.ASSISTANT, Text(f"needle {n}")) for n in range(6)], ())
    view.mark_text("needle")
    qtbot.waitUntil(lambda: all(flow.document.found[1] for n in range(6) for flow in view.layout_of(n).flows))
    qtbot.waitUntil(lambda: view.is_settled)


def painted_selection(document, cursor):
    """Return the pixels that Qt fills where it paints that selection."""
    image = QImage(320, 600, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    context, selection = QAbstractTextDocumentLayout.PaintContext(), QAbstractTextDocumentLayout.Selection()
    selection.cursor = cursor
    selection.format.setBackground(Qt.GlobalColor.magenta)
    selection.format.setForeground(Qt.GlobalColor.magenta)
    context.selections = [selection]
    with QPainter(image) as painter:
        document.documentLayout().draw(painter, context)
    width, pixels, sign = image.bytesPerLine(), bytes(image.constBits()), b"\xff\x00\xff\xff"
    rows = [pixels[at : at + width] for at in range(0, len(pixels), width)]
    tops = [y for y, row in enumerate(rows) if sign in row]
    left, right = min(rows[y].find(sign) for y in tops) // 4, max(rows[y].rfind(sign) for y in tops) // 4 + 1
    return QRectF(left, tops[0], right - left, tops[-1] + 1 - tops[0])


EVERYWHERE = """needle

- one
  > **needle** in a quote

> word needle

|a|b|
|-|-|
|1|needle|

# needle

- [ ] needle
  ```
  needle
  ```

שלום needle עולם

> שלום needle

*needle* `needle`"""


@pytest.mark.parametrize(
    "document",
    [
        lambda: markdown_document(ProseSegment(EVERYWHERE)),
        lambda: plain_document("needle\nשלום needle\n\n> needle"),
        lambda: code_document("a needle\n  needle"),
    ],
    ids=["Markdown", "as typed", "code"],
)
def test_marks_lie_where_qt_paints_a_selection(qapp, document):
    shown = document()
    shown.setTextWidth(300)
    found = occurrences(shown, "needle")
    assert len(found) == shown.toPlainText().count("needle") > 1
    for cursor in found:
        [box], painted = row_painter.boxes_of([cursor]), painted_selection(shown, cursor)
        assert painted.adjusted(-1.5, -1.5, 1.5, 1.5).contains(box)
        assert box.adjusted(-1.5, -1.5, 1.5, 1.5).contains(painted)


def test_marks_that_touch_or_overlap_are_one(qapp):
    document = plain_document("needleneedle needle, " + "נneedleנ ")
    document.setTextWidth(500)
    boxes = row_painter.boxes_of(occurrences(document, "needle"))
    assert len(boxes) == 3
    assert len(row_painter.boxes_of(occurrences(document, "נneedle"))) == 1


def test_fonts_are_loaded_of_every_look_one_script_at_a_time(qapp, monkeypatch):
    document, asked = markdown_document(ProseSegment("\u0e01 **\u0e01** *\u0e01* `\u0e01`")), 0

    def may_go_on() -> bool:
        nonlocal asked
        asked += 1
        return True

    monkeypatch.setattr(script_fonts, "_known", defaultdict(set))
    assert not load_document_fonts(document, lambda: False)
    assert load_document_fonts(document, may_go_on)
    assert asked == 4
    assert load_document_fonts(document, lambda: False)


def test_a_row_is_laid_out_once_in_a_pass(view, qtbot, monkeypatch):
    made: list[str] = []
    make = RowCache.make

    def note(cache, item, width, deadline=None, looked_at=0.0):
        made.append(item.key)
        return make(cache, item, width, 0.0, looked_at)

    monkeypatch.setattr(RowCache, "make", note)
    view.transcript.open([row(0, Role.ASSISTANT, Text("word\n\n" * 2_000))], ())
    made.clear()
    view.lay_out_visible()
    assert len(made) == 1


@pytest.mark.parametrize("lines", ["- ```\n" + "  x = 1\n" * 9_000, "> ```\n" + "> x = 1\n" * 9_000])
def test_lines_that_are_laid_out_at_a_time_are_few(lines):
    segments = segments_of(lines)
    assert all(s.text.count("\n") <= 400 for s in segments if not isinstance(s, CodeSegment))


@pytest.mark.parametrize("word", ["a", "*a*", "\u05d0", "(a", "\u2013 a"])
def test_short_lines_of_one_paragraph_are_not_shown_as_they_were_written(word):
    assert not any(isinstance(segment, CodeSegment) for segment in segments_of(f"{word}\n" * 1_200))


def test_too_many_spans_of_code_stay_as_they_were_typed(qapp):
    assert plain_document("`a` " * MAX_CODE_SPANS).toPlainText() == "a " * MAX_CODE_SPANS
    many = "`a` " * (MAX_CODE_SPANS + 1)
    assert plain_document(many).toPlainText() == many


def test_a_line_of_too_many_colours_stays_plain(qapp, qtbot):
    highlighter = Highlighter(qapp)
    document = code_document("x = 1\n" + "[1, 'a']; " * MAX_RANGES)
    with qtbot.waitSignal(highlighter.highlighted):
        highlighter.add(document, "python")
    assert document.findBlockByNumber(0).layout().formats()
    assert not document.findBlockByNumber(1).layout().formats()
    highlighter.deleteLater()
