"""Texts that the engine has written with values in them are found again by their words, and shown translated."""

import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QTranslator
from PySide6.QtWidgets import QApplication

from desktop_app.conversation.model_servers import CheckResult
from desktop_app.models.errors.model_failures import TITLES
from desktop_app.paths import RESOURCES
from desktop_app.ui import translation
from desktop_app.ui.model_words import result_words
from desktop_app.ui.translation import join_sentences, tr_engine, use_language, use_translator

GERMAN = {
    "The disk is full": "Der Datenträger ist voll",
    "There is a file {name} already": "Es gibt schon eine Datei {name}",
    "There is a file {name} already in {folder}": "In {folder} gibt es schon eine Datei {name}",
    "{answered}, and no key is set.": "{answered}, und es ist kein Schlüssel gesetzt.",
    "{url} answered {status}": "{url} hat mit {status} geantwortet",
    "{model} said that {model} stops": "{model} sagte, dass {model} aufhört",
    "{used} of {window} are used": "{used} von {window} sind belegt",
    "{a} of {b}": "{a} von {b}",
}
OF_THE_WINDOW = {"Send": "Senden", "{tokens} tokens, {share}": "{tokens} Token, {share}"}


class German(QTranslator):
    def translate(self, context: str, text: str, note: str = "", count: int = -1) -> str:
        return (GERMAN | OF_THE_WINDOW).get(text, "")

    def language(self) -> str:
        return "de"


@pytest.fixture(autouse=True)
def german(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, language_is_restored):
    sources = "".join(f"<message><source>{source}</source></message>" for source in GERMAN)
    (tmp_path / "engine_texts.ts").write_text(f"<TS><context><name></name>{sources}</context></TS>")
    use_translator(German())
    monkeypatch.setattr(translation, "FOLDER", tmp_path)
    translation._read_texts.cache_clear()
    yield
    translation._read_texts.cache_clear()


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("The disk is full", "Der Datenträger ist voll"),
        ("There is a file a {b}.md already", "Es gibt schon eine Datei a {b}.md"),
        ("There is a file a.md already in /tmp", "In /tmp gibt es schon eine Datei a.md"),
        ("x answered 401, and no key is set.", "x hat mit 401 geantwortet, und es ist kein Schlüssel gesetzt."),
        ("x answered 401.", "x hat mit 401 geantwortet."),
        ("small said that small stops", "small sagte, dass small aufhört"),
        ("small said that large stops", "small said that large stops"),
        ("61,204 of 1,048,576 are used", "61.204 von 1.048.576 sind belegt"),
        ("4096 of 1,2 are used", "4096 von 1,2 sind belegt"),
        ("The disk is full. x answered 401.", "Der Datenträger ist voll. x hat mit 401 geantwortet."),
        ("x answered 401. Go to a.com. The disk is full", "x hat mit 401 geantwortet. Go to a.com. The disk is full"),
        ("There is a file a. b already", "Es gibt schon eine Datei a. b"),
        ("One of ours", "One of ours"),
        ("Send", "Send"),
        ("There is a file Send already", "Es gibt schon eine Datei Send"),
        ("You sent 61,204 tokens, which is too much", "You sent 61,204 tokens, which is too much"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_text_is_found_by_its_words(told: str, shown: str) -> None:
    assert tr_engine(told) == shown


def test_english_stays_as_it_is(qapp: QApplication) -> None:
    use_language(qapp, "en")
    assert tr_engine("There is a file a.md already") == "There is a file a.md already"


def test_what_a_test_of_a_server_found_is_shown_in_the_language_of_the_window() -> None:
    found = CheckResult("replied", "bad", detail="The disk is full. x answered 401")
    assert result_words(found) == "Der Datenträger ist voll. x hat mit 401 geantwortet"


def test_sentences_end_with_one_full_stop_each() -> None:
    assert join_sentences("The disk is full", "", "x answered 401.", "Why?") == (
        "Der Datenträger ist voll. x hat mit 401 geantwortet. Why?"
    )


def test_the_texts_of_the_engine_are_listed_and_installed() -> None:
    listed = {node.text for node in ElementTree.parse(RESOURCES / "translations" / "engine_texts.ts").iter("source")}
    assert set(TITLES.values()) <= listed
    assert not listed & {"Send", "New conversation"}
    packaged = tomllib.loads((RESOURCES.parent / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    assert "engine_texts.ts" in packaged["resources.translations"]
