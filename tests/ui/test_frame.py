"""The small parts around the conversation: header, toast, failure card, welcome, heartbeat, news, theme."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget
from ui_scenes import show_widget

from desktop_app.conversation.events import Failure
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ModelInfo
from desktop_app.ui.driver import Heartbeat
from desktop_app.ui.failure_card import FailureCard
from desktop_app.ui.header import Header, model_label
from desktop_app.ui.style import show_theme
from desktop_app.ui.theme import CONTRAST_DARK, CONTRAST_LIGHT, DARK, LIGHT, theme
from desktop_app.ui.toast import Toast
from desktop_app.ui.welcome import PROMPTS, WelcomePage

SMALL = ModelInfo("builtin", "SmolLM2 135M", 8_192, 2_048)
FAR = ModelInfo("far/large", "Large", 200_000, 8_192, note="The server is not up.")


@pytest.fixture
def shown(qtbot):
    kept: list[QWidget] = []

    def show(widget: QWidget, width: int = 700, height: int = 400) -> QWidget:
        kept.append(widget)
        show_widget(widget, qtbot, width, height)
        return widget

    return show


def over_a_toast(shown) -> tuple[QWidget, Toast]:
    """A window, and a toast over its upper part."""
    ground = QWidget()
    column = QVBoxLayout(ground)
    above = QWidget()
    column.addWidget(above, 1)
    column.addWidget(QLineEdit())
    return shown(ground), Toast(above, ground)


@pytest.mark.parametrize("width", [1_000, 420])
def test_a_toast_lies_above_the_button_that_it_would_cover(shown, width):
    ground, toast = over_a_toast(shown)
    ground.resize(width, 600)
    button = QPushButton("↓ Newest message", ground)
    button.resize(150, 30)
    button.move(width - 160, ground.height() - 70)
    button.show()
    toast.stay_above(button)
    toast.show_message("A notice that is long enough to take most of the width of a narrow window.")
    assert not toast.geometry().intersects(button.geometry())
    before = toast.y()
    button.hide()
    toast.show_message("A notice that is long enough to take most of the width of a narrow window.")
    assert toast.y() >= before


def test_a_window_that_nobody_knows_is_said_to_be_assumed() -> None:
    assert model_label(ModelInfo("x", "New", 128_000, 0, Provenance.ASSUMED)) == "New · 128K assumed"


def test_the_title_is_renamed_by_a_double_click_and_left_by_escape(shown, qtbot):
    header = shown(Header(), 800, 62)
    header.show_conversation("Old title", SMALL)
    assert header.chip.text() == "SmolLM2 135M · 8K"
    qtbot.mouseDClick(header, Qt.MouseButton.LeftButton, pos=header.titles.geometry().center())
    assert header.titles.currentWidget() is header.field
    with qtbot.assertNotEmitted(header.title_changed):
        header.field.setText("Other")
        qtbot.keyClick(header.field, Qt.Key.Key_Escape)
    assert header.titles.currentWidget() is header.label
    header.rename()
    header.field.setText("New title")
    with qtbot.waitSignal(header.title_changed) as changed:
        qtbot.keyClick(header.field, Qt.Key.Key_Return)
    assert changed.args == ["New title"]


def test_a_toast_offers_one_thing_takes_no_focus_and_goes(shown, qtbot):
    ground, toast = over_a_toast(shown)
    field = QLineEdit(ground)
    field.show()
    field.setFocus()
    undone: list[None] = []
    toast.show_message("Deleted", "Restore", lambda: undone.append(None))
    assert toast.isVisible()
    assert ground.focusWidget() is field
    qtbot.mouseClick(toast.action, Qt.MouseButton.LeftButton)
    assert undone == [None]
    assert not toast.isVisible()


def test_a_toast_stays_only_until_its_matter_is_over(shown, qtbot, monkeypatch):
    _ground, toast = over_a_toast(shown)
    toast.show_message("Compacting…", stays=True)
    toast.end_stay()
    assert not toast.isVisible()
    toast.show_message("Compacted")
    toast.end_stay()
    assert toast.isVisible()
    monkeypatch.setattr("desktop_app.ui.toast.SHOWN", 1)
    toast.show_message("Compacted")
    qtbot.waitUntil(lambda: not toast.isVisible())


def test_a_notice_that_is_kept_comes_back_after_what_took_its_place(shown, qtbot, monkeypatch):
    _ground, toast = over_a_toast(shown)
    toast.turn_to("a")
    toast.show_message("Nothing is gone", "Look", about="a", milliseconds=60_000, is_kept=True)
    toast.show_message("Compacting…", stays=True)
    assert toast.label.text() == "Compacting…"
    toast.end_stay()
    assert (toast.label.text(), toast.action.text(), toast.isVisible()) == ("Nothing is gone", "Look", True)
    with monkeypatch.context() as patch:
        patch.setattr("desktop_app.ui.toast.SHOWN", 1)
        toast.show_message("Copied")
        qtbot.waitUntil(lambda: toast.label.text() == "Nothing is gone")
    toast.turn_to("b")
    assert not toast.isVisible(), "it is about the other conversation"
    toast.show_message("Copied", milliseconds=1)
    qtbot.waitUntil(lambda: not toast.isVisible())
    toast.turn_to("a")
    assert (toast.label.text(), toast.isVisible()) == ("Nothing is gone", True)
    toast.dismiss.click()
    toast.show_message("Copied", milliseconds=1)
    qtbot.waitUntil(lambda: not toast.isVisible())


def test_a_notice_that_is_kept_goes_once_it_was_shown_for_its_time(shown, qtbot):
    _ground, toast = over_a_toast(shown)
    toast.show_message("Nothing is gone", milliseconds=1, is_kept=True)
    qtbot.waitUntil(lambda: not toast.isVisible())
    toast.show_message("Copied", milliseconds=1)
    qtbot.waitUntil(lambda: not toast.isVisible())
    pressed: list[None] = []
    toast.show_message("Nothing is gone", "Look", lambda: pressed.append(None), milliseconds=60_000, is_kept=True)
    toast.action.click()
    assert pressed == [None]
    assert not toast.isVisible()


def test_a_toast_moves_nothing_and_shows_all_of_its_text(shown, qtbot):
    ground, toast = over_a_toast(shown)
    above, below = (ground.layout().itemAt(number).widget() for number in (0, 1))
    before = above.geometry(), below.geometry()
    toast.show_message("A longer text that says what happened, and why, and what can be done about it now", "Do it")
    QApplication.processEvents()
    assert (above.geometry(), below.geometry()) == before
    for width in (700, 330):
        ground.resize(width, 300)
        QApplication.processEvents()
        assert above.geometry().contains(toast.geometry())
        assert above.geometry().bottom() - toast.geometry().bottom() < 20
        assert abs(toast.geometry().center().x() - above.geometry().center().x()) <= 1
        assert toast.label.height() >= toast.label.heightForWidth(toast.label.width())
    qtbot.mouseClick(toast.dismiss, Qt.MouseButton.LeftButton)
    assert not toast.isVisible()


def test_a_failure_card_says_all_of_it_and_acts(shown, qtbot):
    ground = shown(QWidget())
    card = FailureCard(ground)
    assert not card.isVisible()
    restarted: list[None] = []
    card.show_failure(
        Failure("engine", "It stopped", "Why", "What is kept", "What to do"), "Restart", lambda: restarted.append(None)
    )
    assert card.title.text() == "It stopped"
    assert card.text.text() == "Why\nWhat is kept\nWhat to do"
    card.clear_passing()
    assert card.isVisible()
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)
    assert restarted == [None]
    assert not card.isVisible()
    card.show_failure(Failure("provider", "No answer"))
    assert not card.button.isVisible()
    card.clear_passing()
    assert not card.isVisible()


def test_an_example_becomes_a_message(shown, qtbot):
    welcome = shown(WelcomePage())
    with qtbot.waitSignal(welcome.prompt_chosen) as chosen:
        qtbot.mouseClick(welcome.prompts[0], Qt.MouseButton.LeftButton)
    assert chosen.args == [PROMPTS[0][1]]
    with qtbot.waitSignal(welcome.import_requested):
        qtbot.mouseClick(welcome.importing, Qt.MouseButton.LeftButton)


def test_the_heartbeat_sees_a_blocked_event_loop(qtbot):
    heartbeat = Heartbeat()
    heartbeat.restart()
    qtbot.waitUntil(lambda: heartbeat.beats >= 3)
    time.sleep(0.15)
    assert heartbeat.longest_gap >= 0.15
    heartbeat.restart()
    qtbot.waitUntil(lambda: heartbeat.beats >= 3)
    heartbeat.stop()
    kept = heartbeat.longest_gap
    time.sleep(0.02)
    assert heartbeat.longest_gap == kept


@pytest.mark.row("U12", "a high contrast")
def test_a_high_contrast_is_chosen_or_follows_the_system(qapp, monkeypatch):
    show_theme(qapp, "dark", 1.0, "high")
    assert theme.palette is CONTRAST_DARK
    show_theme(qapp, "light", 1.0, "high")
    assert theme.palette is CONTRAST_LIGHT
    assert qapp.palette().window().color().name() == CONTRAST_LIGHT["paper"].lower()
    hints = SimpleNamespace(contrastPreference=lambda: Qt.ContrastPreference.HighContrast)
    monkeypatch.setattr("desktop_app.ui.style.system_look", lambda: SimpleNamespace(accessibility=lambda: hints))
    show_theme(qapp, "light", 1.0, "normal")
    assert theme.palette is LIGHT
    show_theme(qapp, "light", 1.0)
    assert theme.palette is CONTRAST_LIGHT


def test_the_theme_is_shown_in_every_widget(qapp):
    show_theme(qapp, "dark", 1.25)
    assert theme.palette is DARK
    assert qapp.palette().window().color().name() == DARK["paper"].lower()
    assert DARK["raised"] in qapp.styleSheet()
    assert qapp.font().pixelSize() == round(14 * 1.25)
