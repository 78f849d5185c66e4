"""The presets that are like programs, in windows of 8K, 32K and 200K, as a turn asks for room and takes results in.

What is expected is written down from the documents here, not computed from the presets.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from test_run_tools import bash, calling, equipped, results

from builders import exchange
from desktop_app.chat.compaction.making_room import decide_step
from desktop_app.chat.compaction.snapshot import snapshot_of
from desktop_app.context.compact.compaction import CompactionPlan
from desktop_app.conversation.events import TurnFinished, ViewChanged
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Trigger
from provider import Reply

WINDOWS = (8_192, 32_768, 200_000)
REQUEST, TOOL, AFTER = Trigger.BEFORE_REQUEST, Trigger.TOOL_RESULT, Trigger.AFTER_TURN
DUE: dict[tuple[str, Trigger], Callable[[int], float]] = {
    ("opencode", REQUEST): lambda window: 0.90 * window,
    ("lmstudio", REQUEST): lambda window: min(0.75 * window, 0.80 * window - 1_000),
    ("lmstudio", TOOL): lambda window: window - 1_000,
    ("spec008", REQUEST): lambda window: window - 20_000 if window > 20_000 else window / 2,
    ("goagent", AFTER): lambda window: window - 16_384 if window > 16_384 else window / 2,
    ("seline", AFTER): lambda window: 0.75 * window,
    ("seline", REQUEST): lambda window: 0.90 * window,
}
"""Tokens from which on a compaction is due, in a window."""


def talk(tokens: int) -> list[Message]:
    """A conversation of about so many tokens: a word is one."""
    size = max(tokens // 60, 20)
    count = max((tokens - 40) // (size + 4), 2)
    return exchange(["word " * size] * count)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(("name", "trigger"), DUE, ids=lambda value: str(value))
@pytest.mark.parametrize("reply", [0, 300, 64_000])
@pytest.mark.long
async def test_a_compaction_is_due_where_the_document_says(
    house, name: str, trigger: Trigger, window: int, reply: int
) -> None:
    """reply: the longest that the server tells; 0: it tells none."""
    home = await house([], window=window, max_output=reply)
    home.chats.settings = replace(home.chats.settings, policy=name)
    due = DUE[name, trigger](window)
    for share, is_made in ((0.96, False), (1.03, True)):
        session = await home.chats.create("Talk", talk(round(due * share)))
        total = session.counter.gauge().total
        assert (total >= due) is is_made, f"{total} of {due}: the test's own conversation"
        step = decide_step(snapshot_of(session.counter), trigger)
        assert isinstance(step, CompactionPlan) is is_made, f"{total} of {due}"


SHOWN = {"opencode": 50_000, "lmstudio": 73_889, "spec008": 50_000, "goagent": 51_200, "seline": 50_000}
"""Characters of a result of 73,889 that stay: ToolOutputLimits, no truncation, MaxBytes; the default where a document
says nothing."""


@pytest.mark.parametrize("window", [8_192, 200_000])
@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.long
async def test_a_result_enters_as_the_document_says_whatever_the_window(
    house, tmp_path: Path, name: str, window: int
) -> None:
    home = await house([calling(bash("cat big.txt")), Reply("Read.")], window=window, max_output=0)
    session = await equipped(home, tmp_path, policy=name, summaries="extractive")
    whole = ("some words in a line of text\n" * 2_600)[:73_889]
    (tmp_path / "work" / "big.txt").write_text(whole)
    events = await home.turn(session, "Read it.")
    (result,) = results(session)
    assert SHOWN[name] * 0.95 < len(result.text) <= SHOWN[name] + 200
    causes = [event.cause for event in events if isinstance(event, ViewChanged) and event.operations]
    assert causes == ([TOOL] if window == 8_192 else []), "one that is larger than the window is archived itself"
    assert isinstance(events[-1], TurnFinished)
    assert len(home.provider.requests) == 2


async def test_at_a_result_that_would_not_fit_lmstudio_compacts_and_keeps_it(house, tmp_path: Path) -> None:
    home = await house([calling(bash("cat big.txt")), Reply("Read.")], window=32_768, max_output=0)
    await equipped(home, tmp_path, policy="lmstudio", summaries="extractive")
    session = await home.chats.create("Talk", talk(20_000))
    whole = ("some words in a line of text\n" * 2_600)[:73_889]
    (tmp_path / "work" / "big.txt").write_text(whole)
    events = await home.turn(session, "Read it.")
    changed = [event for event in events if isinstance(event, ViewChanged) and event.operations]
    assert [(event.cause, event.operations[0].kind) for event in changed] == [(TOOL, "compaction")]
    assert isinstance(events[-1], TurnFinished)
    assert results(session)[0].text.startswith(whole)
    assert whole in str(home.provider.requests[-1].turns[-1][1])
