"""The translation files have the texts of the code, are complete, and are what the compiled files were made from."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import PySide6
import pytest
from PySide6.QtCore import QTranslator

from desktop_app.ui.translation import FOLDER, LANGUAGES

CODE = Path(__file__).parents[2] / "desktop_app"
LUPDATE = Path(PySide6.__file__).parent / "lupdate"
PLACEHOLDER = re.compile(r"\{\w*\}")


class Entry(NamedTuple):
    """A text of a file. forms: its translation, or those of one and of several."""

    source: str
    note: str
    is_counted: bool
    is_unfinished: bool
    forms: tuple[str, ...]


def entries_of(file: Path) -> list[Entry]:
    found: list[Entry] = []
    for message in ElementTree.parse(file).iter("message"):
        translation = message.find("translation")
        assert translation is not None
        forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
        is_counted, is_unfinished = message.get("numerus") == "yes", translation.get("type") == "unfinished"
        note = message.findtext("comment") or ""
        found.append(Entry(message.findtext("source") or "", note, is_counted, is_unfinished, tuple(forms)))
    return found


@pytest.mark.skipif(not LUPDATE.exists(), reason="this PySide6 came without lupdate, which collects the texts")
@pytest.mark.parametrize(("language", "only"), [("de", []), ("en", ["-pluralonly"])])
def test_the_files_have_the_texts_of_the_code(language: str, only: list[str], tmp_path: Path) -> None:
    collected = tmp_path / "collected.ts"
    options = ["-silent", "-locations", "none", "-tr-function-alias", "QT_TR_NOOP+=translatable", *only]
    code = sorted(map(str, CODE.rglob("*.py")))
    subprocess.run([LUPDATE, *options, *code, "-target-language", language, "-ts", collected], check=True)
    in_code = {(entry.source, entry.note) for entry in entries_of(collected)}
    in_file = {(entry.source, entry.note) for entry in entries_of(FOLDER / f"palimpsest_{language}.ts")}
    assert in_code - in_file == set(), "run packaging/translations, and translate these"
    assert in_file - in_code == set(), "run packaging/translations: these are gone"


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_left_to_translate(language: str) -> None:
    entries = entries_of(FOLDER / f"palimpsest_{language}.ts")
    assert entries
    assert [entry.source for entry in entries if entry.is_unfinished or not all(entry.forms)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_values_of_its_text(language: str) -> None:
    for entry in entries_of(FOLDER / f"palimpsest_{language}.ts"):
        assert len(entry.forms) == (2 if entry.is_counted else 1), entry.source
        for form in entry.forms:
            assert sorted(set(PLACEHOLDER.findall(form))) == sorted(set(PLACEHOLDER.findall(entry.source))), form
        assert ("%n" in entry.forms[-1]) == ("%n" in entry.source), entry.source


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_file_is_made_from_it(language: str) -> None:
    compiled = QTranslator()
    assert compiled.load(str(FOLDER / f"palimpsest_{language}.qm"))
    for entry in entries_of(FOLDER / f"palimpsest_{language}.ts"):
        counts = (1, 2) if entry.is_counted else (-1,)
        shown = tuple(compiled.translate("", entry.source, entry.note, count).replace("%n", "") for count in counts)
        assert shown == tuple(re.sub(r"%n", "", form) for form in entry.forms), entry.source
