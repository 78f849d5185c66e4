"""The choice of a summary's strategy, its cost, and the user's instructions."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import Plan, Writer
from desktop_app.ui.engine_texts import tr_engine
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import format_decimal, format_number, isolate
from desktop_app.ui.widgets.inputs import Segmented
from desktop_app.ui.widgets.layouts import set_margins, vertical
from desktop_app.ui.widgets.look import MEDIUM, scale
from desktop_app.ui.widgets.text_area import TextArea
from desktop_app.ui.widgets.text_label import TextLabel

STRATEGIES = (
    ("llm", translatable("A model")),
    ("extractive", translatable("Rules")),
    ("last_messages", translatable("Latest only")),
    ("none", translatable("None")),
)
NOTES = {
    "extractive": translatable("Assembled by rules from sentences of the conversation. Free of charge."),
    "last_messages": translatable(
        "No summary: only your rules and open questions are kept, word for word. Free of charge."
    ),
    "none": translatable("Only old tool results are shortened; all messages stay. Free of charge."),
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
    cost = dollars_text(writer.dollars)
    return " · ".join((words, cost if writer.dollars < CENT else tr("at most {cost}").format(cost=cost)))


def dollars_text(dollars: float) -> str:
    """Return "$0.31", or "under 1 cent"."""
    if dollars < CENT:
        return tr("under 1 cent")
    return tr("${amount}").format(amount=format_decimal(dollars, 2))


class StrategyChoice(QWidget):
    """The choice of a strategy.

    chosen(strategy): the user takes another one. model_chosen(id): that model is to write summaries from now on.
    """

    chosen = Signal(str)
    model_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choices = Segmented([(strategy, tr(label)) for strategy, label in STRATEGIES])
        self.choices.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.choices.setAccessibleName(tr("Summary by"))
        self.note = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.cheaper = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.use_cheaper = LinkButton("", size=12)
        self._model = ""
        self.instructions = TextArea(size=13)
        self.instructions.setPlaceholderText(tr("What to focus on (optional)"))
        self.instructions.setAccessibleName(tr("What to focus on (optional)"))
        self.instructions.setFixedHeight(scale(INSTRUCTION_HEIGHT) - 14)
        self._field = Card()
        set_margins(self._field.column, 10, 6, 6, 6)
        self._field.column.addWidget(self.instructions)
        self._field.setFixedHeight(scale(INSTRUCTION_HEIGHT))
        title = TextLabel(tr("Summary by"), size=13, weight=MEDIUM)
        proposal = (self.cheaper, (self.use_cheaper, 0, Qt.AlignmentFlag.AlignLeft))
        column = vertical(title, self.choices, self.note, *proposal, self._field, holder=self, spacing=6)
        column.setAlignment(self.choices, Qt.AlignmentFlag.AlignLeft)
        self.choices.chosen.connect(self.chosen)
        self.use_cheaper.clicked.connect(lambda _=False: self.model_chosen.emit(self._model))

    def set_plan(self, plan: Plan) -> None:
        self.choices.choose(plan.strategy)
        for strategy in ("last_messages", "none"):  # a new conversation begins with a summary
            self.choices.button(strategy).setVisible(not plan.is_fresh)
        by_model = self.choices.button("llm")
        by_model.setEnabled(not plan.writer.refusal or plan.strategy == "llm")
        by_model.setToolTip(tr_engine(plan.writer.refusal))
        self._field.setVisible(plan.strategy == "llm" and plan.archived_total > 0 and not plan.writer.refusal)
        self.note.set_text(self._note_of(plan))
        self._propose(plan.writer if plan.strategy == "llm" and not plan.is_written else Writer())

    def _propose(self, writer: Writer) -> None:
        """Show which model would write for less, if there is one."""
        self._model = writer.cheaper
        words = tr("{model} is set up and would take {less} instead of {cost}.")
        cost, less = dollars_text(writer.dollars or 0.0), dollars_text(writer.cheaper_dollars)
        self.cheaper.set_text(words.format(model=isolate(writer.cheaper_label), less=less, cost=cost))
        self.use_cheaper.setText(tr("Let {model} write summaries").format(model=writer.cheaper_label))
        self.cheaper.setVisible(bool(self._model))
        self.use_cheaper.setVisible(bool(self._model))

    def text(self) -> str:
        """Return the user's instructions for the summary."""
        return self.instructions.toPlainText()

    def set_busy(self, is_busy: bool) -> None:
        self.choices.setEnabled(not is_busy)
        self.instructions.setEnabled(not is_busy)
        self.use_cheaper.setEnabled(not is_busy)

    def _note_of(self, plan: Plan) -> str:
        if plan.is_written and plan.strategy in ("llm", "extractive") and not plan.archived_total:
            return tr_engine(plan.writer.refusal)  # nobody has written anything
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
        if plan.is_by_rules:
            text = tr("{model} was asked: {read} tokens in, {written} out.")
        return text.format(model=tr_engine(plan.writer.label), read=read, written=written)
