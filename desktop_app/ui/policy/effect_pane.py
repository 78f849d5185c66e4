"""The effect of a policy in the open conversation, now and over its past."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from desktop_app.context.policy import PolicyTrial
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.insights import Replayed
from desktop_app.conversation.words import translatable
from desktop_app.engine.protocol import PolicyReplayed
from desktop_app.ui.context_panel.context_gauge import GaugeBar
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.boxes import Card, ScrollColumn
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.number_formats import format_decimal, format_number, format_wait, isolate
from desktop_app.ui.widgets.text_label import TextLabel

NO_CONVERSATION = translatable("Open a conversation to see what a policy would do there.")
WAITING = translatable("Replaying the conversation…")
METHOD = translatable("Counted by the same engine on the same record; replies stay as they were.")
WITHOUT_SUMMARIES = translatable("The cost of summaries by a model is not included.")
SMALL = 0.005  # share of the cost below which a change is not mentioned


class EffectPane(ScrollColumn):
    """Two cards, which keep their last result until a newer one arrives."""

    def __init__(self, title: str) -> None:
        """title: of the open conversation; "" for none."""
        super().__init__(spacing=14)
        self.bar = GaugeBar()
        self.bar.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.bar.setAccessibleName(tr("Gauge under this policy"))
        self.now = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.past = TextLabel(tr(WAITING), size=13, tint="ink_soft", wraps=True)
        self.method = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.table = ReplayTable()
        self.table.hide()
        if not title:
            nothing = Card()
            nothing.column.addWidget(TextLabel(tr(NO_CONVERSATION), size=13, tint="ink_soft", wraps=True))
            self.add(nothing)
            return
        self.add(_card(tr("Now, in “{title}”").format(title=title), self.bar, self.now))
        self.add(_card(tr("If it had been used from the start"), self.past, self.table, self.method))

    def show_trial(self, trial: PolicyTrial) -> None:
        """Show the effect of a policy now."""
        self.bar.show_gauge(trial.after, 0, is_moving=False)
        text = " ".join(effect_now(trial))
        self.now.set_text(text)
        self.bar.setAccessibleName(tr("Gauge under this policy. {text}").format(text=text))

    def wait_for_past(self) -> None:
        """Show that the past is being replayed."""
        self.past.set_text(tr(WAITING))
        self.table.setDisabled(True)

    def show_past(self, replayed: PolicyReplayed, before: str, after: str) -> None:
        """Show the past under two policies of those names."""
        self.past.set_text(effect_past(replayed, is_compared=before != after))
        self.table.setDisabled(False)
        self.table.show_replays(replayed, before, after)
        self.table.setVisible(bool(replayed.after.requests))
        priced = replayed.dollars_after is not None
        seconds = tr("It took {time}.").format(time=_seconds(replayed.seconds))
        self.method.set_text(" ".join((tr(METHOD), *([tr(WITHOUT_SUMMARIES)] if priced else []), seconds)))

    def show_failure(self, title: str) -> None:
        """Show why the past could not be replayed."""
        self.past.set_text(title)


class ReplayTable(QWidget):
    """The figures of two replays, side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[tuple[TextLabel, TextLabel, TextLabel]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 4, 0, 4)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(7)
        self._grid.setColumnStretch(0, 1)

    def show_replays(self, replayed: PolicyReplayed, before: str, after: str) -> None:
        rows = [("", before, after), *rows_of(replayed)]
        if before == after:  # otherwise the same figures would appear twice
            rows = [(name, "", value) for name, _, value in rows]
        while len(self.cells) < len(rows):
            self._add_row()
        for number, cells in enumerate(self.cells):
            is_used = number < len(rows)
            for label, text in zip(cells, rows[number] if is_used else ("", "", ""), strict=True):
                label.set_text(text)
                label.setVisible(is_used)

    def _add_row(self) -> None:
        line = len(self.cells)
        name, before = TextLabel(size=13, wraps=True), TextLabel(size=13, tint="ink_soft")
        after = TextLabel(size=13, weight=BOLD)
        for column, label in enumerate((name, before, after)):
            label.setAlignment(Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(label, line, column)
        self.cells.append((name, before, after))


def rows_of(replayed: PolicyReplayed) -> Iterator[tuple[str, str, str]]:
    """Yield the rows of the table: name, value before, value after."""
    before, after = replayed.before, replayed.after
    yield tr("Summaries"), format_number(before.compactions), format_number(after.compactions)
    if before.compactions or after.compactions:
        yield tr("Left after a summary (average)"), _part(before, "left"), _part(after, "left")
    yield tr("Shortened results"), format_number(before.pruned), format_number(after.pruned)
    yield tr("Tokens sent"), _millions(before.tokens_sent), _millions(after.tokens_sent)
    yield tr("Same beginning (cacheable)"), _part(before, "cached"), _part(after, "cached")
    if replayed.dollars_before is not None and replayed.dollars_after is not None:
        yield tr("Cost"), _dollars(replayed.dollars_before), _dollars(replayed.dollars_after)
    if before.facts or after.facts:
        yield tr("Facts that were still sent"), _part(before, "facts"), _part(after, "facts")
    if before.requests_too_large or after.requests_too_large:
        sizes = before.requests_too_large, after.requests_too_large
        yield tr("Requests that did not fit"), format_number(sizes[0]), format_number(sizes[1])
    yield tr("Longest wait"), _seconds(before.longest_seconds), _seconds(after.longest_seconds)


def effect_now(trial: PolicyTrial) -> Iterator[str]:
    """Yield sentences on what a policy would do now, and when it would compact."""
    gauge = trial.after
    if not gauge.is_window_known:
        yield tr("The model’s context window is not known yet, so no room has to be made.")
        return
    before, after = format_number(gauge.total), format_number(trial.tokens_after)
    if trial.note:
        yield tr_engine(trial.note)
    elif trial.archived:
        text = tr("It would summarize %n messages now: {before} → {after} tokens.", "", trial.archived)
        yield text.format(before=before, after=after)
    elif trial.pruned:
        text = tr("It would shorten %n messages now: {before} → {after} tokens.", "", trial.pruned)
        yield text.format(before=before, after=after)
    else:
        yield tr("No room has to be made.")
    later = _compacted_at(gauge) - _compacted_at(trial.before)
    if later < 0:
        yield tr("It summarizes {tokens} tokens earlier than the policy in use.").format(tokens=format_number(-later))
    elif later:
        yield tr("It summarizes {tokens} tokens later than the policy in use.").format(tokens=format_number(later))


def effect_past(replayed: PolicyReplayed, *, is_compared: bool = True) -> str:
    """Return a sentence on the past under a policy. is_compared: whether it is compared with a different one."""
    before, after = replayed.before, replayed.after
    if not after.requests:
        return tr("Nothing was sent yet.")
    if after.compactions == before.compactions and not after.compactions:
        found = tr("no summary")
    elif not is_compared:
        found = tr("%n summaries", "", after.compactions)
    elif after.compactions == before.compactions:
        found = tr("%n summaries under each", "", after.compactions)
    else:
        found = tr("%n summaries instead of {before}", "", after.compactions)
        found = found.format(before=format_number(before.compactions))
    found = ", ".join(filter(None, (found, _change_of_cost(replayed))))
    return tr("In %n requests: {found}.", "", after.requests).format(found=found)


def _change_of_cost(replayed: PolicyReplayed) -> str:
    """Return, for example, "12 % more expensive", in tokens if no price is known; "" for a change below SMALL."""
    before, after = replayed.dollars_before, replayed.dollars_after
    words = (tr("{share} % more expensive"), tr("{share} % cheaper"))
    if not before or after is None:
        before, after = replayed.before.tokens_sent, replayed.after.tokens_sent
        words = (tr("{share} % more tokens"), tr("{share} % fewer tokens"))
    change = after / before - 1 if before else 0
    return "" if abs(change) < SMALL else isolate(words[change < 0].format(share=f"{abs(change) * 100:.0f}"))


def _compacted_at(gauge: Gauge) -> int:
    return round(gauge.thresholds[2] * gauge.usable)


def _part(replayed: Replayed, kind: str) -> str:
    part, whole = {
        "cached": (replayed.tokens_cached, replayed.tokens_sent),
        "facts": (replayed.facts_kept, replayed.facts),
        "left": (replayed.share_after, int(replayed.compactions > 0)),
    }[kind]
    return isolate(tr("{number} %").format(number=f"{part / whole * 100:.0f}")) if whole else "–"


def _millions(tokens: int) -> str:
    if tokens < 1_000_000:
        return format_number(tokens)
    return tr("{number} M", "millions").format(number=format_decimal(tokens / 1e6, 1))


def _dollars(dollars: float) -> str:
    return tr("$ {amount}").format(amount=format_decimal(dollars, 2))


def _seconds(seconds: float) -> str:
    return format_wait(seconds) if seconds else tr("none")


def _card(title: str, *parts: QWidget) -> Card:
    card = Card()
    card.column.addWidget(TextLabel(title, size=13, weight=BOLD, wraps=True))
    for part in parts:
        card.column.addWidget(part)
    return card
