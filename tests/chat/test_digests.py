"""The digest of old results, written by the model where the policy wants it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from builders import model, result, user
from desktop_app.chat.session import Session
from desktop_app.context.policy import BALANCED
from desktop_app.context.view.view import assemble
from desktop_app.conversation.message import Message, ToolCall, Usage
from desktop_app.conversation.transcript import AuxiliaryUsage, Prune, Trigger
from provider import Reply, Status

POLICY = replace(
    BALANCED,
    digest_by="model",
    prune_order=("digest",),
    layers=("prune",),
    protect_newest=0,
    protect_user_turns=0,
    min_prune=0,
    flush_distance=0,
)
WORDS = "Condense this in {most} characters."


def session_with_tools(count: int) -> list[Message]:
    said: list[Message] = []
    for n in range(count):
        said.append(user(f"Read file {n}"))
        said.append(model(ToolCall(f"c{n}", "read", f'{{"path": "f{n}.py"}}')))
        said.append(result(f"value {n} = 1\n" * 120, f"c{n}", "read"))
        said.append(model("Done."))
    return said


async def pruned(house, step) -> tuple[Session, list]:
    home = await house([step], window=24_000)
    home.furnish(words=lambda: WORDS)
    session = await home.chats.create("Tools", session_with_tools(24))
    session.counter.chosen_policy = POLICY
    await home.make_room(session, Trigger.USER)
    return session, home.provider.requests


async def test_the_models_digest_takes_the_rules_place(house) -> None:
    session, requests = await pruned(
        house, Reply("- f0.py to f9.py define values; it is sk-abcdefghijklmnopqrstuvwx", usage=(3_000, 30, 0))
    )
    told = "\n".join(message.text for message in assemble(session.view))
    assert "- f0.py to f9.py define values" in told
    assert "sk-abcdefghijklmnopqrstuvwx" not in told
    assert "Condense this in 1,200 characters." in requests[0].messages[0]["content"]
    assert [type(entry) for entry in session.transcript.entries[-2:]] == [AuxiliaryUsage, Prune]
    assert session.totals().auxiliary == Usage(3_000, 30)


@pytest.mark.parametrize("step", [Status(401, "no"), Reply("")])
async def test_where_the_model_fails_the_rules_digest_stays(house, step) -> None:
    session, _ = await pruned(house, step)
    told = "\n".join(message.text for message in assemble(session.view))
    assert "digested: " in told
    assert "- read f" in told
