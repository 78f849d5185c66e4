"""Check the web addresses in an answer: which were read, which only found, and which are in no result."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

MAX_SOURCES = 20
"""Addresses that are listed; an answer with more has not selected them."""
NOT_CHECKED = " (not checked: this address was in no result)"
_URL = re.compile(r"https?://\w[^\s<>\"'`|\\^{}\[\]“”„«»‘’。，、）]*", re.IGNORECASE)
_PARTS = re.compile(r"https?://([^/?#]+)([^?#]*)(\?[^#]*)?", re.IGNORECASE)
_CLOSERS = {"(": ")", "<": ">"}


class SeenUrls(msgspec.Struct, frozen=True):
    """Addresses that occurred in results."""

    read: tuple[str, ...] = ()
    """Addresses of pages that were fetched."""
    found: tuple[str, ...] = ()
    """Addresses in any result."""


class CitedSource(msgspec.Struct, frozen=True):
    """An address on which an answer is based."""

    url: str
    is_read: bool
    """Whether the page was fetched, not only found."""


class CheckedAnswer(msgspec.Struct, frozen=True):
    """An answer whose addresses were checked."""

    text: str
    """The answer with `NOT_CHECKED` after each address that was in no result."""
    sources: tuple[CitedSource, ...] = ()
    """The read or found addresses in the answer, in its order."""


def urls_in(text: str) -> tuple[str, ...]:
    """Return the web addresses of a text, each once, without the punctuation around them."""
    return tuple(dict.fromkeys(_bare(match.group()) for match in _URL.finditer(text)))


def check_citations(answer: str, seen: SeenUrls) -> CheckedAnswer:
    """Return the answer with each address checked. Without any, all read addresses are its sources."""
    read, found = set(map(_key, seen.read)), set(map(_key, (*seen.read, *seen.found)))
    known: dict[str, CitedSource] = {}
    pieces, end = list[str](), 0
    for match in _URL.finditer(answer):
        url = _bare(match.group())
        if _key(url) in found:
            known.setdefault(_key(url), CitedSource(url, _key(url) in read))
            continue
        after = _note_index(answer, match.start(), match.start() + len(url))
        pieces += [answer[end:after], NOT_CHECKED]
        end = after
    text = "".join((*pieces, answer[end:]))
    sources = known.values() or (CitedSource(url, True) for url in _once(seen.read))
    return CheckedAnswer(text, tuple(sources)[:MAX_SOURCES])


def _once(urls: Iterable[str]) -> list[str]:
    return list({_key(url): url for url in reversed(tuple(urls))}.values())[::-1]


def _key(url: str) -> str:
    """Return a key that is common to all spellings of an address: without fragment, final slash and upper case."""
    parts = _PARTS.match(url)
    if parts is None:
        return url
    host, path, query = parts.groups("")
    return f"{host.lower().removeprefix('www.')}{path.rstrip('/')}{query}"


def _bare(url: str) -> str:
    """Return the address without the sentence's punctuation: full stops, and brackets that were opened before it."""
    unopened = url.count(")") - url.count("(")
    end = len(url)
    while end:
        last = url[end - 1]
        if last not in ".,;:!?*_" and not (last == ")" and unopened > 0):
            break
        unopened -= last == ")"
        end -= 1
    return url[:end]


def _note_index(answer: str, start: int, end: int) -> int:
    """Return the index for a note after the address, or after the bracket that closes a link around it."""
    before = answer[start - 1] if start else ""
    return end + 1 if before in _CLOSERS and answer[end : end + 1] == _CLOSERS[before] else end
