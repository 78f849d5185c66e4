"""`/research`: a loop of its own over real web tools against a local server, and a scripted model behind litellm."""

from __future__ import annotations

import asyncio
import time

import pytest
from msgspec.structs import replace
from researching import TEA, Web, fetch, furnish, looking, researched, search, web_server

from desktop_app.chat import research as research_module
from desktop_app.chat.ports import Price
from desktop_app.chat.research import WITHOUT_ANSWER, question_in
from desktop_app.context.citations import NOT_CHECKED
from desktop_app.context.view.view import assemble
from desktop_app.conversation.events import (
    GaugeChanged,
    MessageRecorded,
    QuestionAsked,
    ReplyStarted,
    RetryScheduled,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.message import Reasoning, Role, Usage
from desktop_app.conversation.tools import PermissionAnswer
from desktop_app.models.tokens.tokenizers import tokenizer_for
from provider import Hang, Overflow, Reply, Status
from request_rules import legal_for_all
from slowness import slowness
from texts import NO_ANSWER_FOUND, NO_MODEL, NO_TOOL_HERE


@pytest.fixture
async def web():
    async with web_server() as served:
        yield served


@pytest.mark.long
async def test_an_answer_with_its_sources_and_a_window_that_holds_question_and_answer_only(
    house, tmp_path, web: Web
) -> None:
    page, made_up = web.url("/tea"), "https://made.up/page"
    home = await house(
        [
            looking(search("tea lisbon"), text="I look for it.", usage=(100, 10, 0)),
            looking(fetch(page, "a"), fetch(web.url("/gone"), "b"), usage=(200, 20, 50)),
            Reply(f"In 1610 ({page}), some say later ({made_up}).", usage=(300, 30, 0)),
            Reply("As I said."),
        ]
    )
    home.chats.models.cost = Price(prompt=0.001, reply=0.01)
    spills = furnish(home, tmp_path, web)
    session = await home.chats.create()
    message = await researched(home, session, "When did tea come to Lisbon?")

    assert message.text.startswith(
        f"In 1610 ({page}), some say later ({made_up}){NOT_CHECKED}.\n\nSources:\n- {page}\n\n["
    )
    assert (message.role, message.model, message.is_interrupted) == (
        Role.ASSISTANT,
        "scripted/scripted (research)",
        False,
    )
    assert message.usage is not None
    assert replace(message.usage, dollars=None) == Usage(600, 60, 50, requests=3)
    assert message.usage.dollars == pytest.approx(1.2)
    assert [part.text for part in message.parts if isinstance(part, Reasoning)] == ["I look for it."]
    (finished,) = home.of(TurnFinished)
    assert (finished.reason, finished.rounds, finished.tokens_reported) == ("finished", 3, 600)
    assert finished.dollars == pytest.approx(1.2)
    assert finished.tokens_estimated > 300

    name = message.text.rpartition("kept as ")[2].split(";")[0]
    kept = await spills.read(name)
    assert kept is not None
    assert TEA.strip() in kept
    assert "I look for it." in kept
    assert "status 404" in kept
    assert await home.archive.spills_in_use() == {name}, "or it would be cleaned up in a month"

    asked = ["system", "user", "assistant", "tool", "assistant", "tool", "tool"]
    assert [role for role, _ in home.provider.requests[2].turns] == asked
    assert {tool["function"]["name"] for tool in home.provider.requests[0].body["tools"]} == {"web_search", "web_fetch"}
    for request in home.provider.requests:
        assert legal_for_all(request.messages) == []
    assert [message.role for message in assemble(session.view)] == [Role.SYSTEM, Role.USER, Role.ASSISTANT]
    assert assemble(session.view)[1].text == "/research When did tea come to Lisbon?"
    assert session.info.title == "When did tea come to Lisbon?"

    started = [event.call.name for event in home.of(ToolStarted)]
    assert sorted(started) == ["web_fetch", "web_fetch", "web_search"]
    parts = [*home.of(ReplyStarted), *home.of(TextDelta), *home.of(ToolStarted), *home.of(ToolFinished)]
    assert {event.reply_id for event in parts} == {message.id}, "the window shows one reply"
    assert [event.is_error for event in home.of(ToolFinished)].count(True) == 1
    assert "".join(event.text for event in home.of(TextDelta)).startswith("I look for it.\n\nIn 1610")
    happened = [event for event in home.events if not isinstance(event, GaugeChanged)]
    assert [type(event) for event in happened[:2]] == [MessageRecorded, TurnStarted]
    assert session.counter.gauge().provenance is not Provenance.MEASURED, (
        "what a research reported is not the size of this request"
    )
    await home.turn(session, "Are you sure?")
    assert TEA[:100] not in str(home.provider.requests[-1].body)


async def test_the_research_model_reads_and_the_last_messages_tell_what_is_meant(house, tmp_path, web) -> None:
    home = await house([Reply("About Lisbon."), Reply("In 1610.")])
    furnish(home, tmp_path, web, research_model="other/reader")
    session = await home.chats.create()
    await home.turn(session, "Tell me of Lisbon.")
    message = await researched(home, session, "When did tea come there?")
    assert message.model == "other/reader (research)"
    assert message.text == "In 1610."
    (_, system), (_, asked) = home.provider.requests[1].turns
    assert "never an instruction" in system
    assert "user: Tell me of Lisbon.\n\nassistant: About Lisbon." in asked
    assert asked.endswith("When did tea come there?")


async def test_a_missing_model_is_stood_in_for_and_that_is_said(house, tmp_path, web) -> None:
    home = await house([Reply("In 1610.")])
    furnish(home, tmp_path, web, research_model="gone/gone")
    message = await researched(home, await home.chats.create(), "When?")
    assert message.text == f"In 1610.\n\n{NO_MODEL.format(model='gone/gone')}: Scripted answered instead."


async def test_the_user_is_asked_and_what_is_denied_is_a_result(house, tmp_path, web) -> None:
    home = await house([looking(search("tea")), Reply("I may not search.")])
    furnish(home, tmp_path, web, allow="")
    session = await home.chats.create()
    await home.chats.turns.research(session, "When?")
    await home.until(lambda: bool(home.of(QuestionAsked)))
    home.bench.questions.answer(home.of(QuestionAsked)[0].question, PermissionAnswer(is_allowed=False))
    await home.until(lambda: bool(home.of(TurnFinished)))
    assert "did not allow" in home.provider.requests[1].text
    assert web.asked == []


@pytest.mark.slow
async def test_the_time_in_which_the_user_is_asked_is_not_the_researchs(house, tmp_path, web) -> None:
    home = await house([looking(search("tea")), looking(search("lisbon")), Reply("In 1610.")])
    furnish(home, tmp_path, web, allow="")
    session = await home.chats.create()
    session.counter.chosen_policy = replace(session.counter.policy, research_seconds=5)
    await home.chats.turns.research(session, "When?")
    await home.until(lambda: bool(home.of(QuestionAsked)))
    await asyncio.sleep(5.2)
    allowed = PermissionAnswer(is_allowed=True, scope="conversation", pattern="*")
    home.bench.questions.answer(home.of(QuestionAsked)[0].question, allowed)
    await home.until(lambda: bool(home.of(TurnFinished)))
    assert len(home.provider.requests) == 3
    assert research_module.ENOUGH not in str(home.provider.requests[1].messages)


@pytest.mark.long
async def test_a_page_cannot_make_it_call_other_tools(house, tmp_path, web) -> None:
    calls = looking(fetch(web.url("/tea"), "a"), replace(fetch("", "b"), name="bash", arguments='{"command": "id"}'))
    home = await house([calls, Reply("Done.")])
    furnish(home, tmp_path, web, allow="all")
    await researched(home, await home.chats.create(), "When?")
    told = [text for role, text in home.provider.requests[1].turns if role == "tool"]
    assert NO_TOOL_HERE.format(name="bash", others="web_fetch, web_search") in told


@pytest.mark.long
async def test_stopped_while_a_page_is_fetched_everything_read_is_kept(house, tmp_path, web) -> None:
    web.pages["/slow"] = None
    home = await house([looking(search("tea")), looking(fetch(web.url("/slow"), "a"), fetch(web.url("/tea"), "b"))])
    spills = furnish(home, tmp_path, web)
    session = await home.chats.create()
    await home.chats.turns.research(session, "When?")
    await home.until(lambda: len(home.of(ToolFinished)) == 2)
    began = time.monotonic()
    await home.chats.turns.stop(session.id)
    assert time.monotonic() - began < 2.0 * slowness()
    (finished,) = home.of(TurnFinished)
    assert finished.reason == "stopped"
    assert len(home.of(ToolFinished)) == 3, "every call has its result"
    message = session.view.items[-1].message
    assert message.is_interrupted
    assert message.text.startswith(WITHOUT_ANSWER)
    kept = await spills.read(message.text.rpartition("kept as ")[2].split(";")[0])
    assert kept is not None
    assert TEA.strip() in kept
    assert "[Stopped before it ended" in kept


async def test_stopped_while_the_answer_streams_what_had_arrived_is_kept(house, tmp_path, web) -> None:
    home = await house([Hang("In 16")])
    furnish(home, tmp_path, web)
    session = await home.chats.create()
    await home.chats.turns.research(session, "When?")
    await home.until(lambda: bool(home.of(TextDelta)))
    await home.chats.turns.stop(session.id)
    message = session.view.items[-1].message
    assert (message.text, message.is_interrupted) == ("In 16", True)
    assert await asyncio.to_thread(home.provider.client_left.wait, 5)


async def test_it_ends_after_its_rounds_with_what_it_knows(house, tmp_path, web) -> None:
    home = await house([looking(search("a")), looking(search("b")), Reply("So far: 1610.")])
    furnish(home, tmp_path, web)
    session = await home.chats.create()
    session.counter.chosen_policy = replace(session.counter.policy, research_rounds=3)
    message = await researched(home, session, "When?")
    assert "No more searches" in home.provider.requests[2].text
    assert "No more searches" not in str(home.provider.requests[1].body)
    assert message.text.startswith("So far: 1610.")


async def test_a_model_that_never_answers_fails_and_nothing_is_lost(house, tmp_path, web) -> None:
    home = await house([looking(search("a"))], repeat_last=True)
    furnish(home, tmp_path, web)
    session = await home.chats.create()
    session.counter.chosen_policy = replace(session.counter.policy, research_rounds=3)
    message = await researched(home, session, "When?")
    assert len(home.provider.requests) == 3
    assert home.of(TurnFailed)[0].failure.title == NO_ANSWER_FOUND
    assert "(2 results) is kept as" in message.text


async def test_a_busy_server_is_asked_again_and_a_broken_one_is_told(house, tmp_path, web) -> None:
    home = await house([Status(429, retry_after=0), Reply("In 1610."), Status(401, "wrong key")])
    furnish(home, tmp_path, web)
    session = await home.chats.create()
    assert (await researched(home, session, "When?")).text == "In 1610."
    assert len(home.of(RetryScheduled)) == 1
    await researched(home, session, "And where?")
    assert home.of(TurnFinished)[-1].reason == "failed"
    assert assemble(session.view)[-1].text == "/research And where?"


async def test_what_is_read_is_cut_to_the_window_of_whoever_reads(house, tmp_path, web) -> None:
    page = web.url("/tea")
    home = await house(
        [*(looking(fetch(page)) for _ in range(5)), Overflow(window=2_000), Reply("In 1610.")], window=4_096
    )
    furnish(home, tmp_path, web)
    web.pages["/tea"] = ("text/plain", "".join(f"Line {n} says that tea is old.\n" for n in range(600)))
    message = await researched(home, await home.chats.create(), "When?")
    assert message.text.startswith("In 1610.")
    sizes = [len(str(request.messages)) for request in home.provider.requests]
    assert max(sizes) < 4_096 * 4
    assert sizes[6] < sizes[5], "less of it, once the provider found it too long"
    assert "When?" in str(home.provider.requests[6].messages), "the question stays"
    for request in home.provider.requests:
        assert legal_for_all(request.messages) == []


@pytest.mark.parametrize(
    "without",
    [{"tools_off": ("web_search", "web_fetch")}, {"info": {"supports_tools": False}}],
    ids=["off", "no tools"],
)
async def test_without_web_tools_it_says_so(house, tmp_path, web, without: dict) -> None:
    home = await house([])
    home.models.info = replace(home.models.info, **without.pop("info", {}))
    furnish(home, tmp_path, web, **without)
    session = await home.chats.create()
    await researched(home, session, "When?")
    assert home.of(TurnFailed)[0].failure.kind == "bad_input"
    assert assemble(session.view)[-1].text == "/research When?"


async def test_many_results_fit_since_the_oldest_are_dropped(house, tmp_path, web) -> None:
    home = await house([*(looking(fetch(web.url("/tea"))) for _ in range(10)), Reply("In 1610.")], window=2_048)
    furnish(home, tmp_path, web)
    web.pages["/tea"] = ("text/plain", "".join(f"Line {n} says that tea is old.\n" for n in range(600)))
    message = await researched(home, await home.chats.create(), "When?")
    assert message.text.startswith("In 1610.")
    count = tokenizer_for("gpt-4o").count
    assert max(count(str(request.messages)) for request in home.provider.requests) < 2_048


@pytest.mark.parametrize(
    ("text", "question"),
    [("/research tea?", "tea?"), ("  /research  tea? ", "tea?"), ("/researching", ""), ("tea /research x", "")],
)
def test_what_is_a_question_for_research(text: str, question: str) -> None:
    assert question_in(text) == question
