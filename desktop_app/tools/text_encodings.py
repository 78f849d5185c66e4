"""Recognizes the encoding of a text that is not UTF-8, and decodes texts so that each byte can be written back.

Lines are decoded one by one, because files that several programs have written can be in two encodings.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Ordered so that a mark comes before its prefixes."""
SAMPLE = 6_000
"""Bytes of lines that are not UTF-8 from which their encoding is recognized."""
RARELY_UTF8 = 0.1
"""Share of lines that may be valid UTF-8 by chance in a file of two-byte characters."""
ASIAN = frozenset({"gb18030", "cp932", "euc_jp", "cp949", "big5hkscs"})
NAMES = {
    "gb18030": "GBK (gb18030)",
    "cp932": "Shift JIS (cp932)",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR (cp949)",
    "big5hkscs": "Big5",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "cp1252": "Windows-1252",
    "cp1253": "Windows-1253",
    "cp1254": "Windows-1254",
    "cp1255": "Windows-1255",
    "cp1256": "Windows-1256",
    "cp874": "Windows-874",
    "koi8-r": "KOI8-R",
    "cp866": "code page 866",
    "latin-1": "Latin-1",
    "utf-8": "UTF-8",
}
"""The usual names of encodings, by the names of Python's codecs."""
_OTHER_ALPHABETS = frozenset({"cp1251", "cp1253", "cp1255", "cp1256", "koi8-r", "cp866"})
_LATIN = frozenset({"cp1250", "cp1254"})
_CLEARLY = 0.01
"""By how much an encoding that is less usual than Windows-1252 has to be ahead of it."""
_CANDIDATES = tuple(name.replace("_", "-") for name in NAMES if name not in ("latin-1", "utf-8"))

_FOREIGN_WORD = re.compile(r"[^\W\d_A-Za-z]{2}")
_MIXED_WORD = re.compile(r"[A-Za-z][^\W\d_A-Za-z]|[^\W\d_A-Za-z][A-Za-z]")


def bom_of(start: bytes) -> tuple[bytes, str]:
    """Return the byte order mark and its encoding; (b"", "") without one."""
    return next(((bom, encoding) for bom, encoding in BOMS if start.startswith(bom)), (b"", ""))


def recognized_encoding(content: bytes) -> tuple[str, float]:
    """Return the encoding of a text that is not UTF-8, and chardet's confidence in it, at most 1.

    It is Windows-1252 with a confidence of 0 if the content is not text.
    """
    import chardet  # only here: most texts are UTF-8

    found = chardet.detect_all(content, ignore_threshold=True, include_encodings=_CANDIDATES, prefer_superset=True)
    scores = {_codec(each["encoding"]): each["confidence"] for each in found if each["encoding"]}
    fitting = {name: score for name, score in scores.items() if _may_be_words(content, name)}
    best = max(fitting, key=lambda name: fitting[name], default="cp1252")
    if best in _LATIN and fitting[best] - fitting.get("cp1252", 0) < _CLEARLY:
        best = "cp1252"
    return best, fitting.get(best, 0)


def _codec(name: str) -> str:
    """Return the name of the Python codec for an encoding named by chardet."""
    codec = codecs.lookup(name).name
    return "big5hkscs" if codec == "big5" else codec


def _may_be_words(content: bytes, name: str) -> bool:
    """Return whether a text has words in the encoding's alphabet, and none that mix it with Latin letters."""
    if name not in _OTHER_ALPHABETS:
        return True
    text = content.decode(name, "replace")
    return bool(_FOREIGN_WORD.search(text)) and not _MIXED_WORD.search(text)


class TextRun(NamedTuple):
    """The end of a part of a decoded text, and the encoding of that part."""

    end: int
    encoding: str


class OtherEncoding(NamedTuple):
    """The encoding of what is not UTF-8 in a text.

    is_mixed: whether what is added is UTF-8, since other lines are, or since the encoding is a guess. is_believed:
    whether it looks like text in that encoding.
    """

    name: str
    is_mixed: bool
    is_believed: bool


def other_encoding(content: bytes) -> OtherEncoding | None:
    """Return the encoding of what is not UTF-8; None if all is."""
    with suppress(UnicodeDecodeError):
        content.decode()
        return None
    odd, count, valid = bytearray(), 0, 0
    for found in _NOT_ASCII.finditer(content):
        try:
            found[0].decode()
            valid += 1
        except UnicodeDecodeError:
            count += 1
            if len(odd) < SAMPLE:
                odd += found[0][: 2 * SAMPLE] + b"\n"
    name, score = recognized_encoding(bytes(odd))
    is_by_chance = name in ASIAN and valid <= RARELY_UTF8 * count
    is_believed = score > 0 and b"\0" not in content
    return OtherEncoding(name, (bool(valid) and not is_by_chance) or not is_believed, is_believed)


def decode_lines(content: bytes, other: OtherEncoding) -> tuple[str, tuple[TextRun, ...]]:
    """Return a text of which a part is not UTF-8, and its parts by encoding."""
    pieces: list[str] = []
    runs: list[TextRun] = []
    end = 0
    decoded = (part for line in _LINE.findall(content) for part in decode_line(line, other))
    for name, group in groupby(decoded, key=itemgetter(1)):
        part = "".join(text for text, _ in group)
        end += len(part)
        pieces.append(part)
        runs.append(TextRun(end, name))
    return "".join(pieces), tuple(runs)


def decode_line(line: bytes, other: OtherEncoding | None) -> Iterator[tuple[str, str]]:
    """Yield the parts of a line, each with its encoding. They become the same bytes again."""
    is_in_parts = other is not None and other.is_mixed and other.name not in ASIAN
    for name in ("utf-8",) if other is None or is_in_parts else ("utf-8", other.name):
        with suppress(UnicodeError):
            text = line.decode(name)
            if name == "utf-8" or text.encode(name) == line:
                yield text, name
                return
    at = 0
    for found in _UTF8.finditer(line) if is_in_parts else ():
        yield from _decoded_part(line[at : found.start()], other)
        yield found[0].decode(), "utf-8"
        at = found.end()
    yield from _decoded_part(line[at:], other)


def _decoded_part(part: bytes, other: OtherEncoding | None) -> Iterator[tuple[str, str]]:
    """Yield a part with one byte per character."""
    for name in (other.name if other is not None and other.name not in ASIAN else "cp1252", "cp1252"):
        with suppress(UnicodeError):
            text = part.decode(name)
            if part and text.encode(name) == part:
                yield text, name
                return
    if part:
        yield part.decode("latin-1"), "latin-1"


def encode_part(text: str, runs: Sequence[TextRun], start: int, end: int) -> bytes:
    """Return the bytes that a part of a decoded text had."""
    pieces: list[bytes] = []
    for run in runs:
        if start >= end:
            break
        if run.end > start:
            pieces.append(text[start : min(run.end, end)].encode(run.encoding))
            start = run.end
    return b"".join(pieces)


_NOT_ASCII = re.compile(rb"[^\n]*[\x80-\xff][^\n]*")
_UTF8 = re.compile(
    rb"(?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})+"
)
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
