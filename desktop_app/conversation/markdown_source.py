"""Rewrites Markdown so that each parser shows it as people mean it: addresses, bold text in Chinese, tildes, entities.

Qt's parser takes a full stop into an address and loses the format after an entity; no parser ends bold text between
Chinese punctuation and a letter, since CommonMark thinks of words with spaces. Code, formulas and the targets of links
are left as they are. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from html.entities import html5
from itertools import islice
from unicodedata import category

import msgspec

_CJK = "\u2e80-\u30ff\u3100-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
_CJK_SIGNS = "\u3000-\u303f\u2018-\u201f\u2026\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u30fb"
_IS_CJK = re.compile(rf"[{_CJK}{_CJK_SIGNS}\U00020000-\U0003134f]")
_REWRITTEN = re.compile(
    rf"https?://|www\.|@\w|&[#a-z0-9]+;|~|<br|\[\^|[{_CJK}{_CJK_SIGNS}]\*|\*[{_CJK}{_CJK_SIGNS}]", re.IGNORECASE
)
_LAST_ENTITY = re.compile(r"&[a-z0-9]+;$", re.IGNORECASE)
_QUOTES = "\u2018\u2019\u201c\u201d\u2026\u2014"
_ADDRESS = re.compile(
    r"(?<![a-z0-9_@/.-])(?:(?:https?://)(?P<host>\[[0-9a-f:.%]+\](?::\d+)?|[^\s<>\"`|\\/?#" + _CJK_SIGNS + r"]+)"
    r"|(?P<www>www\.[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?))(?P<path>[/?#][^\s<>\"`|\\" + _CJK_SIGNS + r"]*)?",
    re.IGNORECASE,
)
_PARTICLE = re.compile("(?<=[A-Za-z0-9])[\u3041-\u309f\uac00-\ud7a3]")
"""A Korean or Japanese particle right after an address, as in "https://example.com/a에서"."""
_MAIL = re.compile(r"(?<![\w.+/-])[a-z0-9][\w.+-]{0,63}@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,}(?![\w@-])", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.IGNORECASE)
_TARGET = r"\]\((?:<[^<>\n]*>|(?:[^\s()<>\\]|\\.|\((?:[^\s()\\]|\\.)*\))*)(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*\)"
_CODE = (
    r"(?P<code>(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n)[\s\S])+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<ticks_alone>`+)|(?P<escape>\\[\s\S])"
)
_LINKS = rf"(?P<target>{_TARGET})|(?P<reference>\]\[[^\[\]\n]*\])|(?P<note>\[\^[^\[\]\s]{{1,60}}\])|(?P<opening>\[)"
_OTHERS = (
    r"(?P<angle><[a-z][a-z0-9+.-]*:[^\s<>]*>|<[^\s<>@]+@[^\s<>]+>)|(?P<entity>&[#a-z0-9]{2,33};)"
    r"|(?P<break><br[ \t]*/?>)|(?P<tildes>~+)|(?P<stars>\*+|_+)|(?P<address>(?:https?://|www\.)\S)"
)
_BRACKETS = re.compile(rf"(?=[`\\\[\]])(?:{_CODE}|{_LINKS})")
_PIECES = re.compile(rf"(?=[`\\\[\]<&~*_hw])(?:{_CODE}|{_LINKS}|{_OTHERS})", re.IGNORECASE)
_PIECES_WITH_MAIL = re.compile(
    rf"{_CODE}|{_LINKS}|{_OTHERS}|(?P<mail>(?<![\w.+-])[\w.+-]{{1,64}}@[\w-])", re.IGNORECASE
)
DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\[\]\n]+\]:[^\n]*", re.MULTILINE)
"""The definition of a link's address."""
NOTE_DEFINITION = re.compile(r"^( {0,3})\[\^([^\[\]\s]{1,60})\]:(?=\s|$)", re.MULTILINE)
"""The beginning of a footnote's text."""
FOOTNOTE = "footnote:"
"""The scheme of the address that stands for a footnote."""
MAX_STARS = 3
"""Characters of a run that can be emphasis."""


class MarkdownMarks(msgspec.Struct, frozen=True):
    """Characters that the text does not contain. joint: put where a parser shall see no punctuation, and removed
    after that; line_break: a line break within a cell."""

    joint: str
    line_break: str


def free_marks(text: str) -> MarkdownMarks | None:
    """Return two characters for private use that are not in the text; None if it has nearly all of them."""
    found = [*islice((sign for sign in map(chr, range(0xE000, 0xE100)) if sign not in text), 2)]
    return MarkdownMarks(*found) if len(found) == 2 else None


def may_be_rewritten(text: str) -> bool:
    """Return whether anything in the text may have to be rewritten."""
    return _REWRITTEN.search(text) is not None


def rewrite(text: str, kept: Sequence[tuple[int, int]], tables: Sequence[tuple[int, int]], marks: MarkdownMarks) -> str:
    """Return the text as each parser shows it alike.

    kept: the spans that stay as they are, such as code and formulas; tables: the spans of tables. Both are in order.
    """
    return "".join(_Rewriter(text, tables, marks).pieces(kept))


class _Rewriter:
    """Rewrites the inline markup of a text."""

    def __init__(self, text: str, tables: Sequence[tuple[int, int]], marks: MarkdownMarks) -> None:
        self._text, self._tables, self._marks = text, tables, marks

    def pieces(self, kept: Sequence[tuple[int, int]]) -> Iterator[str]:
        at = 0
        for start, end in (*kept, (len(self._text), len(self._text))):
            if start > at:
                yield from self._rewritten(at, start)
            yield self._text[max(start, at) : end]
            at = max(at, end)

    def _rewritten(self, start: int, end: int) -> Iterator[str]:
        """Yield a part of the text, piece by piece."""
        text, at = self._text, start
        linked = _link_texts(text, start, end)
        pieces = _PIECES_WITH_MAIL if text.find("@", start, end) >= 0 else _PIECES
        while (found := pieces.search(text, at, end)) is not None:
            yield text[at : found.start()]
            kind = str(found.lastgroup)
            if kind == "ticks":
                kind = "code"
            at = found.end()
            if kind in ("address", "mail"):
                address, at = self._address(found.start(), end)
                is_linked = any(a < found.start() < b for a, b in linked)
                yield text[found.start() : at] if is_linked or not address else address
            else:
                yield self._piece(kind, found)
        yield text[at:end]

    def _piece(self, kind: str, found: re.Match[str]) -> str:
        words = found[0]
        if kind == "entity":
            character, joint = _literal(words), self._marks.joint
            return f"{joint}{character}{joint}" if character.isspace() else character
        if kind in ("target", "reference"):
            return _ENTITY.sub(lambda entity: _literal(entity[0]), words) if kind == "target" else words
        if kind == "break":
            is_cell = any(start <= found.start() < end for start, end in self._tables)
            return self._marks.line_break if is_cell else words
        if kind == "tildes" and len(words) == 1:
            return "\\~"
        if kind == "stars" and len(words) <= MAX_STARS:
            return self._stars(found)
        return words

    def _stars(self, found: re.Match[str]) -> str:
        """Return a run of stars so that it may open or close emphasis next to a Chinese, Japanese or Korean sign."""
        before, after = (
            self._text[found.start() - 1 : found.start()] or " ",
            self._text[found.end() : found.end() + 1] or " ",
        )
        if found[0][0] == "_" or before.isspace() or after.isspace():
            return found[0]
        is_near = is_cjk(before) or is_cjk(after)
        opens = is_near and _is_sign(after) and not _is_sign(before)
        closes = is_near and _is_sign(before) and not _is_sign(after)
        return self._marks.joint * closes + found[0] + self._marks.joint * opens

    def _address(self, start: int, end: int) -> tuple[str, int]:
        """Return an address as an explicit link, and its end; "" if there is none."""
        if (found := _ADDRESS.match(self._text, start, end)) is not None:
            words = _trimmed(found[0] if found["path"] else _ascii_host(found[0]))
            is_bare = words.lower() in ("http://", "https://") or words.endswith("//")
            if is_bare:
                return "", start + len(words)
            escaped, target = re.sub(r"([*_~\\`\[\]])", r"\\\1", words), words.replace("&amp;", "&")
            if not found["www"]:
                return f"<{target}>", start + len(words)
            has_brackets = "(" in target or ")" in target  # at which the link could end
            return f"[{escaped}]({f'<http://{target}>' if has_brackets else f'http://{target}'})", start + len(words)
        if (found := _MAIL.match(self._text, start, end)) is not None:
            return f"<{found[0]}>", found.end()
        return "", start + 1


def _link_texts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans of the texts of links, in which an address is no link of its own."""
    opened: list[int] = []
    spans: list[tuple[int, int]] = []
    if text.find("](", start, end) < 0 and text.find("][", start, end) < 0:
        return spans
    for found in _BRACKETS.finditer(text, start, end):
        if found.lastgroup == "opening":
            opened.append(found.start())
        elif found.lastgroup in ("target", "reference") and opened:
            spans.append((opened.pop(), found.start() + 1))
    return spans


def _trimmed(address: str) -> str:
    """Return an address without the words and the punctuation around it. Brackets within it are kept in pairs."""
    if (particle := _PARTICLE.search(address)) is not None:
        address = address[: particle.start()]
    while address:
        if (entity := _LAST_ENTITY.search(address)) is not None:
            address = address[: entity.start()]
            continue
        last = address[-1]
        is_lonely = any(last == closing and address.count(closing) > address.count(o) for o, closing in ("()", "[]"))
        if not (last in ".,;:!?'\"*_~({[" or is_lonely or _is_cjk_sign(last)):
            break
        address = address[:-1]
    return address


def _ascii_host(address: str) -> str:
    """Return an address without a path up to Chinese, Japanese or Korean letters that follow an ASCII host."""
    found = re.match(rf"(?:https?://)?[!-~]*?[a-z0-9](?=[{_CJK}])", address, re.IGNORECASE)
    return found[0] if (found and "." in found[0]) or (found and re.search(r":\d+$|localhost$", found[0])) else address


def _literal(entity: str) -> str:
    """Return the character of an entity, which has no meaning in Markdown; the entity if it is none."""
    if _ENTITY.fullmatch(entity) is None or (entity[1] != "#" and entity[1:] not in html5):
        return entity
    text = unescape(entity)
    if text in ("\n", "\t", "\r", "\0") or (len(text) == 1 and category(text) in ("Cc", "Cs")):
        return entity
    return f"\\{text}" if text.isascii() and not text.isalnum() and not text.isspace() else text


def _is_sign(character: str) -> bool:
    return category(character)[0] in "PS"


def _is_cjk_sign(character: str) -> bool:
    return character in _QUOTES or (_is_sign(character) and is_cjk(character))


def is_cjk(character: str) -> bool:
    """Return whether a character is a Chinese, Japanese or Korean letter or sign, which is a word of its own."""
    return _IS_CJK.match(character) is not None


def joins_emphasis(before: str, after: str) -> bool:
    """Return whether emphasis may begin and end between these characters although one is punctuation."""
    return not before.isspace() and not after.isspace() and (is_cjk(before) or is_cjk(after))


def footnote_labels(text: str) -> list[str]:
    """Return the labels of the footnotes that a text explains, in order."""
    return list(dict.fromkeys(found[2] for found in NOTE_DEFINITION.finditer(text)))


def replace_footnotes(text: str, mark: Callable[[str], str]) -> str:
    """Return the text with each beginning of a footnote's text replaced, as a paragraph of its own."""
    return NOTE_DEFINITION.sub(lambda found: f"{chr(10) * bool(found.start())}{found[1]}{mark(found[2])}", text)
