"""The summary of a plan: its strategy and cost, the user's instructions, and its text, which can be edited."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import Plan, Writer
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.bars import BarPart, SegmentBar
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.inputs import Segmented
from desktop_app.ui.widgets.layouts import STRETCH, horizontal, set_margins, vertical
from desktop_app.ui.widgets.long_text import TextArea
from desktop_app.ui.widgets.look import MEDIUM, scale
from desktop_app.ui.widgets.number_formats import format_decimal, format_number, isolate
from desktop_app.ui.widgets.text_label import Run, TextLabel

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
BY_PROVIDER = {
    "readable": translatable(
        "The provider of {model} writes the summary itself, as a signed block that only this model gets; other models "
        "get its text. It is checked like every summary."
    ),
    "encrypted": translatable(
        "The provider of {model} writes the summary itself. It is encrypted and cannot be read. A record by rules is "
        "checked and sent behind it, and is what other models get."
    ),
}
WRITTEN_BY_PROVIDER = {
    "readable": translatable("Written by the provider of {model}: {read} tokens in, {written} out."),
    "encrypted": translatable(
        "Written by the provider of {model}, and encrypted: {read} tokens in, {written} out. The text shown is the "
        "record by rules that is sent behind it."
    ),
}
AS_TEXT = translatable("If you edit it, your text is sent instead.")
INSTRUCTION_HEIGHT = 58  # pixels: two lines
CENT = 0.01


def cost_text(writer: Writer) -> str:
    """Return the upper bound of a summary's cost: "12,345 tokens to read, at most 2,000 to write · at most $0.05"."""
    words = tr("{read} tokens to read, at most {written} to write")
    if writer.calls > 1:
        words = tr("{read} tokens to read, at most {written} to write, in %n requests", "", writer.calls)
    if writer.cached_tokens:
        words = tr("{read} tokens to read, {cached} of them from the provider’s cache, at most {written} to write")
    read, written = format_number(writer.prompt_tokens), format_number(writer.reply_tokens)
    words = words.format(read=read, written=written, cached=format_number(writer.cached_tokens))
    return " · ".join(filter(None, (words, _at_most(writer.dollars))))


def other_way_text(writer: Writer) -> str:
    """Return the cost of the way that is not taken, and why; "" if there is only one."""
    other = writer.other_way
    if other is None:
        return ""
    read, cost = format_number(other.prompt_tokens), _at_most(other.dollars)
    if writer.provider_form:
        words = tr("If the provider’s summary cannot be used, the model is asked: {read} tokens to read")
        return " · ".join(filter(None, (words.format(read=read), cost))) + "."
    if writer.cached_tokens:
        words = tr("The messages alone, as text: {read} tokens to read, in %n requests", "", other.calls)
        return " · ".join(filter(None, (words.format(read=read), cost))) + "."
    why = tr("The messages are sent as text because {reason}.").format(reason=tr_engine(writer.why_text))
    words = tr("Behind the whole conversation: {read} tokens to read").format(read=read)
    return f"{why} {' · '.join(filter(None, (words, cost)))}."


def _at_most(dollars: float | None) -> str:
    """Return "at most $0.05"; "" if the price is not known."""
    if dollars is None:
        return ""
    cost = dollars_text(dollars)
    return cost if dollars < CENT else tr("at most {cost}").format(cost=cost)


def dollars_text(dollars: float) -> str:
    """Return "$0.31", or "under 1 cent"."""
    if dollars < CENT:
        return tr("under 1 cent")
    return tr("${amount}").format(amount=format_decimal(dollars, 2))


class StrategyChoice(QWidget):
    """The choice of a strategy.

    Signals: chosen(strategy), by the user; model_chosen(id), the model to write summaries with from now on.
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
        takes_instructions = "encrypted" not in (plan.writer.provider_form, plan.provider_form)
        can_write = plan.strategy == "llm" and plan.archived_total > 0 and not plan.writer.refusal
        self._field.setVisible(can_write and takes_instructions)
        self.note.set_text(self._note_of(plan))
        self._propose(plan.writer if plan.strategy == "llm" and not plan.is_written else Writer())

    def _propose(self, writer: Writer) -> None:
        """Show the model that would write for less, if there is one."""
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
            return tr_engine(plan.writer.refusal)  # there is no summary to name an author of
        if plan.strategy != "llm":
            refusal = tr_engine(plan.writer.refusal) if plan.strategy == "extractive" else ""
            return " ".join(filter(None, (tr(NOTES.get(plan.strategy, "")), refusal)))
        if plan.writer.refusal:
            return tr_engine(plan.writer.refusal)
        if not plan.is_written:
            text = tr("{model} reads the messages to be summarized. Keys and passwords are masked.")
            if plan.is_fresh:
                text = tr("{model} reads the conversation. Keys and passwords are masked.")
            if plan.writer.cached_tokens:
                text = tr(
                    "{model} is asked behind the conversation as it has it. Keys and passwords are masked in what it "
                    "writes."
                )
            if plan.writer.provider_form:
                text = tr(BY_PROVIDER[plan.writer.provider_form])
            return text.format(model=tr_engine(plan.writer.label))
        if plan.usage is None:
            return tr("Written by {model}.").format(model=tr_engine(plan.writer.label))
        read, written = format_number(plan.usage.prompt_tokens), format_number(plan.usage.reply_tokens)
        text = tr("Written by {model}: {read} tokens in, {written} out.")
        if plan.provider_form:
            text = f"{tr(WRITTEN_BY_PROVIDER[plan.provider_form])} {tr(AS_TEXT)}"
        if plan.is_by_rules:
            text = tr("{model} was asked: {read} tokens in, {written} out.")
        return text.format(model=tr_engine(plan.writer.label), read=read, written=written)


WAITING = translatable("Nothing is sent until you choose Write summary.")
WIDTH = 300  # maximum width of the progress bar, in pixels


class UnwrittenSummary(QWidget):
    """Shown in place of a summary that a model has not written yet: its cost, its progress, and a button to stop."""

    write_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = TextLabel(tr("No summary yet"), weight=MEDIUM)
        self.cost = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.other_way = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.waiting = TextLabel(tr(WAITING), size=12, tint="ink_faint", wraps=True)
        self.write = Button(tr("Write summary"), ButtonKind.PRIMARY)
        self.bar = SegmentBar(8)
        self.bar.setAccessibleName(tr("Progress of the summary"))
        self.bar.setMaximumWidth(WIDTH)
        self.progress = TextLabel(size=12, tint="ink_soft")
        self.cancel = LinkButton(tr("Stop writing"))
        above = (self.title, self.cost, self.other_way, self.waiting, self.bar)
        line = horizontal(self.progress, self.cancel, STRETCH, spacing=12)
        column = vertical(STRETCH, *above, line, holder=self, margins=(16, 12, 22, 12), spacing=8)
        column.addSpacing(4)
        column.addWidget(self.write, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(2)
        self.write.clicked.connect(lambda _=False: self.write_requested.emit())
        self.cancel.clicked.connect(lambda _=False: self.cancel_requested.emit())
        self.set_writing(False)

    def set_writer(self, writer: Writer) -> None:
        self.cost.set_text(tr_engine(writer.refusal) or cost_text(writer) + ".")
        self.other_way.set_text("" if writer.refusal else other_way_text(writer))
        self.other_way.setVisible(bool(self.other_way.text()))
        self.write.setEnabled(not writer.refusal)

    def set_writing(self, is_writing: bool) -> None:
        self.title.set_text(tr("Writing the summary…") if is_writing else tr("No summary yet"))
        of_writing, of_waiting = (self.bar, self.progress, self.cancel), (self.write, self.waiting)
        for widget in of_writing if is_writing else of_waiting:
            widget.show()
        if self.isVisible():
            (self.cancel if is_writing else self.write).setFocus(Qt.FocusReason.OtherFocusReason)
        for widget in of_waiting if is_writing else of_writing:
            widget.hide()
        self.bar.set_parts((), 1)
        self.progress.set_text(tr("reading…"))

    def set_progress(self, tokens: int, most: int) -> None:
        """Show the number of tokens written. most: tokens of the longest summary."""
        written = tr("{tokens} tokens written").format(tokens=format_number(tokens))
        self.bar.set_parts((BarPart(tokens, Segment.SUMMARY, written),), max(most, 1))
        progress = tr("{tokens} of at most {most} tokens") if tokens else tr("reading…")
        self.progress.set_text(progress.format(tokens=format_number(tokens), most=format_number(most)))


PAUSE = 400  # milliseconds from the last key press to the check


class SummaryEditor(QWidget):
    """The text of a summary. The user's edits stay until the user takes the new plan's summary."""

    edited = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._suggested = ""
        self._checked = ""
        self.heading = TextLabel(size=13)
        self.take = LinkButton(tr("Use the new summary"))
        self.again = LinkButton(tr("Write again"))
        self.take.setToolTip(tr("The plan has changed; your own text is kept until you replace it"))
        self.area = TextArea(size=13)
        self.area.setAccessibleName(tr("Summary, editable"))
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        head = horizontal((self.heading, 1), self.take, self.again, spacing=12)
        head.addStrut(self.take.sizeHint().height())  # so that the field does not move when the links appear
        card = Card()
        set_margins(card.column, 12, 10, 6, 10)
        self.unwritten = UnwrittenSummary()
        self.pages = QStackedWidget()
        self.pages.addWidget(self.area)
        self.pages.addWidget(self.unwritten)
        card.column.addWidget(self.pages)
        vertical(head, (card, 1), holder=self, spacing=6)
        self.area.textChanged.connect(self._change)
        self._pause.timeout.connect(self._emit)
        self.take.clicked.connect(self._take_suggested)
        self.again.clicked.connect(lambda _=False: self.unwritten.write_requested.emit())
        self.take.hide()
        self.again.hide()

    def text(self) -> str:
        return self.area.toPlainText()

    def expect(self, writer: Writer) -> None:
        """Show that there is no summary yet, and that a model can write one."""
        self._pause.stop()
        self.take.hide()
        self.again.hide()
        self._suggested = self._checked = ""
        self._set_text("")
        self.unwritten.set_writer(writer)
        self.pages.setCurrentWidget(self.unwritten)
        self.heading.set_runs([Run(tr("Summary"), weight=MEDIUM)])

    def restore(self, text: str) -> None:
        """Show a text that was stored for another plan, until it is measured again."""
        self._pause.stop()
        self.take.hide()
        self._suggested, self._checked = "", text
        self._set_text(text)
        self.pages.setCurrentWidget(self.area)

    def set_writing(self, is_writing: bool) -> None:
        """Show whether a model is writing; afterwards, show the text again if there is one."""
        if is_writing:
            self.pages.setCurrentWidget(self.unwritten)
        self.unwritten.set_writing(is_writing)
        self.again.setEnabled(not is_writing)
        if not is_writing and self.text():
            self.pages.setCurrentWidget(self.area)

    def is_edited(self) -> bool:
        return self.text() != self._suggested

    def is_waiting(self) -> bool:
        return self._pause.isActive()

    def suggest(self, summary: str, tokens: int) -> None:
        """Show a plan's summary. The user's edits stay, and are checked against the new plan."""
        self.pages.setCurrentWidget(self.area)
        is_answer = summary == self._checked and self._checked != ""
        was_edited = self.is_edited()
        if is_answer and was_edited:
            pass  # the user's own text came back, measured
        elif was_edited:
            self._suggested = summary
            self.take.setVisible(self.is_edited())
            self._pause.start()
        else:
            self._suggested = summary
            self._set_text(summary)
        self.area.setReadOnly(not self._suggested and not self.text())
        self._show_tokens(tokens if self.text() == summary else None)

    def _set_text(self, text: str) -> None:
        if self.text() != text:
            self.area.blockSignals(True)
            self.area.setPlainText(text)
            self.area.blockSignals(False)

    def _take_suggested(self) -> None:
        self.take.hide()
        self._set_text(self._suggested)
        self._emit()

    def _change(self) -> None:
        self._show_tokens(None)
        self._pause.start()

    def _emit(self) -> None:
        self._pause.stop()
        self._checked = self.text()
        self.edited.emit(self._checked)

    def _show_tokens(self, tokens: int | None) -> None:
        """Show the number of tokens; None if the text has changed since it was counted."""
        runs = [Run(tr("Summary"), weight=MEDIUM)]
        if self.text():
            words = (tr("measuring…") if tokens is None else tr("%n tokens", "", tokens), tr("you can edit it"))
            runs.append(Run("".join(f" · {word}" for word in words), "ink_faint"))
        self.heading.set_runs(runs)
