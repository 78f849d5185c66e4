"""Starting fresh: the new conversation knows what matters, the old one stays, and both say where the other one is."""

from __future__ import annotations

import pytest
from test_take_turn import long_chat

from builders import system
from desktop_app.chat.compaction.fresh_start import start_fresh
from desktop_app.chat.compaction.optimize import plan_optimization, with_summary
from desktop_app.chat.conversations import Conversations
from desktop_app.chat.operations import pin
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.context.view.view import assemble, view_of
from desktop_app.conversation.message import Message, Role, user_message
from desktop_app.conversation.openai_chat import chat_of
from desktop_app.conversation.transcript import ConversationLink, Transcript
from provider import Hang, Reply, Status
from request_rules import legal_for_all

RULE = "Never restart the server on Fridays."
SYSTEM = system("Be brief.")


async def begin(chats: Conversations, session: Session, strategy: str = "extractive") -> Session:
    return await start_fresh(chats, session, await plan_optimization(session.counter, None, strategy, is_fresh=True))


async def test_it_begins_with_the_summary_and_the_question_that_has_no_answer_yet(talk) -> None:
    home, session = await talk(
        [Status(401, "no"), Reply("On Thursday.")],
        messages=[SYSTEM, user_message(f"{RULE} Hello."), *long_chat(40)[1:]],
    )
    await home.turn(session, "When may I restart it?")
    before = assemble(session.view)

    fresh = await begin(home.chats, session)
    assert assemble(session.view) == before, "the old one stays as it was"
    (there,) = [row for row in session.operations() if row.kind == "link"]
    (back,) = [row for row in fresh.operations() if row.kind == "link"]
    assert (there.linked, back.linked) == (fresh.id, session.id)
    assert (fresh.info.title, fresh.info.model) == ("Talk (continued)", session.info.model)
    (begun,) = [row for row in fresh.operations() if row.is_beginning]
    assert RULE in begun.summary
    assert begun.after_message_id == fresh.view.items[0].message.id, "its mark stands behind the system prompt"
    sent = assemble(fresh.view)
    assert sent[0].text == "Be brief."
    assert RULE in "\n".join(message.text for message in sent)
    assert sent[-1].text == "When may I restart it?"
    assert fresh.counter.gauge().total < session.counter.gauge().total / 2
    assert legal_for_all(chat_of(sent)) == []

    await home.chats.turns.go_on(fresh)
    await home.chats.turns.wait_until_idle(fresh.id)
    assert assemble(fresh.view)[-1].text == "On Thursday."
    entries = await home.archive.entries(fresh.id)
    assert assemble(view_of(Transcript().extend(entries))) == assemble(fresh.view)
    assert sum(isinstance(entry, ConversationLink) for entry in entries) == 1


async def test_a_question_that_was_answered_is_not_asked_again(talk) -> None:
    home, session = await talk([Reply("On Thursday.")], messages=long_chat(10))
    await home.turn(session, "When?")
    fresh = await begin(home.chats, session)
    assert not [entry for entry in fresh.transcript.entries if isinstance(entry, Message) and entry.role is Role.USER]
    assert "On Thursday." in "\n".join(message.text for message in assemble(fresh.view)), "the summary tells of it"


async def test_not_while_a_reply_is_written(talk) -> None:
    home, session = await talk([Hang("Half")], messages=long_chat(2))
    await home.chats.turns.send(session, "When?")
    with pytest.raises(WorldError, match="still being written"):
        await begin(home.chats, session)
    await home.chats.turns.stop(session.id)
    assert len(await home.archive.conversations()) == 1


async def test_what_is_pinned_comes_along_word_for_word(talk) -> None:
    home, session = await talk([Reply("On Thursday.")], messages=long_chat(10))
    kept = next(m for m in assemble(session.view) if m.role is Role.ASSISTANT)
    await pin(session, kept.id)
    await home.turn(session, "When?")
    fresh = await begin(home.chats, session)
    assert kept.text in [message.text for message in assemble(fresh.view)]
    assert [item.message.text for item in fresh.view.items if item.is_pinned] == [kept.text]
    assert legal_for_all(chat_of(assemble(fresh.view))) == []


async def test_a_short_conversation_is_summarized_too(talk) -> None:
    home, session = await talk([Reply("On Thursday.")], messages=[user_message("Hello.")])
    await home.turn(session, f"{RULE} When may I?")
    fresh = await begin(home.chats, session)
    told = "\n".join(message.text for message in assemble(fresh.view))
    assert RULE in told
    assert "On Thursday." in told


async def test_what_the_plan_shows_is_what_the_new_conversation_takes(talk) -> None:
    home, session = await talk([Reply("On Thursday.")], messages=long_chat(30))
    await home.turn(session, "When?")
    plan = await plan_optimization(session.counter, None, is_fresh=True)
    edited = with_summary(plan, f"{plan.compaction.summary}\n- And mine.")
    fresh = await start_fresh(home.chats, session, edited)
    shown = assemble(edited.views[-1])
    assert [m.text for m in shown] == [m.text for m in assemble(fresh.view)]
    assert "- And mine." in "\n".join(message.text for message in shown)


async def test_a_plan_of_what_has_changed_since_makes_nothing(talk) -> None:
    home, session = await talk([Reply("On Thursday."), Reply("On Friday.")], messages=long_chat(10))
    await home.turn(session, "When?")
    plan = await plan_optimization(session.counter, None, is_fresh=True)
    await home.turn(session, "And else?")
    with pytest.raises(WorldError) as caught:
        await start_fresh(home.chats, session, plan)
    assert caught.value.failure.kind == "stale"
    assert len(await home.archive.conversations()) == 1
