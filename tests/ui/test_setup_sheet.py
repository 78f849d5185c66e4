"""The sheet of one conversation: what is written is what is sent, and personas that are saved, taken and begun with."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from settings_scenes import write
from ui_scenes import play_scene, until

from desktop_app.conversation.setup import ConversationSetup, Persona, ReplyOptions
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings
from desktop_app.ui.settings.entries import parse_folder
from desktop_app.ui.settings.setup_sheet import SetupSheet, parse_share
from desktop_app.ui.sidebar.choice_palettes import PersonaPalette
from desktop_app.ui.welcome import WelcomePage
from desktop_app.ui.widgets.buttons import LinkButton

HERE = Persona("Trip", model="home/large", folder="/home/ana", policy="")
PIRATE = Persona(
    "Pirate", ConversationSetup(system_prompt="Arr.", options=ReplyOptions(0.9), tools_off=("bash",)), "far/other"
)
READ = p.SetupRead(ConversationSetup(), "Be helpful.", ("temperature", "top_p"), ("bash", "read"))


def open_sheet(window, read=READ, personas=(PIRATE,)) -> SetupSheet:
    policies = [("Balanced", "balanced"), ("Relaxed", "relaxed")]
    sheet = SetupSheet(read, HERE, policies, personas, "large", window)
    sheet.open()
    return sheet


def save(sheet, qtbot) -> Persona:
    with qtbot.waitSignal(sheet.save_requested) as saved:
        qtbot.mouseClick(sheet.save, Qt.MouseButton.LeftButton)
    return saved.args[0]


def test_what_is_not_touched_stays_as_it_was(window, qtbot):
    assert save(open_sheet(window), qtbot) == Persona("", ConversationSetup(), "", "/home/ana", "")
    own = ConversationSetup("", "Mine.", ReplyOptions(0.5, 0.9, "low"), 500, ("read", "gone_tool"))
    read = p.SetupRead(own, "Mine.", ("temperature",), ("bash", "read"))
    assert save(open_sheet(window, read), qtbot).setup == own, "a tool whose server is away stays off, too"


@pytest.mark.row("U11", "written, refused beside its field, saved")
def test_what_is_written_is_saved(window, qtbot):
    sheet = open_sheet(window)
    sheet.prompt.area.setPlainText("Answer in verse.")
    for field, text in ((sheet.temperature, "0,7"), (sheet.top_p, "0.9"), (sheet.max_output, "2K")):
        write(qtbot, field, text)
    sheet.effort.choices.button("high").click()
    sheet.policy.select.choose("relaxed")
    write(qtbot, sheet.folder, "/srv")
    sheet.tools.setFocus()
    qtbot.keyClick(sheet.tools, Qt.Key.Key_Space)
    written = save(sheet, qtbot)
    expected = ConversationSetup("", "Answer in verse.", ReplyOptions(0.7, 0.9, "high"), 2_000, ("bash",))
    assert written == Persona("", expected, "", "/srv", "relaxed")


def test_an_emptied_system_prompt_is_none_at_all(window, qtbot):
    sheet = open_sheet(window)
    sheet.prompt.area.setPlainText("")
    assert save(sheet, qtbot).setup.system_prompt == ""


@pytest.mark.long
@pytest.mark.parametrize(
    ("field", "text"), [("temperature", "3"), ("temperature", "warm"), ("top_p", "0"), ("top_p", "1.5"),
                        ("max_output", "0"), ("folder", "src")]
)  # fmt: skip
def test_what_is_wrong_is_said_beside_its_field(window, qtbot, field, text):
    sheet = open_sheet(window)
    write(qtbot, getattr(sheet, field), text)
    with qtbot.assertNotEmitted(sheet.save_requested):
        qtbot.mouseClick(sheet.save, Qt.MouseButton.LeftButton)
    assert getattr(sheet, field).error()
    assert getattr(sheet, field).edit.hasFocus()


def test_what_the_model_does_not_take_is_said(window):
    sheet = open_sheet(window)
    assert "large" in sheet.effort.message.text()
    assert not sheet.temperature.message.text()


def test_numbers_and_folders_are_read():
    assert [parse_share(t, 2, may_be_zero=True) for t in ("", "0", "1.25", "0,5", ".5")] == [None, 0, 1.25, 0.5, 0.5]
    for text in ("-1", "1e9", "nan", "inf", "2.1"):
        with pytest.raises(ValueError, match="such as"):
            parse_share(text, 2, may_be_zero=True)
    assert parse_folder("") == ""


def test_a_persona_is_taken_into_the_fields_and_named_in_the_conversation(window, qtbot):
    sheet = open_sheet(window)
    sheet.persona.select.choose("Pirate")
    sheet.persona.select.activated.emit(sheet.persona.select.currentIndex())
    assert sheet.prompt.value() == "Arr."
    assert sheet.temperature.text() == "0.9"
    written = save(sheet, qtbot)
    assert written.model == "far/other"
    assert written.setup == ConversationSetup("Pirate", "Arr.", ReplyOptions(0.9), 0, ("bash",))


def test_what_is_written_is_kept_as_a_persona(window, qtbot):
    sheet = open_sheet(window, personas=())
    qtbot.mouseClick(sheet.keep, Qt.MouseButton.LeftButton)
    assert sheet.name.error(), "it needs a name"
    write(qtbot, sheet.temperature, "1")
    write(qtbot, sheet.name, "Helper")
    sheet.with_model.switch.click()
    with qtbot.waitSignal(sheet.persona_saved) as kept:
        qtbot.mouseClick(sheet.keep, Qt.MouseButton.LeftButton)
    setup = ConversationSetup(system_prompt="Be helpful.", options=ReplyOptions(1.0))
    assert kept.args[0] == Persona("Helper", setup, "home/large", "/home/ana", "")
    assert save(sheet, qtbot).setup.persona == "Helper"


def test_a_persona_is_removed(window, qtbot):
    read = p.SetupRead(ConversationSetup(persona="Pirate"), "Be helpful.", (), ())
    sheet = open_sheet(window, read)
    with qtbot.waitSignal(sheet.persona_removed) as removed:
        qtbot.mouseClick(sheet.remove, Qt.MouseButton.LeftButton)
    assert removed.args == ["Pirate"]
    assert save(sheet, qtbot).setup.persona == ""
    gone = open_sheet(window, read, ())
    assert "Pirate" in gone.persona.select.currentText()


def test_the_first_page_offers_personas(qtbot):
    page = WelcomePage()
    qtbot.addWidget(page)
    page.resize(700, 600)
    page.show()
    page.show_personas(["Pirate", "Editor"])
    page.show_personas(["Pirate", "Helper"])
    links = {link.text(): link for link in page.personas.findChildren(LinkButton)}
    assert list(links) == ["Pirate", "Helper"]
    with qtbot.waitSignal(page.persona_chosen) as chosen:
        qtbot.mouseClick(links["Helper"], Qt.MouseButton.LeftButton)
    assert chosen.args == ["Helper"]
    page.show_personas([])
    assert not page.personas.isVisible()


@pytest.mark.wire
@play_scene()
async def test_the_sheet_is_opened_and_a_conversation_begun_with_what_it_saved(window, bridge):
    window.setup.open()
    await until(lambda: any(sheet.is_complete for sheet in window.findChildren(SetupSheet)))
    (sheet,) = window.findChildren(SetupSheet)
    sheet.prompt.area.setPlainText("Arr.")
    QTest.keyClicks(sheet.name.edit, "Pirate")
    QTest.mouseClick(sheet.keep, Qt.MouseButton.LeftButton)
    await until(lambda: window.setup.personas)
    QTest.mouseClick(sheet.save, Qt.MouseButton.LeftButton)
    stored = (await bridge.ask(p.ReadSettings())).settings
    assert isinstance(stored, Settings)
    assert stored.personas[0].setup.system_prompt == "Arr."
    before = window.chat.conversation
    window.setup.offer_personas()
    (palette,) = window.findChildren(PersonaPalette)
    QTest.keyClicks(palette.field, "pir")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    await until(lambda: window.chat.conversation != before)
