"""The window's language: English in the code, others from Qt's translation files.

A text is translated where it is shown: `tr("…")`. A constant is marked `translatable("…")` where it is defined, in any
package, and is shown as `tr(constant)`. Values are inserted by name, so that translators can reorder them:
`tr("{freed} of {all} tokens").format(freed=…, all=…)`. A text with a count is `tr("%n messages", "", count)`, with its
singular in palimpsest_en.ts. `packaging/translations` collects the texts and compiles the files; it does not look into
f-strings.

The engine writes English, because its texts are stored in the record and printed by commands. The window matches each
of them against the translatable texts, to find the one that it was formatted from.
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
_chosen = _english  # global for the application, as Qt's own translators are: texts are created in hundreds of places


def tr(text: str, note: str = "", count: int = -1) -> str:
    """Return the text in the window's language, or in English if it has no translation.

    note: distinguishes two meanings of a text, and helps the translator. count: replaces "%n" and selects the plural
    form; negative for a text without a count.
    """
    found = _chosen.translate("", text, note, count) or _english.translate("", text, note, count) or text
    return found if count < 0 else found.replace("%n", locale().toString(count))


def chosen_language() -> str:
    """Return the window's language: "en" or "de"."""
    return _chosen.language() or "en"


def locale() -> QLocale:
    """Return the locale of the window's language, for numbers and dates."""
    return QLocale(chosen_language())


def chosen_translator() -> QTranslator:
    """Return the current translator."""
    return _chosen


def use_translator(translator: QTranslator) -> None:
    """Use a translator, and its language for numbers and dates."""
    global _chosen
    _chosen = translator


def use_language(application: QApplication, wanted: str) -> str:
    """Use a language, or the system's for "", in the window; return the language that is used: "en" or "de".

    Texts that are already shown are not translated again.
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
"""Characters that a template needs in addition to its values; shorter ones would match unrelated texts."""
SENTENCE_ENDS = (".", "!", "?", "…")
MAX_TEXT = 10_000
"""Characters of a text to look up: the engine writes no longer ones, but may pass on longer ones, as from a server."""
MAX_SENTENCES = 8
"""Sentence ends at which a text of several sentences is split to look up its first part."""
_NEXT_SENTENCE = re.compile(r"(?<=\.) ")
_VALUE = re.compile(r"\{(\w+)\}")
_HALF = re.compile("[\ud800-\udfff]")  # lone surrogates: no translatable text contains one, and Qt cannot look them up
_NUMBER = re.compile(r"[−-]?\d{1,3}(,\d{3})+")


class _Template(NamedTuple):
    """A translatable text with values. words: the literal text between them. source: the text in English."""

    words: list[str]
    pattern: re.Pattern[str]
    source: str

    def values_in(self, text: str) -> dict[str, str] | None:
        """Return the values with which a text was formatted from this template; None if it was not."""
        found = self.pattern.fullmatch(text) if all(word in text for word in self.words) else None
        return found.groupdict() if found else None

    def translate(self, values: dict[str, str]) -> str:
        return tr(self.source).format(**{name: _number(value) or tr_engine(value) for name, value in values.items()})


class _EngineTexts(NamedTuple):
    """The engine's translatable texts. templates: the ones with the most literal text first."""

    sources: frozenset[str]
    templates: list[_Template]


def tr_engine(text: str) -> str:
    """Return a text from the engine in the window's language; unchanged if it is not a known one."""
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
    """Return the translation of a text that was formatted from one of the engine's texts; "" for any other."""
    known, bare = _read_texts(), text.removesuffix(".")  # it may have been made a sentence
    if text in known.sources:
        return tr(text)
    if bare in known.sources:
        return f"{tr(bare)}."
    for template in known.templates:
        values = template.values_in(text if template.source.endswith(".") else bare)
        if values is not None and (has_sentences_in_values or not any(". " in value for value in values.values())):
            return template.translate(values) + ("" if template.source.endswith(".") else text[len(bare) :])
    return ""


def tr_details(details: str) -> str:
    """Return the engine's words about a file, which are separated by dots, in the window's language."""
    return " · ".join(tr_engine(text) for text in details.split(" · "))


def join_sentences(*texts: str) -> str:
    """Return the engine's texts that are not empty in the window's language, each as a sentence."""
    translated = [tr_engine(text) for text in texts if text]
    return " ".join(text if text.endswith(SENTENCE_ENDS) else f"{text}." for text in translated)


def _number(text: str) -> str:
    """Return a number that the engine wrote with commas in the format of the window's language; "" for other texts."""
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
    return _EngineTexts(sources, sorted(found, key=lambda template: -sum(map(len, template.words))))


def _pattern(words: list[str], names: list[str]) -> re.Pattern[str]:
    parts, seen = [re.escape(words[0])], set[str]()
    for name, word in zip(names, words[1:], strict=True):
        parts += [f"(?P={name})" if name in seen else f"(?P<{name}>.+?)", re.escape(word)]
        seen.add(name)
    return re.compile("".join(parts), re.DOTALL)
