"""Math is shown as the text that was written, wherever it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.conversation.markdown_html import Graphic, escape_math, formulas_in
from desktop_app.ui.transcript.markdown_documents import MarkdownText, markdown_document
from desktop_app.ui.transcript.segments import ProseSegment, segments_of

pytestmark = pytest.mark.usefixtures("qapp")
FORMULAS = (
    r"\(a^2 + b^2\)",
    r"\[x_1 * y_1 * z_1\]",
    r"$$\int_0^1 x^2\,dx = \frac{1}{3}$$",
    r"$E_{kin} = m*v*w$",
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
    r"$\{x \mid x_1 \neq \_\}$",
)


def shown(text: str) -> str:
    return "\n".join(markdown_document(p).toPlainText() for p in segments_of(text) if isinstance(p, ProseSegment))


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize(
    "around", ["{}", "It is {}, **so** {}.", "- one {}\n- two {}", "> said {}", "# On {}", "a\n\n1. b\n\n   {}\n"]
)
def test_a_formula_is_shown_as_it_was_written(formula: str, around: str) -> None:
    assert shown(around.format(formula, formula)).count(formula) == around.count("{}")


def test_every_line_of_a_displayed_formula_is_one() -> None:
    text = "$$\nx = a\n- b\n+ c \\\\\n= 1\n$$"
    assert shown(f"So:\n\n{text}\n\n- end").split("\n")[1:-1] == text.split("\n")
    quoted = "\n".join(f"> {line}" for line in text.split("\n"))
    assert shown(quoted).split("\n") == text.split("\n")


def test_a_formula_that_is_still_being_written_has_its_backslashes() -> None:
    assert shown(r"So \(a_1 + \frac{b_1") == r"So \(a_1 + \frac{b_1"


@pytest.mark.parametrize(
    "text", ["`$a_b$ \\(x\\)`", "```\n$a_b$\n```", "    $HOME_A/$B_C", "costs $5 and **$10**, or $7", "\\$5 and \\$6"]
)
def test_what_is_no_formula_is_left_alone(text: str) -> None:
    assert escape_math(text, lambda _: "") == text


def test_a_summary_shows_formulas_too(qtbot) -> None:
    label = MarkdownText(rf"**So** {FORMULAS[0]}")
    qtbot.addWidget(label)
    assert label.toPlainText() == rf"So {FORMULAS[0]}"


@given(st.text(alphabet="ab \\$(){}[]_*^`|<>&#-+=.~", max_size=30))
def test_whatever_stands_between_the_signs_is_shown(inner: str) -> None:
    formula = rf"\({inner}x\)" if not inner.endswith("\\") else r"\(x\)"
    if r"\)" not in formula[2:-2] and "`" not in formula and "  " not in formula and not formula.startswith("\\( "):
        assert shown(f"So {formula} it is.") == f"So {formula} it is."


@pytest.mark.parametrize(
    ("text", "kind", "source"),
    [
        ("$x$", "formula", "x"),
        (r"\(x\)", "formula", "x"),
        ("$$\nx\n$$", "display", "x"),
        (r"\[ x \]", "display", "x"),
        (r"\begin{align}a\end{align}", "display", r"\begin{align}a\end{align}"),
    ],
)
def test_a_formula_is_drawn_without_its_delimiters(text, kind, source):
    assert formulas_in(f"So {text} is.") == [Graphic(kind, source)]


@pytest.mark.parametrize("text", ["$$x", r"\(x", r"\begin{align}a", "$$ $$", "`$x$`", "$5 and $10"])
def test_what_is_not_closed_or_no_formula_is_not_drawn(text):
    assert formulas_in(text) == []
