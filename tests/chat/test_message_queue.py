"""Messages that are sent while a reply is written wait in order, and each is sent once, whatever happens."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from desktop_app.chat.conversations import Conversations
from desktop_app.chat.session import Session, stamp
from desktop_app.conversation.events import ArchiveError, Failure, GaugeChanged, QueueChanged, TurnFailed, TurnFinished
from desktop_app.conversation.message import Attachment, Message, MessageDraft, Role, user_message
from desktop_app.conversation.unsent import UnsentMessages
from provider import Reply, Status

LONG = Reply("one " * 2_000, pause=0.02)
SHORT = Reply("Yes.")


def said(session: Session) -> list[str]:
    return [e.text for e in session.transcript.entries if isinstance(e, Message) and e.role is Role.USER]


def waiting(home: Any, session: Session) -> list[str]:
    return [message.draft.text for message in home.chats.turns.queue.state(session.id).queue]


async def until(is_met: Callable[[], bool]) -> None:
    while not is_met():
        await asyncio.sleep(0.001)


def reasons(home: Any) -> list[str]:
    return [event.reason for event in home.of(TurnFinished)]


class Store(NamedTuple):
    """One transaction of the archive. messages: the user's that are stored in it, in the queue or in the record."""

    is_recorded: bool
    messages: list[str]
    unsent: UnsentMessages | None


def watched(home: Any, monkeypatch: pytest.MonkeyPatch) -> list[Store]:
    """The transactions of the archive from now on."""
    stores, append, store_unsent = list[Store](), home.archive.append, home.archive.store_unsent

    async def note_append(conversation: str, *entries: Any, unsent: UnsentMessages | None = None, **marks: Any) -> None:
        texts = [e.text for e in entries if isinstance(e, Message) and e.role is Role.USER]
        stores.append(Store(True, texts, unsent))
        await append(conversation, *entries, unsent=unsent, **marks)

    async def note_unsent(conversation: str, unsent: UnsentMessages) -> None:
        stores.append(Store(False, [message.draft.text for message in unsent.queue], unsent))
        await store_unsent(conversation, unsent)

    monkeypatch.setattr(home.archive, "append", note_append)
    monkeypatch.setattr(home.archive, "store_unsent", note_unsent)
    return stores


async def started(talk: Callable[..., Any], *script: Any) -> tuple[Any, Session]:
    """A conversation in which a reply is being written."""
    home, session = await talk(list(script), repeat_last=True)
    await home.chats.turns.send(session, "Begin")
    while not home.provider.requests:
        await asyncio.sleep(0.01)
    return home, session


async def restarted(home: Any, session: Session) -> Session:
    """The conversation after another engine has opened it."""
    home.chats = Conversations(home.archive, home.chats.settings, home.services, home.publish, lambda: None)
    return await home.chats.open(session.id)


async def test_what_is_sent_meanwhile_follows_in_order(talk: Callable[..., Any]) -> None:
    home, session = await started(talk, Reply("one " * 20, pause=0.01), SHORT)
    for text in ("b", "c", "d"):
        await home.chats.turns.send(session, text)
    assert waiting(home, session) == ["b", "c", "d"]
    assert [m.draft.text for m in home.of(QueueChanged)[-1].queue] == ["b", "c", "d"]
    await home.until(lambda: len(reasons(home)) == 4)
    assert said(session) == ["Begin", "b", "c", "d"]
    assert not home.of(QueueChanged)[-1].queue
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    assert not (await home.archive.unsent(session.id)).queue


async def test_a_message_that_nothing_delays_is_not_shown_as_queued(talk: Callable[..., Any]) -> None:
    home, session = await talk([SHORT])
    await home.turn(session, "Hello")
    assert not home.of(QueueChanged)


async def test_an_edited_message_is_kept_from_its_acknowledgement_on(talk: Callable[..., Any]) -> None:
    home, session = await talk([SHORT], repeat_last=True)
    await home.turn(session, "One?")
    first = next(e.id for e in session.transcript.entries if isinstance(e, Message) and e.role is Role.USER)
    await home.chats.turns.edit(session, first, "Other?", ())
    await home.chats.turns.stop(session.id)  # before the turn has begun
    session = await restarted(home, session)
    assert said(session) == ["One?", "Other?"]
    assert [entry.text for entry in session.recorded.branch] == ["Be brief.", "Other?"]
    await home.chats.turns.go_on(session)
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    assert [entry.text for entry in session.recorded.branch] == ["Be brief.", "Other?", "Yes."]
    assert not (await home.archive.unsent(session.id)).queue


async def test_a_stop_keeps_what_waits_and_send_now_sends_it_first(talk: Callable[..., Any]) -> None:
    home, session = await started(talk, LONG, SHORT)
    for text in ("b", "c"):
        await home.chats.turns.send(session, text)
    await home.chats.turns.stop(session.id)
    await asyncio.sleep(0.05)
    assert (said(session), waiting(home, session)) == (["Begin"], ["b", "c"])
    last = home.chats.turns.queue.state(session.id).queue[-1]
    await home.chats.turns.send_now(session, last.id)
    await home.until(lambda: len(reasons(home)) == 3)
    assert said(session) == ["Begin", "c", "b"]


async def test_a_stop_while_a_turn_ends_keeps_what_waits(talk: Callable[..., Any], monkeypatch: Any) -> None:
    home, session = await talk([SHORT], repeat_last=True)
    turns, is_ending = home.chats.turns, asyncio.Event()

    async def hold(_: Session) -> None:
        is_ending.set()
        await asyncio.sleep(60)

    monkeypatch.setattr(turns, "note", hold)
    await turns.send(session, "First")
    await turns.send(session, "Second")
    await is_ending.wait()
    await turns.stop(session.id)
    assert not turns.is_busy(session.id), "nothing goes on behind the stop"
    assert (said(session), waiting(home, session)) == (["First"], ["Second"])


async def test_a_failure_keeps_what_waits_until_a_turn_finishes(talk: Callable[..., Any]) -> None:
    home, session = await talk([Status(401), SHORT], repeat_last=True)
    for text in ("Begin", "b"):
        await home.chats.turns.send(session, text)
    await home.until(lambda: reasons(home) == ["failed"])
    await asyncio.sleep(0.05)
    assert (said(session), waiting(home, session)) == (["Begin"], ["b"])
    await home.chats.turns.go_on(session)
    await home.until(lambda: len(reasons(home)) == 3)
    assert said(session) == ["Begin", "b"]


async def test_sending_now_stops_the_reply_and_keeps_it(talk: Callable[..., Any]) -> None:
    home, session = await started(talk, LONG, SHORT)
    await home.chats.turns.send(session, "later")
    await home.chats.turns.send(session, "now", is_now=True)
    await home.until(lambda: len(reasons(home)) == 3)
    assert reasons(home) == ["stopped", "finished", "finished"]
    assert said(session) == ["Begin", "now", "later"]


async def test_a_message_is_taken_back_or_removed(talk: Callable[..., Any]) -> None:
    home, session = await started(talk, LONG, SHORT)
    image = Attachment("a.png", "image/png", "data:image/png;base64,AA==")
    queue = home.chats.turns.queue
    await home.chats.turns.send(session, "b", (image,))
    await home.chats.turns.send(session, "c")
    first, second = (message.id for message in queue.state(session.id).queue)
    taken = await queue.take_back(session.id, first, MessageDraft("what I wrote"))
    assert taken == queue.draft(session.id) == MessageDraft("b\n\nwhat I wrote", (image,))
    await queue.remove(session.id, second)
    assert await queue.take_back(session.id, second, MessageDraft()) is None
    stored = await home.archive.unsent(session.id)
    assert (stored.draft, [message.draft.text for message in stored.queue]) == (taken, [])


async def test_a_restart_keeps_draft_and_queue_and_sends_nothing_by_itself(talk: Callable[..., Any]) -> None:
    home, session = await started(talk, LONG, SHORT)
    for text in ("b", "c"):
        await home.chats.turns.send(session, text)
    await home.chats.turns.queue.keep_draft(session.id, "unfinished \ud800", ())
    await home.chats.turns.stop_all(session.id)
    again = await restarted(home, session)
    queue = home.chats.turns.queue
    assert (waiting(home, again), queue.draft(again.id).text) == (["b", "c"], "unfinished �")
    assert queue.state(again.id).is_paused
    await home.turn(again, "And now?")
    await asyncio.sleep(0.05)
    assert waiting(home, again) == ["b", "c"]
    await home.chats.turns.send_now(again, queue.state(again.id).queue[0].id)
    await home.until(lambda: not waiting(home, again) and reasons(home)[-1] == "finished")
    await home.chats.turns.wait_until_idle(again.id)
    assert said(again) == ["Begin", "And now?", "b", "c"]


async def test_a_message_that_the_record_has_is_not_queued(talk: Callable[..., Any]) -> None:
    home, session = await started(talk, LONG)
    assert said(session) == ["Begin"]
    before = home.chats
    again = await restarted(home, session)
    assert not waiting(home, again)
    await before.close()


@pytest.mark.parametrize("is_busy", [False, True])
async def test_sending_a_draft_empties_an_older_one_in_the_transaction_that_stores_it(
    talk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, is_busy: bool
) -> None:
    home, session = await started(talk, LONG, SHORT) if is_busy else await talk([SHORT], repeat_last=True)
    await home.chats.turns.queue.keep_draft(session.id, "Hel", (Attachment("a.txt", "text/plain", "A"),))
    stores = watched(home, monkeypatch)
    await home.chats.turns.send(session, "Hello", is_draft=True)
    (store,) = [store for store in stores if "Hello" in store.messages]
    assert store.unsent is not None
    assert store.unsent.draft == MessageDraft()
    assert store.is_recorded is not is_busy
    await home.chats.turns.stop(session.id)
    assert (await home.archive.unsent(session.id)).draft == MessageDraft()


async def test_what_is_sent_and_was_not_the_draft_leaves_it(talk: Callable[..., Any]) -> None:
    home, session = await talk([SHORT], repeat_last=True)
    await home.chats.turns.queue.keep_draft(session.id, "Another", ())
    await home.turn(session, "Hello")
    message = next(m for m in session.recorded.branch if session.message(m.id).text == "Hello")
    await home.chats.turns.edit(session, message.id, "Hello again", ())
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    assert (await home.archive.unsent(session.id)).draft.text == "Another"


async def test_a_draft_that_cannot_be_recorded_is_the_draft_again(
    talk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, session = await talk([SHORT])
    queue, append, appending = home.chats.turns.queue, home.archive.append, asyncio.Event()
    await queue.keep_draft(session.id, "Hel", ())

    async def refuse(*entries: Any, **changes: Any) -> None:
        if "unsent" not in changes:
            await append(*entries, **changes)
        else:
            await appending.wait()
            raise ArchiveError(Failure("disk", "The disk is full"))

    monkeypatch.setattr(home.archive, "append", refuse)
    sending = asyncio.ensure_future(home.chats.turns.send(session, "Hel", is_draft=True))
    await until(lambda: queue.draft(session.id) == MessageDraft())
    keeping = asyncio.ensure_future(queue.keep_draft(session.id, "and more", ()))
    await asyncio.sleep(0)
    appending.set()
    with pytest.raises(ArchiveError):
        await sending
    await keeping
    assert await home.archive.unsent(session.id) == UnsentMessages(MessageDraft("Hel\n\nand more"))


@pytest.mark.parametrize("is_busy", [False, True])
async def test_a_message_that_cannot_be_stored_is_refused_and_not_sent(
    talk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, is_busy: bool
) -> None:
    home, session = await started(talk, LONG, SHORT) if is_busy else await talk([SHORT], repeat_last=True)
    before = said(session)
    await home.chats.turns.queue.keep_draft(session.id, "Hello", ())

    async def refuse(*_: object, **changes: object) -> None:
        raise ArchiveError(Failure("disk", "The disk is full"))

    with monkeypatch.context() as full:
        full.setattr(home.archive, "store_unsent" if is_busy else "append", refuse)
        with pytest.raises(ArchiveError):
            await home.chats.turns.send(session, "Hello", is_draft=True)
    assert (said(session), waiting(home, session)) == (before, [])
    assert home.chats.turns.queue.draft(session.id).text == "Hello"
    await home.chats.turns.stop(session.id)
    await home.turn(session, "Again")
    assert said(session) == [*before, "Again"]


async def test_a_queued_message_that_cannot_be_recorded_stays_the_first(
    talk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, session = await started(talk, LONG, SHORT)
    for text in ("b", "c"):
        await home.chats.turns.send(session, text)
    await home.chats.turns.stop(session.id)

    async def refuse(*_: object, **changes: object) -> None:
        raise ArchiveError(Failure("disk", "The disk is full"))

    with monkeypatch.context() as full:
        full.setattr(home.archive, "append", refuse)
        with pytest.raises(ArchiveError):
            await home.chats.turns.send_now(session, home.chats.turns.queue.state(session.id).queue[0].id)
    assert (said(session), waiting(home, session)) == (["Begin"], ["b", "c"])


async def test_a_message_that_cannot_be_recorded_is_shown_as_queued(talk: Callable[..., Any], monkeypatch: Any) -> None:
    home, session = await talk([SHORT], repeat_last=True)
    turns = home.chats.turns
    append = home.archive.append

    async def refuse(*_: object, **changes: object) -> None:
        raise ArchiveError(Failure("disk", "The disk is full"))

    async def refuse_second(conversation: str, *entries: Any, **changes: Any) -> None:
        if any(isinstance(entry, Message) and entry.text == "Second" for entry in entries):
            turns.queue.show(session.id)  # a window that opens the conversation now
            await refuse()
        await append(conversation, *entries, **changes)

    monkeypatch.setattr(home.archive, "append", refuse_second)
    await turns.send(session, "First")
    await turns.send(session, "Second")
    await until(lambda: bool(home.of(TurnFailed)) and not turns.is_busy(session.id))
    assert waiting(home, session) == ["Second"]
    assert [message.draft.text for message in home.of(QueueChanged)[-1].queue] == ["Second"]


async def test_a_message_that_is_stopped_before_its_turn_begins_is_counted(talk: Callable[..., Any]) -> None:
    home, session = await talk([SHORT], repeat_last=True)
    before = session.counter.gauge().total
    sending = asyncio.ensure_future(home.chats.turns.send(session, "Hello there"))
    await until(lambda: said(session) == ["Hello there"])
    await home.chats.turns.stop(session.id)
    await sending
    assert home.of(GaugeChanged)[-1].gauge == session.counter.gauge()
    assert session.counter.gauge().total > before


async def test_a_message_is_stored_in_one_transaction_and_in_one_place(
    talk: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an idle conversation it is recorded; a queued message is stored twice: in the queue, and in the record."""
    home, session = await talk([LONG, SHORT], repeat_last=True)
    stores = watched(home, monkeypatch)
    await home.chats.turns.queue.keep_draft(session.id, "a", ())
    await home.chats.turns.send(session, "a", is_draft=True)
    while not home.provider.requests:
        await asyncio.sleep(0.01)
    await home.chats.turns.send(session, "b")
    await home.chats.turns.stop(session.id)
    await home.chats.turns.send_now(session, home.chats.turns.queue.state(session.id).queue[0].id)
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    edited = next(message.id for message in session.recorded.branch if message.text == "b")
    await home.chats.turns.edit(session, edited, "c", ())
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    kept = [(store.is_recorded, text) for store in stores for text in store.messages]
    assert kept == [(True, "a"), (False, "b"), (True, "b"), (True, "c")]
    assert [store.is_recorded for store in stores if store.unsent is not None] == [False, True, False, True], (
        "the draft, a with the draft emptied, b queued, b recorded and out of the queue"
    )


async def test_what_a_window_was_shown_while_it_was_stored_is_told_when_it_goes(talk, monkeypatch) -> None:
    home, session = await started(talk, LONG, SHORT)
    queue, store, storing = home.chats.turns.queue, home.archive.store_unsent, asyncio.Event()

    async def slowly(*unsent: Any) -> None:
        await storing.wait()
        await store(*unsent)

    monkeypatch.setattr(home.archive, "store_unsent", slowly)
    sending = asyncio.ensure_future(home.chats.turns.send(session, "b"))
    await home.until(lambda: waiting(home, session) == ["b"])
    (shown,) = queue.show(session.id).queue  # a window opens the conversation
    taking = asyncio.ensure_future(queue.take_back(session.id, shown.id, MessageDraft()))
    await asyncio.sleep(0.05)
    storing.set()
    await asyncio.gather(sending, taking)
    assert home.of(QueueChanged)[-1].queue == ()
    await home.chats.turns.stop(session.id)


async def test_what_is_sent_while_an_import_writes_the_record_is_sent_behind_it(talk: Callable[..., Any]) -> None:
    home, session = await talk([SHORT], repeat_last=True)
    turns, more = home.chats.turns, stamp(user_message("imported"))
    async with home.chats.sessions.locks.of(session.id):  # the import waits for it
        importing = asyncio.ensure_future(_import(home, session.id, more))
        while not turns._locks.is_beginning(session.id):
            await asyncio.sleep(0)
        for text in ("a", "b"):
            await turns.send(session, text)
    assert waiting(home, session) == ["a", "b"]
    stored = await home.archive.unsent(session.id)
    assert [message.draft.text for message in stored.queue] == ["a", "b"], "a crash loses none of them"
    await importing
    await turns.send(await home.chats.open(session.id), "c")
    await home.until(lambda: reasons(home) == ["finished"] * 3)
    await turns.wait_until_idle(session.id, with_room=True)
    assert said(await home.chats.open(session.id)) == ["imported", "a", "b", "c"]
    assert not (await home.archive.unsent(session.id)).queue


async def test_what_waited_for_the_user_is_not_sent_by_an_import(talk: Callable[..., Any]) -> None:
    home, session = await started(talk, LONG, SHORT)
    await home.chats.turns.send(session, "b")
    await home.chats.turns.stop(session.id)
    await _import(home, session.id, stamp(user_message("imported")))
    opened = await home.chats.open(session.id)
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    assert said(opened) == ["Begin", "imported"]
    assert waiting(home, opened) == ["b"]


async def _import(home: Any, conversation: str, message: Message) -> None:
    async with home.chats.sessions.unopened(conversation):
        await asyncio.sleep(0.05)
        await home.archive.append(conversation, message)


async def test_of_a_conversation_that_is_deleted_nothing_stays_in_memory(talk: Callable[..., Any]) -> None:
    home, session = await started(talk, LONG)
    await home.chats.turns.send(session, "b")
    await home.chats.delete(session.id)
    queue, conversation = home.chats.turns.queue, session.id
    del session
    gc.collect()
    kept = (queue._unsent, queue._paused, queue._shown, home.chats.sessions._outdated)
    assert not any(conversation in names for names in kept)
    locks = (home.chats.sessions.locks, home.chats.turns._locks, queue._storing, home.services.summaries._locks)
    assert not any(map(len, locks))
    assert not (await home.archive.unsent(conversation)).queue
