"""Survival of facts after a compaction, as a bar, a legend and a list that unfolds."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr

from .bars import BarPart
from .buttons import LinkButton
from .layouts import vertical
from .look import MEDIUM, Tint
from .number_formats import format_number
from .text_label import Run, TextLabel

NO_BREAK = "\N{NO-BREAK SPACE}"
TINTS: tuple[Tint | Segment, ...] = (Segment.USER, Segment.SUMMARY, Segment.RESULTS, "critical")
"""Colours of the facts that are verbatim, in the summary, recallable, and lost."""
ABOUT_FACTS = translatable(
    "Facts are the paths, addresses, numbers, names and rules that you mentioned, and questions that are still open. "
    "Each is looked for in what the model sees, in the summary and in the archive."
)
SHOW_FACTS, HIDE_FACTS = translatable("Show facts"), translatable("Hide facts")


def fidelity_parts(fidelity: Fidelity) -> list[BarPart]:
    """Return the parts of the bar, one for each fate with at least one fact."""
    total = fidelity.total
    hints = (
        tr("{count} of %n facts word for word", "", total),
        tr("{count} of %n facts in the summary", "", total),
        tr("{count} of %n facts only in the archive", "", total),
        tr("{count} of %n facts lost", "", total),
    )
    return [
        BarPart(count, tint, hint.format(count=format_number(count)))
        for count, hint, tint in zip(_counts(fidelity), hints, TINTS, strict=True)
        if count
    ]


def fidelity_runs(fidelity: Fidelity) -> list[Run]:
    """Return the legend of the bar: "78 facts checked: ■ 47 word for word ■ 22 in the summary ■ 9 only in the archive".

    If every fact is still in the request, the legend says that all are kept.
    """
    fates = (
        tr("%n word for word", "", fidelity.verbatim),
        tr("%n in the summary", "", fidelity.in_summary),
        tr("%n only in the archive", "", fidelity.recallable),
        tr("%n lost", "", fidelity.lost),
    )
    has_kept_all = not fidelity.recallable and not fidelity.lost
    if has_kept_all:
        runs = [Run(tr("%n facts checked: all kept", "", fidelity.total), "ok", MEDIUM)]
    else:
        runs = [Run(tr("%n facts checked:", "", fidelity.total), "ink", MEDIUM)]
    for fate, count, tint in zip(fates, _counts(fidelity), TINTS, strict=True):
        if count:
            ink = "critical" if tint == "critical" else None
            runs += [Run("   "), Run(f"■{NO_BREAK}", tint), Run(fate.replace(" ", NO_BREAK), ink)]
    return runs


def fact_runs(fidelity: Fidelity) -> list[Run]:
    """Return the facts under a heading for each fate, the worst fate first."""
    runs: list[Run] = []
    for fate, listed in _facts_by_fate(fidelity):
        if listed:
            runs += [Run("\n\n"), Run(f"{fate}\n", "ink", MEDIUM), Run(listed)]
    return runs[1:]


class FactList(QWidget):
    """A link that lists the facts of a fidelity report, and hides them again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.link = LinkButton(tr(SHOW_FACTS), size=12)
        self.link.setToolTip(tr(ABOUT_FACTS))
        self.link.setAccessibleDescription(tr(ABOUT_FACTS))
        self.facts = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.facts.setAccessibleName(tr("Facts"))
        self.facts.hide()
        vertical((self.link, 0, Qt.AlignmentFlag.AlignLeft), self.facts, holder=self, spacing=4)
        self.link.clicked.connect(lambda _=False: self._toggle())

    def show_fidelity(self, fidelity: Fidelity) -> None:
        """List the facts of a report; the link is hidden when there are none."""
        runs = fact_runs(fidelity)
        self.facts.set_runs(runs)
        self.setVisible(bool(runs))

    def _toggle(self) -> None:
        self.facts.setVisible(self.facts.isHidden())
        self.link.setText(tr(SHOW_FACTS if self.facts.isHidden() else HIDE_FACTS))
        self.link.updateGeometry()


def _counts(fidelity: Fidelity) -> tuple[int, int, int, int]:
    return fidelity.verbatim, fidelity.in_summary, fidelity.recallable, fidelity.lost


def _facts_by_fate(fidelity: Fidelity) -> list[tuple[str, str]]:
    """Return each fate with its facts as bullet points, and the number of facts that are not listed."""
    fates = (
        (tr("Lost"), fidelity.lost_facts, fidelity.lost),
        (tr("Only in the archive"), (*fidelity.recallable_rules, *fidelity.recallable_facts), fidelity.recallable),
        (tr("In the summary"), fidelity.summary_facts, fidelity.in_summary),
        (tr("Word for word in the context"), fidelity.verbatim_facts, fidelity.verbatim),
    )
    listed: list[tuple[str, str]] = []
    for fate, facts, count in fates:
        lines = [f"• {fact}" for fact in facts]
        if lines and count > len(lines):
            lines.append(tr("… and %n more", "", count - len(lines)))
        listed.append((fate, "\n".join(lines)))
    return listed
