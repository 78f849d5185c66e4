"""Answers to a tool's question, and a key that is refused, with the real engine: what is done, and what never is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from person import Person
from ui_scenes import is_idle, texts

from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.transcript_items import FailureItem
from provider import Call, Reply, Status

pytestmark = pytest.mark.wire


def writing(name: str) -> Reply:
    call = Call("write", json.dumps({"path": name, "content": f"of {name}"}), f"call_{name[0]}")
    return Reply("I write.", calls=(call,), finish="tool_calls", usage=None)


@pytest.mark.row("U4", "denied; allowed in this conversation")
def test_what_is_denied_is_not_written_and_what_is_allowed_here_is_not_asked_again(play_by_engine, tmp_path) -> None:
    async def scene(person: Person) -> None:
        question = person.window.ui.question
        await person.say("Write a.")
        await person.sees(lambda: question.is_listening, "a question")
        await person.click(question.deny)
        await person.sees_end("Not a.")
        assert not (tmp_path / "a.txt").exists()
        await person.say("Write b.")
        await person.sees(lambda: question.is_listening, "a question again")
        await person.click(question.conversation)
        await person.sees_end("And b.")
        assert (tmp_path / "b.txt").read_text() == "of b.txt"
        await person.ask("Write b again.", "Again.")
        assert not question.isVisible()

    off = ("bash", "edit", "glob", "grep", "list", "read", "recall", "save_memory", "web_fetch", "web_search")
    said = [Reply(text, usage=None) for text in ("Not a.", "And b.", "Again.")]
    steps = [writing("a.txt"), said[0], writing("b.txt"), said[1], writing("b.txt"), said[2]]
    provider = play_by_engine(scene, steps, folder=str(tmp_path), tools_off=off)
    assert provider.requests[1].role == "tool", "the model is told that it was denied"
    assert len(provider.requests) == len(steps)


@pytest.mark.row("U9", "a key that is refused leads to its field; tried again")
def test_a_key_that_is_refused_is_a_card_that_leads_to_its_field(play_by_engine, data_folder: Path) -> None:
    async def scene(person: Person) -> None:
        window = person.window
        await person.say("Hello?")
        await person.sees(lambda: "FailureItem" in texts(window) and is_idle(window), "a card")
        model = window.ui.transcript_model
        item = model.item(texts(window).index("FailureItem"))
        assert isinstance(item, FailureItem)
        hot = window.ui.transcript.layout_of(model.row_of(item.key)).hit_regions
        assert next(one for one in hot if one.words).action is Action.OPEN_SETTINGS
        await person.press_action(item.key, Action.OPEN_SETTINGS)
        dialog = await person.sheet(SettingsDialog, 30, "the settings")
        assert dialog.servers.isAncestorOf(window.focusWidget())
        await person.escape()
        assert "Hello?" in texts(window), "what was written is kept"
        await person.press_action(item.key, Action.TRY_AGAIN)
        await person.sees_end("Hello.")

    play_by_engine(scene, [Status(401, "bad key"), Reply("Hello.", usage=None)])
