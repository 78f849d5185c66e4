"""The citation marks in ChatGPT's replies, as links.

Newer replies mark a citation by characters for private use, which `metadata.content_references` explain: their sources
are `items`. Until 2024 a mark was a text such as 【3†source】, and its place and page stand in `metadata.citations`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from .fields import Fields

MARK = re.compile("\ue200([^\ue200\ue201]*)\ue201")
MARKS = re.compile("[\ue200-\ue206]")
SEPARATOR = "\ue202"


def with_links(text: str, references: Sequence[Fields]) -> tuple[str, bool]:
    """Return a text with links in the place of its marks, and whether each of them had one: the others are left out."""
    known = {
        mark: said for each in references if MARK.match(mark := each.text("matched_text")) and (said := _link(each))
    }
    is_whole = True

    def replaced(found: re.Match[str]) -> str:
        nonlocal is_whole
        said = known.get(found[0]) or _entity(found[1])
        is_whole = is_whole and bool(said)
        return said

    return MARKS.sub("", MARK.sub(replaced, text)), is_whole


def _link(reference: Fields) -> str:
    """Return the pages that a reference names as links, else its name."""
    pages = [page for page in reference.objects("items") if page.text("url")]
    links = [_markdown(page.text("attribution", "title"), page.text("url")) for page in pages]
    if links:
        return f"({', '.join(links)})"
    url = reference.text("url") or next(iter(reference.strings("safe_urls")), "")
    said = reference.text("alt", "title", "name")
    return said if "](" in said or not url else _markdown(said, url)


def _markdown(title: str, url: str) -> str:
    name = " ".join((title or url.partition("://")[2].partition("/")[0]).split())
    return f"[{name.replace('[', '(').replace(']', ')')}]({url.replace(' ', '%20').replace(')', '%29')})"


def _entity(mark: str) -> str:
    """Return the name of what a mark is about: `entity`, then its kind and its name as a list."""
    kind, _, payload = mark.partition(SEPARATOR)
    if kind != "entity":
        return ""
    try:
        names = json.loads(payload)
    except (ValueError, RecursionError):
        return ""
    return names[1] if isinstance(names, list) and len(names) > 1 and isinstance(names[1], str) else ""


def with_older_links(text: str, citations: Sequence[Fields]) -> str:
    """Return a text with links in the places of its older marks, where they are what the citations say."""
    for each in sorted(citations, key=lambda citation: citation.number("start_ix"), reverse=True):
        start, end = int(each.number("start_ix")), int(each.number("end_ix"))
        page = each.object("metadata")
        url = page.text("url")
        if url and 0 <= start < end <= len(text) and "†" in text[start:end]:
            text = f"{text[:start]} ({_markdown(page.text('title'), url)}){text[end:]}"
    return text
