"""Messages sent while a reply streams, with the real engine: queued, edited, removed, sent now, dropped."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from person import Person
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from ui_scenes import texts

from desktop_app.conversation.message import Attachment, MessageDraft, Role
from desktop_app.paths import database_file
from provider import Call, Hang, Reply

pytestmark = pytest.mark.wire

NOTE = Attachment("note.txt", "text/plain", "A note.")


def queued(person: Person) -> list[str]:
    return [row.text.text() for row in person.window.ui.queue.rows]


def stored_draft(person: Person) -> str:
    """Return what the archive has of drafts, as JSON."""
    with closing(sqlite3.connect(database_file(person.data))) as database:
        return "".join(body for (body,) in database.execute("SELECT body FROM drafts"))


async def stream(person: Person) -> None:
    """Send a first message, and wait until its reply has begun."""
    await person.say("One?")
    await person.sees(lambda: person.window.ui.transcript_model.streaming_text, "a reply that streams")


@pytest.mark.row("U1", "stop keeps what arrived")
@pytest.mark.row("Q1", "waits, is edited, removed, sent now")
def test_what_is_sent_meanwhile_waits_is_edited_removed_and_sent_now(play_by_engine) -> None:
    async def scene(person: Person) -> None:
        await stream(person)
        for text in ("Two?", "Three?", "Four?"):
            await person.say(text)
            await person.sees(lambda: not person.window.ui.composer.text(), "an empty composer: the message is stored")
        await person.sees(lambda: queued(person) == ["Two?", "Three?", "Four?"], "three that wait")
        await person.press(Qt.Key.Key_Up)
        await person.sees(lambda: person.window.ui.composer.text() == "Four?", "the last one in the composer")
        await person.type(" Now")
        await person.enter()
        await person.sees(lambda: queued(person) == ["Two?", "Three?", "Four? Now"], "it waits again")
        await person.click(person.window.ui.queue.rows[1].remove)
        await person.sees(lambda: queued(person) == ["Two?", "Four? Now"], "two that wait")
        assert len(person.provider.requests) == 1, "nothing is sent before its time"
        await person.click(person.window.ui.queue.rows[1].send)
        await person.sees(lambda: "Four." in texts(person.window), "the answer to what was sent now")
        await person.sees_end("Two.")
        assert not person.window.ui.queue.isVisible()
        assert texts(person.window)[1:] == ["One?", "It begins", "Four? Now", "Four.", "Two?", "Two."]
        assert person.window.ui.transcript_model.rows[2].message.is_interrupted

    steps = [Hang("It begins"), Reply("Four.", usage=None), Reply("Two.", usage=None)]
    provider = play_by_engine(scene, steps)
    assert [request.text for request in provider.requests] == ["One?", "Four? Now", "Two?"]


@pytest.mark.row("Q1", "stop and send; deleted with its conversation")
def test_ctrl_enter_stops_and_sends_and_a_deleted_conversation_sends_nothing(play_by_engine) -> None:
    async def scene(person: Person) -> None:
        await stream(person)
        await person.write("Two?")
        QTest.keyClick(person.window.ui.composer.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await person.sees(lambda: len(person.provider.requests) == 2, "the second request")
        await person.sees(lambda: "begins again" in person.window.ui.transcript_model.streaming_text, "its reply")
        await person.say("Three?")
        await person.sees(lambda: queued(person) == ["Three?"], "one that waits")
        name, listed = person.window.chat.conversation, person.window.ui.sidebar.list
        row = listed.conversations.index(listed.conversations.row_of(name))
        await person.click(listed.viewport(), listed.visualRect(row).center().toTuple())
        QTest.keyClick(listed, Qt.Key.Key_Delete)
        await person.sees(lambda: person.window.chat.conversation != name, "another conversation")
        await person.ask("Four?", "Four.")
        await person.sees(lambda: not person.window.ui.queue.isVisible(), "no queue")

    steps = [Hang("It begins"), Hang("It begins again"), Reply("Four.", usage=None)]
    provider = play_by_engine(scene, steps)
    assert [request.text for request in provider.requests] == ["One?", "Two?", "Four?"]


@pytest.mark.row("U5", "what was sent is no draft after a restart")
@pytest.mark.long
def test_a_draft_that_is_stored_when_enter_comes_does_not_come_back_after_a_restart(play_by_engine) -> None:
    async def write_and_send(person: Person) -> None:
        await person.write("On")
        person.window.ui.composer.set_draft(MessageDraft("On", (NOTE,)))
        await person.sees(lambda: "A note." in stored_draft(person), "a draft that is stored")
        await person.type("e?")
        await person.enter()  # before the timer of the next draft
        await person.sees_end("One.")

    async def look(person: Person) -> None:
        await person.sees(lambda: texts(person.window)[-1:] == ["One."], "the conversation of before")
        assert person.window.ui.composer.draft() == MessageDraft()

    play_by_engine(write_and_send, [Reply("One.", usage=None)])
    play_by_engine(look, [])


def edit_newest(person: Person, text: str) -> None:
    person.window.ui.transcript.edit_message(asked_id(person))
    editor = person.window.ui.transcript.editor
    editor.field.selectAll()
    QTest.keyClicks(editor.field, text)


def asked_id(person: Person) -> str:
    rows = person.window.ui.transcript_model.rows
    return next(row.message.id for row in reversed(rows) if row.message.role is Role.USER)


@pytest.mark.long
def test_the_text_of_an_edited_message_is_there_after_a_restart_until_it_is_sent(play_by_engine) -> None:
    async def edit_and_go(person: Person) -> None:
        await person.ask("One?", "One.")
        edit_newest(person, "Which one?")
        await person.sees(lambda: "Which one?" in stored_draft(person), "an edit that is stored")

    async def send(person: Person) -> None:
        await person.sees(lambda: texts(person.window)[-1:] == ["One."], "the conversation of before")
        toast = person.window.ui.toast
        await person.sees(lambda: toast.isVisible() and toast.action.text() == "Edit", "that an edit was kept")
        await person.click(toast.action)
        editor = person.window.ui.transcript.editor
        await person.sees(lambda: editor.isVisible() and editor.field.written() == "Which one?", "the text")
        QTest.keyClick(editor.field, Qt.Key.Key_Return)
        await person.sees_end("This one.")
        await person.sees(lambda: "Which one?" not in stored_draft(person), "no edit that is stored")

    play_by_engine(edit_and_go, [Reply("One.", usage=None)])
    play_by_engine(send, [Reply("This one.", usage=None)])


@pytest.mark.long
def test_a_message_that_is_sent_leaves_the_edit_of_another_stored(play_by_engine) -> None:
    async def scene(person: Person) -> None:
        await person.ask("One?", "One.")
        edit_newest(person, "Which one?")
        QTest.keyClick(person.window.ui.transcript.editor.field, Qt.Key.Key_Escape)
        await person.ask("Two?", "Two.")
        await person.sees(lambda: "Which one?" in stored_draft(person), "the edit, stored")
        person.window.ui.transcript.edit_message(person.window.ui.transcript.editor.newest_left())
        await person.click(person.window.ui.transcript.editor.cancel)
        await person.sees(lambda: "Which one?" not in stored_draft(person), "what was cancelled is not stored")

    play_by_engine(scene, [Reply("One.", usage=None), Reply("Two.", usage=None)])


@pytest.mark.row("Q1", "steers the running turn, by a link and by its keys")
def test_a_message_steers_the_running_turn(play_by_engine, tmp_path) -> None:
    async def scene(person: Person) -> None:
        await stream(person)
        await person.say("Only .py")
        await person.sees(lambda: queued(person) == ["Only .py"], "one that waits")
        row = person.window.ui.queue.rows[0]
        assert "Queued" in row.state.text()
        await person.click(row.steer)
        await person.sees(lambda: "Steers" in person.window.ui.queue.rows[0].state.text(), "that it steers")
        assert not person.window.ui.queue.rows[0].steer.isVisible()
        await person.write("And short")
        control_shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        QTest.keyClick(person.window.ui.composer.field, Qt.Key.Key_Return, control_shift)
        await person.sees(lambda: queued(person) == ["Only .py", "And short"], "two that steer")
        assert all("Steers" in one.state.text() for one in person.window.ui.queue.rows)
        await person.sees_end("Done.")
        assert not person.window.ui.queue.isVisible()
        rows = [row.message for row in person.window.ui.transcript_model.rows if row.message.role is not Role.SYSTEM]
        assert [row.role for row in rows][1:3] == [Role.ASSISTANT, Role.TOOL]
        assert [row.text for row in rows][-3:] == ["Only .py", "And short", "Done."]

    off = ("bash", "edit", "glob", "grep", "read", "recall", "save_memory", "web_fetch", "web_search", "write")
    reply = Reply("I look. " * 80, calls=(Call("list", '{"path": "."}'),), finish="tool_calls", pause=0.05, usage=None)
    steps = [reply, Reply("Done.", usage=None)]
    provider = play_by_engine(scene, steps, folder=str(tmp_path), tools_off=off)
    assert "Only .py\n\nAnd short" in provider.requests[1].body["messages"][-1]["content"]
    assert len(provider.requests) == 2, "one turn"
