"""Checks the web addresses in an answer: which were read, which were only found, and which nobody has seen."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

MAX_SOURCES = 20
"""Addresses that are listed; who cites more has not chosen."""
NOT_CHECKED = " (not checked: this address was in no result)"
_URL = re.compile(r"https?://\w[^\s<>\"'`|\\^{}\[\]“”„«»‘’。，、）]*", re.IGNORECASE)
_PARTS = re.compile(r"https?://([^/?#]+)([^?#]*)(\?[^#]*)?", re.IGNORECASE)
_CLOSERS = {"(": ")", "<": ">"}


class SeenUrls(msgspec.Struct, frozen=True):
    """Addresses that came up in results."""

    read: tuple[str, ...] = ()
    """Of pages that were fetched."""
    found: tuple[str, ...] = ()
    """All that stood in any result."""


class CitedSource(msgspec.Struct, frozen=True):
    """An address that an answer rests on."""

    url: str
    is_read: bool
    """Whether the page was fetched, and not only found."""


class CheckedAnswer(msgspec.Struct, frozen=True):
    """An answer whose addresses were checked."""

    text: str
    """With a word behind each address that was in no result."""
    sources: tuple[CitedSource, ...] = ()
    """What the answer names, in its order: read or found."""


def urls_in(text: str) -> tuple[str, ...]:
    """Return the web addresses of a text, each once, without the punctuation around them."""
    return tuple(dict.fromkeys(_bare(match.group()) for match in _URL.finditer(text)))


def check_citations(answer: str, seen: SeenUrls) -> CheckedAnswer:
    """Return the answer with each address checked. One that names none rests on all that was read."""
    read, found = set(map(_key, seen.read)), set(map(_key, (*seen.read, *seen.found)))
    known: dict[str, CitedSource] = {}
    pieces, end = list[str](), 0
    for match in _URL.finditer(answer):
        url = _bare(match.group())
        if _key(url) in found:
            known.setdefault(_key(url), CitedSource(url, _key(url) in read))
            continue
        behind = _behind(answer, match.start(), match.start() + len(url))
        pieces += [answer[end:behind], NOT_CHECKED]
        end = behind
    text = "".join((*pieces, answer[end:]))
    sources = known.values() or (CitedSource(url, True) for url in _once(seen.read))
    return CheckedAnswer(text, tuple(sources)[:MAX_SOURCES])


def _once(urls: Iterable[str]) -> list[str]:
    return list({_key(url): url for url in reversed(tuple(urls))}.values())[::-1]


def _key(url: str) -> str:
    """Return a key that ways to write one address share: its fragment, case and final slash do not count."""
    parts = _PARTS.match(url)
    if parts is None:
        return url
    host, path, query = parts.groups("")
    return f"{host.lower().removeprefix('www.')}{path.rstrip('/')}{query}"


def _bare(url: str) -> str:
    """Return the address without what belongs to the sentence: full stops, and brackets that were opened before it."""
    unopened = url.count(")") - url.count("(")
    end = len(url)
    while end:
        last = url[end - 1]
        if last not in ".,;:!?*_" and not (last == ")" and unopened > 0):
            break
        unopened -= last == ")"
        end -= 1
    return url[:end]


def _behind(answer: str, start: int, end: int) -> int:
    """Return where a word behind that address can stand: behind the bracket that closes a link around it."""
    before = answer[start - 1] if start else ""
    return end + 1 if before in _CLOSERS and answer[end : end + 1] == _CLOSERS[before] else end
