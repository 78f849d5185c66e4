"""Converts a web page to Markdown in a child process, run as a script, because a malicious page may take for ever.

Its arguments are "main" for the main text, found by trafilatura, or "all" for the entire text; a file with the HTML;
and the page's URL. The entire text is converted here, because trafilatura's text of a short page has no links, headings
or lists (docs/decisions/0018).
"""

from __future__ import annotations

import re
import sys
from html import unescape
from html.parser import HTMLParser

from desktop_app.own_processes import given_arguments

MIN_MAIN_TEXT = 300
"""Characters. If there are fewer, the main text was probably not found, and the text of the entire page is used."""
SMALL_PAGE = 20_000
"""Characters of HTML up to which a page is first checked for having that much text at all."""
_HIDDEN = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe", "object", "select"})
_BLOCKS = frozenset({
    *("p", "div", "section", "article", "header", "footer", "nav", "aside", "main", "form", "figure", "blockquote"),
    *("ul", "ol", "dl", "dt", "dd", "li", "table", "tr", "pre", "hr", "br", "h1", "h2", "h3", "h4", "h5", "h6"),
})  # fmt: skip
_LINES = frozenset({"li", "tr", "br", "dt", "dd"})
_VOID = frozenset({"br", "hr"})


class PageText(HTMLParser):
    """Collects the visible text of a page as plain Markdown: headings, lists, code, links."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._hidden: list[str] = []
        self._preformatted = 0
        self._links: list[tuple[str, int]] = []
        self.title = ""
        self._is_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title":
            self._is_title = True
        if tag in _HIDDEN:
            self._hidden.append(tag)
        if self._hidden or tag not in _BLOCKS | {"a", "code", "td", "th"}:
            return
        if tag in _BLOCKS:
            self._parts.append("\n" if tag in _LINES else "\n\n")
        if tag == "pre":
            self._preformatted += 1
            self._parts.append("```\n")
        elif tag[0] == "h" and tag[1:].isdigit():
            self._parts.append("#" * int(tag[1:]) + " ")
        elif tag == "li":
            self._parts.append("- ")
        elif tag in ("td", "th"):
            self._parts.append(" | ")
        elif tag == "code" and not self._preformatted:
            self._parts.append("`")
        elif tag == "a":
            self._links.append((dict(attrs).get("href") or "", len(self._parts)))

    def handle_endtag(self, tag: str) -> None:
        self._is_title = self._is_title and tag != "title"
        if self._hidden:
            if tag in self._hidden:
                del self._hidden[self._hidden.index(tag) :]
            return
        if tag == "pre" and self._preformatted:
            self._preformatted -= 1
            self._parts.append("\n```")
        elif tag == "code" and not self._preformatted:
            self._parts.append("`")
        elif tag == "a" and self._links:
            self._end_link(*self._links.pop())
        if tag in _BLOCKS - _VOID - _LINES:
            self._parts.append("\n\n")

    def _end_link(self, target: str, start: int) -> None:
        text = "".join(self._parts[start:]).strip()
        if text and target.startswith(("http://", "https://", "/")) and "\n" not in text:
            self._parts[start:] = [f"[{text}]({target})"]

    def handle_data(self, data: str) -> None:
        if self._is_title:
            self.title += data
        elif not self._hidden:
            self._parts.append(data if self._preformatted else re.sub(r"\s+", " ", data))

    @property
    def text(self) -> str:
        text = re.sub(r"[ \t]+\n", "\n", "".join(self._parts))
        text = re.sub(r"\n{3,}", "\n\n", re.sub(r"\n (?=\S)", "\n", text)).strip()
        title = " ".join(self.title.split())
        return f"# {title}\n\n{text}" if title and not text.startswith("# ") else text


def all_text(html: str) -> str:
    """Return the entire text of a page."""
    page = PageText()
    page.feed(html)
    page.close()
    return page.text


def main_text(html: str, url: str) -> str:
    """Return the text without menus and advertisements; "" if it is not found, or if the page is short."""
    if len(html) <= SMALL_PAGE and len(all_text(html)) < MIN_MAIN_TEXT:
        return ""
    import trafilatura  # takes a second to import

    found = trafilatura.extract(
        html,
        url=url,
        output_format="markdown",
        include_links=True,
        include_formatting=True,
        include_tables=True,
        include_comments=False,
        favor_recall=True,
    )
    match = re.search(r"<title[^>]{0,200}>([^<]{1,300})</title", html[:200_000], re.IGNORECASE)
    title = " ".join(unescape(match[1]).split()) if match else ""
    return f"# {title}\n\n{found}" if found and title and title not in found[:300] else found or ""


def main() -> None:
    """Convert the page and print the text."""
    kind, file, url = given_arguments()
    with open(file, encoding="utf-8", errors="replace") as opened:
        html = opened.read()
    text = main_text(html, url) if kind == "main" else all_text(html)
    sys.stdout.buffer.write(text.encode(errors="replace"))


if __name__ == "__main__":
    main()
