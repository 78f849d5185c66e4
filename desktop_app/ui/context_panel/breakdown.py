"""What fills the context window, as a table that adds up, and what the conversation has cost."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from desktop_app.conversation.gauge import Gauge, Provenance, Segment
from desktop_app.conversation.message import Totals, Usage
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.bars import basis_sentence
from desktop_app.ui.widgets.boxes import Card, ScrollColumn
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.formats import format_dollars, format_number, format_percent
from desktop_app.ui.widgets.layouts import set_margins, vertical
from desktop_app.ui.widgets.look import BOLD, MEDIUM
from desktop_app.ui.widgets.text_label import Run, TextLabel, fill_runs

from .breakdown_table import BreakdownTable, lines_of
from .largest import LargestParts
from .requests import PanelRequests
from .versions import VersionsCard


def format_spent(spent: Usage) -> str:
    """Return such as "12 requests · 120,300 tokens in, 80 % cached · 4,000 out · $0.12"."""
    if not spent.prompt_tokens and not spent.reply_tokens:
        return tr("%n requests, of which no tokens were reported", "", spent.requests)
    cached = spent.cached_tokens / spent.prompt_tokens if spent.prompt_tokens else 0
    read = tr("{tokens} tokens in, {share} cached") if cached else tr("{tokens} tokens in")
    words = [
        tr("%n requests", "", spent.requests),
        read.format(tokens=format_number(spent.prompt_tokens), share=format_percent(cached)),
        tr("{tokens} out").format(tokens=format_number(spent.reply_tokens)),
    ]
    return " · ".join([*words, *([format_dollars(spent.dollars)] if spent.dollars is not None else [])])


class TotalsCard(Card):
    """What was spent; hidden until a provider has reported something or an operation has freed something."""

    def __init__(self) -> None:
        super().__init__()
        self.replies = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.upkeep_title = TextLabel(
            tr("For summaries, memory, titles and images"), size=12, weight=MEDIUM, wraps=True
        )
        self.upkeep = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.freed = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.column.addWidget(TextLabel(tr("Used so far"), size=13, weight=BOLD))
        for label in (self.replies, self.upkeep_title, self.upkeep, self.freed):
            self.column.addWidget(label)
        self.setAccessibleName(tr("Used so far"))
        self.set_totals(Totals())

    def set_totals(self, totals: Totals) -> None:
        self.replies.set_text(format_spent(totals.replies))
        self.replies.setVisible(totals.replies.requests > 0)
        self.upkeep.set_text(format_spent(totals.auxiliary))
        for label in (self.upkeep_title, self.upkeep):
            label.setVisible(totals.auxiliary.requests > 0)
        freed = Run(format_number(totals.tokens_freed), "ink", BOLD)
        self.freed.set_runs(
            fill_runs(tr("{tokens} tokens freed by %n operations", "", totals.operations), tokens=freed)
        )
        self.freed.setVisible(totals.operations > 0)
        self.setVisible(bool(totals.replies.requests or totals.auxiliary.requests or totals.operations))
        shown = (label.text() for label in (self.replies, self.upkeep, self.freed) if not label.isHidden())
        self.setAccessibleDescription(". ".join(shown))


class Breakdown(QWidget):
    """The first tab: the table, where its numbers come from, and the totals."""

    def __init__(self, requests: PanelRequests) -> None:
        super().__init__()
        scroll = ScrollColumn(self)
        self.table = BreakdownTable()
        self.note = TextLabel(tr("Counting…"), size=12, tint="ink_faint", wraps=True)
        self.unused = LinkButton("", size=12)
        self.unused.setCheckable(True)
        self._gauge: Gauge | None = None
        self._draft = 0
        self.largest = LargestParts(requests)
        for part in (self.table, self.unused, self.note):
            scroll.add(part)
        self.table.segment_chosen.connect(requests.segment_requested)
        self.unused.toggled.connect(lambda _: self.set_gauge(self._gauge))
        self.own_window = LinkButton(tr("Use the full window"))
        self.own_window.clicked.connect(requests.own_window_requested)
        self.own_window.hide()
        scroll.add(self.own_window)
        scroll.add(self.largest)
        self.versions = VersionsCard(requests)
        scroll.add(self.versions)
        self.totals = TotalsCard()
        scroll.add(self.totals)
        self.insights = LinkButton(tr("Insights…"))
        self.insights.setToolTip(tr("What this conversation has used so far (Ctrl+I)"))
        self.insights.clicked.connect(requests.insights_requested)
        scroll.add(self.insights)
        set_margins(scroll.column, 0, 0, 12, 0)
        vertical(scroll, holder=self)

    def set_gauge(self, gauge: Gauge | None) -> None:
        """Show a gauge; None while the tokens are being counted."""
        self._gauge = gauge
        self.table.set_lines(lines_of(gauge, self.unused.isChecked(), self._draft) if gauge else [])
        self._name_unused(gauge)
        self.own_window.setVisible(gauge is not None and bool(gauge.stated_window))
        if gauge is None:
            self.note.set_text(tr("Counting…"))
            return
        self.note.set_text(" ".join((basis_sentence(gauge), *_about_window(gauge))))

    def refuse(self) -> None:
        """Say that nothing is counted, until there is a gauge again."""
        self.set_gauge(None)
        self.note.set_text(tr("Not counted"))

    def set_draft_tokens(self, tokens: int) -> None:
        """Show a draft as a part of the request, as the gauge does."""
        if tokens != self._draft:
            self._draft = tokens
            self.set_gauge(self._gauge)

    def _name_unused(self, gauge: Gauge | None) -> None:
        """Name the link that unfolds the categories of which nothing is sent."""
        count = sum(not gauge.segments.get(segment, 0) for segment in Segment) if gauge else 0
        hidden = tr("Show %n empty categories", "", count)
        self.unused.setText(tr("Hide empty categories") if self.unused.isChecked() else hidden)
        self.unused.setVisible(count > 0)
        self.unused.updateGeometry()


def _about_window(gauge: Gauge) -> Iterator[str]:
    """Yield what is known of the window, and what the percentages are of, in sentences."""
    if not gauge.is_window_known:
        yield tr("The model’s window is not known yet: shares are of the request.")
        return
    if gauge.window_provenance is Provenance.ASSUMED:
        yield tr("The size of the context window is assumed: the server did not report it.")
    elif gauge.stated_window:
        learned = tr(
            "The size of the context window was learned from the server; the catalogue says {tokens} for this model."
        )
        yield learned.format(tokens=format_number(gauge.stated_window))
    yield tr("Percentages are of what a request may take: the window without what is reserved for the reply.")
