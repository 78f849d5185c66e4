"""How far the blocks of a message are from each other."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtGui import QTextDocument

from desktop_app.ui.transcript.markdown_documents import last_table, markdown_document
from desktop_app.ui.transcript.segments import ProseSegment


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
