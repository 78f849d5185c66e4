"""Markdown as people write it: addresses in sentences, bold text in Chinese, tildes, entities, breaks and footnotes.

With the 652 examples of the CommonMark specification (commonmark-spec of npm), nothing that markdown-it shows is
changed but bare addresses, which become links.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from desktop_app.conversation.markdown_html import html_of_markdown, readable_markdown
from desktop_app.conversation.markdown_source import free_marks


def links_in(text: str) -> list[str]:
    """Return the texts of the links that a paragraph is shown with."""
    return re.findall(r'<a href="[^"]*">([^<]*)</a>', html_of_markdown(text, {}))


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("See https://example.com/a. Then go on.", ["https://example.com/a"]),
        ("It ends here: https://example.com/b.", ["https://example.com/b"]),
        ("See https://en.wikipedia.org/wiki/L_(novel) for it", ["https://en.wikipedia.org/wiki/L_(novel)"]),
        ("(https://example.com/a_(b)), ok?", ["https://example.com/a_(b)"]),
        ("http://localhost:8080/ui, http://127.0.0.1:3000 now", ["http://localhost:8080/ui", "http://127.0.0.1:3000"]),
        ("at http://[::1]:8080/x!", ["http://[::1]:8080/x"]),
        ("见 https://example.com/c。然后继续", ["https://example.com/c"]),
        ("见https://example.com/d，然后（https://example.com/e）", ["https://example.com/d", "https://example.com/e"]),
        ("https://zh.wikipedia.org/wiki/灯塔", ["https://zh.wikipedia.org/wiki/灯塔"]),
        ("https://example.com然后", ["https://example.com"]),
        ("https://example.com/a에서 https://example.com/bを参照", ["https://example.com/a", "https://example.com/b"]),
        ("https://ja.wikipedia.org/wiki/C言語。", ["https://ja.wikipedia.org/wiki/C言語"]),
        ("https://ko.wikipedia.org/wiki/등대, 끝", ["https://ko.wikipedia.org/wiki/등대"]),
        ("https://example.com:8443/a?b=[1]&c={2}.", ["https://example.com:8443/a?b=[1]&amp;c={2}"]),
        ("https://example.com/a;b, [1](https://example.com/c_(d)).", ["https://example.com/a;b", "1"]),
        ('"https://example.com/e" and **https://example.com/f**', ["https://example.com/e", "https://example.com/f"]),
        ("*https://example.com/a_b_c*", ["https://example.com/a_b_c"]),
        ("www.example.com. me@example.com;", ["www.example.com", "me@example.com"]),
        ("[https://a.example](https://b.example/c)", ["https://a.example"]),
        ("[see https://a.example/c]", ["https://a.example/c"]),
        ("https://a.example/?b=1&amp;c=2", ["https://a.example/?b=1&amp;c=2"]),
        ("`https://a.example` and <https://b.example/a>", ["https://b.example/a"]),
        ("[ref]: https://a.example/a.\n\n[ref]", ["ref"]),
        ("    https://a.example", []),
        ("~~~\nhttps://a.example\n~~~", []),
        ("a@b, https://, http://.", []),
    ],
)
def test_an_address_is_a_link_without_the_sentence_around_it(text: str, links: list[str]) -> None:
    assert links_in(text) == links


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("含**「重点」**内容", "含<strong>「重点」</strong>内容"),
        ("**注意：**正文", "<strong>注意：</strong>正文"),
        ("**历经10年发展，**年", "<strong>历经10年发展，</strong>年"),
        ("他说**“你好”**吗", "他说<strong>“你好”</strong>吗"),
        ("**地点（暂定）**不来梅", "<strong>地点（暂定）</strong>不来梅"),
        ("これは*「斜体」*です", "これは<em>「斜体」</em>です"),
        ("이것은 **(중요)**입니다", "이것은 <strong>(중요)</strong>입니다"),
        ("**「a」**と**b**を。**c**（d）", "<strong>「a」</strong>と<strong>b</strong>を。<strong>c</strong>（d）"),
        ("**Note:** text", "<strong>Note:</strong> text"),
        ('**"Quoted"**text', "**&quot;Quoted&quot;**text"),
        ("_italic_ and __bold__, snake_case_name", "<em>italic</em> and <strong>bold</strong>, snake_case_name"),
        ("~one~ ~~two~~ ~5 to ~10", "~one~ <s>two</s> ~5 to ~10"),
        ("**a &amp; b** &lt;c&gt; &copy; &#42;x&#42;", "<strong>a &amp; b</strong> &lt;c&gt; © *x*"),
        ("`&amp; ~x~ **「a」**b`", '<code dir="ltr">&amp;amp; ~x~ **「a」**b</code>'),
        ("a&nbsp;b", "a\xa0b"),
        ("text <br> here", "text &lt;br&gt; here"),
    ],
)
def test_signs_are_shown_as_meant(text: str, html: str) -> None:
    assert html_of_markdown(text, {}) == f"<p>{html}</p>\n"


def test_a_break_in_a_cell_is_a_break() -> None:
    assert "<td>x<br>y &lt;b&gt;</td>" in html_of_markdown("| a |\n|-|\n| x<br/>y <b> |", {})


def test_footnotes_are_raised_and_their_texts_stay() -> None:
    text = "One[^1], two[^note], [^a-z] is no note.\n\n[^1]: word\n[^note]: Two *words*[^1]."
    assert html_of_markdown(text, {}) == (
        "<p>One<sup>1</sup>, two<sup>note</sup>, [^a-z] is no note.</p>\n"
        "<p><sup>1</sup> word</p>\n<p><sup>note</sup> Two <em>words</em><sup>1</sup>.</p>\n"
    )


SIGNS = ("**", "*", "_", "~", "`", "``", "[", "](", ")", "]", "\\", "<", ">", "@", "$", "|", "<br>", "[^1]", "\n[^1]: ")
WORDS = (
    "https://a.example/b",
    "www.a.de",
    "x.de",
    "「",
    "」",
    "字",
    "，",
    "a",
    " ",
    "    ",
    "&amp;",
    "&#42;",
    "\n",
    "\n\n",
)
PIECES = st.sampled_from((*SIGNS, *WORDS, "```\n"))


@given(st.lists(PIECES, max_size=25).map("".join))
@example("`" * 3 + "\nhttps://a.example\n")
def test_only_markup_is_added(text: str) -> None:
    marks = free_marks(text)
    assert marks is not None
    written = readable_markdown(text, marks)
    added = re.sub(rf"[{marks.joint}{marks.line_break}\\<>\[\]()*&#;\n]|http://|:|amp|42|<br>", "", written)
    letters = re.sub(r"[\\<>\[\]()*&#;\n]|http://|:|amp|42|<br>", "", text)
    assert sorted(set(added)) == sorted(set(letters)), "no word is lost, and none is added"
    assert marks.joint not in html_of_markdown(text, {})


@given(st.text(st.sampled_from("ab \n"), max_size=60))
def test_plain_words_are_left_alone(text: str) -> None:
    assert readable_markdown(text, free_marks(text)) == text


# What differs from the extensions of cmark-gfm's spec.txt: all 8 of tables and 2 of strikethrough are the same; task
# boxes are signs; of the addresses, those of ftp, and mail whose domain has one letter, are text; HTML is never run.
GFM_ADDRESSES = {
    "www.commonmark.org": [("http://www.commonmark.org", "www.commonmark.org")],
    "Visit www.commonmark.org/help for more.": [("http://www.commonmark.org/help", "www.commonmark.org/help")],
    "www.example.com/s?q=Markup+(a))": [("http://www.example.com/s?q=Markup+(a)", "www.example.com/s?q=Markup+(a)")],
    "www.example.com/s?q=(a))+ok": [("http://www.example.com/s?q=(a))+ok", "www.example.com/s?q=(a))+ok")],
    "www.example.com/s?q=a&hl=en": [("http://www.example.com/s?q=a&amp;hl=en", "www.example.com/s?q=a&amp;hl=en")],
    "www.example.com/s?q=a&hl;": [("http://www.example.com/s?q=a", "www.example.com/s?q=a")],
    "www.commonmark.org/he<lp": [("http://www.commonmark.org/he", "www.commonmark.org/he")],
}


@pytest.mark.parametrize("text", GFM_ADDRESSES)
def test_addresses_are_those_of_github(text: str) -> None:
    shown = html_of_markdown(text, {})
    assert re.findall(r'<a href="([^"]*)">([^<]*)</a>', shown) == GFM_ADDRESSES[text]


@given(st.text("ab().,", min_size=1, max_size=12))
def test_an_address_with_any_brackets_is_shown_once(path: str) -> None:
    text = f"www.example.com/{path}"
    assert re.sub("<[^>]*>", "", html_of_markdown(text, {})).strip() == text
