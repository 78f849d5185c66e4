"""Which facts survived, and where: listed on a click."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.conversation.facts import Fidelity

from .buttons import LinkButton
from .formats import format_number
from .look import MEDIUM
from .text_label import Run, TextLabel

ABOUT_FACTS = (
    "Facts are the paths, addresses, numbers, names and rules that you mentioned, and questions that are still open. "
    "Each is looked for in what the model sees, in the summary and in the archive."
)
SHOW_FACTS, HIDE_FACTS = "Show facts", "Hide facts"


def named_facts(fidelity: Fidelity) -> list[Run]:
    """Return the facts under a heading for each fate, as far as they are known; the worst fate first."""
    fates = (
        ("Lost", fidelity.lost_facts, fidelity.lost),
        ("Only in the archive", (*fidelity.recallable_rules, *fidelity.recallable_facts), fidelity.recallable),
        ("In the summary", fidelity.summary_facts, fidelity.in_summary),
        ("Word for word in the context", fidelity.verbatim_facts, fidelity.verbatim),
    )
    runs: list[Run] = []
    for fate, facts, count in fates:
        if not facts:
            continue
        more = f"\n… and {format_number(count - len(facts))} more" if count > len(facts) else ""
        listed = "\n".join(f"• {fact}" for fact in facts)
        runs += [Run(f"{fate}\n", "ink", MEDIUM), Run(f"{listed}{more}\n\n")]
    return [*runs[:-1], Run(runs[-1].text.rstrip())] if runs else []


class FactList(QWidget):
    """A link that lists the facts of a fidelity report, and hides them again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.link = LinkButton(SHOW_FACTS, size=12)
        self.link.setToolTip(ABOUT_FACTS)
        self.link.setAccessibleDescription(ABOUT_FACTS)
        self.facts = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.facts.setAccessibleName("Facts")
        self.facts.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.link, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.facts)
        self.link.clicked.connect(lambda _=False: self._toggle())

    def show_fidelity(self, fidelity: Fidelity) -> None:
        """Lists another report's facts; without any there is no link."""
        runs = named_facts(fidelity)
        self.facts.set_runs(runs)
        self.setVisible(bool(runs))

    def _toggle(self) -> None:
        self.facts.setVisible(self.facts.isHidden())
        self.link.setText(SHOW_FACTS if self.facts.isHidden() else HIDE_FACTS)
        self.link.updateGeometry()
