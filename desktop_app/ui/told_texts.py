"""Texts of the engine's in the window's language.

The engine writes English: its texts are in the record, and commands print them. Those that the window shows are
`translatable("{file} could not be read")` where they are written; once their values stand in them, the window finds the
text that they were made from by its words.
"""

from __future__ import annotations

import re
from functools import cache
from xml.etree import ElementTree

from .translation import FOLDER, chosen_language, tr

MIN_WORDS = 8
"""Letters that a text has beside its values, so that others are not taken for it."""
_VALUE = re.compile(r"\{(\w+)\}")


def tr_told(text: str) -> str:
    """Return a text of the engine's in the window's language; as it is where it has no translation."""
    translated = tr(text)
    if not text or translated != text or chosen_language() == "en":
        return translated
    for words, pattern, source in _templates(chosen_language()):
        end = "." if text.endswith(".") and not source.endswith(".") else ""  # it may stand in a sentence
        if all(word in text for word in words) and (found := pattern.fullmatch(text.removesuffix(end))) is not None:
            return tr(source).format(**{name: tr_told(value) for name, value in found.groupdict().items()}) + end
    return f"{tr_told(text[:-1])}." if text.endswith(".") else text


@cache
def _templates(language: str) -> list[tuple[list[str], re.Pattern[str], str]]:
    """Return the texts with values, those with the most words first: what stands between the values, a pattern, and
    the text."""
    sources = (node.text or "" for node in ElementTree.parse(FOLDER / f"palimpsest_{language}.ts").iter("source"))
    split = (
        (_VALUE.sub("\0", source).split("\0"), source) for source in sources if "{" in source and "%n" not in source
    )
    found = [(words, source) for words, source in split if sum(map(len, words)) >= MIN_WORDS]
    found.sort(key=lambda one: -sum(map(len, one[0])))
    return [(words, _pattern(words, _VALUE.findall(source)), source) for words, source in found]


def _pattern(words: list[str], names: list[str]) -> re.Pattern[str]:
    parts, seen = [re.escape(words[0])], set[str]()
    for name, word in zip(names, words[1:], strict=True):
        parts += [f"(?P={name})" if name in seen else f"(?P<{name}>.+?)", re.escape(word)]
        seen.add(name)
    return re.compile("".join(parts), re.DOTALL)
