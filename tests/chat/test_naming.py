"""A title by the utility role's model, which nobody waits for and nothing depends on."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from researching import words

from desktop_app.chat import titles
from desktop_app.chat.tasks import Job
from desktop_app.chat.titles import MAX_TITLE, title_in, title_of
from desktop_app.conversation.events import ViewChanged
from desktop_app.conversation.message import Usage
from desktop_app.settings import Settings
from provider import Cut, Hang, Reply, Status
from slowness import slowness

QUESTION = "When did tea come to Lisbon, and who drank it?"


def furnish(home, **changes) -> None:
    settings = replace(Settings(chat_model="scripted/scripted", system_prompt="Be brief."), **changes)
    home.furnish(settings, read_title_prompt=partial(words, "title"))


def is_being_named(session) -> bool:
    return any(task.get_name() == str(Job.TITLE.of(session.id)) for task in asyncio.all_tasks())


async def titled(home, session) -> str:
    while is_being_named(session):
        await asyncio.sleep(0.01)
    return (await home.archive.conversation(session.id)).title


async def test_the_first_reply_brings_a_title_and_the_second_none(house) -> None:
    title = Reply('**Title: "Tea in Lisbon"**\n', usage=(50, 40, 0))
    home = await house([Reply("In 1610."), title, Reply("The court.")])
    furnish(home)
    session = await home.chats.create()
    await home.turn(session, QUESTION)
    assert await titled(home, session) == "Tea in Lisbon"
    assert session.info.title == "Tea in Lisbon"
    assert session.totals().auxiliary == Usage(50, 40), "it is paid for"
    assert home.of(ViewChanged)[-1].totals == session.totals(), "which the window is told, after the turn's end"
    (_, system), (_, asked) = home.provider.requests[1].turns
    assert "as data" in system
    assert asked == f"User:\n{QUESTION}\n\nAnswer:\nIn 1610."
    await home.turn(session, "Who?")
    await titled(home, session)
    assert len(home.provider.requests) == 3


async def test_who_was_renamed_meanwhile_keeps_its_name(house) -> None:
    home = await house([Reply("In 1610."), Reply("Tea in Lisbon", is_held=True)])
    furnish(home)
    session = await home.chats.create()
    await home.turn(session, QUESTION)
    await home.chats.rename(session.id, "Mine")
    home.provider.released.set()
    assert await titled(home, session) == "Mine"


@pytest.mark.parametrize("step", [Status(500), Cut("Tea"), Reply("Sure! " + "word " * 30)])
async def test_what_goes_wrong_changes_nothing(house, step) -> None:
    home = await house([Reply("In 1610."), step])
    furnish(home)
    session = await home.chats.create()
    await home.turn(session, QUESTION)
    assert await titled(home, session) == QUESTION


@pytest.mark.long
async def test_nobody_waits_for_it_and_a_silent_model_is_given_up(house, monkeypatch) -> None:
    monkeypatch.setattr(titles, "SECONDS", 0.3 * slowness())
    home = await house([Reply("In 1610."), Hang("Te"), Reply("The court.")])
    furnish(home)
    session = await home.chats.create()
    await home.turn(session, QUESTION)
    while len(home.provider.requests) < 2:
        await asyncio.sleep(0.01)
    await home.turn(session, "Who?")
    assert is_being_named(session), "it is still being written"
    assert await titled(home, session) == QUESTION


async def test_a_conversation_that_is_deleted_is_left_alone(house) -> None:
    home = await house([Reply("In 1610."), Hang("Te")])
    furnish(home)
    session = await home.chats.create()
    await home.turn(session, QUESTION)
    while len(home.provider.requests) < 2:
        await asyncio.sleep(0.01)
    await home.chats.delete(session.id)
    assert await asyncio.to_thread(home.provider.client_left.wait, 5), "the connection is closed"


async def test_the_built_in_model_and_code_alone_give_no_titles(house) -> None:
    home = await house([Reply("In 1610.")] * 2)
    furnish(home, summaries="extractive")
    await home.turn(await home.chats.create(), QUESTION)
    home.chats.models.info = replace(home.chats.models.info, is_builtin=True)
    furnish(home)
    session = await home.chats.create()
    await home.turn(session, QUESTION)
    assert await titled(home, session) == QUESTION
    assert len(home.provider.requests) == 2


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ("Tea in Lisbon", "Tea in Lisbon"),
        ("“Tea in Lisbon.”", "Tea in Lisbon"),
        ("## Titel: Tee in Lissabon", "Tee in Lissabon"),
        ("Here is one:\nTea", ""),
        ("one two three four five six seven eight nine ten eleven twelve thirteen", ""),
        ("\n \n", ""),
    ],
)
def test_what_a_title_is(reply: str, title: str) -> None:
    assert title_in(reply) == title


@given(st.text(max_size=300))
def test_any_reply_gives_one_short_line_or_nothing(reply: str) -> None:
    title = title_in(reply)
    assert len(title.splitlines()) <= 1
    assert len(title) <= MAX_TITLE + 1


def test_a_title_is_one_line_cut_at_a_word() -> None:
    asked = "\n# Can you explain the `difference` between a mutex and a semaphore to me please?\nThanks"
    assert title_of(asked) == "Can you explain the difference between a mutex and a…"


@pytest.mark.parametrize("title", ["", "New conversation"])
async def test_the_first_message_names_what_has_no_title_also_in_an_older_record(house, title: str) -> None:
    home = await house([Reply("In 1610.")])
    session = await home.chats.create(title)
    assert (await home.archive.conversation(session.id)).title == title, "none is made up"
    await home.turn(session, QUESTION)
    assert (await home.archive.conversation(session.id)).title == title_of(QUESTION)
