"""Carry out a plan without a model: by rules, or by keeping only the last messages (K4, K5)."""

from __future__ import annotations

from msgspec.structs import replace

from desktop_app.context.compact.compaction import CompactionPlan, compaction_of
from desktop_app.context.summary.model_summary import compact_to_last_messages, plan_last_messages
from desktop_app.conversation.transcript import Compaction
from desktop_app.conversation.words import translatable

from .snapshot import ContextSnapshot

ONLY_LATEST = translatable(
    "Only the latest messages were kept because a summary without a model would have freed nothing."
)


def compact_without_model(
    snapshot: ContextSnapshot, plan: CompactionPlan, strategy: str = "extractive", note: str = ""
) -> Compaction | None:
    """Return an extractive compaction; on request, or if that frees nothing, one that keeps only the last messages.

    note: why no model wrote it. Can take seconds for a long conversation.
    """
    transcript, view, counts = snapshot.transcript, snapshot.view, snapshot.counts
    why = translatable("Assembled by rules because {reason}.").format(reason=note) if note else ""
    if strategy != "last_messages":
        compaction = compaction_of(plan, transcript, view, counts, reading=snapshot.reading)
        if compaction is not None:
            return replace(compaction, note=why)
        why = ONLY_LATEST
        if note:
            why = translatable(
                "Only the latest messages were kept because {reason}, and a summary without a model would have freed "
                "nothing."
            ).format(reason=note)
    last = plan_last_messages(view, snapshot.policy, snapshot.budget, counts, plan.total, plan.trigger)
    compaction = compact_to_last_messages(last or plan, transcript, view, counts, snapshot.reading)
    return replace(compaction, note=why) if compaction else None
