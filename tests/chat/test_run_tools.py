"""The calls of a reply with the real tools: each gets a result, whoever allows, stops or breaks what."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from test_take_turn import long_chat

from desktop_app.chat.session import Session, stamp
from desktop_app.chat.tasks import Job
from desktop_app.chat.turn.tool_runtime import ToolRuntime
from desktop_app.context.policy import BALANCED
from desktop_app.context.view.view import assemble
from desktop_app.conversation.events import (
    GaugeChanged,
    QuestionAsked,
    ToolFinished,
    ToolOutputReceived,
    ToolStarted,
    TurnFailed,
    TurnFinished,
    ViewChanged,
)
from desktop_app.conversation.message import Role, ToolResult
from desktop_app.conversation.openai_chat import chat_of
from desktop_app.conversation.tools import PermissionAnswer, Rule
from desktop_app.conversation.transcript import Trigger
from desktop_app.permissions.rules import rules_of_option
from desktop_app.settings import Settings
from desktop_app.tools.registry import ToolRegistry
from desktop_app.tools.spill import SpillFolder
from provider import Call, Reply
from request_rules import legal_for_all


async def equipped(
    home,
    folder: Path,
    allow: str = "all",
    kind: Callable[..., ToolRegistry] = ToolRegistry,
    is_attended: bool = True,
    **changes,
) -> Session:
    """A conversation whose model has the real tools, in a working folder of its own. allow: what nobody is asked.
    changes: of the settings."""
    work = folder / "work"
    work.mkdir()
    settings = Settings(chat_model="scripted/scripted", folder=str(work), **changes)
    spills = SpillFolder(folder / "spills")
    toolbox = kind((), spills, lambda: home.chats.settings, folder / "data")

    async def keep(rule: Rule) -> None:
        home.chats.settings = replace(home.chats.settings, rules=(*home.chats.settings.rules, rule))

    rules = rules_of_option(allow) if allow else ()
    home.bench = ToolRuntime(toolbox, spills, lambda: home.chats.settings, keep, home.bugs.append, rules, is_attended)
    home.furnish(settings, tools=home.bench)
    return await home.chats.create()


def calling(*calls: Call) -> Reply:
    return Reply("I try.", calls=calls, finish="tool_calls")


def bash(command: str, call_id: str = "a") -> Call:
    return Call("bash", json.dumps({"command": command}), call_id)


def results(session: Session) -> list[ToolResult]:
    """In the order in which they were recorded."""
    rows = session.page(session.total, session.total)
    return [row.message.tool_result for row in rows if row.message.tool_result is not None]


async def ended(home) -> TurnFinished:
    await home.until(lambda: bool(home.of(TurnFinished)))
    return home.of(TurnFinished)[0]


async def test_one_call_is_stopped_alone_and_the_turn_goes_on(house, tmp_path) -> None:
    home = await house([calling(bash("echo begun; sleep 60", "a"), bash("echo other", "b")), Reply("I see.")])
    session = await equipped(home, tmp_path)
    await home.chats.turns.send(session, "Try")
    await home.until(lambda: any("begun" in event.text for event in home.of(ToolOutputReceived)))
    (started,) = home.of(ToolStarted)
    for other in (
        (session.id, started.reply_id, 1),
        (session.id, "another reply", 0),
        ("another conversation", started.reply_id, 0),
    ):
        home.bench.stop(*other)
    await asyncio.sleep(0.05)
    assert home.of(ToolFinished) == [], "what does not run cannot be stopped"
    began = time.monotonic()
    for _ in range(2):  # a second click changes nothing
        home.bench.stop(session.id, started.reply_id, started.call_index)
    await home.until(lambda: bool(home.of(ToolFinished)))
    assert time.monotonic() - began < 3.0

    assert (await ended(home)).reason == "finished"
    first, second = results(session)
    assert (first.call_id, first.is_error, first.ending) == ("a", True, "stopped")
    assert first.text.startswith("begun\n\n[Stopped by the user")
    assert (second.call_id, second.is_error, second.ending) == ("b", False, "")
    assert "Stopped by the user" in json.dumps(home.provider.requests[1].messages)
    assert session.view.items[-1].message.text == "I see."


async def test_the_gauge_has_what_was_reported_for_the_calls_while_a_question_waits(house, tmp_path) -> None:
    """A question may wait for hours beside figures that are read from the session."""
    home = await house([replace(calling(bash("rm -r build")), usage=(700, 9, 0)), Reply("I see.")])
    session = await equipped(home, tmp_path, allow="")
    await home.chats.turns.send(session, "Try")
    await home.until(lambda: bool(home.of(QuestionAsked)))
    assert home.of(GaugeChanged)[-1].gauge == session.counter.gauge()
    home.bench.questions.answer(home.of(QuestionAsked)[0].question, PermissionAnswer(False))
    await ended(home)


async def test_events_name_the_reply_and_the_place_of_their_call(house, tmp_path) -> None:
    """Ids repeat within a reply, and from reply to reply."""
    home = await house(
        [
            calling(bash("echo one", "same"), bash("echo two", "same")),
            calling(bash("echo three", "same")),
            Reply("I see."),
        ]
    )
    session = await equipped(home, tmp_path)
    await home.turn(session, "Try")
    said: dict[tuple[str, int], str] = {}
    for event in home.of(ToolOutputReceived):
        said[event.reply_id, event.call_index] = said.get((event.reply_id, event.call_index), "") + event.text
    started = [(event.reply_id, event.call_index) for event in home.of(ToolStarted)]
    assert started == [(event.reply_id, event.call_index) for event in home.of(ToolFinished)] == list(said)
    assert [place for _, place in started] == [0, 1, 0]
    assert list(said.values()) == ["one\n", "two\n", "three\n"]
    replies = [row.message for row in session.page(session.total, 20) if row.message.role is Role.ASSISTANT]
    assert [reply_id for reply_id, _ in started] == [replies[0].id, replies[0].id, replies[1].id]


@pytest.mark.long
async def test_what_changes_something_keeps_its_order_while_the_user_is_asked(house, tmp_path) -> None:
    write = Call("write", json.dumps({"path": "note", "content": "new"}), "a")
    home = await house([calling(write, bash("cat note", "b")), Reply("I see.")])
    session = await equipped(home, tmp_path, allow="bash")
    (tmp_path / "work" / "note").write_text("old")
    await home.chats.turns.send(session, "Try")
    await home.until(lambda: bool(home.of(QuestionAsked)))
    await asyncio.sleep(0.3)
    assert home.of(ToolFinished) == [], "the second call works on what the first one has done"
    home.bench.questions.answer(home.of(QuestionAsked)[0].question, PermissionAnswer(is_allowed=True))
    await ended(home)
    written, shown = results(session)
    assert not written.is_error
    assert shown.text.startswith("new")


@pytest.mark.parametrize("name", ["note", "../outside.txt"])
async def test_a_question_shows_what_would_change_in_a_file_that_may_be_read(house, tmp_path, name: str) -> None:
    write = Call("write", json.dumps({"path": name, "content": "new"}), "a")
    home = await house([calling(write), Reply("I see.")])
    session = await equipped(home, tmp_path, allow=f"read:{tmp_path}/outside*")
    for path in (tmp_path / "work" / "note", tmp_path / "outside.txt"):
        path.write_text("one\n")
    await home.chats.turns.send(session, "Try")
    await home.until(lambda: bool(home.of(QuestionAsked)))
    asked = home.of(QuestionAsked)[0]
    assert [f"{line.number}{line.sign}{line.text}" for line in asked.preview.lines] == ["1-one", "1+new"]
    home.bench.questions.answer(asked.question, PermissionAnswer(is_allowed=False))
    await ended(home)


async def test_a_file_that_needs_permission_to_be_read_is_not_in_the_question(house, tmp_path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("a secret\n")
    write = Call("write", json.dumps({"path": str(outside), "content": "new"}), "a")
    home = await house([calling(write), Reply("I see.")])
    session = await equipped(home, tmp_path, allow="bash")
    await home.chats.turns.send(session, "Try")
    await home.until(lambda: bool(home.of(QuestionAsked)))
    asked = home.of(QuestionAsked)[0]
    assert (asked.preview.note, asked.preview.lines) == ("private", ())
    home.bench.questions.answer(asked.question, PermissionAnswer(is_allowed=False))
    await ended(home)


async def test_stopping_the_turn_gives_each_call_one_result(house, tmp_path) -> None:
    calls = bash("echo done", "a"), bash("echo begun; sleep 60", "b"), bash("echo never", "c")
    home = await house([calling(*calls), Reply("I see.")])
    session = await equipped(home, tmp_path)
    await home.chats.turns.send(session, "Try")
    await home.until(lambda: any("begun" in event.text for event in home.of(ToolOutputReceived)))
    await home.chats.turns.stop(session.id)
    assert home.of(TurnFinished)[0].reason == "stopped"
    assert [(result.call_id, result.ending) for result in results(session)] == [
        ("a", ""), ("b", "stopped"), ("c", "stopped")
    ]  # fmt: skip
    assert [result.text.partition("[")[0] for result in results(session)[1:]] == ["begun\n\n", ""]


@pytest.mark.parametrize(("tries", "reason"), [(3, "finished"), (0, "failed")])
@pytest.mark.long
async def test_room_for_a_result_is_made_as_often_as_the_policy_says(house, tmp_path, tries: int, reason: str) -> None:
    calls = [bash(f"seq {n} 20000", f"c{n}") for n in range(4)]
    home = await house([calling(*calls), Reply("I see.")], window=8_192)
    session = await equipped(home, tmp_path)
    await session.record(*(stamp(message) for message in long_chat(36)))
    session.counter.chosen_policy = replace(BALANCED, tool_result_tries=tries, flush_distance=0)
    assert session.counter.gauge().share < BALANCED.prune_at, "only the result is too much"
    events = await home.turn(session, "Try")
    assert events[-1].reason == reason
    assert all("19999" in result.text for result in results(session)), "the results are kept either way"
    changes = [event for event in events if isinstance(event, ViewChanged) and event.cause is Trigger.TOOL_RESULT]
    made = [row for change in changes for row in change.operations if row.kind != "failed"]
    assert bool(made) == bool(tries)
    if not tries:
        (failed,) = [event.failure for event in events if isinstance(event, TurnFailed)]
        assert failed.kind == "window_too_small"


async def test_no_cancellation_comes_in_between_when_a_turn_is_stored(house, tmp_path) -> None:
    """One that came while something was stored arrives later: it may find the turn at its end."""
    home = await house([calling(*(bash(f"echo begun; sleep 60 # {n}", f"c{n}") for n in range(4))), Reply("I see.")])
    session = await equipped(home, tmp_path)
    await home.chats.turns.send(session, "Try")
    await home.until(lambda: bool(home.of(ToolOutputReceived)))
    task = next(task for task in asyncio.all_tasks() if task.get_name() == str(Job.TURN.of(session.id)))
    while not task.done():
        task.cancel()
        await asyncio.sleep(0.002)
    assert [event.reason for event in home.of(TurnFinished)] == ["stopped"]
    assert len(results(session)) == len(home.of(ToolFinished)) == 4


class Clumsy(ToolRegistry):
    """A toolbox with bugs in it."""

    async def needs(self, call, place):
        if call.call_id == "b":
            raise RuntimeError("of its own")
        return await super().needs(call, place)

    async def run(self, call, place):
        yield "half"
        raise TimeoutError("in a tool")


@pytest.mark.parametrize(("calls", "reason", "bug"), [("a", "finished", "in a tool"), ("ab", "failed", "of its own")])
async def test_whatever_goes_wrong_inside_each_call_has_a_result_and_each_bug_is_told_once(
    house, tmp_path, calls: str, reason: str, bug: str
) -> None:
    home = await house([calling(*(bash("true", name) for name in calls)), Reply("I see.")])
    session = await equipped(home, tmp_path, kind=Clumsy)
    events = await home.turn(session, "Try")
    assert {result.call_id for result in results(session)} == set(calls)
    assert [event.reason for event in events if isinstance(event, TurnFinished)] == [reason]
    assert [event.failure.kind for event in events if isinstance(event, TurnFailed)] == ["bug"] * (reason == "failed")
    await asyncio.sleep(0.05)  # the task has ended, and is looked at next
    assert [str(error) for error in home.bugs] == [bug]
    home.bugs.clear()
    assert legal_for_all(chat_of(assemble(session.view))) == []
