"""The model picker: found, compared, chosen by the keyboard, with what switching would mean."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from ui_scenes import opened_sheet, play_scene, until

from desktop_app.conversation.listing import ConversationInfo, ModelInfo, SwitchPreview
from desktop_app.conversation.model_servers import ModelPrice
from desktop_app.engine.protocol import ModelsListed
from desktop_app.ui.model_picker import ADD, LIMIT, ModelPicker, WindowLimitPalette, in_order_of_use, matching_models
from desktop_app.ui.model_words import preview_words
from desktop_app.ui.settings.settings_dialog import SettingsDialog

SMALL = ModelInfo("builtin", "SmolLM2 135M", 8_192, 2_048, is_builtin=True, supports_tools=False)
LARGE = ModelInfo("cloud/large", "large", 200_000, 8_192, supports_vision=True)
FAR = ModelInfo("far/other", "other", 0, 0, note="far does not answer.")
LISTED = ModelsListed((SMALL, LARGE, FAR), {"cloud/large": ModelPrice(3, 15)}, ("builtin",))


@pytest.fixture
def picker(window):
    """In order, with the small one in use."""
    made = ModelPicker(window)
    made.offer(LISTED, LISTED.models, "builtin")
    made.open()
    return made


def rows(picker):
    return {row.key: row for row in picker.list.rows.rows}


def test_the_last_used_comes_first_and_what_cannot_be_used_last():
    used = [ConversationInfo(str(n), "", 0, at, model=model) for n, (model, at) in enumerate(
        [("builtin", 5.0), ("cloud/large", 9.0), ("far/other", 99.0), ("builtin", 7.0)])]  # fmt: skip
    assert in_order_of_use(LISTED.models, used) == [LARGE, SMALL, FAR]
    assert in_order_of_use(LISTED.models, []) == [SMALL, LARGE, FAR]
    assert in_order_of_use(LISTED.models, [], is_largest_first=True) == [LARGE, SMALL, FAR]


def test_models_are_found_by_name_and_server():
    assert matching_models("lrg", LISTED.models) == [LARGE]
    assert matching_models("far", LISTED.models) == [FAR]
    assert matching_models("", LISTED.models) == [SMALL, LARGE, FAR]
    assert matching_models("zzz", LISTED.models) == []


@pytest.mark.row("U3", "window, price, abilities")
def test_a_row_tells_window_price_and_abilities(picker):
    assert "$3 / $15" in rows(picker)["cloud/large"].words
    assert "200K" in rows(picker)["cloud/large"].words
    assert "vision" in rows(picker)["cloud/large"].words
    assert "free" in rows(picker)["builtin"].words
    assert "tools" not in rows(picker)["builtin"].words
    assert FAR.note in rows(picker)["far/other"].words
    assert rows(picker)["builtin"].tag
    assert not rows(picker)["cloud/large"].tag


def test_what_switching_means_is_asked_once_for_the_row_that_the_keyboard_is_on(picker, qtbot):
    asked: list[str] = []
    picker.preview_requested.connect(asked.append)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(picker.field, key)
    assert asked == ["cloud/large"], "the first was asked for when it opened; one that cannot be used is not"
    preview = SwitchPreview("compact", 61_000, 30_000, 28_000)
    picker.show_preview("cloud/large", preview)
    assert preview_words(preview) in rows(picker)["cloud/large"].words
    assert "61,000 → 28,000" in preview_words(preview)


def test_a_question_that_another_one_took_the_place_of_is_asked_again(picker, qtbot):
    asked: list[str] = []
    picker.preview_requested.connect(asked.append)
    qtbot.keyClick(picker.field, Qt.Key.Key_Down)
    picker.show_preview("cloud/large", None)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
        qtbot.keyClick(picker.field, key)
    assert asked == ["cloud/large", "cloud/large"]


def test_every_model_tells_what_it_would_mean(window, qtbot):
    other = ModelInfo("cloud/other", "other", 32_000, 8_192)
    picker, asked = ModelPicker(window), list[str]()
    picker.preview_requested.connect(asked.append)
    picker.offer(LISTED, (SMALL, LARGE, FAR, other), "builtin")
    assert asked == ["builtin"], "one after the other, that of the row in front"
    qtbot.keyClick(picker.field, Qt.Key.Key_Down)
    assert asked == ["builtin", "cloud/large"], "the row that the list is on takes the place"
    picker.show_preview("builtin", None)
    fits = SwitchPreview("fits", 5_000, 8_000)
    for model in ("cloud/large", "builtin", "cloud/other"):
        assert asked[-1] == model
        picker.show_preview(model, fits)
    assert len(asked) == 4
    assert all(preview_words(fits) in rows(picker)[model].words for model in ("builtin", "cloud/large", "cloud/other"))


def test_each_verdict_has_words_of_its_own():
    words = {preview_words(SwitchPreview(v, 5_000, 8_000, 900)) for v in ("fits", "compact", "too_small", "unknown")}  # type: ignore[arg-type]
    assert len(words) == 4


@pytest.mark.parametrize(
    ("typed", "signal", "argument"),
    [("large", "model_chosen", ["cloud/large"]), ("other", "unusable_chosen", ["far/other"]),
     ("zzz", "add_requested", [])],
)  # fmt: skip
def test_enter_chooses_what_was_typed(picker, qtbot, typed, signal, argument):
    qtbot.keyClicks(picker.field, typed)
    with qtbot.waitSignal(getattr(picker, signal)) as sent:
        qtbot.keyClick(picker.field, Qt.Key.Key_Return)
    assert sent.args == argument
    assert not picker.isVisible()


def test_a_model_can_always_be_added(picker):
    assert list(rows(picker))[-1] == ADD


@pytest.mark.wire
@play_scene()
async def test_the_chip_opens_the_picker_and_the_switch_offers_what_was_said(window, bridge):
    QTest.mouseClick(window.ui.header.chip, Qt.MouseButton.LeftButton)
    await until(lambda: window.findChildren(ModelPicker) and window.findChildren(ModelPicker)[0].isVisible())
    (picker,) = window.findChildren(ModelPicker)
    await until(lambda: "→" in rows(picker)["scripted/small"].words)
    (tokens,) = re.findall(r"[\d,]+ → [\d,]+", rows(picker)["scripted/small"].words)
    QTest.keyClicks(picker.field, "small")
    QTest.keyClick(picker.field, Qt.Key.Key_Return)
    await until(lambda: window.ui.toast.isVisible())
    assert tokens in window.ui.toast.accessibleName() + window.ui.toast.label.text()


@pytest.mark.wire
@play_scene(messages=0, servers=(), chat_model="builtin")
async def test_adding_a_model_leads_to_the_servers(window, bridge, servers_to_find):
    QTest.mouseClick(window.ui.header.chip, Qt.MouseButton.LeftButton)
    await until(lambda: window.findChildren(ModelPicker) and window.findChildren(ModelPicker)[0].isVisible())
    (picker,) = window.findChildren(ModelPicker)
    QTest.keyClick(picker.field, Qt.Key.Key_Up)
    QTest.keyClicks(picker.field, "zzz")
    QTest.keyClick(picker.field, Qt.Key.Key_Return)
    dialog = await opened_sheet(window, SettingsDialog)
    await until(lambda: dialog.servers.providers.buttons["anthropic"].hasFocus())
    assert not dialog.servers.forms, "it begins with the provider"
    await until(lambda: dialog.servers.found)


HUGE = ModelInfo("cloud/huge", "huge", 1_000_000, 8_192)


def test_a_large_window_of_the_model_in_use_can_be_limited(picker, qtbot):
    asked: list[str] = []
    picker.limit_requested.connect(asked.append)
    assert LIMIT not in rows(picker), "not that of a small window"
    listed = ModelsListed((SMALL, HUGE))
    picker.offer(listed, listed.models, "cloud/huge")
    assert "as the policy says" in rows(picker)[LIMIT].title
    listed = ModelsListed((SMALL, replace(HUGE, max_window=200_000)))
    picker.offer(listed, listed.models, "cloud/huge")
    assert "200K of 1M" in rows(picker)[LIMIT].title
    assert "200K of 1M" in rows(picker)["cloud/huge"].words
    for _ in range(2):
        qtbot.keyClick(picker.field, Qt.Key.Key_Down)
    qtbot.keyClick(picker.field, Qt.Key.Key_Return)
    assert asked == ["cloud/huge"]


@pytest.mark.parametrize(
    ("typed", "downs", "tokens"),
    [("", 1, 200_000), ("", 6, 1_000_000), ("", 7, 0), ("250K", 0, 250_000), ("2M", 0, 2_000_000)],
)
def test_a_limit_is_chosen_or_typed(window, qtbot, typed, downs, tokens):
    palette = WindowLimitPalette(HUGE, window)
    palette.open()
    chosen: list[tuple[str, int]] = []
    palette.limit_chosen.connect(lambda model, tokens: chosen.append((model, tokens)))
    qtbot.keyClicks(palette.field, typed)
    for _ in range(downs):
        qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert chosen == [("cloud/huge", tokens)]


def test_what_is_no_number_of_tokens_is_said(window, qtbot):
    palette = WindowLimitPalette(HUGE, window)
    palette.open()
    before = palette.note.text()
    qtbot.keyClicks(palette.field, "a lot")
    assert not palette.list.rows.rows
    assert palette.note.text() not in ("", before)
