"""The choice of a summary's strategy, its cost, and the user's instructions."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.engine.protocol import Plan, Writer
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.formats import format_number, pluralize
from desktop_app.ui.widgets.inputs import Segmented
from desktop_app.ui.widgets.layouts import vertical
from desktop_app.ui.widgets.look import MEDIUM, scale
from desktop_app.ui.widgets.text_area import TextArea
from desktop_app.ui.widgets.text_label import TextLabel

STRATEGIES = (("llm", "By a model"), ("extractive", "Without a model"), ("last_messages", "Latest messages only"))
NOTES = {
    "extractive": "Assembled by rules from sentences of the conversation. Free of charge.",
    "last_messages": "No summary: only your rules and open questions are kept, word for word. Free of charge.",
}
ASK = "What to focus on (optional)"
INSTRUCTION_HEIGHT = 58  # pixels: two lines
CENT = 0.01


def cost_text(writer: Writer) -> str:
    """Return the upper bound of a summary's cost: "12,345 tokens to read, at most 2,000 to write · at most $0.05"."""
    words = (
        f"{format_number(writer.prompt_tokens)} tokens to read, at most {format_number(writer.reply_tokens)} to write"
    )
    if writer.calls > 1:
        words += f", in {pluralize(writer.calls, 'request')}"
    if writer.dollars is None:
        return words
    return f"{words} · {'under 1 cent' if writer.dollars < CENT else f'at most ${writer.dollars:,.2f}'}"


class StrategyChoice(QWidget):
    """The choice of a strategy. chosen(strategy): the user takes another one."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choices = Segmented(STRATEGIES)
        self.choices.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.choices.setAccessibleName("Summary by")
        self.note = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.instructions = TextArea(size=13)
        self.instructions.setPlaceholderText(ASK)
        self.instructions.setAccessibleName(ASK)
        self.instructions.setFixedHeight(scale(INSTRUCTION_HEIGHT) - 14)
        self._field = Card()
        self._field.column.setContentsMargins(10, 6, 6, 6)
        self._field.column.addWidget(self.instructions)
        self._field.setFixedHeight(scale(INSTRUCTION_HEIGHT))
        title = TextLabel("Summary by", size=13, weight=MEDIUM)
        column = vertical(title, self.choices, self.note, self._field, holder=self, spacing=6)
        column.setAlignment(self.choices, Qt.AlignmentFlag.AlignLeft)
        self.choices.chosen.connect(self.chosen)

    def set_plan(self, plan: Plan) -> None:
        self.choices.choose(plan.strategy)
        by_model = self.choices.button("llm")
        by_model.setEnabled(not plan.writer.refusal or plan.strategy == "llm")
        by_model.setToolTip(plan.writer.refusal)
        self._field.setVisible(plan.strategy == "llm" and not plan.writer.refusal)
        self.note.set_text(self._note_of(plan))

    def text(self) -> str:
        """Return the user's instructions for the summary."""
        return self.instructions.toPlainText()

    def set_busy(self, is_busy: bool) -> None:
        self.choices.setEnabled(not is_busy)
        self.instructions.setEnabled(not is_busy)

    def _note_of(self, plan: Plan) -> str:
        if plan.strategy != "llm":
            refusal = f" {plan.writer.refusal}" if plan.writer.refusal and plan.strategy == "extractive" else ""
            return NOTES.get(plan.strategy, "") + refusal
        if plan.writer.refusal:
            return plan.writer.refusal
        if not plan.is_written:
            return f"{plan.writer.label} reads the messages to be archived. Keys and passwords are masked."
        if plan.usage is None:
            return f"Written by {plan.writer.label}."
        read, wrote = format_number(plan.usage.prompt_tokens), format_number(plan.usage.reply_tokens)
        return f"Written by {plan.writer.label}: {read} tokens in, {wrote} out."
