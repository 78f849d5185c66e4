"""Models and personas with the real engine: what a switch means is said and done; a persona is what is sent."""

from __future__ import annotations

import asyncio
import re

import pytest
from person import Person, long_talk, store_talk
from PySide6.QtCore import Qt
from ui_scenes import is_idle

from desktop_app.conversation.gauge import Segment, Status
from desktop_app.settings import ModelLimits
from desktop_app.ui.model_picker import LIMIT, ModelPicker, WindowLimitPalette
from desktop_app.ui.settings.setup_sheet import SetupSheet
from desktop_app.ui.sidebar.choice_palettes import PersonaPalette
from provider import Reply

pytestmark = [pytest.mark.wire, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]


async def pick(person: Person, name: str) -> str:
    """Choose a model by its name; return what its row says."""
    await person.click(person.window.ui.header.chip)
    picker = await person.sheet(ModelPicker, 30, "the models")
    await person.type(name)

    def row() -> str:
        key = picker.list.current_key()
        return next((one.words for one in picker.list.rows.rows if one.key == key), "") if name in key else ""

    await person.sees(lambda: "→" in row(), "what switching means")
    words = row()
    await person.enter()
    await person.wait_until_closed(ModelPicker)
    return words


@pytest.mark.row("U3", "what switching means, and that it is done")
def test_a_smaller_model_is_switched_to_and_the_conversation_is_compacted_first(play_by_engine, data_folder) -> None:
    asyncio.run(store_talk(data_folder, long_talk(70)))

    async def scene(person: Person) -> None:
        large = await person.shown_gauge()
        words = await pick(person, "small")
        found = re.search(r"([\d,]+) → ([\d,]+)", words)
        assert found
        before, after = (int(figure.replace(",", "")) for figure in found.groups())
        assert abs(before - large.total) <= large.total * 0.02
        await person.sees(lambda: person.window.ui.gauge.gauge.window == 6_000, "the window of the small model")
        assert (await person.shown_gauge()).status is Status.EXCEEDED
        await person.ask("Where are we?", "At sea.")
        (row,) = [row for row in person.operations if row.kind == "compaction"]
        now = await person.shown_gauge()
        assert now.segments[Segment.SUMMARY] > 0
        assert now.total < 5_000
        assert abs(row.tokens_after - after) <= 0.25 * after, "what was told before"

    limits = {"small": ModelLimits(6_000, 1_000)}
    provider = play_by_engine(scene, [Reply("At sea.", usage=None)], limits=limits)
    assert [request.body["model"] for request in provider.requests] == ["small"]


@pytest.mark.row("U11", "prompt and parameters as they are sent; a persona begins another")
def test_a_persona_is_saved_and_a_conversation_begun_with_it(play_by_engine) -> None:
    async def scene(person: Person) -> None:
        window = person.window
        await person.ask("Hello?", "Hello.")
        await person.click(window.ui.header.menu)
        await person.choose_from_menu("Conversation settings…")
        sheet = await person.sheet(SetupSheet, 30, "the sheet of this conversation")
        await person.replace_text(sheet.prompt.area.viewport(), "Talk like a pirate.")
        await person.replace_text(sheet.temperature.edit, "0.3")
        await person.replace_text(sheet.name.edit, "Pirate")
        await person.click(sheet.keep)
        await person.sees(lambda: window.setup.personas, "a persona")
        await person.click(sheet.save)
        await person.wait_until_closed(SetupSheet)
        await person.ask("And now?", "Arr.")
        first = window.chat.conversation
        await person.press_command("persona")
        palette = await person.sheet(PersonaPalette, 30, "the personas")
        await person.sees(lambda: palette.list.rows.rowCount() == 1, "the persona")
        await person.enter()
        await person.sees(lambda: window.chat.conversation != first and is_idle(window), "another conversation")
        await person.ask("Ahoy?", "Ahoy.")

    steps = [Reply(text, usage=None) for text in ("Hello.", "Arr.", "Ahoy.")]
    plain, changed, begun = (request.body for request in play_by_engine(scene, steps).requests)
    assert plain["messages"][0]["content"] != changed["messages"][0]["content"] == "Talk like a pirate."
    assert begun["messages"][0] == changed["messages"][0]
    assert ("temperature" in plain, changed["temperature"], begun["temperature"]) == (False, 0.3, 0.3)
    assert len(begun["messages"]) == 2


def test_a_part_of_a_large_window_is_used_from_now_on(play_by_engine) -> None:
    async def scene(person: Person) -> None:
        assert (await person.shown_gauge()).window == 400_000
        await person.click(person.window.ui.header.chip)
        picker = await person.sheet(ModelPicker, 30, "the models")
        await person.sees(lambda: any(row.key == LIMIT for row in picker.list.rows.rows), "the line of the window")
        while picker.list.current_key() != LIMIT:
            await person.press_keys(Qt.Key.Key_Down)
        await person.enter()
        await person.sheet(WindowLimitPalette, 30, "the numbers")
        await person.type("200K")
        await person.enter()
        await person.sees(lambda: person.window.ui.gauge.gauge.window == 200_000, "the part in the gauge")
        gauge = await person.shown_gauge()
        assert (gauge.whole_window, gauge.spare) == (400_000, 200_000)
        assert "200K of 400K" in person.window.ui.gauge.share.text()
        await person.ask("Where are we?", "At sea.")

    provider = play_by_engine(scene, [Reply("At sea.", usage=None)], window=400_000)
    assert len(provider.requests) == 1
