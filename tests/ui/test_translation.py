"""The window's language: texts, plurals, numbers; what has no translation is shown in English."""

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication

from desktop_app.ui import translation
from desktop_app.ui.translation import tr, use_language


@pytest.fixture(autouse=True)
def language_is_restored(monkeypatch):
    before = QLocale()
    monkeypatch.setattr(translation, "_chosen", translation._chosen)
    yield
    QLocale.setDefault(before)


def test_what_has_no_translation_is_shown_in_english(qapp: QApplication) -> None:
    assert use_language(qapp, "de") == "de"
    assert tr("No such text anywhere") == "No such text anywhere"
    assert tr("%n such texts", "", 61_204) == "61.204 such texts"


def test_a_language_that_is_not_there_is_english(qapp: QApplication) -> None:
    assert use_language(qapp, "tlh") == "en"
    assert tr("%n such texts", "", 61_204) == "61,204 such texts"
