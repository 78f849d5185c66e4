"""What a conversation has cost so far: what was said, and what keeping it within the window took."""

from __future__ import annotations

from desktop_app.conversation.totals import Totals, UsageTotal
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.formats import format_number, format_percent, pluralize
from desktop_app.ui.widgets.look import BOLD, MEDIUM
from desktop_app.ui.widgets.text_label import Run, TextLabel


def dollars_in_words(dollars: float) -> str:
    """ "$1.24", "$0.0031", "less than $0.0001"."""
    if 0 < dollars < 0.0001:
        return "less than $0.0001"
    return f"${dollars:,.2f}" if dollars >= 0.1 or not dollars else f"${dollars:.4f}"


def spent_in_words(spent: UsageTotal) -> str:
    """ "12 requests · 120,300 tokens read, 80 % from the cache · 4,000 written · $0.12"."""
    cached = spent.cached_tokens / spent.prompt_tokens if spent.prompt_tokens else 0
    read = f"{format_number(spent.prompt_tokens)} tokens in" + (f", {format_percent(cached)} cached" if cached else "")
    words = [pluralize(spent.requests, "request"), read, f"{format_number(spent.reply_tokens)} out"]
    return " · ".join([*words, *([dollars_in_words(spent.dollars)] if spent.dollars is not None else [])])


class TotalsCard(Card):
    """Hidden until a provider has reported something, or an operation has freed something."""

    def __init__(self) -> None:
        super().__init__()
        self.replies = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.upkeep_title = TextLabel("For summaries, memory, titles and images", size=12, weight=MEDIUM, wraps=True)
        self.upkeep = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.freed = TextLabel(size=12, tint="ink_soft", wraps=True)
        self.column.addWidget(TextLabel("Used so far", size=13, weight=BOLD))
        for label in (self.replies, self.upkeep_title, self.upkeep, self.freed):
            self.column.addWidget(label)
        self.setAccessibleName("Used so far")
        self.set_totals(Totals())

    def set_totals(self, totals: Totals) -> None:
        """Shows these figures, all of them reported by providers."""
        self.replies.set_text(spent_in_words(totals.replies))
        self.upkeep.set_text(spent_in_words(totals.upkeep))
        for label in (self.upkeep_title, self.upkeep):
            label.setVisible(totals.upkeep.requests > 0)
        freed = Run(format_number(totals.tokens_freed), "ink", BOLD)
        self.freed.set_runs((freed, Run(f" tokens freed by {pluralize(totals.operations, 'operation')}")))
        self.freed.setVisible(totals.operations > 0)
        self.setVisible(bool(totals.replies.requests or totals.upkeep.requests or totals.operations))
        shown = (label.text() for label in (self.replies, self.upkeep, self.freed) if not label.isHidden())
        self.setAccessibleDescription(". ".join(shown))
