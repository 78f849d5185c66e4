"""Corners and heights of all that is painted or styled come from one scale, in `widgets/look.py`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit

from desktop_app.ui.composer.attachments import AttachmentChip
from desktop_app.ui.header import Chip
from desktop_app.ui.sidebar.sidebar import WideButton
from desktop_app.ui.style import show_theme
from desktop_app.ui.widgets.buttons import Button
from desktop_app.ui.widgets.inputs import Segmented, Select
from desktop_app.ui.widgets.look import CONTROL_HEIGHT, SMALL_HEIGHT, scale

UI = Path(__file__).resolve().parents[2] / "desktop_app" / "ui"
RADIUS_ARGUMENTS = {
    "paint_box": (4,), "paint_focus": (2,), "addRoundedRect": (1, 2), "drawRoundedRect": (1, 2), "Fill": (3,),
    "Picture": (2,), "Card": (),
}  # fmt: skip
"""Where a radius stands among the arguments, unless it is named."""
NAMED = ("radius", "corner")
HEIGHTS = {"setFixedHeight": 0, "setMinimumHeight": 0, "QSize": 1}
STYLED = re.compile(r"(border-radius|min-height|max-height):\s*[1-9]")


def literals_in(node: ast.AST) -> list[float]:
    """The numbers written there; the half of something is a measure of its own, and nothing is square."""
    match node:
        case ast.BinOp(_, ast.Div(), ast.Constant(2)):
            return []
        case ast.Constant(int() | float() as number) if not isinstance(number, bool):
            return [number] if number else []
        case ast.IfExp(_, body, orelse):
            return literals_in(body) + literals_in(orelse)
    return [number for child in ast.iter_child_nodes(node) for number in literals_in(child)]


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def radii_in(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Call(args=args, keywords=keywords) if (name := name_of(node)) in RADIUS_ARGUMENTS:
            yield from (args[at] for at in RADIUS_ARGUMENTS[name] if at < len(args))
            yield from (one.value for one in keywords if one.arg in NAMED)
        case ast.Assign(targets=[ast.Name("radius")], value=value):
            yield value


def heights_in(node: ast.AST) -> Iterator[ast.AST]:
    """Numbers at the text size that are about as high as a control."""
    if isinstance(node, ast.Call) and (at := HEIGHTS.get(name_of(node))) is not None and at < len(node.args):
        match node.args[at]:
            case ast.Call(func=ast.Name("scale"), args=[ast.Constant(int() as pixels)]) as scaled:
                if SMALL_HEIGHT - 2 <= pixels <= CONTROL_HEIGHT + 2:
                    yield scaled


def other_measures(source: str) -> list[str]:
    """Return what a source says of corners and heights in numbers of its own."""
    nodes = list(ast.walk(ast.parse(source)))
    radii = (one for node in nodes for one in radii_in(node) if literals_in(one))
    heights = (one for node in nodes for one in heights_in(node))
    return [ast.unparse(one) for one in (*radii, *heights)] + STYLED.findall(source)


@pytest.mark.long
def test_no_corner_and_no_height_of_a_control_is_a_number_of_its_own() -> None:
    sources = {file: file.read_text(encoding="utf-8") for file in sorted(UI.rglob("*.py"))}
    found = {str(file.relative_to(UI)): other for file, source in sources.items() if (other := other_measures(source))}
    assert found == {}, "take them from widgets/look.py"
    assert sum(source.count("Corner.") for source in sources.values()) > 40, "it looks where they are"


@pytest.mark.parametrize(
    "planted",
    [
        "paint_box(p, box, fill, None, 7)", "paint_focus(p, box, radius=scale(7))", "Card(corner=7)",
        "Fill(box, fill, None, scale(9) + 1)", "p.drawRoundedRect(box, 3, 3)", "radius = 3 if is_low else 0",
        "QSize(width, scale(32))", "w.setFixedHeight(scale(37))", "'QMenu { border-radius: 4px }'",
    ],
)  # fmt: skip
def test_a_planted_number_is_found(planted: str) -> None:
    assert other_measures(planted)
    assert not other_measures("paint_box(p, box, fill, None, box.height() / 2)")


@pytest.mark.parametrize("font_scale", [1.0, 1.5])
def test_controls_that_stand_side_by_side_are_equally_high(qapp: QApplication, qtbot, font_scale: float) -> None:
    show_theme(qapp, "light", font_scale)
    made = [QLineEdit(), Select(), Button("Fetch"), WideButton("Search"), Segmented([("a", "A"), ("b", "B")])]
    made += [AttachmentChip("a.txt")]
    chip = Chip("large")
    for widget in (*made, chip):
        qtbot.addWidget(widget)
        widget.show()
    assert {type(one).__name__: one.sizeHint().height() for one in made} == {
        type(one).__name__: scale(CONTROL_HEIGHT) for one in made
    }
    assert chip.sizeHint().height() == scale(SMALL_HEIGHT)
