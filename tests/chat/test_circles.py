"""No turn goes in circles: room is made a few times, a command runs once, and then the user is asked."""

from __future__ import annotations

import pytest
from agents import Agent, CountedTools, agent_script, equipped_with, output, ran, schemas_of_servers, steps_in
from msgspec.structs import replace
from test_run_tools import results

from builders import model, result
from desktop_app.chat.compaction.making_room import OFTEN, drop_results
from desktop_app.chat.turn.take_turn import TurnOptions
from desktop_app.conversation.events import TurnFailed, TurnFinished
from desktop_app.conversation.message import ToolCall, user_message
from desktop_app.conversation.tools import HAS_IT
from provider import Reply

SIZES = [  # window, tokens of a result, calls of a turn, tools of servers
    (8_192, 200, 1, 0),
    (8_192, 1_500, 3, 0),
    (8_192, 6_000, 2, 0),
    (10_240, 1_000, 1, 78),
    (10_240, 1_000, 2, 60),
    (32_768, 2_800, 7, 0),
]


async def take_turns(house, folder, turns: int, window: int, tokens: int, calls: int, servers: int) -> None:
    home = await house([], window=window, max_output=0)
    home.provider.script = agent_script(window, Agent(calls))
    tools = CountedTools(output(tokens), schemas_of_servers(servers))
    session = await equipped_with(home, folder, tools)
    for turn in range(turns):
        events = await home.turn(session, f"Turn {turn} of many: run its step.")
        assert steps_in(events) <= session.counter.policy.tool_result_tries, turn
        assert [command for command, runs in tools.runs.items() if runs > 1] == [], turn
        for failed in (event.failure for event in events if isinstance(event, TurnFailed)):
            assert servers, "without them there is room for each result"
            assert failed.kind == "circles" or failed.filled_by == "tools", turn
        await home.chats.turns.wait_until_idle(session.id, with_room=True)
    assert not any(measured.is_refused for measured in home.provider.script.requests)


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
async def test_an_agent_that_calls_until_it_sees_its_result_runs_nothing_twice(house, tmp_path, size) -> None:
    await take_turns(house, tmp_path, 8, *size)


@pytest.mark.slow
@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("size", SIZES)
async def test_two_hundred_turns_of_it(house, tmp_path, size) -> None:
    await take_turns(house, tmp_path, 200, *size)


async def circling(house, folder, script, tool_call, outputs) -> tuple:
    """A house whose model makes that call again and again; it and the events of the turn."""
    home = await house(script, window=60_000, repeat_last=True)
    tools = CountedTools(outputs)
    session = await equipped_with(home, folder, tools)
    script[:] = [Reply("Again.", calls=(tool_call,), finish="tool_calls")]
    home.provider.script = script
    return home, session, tools, await home.turn(session, "Turn 0 of many")


@pytest.mark.parametrize("is_wire", [False, pytest.param(True, marks=pytest.mark.wire)])
async def test_who_reads_the_same_result_again_and_again_is_told_so_and_then_stopped(house, tmp_path, is_wire) -> None:
    home, session, tools, events = await circling(house, tmp_path, [], ran("status"), lambda *_: "still at work")
    assert tools.runs["status"] == 2
    assert len(home.provider.requests) == 5
    answers = [text for role, text in home.provider.requests[-1].turns if role == "tool"]
    assert answers == ["still at work"] * 2 + [HAS_IT] * 2
    (failure,) = [event.failure for event in events if isinstance(event, TurnFailed)]
    assert failure.kind == "circles"
    assert failure.detail.startswith("It called run 5 times with the same arguments")
    assert [r.ending for r in results(session)] == ["", "", "repeated", "repeated", "repeated"]
    assert session.view.open_calls == (), "each call has its result"


async def test_what_is_waited_for_is_asked_as_often_as_it_differs(house, tmp_path) -> None:
    def at_work(command: str, run: int) -> str:
        return f"{run * 10} % done"

    home = await house([], window=60_000, repeat_last=True)
    tools = CountedTools(at_work)
    session = await equipped_with(home, tmp_path, tools)
    reply = Reply("Again.", calls=(ran("status"),), finish="tool_calls")
    home.provider.script = [*([reply] * 9), Reply("Done.")]
    events = await home.turn(session, "Turn 0 of many")
    assert tools.runs["status"] == 9
    assert not [event for event in events if isinstance(event, TurnFailed)]


@pytest.mark.long
async def test_each_turn_makes_room_for_results_three_times_at_most_then_says_so(house, tmp_path) -> None:
    home = await house([], window=16_000, max_output=0)
    tools = CountedTools(output(2_500))
    session = await equipped_with(home, tmp_path, tools)
    home.provider.script = [
        Reply("Next.", calls=(ran(f"look {n}", f"c{n}"),), finish="tool_calls") for n in range(24)
    ] + [Reply("Done.")] * 9
    session.counter.chosen_policy = replace(session.counter.policy, flush_distance=0)
    events = await home.turn(session, "Turn 0 of many")
    assert steps_in(events) == session.counter.policy.tool_result_tries == 3
    (failure,) = [event.failure for event in events if isinstance(event, TurnFailed)]
    assert failure.kind == "window_too_small"
    assert failure.advice == OFTEN
    made = len(home.of(TurnFinished))
    await home.chats.turns.go_on(session, TurnOptions(makes_room=True))  # what its first button does
    await home.until(lambda: len(home.of(TurnFinished)) > made)
    await home.chats.turns.wait_until_idle(session.id, with_room=True)
    assert sum(tools.runs.values()) > 10, "the user's word lets it go on"


async def test_no_step_is_recorded_that_the_gauge_would_show_as_a_growth(talk) -> None:
    """The provider counts far less than is counted here: a small step would show more tokens than before it."""
    said = [user_message("Read them.")]
    for n in range(10):
        said += [
            model(ToolCall(f"c{n}", "read", f'{{"path": "{n}"}}')),
            result(f"line {n} of it\n" * 90, f"c{n}", "read"),
        ]
    home, session = await talk([Reply("Read.", usage=(3_600, 5, 0))], window=60_000, messages=said)
    counted = session.counter.gauge().total
    await home.turn(session, "And now?")
    before = session.counter.gauge()
    assert before.total < counted * 0.7
    assert before.provenance == "measured"
    await drop_results(session, home.services, 0.1, home.publish)
    assert session.operations() == ()
    await drop_results(session, home.services, 1.0, home.publish)
    (row,) = session.operations()
    assert row.tokens_after < row.tokens_before == before.total
