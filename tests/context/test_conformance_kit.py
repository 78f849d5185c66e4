"""Others' measurement of what compaction loses: compaction-conformance-kit, five rounds at 30 % of the characters.

The package is asked for only here, and only where it is installed (the extra "peers" of pyproject.toml).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from builders import message
from desktop_app.context.extractive.extract import extract
from desktop_app.context.ledger.ledger import ledger_of
from desktop_app.conversation.memory import Ledger
from desktop_app.conversation.message import Message, Role

pytestmark = pytest.mark.slow

corpus = pytest.importorskip("compaction_kit.corpus")
runner = pytest.importorskip("compaction_kit.runner")
compacted = pytest.importorskip("compaction_kit.compacted")

ROLES = {"system": Role.SYSTEM, "user": Role.USER}
SEEDS = range(1, 13)


class Extractive:
    """Our summary without a model in the kit's shape: from the second round on, the earlier summary is all there is."""

    name = "palimpsest"

    def __init__(self) -> None:
        self._ledger, self._summary = Ledger(), ""

    def compact(self, turns: list[Any], round_num: int = 1, budget_chars: int = 0) -> Any:
        head = [] if round_num > 1 else [_message(turn, number) for number, turn in enumerate(turns)]
        self._ledger = ledger_of(head, self._ledger)
        self._summary = extract(head, self._summary, self._ledger, budget_chars, len)
        return compacted.CompactedContext(self._summary, self.name, round_num)


def _message(turn: Any, number: int) -> Message:
    return message(ROLES.get(turn.role, Role.ASSISTANT), turn.text, id=f"m{number}")


def test_nine_tenths_of_each_kind_survive_five_rounds() -> None:
    survived: defaultdict[str, list[bool]] = defaultdict(list)
    for seed in SEEDS:
        session, canaries = corpus.build_random_session(seed)
        run = runner.run_conformance(session, Extractive(), rounds=5, canaries=canaries, budget_fraction=0.3)
        assert all(result.within_budget for result in run.rounds)
        for canary in canaries:
            survived[canary.type.value].append(run.rounds[-1].survived[canary.id])
    shares = {kind: sum(told) / len(told) for kind, told in survived.items()}
    print(shares)
    assert min(shares.values()) >= 0.9, shares
