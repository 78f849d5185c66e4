"""A plan of Optimize conversation for the sheet to show."""

from __future__ import annotations

from desktop_app.conversation.gauge import Gauge, Segment, Status
from desktop_app.conversation.memory import Fidelity
from desktop_app.engine.protocol import Plan, PlanItem

BEFORE = Gauge({Segment.SYSTEM: 25, Segment.USER: 1_485, Segment.ASSISTANT: 2_800}, 4_310, 8_192, 1_638, Status.SAFE)
AFTER = Gauge({Segment.SYSTEM: 25, Segment.SUMMARY: 412, Segment.USER: 1_473}, 1_910, 8_192, 1_638, Status.SAFE)
SUMMARY = "## Primary intent\nMove billing to the ledger."
PLAN = Plan(
    id="plan1",
    before=BEFORE,
    after=AFTER,
    pruned=(PlanItem("r1", "read", "class LedgerEntry", 1_256, 52),),
    archived=tuple(PlanItem(f"m{number}", "You", f"Message {number}", 30, 0) for number in range(31)),
    tokens_freed_by_prune=1_204,
    tokens_freed_by_compaction=1_196,
    kept=14,
    pins=2,
    rules=1,
    summary=SUMMARY,
    summary_tokens=412,
    fidelity=Fidelity(47, 22, 9, 0),
    tail_tokens=2_048,
    min_tail=512,
    max_tail=3_200,
    tail_kept=2_048,
    pruned_total=1,
    archived_total=31,
)
