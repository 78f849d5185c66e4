"""Scripts that no installed font has shaping rules for: Qt's search for one is ended by a placeholder."""

from __future__ import annotations

import pytest
from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtGui import QFont, QFontDatabase, QRawFont

from desktop_app.ui.transcript import script_fonts
from desktop_app.ui.transcript.script_fonts import (
    SCRIPTS,
    ShapingRules,
    load_fonts,
    script_of,
    shaping_rules,
    shaping_tags,
)
from desktop_app.ui.widgets.look import font

THAANA = "\u078b\u07a8\u0788"  # no usual font has rules for it


@pytest.fixture
def look(qapp, monkeypatch):
    """A look of a family that nothing stands in for yet, on a machine none of whose fonts has rules."""
    shaping_rules()
    rules = ShapingRules.__new__(ShapingRules)
    rules._tags = dict.fromkeys(QFontDatabase.families(), frozenset[str]())
    monkeypatch.setattr(script_fonts, "shaping_rules", lambda: rules)
    monkeypatch.setattr(script_fonts, "_known", {})
    made = QFont(font(17))
    family = made.family()
    before = QFont.substitutes(family)
    QFont.removeSubstitutions(family)
    yield made
    QFont.removeSubstitutions(family)
    QFont.insertSubstitutions(family, before)


def tried(work) -> int:
    """Return how many fonts Qt looked for rules in, and found none."""
    told: list[str] = []
    before = qInstallMessageHandler(lambda kind, context, text: told.append(text))
    try:
        work()
    finally:
        qInstallMessageHandler(before)
    return sum("OpenType support missing" in text for text in told)


def test_a_placeholder_ends_the_search_in_every_look(look):
    assert load_fonts(THAANA, look, lambda: True)
    assert QFont.substitutes(look.family())
    for weight, size in ((400, 18), (700, 18), (400, 31)):
        other = QFont(look)
        other.setWeight(QFont.Weight(weight))
        other.setPixelSize(size)
        assert tried(lambda other=other: script_fonts._draw(THAANA, other)) <= 2


def test_the_fonts_of_a_look_are_held_by_one_font(look, monkeypatch):
    drawn: list[QFont] = []
    monkeypatch.setattr(script_fonts, "_draw", lambda text, font: drawn.append(font))
    assert load_fonts("漢", QFont(look), lambda: True)
    assert load_fonts("字한", QFont(look), lambda: True)
    assert all(font is drawn[0] == look for font in drawn)
    other = QFont(look)
    other.setFamilies([look.family(), "Another family"])
    assert load_fonts("漢", other, lambda: True)
    assert drawn[-1] is not drawn[0]
    assert load_fonts(THAANA, look, lambda: True)
    assert drawn[-1] is not drawn[0]  # a placeholder stands in now
    assert load_fonts("漢", QFont(look), lambda: True)
    assert drawn[-1] is drawn[-2]


def test_a_placeholder_has_the_rules_of_its_script_and_a_box_for_each_letter(qapp):
    shaping_rules()
    for script in SCRIPTS:
        assert QFontDatabase.hasFamily(script.placeholder)
        assert shaping_tags(script.placeholder) == {script.tags[0]}
        made = QRawFont.fromFont(QFont(script.placeholder))
        assert not made.supportsCharacter(script.blocks[0][0] + 0x10)
        assert not made.supportsCharacter(ord("a"))
        assert made.pathForGlyph(0).boundingRect().width() > 0


def test_fonts_with_rules_are_found_as_before(qapp, monkeypatch):
    monkeypatch.setattr(script_fonts, "shaping_tags", lambda family: frozenset({"thaa"}))
    rules = ShapingRules.__new__(ShapingRules)
    rules._tags = {}
    family = "A family that is not installed"
    assert rules.prepare(THAANA[0], family, lambda: True)
    assert rules.prepare("a", family, lambda: True)
    assert QFont.substitutes(family) == []


def test_the_rules_of_all_fonts_are_read_while_there_is_time(qapp, monkeypatch):
    read: list[str] = []

    def nothing(family: str) -> frozenset[str]:
        read.append(family)
        return frozenset()

    monkeypatch.setattr(script_fonts, "shaping_tags", nothing)
    monkeypatch.setattr(script_fonts, "_families", lambda: ("One", "Two", "Three"))
    monkeypatch.setattr(QFontDatabase, "families", lambda *system: [])
    rules = ShapingRules.__new__(ShapingRules)
    rules._tags = {}
    family = "Another family that is not installed"
    times = iter((True, False, True, True))
    assert not rules.prepare(THAANA[0], family, lambda: next(times))
    assert read == ["One"]
    assert rules.prepare(THAANA[0], family, lambda: next(times))
    assert read == ["One", "Two", "Three"]
    assert len(QFont.substitutes(family)) == len(SCRIPTS)
    QFont.removeSubstitutions(family)


def test_scripts_are_known_by_their_letters():
    assert script_of(0x0712) == script_of(0x0860) == SCRIPTS[0]
    assert script_of(0x0915) == script_of(0xA8F2)
    assert script_of(ord("a")) is script_of(0x0E01) is script_of(0x0627) is None
