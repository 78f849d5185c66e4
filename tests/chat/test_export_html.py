"""The HTML of a conversation: nothing in it acts, nothing in it loads, and everything that was said is there."""

from __future__ import annotations

from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import model, result, user
from desktop_app.chat.export_content import ExportContent
from desktop_app.chat.export_files import html_of
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role, Text, ToolCall, ToolResult

PIXEL = "data:image/png;base64,iVBORw0KGgo="
ADDRESSES = (
    *(
        "javascript:x()",
        "JaVaScRiPt:x()",
        "&#106;avascript:x()",
        "java&#10;script:x()",
        "java\tscript:x()",
        " javascript:x",
    ),
    *("\x01javascript:x()", "vbscript:x", "data:text/html,<script>x()</script>", "data:image/svg+xml,<svg onload=x()>"),
    *("data:image/png;base64,AA", "file:///etc/passwd", "FILE://server/share", "//server/share/x", "\\\\server\\share"),
    *(
        "/etc/passwd",
        "..",
        "#x",
        "smb://server/x",
        "ms-msdt:/id PCWDiagnostic",
        "search-ms:query=x",
        "view-source:http://x",
    ),
    *("blob:https://e.org/x", "jar:http://e.org!/x", "feed:javascript:x", "intent://x#Intent;end", "tel:123", "x:y"),
    *("http:///x", "https:x", "http:\\\\server", "http", "https&colon;javascript:x", "ftp://e.org", "about:blank"),
)
ALONE = ("meta", "img", "br", "hr")
HARMLESS = {
    "html", "head", "meta", "title", "style", "body", "main", "h1", "article", "header", "b", "span", "time", "div",
    "p", "pre", "code", "details", "summary", "img", "table", "thead", "tbody", "tr", "th", "td", "a", "ul", "ol",
    "li", "em", "strong", "s", "blockquote", "br", "hr", "h2", "h3", "h4", "h5", "h6",
}  # fmt: skip


class Page(HTMLParser):
    """Collects the tags, the attributes and the text of a page, and checks that each tag is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text, self.open = "", []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ALONE:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in ALONE or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def page(*parts: object, role: Role = Role.ASSISTANT, title: str = "T") -> Page:
    return Page(html_of(ExportContent(title, (Message(id="m", role=role, parts=parts),))))


def test_tables_code_and_lists_are_rendered() -> None:
    made = page(Text("| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1 < 2\n```\n\n1. one"))
    assert [tag for tag, _ in made.tags].count("td") == 2
    assert ("code", {"class": "language-python"}) in made.tags
    assert "x = 1 < 2" in made.text
    assert "ol" in [tag for tag, _ in made.tags]


def test_markup_and_addresses_in_a_message_do_nothing() -> None:
    made = page(
        Text(
            '<script>x()</script> <img src="https://e.org/a"> ![p](https://e.org/p.png) [go](javascript:x())'
            '<b onclick="x">'
        ),
        Attachment("far", "image/png", "https://e.org/far.png"),
        Attachment("svg", "image/svg+xml", "data:image/svg+xml;base64,PHN2Zz4="),
        Attachment("near", "image/png", PIXEL),
    )
    assert [attributes["src"] for tag, attributes in made.tags if tag == "img"] == [PIXEL]
    assert {tag for tag, _ in made.tags} <= HARMLESS
    assert not [name for _, attributes in made.tags for name in attributes if name.startswith("on")]
    links = [a["href"] for tag, a in made.tags if tag == "a"]
    assert links == ["https://e.org/a", "https://e.org/p.png", "https://e.org/far.png"], "a picture is a link to it"


@pytest.mark.parametrize(
    "form", ["[go](<{}>)", "<{}>", "[go]: <{}>\n\n[go]", "[![p](<{}>)](<{}>)", "| [go](<{}>) |\n|---|"]
)
@pytest.mark.parametrize("address", ADDRESSES)
def test_a_link_leads_to_the_web_or_to_mail(address: str, form: str) -> None:
    made = page(Text(form.format(address, address)), Reasoning(form.format(address, address)))
    assert [str(a["href"]) for tag, a in made.tags if tag == "a"] == []
    assert {tag for tag, _ in made.tags} <= HARMLESS


def test_a_link_to_the_web_or_to_mail_stays() -> None:
    made = page(Text("[a](https://e.org/?a=b#c) [b](HTTP://e.org) <mailto:a@e.org> <a@e.org> https://e.org"))
    links = [a["href"] for tag, a in made.tags if tag == "a"]
    assert links == ["https://e.org/?a=b#c", "HTTP://e.org", "mailto:a@e.org", "mailto:a@e.org", "https://e.org"]


def test_tools_and_reasoning_are_folded_with_all_their_text() -> None:
    long = "\n".join(f"line {n} <&>" for n in range(40))
    made = page(Reasoning("first"), ToolCall("c", "read", '{"a": 1}'), ToolResult("c", "read", long, is_error=True))
    assert [attributes for tag, attributes in made.tags if tag == "details"] == [{}, {}, {}]
    assert long in made.text
    assert '{"a": 1}' in made.text


@given(
    st.text(max_size=200),
    st.sampled_from([Text, Reasoning, lambda t: ToolResult("c", t, t), lambda t: Attachment(t, t, t)]),
)
def test_no_text_breaks_out_of_its_place(text: str, part) -> None:
    made = page(part(text), title=text)
    assert {tag for tag, _ in made.tags} <= HARMLESS
    assert not {name for _, attributes in made.tags for name in attributes if name.startswith("on")}


def test_a_call_is_folded_under_what_it_is_about_and_its_text_has_lines() -> None:
    made = page(
        ToolCall("c", "edit", '{"path": "a.py", "old": "x\\ny", "all": true}'),
        ToolCall("d", "run", '{"command": ["ls", "-l"]}'),
        ToolCall("e", "odd", "no JSON"),
    )
    assert "edit a.py" in made.text
    assert 'run ["ls", "-l"]' in made.text
    assert "path: a.py\nold:\nx\ny\nall: true" in made.text
    assert "no JSON" in made.text


def test_each_result_says_which_call_it_answers() -> None:
    reads = [ToolCall(name, "read", f'{{"path": "{name}.py"}}') for name in "ab"]
    results = [result(f"text of {n}", n, "read", id=f"r{n}") for n in "ba"]
    again = model(ToolCall("a", "read", '{"path": "c.py"}'), id="m2")
    third = result("gone", "a", "read", is_error=True, id="r3")
    alone = result("x", "z", "list", id="r4")
    said = (Message(id="m", role=Role.ASSISTANT, parts=tuple(reads)), *results, again, third, alone)
    text = Page(html_of(ExportContent("T", said))).text
    places = [text.index(w) for w in ("read b.py · answered", "text of b", "read a.py · answered", "text of a")]
    assert places == sorted(places)
    assert "read c.py · failed" in text
    assert "list · answered" in text


def test_lines_that_somebody_typed_stay_lines_and_those_of_a_reply_are_paragraphs() -> None:
    text = Text("one\ntwo\n\nthree")
    assert [tag for tag, _ in page(text, role=Role.USER).tags].count("br") == 1
    assert "br" not in [tag for tag, _ in page(text).tags]


@pytest.mark.parametrize("at", [1e20, -1e20, float("nan"), float("inf"), 253402300800.0 * 1000])
def test_a_time_of_no_calendar_is_left_out(at: float) -> None:
    html = html_of(ExportContent("T", (user("said", id="m", at=at),)))
    assert "<time" not in html
    assert "said" in html


def test_the_title_is_escaped() -> None:
    made = page(title="</title><script>")
    assert "script" not in [tag for tag, _ in made.tags]
    assert unescape("</title><script>") in made.text
