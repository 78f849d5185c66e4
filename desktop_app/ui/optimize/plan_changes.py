"""The changes of a plan: the request before and after, a line for each kind of change, and the dialog's texts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from desktop_app.conversation.gauge import Gauge, Segment
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import Plan, PlanItem
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.bars import SegmentBar, segment_parts
from desktop_app.ui.widgets.boxes import Swatch
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.layouts import STRETCH, discard, horizontal, vertical
from desktop_app.ui.widgets.long_text import TextArea
from desktop_app.ui.widgets.look import BOLD, Tint, scale
from desktop_app.ui.widgets.number_formats import first_line, format_number
from desktop_app.ui.widgets.row_list import ListRow, RowList
from desktop_app.ui.widgets.text_label import Run, TextLabel, fill_runs


class GaugeComparison(QWidget):
    """Bars of the request now and after the plan."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        self.bars: list[SegmentBar] = []
        self.figures: list[TextLabel] = []
        for line, name in enumerate((tr("Now"), tr("After"))):
            bar, figure = SegmentBar(14), TextLabel(size=13, tint="ink_soft")
            bar.setAccessibleName(name)
            grid.addWidget(TextLabel(name, size=13), line, 0)
            grid.addWidget(bar, line, 1)
            grid.addWidget(figure, line, 2)
            self.bars.append(bar)
            self.figures.append(figure)
        grid.setColumnMinimumWidth(2, scale(236))  # for the longest text, so that the bars keep their length

    def compare(self, before: Gauge, after: Gauge, draft: int = 0, is_bound: bool = False) -> None:
        """Show both gauges. draft: tokens of the draft, added to both. is_bound: whether `after` is an upper bound."""
        now, then = before.total + draft, after.total + draft
        scale_end = max(before.window, now, then)  # one scale for both, also beyond the window
        for bar, gauge in zip(self.bars, (before, after), strict=True):
            bar.set_parts(segment_parts(gauge, draft), scale_end)
        self.figures[0].set_runs(fill_runs(tr("{tokens} tokens"), tokens=_bold(now)))
        if now == then:
            self.figures[1].set_text(tr("Nothing would change"))
            return
        change = round((then - now) / now * 100) if now else 0
        change = max(change, -99) if then else change  # not −100 %: something is left
        changed = (Run(f" · {'+' if change > 0 else ''}{format_number(change)} %"),) if change else ()
        text = tr("at most {tokens} tokens") if is_bound else tr("{tokens} tokens")
        self.figures[1].set_runs((*fill_runs(text, tokens=_bold(then)), *changed))


def _bold(number: int) -> Run:
    return Run(format_number(number), "ink", BOLD)


ROW, MAX_ROWS = 28, 6  # pixels of an unfolded row; rows that are visible without scrolling
FACTS_HEIGHT = 132  # pixels of the unfolded facts
OTHER_FACTS = translatable(
    "Paths, links, names, numbers and open questions of yours. They stay in the archive: search finds them, and they "
    "come back with one undo."
)


class PlanChange(QWidget):
    """One line of a plan: the change, its tokens, and the messages or facts that it concerns.

    name: the kind of change, the same in every plan. total: the number of messages or facts; `items` are the first.
    """

    def __init__(
        self,
        name: str,
        square: Tint | Segment,
        text: str,
        figure: str,
        items: Sequence[PlanItem] | Sequence[str] = (),
        total: int = 0,
        hint: str = "",
    ) -> None:
        super().__init__()
        self.name, self._items, self._more = name, items, max(total - len(items), 0)
        self.list: RowList | TextArea | None = None
        self.show_items = LinkButton(tr("show"), parent=self)
        self.show_items.setAccessibleName(tr("show: {text}").format(text=text))
        self.label = TextLabel(text, size=13)
        self.label.set_hint(hint)
        self.show_items.setVisible(bool(items))
        amount = TextLabel(figure, size=13, tint="ink_soft")
        amount.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)  # a number is never elided
        line = horizontal(Swatch(square), self.label, self.show_items, STRETCH, amount, spacing=8)
        line.addStrut(scale(23))
        self._column = vertical(line, holder=self, spacing=4)
        self.show_items.clicked.connect(self.toggle)

    @property
    def has_items(self) -> bool:
        return bool(self._items)

    def toggle(self) -> None:
        if self.list is None:
            self.list = self._make_list()
            self.list.setAccessibleName(self.label.text())
            self._column.addWidget(self.list)
            self.list.show()
        else:
            self.list.setVisible(self.list.isHidden())
        self.show_items.setText(tr("show") if self.list.isHidden() else tr("hide"))

    def _make_list(self) -> RowList | TextArea:
        """Return a list of messages, or a text area of facts, which may need more than a line each."""
        facts = [item for item in self._items if isinstance(item, str)]
        if facts:
            area = TextArea(size=12)
            area.setReadOnly(True)
            more = [tr("… and {count} more").format(count=format_number(self._more))] if self._more else []
            area.setPlainText("\n".join([*(f"• {' '.join(fact.split())}" for fact in facts), *more]))
            area.setFixedHeight(FACTS_HEIGHT)
            return area
        rows = [_row(item) for item in self._items if not isinstance(item, str)]
        if self._more:
            rows.append(ListRow("", tr("… and %n more messages", "", self._more)))
        messages = RowList(has_body=False)
        messages.rows.replace(rows)
        messages.setFixedHeight(min(len(rows), MAX_ROWS) * scale(ROW) + 2)
        return messages


def _row(item: PlanItem) -> ListRow:
    after = f" → {format_number(item.tokens_after)}" if item.tokens_after else ""
    body = (Run(first_line(item.text)),)
    return ListRow(item.message_id, item.speaker, f"{format_number(item.tokens_before)}{after}", body)


class PlanChanges(QWidget):
    """The lines of a plan."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.changes: list[PlanChange] = []
        self._column = vertical(holder=self, spacing=5)

    def set_plan(self, plan: Plan) -> None:
        """Show a plan's lines; unfolded ones stay unfolded."""
        unfolded = {change.name for change in self.changes if change.list and not change.list.isHidden()}
        for change in self.changes:
            discard(change)
        self.changes = _changes_of(plan)
        for change in self.changes:
            self._column.addWidget(change)
            if change.name in unfolded and change.has_items:
                change.toggle()


def _changes_of(plan: Plan) -> list[PlanChange]:
    changes: list[PlanChange] = []
    if plan.pruned:
        text = tr("%n old tool results shortened", "", plan.pruned_total)
        freed = format_number(-plan.tokens_freed_by_prune)
        changes.append(PlanChange("pruned", Segment.RESULTS, text, freed, plan.pruned, plan.pruned_total))
    if plan.archived:
        text = _leaving_words(plan)
        freed = format_number(-plan.tokens_freed_by_compaction)
        changes.append(PlanChange("archived", Segment.SUMMARY, text, freed, plan.archived, plan.archived_total))
    if plan.kept:
        words = tr("%n messages come along unchanged", "", plan.kept)
        text = words if plan.is_fresh else tr("%n messages stay unchanged", "", plan.kept)
        changes.append(PlanChange("kept", Segment.USER, text, tr("kept")))
    if plan.pins or plan.rules:
        changes.append(PlanChange("word for word", Segment.PINNED, _kept_words(plan.pins, plan.rules), tr("kept")))
    return changes + _leaving_facts(plan.fidelity)


def _leaving_words(plan: Plan) -> str:
    if plan.is_fresh:
        return tr("%n messages in the summary", "", plan.archived_total)
    if plan.strategy == "last_messages":
        return tr("%n messages left out", "", plan.archived_total)
    return tr("%n messages summarized", "", plan.archived_total)


def _kept_words(pins: int, rules: int) -> str:
    if not rules:
        return tr("%n pins stay word for word", "", pins)
    if not pins:
        return tr("%n rules stay word for word", "", rules)
    both = tr("{pins} and {rules} stay word for word")
    return both.format(pins=tr("%n pins", "", pins), rules=tr("%n rules", "", rules))


def _leaving_facts(fidelity: Fidelity) -> list[PlanChange]:
    """Return the lines of the rules and other facts that leave the request."""
    rules = fidelity.rules - fidelity.rules_kept
    others = fidelity.recallable - rules
    archive_only = tr("archive only")
    changes: list[PlanChange] = []
    if rules > 0:
        text = tr("%n rules do not fit", "", rules)
        changes.append(PlanChange("rules", "critical", text, archive_only, fidelity.recallable_rules, rules))
    if others > 0:
        text = tr("%n other facts do not fit", "", others) if rules > 0 else tr("%n facts do not fit", "", others)
        facts = fidelity.recallable_facts
        changes.append(PlanChange("facts", "warning", text, archive_only, facts, others, tr(OTHER_FACTS)))
    if fidelity.lost:
        text = tr("%n facts are lost", "", fidelity.lost)
        changes.append(PlanChange("lost", "critical", text, tr("lost"), fidelity.lost_facts, fidelity.lost))
    return changes


class PlanWords(msgspec.Struct, frozen=True):
    """Texts of the dialog for a kind of plan."""

    title: str
    promise: str
    promise_without_summary: str
    apply: str
    applying: str
    nothing: str
    """Shown in place of a summary if no message is archived."""


OPTIMIZE = PlanWords(
    translatable("Optimize conversation"),
    translatable("Nothing is deleted: all messages stay in the history, searchable, and one undo brings them back."),
    translatable("Nothing is deleted: all messages stay in the history, searchable, and one undo brings them back."),
    translatable("Optimize"),
    translatable("Optimizing…"),
    translatable("No message leaves with this plan, so there is nothing to summarize."),
)
FRESH = PlanWords(
    translatable("Start fresh"),
    translatable(
        "A new conversation begins with this summary. This one stays as it is, and each has a link to the other."
    ),
    translatable(
        "A new conversation begins with these messages. This one stays as it is, and each has a link to the other."
    ),
    translatable("Start fresh"),
    translatable("Starting…"),
    translatable("All messages come along unchanged, so there is nothing to summarize."),
)
