"""How far the blocks of a message are from each other."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtGui import QTextDocument, QTextFormat, QTextListFormat

from desktop_app.ui.style import show_theme
from desktop_app.ui.transcript.documents import code_font
from desktop_app.ui.transcript.markdown_documents import last_table, markdown_document
from desktop_app.ui.transcript.segments import ProseSegment
from desktop_app.ui.widgets.look import colour


def laid_out(text: str) -> QTextDocument:
    document = markdown_document(ProseSegment(text))
    document.setTextWidth(600)
    return document


def tops(document: QTextDocument) -> list[float]:
    """Where the first lines of the blocks with words begin."""
    found, block = [], document.begin()
    while block.isValid():
        if block.text():
            place = document.documentLayout().blockBoundingRect(block).top()
            found.append(place + block.layout().lineAt(0).naturalTextRect().top())
        block = block.next()
    return found


def test_a_table_is_about_as_far_from_the_text_above_as_from_the_text_below(qapp):
    document = laid_out("Above\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nBelow")
    above, head, _, row, _, below = tops(document)
    row_height = row - head
    assert row_height + 4 <= head - above <= row_height + 10
    assert abs((head - above) - (below - row)) <= 4


def test_a_table_that_comes_first_leaves_no_gap(qapp):
    document = laid_out("| a | b |\n|---|---|\n| 1 | 2 |")
    table = last_table(document)
    assert table is not None
    assert table.format().topMargin() < 8


def test_two_lists_stand_apart_and_the_items_of_one_do_not(qapp):
    document = laid_out("1. one\n2. two\n   - inner\n3. three\n\n- [x] other\n- [ ] list")
    words = tops(document)
    gaps = [round(after - before) for before, after in pairwise(words)]
    between = gaps.pop(3)
    assert len(set(gaps)) == 1
    assert between > gaps[0]


@pytest.mark.parametrize("font_scale", [0.8, 1.0, 1.1, 1.5])
def test_a_long_line_of_code_wraps_and_its_background_has_no_gaps(qapp, font_scale: float) -> None:
    show_theme(qapp, "light", font_scale)
    document = markdown_document(ProseSegment("- item\n  ```\n  " + "word " * 40 + "\n  middle\n  end\n  ```\n\nAfter"))
    document.setTextWidth(250)
    layout, lines = document.documentLayout(), [document.findBlockByNumber(n) for n in range(1, 4)]
    assert document.idealWidth() <= 250
    for line, after in pairwise(lines):
        assert layout.blockBoundingRect(line).bottom() == layout.blockBoundingRect(after).top()
    last = lines[-1]
    assert layout.blockBoundingRect(last.next()).top() > layout.blockBoundingRect(last).bottom()
    assert {line.begin().fragment().charFormat().font().family() for line in lines} == {code_font(13).family()}


def test_bullets_look_alike_whatever_sign_was_written(qapp) -> None:
    document = markdown_document(ProseSegment("- one\n\n* two\n  + three\n\n1. four"))
    blocks = [document.findBlockByNumber(n) for n in range(4)]
    styles = [listed.format().style() for block in blocks if (listed := block.textList()) is not None]
    assert styles == [*3 * [QTextListFormat.Style.ListDisc], QTextListFormat.Style.ListDecimal]


def test_a_rule_is_a_quiet_line(qapp) -> None:
    document = markdown_document(ProseSegment("Before\n\n---\n\nAfter"))
    rule = document.begin().next().blockFormat()
    assert rule.hasProperty(QTextFormat.Property.BlockTrailingHorizontalRulerWidth)
    assert rule.background().color() == colour("line")
