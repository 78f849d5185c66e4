"""Chinese characters come from the font that Qt takes them from in any case: it is only asked earlier."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage, QPainter, QTextDocument, QTextLayout

from desktop_app.ui.transcript.documents import InkDocument, code_document, plain_document
from desktop_app.ui.transcript.markdown_documents import markdown_document
from desktop_app.ui.transcript.segments import ProseSegment
from desktop_app.ui.widgets.long_text import LongTextField
from desktop_app.ui.widgets.look import colour, font
from desktop_app.ui.widgets.text_label import look_for, wide_families

WIDE = "漢字人大 word 中国"


def families_of(text: str, look) -> set[str]:
    """Return the families that Qt draws a text with."""
    layout = QTextLayout(text, look)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return {run.rawFont().familyName() for run in layout.glyphRuns()}


def painted(document: QTextDocument) -> QImage:
    picture = QImage(400, 60, QImage.Format.Format_RGB32)
    picture.fill(colour("paper"))
    with QPainter(picture) as painter:
        document.drawContents(painter)
    return picture


def test_the_family_that_qt_takes_them_from_is_asked_second(qapp) -> None:
    families = wide_families(font().family())
    assert families[0] == font().family()
    assert set(families[1:]) <= families_of("人大中国", font())
    assert look_for(WIDE, font()).families() == families
    assert families_of(WIDE, look_for(WIDE, font())) == families_of(WIDE, font())


@pytest.mark.parametrize("text", ["words", "Größe – “ja”", "かな 한글 กำ 😀"])
def test_other_texts_keep_their_look(qapp, text) -> None:
    look = font()
    assert look_for(text, look) is look


@pytest.mark.parametrize("make", [plain_document, code_document, lambda text: markdown_document(ProseSegment(text))])
def test_a_message_with_them_is_painted_as_before(qapp, make) -> None:
    document: InkDocument = make(WIDE)
    look = document.defaultFont()
    assert look.families() == wide_families(look.family())
    now = painted(document)
    look.setFamilies([look.family()])
    document.setDefaultFont(look)
    assert painted(document) == now


def test_a_field_asks_their_font_only_where_they_are(qtbot) -> None:
    field = LongTextField()
    qtbot.addWidget(field)
    field.show_text(WIDE)
    cursor = field.textCursor()
    cursor.movePosition(cursor.MoveOperation.Right)
    assert cursor.charFormat().fontFamilies() == wide_families(field.font().family())
    field.show_text("word")
    assert not field.textCursor().charFormat().fontFamilies()
