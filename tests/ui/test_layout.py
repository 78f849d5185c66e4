"""Nothing lies over something else, nothing needs a wider screen than people have, and all text can be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget
from transcript_rows import chat

from desktop_app.conversation.events import Failure, QuestionAsked
from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission
from desktop_app.settings import Settings
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.composer.question_card import QuestionCard
from desktop_app.ui.header import MAX_MODEL_NAME, NARROW, Header
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.theme import CONTRAST_DARK, CONTRAST_LIGHT, DARK, LIGHT, Palette, Tint
from desktop_app.ui.widgets.look import scale

TEXTS = ("ink", "ink_soft", "ink_faint", "accent", "ok", "warning", "tight", "critical", Segment.PINNED)
GROUNDS = ("paper", "side", "raised", "code", "bubble", "accent_soft", "line_soft", "free")
ON_ACCENT = ("accent_ink",)
LINES = ("line", "hatch")
PARTS = tuple(segment for segment in Segment if segment is not Segment.PINNED)
PALETTES = {
    "light": (LIGHT, 4.5),  # WCAG 2, AA
    "dark": (DARK, 4.5),
    "high contrast, light": (CONTRAST_LIGHT, 7.0),  # AAA
    "high contrast, dark": (CONTRAST_DARK, 7.0),
}
LONG = "/home/anastasia/Projects/customers/northwind/billing-service/migrations/0042_split_ledger_entries.py"


@pytest.fixture
def main_window(qtbot, tmp_path: Path) -> MainWindow:
    made = MainWindow(Bridge(["/no/such/program"]), Settings(), tmp_path / "window.json")
    qtbot.addWidget(made)
    return made


def luminance(colour: QColor) -> float:
    """Relative luminance as WCAG 2 defines it."""
    channels = (colour.redF(), colour.greenF(), colour.blueF())
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast_in(palette: Palette) -> Callable[[Tint | Segment, Tint | Segment], float]:
    def contrast(text: Tint | Segment, ground: Tint | Segment) -> float:
        one, other = sorted(luminance(QColor(palette[name])) for name in (text, ground))
        return (other + 0.05) / (one + 0.05)

    return contrast


@pytest.mark.parametrize("name", PALETTES)
def test_small_text_can_be_read_on_every_ground(name: str) -> None:
    palette, least = PALETTES[name]
    contrast = contrast_in(palette)
    assert [(t, g, contrast(t, g)) for t in TEXTS for g in GROUNDS if contrast(t, g) < least] == []
    assert all(contrast(text, "accent") >= least for text in ON_ACCENT)
    assert set(palette) == {*TEXTS, *GROUNDS, *ON_ACCENT, *LINES, *PARTS}, "a new role is one of these"


@pytest.mark.parametrize("palette", [CONTRAST_LIGHT, CONTRAST_DARK], ids=["light", "dark"])
def test_with_high_contrast_lines_and_parts_of_bars_stand_out(palette: Palette) -> None:
    contrast = contrast_in(palette)
    assert [(part, contrast(part, "free")) for part in (*PARTS, *LINES) if contrast(part, "free") < 3] == []


@pytest.mark.row("U12", "small screens, large text")
@pytest.mark.parametrize(
    ("scale", "with_panel", "alone"), [(1.0, 1_024, 700), pytest.param(1.5, 1_280, 1_024, marks=pytest.mark.wire)]
)
def test_the_window_fits_the_screens_that_people_have(main_window, text_size, qapp, scale, with_panel, alone) -> None:
    text_size(scale)
    main_window.ui.header.show_conversation("A conversation with a long title", ModelInfo("a/b", "model", 200_000, 1))
    main_window.ui.header.show_folder(LONG)
    main_window.show()
    assert main_window.minimumSizeHint().width() <= with_panel
    main_window.ui.panel.hide()
    qapp.processEvents()
    assert main_window.minimumSizeHint().width() <= alone
    assert main_window.minimumSizeHint().height() <= 700


@pytest.mark.long
def test_where_it_has_no_place_the_panel_is_left_closed_until_it_has_one(main_window, text_size, qtbot) -> None:
    main_window.ui.header.show_conversation("Title", ModelInfo("a/b", "claude-sonnet-4-5", 200_000, 1))
    main_window.ui.header.show_folder(LONG)
    main_window.resize(1_100, 700)
    main_window.show()
    assert main_window.ui.panel.isVisible()
    text_size(1.5)
    qtbot.waitUntil(lambda: not main_window.ui.panel.isVisible())
    text_size(1.0)
    qtbot.waitUntil(main_window.ui.panel.isVisible)
    main_window.resize(800, 500)
    qtbot.waitUntil(lambda: not main_window.ui.panel.isVisible())
    assert main_window.ui.panel_pane.is_wanted


def test_in_a_small_window_the_panel_lies_over_the_conversation_and_nothing_moves(main_window, qtbot) -> None:
    main_window.resize(800, 500)
    main_window.show()
    qtbot.wait(20)
    button = main_window.ui.header.panel_button
    place = button.mapTo(main_window, QPoint(0, 0))
    column = main_window.ui.chat_pane.width()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.wait(20)
    assert main_window.ui.panel.isVisible()
    assert (main_window.width(), main_window.height()) == (800, 500)
    assert button.mapTo(main_window, QPoint(0, 0)) == place
    assert main_window.ui.chat_pane.width() == column
    main_window.ui.panel.tabs.setFocus()
    qtbot.keyClick(main_window.ui.panel.tabs, Qt.Key.Key_Escape)
    assert not main_window.ui.panel.isVisible()
    main_window.resize(1_440, 900)
    qtbot.wait(20)
    main_window.ui.panel.show()
    qtbot.wait(20)
    wide = button.mapTo(main_window, QPoint(0, 0))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.wait(20)
    assert button.mapTo(main_window, QPoint(0, 0)) == wide, "beside the conversation neither"


FAILURE = Failure("provider", "Something went wrong", "It is long " * 30, "What is kept " * 10, "What to do " * 10)
ASKED = QuestionAsked(
    "v",
    "q",
    "permission",
    ToolCall("c", "bash", "{}"),
    (RequiredPermission("bash", "run", "git push " * 30, "git push *"),),
)


@pytest.mark.parametrize("is_early", [True, False])
def test_a_failure_is_read_without_scrolling_where_there_is_room(main_window, qtbot, is_early) -> None:
    detail = "archive.sqlite3-wal holds what was written last. Opening the empty file would erase it."
    kept = "Neither file was touched."
    advice = "Copy both files away, then put a backup in their place, or choose another folder with --data-dir."
    failure = Failure(
        "damaged", "The archive /srv/chats/data/archive.sqlite3 is empty, but its log is not", detail, kept, advice
    )
    main_window.resize(1_440, 900)
    if not is_early:
        main_window.show()
        qtbot.wait(50)
    main_window.ui.failure.show_failure(Failure("engine", "The engine has ended", "It is started again."))
    qtbot.wait(50)
    main_window.ui.failure.show_failure(failure, "Restart", lambda: None)
    main_window.show()
    qtbot.wait(50)
    qtbot.waitUntil(lambda: main_window.ui.failure.area.verticalScrollBar().maximum() == 0)


@pytest.mark.parametrize(
    ("size", "is_blank", "lines"),
    [
        pytest.param((1_440, 900), True, 0, marks=pytest.mark.wire),
        pytest.param((1_280, 720), False, 12, marks=pytest.mark.wire),
        ((800, 500), True, 12),
    ],
)
def test_cards_and_toasts_squash_nothing_and_never_change_the_window(main_window, qapp, size, is_blank, lines) -> None:
    window = main_window
    if not is_blank:
        window.ui.transcript_model.open(chat(6), ())
    window.resize(*size)
    window.show()
    qapp.processEvents()
    window.ui.composer.set_text("\n".join(["word"] * lines))
    for show in (
        lambda: window.ui.failure.show_failure(FAILURE, "Try again", lambda: None),
        lambda: window.ui.question.show_question(ASKED),
        lambda: window.ui.toast.show_message("Something happened", "Undo", lambda: None),
        window.ui.failure.clear,
        lambda: window.ui.transcript_model.open(chat(6), ()),
    ):
        show()
        for _ in range(4):
            qapp.processEvents()
            assert (window.width(), window.height()) == size
            shown = [window.ui.question, window.ui.failure, window.ui.composer, window.ui.gauge]
            boxes = [place_in(window, widget) for widget in shown if widget.isVisible()]
            for over in (window.ui.chat_pane, window.ui.toast):  # which lies over the chat, and over nothing else
                around = [*boxes, *([place_in(window, over)] if over.isVisible() else [])]
                assert overlapping(around) == []
            boxes = around
            assert all(window.rect().contains(box) for box in boxes)
            for widget in (window.ui.composer, window.ui.gauge):
                assert widget.height() >= widget.minimumSizeHint().height()
            assert window.ui.composer.field.height() >= window.ui.composer.field.fontMetrics().lineSpacing()


def overlapping(boxes: list[QRect]) -> list[tuple[QRect, QRect]]:
    return [(a, b) for n, a in enumerate(boxes) for b in boxes[n + 1 :] if a.intersects(b)]


def place_in(window: QWidget, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def test_the_window_opens_inside_its_screen(qtbot, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(MainWindow, "_max_size", lambda _: QSize(1_000, 600))
    window = MainWindow(Bridge(["/no/such/program"]), Settings(), tmp_path / "window.json")
    qtbot.addWidget(window)
    window.show()
    assert window.width() <= 1_000
    assert window.height() <= 600


@pytest.mark.parametrize("height", [660, pytest.param(900, marks=pytest.mark.wire)])
def test_nothing_in_a_question_lies_over_something_else(main_window, text_size, qtbot, height: int) -> None:
    text_size(1.5)
    needs = (RequiredPermission("move", "read", LONG, "/a"), RequiredPermission("move", "write", LONG, "/*"))
    asked = QuestionAsked("v", "q", "permission", ToolCall("c", "move", f'{{"from": "{LONG}"}}'), needs)
    main_window.ui.transcript_model.open(chat(6), ())
    main_window.ui.panel.hide()
    main_window.resize(1_000, height)
    main_window.show()
    card = main_window.ui.question
    card.show_question(asked)
    card.whole.click()
    inner = (card.note, card.targets, card.whole)
    qtbot.waitUntil(lambda: not overlapping([widget.geometry() for widget in inner]))
    shown = [card.title, card.area, card.once, card.conversation, card.always, card.deny, card.keys]
    boxes = [widget.geometry() for widget in shown if widget.isVisible()]
    assert overlapping(boxes) == []
    assert all(card.rect().contains(box) for box in boxes)
    assert card.area.height() > card.fontMetrics().lineSpacing()


def test_a_card_that_fits_does_not_scroll(main_window, qtbot) -> None:
    main_window.ui.transcript_model.open(chat(6), ())
    main_window.resize(1_300, 900)
    main_window.show()
    card: QuestionCard = main_window.ui.question
    need = RequiredPermission("bash", "run", "git push", "git push *")
    card.show_question(QuestionAsked("v", "q", "permission", ToolCall("c", "bash", '{"command": "git push"}'), (need,)))
    qtbot.waitUntil(lambda: card.area.height() >= card.rule.geometry().bottom() > 0)
    assert not card.area.verticalScrollBar().isVisible()


def test_in_a_narrow_composer_the_keys_are_not_named_by_half(main_window, text_size, qtbot) -> None:
    main_window.resize(1_440, 900)
    main_window.show()
    assert "Shift+Enter" in main_window.ui.composer.field.placeholderText()
    text_size(1.5)
    main_window.resize(main_window.minimumSizeHint())
    qtbot.waitUntil(lambda: main_window.ui.composer.field.placeholderText() == "Message…")


def test_in_a_narrow_header_the_title_has_the_room(qtbot) -> None:
    ground = QWidget()
    header = Header(ground)
    qtbot.addWidget(ground)
    ground.show()
    model = ModelInfo("far/x", "claude-sonnet-4-5", 200_000, 1)
    header.show_conversation("Migrating the billing service", model)
    header.resize(scale(NARROW) + 1, header.height())
    assert header.chip.text() == "claude-sonnet-4-5 · 200K"
    header.resize(scale(NARROW) - 1, header.height())
    assert header.chip.text() == "claude-sonnet-4-5"
    header.show_conversation("Migrating", replace(model, label="kimi-k2-thinking-turbo-preview-0905"))
    assert len(header.chip.text()) == MAX_MODEL_NAME
    assert "preview-0905" in header.chip.toolTip()
