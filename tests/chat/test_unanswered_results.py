"""Turns whose results do not fit together: the model gets each of them, and the rest of each can be read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from test_run_tools import calling, equipped

from builders import result
from desktop_app.chat.compaction.optimize import apply_optimization, plan_optimization
from desktop_app.chat.ports import WorldError
from desktop_app.chat.session import Session
from desktop_app.context.truncate import spill_named_in
from desktop_app.conversation.events import Failure, TurnFailed
from desktop_app.conversation.message import Message, Role, ToolCall
from desktop_app.conversation.transcript import Prune
from provider import Call, Reply

FILES = 9


def reads(folder: Path, size: int = 2_000) -> Reply:
    """A reply that reads some files at once, which are there."""
    for number in range(FILES):
        (folder / f"{number}.txt").write_text(
            f"# file {number}\n" + f"value_{number} = rate({number})\n" * (size // 20)
        )
    calls = (Call("read", json.dumps({"path": str(folder / f"{number}.txt")}), f"r{number}") for number in range(FILES))
    return calling(*calls)


async def test_results_that_do_not_fit_together_are_shortened_and_their_rest_can_be_read(house, tmp_path) -> None:
    home = await house([reads(tmp_path), Reply("I have read them.")], window=8_192)
    session = await equipped(home, tmp_path)
    await home.turn(session, "Read them.")
    assert not home.of(TurnFailed)
    prune = next(entry for entry in session.transcript.entries if isinstance(entry, Prune))
    assert len(prune.results) == FILES
    for shortened in prune.results:
        name = spill_named_in(shortened.text)
        assert name is not None
        whole = await home.bench.spills.read(name)
        recorded = session.message(shortened.message_id).tool_result
        assert recorded is not None
        assert whole == recorded.text
        assert f"# file {recorded.call_id[1:]}" in shortened.text
    assert 0.8 < prune.tokens_after / prune.usable < 0.95


async def test_where_the_spill_cannot_be_kept_no_notice_names_one(house, tmp_path, monkeypatch) -> None:
    home = await house([reads(tmp_path), Reply("I have read them.")], window=8_192)
    session = await equipped(home, tmp_path)

    async def fails(text: str) -> str:
        raise WorldError(Failure("disk", "The disk is full"))

    monkeypatch.setattr(home.bench.spills, "keep", fails)
    await home.turn(session, "Read them.")
    assert not home.of(TurnFailed)
    prune = next(entry for entry in session.transcript.entries if isinstance(entry, Prune))
    assert all(r.text.endswith("The whole is archived.]") and spill_named_in(r.text) is None for r in prune.results)


async def waiting_session(home, tmp_path: Path) -> Session:
    """A conversation that ends in results which no reply has followed, too long together."""
    await equipped(home, tmp_path)
    calls = tuple(ToolCall(f"r{n}", "read", json.dumps({"path": f"{n}.txt"})) for n in range(FILES))
    said = [Message(role=Role.ASSISTANT, parts=calls)]
    said += [result(f"value_{n} = rate({n})\n" * 450, f"r{n}", "read") for n in range(FILES)]
    return await home.chats.create("Waiting", said)


@pytest.mark.parametrize("strategy", ["extractive", "last_messages"])
async def test_optimize_shortens_them_too(house, tmp_path, strategy: str) -> None:
    home = await house([], window=16_384)
    session = await waiting_session(home, tmp_path)
    optimization = await plan_optimization(session.counter, None, strategy)
    assert optimization.prune is not None
    assert len(optimization.prune.results) == FILES
    await apply_optimization(session, home.services, optimization, home.publish)
    results = [item for item in session.view.items if item.message.role is Role.TOOL]
    assert len(results) == FILES
    assert session.counter.gauge().total <= session.counter.gauge().usable
    for item in results:
        assert re.search(r"value_\d = rate\(\d\)\n", item.message.text)
        assert await home.bench.spills.read(spill_named_in(item.message.text)) is not None
