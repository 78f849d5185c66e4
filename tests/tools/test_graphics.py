"""Formulas and diagrams drawn by the real libraries in a real process, and what no drawing may hold."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from desktop_app.conversation.markdown_html import FORMULA_SIZE, Drawing, Graphic
from desktop_app.tools import graphic_child, graphics_drawer
from desktop_app.tools.graphics_drawer import draw_graphics
from texts import LACKS_CHARACTERS

pytestmark = pytest.mark.wire
FLOW = Graphic("diagram", "flowchart LR\n A[Begin] --> B{Fits?}\n B -->|yes| C[Send]")
X, FRACTION = Graphic("formula", "x"), Graphic("display", r"\frac{a}{b}")


async def draw(graphic: Graphic) -> Drawing:
    (drawing,) = await draw_graphics([graphic])
    return drawing


def texts(drawing: Drawing) -> set[str]:
    return {text.strip() for text in ET.fromstring(drawing.svg).itertext() if text.strip()}


async def test_formulas_stand_on_the_line():
    x, fraction, bad, sub = await draw_graphics([X, FRACTION, Graphic("formula", r"\frac{"), Graphic("formula", "x_i")])
    assert 0 < x.depth < 2 < x.height < FORMULA_SIZE
    assert x.height < fraction.height / 2
    assert fraction.depth > 5
    assert sub.height - sub.depth == pytest.approx(x.height - x.depth, abs=1)
    assert sub.depth > x.depth + 2
    assert bad.error
    assert not bad.svg


async def test_a_diagram_shows_its_words_at_the_size_that_it_says():
    drawing = await draw(FLOW)
    assert {"Begin", "Fits?", "yes", "Send"} <= texts(drawing)
    shape = ET.fromstring(drawing.svg)
    assert (float(shape.get("width", 0)), float(shape.get("height", 0))) == (drawing.width, drawing.height)


def lines_in_boxes(drawing: Drawing) -> dict[str, tuple[float, float, float]]:
    """The lines of the labels in boxes: how far each is from the middle of its box, up or down, and the box's size."""
    found: dict[str, tuple[float, float, float]] = {}
    for node in ET.fromstring(drawing.svg).iter(f"{graphic_child.SVG}g"):
        box = node.find(f"{graphic_child.SVG}rect")
        if node.get("class") == "node" and box is not None:
            height, width = float(box.get("height", 0)), float(box.get("width", 0))
            middle = float(box.get("y", 0)) + height / 2
            for text in node.findall(f"{graphic_child.SVG}text"):
                found["".join(text.itertext()).strip()] = float(text.get("y", 0)) - middle, height, width
    return found


async def test_each_line_of_a_label_stands_in_its_box():
    """Qt paints no line of a text below another one."""
    label = "A label that says what happens here in more words than stand on a line"
    drawing = await draw(Graphic("diagram", f"flowchart TD\n A[{label}] --> B[short<br/>lines]\n B -->|one<br/>two| C"))
    assert "tspan" not in drawing.svg
    lines = lines_in_boxes(drawing)
    assert " ".join(line for line in lines if line in label) == label
    assert {"short", "lines"} < set(lines)
    assert {"one", "two"} <= texts(drawing)
    for off, height, _ in lines.values():
        assert abs(off - 5) < height / 2  # its base line is a little below its middle
    offs = [off for line, (off, _, _) in lines.items() if line in label]
    assert offs == sorted(offs)
    assert offs[1] - offs[0] > 16


@pytest.mark.parametrize(("label", "em"), [("WWWWWWWWWW", 0.95), ("ONLY_CAPITALS_HERE", 0.68), ("라벨입니다", 1.0)])
async def test_a_box_is_as_wide_as_its_label(label: str, em: float):
    lines = lines_in_boxes(await draw(Graphic("diagram", f"flowchart TD\n A[{label}] --> B[b]")))
    assert lines[label][2] > len(label) * em * 16


async def test_an_entity_is_as_wide_as_its_name():
    drawing = await draw(Graphic("diagram", "erDiagram\n CUSTOMERMANAGEMENT ||--o{ ORDER : places"))
    boxes = ET.fromstring(drawing.svg).iter(f"{graphic_child.SVG}rect")
    assert max(float(box.get("width", 0)) for box in boxes) > len("CUSTOMERMANAGEMENT") * 0.7 * 12


@pytest.mark.parametrize("source", ["nonsense", "", "flowchart LR\n A --> [[[", "gantt\n title x", "pie"])
async def test_a_diagram_that_cannot_be_drawn_says_why(source):
    drawing = await draw(Graphic("diagram", source))
    assert bool(drawing.error) != bool(drawing.svg)


async def test_a_graphic_that_takes_for_ever_takes_no_other_with_it(monkeypatch):
    monkeypatch.setattr(graphics_drawer, "SECONDS", 2.0)
    nodes = "\n".join(f"n{i} --> n{j}" for i in range(45) for j in range(45) if i != j)
    drawings = await draw_graphics([X, Graphic("diagram", "flowchart LR\n" + nodes), FRACTION, Graphic("formula", "y")])
    assert [bool(drawing.svg) for drawing in drawings] == [True, False, True, True]


async def test_what_is_too_long_is_not_begun():
    assert (await draw(Graphic("formula", "x" * (graphics_drawer.MAX_SOURCE + 1)))).error


@pytest.mark.parametrize("source", [r"\sqrt{" * 3_000 + "x" + "}" * 3_000, r"\frac" * 4_000, "^" * 5_000, "{" * 9_000])
async def test_deep_formulas_end_as_errors_or_drawings(source):
    drawing = await draw(Graphic("formula", source))
    assert bool(drawing.error) != bool(drawing.svg)


HOSTILE = """<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">
<script>alert(1)</script><image href="file:///etc/passwd"/><image xlink:href="http://a.b/c.png"/>
<foreignObject><b>html</b></foreignObject><a href="http://a.b"><rect/></a><use xlink:href="#x"/>
<style>rect { fill: url(http://a.b/x) } @import "x";</style>
<rect fill="url(file:///x)" stroke="url(#y)" onclick="x()"/><rect fill="rgba(1,2,3,0.5)"/>
<g class="edge"><text y="10" font-size="10" dominant-baseline="central">t</text></g></svg>"""


def test_nothing_that_loads_or_runs_stays_in_a_drawing():
    clean = graphic_child.clean_svg(ET.fromstring(HOSTILE))
    text = ET.tostring(clean, encoding="unicode")
    assert not [
        word for word in ("script", "image", "http://a", "file:", "foreign", "onclick", "import") if word in text
    ]
    assert {element.tag.rpartition("}")[2] for element in clean.iter()} == {"svg", "rect", "g", "style", "text"}
    kept, grey = clean.findall(f"{graphic_child.SVG}rect")
    assert kept.attrib == {"stroke": "url(#y)"}
    assert grey.attrib == {"fill": "#010203", "fill-opacity": "0.5"}
    assert clean.findall(f".//{graphic_child.SVG}text")[0].get("y") == "13.50"


async def test_names_of_files_and_pages_in_a_diagram_are_words():
    source = 'flowchart LR\n A["<img src=file:///etc/passwd>"] --> B["<script>x</script>"]\n click A "http://a.b"'
    drawing = await draw(Graphic("diagram", source))
    assert "href" not in drawing.svg
    assert not {"image", "script", "a"} & {e.tag.rpartition("}")[2] for e in ET.fromstring(drawing.svg).iter()}


@pytest.mark.parametrize("source", [r"\text{力} = m a", "x = 🙂", r"\text{กข}"])
async def test_a_formula_whose_characters_the_font_lacks_stays_text(source):
    drawn = await draw(Graphic("formula", source))
    assert drawn.error == LACKS_CHARACTERS
    assert not drawn.svg


@pytest.mark.parametrize("source", [r"\text{Größe}\,\alpha → β", "\u00a0x\u3000≠ y", r"\text{объём} \in ℝ"])
async def test_a_formula_with_letters_of_the_font_is_drawn(source):
    assert (await draw(Graphic("formula", source))).svg


async def test_text_stands_where_it_is_to_be_seen_in_a_browser_as_in_qt():
    assert "dominant-baseline" not in (await draw(FLOW)).svg, "its place is moved instead: both would move it twice"
