r"""Formulas in Markdown, which are drawn, or shown as they were written, with every backslash. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from .graphics import Graphic

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_MARKER = re.compile(r"\$|\\[(\[]|\\begin\{")
_ANY = r"(?:(?!\n[ \t]*\n)[\s\S])"  # no blank line: a formula ends where its paragraph does
_NOT_MATH = (r"(?P<ticks>`+)(?!`)" + _ANY + r"*?(?<!`)(?P=ticks)(?!`)", r"https?://[^\s)>]+", r"\\\\", r"\\\$")
# What is not closed yet reaches to the end: a reply that grows does not show its formula in two ways.
_MATH = (
    r"\$\$" + _ANY + r"+?(?:\$\$|\Z)",
    r"\\\(" + _ANY + r"+?(?:\\\)|\Z)",
    r"\\\[" + _ANY + r"+?(?:\\\]|\Z)",
    r"\\begin\{(?P<name>[a-zA-Z]+\*?)\}" + _ANY + r"*?(?:\\end\{(?P=name)\}|\Z)",
    r"(?<![\w$])\$(?=[^\s$])(?:[^$\n\\]|\\.)*?(?<=\S)\$(?![\w$])",  # not what something costs: "$5 and $10"
)
_SPANS = re.compile("|".join(_NOT_MATH) + "|(?P<math>" + "|".join(_MATH) + ")")
_DELIMITERS = (("$$", "$$"), (r"\(", r"\)"), (r"\[", r"\]"), ("$", "$"))
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")


def may_have_formulas(text: str) -> bool:
    """Return whether anything in the text looks like a formula."""
    return _MARKER.search(text) is not None


def math_spans(text: str, code: Sequence[tuple[int, int]] | None = None) -> list[tuple[int, int]]:
    """Return start and end of each formula, its delimiters included; none in code.

    code: the lines of blocks of code, if they are known: the first of each, and the first behind it.
    """
    if not may_have_formulas(text):
        return []
    starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    hidden = [(starts[max(a, 0)], starts[b]) for a, b in (_code_lines(text) if code is None else code)]
    spans: list[tuple[int, int]] = []
    position = 0
    for start, end in [*hidden, (len(text), len(text))]:  # each stretch between blocks of code for itself
        found = _SPANS.finditer(text, position, max(start, position))
        spans += [match.span() for match in found if match["math"]]
        position = max(end, position)
    return spans


def graphic_of(formula: str) -> Graphic | None:
    """Return what is drawn of a formula with its delimiters; None while it is not closed."""
    for opening, closing in _DELIMITERS:
        if formula.startswith(opening):
            inner = formula.removeprefix(opening)
            source = "\n".join(line.lstrip("> ") for line in inner.removesuffix(closing).split("\n")).strip()
            is_closed = inner.endswith(closing) and bool(source)
            return Graphic("display" if opening in ("$$", "\\[") else "formula", source) if is_closed else None
    return Graphic("display", formula) if formula.startswith("\\begin") and r"\end{" in formula else None


def formulas_in(text: str) -> list[Graphic]:
    """Return the formulas of a text that can be drawn."""
    found = (graphic_of(text[start:end]) for start, end in math_spans(text))
    return [graphic for graphic in found if graphic is not None]


def escape_math(text: str, draw: Callable[[Graphic], str]) -> str:
    """Return Markdown that shows each formula drawn or as it was written, and everything else as before.

    draw: returns the Markdown that shows a formula; "" where it stays text.
    """
    shown: list[str] = []
    position = 0
    for start, end in math_spans(text):
        is_quoted = text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith(">")
        graphic = graphic_of(text[start:end])
        drawn = draw(graphic) if graphic is not None else ""
        shown += (text[position:start], drawn or _literal(text[start:end], is_quoted))
        position = end
    return "".join([*shown, text[position:]])


def _as_text(_: Graphic) -> str:
    return ""


def to_qt_markdown(text: str, draw: Callable[[Graphic], str] = _as_text) -> str:
    """Return the Markdown for Qt, which would take a rule at the very beginning for the start of a header."""
    shown = escape_math(text, draw)
    return f"\n{shown}" if text.startswith("---") else shown


def _literal(formula: str, is_quoted: bool) -> str:
    """Escape a formula's punctuation, and break its lines. is_quoted: whether they begin with ">"."""
    lines = [line.strip() for line in formula.split("\n")]
    if is_quoted:
        lines[1:] = [line.lstrip("> ") for line in lines[1:]]
    return ("\\\n> " if is_quoted else "\\\n").join(_PUNCTUATION.sub(r"\\\g<0>", line) for line in lines)


def _code_lines(text: str) -> list[tuple[int, int]]:
    tokens = block_parser().parse(text)
    return [(t.map[0], t.map[1]) for t in tokens if t.type in ("fence", "code_block") and t.map]


@cache
def block_parser() -> MarkdownIt:
    """Return the parser of blocks alone, in the dialect that the window shows."""
    from markdown_it import MarkdownIt  # not needed before there is a message: the window shows sooner

    parser = MarkdownIt("commonmark").enable("table").disable("html_block")
    parser.core.ruler.disable(["inline", "text_join"], True)
    return parser
