"""Formulas and diagrams in the transcript: text until they are drawn, copied as they were written."""

from __future__ import annotations

import asyncio

import pytest
from PySide6.QtGui import QGuiApplication, QTextCursor
from transcript_rows import row
from ui_scenes import click, settle, tell

from desktop_app.conversation.events import ReplyStarted, TextDelta, TurnStarted
from desktop_app.conversation.message import Role, Text
from desktop_app.tools.graphics_drawer import draw_graphics
from desktop_app.ui.style import show_theme
from desktop_app.ui.transcript.formulas import selected_text
from desktop_app.ui.transcript.row_painter import Action, DrawnGraphic
from desktop_app.ui.transcript.transcript_widget import TranscriptWidget
from desktop_app.ui.widgets.look import colour
from desktop_app.ui.widgets.pictures import graphics

FORMULAS = r"""Let $x_i$ be and \(y^2\), it costs $5 and $10.

$$\frac{a}{b}$$

| a | b |
|---|---|
| $\alpha$ | 1 |
"""
DIAGRAM = "So:\n\n```mermaid\nflowchart LR\n A[Begin] --> B[End]\n```\n\nDone."


@pytest.fixture(autouse=True)
def nothing_is_drawn(monkeypatch):
    monkeypatch.setattr(graphics, "_kept", type(graphics._kept)())
    monkeypatch.setattr(graphics, "_missing", {})


def draw_missing(view, qtbot):
    """Draw what the transcript asks for, as the engine does."""
    settle(view, qtbot)
    batch = graphics.take_missing(40)
    graphics.keep(batch, asyncio.run(draw_graphics(batch)))
    settle(view, qtbot)
    return batch


def show(view, qtbot, text):
    view.transcript.open([row(0, Role.ASSISTANT, Text(text))], ())
    return draw_missing(view, qtbot)


def layout(view):
    return view.layout_of(view.transcript.row_of("m0"))


def copied(view):
    pieces = []
    for flow in layout(view).flows:
        cursor = QTextCursor(flow.document)
        cursor.select(QTextCursor.SelectionType.Document)
        pieces.append(selected_text(cursor))
    return "\n".join(pieces)


def diagrams(view):
    return [drawn for drawn in layout(view).drawn if isinstance(drawn, DrawnGraphic)]


@pytest.mark.row("U1", "formulas and diagrams")
@pytest.mark.long
def test_formulas_are_text_until_they_are_drawn_and_copied_as_they_were_written(view, qtbot):
    batch = show(view, qtbot, FORMULAS)
    assert sorted(graphic.source for graphic in batch) == sorted([r"x_i", "y^2", r"\frac{a}{b}", r"\alpha"])
    assert any("\ufffc" in flow.document.toPlainText() for flow in layout(view).flows)
    assert all(formula in copied(view) for formula in ("$x_i$", "$y^2$", r"$$\frac{a}{b}$$", r"$\alpha$", "$5 and $10"))


@pytest.mark.long
def test_a_formula_that_cannot_be_drawn_stays_text(view, qtbot):
    show(view, qtbot, r"A broken $\frac{$ one.")
    assert layout(view).flows[0].document.toPlainText() == r"A broken $\frac{$ one."


@pytest.mark.long
def test_a_formula_takes_the_colour_of_the_text(view, qtbot, qapp):
    show(view, qtbot, "$$x$$")
    (name,) = graphics._kept
    for theme in ("dark", "light"):
        show_theme(qapp, theme, 1.0)
        settle(view, qtbot)
        assert colour("ink").rgb() & 0xFFFFFF in pixels(view)
    assert graphics.named(name) is not None


def pixels(view: TranscriptWidget) -> set[int]:
    image = view.viewport().grab().toImage()
    return {image.pixel(x, y) & 0xFFFFFF for x in range(image.width()) for y in range(image.height() // 2)}


def test_a_diagram_takes_the_place_of_its_code_and_gives_it_back(view, qtbot):
    show(view, qtbot, DIAGRAM)
    (drawn,) = diagrams(view)
    assert drawn.box.left() >= 0
    assert drawn.box.right() <= view.column
    assert not [flow for flow in layout(view).flows if flow.is_code]
    click(view, qtbot, "m0", Action.SHOW_CODE)
    qtbot.waitUntil(lambda: not diagrams(view))
    assert "flowchart LR" in copied(view)
    click(view, qtbot, "m0", Action.SHOW_CODE)
    qtbot.waitUntil(lambda: len(diagrams(view)) == 1)
    click(view, qtbot, "m0", Action.COPY_CODE)
    assert QGuiApplication.clipboard().text().startswith("flowchart LR")


def test_a_wide_diagram_is_as_wide_as_the_row(view, qtbot):
    nodes = " --> ".join(f"N{i}[A name of some length]" for i in range(12))
    show(view, qtbot, f"```mermaid\nflowchart LR\n {nodes}\n```")
    (drawn,) = diagrams(view)
    assert drawn.box.right() <= view.column


def test_a_diagram_that_cannot_be_drawn_is_code_with_the_reason(view, qtbot):
    show(view, qtbot, "```mermaid\nnonsense here\n```")
    assert not diagrams(view)
    (code,) = [flow for flow in layout(view).flows if flow.is_code]
    assert code.document.toPlainText() == "nonsense here"
    assert any("nonsense" in getattr(drawn, "text", "") for drawn in layout(view).drawn)


def test_a_diagram_is_asked_for_once_its_code_is_closed(view, qtbot):
    tell(view.transcript, TurnStarted("c"), ReplyStarted("c", "m0", "Sonnet"))
    for piece in ("```mermaid\nflowchart LR\n", " A --> B\n", " B --> C\n"):
        tell(view.transcript, TextDelta("c", "m0", piece))
        settle(view, qtbot)
        assert not graphics.take_missing(9)
    tell(view.transcript, TextDelta("c", "m0", "```\n"))
    assert len(draw_missing(view, qtbot)) == 1
    assert len(diagrams(view)) == 1
