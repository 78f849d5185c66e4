"""What was allowed or forbidden from now on: each rule can be taken back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.conversation.tools import Rule
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.text_label import TextLabel

EMPTY = "No permanent rules yet: tools ask before they change files, run commands or use the network."
ANY_TOOL = "any tool"


class RuleRow(QWidget):
    """One rule."""

    def __init__(self, rule: Rule) -> None:
        super().__init__()
        self.rule = rule
        verb = "may" if rule.is_allowed else "must not"
        tool = ANY_TOOL if rule.tool == "*" else rule.tool
        head = TextLabel(f"{tool} {verb}", size=13, weight=MEDIUM, tint="ink" if rule.is_allowed else "critical")
        pattern = TextLabel("anything" if rule.pattern == "*" else rule.pattern, size=13, is_mono=True, tint="ink_soft")
        self.remove = LinkButton("Remove")
        self.remove.setAccessibleName(f"Remove the rule: {tool} {verb} {rule.pattern}")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        row.addWidget(head)
        row.addWidget(pattern, 1)
        row.addWidget(self.remove)


class RulesList(Card):
    """All rules."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        super().__init__()
        self.rows = [RuleRow(rule) for rule in rules]
        self.empty = TextLabel(EMPTY, size=13, tint="ink_soft", wraps=True)
        self.column.addWidget(self.empty)
        rows = QVBoxLayout()
        rows.setSpacing(4)
        for row in self.rows:
            rows.addWidget(row)
            row.remove.clicked.connect(lambda _=False, row=row: self._remove(row))
        self.column.addLayout(rows)
        self.empty.setVisible(not self.rows)

    def rules(self) -> tuple[Rule, ...]:
        """Those that are left."""
        return tuple(row.rule for row in self.rows)

    def _remove(self, row: RuleRow) -> None:
        self.rows.remove(row)
        row.hide()
        row.deleteLater()
        self.empty.setVisible(not self.rows)
