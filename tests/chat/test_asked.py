"""What the user is asked before a call runs, and how long an answer holds."""

from __future__ import annotations

import asyncio

import pytest
from test_run_tools import bash, calling, equipped, results

from desktop_app.chat.turn.tool_calls import NOT_BEGUN
from desktop_app.conversation.events import QuestionAnswered, QuestionAsked, TurnFailed, TurnFinished
from desktop_app.conversation.tools import DENIED, FORBIDDEN, MAX_TARGETS, PermissionAnswer, Rule
from desktop_app.conversation.transcript import Permit, active_entries
from provider import Reply

HERE = PermissionAnswer(is_allowed=True, scope="conversation", pattern="echo *")


async def answered(home, answer: PermissionAnswer, nth: int = 0) -> QuestionAsked:
    """The question of that number, once it was put and answered."""
    await home.until(lambda: len(home.of(QuestionAsked)) > nth)
    asked = home.of(QuestionAsked)[nth]
    home.bench.questions.answer(asked.question, answer)
    await home.until(lambda: len(home.of(QuestionAnswered)) > nth)
    return asked


async def finished(home, turns: int = 1) -> TurnFinished:
    await home.until(lambda: len(home.of(TurnFinished)) == turns)
    return home.of(TurnFinished)[-1]


@pytest.mark.long
async def test_what_is_denied_is_a_result_and_the_turn_goes_on(house, tmp_path) -> None:
    home = await house([calling(bash("touch made")), Reply("Then not.")])
    session = await equipped(home, tmp_path, allow="")
    await home.chats.turns.send(session, "Try")
    asked = await answered(home, PermissionAnswer(is_allowed=False))
    assert [need.target for need in asked.needs] == ["touch made"]
    assert (await finished(home)).reason == "finished"
    assert [(r.text, r.is_error, r.ending) for r in results(session)] == [(DENIED, True, "denied")]
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.long
async def test_an_answer_for_the_conversation_holds_for_the_next_call_and_after_a_restart(house, tmp_path) -> None:
    calls = calling(bash("echo one", "a"), bash("echo two", "b"))
    home = await house([calls, Reply("Fine."), calling(bash("echo three")), Reply("Fine.")])
    session = await equipped(home, tmp_path, allow="")
    await home.chats.turns.send(session, "Try")
    await answered(home, HERE)
    await finished(home)
    assert len(home.of(QuestionAsked)) == 1, "the answer to the first call speaks of the second one, too"
    assert [result.text.split("\n")[0] for result in results(session)] == ["one", "two"]

    again = await home.reopen(session)
    permits = [entry.rule for entry in active_entries(again.transcript.entries) if isinstance(entry, Permit)]
    assert permits == [Rule("bash", "echo *")]
    await home.chats.turns.send(again, "And again")
    await finished(home, 2)
    assert len(home.of(QuestionAsked)) == 1


@pytest.mark.long
async def test_questions_are_put_one_at_a_time(house, tmp_path) -> None:
    home = await house([calling(bash("touch a", "a"), bash("mkdir b", "b")), Reply("Fine.")])
    session = await equipped(home, tmp_path, allow="")
    await home.chats.turns.send(session, "Try")
    await home.until(lambda: bool(home.of(QuestionAsked)))
    await asyncio.sleep(0.2)
    assert len(home.of(QuestionAsked)) == 1
    assert [asked.call.call_id for asked in home.bench.questions.of(session.id)] == ["a"]
    await answered(home, PermissionAnswer(is_allowed=True))
    await answered(home, PermissionAnswer(is_allowed=False), 1)
    await finished(home)
    assert [result.is_error for result in sorted(results(session), key=lambda r: r.call_id)] == [False, True]
    assert home.bench.questions.of(session.id) == ()


async def test_a_rule_for_good_is_kept_and_one_that_forbids_asks_nobody(house, tmp_path) -> None:
    home = await house([calling(bash("echo one", "a")), calling(bash("rm x", "b")), Reply("Fine.")])
    session = await equipped(home, tmp_path, allow="", rules=(Rule("bash", "rm *", is_allowed=False),))
    await home.chats.turns.send(session, "Try")
    await answered(home, PermissionAnswer(is_allowed=True, scope="always", pattern="echo *"))
    await finished(home)
    assert home.chats.settings.rules[1:] == (Rule("bash", "echo *"),)
    assert results(session)[1].text == FORBIDDEN
    assert len(home.of(QuestionAsked)) == 1


async def test_after_many_rounds_the_user_says_whether_it_goes_on(house, tmp_path) -> None:
    home = await house([calling(bash(f"echo {n}")) for n in range(5)])
    session = await equipped(home, tmp_path, max_rounds=2)
    await home.chats.turns.send(session, "Try")
    assert (await answered(home, PermissionAnswer(is_allowed=True))).rounds == 2
    assert (await answered(home, PermissionAnswer(is_allowed=False), 1)).rounds == 4
    assert (await finished(home)).reason == "failed"
    assert [event.failure.kind for event in home.of(TurnFailed)] == ["rounds"]
    assert [result.text.split("\n")[0] for result in results(session)] == ["0", "1", "2", NOT_BEGUN]


async def test_stopping_withdraws_the_question(house, tmp_path) -> None:
    home = await house([calling(bash("echo one")), Reply("Never.")])
    session = await equipped(home, tmp_path, allow="")
    await home.chats.turns.send(session, "Try")
    await home.until(lambda: bool(home.of(QuestionAsked)))
    await home.chats.turns.stop(session.id)
    assert home.bench.questions.of(session.id) == ()
    home.bench.questions.answer(home.of(QuestionAsked)[0].question, PermissionAnswer(is_allowed=True))  # too late
    assert [result.text for result in results(session)] == [NOT_BEGUN]


async def test_no_rule_is_kept_of_what_is_too_long_to_be_read(house, tmp_path) -> None:
    line = "echo " + "a" * MAX_TARGETS
    home = await house([calling(bash(line, "a")), Reply("Fine.")])
    session = await equipped(home, tmp_path, allow="")
    await home.chats.turns.send(session, "Try")
    await answered(home, HERE)
    await finished(home)
    assert [result.ending for result in results(session)] == [""]
    assert not [entry for entry in session.transcript.entries if isinstance(entry, Permit)]
