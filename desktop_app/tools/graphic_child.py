"""Draws formulas and diagrams in a child process, run as a script, with limits on memory and time.

Its argument is a file with a JSON list of {"kind", "source"}. It prints a list of {"svg", "width", "height", "depth"}
or {"error"}, in the same order. The sources come from models, so the SVG is reduced to shapes and text. See
docs/decisions/0022.
"""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import east_asian_width

from desktop_app.own_processes import given_arguments, limit_memory

MAX_MEMORY = 600_000_000
"""Bytes of address space."""
MAX_SIDE = 20_000
"""Pixels of a drawing."""
MAX_SVG = 1_000_000
"""Characters of a drawing's SVG."""
FORMULA_SIZE = 20.0
"""Pixels of the font, as in conversation/markdown_html.py, which a script cannot import."""
SVG = "{http://www.w3.org/2000/svg}"
TEXT = f"{SVG}text"
SHAPES = ("path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "title", "desc")
WIDE, CAPITAL = 1.0, 0.74
"""The widths of the widest characters and of most capitals, as shares of the font size."""
ELEMENTS = frozenset({*SHAPES, "svg", "g", "defs", "marker", "style", "clipPath"})
"""Elements that are kept; none of them loads external resources."""
FONTS = "Inter, 'Noto Sans', 'Noto Sans CJK SC', sans-serif"
_RGBA = re.compile(r"rgba\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*,\s*([\d.]+)\s*\)")
_OUTSIDE = re.compile(r"url\(\s*['\"]?(?!#)|@import|expression\(", re.IGNORECASE)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_FONT_SIZE = re.compile(r"font-size:\s*([\d.]+)px")
LABEL_SIZE = 12.0
"""Font size in pixels of a text without a size: the label of an edge."""
BASELINE = 0.35
"""Distance from the middle of a line of text to its baseline, as a share of the font size. Qt does not support
dominant-baseline."""


class Undrawable(Exception):
    """Raised with the reason why a graphic cannot be drawn."""


def draw_formula(source: str, *, is_display: bool = False) -> dict[str, Any]:
    """Return the drawing of a formula in black."""
    from ziamath.config import config
    from ziamath.zmath import Latex

    config.svg2 = False  # Qt does not draw a <use> of a <symbol>
    formula = Latex(source, size=FORMULA_SIZE, inline=not is_display)
    if any(sign.isprintable() and not sign.isspace() and not formula.font.glyphindex(sign) for sign in source):
        raise Undrawable("has characters that its font lacks")
    drawn = formula.svg()
    _, top, width, height = (float(number) for number in ET.fromstring(drawn).get("viewBox", "").split())
    return _drawing(drawn, width, height) | {"depth": max(top + height, 0.0)}


def draw_display(source: str) -> dict[str, Any]:
    """Return the drawing of a display formula."""
    return draw_formula(source, is_display=True)


def draw_diagram(source: str) -> dict[str, Any]:
    """Return the drawing of a diagram with colors for a light background."""
    import merm

    _measure_wide_characters()
    look = merm.DEFAULT_THEME.replace(
        font_family=FONTS, node_fill="#eef0fb", node_stroke="#7a86c9", edge_stroke="#555a66", text_color="#22252b",
        node_text_color="#22252b", subgraph_fill="#f4f1e4", subgraph_stroke="#b9b08a",
        edge_label_bg="rgba(255,255,255,0.85)",
    )  # fmt: skip
    try:
        drawn = merm.render_diagram(source, theme=look)
    except merm.ParseError as error:
        raise Undrawable(str(error)) from error
    shape = ET.fromstring(drawn)
    return _drawing(drawn, _pixels(shape.get("width")), _pixels(shape.get("height")))


@cache
def _measure_wide_characters() -> None:
    """Patch merm's measurement of wide characters: it treats capitals like other letters and makes boxes too narrow."""
    from merm.measure import text
    from merm.render import erdiag

    erdiag._CHAR_WIDTH = CAPITAL * LABEL_SIZE  # the names of entities are mostly in capitals
    estimate = text._char_width

    def width_of(character: str, size: float) -> float:
        if character in "MWmw@%" or east_asian_width(character) in "WF":
            return WIDE * size
        return CAPITAL * size if character.isupper() else estimate(character, size)

    text._char_width = width_of


def _pixels(length: str | None) -> float:
    try:
        return float((length or "").removesuffix("px"))
    except ValueError:
        raise Undrawable("has no size") from None


def _drawing(svg: str, width: float, height: float) -> dict[str, Any]:
    if min(width, height) <= 0:
        raise Undrawable("has no size")
    if max(width, height) > MAX_SIDE:
        raise Undrawable("is too large to be drawn")
    clean = ET.tostring(clean_svg(ET.fromstring(svg)), encoding="unicode")
    if len(clean) > MAX_SVG:
        raise Undrawable("is too large to be drawn")
    return {"svg": clean, "width": width, "height": height}


def clean_svg(shape: ET.Element) -> ET.Element:
    """Reduce a drawing to shapes and text in a form that Qt can draw."""
    ET.register_namespace("", SVG[1:-1])
    sizes = _font_sizes("".join(style.text or "" for style in shape.iter(f"{SVG}style")))
    for parent in shape.iter():
        for child in list(parent):
            if child.tag.removeprefix(SVG) not in ELEMENTS:
                parent.remove(child)
    _clean_element(shape, sizes, "")
    return shape


def _font_sizes(rules: str) -> dict[str, float]:
    """Return the font sizes in style rules, by the class that the selector begins with."""
    sizes: dict[str, float] = {}
    for selectors, body in _RULE.findall(rules):
        if size := _FONT_SIZE.search(body):
            for selector in selectors.split(","):
                sizes[selector.split()[0].lstrip(".")] = float(size[1])
    return sizes


def _clean_element(element: ET.Element, sizes: dict[str, float], within: str) -> None:
    within = element.get("class") or within
    for name, value in list(element.attrib.items()):
        is_reference = name.rpartition("}")[2].lower() == "href"
        if is_reference or name.lower().startswith("on") or _OUTSIDE.search(value):
            del element.attrib[name]
        elif found := _RGBA.fullmatch(value):
            element.set(name, "#{:02x}{:02x}{:02x}".format(*(min(int(part), 255) for part in found.groups()[:3])))
            element.set(f"{name}-opacity", found[4])
    if element.tag == f"{SVG}style":
        element.text = "" if _OUTSIDE.search(element.text or "") else element.text
    for child in list(element):
        _clean_element(child, sizes, within)
        if child.tag == TEXT:
            place = list(element).index(child)
            element[place : place + 1] = _lines(child, sizes, child.get("class") or within)


def _lines(text: ET.Element, sizes: dict[str, float], within: str) -> list[ET.Element]:
    """Return the lines of a text as separate texts with absolute positions."""
    declared = text.get("font-size") or sizes.get(within.partition(" ")[0])
    if declared is None:
        text.attrib |= {"font-size": str(LABEL_SIZE), "font-family": FONTS}
    size = _pixels(str(declared or LABEL_SIZE))
    lines = _part_lines(text, size)
    for line in lines:
        if line.attrib.pop("dominant-baseline", "") in ("central", "middle"):
            line.set("y", f"{float(line.get('y', 0)) + BASELINE * size:.2f}")
    return lines


def _part_lines(text: ET.Element, size: float) -> list[ET.Element]:
    """Return a text for each <tspan> of a text, because Qt draws each <tspan> where the previous one ends."""
    if not any(span.get("y") or span.get("dy") for span in text):
        return [text]
    lines: list[ET.Element] = []
    y = float(text.get("y", 0))
    for span in text:
        down = span.attrib.pop("dy", "0")
        y += float(down.removesuffix("em")) * size if down.endswith("em") else _pixels(down)
        y = float(span.get("y", y))
        line = ET.Element(TEXT, text.attrib | span.attrib | {"y": f"{y:.2f}"})
        line.text = span.text
        lines.append(line)
    return lines


DRAW: dict[str, Callable[[str], dict[str, Any]]] = {
    "formula": draw_formula,
    "display": draw_display,
    "diagram": draw_diagram,
}


def draw(kind: str, source: str) -> dict[str, Any]:
    """Return a drawing, or {"error": the reason}."""
    try:
        return DRAW[kind](source)
    except Undrawable as error:
        return {"error": str(error)}
    except Exception as error:  # noqa: BLE001 - a model's text can make the libraries raise anything
        return {"error": f"{type(error).__name__}: {str(error)[:200]}".rstrip(": ")}


def main() -> None:
    """Draw the graphics and print the result."""
    limit_memory(MAX_MEMORY)
    graphics = json.loads(Path(given_arguments()[0]).read_bytes())
    drawings = [draw(graphic["kind"], graphic["source"]) for graphic in graphics]
    sys.stdout.buffer.write(json.dumps(drawings).encode(errors="replace"))


if __name__ == "__main__":
    main()
