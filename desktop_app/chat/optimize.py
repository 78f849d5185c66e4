"""**Optimize conversation**: a plan is made and shown, then applied as it was shown, then undoable.

plan_optimize(basis, tail_tokens) -> Optimization     what would happen, on frozen values, on any thread
with_summary(optimization, page)  -> Optimization     the same with an edited summary, checked again
"""

from __future__ import annotations

import uuid

import msgspec
from msgspec.structs import replace

from desktop_app.context.breakdown import request_tokens
from desktop_app.context.compact import CompactionPlan, compaction_of, plan_compaction
from desktop_app.context.prune import plan_prune
from desktop_app.context.tail import room_of
from desktop_app.context.view import View, previewed, view_of
from desktop_app.conversation.transcript import Compaction, Operation, Prune, Trigger

from .room import Basis

TAIL_LEAST_SHARE = 0.05
"""The tail slider's lower end, of the usable window: about a question and its answer."""


class Optimization(msgspec.Struct, frozen=True):
    """A plan on the record as it was. steps: what would be recorded, in order, whole but not stamped.

    views: the view before, and after each step. compaction_plan: for measuring an edited summary again.
    tail_tokens, tail_least, tail_most: where the tail slider stands, and its ends. note: why there is nothing to gain.
    """

    id: str
    basis: Basis
    steps: tuple[Operation, ...]
    views: tuple[View, ...]
    compaction_plan: CompactionPlan | None
    tail_tokens: int
    tail_least: int
    tail_most: int
    note: str = ""

    @property
    def prune(self) -> Prune | None:
        """The step that costs nothing, if there is one."""
        return next((step for step in self.steps if isinstance(step, Prune)), None)

    @property
    def compaction(self) -> Compaction | None:
        """The step that archives, if there is one."""
        return next((step for step in self.steps if isinstance(step, Compaction)), None)


def plan_optimize(basis: Basis, tail_tokens: int | None = None) -> Optimization:
    """What making room by the user's word would do; nothing is recorded. tail_tokens None: as the policy says."""
    total = request_tokens(basis.view, basis.counts)
    steps: list[Operation] = []
    views = [basis.view]
    prune = plan_prune(basis.view, basis.policy, basis.budget, basis.counts, total, Trigger.USER)
    if prune is not None:
        steps.append(replace(prune, id="draft-prune"))
        views.append(view_of(previewed(basis.transcript, *steps)))
    least, most, usual = _tail_range(basis, views[-1])
    tail = usual if tail_tokens is None else min(max(tail_tokens, least), most)
    plan = plan_compaction(
        views[-1],
        basis.policy,
        basis.budget,
        basis.counts,
        request_tokens(views[-1], basis.counts),
        Trigger.USER,
        tail_tokens,
    )
    pruned = previewed(basis.transcript, *steps)
    compaction = compaction_of(plan, pruned, views[-1], basis.counts) if plan else None
    if compaction is not None:
        steps.append(replace(compaction, id="draft-compaction"))
        views.append(view_of(previewed(basis.transcript, *steps)))
    note = "" if steps else "Nothing would be gained now: everything is among the messages that stay as they are."
    return Optimization(uuid.uuid4().hex, basis, tuple(steps), tuple(views), plan, tail, least, most, note)


def _tail_range(basis: Basis, view: View) -> tuple[int, int, int]:
    """The tail slider: its least, its most, and where the policy puts it, in tokens."""
    least = round(basis.budget.usable * TAIL_LEAST_SHARE)
    room = room_of(view, basis.counts)
    most = max(min(sum(room.tokens), basis.budget.usable), least + 1)
    usual = min(basis.policy.tail_most, round(basis.budget.usable * basis.policy.tail_share))
    return least, most, min(max(usual, least), most)


def with_summary(optimization: Optimization, page: str) -> Optimization | None:
    """The same plan with the summary that the user edited; None if it would free nothing any more."""
    plan, before = optimization.compaction_plan, optimization.compaction
    if plan is None or before is None or page.strip() == before.summary.strip():
        return optimization
    basis, earlier = optimization.basis, optimization.steps[:-1]
    pruned = previewed(basis.transcript, *earlier)
    compaction = compaction_of(plan, pruned, optimization.views[len(earlier)], basis.counts, page)
    if compaction is None:
        return None
    steps = (*earlier, replace(compaction, id="draft-compaction"))
    views = (*optimization.views[: len(earlier) + 1], view_of(previewed(basis.transcript, *steps)))
    return replace(optimization, id=uuid.uuid4().hex, steps=steps, views=views)
