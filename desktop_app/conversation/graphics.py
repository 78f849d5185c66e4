"""Graphics: formulas and diagrams that a message writes as text, and what they look like when they are drawn."""

from __future__ import annotations

from typing import Literal

import msgspec

GraphicKind = Literal["formula", "display", "diagram"]
"""A formula in a line (LaTeX), one that stands alone (LaTeX), and a diagram (Mermaid)."""
DIAGRAM_LANGUAGES = frozenset({"mermaid", "mmd"})
"""Those of blocks of code that are drawn."""
FORMULA_SIZE = 20.0
"""Pixels of the font in which formulas are drawn, before they are scaled."""


class Graphic(msgspec.Struct, frozen=True):
    """What is drawn. source: without delimiters."""

    kind: GraphicKind
    source: str


class Drawing(msgspec.Struct, frozen=True):
    """A graphic as SVG without scripts, links and images; in pixels.

    depth: how far it reaches below the line of the text. error: why it could not be drawn; then the rest is empty.
    """

    svg: str = ""
    width: float = 0
    height: float = 0
    depth: float = 0
    error: str = ""
