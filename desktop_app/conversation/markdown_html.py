"""Convert Markdown to HTML that loads and runs nothing, with formulas and diagrams as embedded pictures. Pure.

A formula or diagram that cannot be drawn is shown as source, with every backslash.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from functools import cache, partial
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from .markdown_source import (
    DEFINITION,
    FOOTNOTE,
    MarkdownMarks,
    footnote_labels,
    free_marks,
    may_be_rewritten,
    replace_footnotes,
    rewrite,
)

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict


GraphicKind = Literal["formula", "display", "diagram"]
"""An inline formula (LaTeX), a display formula (LaTeX), and a diagram (Mermaid)."""
DIAGRAM_LANGUAGES = frozenset({"mermaid", "mmd"})
"""Languages of code blocks that are drawn."""
FORMULA_SIZE = 20.0
"""Font size in pixels in which formulas are drawn, before they are scaled."""


class Graphic(msgspec.Struct, frozen=True):
    """A formula or diagram to draw. source: without delimiters."""

    kind: GraphicKind
    source: str


class Drawing(msgspec.Struct, frozen=True):
    """A graphic as SVG without scripts, links and images; in pixels.

    depth: the part below the text's baseline. error: why it could not be drawn; then the other fields are empty.
    """

    svg: str = ""
    width: float = 0
    height: float = 0
    depth: float = 0
    error: str = ""


_MARKER = re.compile(r"\$|\\[(\[]|\\begin\{")
_ANY = r"(?:(?!\n[ \t]*\n)[\s\S])"  # no blank line: a formula ends where its paragraph does
_NOT_MATH = (r"(?P<ticks>`+)(?!`)" + _ANY + r"*?(?<!`)(?P=ticks)(?!`)", r"https?://[^\s)>]+", r"\\\\", r"\\\$")
# An unclosed formula reaches to the end, so that a streaming reply does not show it in two ways.
_MATH = (
    r"\$\$" + _ANY + r"+?(?:\$\$|\Z)",
    r"\\\(" + _ANY + r"+?(?:\\\)|\Z)",
    r"\\\[" + _ANY + r"+?(?:\\\]|\Z)",
    r"\\begin\{(?P<name>[a-zA-Z]+\*?)\}" + _ANY + r"*?(?:\\end\{(?P=name)\}|\Z)",
    r"(?<![\w$])\$(?=[^\s$])(?:[^$\n\\]|\\.)*?(?<=\S)\$(?![\w$])",  # not prices: "$5 and $10"
)
_SPANS = re.compile("|".join(_NOT_MATH) + "|(?P<math>" + "|".join(_MATH) + ")")
_DELIMITERS = (("$$", "$$"), (r"\(", r"\)"), (r"\[", r"\]"), ("$", "$"))
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")


def may_have_formulas(text: str) -> bool:
    """Return whether anything in the text looks like a formula."""
    return _MARKER.search(text) is not None


def math_spans(text: str, code: Sequence[tuple[int, int]] | None = None) -> list[tuple[int, int]]:
    """Return start and end of each formula, including its delimiters, but not of formulas in code.

    code: the line ranges of code blocks, if they are known: the first line of each, and the first one after it.
    """
    if not may_have_formulas(text):
        return []
    starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    hidden = [(starts[max(a, 0)], starts[b]) for a, b in (_code_lines(text) if code is None else code)]
    spans: list[tuple[int, int]] = []
    position = 0
    for start, end in [*hidden, (len(text), len(text))]:  # each part between code blocks separately
        found = _SPANS.finditer(text, position, max(start, position))
        spans += [match.span() for match in found if match["math"]]
        position = max(end, position)
    return spans


def graphic_of(formula: str) -> Graphic | None:
    """Return the graphic of a formula with delimiters; None if it is not closed."""
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
    """Return Markdown that shows each formula drawn or as source, and other text unchanged.

    draw: returns the Markdown that shows a formula; "" if it stays text.
    """
    pieces: list[str] = []
    position = 0
    for start, end in math_spans(text):
        is_quoted = text[text.rfind("\n", 0, start) + 1 : start].lstrip().startswith(">")
        graphic = graphic_of(text[start:end])
        drawn = draw(graphic) if graphic is not None else ""
        pieces += (text[position:start], drawn or _literal(text[start:end], is_quoted))
        position = end
    return "".join([*pieces, text[position:]])


def _as_text(_: Graphic) -> str:
    return ""


def to_qt_markdown(text: str, draw: Callable[[Graphic], str] = _as_text, marks: MarkdownMarks | None = None) -> str:
    """Return the Markdown for Qt, which would take a rule at the beginning for front matter.

    marks: characters to be replaced in the document; see `MarkdownMarks`.
    """
    escaped = readable_markdown(escape_math(text, draw), marks)
    return f"\n{escaped}" if text.startswith("---") else escaped


_HAS_BLOCKS = re.compile(
    r"^[ \t>]*(?:```|~~~)|^[ \t>]*(?: {4}|\t)|[-*+.)](?: {4}|\t)|<br", re.MULTILINE | re.IGNORECASE
)
"""What a text with code blocks, or with breaks in the cells of a table, contains."""


def readable_markdown(text: str, marks: MarkdownMarks | None) -> str:
    """Return Markdown that every parser shows as people mean it; see `markdown_source`."""
    if marks is None or not may_be_rewritten(text):
        return text
    starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))
    blocks = [token for token in block_parser().parse(text) if token.map] if _HAS_BLOCKS.search(text) else []
    spans = {
        kind: [(starts[t.map[0]], starts[t.map[1]]) for t in blocks if t.map and t.type in kinds]
        for kind, kinds in (("code", ("fence", "code_block")), ("tables", ("table_open",)))
    }
    kept = sorted([*spans["code"], *(found.span() for found in DEFINITION.finditer(text))])
    return replace_footnotes(rewrite(text, kept, spans["tables"], marks), lambda label: f"[^{label}]")


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
    """Return the parser for blocks only, in the window's dialect."""
    from markdown_it import MarkdownIt  # not needed before the first message: the window opens sooner

    parser = MarkdownIt("commonmark").enable("table").disable("html_block")
    parser.core.ruler.disable(["inline", "text_join"], True)
    return parser


LINK = re.compile(r"(?:https?://|mailto:)[^/\\]", re.IGNORECASE)
"""Allowed links, as in the window: other schemes may start a program, or reveal the user to a server."""
MAX_NESTING = 100
"""Levels of lists and quotes. The parser drops deeper ones, so such a text is shown as source."""
ENLARGED = 1.08
"""Scale of formulas, whose letters are lower than the text's at the same size."""
SHORT_CELL, LONG_CELL = 12, 30
"""Characters of a cell: up to the first, it is not wrapped; above the second, it has a minimum width."""
DIAGRAM = re.compile(rf"(?:```|~~~)[ \t]*(?:{'|'.join(sorted(DIAGRAM_LANGUAGES))})\b", re.IGNORECASE)
_TASK = re.compile(r"\[([ xX])\](?:\s+|$)")
Env = MutableMapping[str, Any]


def html_of_markdown(text: str, drawings: Mapping[Graphic, Drawing], *, has_breaks: bool = False) -> str:
    """Return Markdown as HTML. HTML in it is shown as source, and a picture becomes a link to it.

    drawings: of its formulas and diagrams; without a drawing, they are shown as source. has_breaks: whether line breaks
    are kept, as meant in text that was not written as Markdown.
    """
    mark = next((sign for sign in map(chr, range(0xE000, 0xF900)) if sign not in text), "")
    drawn: list[Graphic] = []

    def stand_in(graphic: Graphic) -> str:
        if not mark or graphic not in drawings or not drawings[graphic].svg:
            return ""
        drawn.append(graphic)
        return f"{{{mark}{len(drawn) - 1}{mark}}}"

    env: Env = {
        "drawings": drawings,
        "drawn": drawn,
        "stand-in": re.compile(rf"\{{{mark}(\d+){mark}\}}"),
    }
    env["references"] = {
        f"^{label}".upper(): {"href": f"{FOOTNOTE}{label}", "title": ""} for label in footnote_labels(text)
    }
    parser, marks = _parser(has_breaks), free_marks(text + mark)
    tokens = parser.parse(readable_markdown(escape_math(text, stand_in), marks), env)
    if any(token.level >= MAX_NESTING - 1 for token in tokens):
        return code_html(text)
    _write_back(tokens, env)
    _raise_footnotes(tokens)
    html = parser.renderer.render(tokens, parser.options, env)
    return html if marks is None else html.replace(marks.joint, "").replace(marks.line_break, "<br>")


def _raise_footnotes(tokens: Sequence[Token]) -> None:
    """Show the numbers of footnotes raised, and not as links."""
    for token in tokens:
        children = token.children or []
        for number, child in enumerate(children):
            if child.type == "link_open" and str(child.attrs.get("href", "")).startswith(FOOTNOTE):
                ends = (n for n in range(number, len(children)) if children[n].type == "link_close")
                end = next(ends, number)
                child.type, child.tag, child.attrs = "sup_open", "sup", {}
                children[end].type, children[end].tag = "sup_close", "sup"
                for part in children[number + 1 : end]:
                    part.content = part.content.removeprefix("^")


def code_html(text: str, language: str = "") -> str:
    """Return a code block as HTML."""
    named = f' class="language-{escape(language)}"' if language else ""
    return f'<pre dir="ltr"><code{named}>{escape(text)}</code></pre>'


def graphics_in(text: str) -> list[Graphic]:
    """Return the formulas and diagrams of Markdown that can be drawn."""
    blocks = block_parser().parse(text) if DIAGRAM.search(text) else ()
    diagrams = (_diagram_of(token) for token in blocks if token.type == "fence")
    return [*formulas_in(text), *(diagram for diagram in diagrams if diagram is not None)]


def picture_of(drawing: Drawing) -> str:
    """Return a drawing as a data URL: as a picture, it cannot run scripts, and its styles affect nothing else."""
    return f"data:image/svg+xml;base64,{b64encode(drawing.svg.encode(errors='replace')).decode()}"


def formula_source(graphic: Graphic) -> str:
    """Return a formula in Markdown."""
    return f"$${graphic.source}$$" if graphic.kind == "display" else f"${graphic.source}$"


def _formula(graphic: Graphic, drawing: Drawing) -> str:
    """Return a formula as a picture, with its source for copying, searching and screen readers."""
    scale = ENLARGED / FORMULA_SIZE
    kind = "formula display" if graphic.kind == "display" else "formula"
    size = f"width:{drawing.width * scale:.3f}em;vertical-align:{-drawing.depth * scale:.3f}em"
    picture = f'<img class="{kind}" alt="" style="{size}" src="{picture_of(drawing)}">'
    return f'{picture}<span class="source">{escape(formula_source(graphic))}</span>'


def _diagram(graphic: Graphic, drawing: Drawing) -> str:
    source = f"<details><summary>Source of the diagram</summary>{code_html(graphic.source, 'mermaid')}</details>"
    return f'<div class="diagram"><img alt="Diagram" src="{picture_of(drawing)}">{source}</div>\n'


def _diagram_of(fence: Token) -> Graphic | None:
    language = fence.info.strip().partition(" ")[0].lower()
    return Graphic("diagram", fence.content.removesuffix("\n")) if language in DIAGRAM_LANGUAGES else None


@cache
def _parser(has_breaks: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt  # not needed before the first export: the engine starts sooner

    options = {"html": False, "maxNesting": MAX_NESTING, "breaks": has_breaks}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.disable("image")
    parser.validateLink = lambda url: LINK.match(url) is not None
    parser.inline.ruler.before("escape", "formula", _read_formula)
    parser.core.ruler.push("task", _read_tasks)
    for name, rule in RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _read_formula(state: StateInline, silent: bool) -> bool:
    """Parse the placeholder of a formula as a separate token."""
    found = state.env["stand-in"].match(state.src, state.pos) if "stand-in" in state.env else None
    if found is None:
        return False
    if not silent:
        state.push("formula", "", 0).content = found[1]
    state.pos = found.end()
    return True


def _read_tasks(state: StateCore) -> None:
    """Parse "[x]" at the beginning of a list item as a ticked box."""
    for number, token in enumerate(state.tokens[2:], 2):
        item = state.tokens[number - 2]
        first = token.children[0] if token.children else None
        found = _TASK.match(first.content) if first is not None and first.type == "text" else None
        if first is None or found is None or token.type != "inline" or item.type != "list_item_open":
            continue
        item.attrJoin("class", "task")
        box = type(first)("task", "", 0, content=found[1].strip())
        first.content = first.content[found.end() :]
        token.children = [box, *(token.children or ())]


def _write_back(tokens: Sequence[Token], env: Env) -> None:
    """Restore the source of formulas where no picture is possible: in code, and in addresses and titles of links."""

    def source_of(found: re.Match[str]) -> str:
        return formula_source(env["drawn"][int(found[1])])

    write = partial(env["stand-in"].sub, source_of)
    for token in tokens:
        if token.type != "formula":
            token.content, token.info = write(token.content), write(token.info)
        for name, value in token.attrs.items():
            token.attrs[name] = write(value) if isinstance(value, str) else value
        _write_back(token.children or (), env)


def _render_formula(_: object, tokens: Sequence[Token], index: int, options: object, env: Env) -> str:
    graphic = env["drawn"][int(tokens[index].content)]
    return _formula(graphic, env["drawings"][graphic])


def _render_task(_: object, tokens: Sequence[Token], index: int, options: object, env: Env) -> str:
    return "☑ " if tokens[index].content else "☐ "


def _render_fence(_: object, tokens: Sequence[Token], index: int, options: object, env: Env) -> str:
    graphic = _diagram_of(tokens[index])
    drawing = env["drawings"].get(graphic) if graphic is not None else None
    if graphic is not None and drawing is not None and drawing.svg:
        return _diagram(graphic, drawing)
    return code_html(tokens[index].content, tokens[index].info.strip().partition(" ")[0]) + "\n"


def _render_code(_: object, tokens: Sequence[Token], index: int, options: object, env: Env) -> str:
    return code_html(tokens[index].content) + "\n"


def _render_inline_code(_: object, tokens: Sequence[Token], index: int, options: object, env: Env) -> str:
    return f'<code dir="ltr">{escape(tokens[index].content)}</code>'


def _open_table(_: object, tokens: Sequence[Token], index: int, options: object, env: Env) -> str:
    return '<div class="table"><table>\n'


def _close_table(_: object, tokens: Sequence[Token], index: int, options: object, env: Env) -> str:
    return "</table></div>\n"


def _open_cell(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: Env) -> str:
    size = len(tokens[index + 1].content)
    if size > SHORT_CELL:
        tokens[index].attrJoin("class", "words" if size <= LONG_CELL else "long")
    return renderer.renderToken(tokens, index, options, env)


RULES: dict[str, Callable[..., str]] = {
    "formula": _render_formula,
    "task": _render_task,
    "fence": _render_fence,
    "code_block": _render_code,
    "code_inline": _render_inline_code,
    "table_open": _open_table,
    "table_close": _close_table,
    "th_open": _open_cell,
    "td_open": _open_cell,
}
