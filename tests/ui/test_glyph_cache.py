"""Glyphs are kept from one paint to the next: what is painted is the same, in a part of the time."""

from __future__ import annotations

from time import thread_time

import pytest
import shiboken6
from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QFont, QFontDatabase, QImage, QPainter, QTextDocument
from transcript_rows import row
from ui_scenes import settle

from desktop_app.conversation.message import Role, Text
from desktop_app.ui.transcript import documents as glyphs
from desktop_app.ui.transcript.code_blocks import Highlighter
from desktop_app.ui.transcript.documents import (
    BLOCK_WEIGHT,
    MAX_CHARACTERS,
    DocumentCache,
    code_document,
    glyph_cache,
    plain_document,
)
from desktop_app.ui.transcript.row_painter import Flow, Marks, RowLayout, paint_row
from desktop_app.ui.transcript.script_fonts import placeholder_font
from desktop_app.ui.widgets.look import colour

WIDTH = 500
FLAGS = "🏴\U000e0067\U000e0062\U000e007f" * 250
MANY_FONTS = "漢字 😀 word 한국 ก"


@pytest.fixture(autouse=True)
def nothing_is_kept(qapp):
    glyph_cache().clear()
    yield
    glyph_cache().clear()


def laid_out(text: str, make=plain_document) -> Flow:
    return Flow(QRectF().topLeft(), DocumentCache().get(make, text, WIDTH))


def painted(flow: Flow) -> QImage:
    image = QImage(WIDTH, 200, QImage.Format.Format_RGB32)
    image.fill(colour("paper"))
    with QPainter(image) as painter:
        paint_row(painter, RowLayout([flow]), QRectF(image.rect()), False, None, (), Marks(""))
    return image


def seconds_to_paint(flow: Flow) -> float:
    begun = thread_time()
    painted(flow)
    return thread_time() - begun


def keeps_glyphs(document: QTextDocument) -> bool:
    return document.begin().layout().cacheEnabled()


def test_a_paragraph_is_shaped_once_and_painted_often(monkeypatch):
    flow = laid_out(FLAGS)
    kept = min(seconds_to_paint(flow) for _ in range(5))
    glyph_cache().clear()
    monkeypatch.setattr(glyphs.GlyphCache, "keep", lambda cache, document: None)
    assert kept < min(seconds_to_paint(flow) for _ in range(5)) / 3


def test_the_first_paint_has_the_glyphs_of_laying_out(monkeypatch):
    first = min(seconds_to_paint(laid_out(FLAGS + str(n))) for n in range(5))
    glyph_cache().clear()
    monkeypatch.setattr(glyphs.GlyphCache, "keep", lambda cache, document: None)
    assert first < min(seconds_to_paint(laid_out(FLAGS + str(n))) for n in range(5)) / 2


@pytest.mark.parametrize("text", [FLAGS, MANY_FONTS, "שלום word עולם", "क्षि `code` fi ffl", "a\n\nb\tc" * 40])
def test_it_looks_the_same(text):
    flow = laid_out(text)
    first, again = painted(flow), painted(flow)
    glyph_cache().clear()
    assert first == again == painted(flow)


def test_code_is_coloured_once_it_is_highlighted(qapp, qtbot):
    flow, highlighter = laid_out("def f(): return 'one'", code_document), Highlighter(qapp)
    before = painted(flow)
    with qtbot.waitSignal(highlighter.highlighted):
        highlighter.add(flow.document, "python")
    assert painted(flow) != before
    fresh = laid_out("def f(): return 'one'", code_document)
    with qtbot.waitSignal(highlighter.highlighted):
        highlighter.add(fresh.document, "python")
    glyph_cache().clear()
    assert painted(flow) == painted(fresh)
    highlighter.deleteLater()


def test_once_fonts_are_loaded_anew_the_glyphs_are_those_of_the_new_ones(monkeypatch):
    flow, family = laid_out(MANY_FONTS), laid_out("").document.defaultFont().family()
    painted(flow)
    before = QFont.substitutes(family)
    QFont.insertSubstitutions(family, QFontDatabase.families()[:3])
    number = QFontDatabase.addApplicationFontFromData(QByteArray(placeholder_font("Test of glyphs", "thaa")))
    try:
        assert painted(flow) == painted(laid_out(MANY_FONTS))
    finally:
        QFont.removeSubstitutions(family)
        QFont.insertSubstitutions(family, before)
        QFontDatabase.removeApplicationFont(number)


def test_what_was_shown_longest_ago_keeps_them_no_more():
    size = MAX_CHARACTERS // 4
    first, second, third, fourth = (laid_out(letter * size).document for letter in "abcd")
    assert [keeps_glyphs(one) for one in (first, second, third, fourth)] == [False, True, True, True]
    glyph_cache().keep(second)
    glyph_cache().keep(first)
    assert [keeps_glyphs(one) for one in (first, second, third, fourth)] == [True, True, False, True]


def test_of_short_paragraphs_no_more_are_kept_than_are_soon_forgotten():
    lines = MAX_CHARACTERS // BLOCK_WEIGHT // 4
    shown = [laid_out("\n".join("a" * lines) + str(number)).document for number in range(6)]
    kept = [document.blockCount() for document in shown if keeps_glyphs(document)]
    assert kept
    assert sum(kept) <= MAX_CHARACTERS / BLOCK_WEIGHT


def test_fonts_may_go_after_the_documents():
    """As when the application ends."""
    flow = laid_out("word")
    shiboken6.delete(flow.document)
    glyph_cache().clear()


def test_what_is_painted_again_keeps_them_again():
    flow = laid_out("word")
    glyph_cache().clear()
    assert not keeps_glyphs(flow.document)
    painted(flow)
    assert keeps_glyphs(flow.document)


def test_all_that_is_in_sight_keeps_them(view, qtbot):
    view.transcript.open([row(n, Role.ASSISTANT, Text(f"word {n} " * 4_000)) for n in range(8)], ())
    settle(view, qtbot)
    view.follow_end()
    view.viewport().repaint()
    seen = QRectF(view.viewport().rect())
    for number in view.rows_in_sight():
        for flow in view.layout_of(number).flows:
            if flow.box.translated(view.origin(number)).intersects(seen):
                assert keeps_glyphs(flow.document)
