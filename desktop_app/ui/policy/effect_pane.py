"""What a policy would do in the open conversation: now, and over its past."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.replayed import Replayed
from desktop_app.engine.protocol import PolicyReplayed, PolicyTried
from desktop_app.ui.gauge.bar import GaugeBar
from desktop_app.ui.widgets.boxes import Card, ScrollColumn
from desktop_app.ui.widgets.formats import format_number, pluralize
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.text_label import TextLabel

NO_CONVERSATION = "Open a conversation to see what a policy would do there."
WAITING = "Playing the conversation again…"
METHOD = "Counted by the same engine on the same record; replies stay as they were."
WITHOUT_SUMMARIES = "The cost of summaries by a model is not included."
SMALL = 0.005  # a change of cost that is not worth a word


class EffectPane(ScrollColumn):
    """Two cards. They show what was last found until something newer is."""

    def __init__(self, title: str) -> None:
        """title: of the open conversation; "" for none."""
        super().__init__(spacing=14)
        self.bar = GaugeBar()
        self.bar.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.bar.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.now = TextLabel(size=13, tint="ink_soft", wraps=True)
        self.past = TextLabel(WAITING, size=13, tint="ink_soft", wraps=True)
        self.method = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.table = ReplayTable()
        self.table.hide()
        if not title:
            self.add(TextLabel(NO_CONVERSATION, size=13, tint="ink_soft", wraps=True))
            return
        self.add(_card(f"Now, in “{title}”", self.bar, self.now))
        self.add(_card("Over its past", self.past, self.table, self.method))

    def show_trial(self, tried: PolicyTried) -> None:
        """Show what a policy would do now."""
        self.bar.show_gauge(tried.after, 0, is_moving=False)
        text = " ".join(effect_now(tried))
        self.now.set_text(text)
        self.bar.setAccessibleName(f"Gauge under this policy. {text}")

    def wait_for_past(self) -> None:
        """Show that the past is being played again."""
        self.past.set_text(WAITING)
        self.table.setDisabled(True)

    def show_past(self, replayed: PolicyReplayed, before: str, after: str) -> None:
        """Show what came of the past under two policies of those names."""
        self.past.set_text(effect_past(replayed))
        self.table.setDisabled(False)
        self.table.show_replays(replayed, before, after)
        self.table.setVisible(bool(replayed.after.requests))
        priced = replayed.dollars_after is not None
        seconds = f"It took {_seconds(replayed.seconds)}."
        self.method.set_text(" ".join((METHOD, *([WITHOUT_SUMMARIES] if priced else []), seconds)))

    def show_failure(self, title: str) -> None:
        """Show why the past is not known."""
        self.past.set_text(title)


class ReplayTable(QWidget):
    """The figures of two replays beside each other."""

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
        if before == after:  # one policy under two names would be read twice
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
        name, before, after = TextLabel(size=13), TextLabel(size=13, tint="ink_soft"), TextLabel(size=13, weight=BOLD)
        for column, label in enumerate((name, before, after)):
            label.setAlignment(Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft)
            self._grid.addWidget(label, line, column)
        self.cells.append((name, before, after))


def rows_of(replayed: PolicyReplayed) -> Iterator[tuple[str, str, str]]:
    """Yield the rows of the table: what, before, after."""
    before, after = replayed.before, replayed.after
    yield "Compactions", format_number(before.compactions), format_number(after.compactions)
    yield "Shortened results", format_number(before.pruned), format_number(after.pruned)
    yield "Tokens sent", _millions(before.tokens_sent), _millions(after.tokens_sent)
    yield "Same beginning as before", _part(before, "cached"), _part(after, "cached")
    if replayed.dollars_before is not None and replayed.dollars_after is not None:
        yield "Cost", f"$ {replayed.dollars_before:,.2f}", f"$ {replayed.dollars_after:,.2f}"
    if before.facts or after.facts:
        yield "Facts that were still sent", _part(before, "facts"), _part(after, "facts")
    if before.requests_too_large or after.requests_too_large:
        sizes = before.requests_too_large, after.requests_too_large
        yield "Requests that did not fit", format_number(sizes[0]), format_number(sizes[1])
    yield "Longest wait", _seconds(before.longest_seconds), _seconds(after.longest_seconds)


def effect_now(tried: PolicyTried) -> Iterator[str]:
    """Yield what a policy would do at once, and when it would compact, in sentences."""
    gauge = tried.after
    if not gauge.is_window_known:
        yield "The model’s context window is not known yet, so nothing is due."
        return
    change = f"{format_number(gauge.total)} → {format_number(tried.tokens_after)} tokens"
    if tried.note:
        yield tried.note
    elif tried.archived:
        yield f"It would archive {pluralize(tried.archived, 'message')} now: {change}."
    elif tried.pruned:
        yield f"It would shorten {pluralize(tried.pruned, 'message')} now: {change}."
    else:
        yield "Nothing is due."
    later = _compacted_at(gauge) - _compacted_at(tried.before)
    if later:
        direction = "earlier" if later < 0 else "later"
        yield f"It compacts {format_number(abs(later))} tokens {direction} than the policy in use."


def effect_past(replayed: PolicyReplayed) -> str:
    """Return the difference of two policies in a sentence."""
    before, after = replayed.before, replayed.after
    if not after.requests:
        return "Nothing was sent yet."
    where = f"In {pluralize(after.requests, 'request')}: "
    if after.compactions == before.compactions and not after.compactions:
        found = "no compaction"
    elif after.compactions == before.compactions:
        found = f"{pluralize(after.compactions, 'compaction')} under each"
    else:
        found = f"{pluralize(after.compactions, 'compaction')} instead of {format_number(before.compactions)}"
    return f"{where}{found}{_change_of_cost(replayed)}."


def _change_of_cost(replayed: PolicyReplayed) -> str:
    """Return ", 12 % dearer", of the tokens if the price is not known; "" for hardly any change."""
    before, after, words = replayed.dollars_before, replayed.dollars_after, ("dearer", "cheaper")
    if not before or after is None:
        before, after, words = replayed.before.tokens_sent, replayed.after.tokens_sent, ("more tokens", "fewer tokens")
    change = after / before - 1 if before else 0
    return "" if abs(change) < SMALL else f", {abs(change):.0%} {words[change < 0]}".replace("%", " %")


def _compacted_at(gauge: Gauge) -> int:
    return round(gauge.thresholds[2] * gauge.usable)


def _part(replayed: Replayed, kind: str) -> str:
    part, whole = {
        "cached": (replayed.tokens_cached, replayed.tokens_sent),
        "facts": (replayed.facts_kept, replayed.facts),
    }[kind]
    return f"{part / whole * 100:.0f} %" if whole else "–"


def _millions(tokens: int) -> str:
    return f"{tokens / 1e6:.1f} M" if tokens >= 1_000_000 else format_number(tokens)


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 0.1 else "< 0.1 s" if seconds else "none"


def _card(title: str, *parts: QWidget) -> Card:
    card = Card()
    card.column.addWidget(TextLabel(title, size=13, weight=BOLD, wraps=True))
    for part in parts:
        card.column.addWidget(part)
    return card
