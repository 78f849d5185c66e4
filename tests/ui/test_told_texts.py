"""Texts that the engine has written with values in them are found again by their words, and shown translated."""

from pathlib import Path

import pytest

from desktop_app.ui import told_texts, translation
from desktop_app.ui.told_texts import tr_told

GERMAN = {
    "The disk is full": "Der Datenträger ist voll",
    "There is a file {name} already": "Es gibt schon eine Datei {name}",
    "There is a file {name} already in {folder}": "In {folder} gibt es schon eine Datei {name}",
    "{answered}, and no key is set.": "{answered}, und es ist kein Schlüssel gesetzt.",
    "{url} answered {status}": "{url} hat mit {status} geantwortet",
    "{model} said that {model} stops": "{model} sagte, dass {model} aufhört",
    "{a} of {b}": "{a} von {b}",
}


class German:
    def translate(self, context: str, text: str, note: str = "", count: int = -1) -> str:
        return GERMAN.get(text, "")

    def language(self) -> str:
        return "de"


@pytest.fixture(autouse=True)
def german(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    sources = "".join(f"<message><source>{source}</source></message>" for source in GERMAN)
    (tmp_path / "palimpsest_de.ts").write_text(f"<TS><context><name></name>{sources}</context></TS>")
    monkeypatch.setattr(translation, "_chosen", German())
    monkeypatch.setattr(told_texts, "FOLDER", tmp_path)
    told_texts._templates.cache_clear()
    yield
    told_texts._templates.cache_clear()


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
        ("One of ours", "One of ours"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_text_is_found_by_its_words(told: str, shown: str) -> None:
    assert tr_told(told) == shown


def test_english_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert tr_told("There is a file a.md already") == "There is a file a.md already"
