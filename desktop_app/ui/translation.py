"""The window's language: English in the code, others from Qt's translation files.

Each text that the window shows is `tr("…")` where it is shown. A constant is `translatable("…")` where it is written,
in any room, and `tr(constant)` where it is shown. Values come in by name, so that a translator can order them:
`tr("{freed} of {all} tokens").format(freed=…, all=…)`. A text with a count is `tr("%n messages", "", count)`, and has
its singular in palimpsest_en.ts. `packaging/translations` collects the texts, and compiles the files; it does not look
into f-strings.

The engine writes English, because its texts are in the record and commands print them. The window finds the
translatable text that one was made from by its words.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import NamedTuple
from xml.etree import ElementTree

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from desktop_app.paths import RESOURCES

FOLDER = RESOURCES / "translations"
LANGUAGES = {"en": "English", "de": "Deutsch"}


def _read(language: str) -> QTranslator:
    translator = QTranslator()
    if not translator.load(str(FOLDER / f"palimpsest_{language}.qm")):
        raise FileNotFoundError(f"{FOLDER} has no palimpsest_{language}.qm: run packaging/translations")
    return translator


_english = _read("en")
_chosen = _english  # one for the application, as Qt's own translators are: texts are made in hundreds of places


def tr(text: str, note: str = "", count: int = -1) -> str:
    """Return the text in the window's language, in English where it has no translation.

    note: tells two meanings of a text apart, and helps the translator. count: takes the place of "%n" and chooses the
    plural; below zero for a text without one.
    """
    found = _chosen.translate("", text, note, count) or _english.translate("", text, note, count) or text
    return found if count < 0 else found.replace("%n", locale().toString(count))


def chosen_language() -> str:
    """Return the window's language: "en" or "de"."""
    return _chosen.language() or "en"


def locale() -> QLocale:
    """Return how numbers and dates are written in the window's language."""
    return QLocale(chosen_language())


def chosen_translator() -> QTranslator:
    """Return where translations are taken from."""
    return _chosen


def use_translator(translator: QTranslator) -> None:
    """Take translations from there, and the language of numbers and dates."""
    global _chosen
    _chosen = translator


def use_language(application: QApplication, wanted: str) -> str:
    """Show the window in that language, or in the system's for ""; return what it became: "en" or "de".

    What is already shown keeps its language.
    """
    language = wanted or QLocale.system().name().partition("_")[0]
    language = language if language in LANGUAGES else "en"
    use_translator(_english if language == "en" else _read(language))
    QLocale.setDefault(locale())
    of_qt = QTranslator(application)  # "Cancel", "Open" and the like in Qt's own dialogs
    if of_qt.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        application.installTranslator(of_qt)
    return language


MIN_WORDS = 8
"""Characters that a text has beside its values, so that others are not taken for it."""
SENTENCE_ENDS = (".", "!", "?", "…")
MAX_TEXT = 10_000
"""Characters of a text that is looked for: the engine writes none so long, but others may, such as a server."""
MAX_SENTENCES = 8
"""After which the end of a sentence of ours is looked for in a text of several."""
_NEXT_SENTENCE = re.compile(r"(?<=\.) ")
_VALUE = re.compile(r"\{(\w+)\}")
_HALF = re.compile("[\ud800-\udfff]")  # of a character: no text of ours has one, and Qt cannot look for it
_NUMBER = re.compile(r"[−-]?\d{1,3}(,\d{3})+")


class _Template(NamedTuple):
    """A text with values. words: what stands between them."""

    words: list[str]
    pattern: re.Pattern[str]
    source: str

    def values_in(self, text: str) -> dict[str, str] | None:
        """Return the values with which the text was made from this one; None if it was not."""
        found = self.pattern.fullmatch(text) if all(word in text for word in self.words) else None
        return found.groupdict() if found else None

    def translate(self, values: dict[str, str]) -> str:
        return tr(self.source).format(**{name: _number(value) or tr_engine(value) for name, value in values.items()})


class _EngineTexts(NamedTuple):
    """What the engine says. templates: those with the most words first."""

    whole: frozenset[str]
    templates: list[_Template]


def tr_engine(text: str) -> str:
    """Return a text of the engine's in the window's language; as it is if it is not one of the engine's."""
    if not text or len(text) > MAX_TEXT or _HALF.search(text):
        return text
    if chosen_language() == "en":
        return tr(text)
    if translated := _translate(text, has_sentences_in_values=False):
        return translated
    for end in islice(_NEXT_SENTENCE.finditer(text), MAX_SENTENCES):
        if translated := _translate(text[: end.start()], has_sentences_in_values=False):
            return f"{translated} {tr_engine(text[end.end() :])}"
    return _translate(text, has_sentences_in_values=True) or text


def _translate(text: str, *, has_sentences_in_values: bool) -> str:
    """Return what was made from one text of the engine's in the window's language; "" for another."""
    known, bare = _read_texts(), text.removesuffix(".")  # it may stand in a sentence
    if text in known.whole:
        return tr(text)
    if bare in known.whole:
        return f"{tr(bare)}."
    for template in known.templates:
        values = template.values_in(text if template.source.endswith(".") else bare)
        if values is not None and (has_sentences_in_values or not any(". " in value for value in values.values())):
            return template.translate(values) + ("" if template.source.endswith(".") else text[len(bare) :])
    return ""


def join_sentences(*texts: str) -> str:
    """Return those texts of the engine's that there are in the window's language, each as a sentence."""
    translated = [tr_engine(text) for text in texts if text]
    return " ".join(text if text.endswith(SENTENCE_ENDS) else f"{text}." for text in translated)


def _number(text: str) -> str:
    """Return a number that the engine wrote with commas as the window's language has it; "" for another text."""
    return locale().toString(int(text.replace(",", "").replace("−", "-"))) if _NUMBER.fullmatch(text) else ""


@cache
def _read_texts() -> _EngineTexts:
    sources = frozenset(node.text or "" for node in ElementTree.parse(FOLDER / "engine_texts.ts").iter("source"))
    split = [(_VALUE.sub("\0", source).split("\0"), source) for source in sources if "{" in source]
    found = [
        _Template(words, _pattern(words, _VALUE.findall(source)), source)
        for words, source in split
        if sum(map(len, words)) >= MIN_WORDS
    ]
    return _EngineTexts(sources, sorted(found, key=lambda one: -sum(map(len, one.words))))


def _pattern(words: list[str], names: list[str]) -> re.Pattern[str]:
    parts, seen = [re.escape(words[0])], set[str]()
    for name, word in zip(names, words[1:], strict=True):
        parts += [f"(?P={name})" if name in seen else f"(?P<{name}>.+?)", re.escape(word)]
        seen.add(name)
    return re.compile("".join(parts), re.DOTALL)
