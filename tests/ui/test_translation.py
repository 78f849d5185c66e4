"""The window's language: texts, plurals, numbers; what has no translation is shown in English."""

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import QApplication, QDialogButtonBox

from desktop_app.settings import Settings
from desktop_app.ui.app import make_application
from desktop_app.ui.translation import tr, use_language

pytestmark = pytest.mark.usefixtures("language_is_restored")


def test_what_has_no_translation_is_shown_in_english(qapp: QApplication) -> None:
    assert use_language(qapp, "de") == "de"
    assert tr("No such text anywhere") == "No such text anywhere"
    assert tr("%n such texts", "", 61_204) == "61.204 such texts"


def test_a_language_that_is_not_there_is_english(qapp: QApplication) -> None:
    assert use_language(qapp, "tlh") == "en"
    assert tr("%n such texts", "", 61_204) == "61,204 such texts"


def test_the_language_of_the_settings_is_that_of_qt_too() -> None:
    application = make_application(Settings(language="de"))
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    assert box.button(QDialogButtonBox.StandardButton.Cancel).text() == "Abbrechen"
    assert tr("%n such texts", "", 61_204) == "61.204 such texts"
    for translator in application.findChildren(QTranslator):
        application.removeTranslator(translator)
    make_application(Settings(language="en"))
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    assert box.button(QDialogButtonBox.StandardButton.Cancel).text() == "Cancel"
