"""A long session of an agent against a provider with a true window: nothing refused, nothing lost, rules never gone."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from desktop_app.conversation.events import MessageState, TurnFailed, TurnFinished
from desktop_app.conversation.message import Message
from desktop_app.settings import ServerKind
from long_run import RULES, LongRun, long_run
from request_rules import legal_for_all

TURNS = int(os.environ.get("PALIMPSEST_LONG_RUN", "150"))
"""Set to 500 for the figures of docs/measurements.md: two minutes a shape."""


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALIMPSEST_KEY_RUN", "a key")


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("shape", "factor"), [("openai_compatible", 1.0), ("anthropic", 1.25)])
async def test_hundreds_of_turns_never_meet_the_limit(tmp_path: Path, shape: ServerKind, factor: float) -> None:
    run = await long_run(tmp_path / "data", tmp_path / "work", turns=TURNS, shape=shape, factor=factor)
    assert not run.of(TurnFailed)
    assert not any(measured.is_refused for measured in run.measured)
    _nothing_is_lost(run)
    _rules_are_in_every_request(run)
    _operations_have_their_figures(run)
    assert run.extending > 0.9
    later = [abs(t.tokens_estimated / t.tokens_reported - 1) for t in run.of(TurnFinished)[12:]]
    assert sorted(later)[len(later) * 95 // 100] < 0.02


def _nothing_is_lost(run: LongRun) -> None:
    """Each message is in the view or archived, and each request is one that every provider takes."""
    session = run.session
    said = [entry for entry in session.transcript.entries if isinstance(entry, Message)]
    here = {item.message.id for item in session.view.items}
    for message in said:
        standing = session.view.statuses.get(message.id)
        assert (message.id in here) != (standing is not None and standing.state is MessageState.ARCHIVED)
    if run.requests[0].flavour == "openai":
        assert not [problem for request in run.chat for problem in legal_for_all(request.messages)]


def _rules_are_in_every_request(run: LongRun) -> None:
    for request in run.chat:
        body = json.dumps(request.body, ensure_ascii=False)
        assert all(rule in body for rule in RULES)


def _operations_have_their_figures(run: LongRun) -> None:
    operations = [row for row in run.session.operations() if row.kind in ("prune", "compaction")]
    assert operations
    assert all(row.tokens_before > row.tokens_after > 0 and row.messages for row in operations)
