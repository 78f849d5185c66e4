"""What survived, for the eye: one bar and its legend."""

from __future__ import annotations

from collections.abc import Sequence

from desktop_app.conversation.facts import Fidelity
from desktop_app.conversation.gauge import Segment

from .bars import BarPart
from .formats import format_number, percentages, pluralize
from .legend import LegendItem
from .look import Tint

NAMED = 20  # facts in a tooltip
FATES: tuple[tuple[str, Tint | Segment], ...] = (
    ("verbatim", Segment.USER),
    ("in the summary", Segment.SUMMARY),
    ("recallable", Segment.RESULTS),
    ("lost", "critical"),
)


def _counts(fidelity: Fidelity) -> tuple[int, int, int, int]:
    return fidelity.verbatim, fidelity.in_summary, fidelity.recallable, fidelity.lost


def fidelity_parts(fidelity: Fidelity) -> list[BarPart]:
    """The bar's parts, one a fate."""
    return [
        BarPart(count, tint, f"{format_number(count)} of {pluralize(fidelity.total, 'fact')} {fate}")
        for count, (fate, tint) in zip(_counts(fidelity), FATES, strict=True)
        if count
    ]


def fidelity_shares(fidelity: Fidelity) -> list[LegendItem]:
    """The legend in percent: "58 % verbatim, 31 % in the summary, 11 % recallable, nothing lost"."""
    shares = percentages((*_counts(fidelity)[:3], fidelity.lost))
    meanings = [
        LegendItem(f"{share or '< 1'} % {fate}", tint)
        for share, count, (fate, tint) in zip(shares[:3], _counts(fidelity)[:3], FATES[:3], strict=True)
        if count
    ]
    return [*meanings, _lost(fidelity, "nothing lost")]


def fidelity_counts(fidelity: Fidelity) -> list[LegendItem]:
    """The legend in numbers: "47 facts verbatim, 22 in the summary, 9 recallable, 0 lost"."""
    meanings = [
        LegendItem(f"{pluralize(count, 'fact') if number == 0 else format_number(count)} {fate}", tint)
        for number, (count, (fate, tint)) in enumerate(zip(_counts(fidelity)[:3], FATES[:3], strict=True))
    ]
    return [*meanings, _lost(fidelity, "0 lost")]


def _lost(fidelity: Fidelity, nothing: str) -> LegendItem:
    if fidelity.lost:
        return LegendItem(f"{format_number(fidelity.lost)} lost", "critical", "critical")
    return LegendItem(nothing, None, "ink_soft" if fidelity.recallable else "ok")


def lost_facts_hint(fidelity: Fidelity) -> str:
    """Names what was lost, and what only the archive has, as far as it is known."""
    told = (
        _named("Lost", fidelity.lost_facts, fidelity.lost),
        _named("Only in the archive", (*fidelity.recallable_rules, *fidelity.recallable_facts), fidelity.recallable),
    )
    return "\n\n".join(filter(None, told))


def _named(title: str, facts: Sequence[str], total: int) -> str:
    if not facts:
        return ""
    listed = [f"• {fact}" for fact in facts[:NAMED]]
    more = total - len(listed)
    return "\n".join([f"{title}:", *listed, *([f"… and {format_number(more)} more"] if more > 0 else [])])
