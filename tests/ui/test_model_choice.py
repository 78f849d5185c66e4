"""The models of a server in the settings: fetched, filtered, ticked, typed, each with its limits; and its test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from settings_scenes import CLAUDE, open_settings, refuse, save, write
from ui_scenes import opened_sheet, play_scene, until

from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.model_servers import CheckResult, ModelOffer, ModelPrice
from desktop_app.conversation.quirks import Learned
from desktop_app.engine.protocol import ModelsListed, SettingsRead
from desktop_app.settings import McpServer, ModelLimits, Server, Settings
from desktop_app.ui.model_words import price_words, probe_price, result_words, short_window, window_words
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from provider import Reply, ScriptedProvider

MINE = Server("mine", "http://127.0.0.1:9/v1", ("large",), limits={"large": ModelLimits(9_000)})
OFFERS = (
    ModelOffer("large", 64_000, 4_096, True, True, None, "server"),
    ModelOffer("small", 12_000, 0, False, False, None, "server"),
    ModelOffer("vendor/other"),
)


@pytest.fixture
def form(window):
    """The form of a server with one model, whose list has been fetched."""
    dialog = open_settings(window, Settings(servers=(MINE,)), (), ())
    made = dialog.servers.forms[0]
    made.show_fetched(OFFERS, (CheckResult("listed", "good", 3),))
    dialog.area.ensureWidgetVisible(made.models)
    return made


def listed(form) -> list[str]:
    return [row.title for row in form.models.list.rows.rows]


def click_row(form, number: int, *, is_box: bool = True) -> None:
    rows = form.models.list
    row = rows.visualRect(rows.rows.index(number))
    at = QPoint(row.left() + 10, row.center().y()) if is_box else row.center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=at)


def saved(form, qtbot) -> Server:
    return save(form.window().findChild(SettingsDialog), qtbot)[0].servers[0]


def test_models_are_ticked_and_unticked(form, qtbot):
    assert listed(form) == ["large", "small", "vendor/other"]
    click_row(form, 1)
    assert form.models.names() == ("large", "small")
    click_row(form, 0)
    assert saved(form, qtbot).models == ("small",)


def test_a_click_on_a_model_that_is_ticked_goes_to_its_limits_and_keeps_it(form, qtbot):
    click_row(form, 1, is_box=False)
    assert form.models.names() == ("large", "small"), "a click anywhere on it ticks it"
    click_row(form, 0, is_box=False)
    assert form.models.names() == ("large", "small")
    assert "large" in form.models.window_size.label.text()
    assert form.models.window_size.text() == "9,000"
    click_row(form, 1, is_box=False)
    write(qtbot, form.models.window_size, "16K")
    limits = saved(form, qtbot).limits
    assert {name: own.window for name, own in limits.items()} == {"large": 9_000, "small": 16_000}


def test_what_a_model_lacks_is_asked_for_in_its_own_field(form, qtbot):
    click_row(form, 2)
    form.models.edit.setText("lar")
    dialog = form.window().findChild(SettingsDialog)
    dialog.show_setting("servers/mine/window/vendor/other")
    qtbot.waitUntil(form.models.window_size.edit.hasFocus)
    assert "vendor/other" in form.models.window_size.label.text()
    assert "not known" in form.models.window_size.edit.placeholderText()
    dialog.show_setting("servers/mine/window/gone")
    qtbot.waitUntil(form.window_size.edit.hasFocus)


def test_what_is_known_to_run_here_is_free_and_what_may_lead_elsewhere_is_not(window, qtbot):
    dialog = open_settings(window, Settings(servers=(MINE,)), (), ())
    form = dialog.servers.forms[0]
    form.show_fetched([ModelOffer("large", 64_000), ModelOffer("small", 9_000, runs_here=True)], ())
    asides = [row.aside for row in form.models.list.rows.rows]
    assert [("free" in aside) for aside in asides] == [False, True]
    assert "cost nothing" not in form.check_pane.about.text()
    form.models.show_known([ModelOffer("large", 64_000, runs_here=True)])
    assert "cost nothing" in form.check_pane.about.text()
    form.models.show_known([])
    form.kind.select.choose("ollama")
    assert "cost nothing" in form.check_pane.about.text()
    write(qtbot, form.address, "http://10.0.0.2:11434")
    assert "cost nothing" not in form.check_pane.about.text()


def test_what_was_learned_is_shown_and_can_be_forgotten(window, qtbot):
    dialog = open_settings(window, Settings(servers=(MINE,)), (), ())
    form = dialog.servers.forms[0]
    learned = Learned(8_192, ("without stream_options", "pictures 1"))
    form.models.show_known([ModelOffer("large", 64_000, learned=learned)])
    form.models.list.go_to("large")
    words = "it accepts 8,192 tokens; it is sent no “stream_options”, at most 1 picture."
    assert form.models.learned.text() == f"Learned from its server’s refusals: {words}"
    with qtbot.waitSignal(dialog.forget_requested) as asked:
        form.models.forget.click()
    assert asked.args == [form]
    form.models.show_known([ModelOffer("large", 64_000)])
    assert form.models.learned_row.isHidden()


@pytest.mark.parametrize("place", ["stored", "session", "environment", ""])
def test_the_field_of_a_key_says_where_it_is(window, place):
    keys = ("mine", "mcp/far") if place else ()
    unstored = {} if place in ("stored", "") else dict.fromkeys(keys, place)
    far = McpServer("far", url="https://tools.example.com/mcp")
    settings = Settings(servers=(MINE,), mcp_servers=(far,))
    dialog = SettingsDialog(SettingsRead(settings, keys, "in memory", "", unstored), ModelsListed(()), window)
    dialog.open()
    form = dialog.servers.forms[0]
    for hint in (form.key.edit.placeholderText(), dialog.mcp_servers.forms[0].key.edit.placeholderText()):
        assert ("saved" in hint) is (place == "stored")
        assert ("until you quit" in hint) is (place == "session")
        assert ("environment" in hint) is (place == "environment")
    assert form.remove_key.isVisibleTo(form) is (place in ("stored", "session"))


def test_the_list_is_filtered_and_the_keyboard_chooses_from_it(form, qtbot):
    qtbot.keyClicks(form.models.edit, "VEND")
    assert listed(form) == ["vendor/other", "Add “VEND”"]
    assert form.models.names() == ("large",), "a filter is no name"
    qtbot.keyClick(form.models.edit, Qt.Key.Key_Return)
    form.models.edit.clear()
    qtbot.keyClick(form.models.edit, Qt.Key.Key_Down)
    qtbot.keyClick(form.models.list, Qt.Key.Key_Space)
    assert form.models.names() == saved(form, qtbot).models
    assert "vendor/other" in form.models.names()


def test_a_name_that_is_not_listed_can_be_typed(form, qtbot):
    qtbot.keyClicks(form.models.edit, "large-2")
    click_row(form, 0)
    assert form.models.names() == ("large", "large-2")
    assert form.models.edit.text() == ""
    qtbot.keyClicks(form.models.edit, "a, b;c")
    assert saved(form, qtbot).models == ("large", "large-2", "a", "b", "c")


def test_each_model_has_limits_of_its_own(form, qtbot):
    assert form.models.window_size.text() == "9,000"
    form.models.window_size.edit.selectAll()
    qtbot.keyClick(form.models.window_size.edit, Qt.Key.Key_Delete)
    click_row(form, 1)
    assert "12,000" in form.models.window_size.edit.placeholderText()
    write(qtbot, form.models.window_size, "10K")
    write(qtbot, form.models.max_output, "500")
    form.models.list.go_to("large")
    assert form.models.window_size.text() == ""
    assert saved(form, qtbot).limits == {"small": ModelLimits(10_000, 500)}


def test_a_wrong_limit_is_shown_at_its_model(form, qtbot):
    click_row(form, 1)
    write(qtbot, form.models.window_size, "huge")
    form.models.list.go_to("large")
    refuse(form.window().findChild(SettingsDialog), qtbot)
    assert form.models.list.current_key() == "small"
    assert form.models.error()
    assert form.models.window_size.edit.hasFocus()


def test_a_server_without_a_list_says_so_and_takes_names(form, qtbot):
    form.show_fetched((), (CheckResult("reached", "good"), CheckResult("listed", "unsure")))
    assert form.models.message.isVisibleTo(form)
    qtbot.keyClicks(form.models.edit, "typed")
    assert saved(form, qtbot).models == ("large", "typed")


def test_five_thousand_models_are_listed_and_filtered(form, qtbot):
    form.show_fetched([ModelOffer(f"vendor/model-{n}", 8_192) for n in range(5_000)], ())
    assert len(listed(form)) == 5_001
    qtbot.keyClicks(form.models.edit, "-4999")
    assert listed(form)[0] == "vendor/model-4999"
    assert form.models.list.height() < form.height()


def test_what_a_test_costs_is_said_before(form):
    assert "large" in form.check_pane.about.text()
    assert probe_price(None, True) != probe_price(None, False)
    assert "$0.01" in probe_price(ModelPrice(3, 15), False)
    click_row(form, 0)
    assert not form.check_pane.button.isEnabled(), "no model is chosen"


@pytest.mark.parametrize(
    ("price", "is_local", "words"),
    [(ModelPrice(3, 15), False, "$3 / $15"), (ModelPrice(0.6, 2.5), False, "$0.60 / $2.50"),
     (ModelPrice(0.075, 0.3), False, "$0.075 / $0.30"), (ModelPrice(0, 0), False, "$0 / $0")],
)  # fmt: skip
def test_prices_in_words(price, is_local, words):
    assert price_words(price, is_local) == words
    assert price_words(price, True) != price_words(None) != words


def test_windows_in_words():
    assert [short_window(n) for n in (500, 8_192, 200_000, 1_000_000, 1_048_576)] == ["500", "8K", "200K", "1M", "1M"]
    texts = {window_words(8_000, source) for source in ("settings", "server", "earlier", "catalogue", "assumed")}
    assert len(texts) == 5
    assert "8,000" not in window_words(0, "")


def test_each_result_has_its_own_words():
    results = [
        CheckResult("reached", "good", seconds=1), CheckResult("reached", "bad", detail="x"),
        CheckResult("listed", "good", 1), CheckResult("listed", "good", 2), CheckResult("listed", "unsure"),
        CheckResult("key", "good"), CheckResult("key", "bad", detail="x"), CheckResult("window", "good", 9),
        CheckResult("window", "unsure", 0), CheckResult("replied", "good", seconds=2, dollars=0.5),
        CheckResult("replied", "bad", detail="why"), CheckResult("replied", "bad", seconds=60),
        CheckResult("streamed", "good", 5), CheckResult("streamed", "unsure", 1), CheckResult("tools", "good"),
        CheckResult("tools", "unsure"), CheckResult("tools", "bad", detail="refused"),
    ]  # fmt: skip
    words = [result_words(result) for result in results]
    assert len(set(words)) == len(words)
    assert all(word and "{" not in word for word in words)
    assert "$0.50" in words[9]


async def open_form(window, servers):
    window.settings.open("servers")
    return await opened_sheet(window, SettingsDialog)


@pytest.fixture
def locked() -> Iterator[ScriptedProvider]:
    """A server of two models that wants a key."""
    with ScriptedProvider([Reply("Yes.")], key="right", models=("large", "other"), repeat_last=True) as provider:
        yield provider


@pytest.mark.wire
@play_scene(fixture="play_with_process", messages=0, servers=(), chat_model="builtin")
async def test_a_server_is_added_fetched_tested_and_stored(window, bridge, locked):
    dialog = await open_form(window, ())
    QTest.mouseClick(dialog.servers.providers.buttons["openai_compatible"], Qt.MouseButton.LeftButton)
    (form,) = dialog.servers.forms
    for field, text in ((form.name, "Mine"), (form.address, locked.base_url), (form.key, "wrong")):
        field.edit.setText(text)
    QTest.keyClicks(form.models.edit, "large")
    QTest.mouseClick(form.models.fetch, Qt.MouseButton.LeftButton)
    await until(lambda: form.key.edit.hasFocus() and form.key.message.text())  # where it is put right
    QTest.mouseClick(form.check_pane.button, Qt.MouseButton.LeftButton)
    await until(lambda: form.check_pane.lines and not form.check_pane.is_running)
    assert len(form.check_pane.lines) == 2, "what comes next would be refused as well"
    form.key.edit.setText("right")
    QTest.mouseClick(form.models.fetch, Qt.MouseButton.LeftButton)
    await until(lambda: "large" in listed(form))
    form.models.list.go_to("large")
    click_row(form, form.models.list.currentIndex().row())
    QTest.mouseClick(form.check_pane.button, Qt.MouseButton.LeftButton)
    await until(lambda: len(form.check_pane.lines) == 7 and not form.check_pane.is_running)
    dialog.save.click()
    stored: list[Settings] = []
    window.settings.changed.connect(stored.append)
    await until(lambda: stored)
    assert "large" in stored[0].servers[0].models


def test_what_is_known_of_a_model_is_shown_with_its_source_before_the_list_is_fetched(window):
    info = ModelInfo("mine/large", "large", 64_000, 4_096, window_source="server")
    server = Server("mine", "http://127.0.0.1:9/v1", ("large",))
    form = open_settings(window, Settings(servers=(server,)), (info,), ()).servers.forms[0]
    shown = form.models.window_size.edit.placeholderText()
    assert window_words(64_000, "server") == shown
    form.show_fetched((ModelOffer("large", 32_000, window_source="server"),), ())
    assert window_words(32_000, "server") == form.models.window_size.edit.placeholderText()


def test_a_failure_that_names_the_models_fetches_the_list_of_that_server(window, qtbot):
    dialog = open_settings(window, Settings(servers=(CLAUDE, MINE)), (), ())
    with qtbot.waitSignal(dialog.fetch_requested) as asked:
        dialog.show_setting("servers/mine/models")
    assert asked.args == [dialog.servers.forms[1]]
    assert dialog.servers.forms[1].models.edit.hasFocus()


def test_the_place_to_add_a_model_is_that_of_the_first_server(window, qtbot):
    dialog = open_settings(window, Settings(servers=(CLAUDE,)), (), ())
    with qtbot.waitSignal(dialog.fetch_requested):
        dialog.show_setting("servers")
    assert dialog.servers.forms[0].models.edit.hasFocus()


def test_the_keyboard_goes_from_the_button_to_the_filter_of_what_is_fetched(form):
    form.models.fetch.setFocus()
    form.models.set_fetching(True)
    assert form.models.edit.hasFocus()
