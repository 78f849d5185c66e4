"""Markdown as HTML: formulas are pictures with their source, or stay as they were written, with every backslash."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.conversation.markdown_html import Drawing, Graphic, graphics_in, html_of_markdown, picture_of

FORMULAS = (
    r"\(a^2 + b^2\)",
    r"\[x_1 * y_1 * z_1\]",
    r"$$\int_0^1 x^2\,dx = \frac{1}{3}$$",
    r"$E_{kin} = m*v*w$",
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
    r"$\{x \mid x_1 \neq \_\}$",
    "$$\nx = a\n- b\n+ c \\\\\n= 1\n$$",
)
AROUND = (
    "{}",
    "It is {}, **so** {}.",
    "- one {}\n- two {}",
    "# On {}",
    "a\n\n1. b\n\n   {}\n",
    "**{}**",
    "[{}](https://e.org)",
)
ALONE = ("img", "br", "hr")
TAGS = {
    *(
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "em",
        "strong",
        "s",
        "code",
        "pre",
        "a",
        "img",
        "span",
        "div",
        "ul",
        "ol",
    ),
    *("li", "blockquote", "br", "hr", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"),
}


class Read(HTMLParser):
    """Collects tags, attributes and text, and checks that each tag is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text, self._open = "", list[str]()
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ALONE:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in ALONE or self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def pictures(self) -> list[str | None]:
        return [attributes["src"] for tag, attributes in self.tags if tag == "img"]


def drawings_of(text: str) -> dict[Graphic, Drawing]:
    return {graphic: Drawing(f"<svg>{n}</svg>", 40, 20, 4) for n, graphic in enumerate(graphics_in(text))}


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("around", AROUND)
def test_a_formula_is_a_picture_with_its_source_beside(formula: str, around: str) -> None:
    text = around.format(formula, formula)
    drawings = drawings_of(text)
    read = Read(html_of_markdown(text, drawings))
    ((graphic, drawing),) = drawings.items()
    assert read.pictures == [picture_of(drawing)] * around.count("{}")
    assert read.text.count(graphic.source) == around.count("{}")


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("around", [*AROUND, "> said {}", "| {} |\n|---|"])
def test_a_formula_that_is_not_drawn_is_shown_as_it_was_written(formula: str, around: str) -> None:
    if "\n" in formula and around.startswith(("|", "#", "- ", "> ")):
        formula = formula.replace("\n", " ")
    for drawings in ({}, dict.fromkeys(drawings_of(around.format(formula, formula)), Drawing(error="no"))):
        read = Read(html_of_markdown(around.format(formula, formula), drawings))
        assert squeezed(read.text).count(squeezed(formula)) == around.count("{}")
        assert read.pictures == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`$a_b$` and \\$5", "$a_b$ and $5"),
        ("```\n$a_b$\n```", "$a_b$\n"),
        ("costs $5 and $10", "costs $5 and $10"),
        ('[a](https://e.org/$x$y "$t$")', "a"),
    ],
)
def test_what_is_no_formula_stays_what_it_is(text: str, shown: str) -> None:
    assert Read(html_of_markdown(text, drawings_of(text))).text.strip() == shown.strip()


def test_the_title_of_a_link_has_its_formula_as_text() -> None:
    text = '[a](https://e.org "$t$")'
    read = Read(html_of_markdown(text, drawings_of(text)))
    assert [a["title"] for tag, a in read.tags if tag == "a"] == ["$t$"]


def test_tasks_have_boxes_and_other_brackets_stay() -> None:
    read = Read(
        html_of_markdown(
            "- [x] one\n- [ ] two\n  1. [X] three\n- [y] no\n- a [x] b\n\n[x] text\n\n- [x](https://e.org)", {}
        )
    )
    assert [line for line in read.text.split("\n") if line] == [
        *("☑ one", "☐ two", "☑ three", "[y] no", "a [x] b", "[x] text", "x")
    ]
    assert [a.get("class") for tag, a in read.tags if tag == "li"] == ["task"] * 3 + [None] * 3


def test_a_table_can_be_scrolled_and_its_long_cells_keep_room_for_words() -> None:
    read = Read(html_of_markdown(f"| a | b |\n|--:|---|\n| 1 | {'word ' * 9}|", {}))
    assert [a for tag, a in read.tags if tag == "div"] == [{"class": "table"}]
    assert [a for tag, a in read.tags if tag == "td"] == [{"style": "text-align:right"}, {"class": "long"}]


def test_a_diagram_is_a_picture_and_its_source_stays() -> None:
    text = "```mermaid\nflowchart LR\n A --> B\n```\n\n- in a list\n\n  ~~~MMD\n  pie\n  ~~~\n\n```python\nx\n```"
    drawings = drawings_of(text)
    assert [graphic.source for graphic in drawings] == ["flowchart LR\n A --> B", "pie"]
    read = Read(html_of_markdown(text, drawings))
    assert read.pictures == [picture_of(drawing) for drawing in drawings.values()]
    assert "flowchart LR\n A --> B" in read.text
    assert "flowchart LR\n A --> B" in Read(html_of_markdown(text, {})).text


@pytest.mark.parametrize("depth", [3, 30, 300])
def test_deep_nesting_loses_no_text(depth: int) -> None:
    assert "inmost" in Read(html_of_markdown("> " * depth + "inmost", {})).text
    assert "inmost" in Read(html_of_markdown("*" * depth + "inmost" + "*" * depth, {})).text


PIECES = [
    *(
        "$x$",
        "$",
        "\\",
        "[",
        "](",
        ")",
        "`",
        "``",
        "```",
        "<",
        ">",
        "|",
        "|-|",
        "\n",
        "\n\n",
        "- ",
        "[x] ",
        "{",
        "}",
        "1",
    ),
    *(
        "\ue000",
        "{\ue0000\ue000}",
        "{\ue0010\ue001}",
        "https://e.org/",
        "mailto:",
        '"',
        "*",
        "_",
        "~~",
        "\\(a\\)",
        "$$b$$",
        "&lt;",
        "a",
    ),
]


@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=30).map("".join)))
def test_whatever_is_written_makes_closed_harmless_tags_and_leaves_no_sign_of_ours(text: str) -> None:
    drawings = drawings_of(text)
    read = Read(html_of_markdown(text, drawings))
    assert {tag for tag, _ in read.tags} <= TAGS
    assert set(read.pictures) <= {picture_of(drawing) for drawing in drawings.values()}
    whole = read.text + "".join(str(value) for _, attributes in read.tags for value in attributes.values())
    assert {sign for sign in whole if "\ue000" <= sign < "\uf900"} <= set(text)
    assert {name for _, attributes in read.tags for name in attributes} <= {
        *("class", "style", "src", "alt", "href", "title", "dir", "start")
    }


def test_a_text_of_all_private_characters_is_shown() -> None:
    text = "".join(map(chr, range(0xE000, 0xF900))) + " $x$"
    assert Read(html_of_markdown(text, drawings_of(text))).text.strip() == text
