"""The settings: what is written is what is saved, and nothing that is wrong is."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from settings_scenes import CLAUDE, MODELS, SETTINGS, STUDIO, TRACKER, open_settings, refuse, save, write

from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.setup import OwnPolicy
from desktop_app.models.endpoint import DEFAULT_ADDRESS, VARIABLES
from desktop_app.settings import McpServer, ModelLimits, Server, Settings
from desktop_app.ui.settings.limits import format_amount, parse_dollars, parse_reply, parse_window
from desktop_app.ui.settings.mcp_form import parse_command, parse_environment
from desktop_app.ui.settings.model_choice import models_of
from desktop_app.ui.settings.sections import policies_offered
from desktop_app.ui.settings.server_form import KINDS
from desktop_app.ui.translation import use_language
from desktop_app.ui.widgets.buttons import LinkButton


@pytest.fixture
def dialog(window):
    return open_settings(window)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("8192", 8_192), ("128K", 128_000), ("1.5m", 1_500_000), ("200 k", 200_000), ("131,072", 131_072),
     ("1_000_000", 1_000_000), ("1.048.576", 1_048_576)],
)  # fmt: skip
def test_windows_are_read_as_people_write_them(text, tokens):
    assert parse_window(text) == tokens


@pytest.mark.parametrize(("language", "written"), [("en", "131,072"), ("de", "131.072")])
def test_a_number_of_tokens_stands_as_the_language_writes_it(qapp, window, language_is_restored, language, written):
    use_language(qapp, language)
    settings = replace(SETTINGS, servers=(replace(STUDIO, limits={"qwen-7b": ModelLimits(0, 4_096)}),))
    dialog = open_settings(window, settings)
    (form,) = dialog.servers.forms
    assert form.window_size.text() == written
    assert form.models.max_output.text() == written.replace("131", "4").replace("072", "096")
    assert dialog.settings() == settings, "and is read so"


@pytest.mark.parametrize("sees", [True, False, None])
def test_pictures_are_switched_on_or_off_for_a_model(window, sees):
    """Some servers never tell, so that the user has to be able to."""
    settings = replace(SETTINGS, servers=(replace(STUDIO, limits={"qwen-7b": ModelLimits(0, 4_096, sees)}),))
    dialog = open_settings(window, settings)
    (form,) = dialog.servers.forms
    select = form.models.vision.select
    assert select.currentText() == {True: "It sees them", False: "It cannot see them"}.get(
        sees, "as the server reports"
    )
    assert dialog.settings() == settings
    select.setCurrentIndex(select.findText("It sees them"))
    assert dialog.settings().servers[0].limits["qwen-7b"] == ModelLimits(0, 4_096, True)


@pytest.mark.parametrize("text", ["many", "12 apples", "-5", "0", "100", "1.0001K", "128KB", "∞"])
def test_what_is_no_window_is_refused(text):
    with pytest.raises(ValueError, match="128K"):
        parse_window(text)


def test_a_longest_reply_may_be_short_and_a_window_may_not():
    assert [parse_reply(text) for text in ("", "500", "8K", "128,000")] == [0, 500, 8_000, 128_000]
    for text in ("0", "-5", "many"):
        with pytest.raises(ValueError, match="128K"):
            parse_reply(text)


def test_names_and_command_lines_are_read():
    assert models_of(" b, a;b\nc,, ") == ("b", "a", "c")
    assert parse_command("npx -y '@a/b c'") == ("npx", "-y", "@a/b c")
    assert parse_environment("A=1 'B=two words' C=") == {"A": "1", "B": "two words", "C": ""}
    with pytest.raises(ValueError, match="NAME=value"):
        parse_environment("nonsense")


def test_kinds_are_where_the_engine_looks_for_them():
    assert {kind: info.address for kind, info in KINDS.items() if info.address} == DEFAULT_ADDRESS
    assert {kind: info.variable for kind, info in KINDS.items() if info.variable} == {
        kind: names[0] for kind, names in VARIABLES.items()
    }


def test_what_is_not_touched_is_saved_as_it_was(dialog, qtbot):
    assert save(dialog, qtbot) == (SETTINGS, {})


def test_what_is_chosen_is_saved(dialog, qtbot):
    dialog.entries["theme"].choices.button("light").click()
    dialog.entries["font_scale"].slider.setValue(115)
    dialog.entries["language"].select.choose("de")
    dialog.entries["chat_model"].select.choose("builtin")
    dialog.entries["system_prompt"].area.setPlainText("  Answer in verse.")
    dialog.entries["is_automatic"].switch.click()
    dialog.entries["policy"].choices.button("aggressive").click()
    dialog.entries["utility_model"].select.choose("own")
    dialog.entries["is_memory_on"].switch.click()
    dialog.entries["is_recalling"].switch.click()
    dialog.entries["vision_model"].select.choose("")
    dialog.entries["research_model"].select.choose("lmstudio/llama-8b")
    for name, text in (("search_url", ""), ("max_rounds", "5"), ("folder", "/home/ana")):
        write(qtbot, dialog.entries[name], text)
    expected = replace(
        SETTINGS, theme="light", font_scale=1.15, language="de", chat_model="builtin", system_prompt="Answer in verse.",
        is_automatic=False, policy="aggressive", utility_model="", is_memory_on=False, is_recalling=True,
        vision_model="", research_model="lmstudio/llama-8b", search_url="", max_rounds=5, folder="/home/ana",
    )  # fmt: skip
    assert save(dialog, qtbot) == (expected, {})


def test_the_policy_says_what_it_does_and_one_of_another_program_is_kept(window, dialog, qtbot):
    assert "75 %" in dialog.entries["policy"].message.text()
    dialog.entries["policy"].choices.button("relaxed").click()
    assert "85 %" in dialog.entries["policy"].message.text()
    assert [name for name, _ in policies_offered(Settings())] == ["relaxed", "balanced", "aggressive"]
    imitation = open_settings(window, replace(SETTINGS, policy="seline"))
    assert "Seline" in imitation.entries["policy"].message.text()
    assert save(imitation, qtbot)[0].policy == "seline"


def test_roles_are_chosen_among_models_that_can_do_it(dialog):
    def offered(role) -> list[str]:
        return [role.select.itemData(row) for row in range(role.select.count())]

    assert offered(dialog.entries["vision_model"]) == ["", "anthropic/claude-sonnet-4-5"]
    assert offered(dialog.entries["research_model"]) == ["", "lmstudio/llama-8b", "anthropic/claude-sonnet-4-5"]


def test_a_server_is_added_with_its_key(dialog, qtbot):
    dialog.servers.add_server.click()
    dialog.servers.providers.buttons["openai_compatible"].click()
    form = dialog.servers.forms[2]
    for field, text in (
        (form.name, "work"), (form.address, "https://llm.example.com/v1/"), (form.models, "big, small"),
        (form.window_size, "128K"), (form.key, "sk-secret"),
    ):  # fmt: skip
        write(qtbot, field, text)
    saved, keys = save(dialog, qtbot)
    assert saved.servers[2] == Server("work", "https://llm.example.com/v1", ("big", "small"), 128_000)
    assert keys == {"work": "sk-secret"}


def test_another_kind_proposes_its_own_but_no_other_name_than_the_given_one(dialog, qtbot):
    dialog.servers.add_server.click()
    dialog.servers.providers.buttons["openai_compatible"].click()
    form = dialog.servers.forms[2]
    form.kind.select.choose("moonshot")
    assert form.name.text() == "moonshot"
    assert "api.moonshot.ai" in form.address.edit.placeholderText()
    assert "MOONSHOT_API_KEY" in form.key.edit.placeholderText()
    write(qtbot, form.models, "kimi-k2.5")
    assert save(dialog, qtbot)[0].servers[2] == Server("moonshot", "", ("kimi-k2.5",), kind="moonshot")
    write(qtbot, form.name, "work")
    form.kind.select.choose("ollama")
    assert form.name.text() == "work"


def test_what_is_wrong_with_a_server_is_said_beside_its_field(dialog, qtbot):
    dialog.servers.add_server.click()
    dialog.servers.providers.buttons["openai_compatible"].click()
    form = dialog.servers.forms[2]
    for field, text in ((form.name, "lmstudio"), (form.address, "localhost:1234"), (form.window_size, "huge")):
        write(qtbot, field, text)
    refuse(dialog, qtbot)
    assert all(field.error() for field in (form.name, form.address, form.models, form.window_size))
    assert form.name.edit.hasFocus()
    write(qtbot, form.name, "a/b")
    refuse(dialog, qtbot)
    assert "“/”" in form.name.error()
    form.remove.click()
    assert save(dialog, qtbot) == (SETTINGS, {})
    dialog.servers.forms[1].kind.select.choose("openai_compatible")
    dialog.show()
    refuse(dialog, qtbot)
    assert dialog.servers.forms[1].address.error(), "a server of no known place needs its address"


def test_what_was_wrong_is_no_longer_said_once_it_is_put_right(dialog, qtbot):
    dialog.servers.add_server.click()
    dialog.servers.providers.buttons["openai_compatible"].click()
    form = dialog.servers.forms[-1]
    write(qtbot, form.name, "studio")
    write(qtbot, form.address, "http://localhost:9/v1")
    refuse(dialog, qtbot)
    assert form.models.error()
    qtbot.keyClicks(form.models.edit, "large")
    qtbot.keyClick(form.models.edit, Qt.Key.Key_Return)
    assert not form.models.error()


@pytest.mark.parametrize("address", ["", "ftp://x/v1", "http://", "http://[::1", "http://x:99999/v1"])
@pytest.mark.long
def test_addresses_that_lead_nowhere_are_refused(dialog, qtbot, address):
    write(qtbot, dialog.servers.forms[0].address, address)
    refuse(dialog, qtbot)
    assert dialog.servers.forms[0].address.error()


def test_a_key_is_hidden_replaced_and_removed_but_never_shown(dialog, qtbot):
    form = dialog.servers.forms[0]
    assert form.key.edit.text() == ""
    assert form.key.edit.echoMode() == form.key.edit.EchoMode.Password
    assert "keyring" in form.key.message.text()
    write(qtbot, form.key, "new")
    assert dialog.keys() == {"lmstudio": "new"}
    form.key.edit.clear()
    assert dialog.keys() == {}
    form.remove_key.click()
    write(qtbot, form.name, "studio")
    assert save(dialog, qtbot)[1] == {"lmstudio": ""}


def test_a_key_on_an_unencrypted_way_is_warned_of(dialog, qtbot):
    form = dialog.servers.forms[0]
    write(qtbot, form.key, "new")
    for address, is_warned in {
        "http://localhost:1234/v1": False, "http://llm.example.com/v1": True, "http://localhost.evil.com/v1": True,
        "HTTP://localhost@evil.com/v1": True, "http://[::1]:8080/v1": False, "http://127.0.0.2/v1": False,
        "https://llm.example.com/v1": False,
    }.items():  # fmt: skip
        write(qtbot, form.address, address)
        assert ("not encrypted" in form.key.message.text()) is is_warned, address


def test_a_renamed_server_takes_its_models_along_and_asks_for_its_key(dialog, qtbot):
    form = dialog.servers.forms[0]
    write(qtbot, form.name, "studio")
    write(qtbot, dialog.servers.forms[1].name, "claude")
    refuse(dialog, qtbot)
    assert "old name" in form.key.message.text()
    write(qtbot, form.key, "again")
    saved, keys = save(dialog, qtbot)
    assert (saved.chat_model, saved.utility_model) == ("studio/llama-8b", "studio/small")
    assert saved.vision_model == "claude/claude-sonnet-4-5"
    assert keys == {"lmstudio": "", "studio": "again"}


def test_servers_can_swap_their_names(window, qtbot):
    dialog = open_settings(window, keys=())
    for form, name in zip(dialog.servers.forms, ("anthropic", "lmstudio"), strict=True):
        write(qtbot, form.name, name)
    saved, _ = save(dialog, qtbot)
    assert (saved.chat_model, saved.vision_model) == ("anthropic/llama-8b", "lmstudio/claude-sonnet-4-5")


def test_a_removed_server_takes_its_key_along_and_must_not_have_the_default_model(dialog, qtbot):
    write(qtbot, dialog.servers.forms[0].name, "lm/studio")
    refuse(dialog, qtbot)
    assert not dialog.entries["chat_model"].message.isVisible(), "the server is only named wrongly"
    dialog.servers.forms[0].remove.click()
    refuse(dialog, qtbot)
    assert "“lmstudio”" in dialog.entries["chat_model"].message.text()
    dialog.entries["chat_model"].select.choose("builtin")
    saved, keys = save(dialog, qtbot)
    assert saved.servers == (CLAUDE,)
    assert keys == {"lmstudio": ""}


def test_a_default_model_that_is_not_listed_is_kept(window, qtbot):
    dialog = open_settings(window, Settings(chat_model="builtin"), models=())
    assert "not available" in dialog.entries["chat_model"].select.currentText()
    assert save(dialog, qtbot)[0] == Settings(chat_model="builtin")


def test_cancel_saves_nothing(dialog, qtbot):
    with qtbot.assertNotEmitted(dialog.save_requested), qtbot.waitSignal(dialog.rejected):
        dialog.cancel.click()


@pytest.mark.parametrize("name", ["address", "key", "models", "window"])
def test_a_failure_leads_to_the_very_field(dialog, qtbot, name):
    for setting in ("", "servers/gone/key", "servers/lmstudio/other", "nonsense", f"servers/lmstudio/{name}"):
        dialog.show_setting(setting)
    edit, view = dialog.servers.forms[0].field(name), dialog.area.viewport()
    qtbot.waitUntil(edit.hasFocus)
    qtbot.waitUntil(lambda: view.rect().contains(edit.mapTo(view, QPoint(4, 4))))


# Tools


def test_rules_are_listed_and_removed(dialog, qtbot):
    rules = dialog.entries["rules"]
    dialog.show_section("tools")
    for rule in SETTINGS.rules:
        assert not rules.empty.isVisible()
        rules.removals[rule].click()
    assert rules.empty.isVisible()
    assert save(dialog, qtbot)[0].rules == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [("max_rounds", "0"), ("max_rounds", "many"), ("max_rounds", "9999"), ("search_url", "x"), ("folder", "src")],
)
@pytest.mark.long
def test_what_is_wrong_with_tools_is_said_beside_its_field(dialog, qtbot, name, text):
    field = dialog.entries[name]
    write(qtbot, field, text)
    refuse(dialog, qtbot)
    assert field.error()
    assert field.edit.hasFocus()


def test_an_mcp_server_is_a_program_or_an_address(dialog, qtbot):
    program, address = dialog.mcp_servers.forms
    dialog.show_section("tools")
    assert program.command.text() == "npx -y 'the tracker'"
    assert program.variables.text() == "'LEVEL=very loud'"
    assert [program.command.isVisible(), program.url.isVisible(), address.url.isVisible()] == [True, False, True]
    write(qtbot, address.key, "sk-2")
    address.way.button("program").click()
    assert dialog.keys() == {}, "a program has no key"
    address.way.button("address").click()
    program.way.button("address").click()
    write(qtbot, program.url, "https://tracker.example.com/mcp")
    saved, keys = save(dialog, qtbot)
    assert saved.mcp_servers[0] == McpServer("tracker", url="https://tracker.example.com/mcp", folder="/srv")
    assert keys == {"mcp/far": "sk-2"}


def test_an_mcp_server_is_added_checked_and_removed(dialog, qtbot):
    dialog.mcp_servers.add_server.click()
    form = dialog.mcp_servers.forms[2]
    room = dialog.area.viewport().height()
    qtbot.waitUntil(lambda: form.visibleRegion().boundingRect().height() == min(form.height(), room))
    assert form.name.visibleRegion().boundingRect().height() == form.name.height()
    for field, text in ((form.name, "tracker"), (form.command, "run 'unclosed"), (form.variables, "1BAD=x")):
        write(qtbot, field, text)
    refuse(dialog, qtbot)
    assert all(field.error() for field in (form.name, form.command, form.variables))
    form.remove.click()
    dialog.mcp_servers.forms[1].remove.click()
    saved, keys = save(dialog, qtbot)
    assert saved.mcp_servers == (TRACKER,)
    assert keys == {"mcp/far": ""}


# Summaries


@pytest.mark.parametrize(
    ("chosen", "note", "summaries", "model"),
    [
        ("own", "built-in model", "auto", ""),
        ("lmstudio/llama-8b", "sent to lmstudio", "auto", "lmstudio/llama-8b"),
        ("lmstudio/small", "not set up", "auto", "lmstudio/small"),
        ("code", "Nothing is sent", "extractive", "lmstudio/small"),  # which a plan made by hand may still ask for
    ],
)
@pytest.mark.long
def test_who_writes_the_summaries_is_described_and_saved(dialog, qtbot, chosen, note, summaries, model):
    choice = dialog.entries["utility_model"]
    choice.select.choose(chosen)
    assert note in choice.message.text()
    saved, _ = save(dialog, qtbot)
    assert (saved.summaries, saved.utility_model) == (summaries, model)
    assert open_settings(dialog.parentWidget(), saved).entries["utility_model"].chosen() == chosen


def test_a_model_that_is_gone_is_shown_as_missing_and_kept(dialog, qtbot):
    choice = dialog.entries["utility_model"]
    assert choice.select.currentText() == "lmstudio/small · not set up"
    models = dialog.servers.forms[0].models.edit
    qtbot.keyClicks(models, "small")
    assert "small reads" in choice.message.text()
    dialog.servers.forms[0].remove.click()
    assert "small is not set up" in choice.message.text()
    assert choice.select.accessibleDescription() == choice.message.text()


def test_models_that_cannot_write_say_so_and_those_of_one_name_are_told_apart(window):
    unknown = ModelInfo("lmstudio/qwen-7b", "qwen-7b", 0, 0, note="No window.")
    dialog = open_settings(window, replace(SETTINGS, utility_model=unknown.id), (*MODELS, unknown))
    assert dialog.entries["utility_model"].message.text().startswith("No window. Until")
    builtin = open_settings(window, replace(SETTINGS, utility_model="builtin"))
    assert builtin.entries["utility_model"].select.currentText() == "SmolLM2 135M · too small"
    twins = tuple(ModelInfo(f"{server}/qwen", "qwen", 8_192, 1_000) for server in ("home", "work"))
    select = open_settings(window, replace(SETTINGS, servers=(STUDIO,)), twins).entries["utility_model"].select
    assert [select.itemText(row) for row in (1, 2)] == ["home/qwen", "work/qwen"]


def test_the_keyboard_goes_from_the_sections_through_one_of_them_to_the_buttons(dialog, qtbot):
    dialog.show_section("context")
    select = dialog.entries["utility_model"].select
    select.setFocus()
    qtbot.keyClick(select, Qt.Key.Key_Tab)
    assert dialog.cancel.hasFocus()
    select.setFocus()
    for _ in range(2):  # over the link to every number
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Backtab)
    assert dialog.entries["policy"].isAncestorOf(dialog.focusWidget())


def test_every_number_of_the_policy_is_one_link_away_and_nothing_that_was_written_is_lost(dialog, qtbot):
    (link,) = [link for link in dialog.findChildren(LinkButton) if "every number" in link.text()]
    dialog.entries["policy"].choices.button("relaxed").click()
    saved = []
    dialog.save_requested.connect(lambda settings, _: saved.append(settings.policy))
    dialog.policies_requested.connect(lambda: saved.append("then the policies"))
    qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
    assert saved == ["relaxed", "then the policies"]
    assert not dialog.isVisible()


def test_policies_of_ones_own_are_offered_and_stay_chosen(window, qtbot):
    own = (OwnPolicy("Mine", "balanced", {"compact_at": 0.85}), OwnPolicy("seline"))
    settings = replace(SETTINGS, policies=own, policy="Mine")
    assert [name for name, _ in policies_offered(settings)] == ["relaxed", "balanced", "aggressive", "Mine"]
    dialog = open_settings(window, settings)
    assert "85 %" in dialog.entries["policy"].message.text()
    assert save(dialog, qtbot)[0] == settings


def test_without_a_server_the_providers_stay_when_one_is_to_be_added(window):
    dialog = open_settings(window, replace(SETTINGS, servers=()))
    servers = dialog.servers
    assert servers.providers.isVisible()
    servers.add_server.click()
    assert servers.providers.isVisible()
    assert servers.providers.buttons["anthropic"].hasFocus(), "the first on the screen"
    servers.providers.buttons["anthropic"].click()
    assert not servers.providers.isVisible()
    for is_open in (True, False):
        servers.add_server.click()
        assert servers.providers.isVisible() is is_open, "once there is a server, a second click puts them away"


def test_adding_a_model_begins_with_the_provider_and_its_key(dialog, qtbot):
    servers = dialog.servers
    assert not servers.providers.isVisible()
    servers.add_server.click()
    assert servers.providers.isVisible()
    servers.providers.buttons["openai"].click()
    form = servers.forms[-1]
    assert (form.chosen_kind(), form.name.text()) == ("openai", "openai")
    assert form.key.edit.hasFocus()
    assert form.column.indexOf(form.key) < form.column.indexOf(form.models) < form.column.indexOf(form._where)
    servers.add_server.click()
    with qtbot.waitSignal(servers.fetch_requested):
        servers.providers.buttons["ollama"].click()
    assert servers.forms[-1].models.edit.hasFocus()
    servers.add_server.click()
    servers.providers.buttons["anthropic"].click()
    assert servers.forms[-1].name.text() == "anthropic 2", "there is one"
    servers.add_server.click()
    servers.providers.buttons["openai_compatible"].click()
    form = servers.forms[-1]
    assert form.address.edit.hasFocus()
    assert form.column.indexOf(form._where) < form.column.indexOf(form.key)


@pytest.mark.parametrize(
    ("text", "dollars"), [("", 0.0), ("5", 5.0), ("$2.50", 2.5), ("2,5", 2.5), (" 0.05 ", 0.05), ("1234.50", 1_234.5)]
)
def test_an_amount_is_read_as_people_write_it(text, dollars):
    assert parse_dollars(text) == dollars
    assert parse_dollars(format_amount(dollars)) == dollars


@pytest.mark.parametrize("text", ["0", "-1", "a lot", "1.2.3", "0.001", "1e9", "nan"])
def test_what_is_no_amount_is_an_error(text):
    with pytest.raises(ValueError):  # noqa: PT011 - the text is for people
        parse_dollars(text)
