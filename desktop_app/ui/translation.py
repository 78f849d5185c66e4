"""The window's language: English in the code, others from Qt's translation files.

Each text that the window shows is `tr("…")` where it is shown. A constant is `translatable("…")` where it is written,
in any room, and `tr(constant)` where it is shown. Values come in by name, so that a translator can order them:
`tr("{freed} of {all} tokens").format(freed=…, all=…)`. A text with a count is `tr("%n messages", "", count)`, and has
its singular in palimpsest_en.ts. `packaging/translations` collects the texts, and compiles the files; it does not look
into f-strings. What the engine says is found by its words (`engine_texts.py`).
"""

from __future__ import annotations

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
