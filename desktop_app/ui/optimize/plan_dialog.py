"""The dialog that shows what **Optimize conversation** or a fresh start would change, before it is applied."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import (
    ApplyPlan,
    CancelComputation,
    CheckSummary,
    Computation,
    Plan,
    PlanOptimize,
    StartFresh,
    WriteSummary,
)
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.boxes import SteadyColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.fidelity import FactList, fidelity_runs
from desktop_app.ui.widgets.inputs import Slider
from desktop_app.ui.widgets.layouts import horizontal, vertical
from desktop_app.ui.widgets.look import BOLD, MEDIUM, NORMAL, scale
from desktop_app.ui.widgets.number_formats import format_number
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.text_label import Run, TextLabel

from .plan_changes import FRESH, OPTIMIZE, GaugeComparison, PlanChanges
from .summary_editor import StrategyChoice, SummaryEditor

WIDTH, HEIGHT = 860, 670
LOW_SUMMARY = 160  # pixels of the summary's height where it scrolls with the choices
TAIL_PAUSE = 150  # milliseconds from the last move of the slider to the request
MEASURING = translatable("Measuring…")
TAIL_HINT = translatable(
    "The summary covers exactly the messages that it replaces. If you move this, it must be written again."
)
USELESS = translatable("There is nothing to optimize right now.")

PlanRequest = PlanOptimize | CheckSummary | WriteSummary


class PlanDialog(Sheet):
    """Shows a plan, and requests another one when the user changes it. Closing the dialog changes nothing.

    Signals, each with a request to the engine: plan_requested(PlanRequest), answered by `set_plan`;
    apply_requested(ApplyPlan or StartFresh), answered by `accept()`; cancel_requested(CancelComputation).
    After a failure, call `set_busy(False)`; after a change of the model that writes summaries, `ask_again()`.
    """

    narrow = 640
    plan_requested = Signal(object)
    apply_requested = Signal(object)
    cancel_requested = Signal(object)

    def __init__(
        self, plan: Plan, conversation: str, parent: QWidget | None = None, draft: int = 0, strategy: str = ""
    ) -> None:
        super().__init__(parent, width=WIDTH)
        self._plan, self._conversation = plan, conversation
        self._draft = draft  # tokens
        self.title = TextLabel(size=17, weight=BOLD)
        self.promise = TextLabel(tint="ink_soft", wraps=True)
        self._tail: int | None = None  # tokens that the user chose; None for the plan's own
        self._strategy = strategy  # that the user chose; "" for the plan's own
        self._usual_tail = plan.tail_tokens
        # Summaries of other choices: a plan's id and the text, by strategy, tail and whether it is a fresh start.
        self._left: dict[tuple[str, int | None, bool], tuple[str, str]] = {}
        self._is_busy = self._is_measuring = self.is_writing = False
        self.comparison = GaugeComparison()
        self.changes = PlanChanges()
        self.useless = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.strategy = StrategyChoice()
        self.tail_label = TextLabel(size=13, weight=MEDIUM)
        self.tail_part = QWidget()
        self.tail = Slider()
        self.tail.set_name(tr("Tokens at the end to keep unchanged"), "")
        self.checked = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.facts = FactList()
        self.summary = SummaryEditor()
        self.note = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.export = Button(tr("Export first…"), ButtonKind.QUIET)
        self.export.setToolTip(tr("Write the conversation to a file first"))
        self.fresh = Button(tr("Start fresh instead…"), ButtonKind.QUIET)
        self.fresh.setToolTip(tr("Go on in a new conversation that begins with a summary of all of this one"))
        self.cancel = Button(tr("Cancel"))
        self.apply = Button("", ButtonKind.PRIMARY)
        self._tail_pause = QTimer(self, interval=TAIL_PAUSE, singleShot=True)
        self.choices = SteadyColumn(spacing=14)
        self._fill_choices()
        self._lay_out()
        self._connect()
        self.set_plan(plan)

    def set_plan(self, plan: Plan) -> None:
        """Show another plan: the answer to a request of this dialog."""
        was_writing = self.is_writing
        self._plan, self._is_measuring = plan, False
        self._show_kind(plan)
        self.set_writing(False)
        draft = 0 if plan.is_fresh else self._draft
        self.comparison.compare(plan.before, plan.after, draft, is_bound=not plan.is_written)
        self.strategy.set_plan(plan)
        self.changes.set_plan(plan)
        self.changes.setVisible(plan.is_useful)
        self.useless.set_text(tr_engine(plan.note) or tr(USELESS))
        self.useless.setVisible(not plan.is_useful)
        self.note.set_text(tr_engine(plan.note) if plan.is_useful else "")
        self.note.setVisible(bool(self.note.text()))
        self._show_fidelity(plan.fidelity)
        self.tail.setToolTip(tr(TAIL_HINT) if plan.strategy == "llm" and plan.is_written else "")
        if not self._tail_pause.isActive():
            self._show_tail(plan)
        if plan.is_written:
            self.summary.suggest(plan.summary, plan.summary_tokens)
            is_by_model = plan.strategy == "llm" and plan.archived_total > 0
            self.summary.again.setVisible(is_by_model and not plan.writer.refusal)
            if was_writing:
                self.apply.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.summary.expect(plan.writer)
        self.set_first(self.apply if plan.is_written else self.summary.unwritten.write)
        self._update_buttons()

    def unsaved(self) -> str:
        if self.is_writing:
            return tr("Stop writing the summary, and discard it?")
        has_summary = self._left or self._is_worth_keeping() or self.strategy.text().strip()
        return tr("Discard this summary? It has not been used.") if has_summary else ""

    def set_writing(self, is_writing: bool) -> None:
        self.is_writing = is_writing
        self.summary.set_writing(is_writing)
        self._update_buttons()

    def set_progress(self, plan: str, tokens: int, most: int) -> None:
        """Show the progress of a summary; ignore it for another plan. most: tokens of the longest summary."""
        if self.is_writing and plan == self._plan.id:
            self.summary.unwritten.set_progress(tokens, most)

    def set_busy(self, is_busy: bool) -> None:
        """Show whether the plan is being applied. False also ends the wait for an answer that failed."""
        self._is_busy, self._is_measuring, self.is_writing = is_busy, False, False
        self.summary.set_writing(False)
        self._update_buttons()

    def _lay_out(self) -> None:
        title_row = vertical(self.title, margins=(24, 18, 24, 0))
        above = vertical(spacing=16, margins=(24, 0, 24, 0))
        self._body = horizontal((self.choices, 1), (self.summary, 1), margins=(24, 0, 24, 0), spacing=20)
        vertical(title_row, above, (self._body, 1), self._buttons(), holder=self, spacing=16)
        title_row.setSpacing(2)
        self.let_scroll((self.promise, self.comparison), above, self.choices)

    def set_low(self, is_low: bool) -> None:
        """Let the summary scroll with the choices in a low window."""
        super().set_low(is_low)
        self.summary.setMinimumHeight(scale(LOW_SUMMARY) if is_low else 0)
        if is_low:
            self.choices.add(self.summary)
        else:
            self._body.addWidget(self.summary, 1)

    def _fill_choices(self) -> None:
        vertical(self.tail_label, self.tail, holder=self.tail_part, spacing=6)
        # Choices are above their effects, so that nothing moves under the pointer.
        for widget in (self.strategy, self.tail_part, self.useless, self.changes, self.checked, self.facts):
            self.choices.add(widget)

    def _buttons(self) -> QWidget:
        return self.make_footer(self.export, self.fresh, self.cancel, self.apply, note=self.note)

    def _connect(self) -> None:
        self.cancel.clicked.connect(self.reject)
        self.fresh.clicked.connect(self._choose_fresh)
        self.apply.clicked.connect(self._ask_to_apply)
        self.finished.connect(self._cancel_plan)
        self.tail.valueChanged.connect(self._move_tail)
        self._tail_pause.timeout.connect(self._choose_tail)
        self.summary.edited.connect(self._ask_for_check)
        self.strategy.chosen.connect(self._choose_strategy)
        self.summary.unwritten.write_requested.connect(self._ask_for_summary)
        self.summary.unwritten.cancel_requested.connect(self._cancel_plan)
        self.summary.area.textChanged.connect(self._update_buttons)

    def _wanted_size(self, limit: QSize) -> QSize:
        """Return a size that is the same for every plan, so that nothing moves when the plan changes."""
        width = min(scale(WIDTH), limit.width())
        self.choices.setMinimumWidth(0 if self.is_low else min(self.choices.needed_width(), width * 3 // 5))
        return QSize(width, min(scale(HEIGHT), limit.height()))

    def _show_kind(self, plan: Plan) -> None:
        """Show the texts of a plan for this conversation, or for a new one that begins with the summary."""
        words = self._words = FRESH if plan.is_fresh else OPTIMIZE
        self.setWindowTitle(tr(words.title))
        self.setAccessibleName(tr(words.title))
        self.title.set_text(tr(words.title))
        self.promise.set_text(tr(words.promise if plan.archived_total else words.promise_without_summary))
        self.summary.area.setPlaceholderText(tr(words.nothing))
        self.apply.reserve_width_for(tr(words.apply), tr(MEASURING), tr(words.applying))
        self.fresh.setVisible(not plan.is_fresh)
        self.tail_part.setVisible(not plan.is_fresh and plan.strategy != "none")

    def _show_tail(self, plan: Plan) -> None:
        self.tail.blockSignals(True)
        grain = 64 if plan.before.window <= 32_768 else 512
        self.tail.set_range(plan.min_tail, plan.max_tail, grain)
        self.tail.setValue(plan.tail_tokens)
        self.tail.blockSignals(False)
        self.tail.setEnabled(plan.min_tail < plan.max_tail)
        is_measured = plan.strategy != "last_messages"
        self.tail.setVisible(is_measured)
        if is_measured:
            self._show_tail_size(plan.tail_tokens, plan.tail_kept)
        else:
            self.tail_label.set_text(tr("Keep unchanged: %n messages", "", plan.kept))

    def _show_tail_size(self, tokens: int, kept: int | None = None) -> None:
        """Show the size of the tail, and how much of it is used, since messages are never split.

        kept: tokens used; None while unknown.
        """
        in_request = self._plan.before.tokens_of
        runs = [Run(tr("Keep unchanged: the last %n tokens", "", in_request(tokens)))]
        if kept is not None and kept < tokens:
            used = tr("{tokens} used").format(tokens=format_number(in_request(kept)))
            runs.append(Run(f" · {used}", "ink_faint", NORMAL))
        self.tail_label.set_runs(runs)
        self.tail.set_name(tr("Tokens at the end to keep unchanged"), format_number(in_request(tokens)))

    def _show_fidelity(self, fidelity: Fidelity) -> None:
        self.checked.setVisible(fidelity.total > 0)
        self.checked.set_runs(fidelity_runs(fidelity))
        self.facts.show_fidelity(fidelity)

    def _move_tail(self, tokens: int) -> None:
        self._show_tail_size(tokens)
        self._tail_pause.start()
        self._update_buttons()

    def _choose_tail(self) -> None:
        self._leave_summary()
        self._tail = self.tail.value() if self.tail.value() != self._usual_tail else None
        self._ask_for_plan(self._plan.is_fresh)

    def _choose_strategy(self, strategy: str) -> None:
        self._leave_summary()
        self._strategy = strategy
        self._ask_for_plan(self._plan.is_fresh)

    def _choose_fresh(self) -> None:
        self._leave_summary()
        self._ask_for_plan(is_fresh=True)

    def ask_again(self) -> None:
        """Request the plan again, as the model that would write the summary has changed."""
        self._ask_for_plan(self._plan.is_fresh)

    def _ask_for_plan(self, is_fresh: bool) -> None:
        """Request the plan of the current choices, or restore the summary that was stored for them."""
        left = self._left.pop((self._strategy or self._plan.strategy, self._tail, is_fresh), None)
        if left is None:
            self._ask(PlanOptimize(self._conversation, self._tail, self._strategy, is_fresh))
        else:
            plan, text = left
            self.summary.restore(text)
            self._ask(CheckSummary(self._conversation, plan, text))

    def _is_worth_keeping(self) -> bool:
        """Return whether the summary was written by a model or edited by the user."""
        plan = self._plan
        return plan.is_written and bool(self.summary.text()) and (plan.strategy == "llm" or self.summary.is_edited())

    def _leave_summary(self) -> None:
        """Store the summary until its strategy and its tail are chosen again."""
        if self._is_worth_keeping():
            plan = self._plan
            self._left[plan.strategy, self._tail, plan.is_fresh] = plan.id, self.summary.text()

    def _ask_for_check(self, summary: str) -> None:
        self._ask(CheckSummary(self._conversation, self._plan.id, summary))

    def _ask_for_summary(self) -> None:
        self.set_writing(True)
        self.plan_requested.emit(WriteSummary(self._conversation, self._plan.id, self.strategy.text()))

    def _ask(self, request: PlanRequest) -> None:
        self._is_measuring = True
        self._update_buttons()
        self.plan_requested.emit(request)

    def _ask_to_apply(self) -> None:
        request = StartFresh if self._plan.is_fresh else ApplyPlan
        self.apply_requested.emit(request(self._conversation, self._plan.id, self.summary.text()))

    def _cancel_plan(self) -> None:
        if self.is_writing or self._is_measuring:
            self.cancel_requested.emit(CancelComputation(Computation.PLAN, self._conversation))

    def _update_buttons(self) -> None:
        """Enable the actions that are possible now. A plan can be applied only after it was measured as shown."""
        plan = self._plan
        is_open = self._is_measuring or self._tail_pause.isActive() or self.summary.is_waiting()
        words = self._words
        self.apply.setText(tr(words.applying if self._is_busy else MEASURING if is_open else words.apply))
        is_held = self._is_busy or self.is_writing
        self.fresh.setEnabled(not is_held and not is_open)
        self.apply.setEnabled(plan.is_useful and plan.is_written and not is_held and not is_open)
        has_tail = plan.strategy not in ("last_messages", "none") and self.tail.minimum() < self.tail.maximum()
        self.tail.setEnabled(has_tail and not is_held)
        self.strategy.set_busy(is_held)
        self.summary.setEnabled(not self._is_busy)
        self.summary.unwritten.write.setEnabled(not plan.writer.refusal and not is_open)
