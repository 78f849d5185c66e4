"""Turns a web page into text in a process of its own, run as a script: a page can be made to take for ever.

It reads HTML from a file named by its second argument and prints Markdown; the first argument says how: "main" for
what the page is about, by trafilatura, or "all" for all of its text, by nothing but Python. The third is its address,
the fourth the seconds that it may take.
"""

from __future__ import annotations

import re
import signal
import sys
from html import unescape
from html.parser import HTMLParser

SHORT = 300
"""Characters below which what a page is about was probably not found, and all of its text is taken."""
SMALL = 20_000
"""Characters of HTML that are looked through at once, to see whether there is more than that."""
_NOT_SHOWN = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe", "object", "select"})
_BLOCKS = frozenset({
    *("p", "div", "section", "article", "header", "footer", "nav", "aside", "main", "form", "figure", "blockquote"),
    *("ul", "ol", "dl", "dt", "dd", "li", "table", "tr", "pre", "hr", "br", "h1", "h2", "h3", "h4", "h5", "h6"),
})  # fmt: skip
_LINES = frozenset({"li", "tr", "br", "dt", "dd"})
_VOID = frozenset({"br", "hr"})


class PageText(HTMLParser):
    """All text that a page shows, as plain Markdown: headings, lists, code, links."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._hidden: list[str] = []
        self._preformatted = 0
        self._links: list[tuple[str, int]] = []
        self.title = ""
        self._is_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        if tag == "title":
            self._is_title = True
        if tag in _NOT_SHOWN:
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
        """An element ends."""
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

    def _end_link(self, target: str, begin: int) -> None:
        said = "".join(self._parts[begin:]).strip()
        if said and target.startswith(("http://", "https://", "/")) and "\n" not in said:
            self._parts[begin:] = [f"[{said}]({target})"]

    def handle_data(self, data: str) -> None:
        """Text between elements."""
        if self._is_title:
            self.title += data
        elif not self._hidden:
            self._parts.append(data if self._preformatted else re.sub(r"\s+", " ", data))

    @property
    def text(self) -> str:
        """All of it."""
        text = re.sub(r"[ \t]+\n", "\n", "".join(self._parts))
        text = re.sub(r"\n{3,}", "\n\n", re.sub(r"\n (?=\S)", "\n", text)).strip()
        title = " ".join(self.title.split())
        return f"# {title}\n\n{text}" if title and not text.startswith("# ") else text


def all_text(html: str) -> str:
    """All that the page shows."""
    page = PageText()
    page.feed(html)
    page.close()
    return page.text


def main_text(html: str, url: str) -> str:
    """What the page is about, without menus and adverts; "" where that is not found, or all of it is short."""
    if len(html) <= SMALL and len(all_text(html)) < SHORT:
        return ""
    import trafilatura  # takes a second

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
    title = re.search(r"<title[^>]{0,200}>([^<]{1,300})</title", html[:200_000], re.IGNORECASE)
    told = " ".join(unescape(title[1]).split()) if title else ""
    return f"# {told}\n\n{found}" if found and told and told not in found[:300] else found or ""


def main() -> None:
    """Does what the arguments say."""
    how, file, url, seconds = sys.argv[1:]
    if hasattr(signal, "alarm"):
        signal.alarm(int(seconds))  # ends the process, whatever it is busy with
    with open(file, encoding="utf-8", errors="replace") as opened:
        html = opened.read()
    text = main_text(html, url) if how == "main" else all_text(html)
    sys.stdout.buffer.write(text.encode(errors="replace"))


if __name__ == "__main__":
    main()
