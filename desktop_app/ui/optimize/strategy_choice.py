"""The choice of a summary's strategy, its cost, and the user's instructions."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import Plan, Writer
from desktop_app.ui.engine_texts import tr_engine
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.formats import format_decimal, format_number
from desktop_app.ui.widgets.inputs import Segmented
from desktop_app.ui.widgets.layouts import set_margins, vertical
from desktop_app.ui.widgets.look import MEDIUM, scale
from desktop_app.ui.widgets.text_area import TextArea
from desktop_app.ui.widgets.text_label import TextLabel

STRATEGIES = (
    ("llm", translatable("By a model")),
    ("extractive", translatable("Without a model")),
    ("last_messages", translatable("Latest messages only")),
)
NOTES = {
    "extractive": translatable("Assembled by rules from sentences of the conversation. Free of charge."),
    "last_messages": translatable(
        "No summary: only your rules and open questions are kept, word for word. Free of charge."
    ),
}
INSTRUCTION_HEIGHT = 58  # pixels: two lines
CENT = 0.01


def cost_text(writer: Writer) -> str:
    """Return the upper bound of a summary's cost: "12,345 tokens to read, at most 2,000 to write · at most $0.05"."""
    words = tr("{read} tokens to read, at most {written} to write")
    if writer.calls > 1:
        words = tr("{read} tokens to read, at most {written} to write, in %n requests", "", writer.calls)
    words = words.format(read=format_number(writer.prompt_tokens), written=format_number(writer.reply_tokens))
    if writer.dollars is None:
        return words
    cost = tr("${amount}").format(amount=format_decimal(writer.dollars, 2))
    if writer.dollars < CENT:
        return " · ".join((words, tr("under 1 cent")))
    return " · ".join((words, tr("at most {cost}").format(cost=cost)))


class StrategyChoice(QWidget):
    """The choice of a strategy. chosen(strategy): the user takes another one."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choices = Segmented([(strategy, tr(label)) for strategy, label in STRATEGIES])
        self.choices.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.choices.setAccessibleName(tr("Summary by"))
        self.note = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.instructions = TextArea(size=13)
        self.instructions.setPlaceholderText(tr("What to focus on (optional)"))
        self.instructions.setAccessibleName(tr("What to focus on (optional)"))
        self.instructions.setFixedHeight(scale(INSTRUCTION_HEIGHT) - 14)
        self._field = Card()
        set_margins(self._field.column, 10, 6, 6, 6)
        self._field.column.addWidget(self.instructions)
        self._field.setFixedHeight(scale(INSTRUCTION_HEIGHT))
        title = TextLabel(tr("Summary by"), size=13, weight=MEDIUM)
        column = vertical(title, self.choices, self.note, self._field, holder=self, spacing=6)
        column.setAlignment(self.choices, Qt.AlignmentFlag.AlignLeft)
        self.choices.chosen.connect(self.chosen)

    def set_plan(self, plan: Plan) -> None:
        self.choices.choose(plan.strategy)
        self.choices.button("last_messages").setVisible(not plan.is_fresh)
        by_model = self.choices.button("llm")
        by_model.setEnabled(not plan.writer.refusal or plan.strategy == "llm")
        by_model.setToolTip(tr_engine(plan.writer.refusal))
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
            refusal = tr_engine(plan.writer.refusal) if plan.strategy == "extractive" else ""
            return " ".join(filter(None, (tr(NOTES.get(plan.strategy, "")), refusal)))
        if plan.writer.refusal:
            return tr_engine(plan.writer.refusal)
        if not plan.is_written:
            text = tr("{model} reads the messages to be summarized. Keys and passwords are masked.")
            if plan.is_fresh:
                text = tr("{model} reads the conversation. Keys and passwords are masked.")
            return text.format(model=tr_engine(plan.writer.label))
        if plan.usage is None:
            return tr("Written by {model}.").format(model=tr_engine(plan.writer.label))
        read, written = format_number(plan.usage.prompt_tokens), format_number(plan.usage.reply_tokens)
        text = tr("Written by {model}: {read} tokens in, {written} out.")
        return text.format(model=tr_engine(plan.writer.label), read=read, written=written)
