"""An engine that is killed while a reply streams, and a reply that ends while nobody looks, with the real engine."""

from __future__ import annotations

import os
import signal

import pytest
from person import Person
from PySide6.QtWidgets import QWidget
from ui_scenes import is_idle, texts

from desktop_app.ui.engine_process import BY_KILL
from desktop_app.ui.engine_watch import BROKE_OFF, CAME_BACK
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.transcript_items import FailureItem, ReplyItem
from provider import Reply

pytestmark = pytest.mark.wire

LONG = "All of the words that the model has to say. " * 200


async def break_off(person: Person) -> str:
    """Ask, kill the engine while the reply streams, and return what the window shows of it once it is back."""
    window = person.window
    await person.say("Tell me all.")
    await person.sees(lambda: is_streaming(person), "a reply that streams")
    pid = person.bridge.engine_pid
    os.kill(pid, signal.SIGKILL)
    await person.sees(lambda: person.bridge.engine_pid not in (0, pid), "another engine")
    await person.sees(lambda: texts(window)[-1] == "FailureItem" and is_idle(window), "what happened")
    partial = window.ui.transcript_model.rows[-1].message
    assert partial.is_interrupted
    return partial.text


def is_streaming(person: Person) -> bool:
    """Return whether enough has been shown that some of it was stored: it is, every half second."""
    model = person.window.ui.transcript_model
    item = model.item(model.rowCount() - 1)
    return isinstance(item, ReplyItem) and len(item.text) > 200


def offered(person: Person) -> list[str]:
    """Return what can be clicked in the last row."""
    row = person.window.ui.transcript_model.rowCount() - 1
    regions = person.window.ui.transcript.layout_of(row).hit_regions
    return [region.words.text for region in regions if region.words is not None]


@pytest.mark.row("U9", "an engine that is killed comes back")
def test_what_had_arrived_when_the_engine_was_killed_is_kept_and_asked_for_again(play_by_engine) -> None:
    async def scene(person: Person) -> None:
        model = person.window.ui.transcript_model
        kept = await break_off(person)
        assert kept
        assert LONG.startswith(kept)
        assert texts(person.window)[-3:] == ["Tell me all.", kept, "FailureItem"]
        assert person.window.ui.toast.label.text() == CAME_BACK
        card = model.item(model.rowCount() - 1)
        assert isinstance(card, FailureItem)
        assert card.failure.title == BROKE_OFF.title
        assert card.failure.detail == f"{BROKE_OFF.detail} {BY_KILL}"
        await person.press_action(card.key, Action.TRY_AGAIN)
        await person.sees_end("This is all.")
        assert "Tell me all." in texts(person.window)

    provider = play_by_engine(scene, [Reply(LONG, per_second=20), Reply("This is all.", usage=None)])
    assert len(provider.requests) == 2, "nothing was sent without the user's word"


def test_another_window_offers_to_write_the_interrupted_reply_again(play_by_engine) -> None:
    kept = []

    async def first(person: Person) -> None:
        kept.append(await break_off(person))

    async def second(person: Person) -> None:
        await person.sees(lambda: texts(person.window)[-2:] == ["Tell me all.", *kept], "what was kept")
        await person.sees(lambda: "Write it again" in offered(person), "the way to have it written again")
        model = person.window.ui.transcript_model
        await person.press_action(model.item(model.rowCount() - 1).key, Action.TRY_AGAIN)
        await person.sees_end("This is all.")

    play_by_engine(first, [Reply(LONG, per_second=20)])
    play_by_engine(second, [Reply("This is all.", usage=None)])


@pytest.mark.row("U9", "a reply that was cut is continued, also in another window")
def test_a_reply_that_was_cut_says_so_and_is_continued_also_in_another_window(play_by_engine) -> None:
    async def first(person: Person) -> None:
        await person.ask("Tell me of the tide.", "It comes twice a da")
        assert {"Continue", "Write it again"} <= set(offered(person))

    async def second(person: Person) -> None:
        model = person.window.ui.transcript_model
        await person.sees(lambda: texts(person.window)[-1:] == ["It comes twice a da"], "the reply that was cut")
        for whole in ("It comes twice a day, and go", "It comes twice a day, and goes again."):
            await person.press_action(model.item(model.rowCount() - 1).key, Action.CONTINUE_REPLY)
            await person.sees_end(whole)
        assert "Continue" not in offered(person)

    play_by_engine(first, [Reply("It comes twice a da", finish="length", usage=None)])
    rest = [Reply("y, and go", finish="length", usage=None), Reply("es again.", usage=None)]
    provider = play_by_engine(second, rest)
    assert "twice a da”" in provider.requests[0].text


@pytest.mark.row("U6", "notifications")
def test_a_reply_that_ends_while_another_window_is_in_front_is_told_until_somebody_looks(
    play_by_engine, monkeypatch
) -> None:
    told: list[tuple[str, ...]] = []

    async def scene(person: Person) -> None:
        window = person.window
        monkeypatch.setattr(window.away.notifier, "notify", lambda *words: told.append(words))
        monkeypatch.setattr(window.away.notifier, "withdraw", lambda name: told.append((name,)))
        window.away.long = 0.0
        await person.ask("Are you there?", "Yes.")
        assert told == [], "somebody looks"
        await person.say("Think.")
        other = QWidget()
        other.show()
        other.activateWindow()
        await person.sees(lambda: not window.isActiveWindow(), "another window in front")
        person.provider.released.set()
        await person.sees(lambda: told, "a notification")
        assert (told[0][0], told[0][2]) == (window.chat.conversation, "The reply is ready.")
        other.close()
        window.activateWindow()
        await person.sees(lambda: told[1:] == [(window.chat.conversation,)], "the notification withdrawn")

    play_by_engine(scene, [Reply("Yes.", usage=None), Reply("I have thought.", is_held=True, usage=None)])
