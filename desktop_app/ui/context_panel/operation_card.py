"""The card of an operation in the history: what was done, when and why, what it freed, and what survived."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QSizePolicy

from desktop_app.conversation.events import OperationRow
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.transcript import Trigger
from desktop_app.conversation.words import translatable
from desktop_app.ui.transcript.markdown_documents import MarkdownText
from desktop_app.ui.transcript.row_text import mark_text
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.bars import SegmentBar
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.fidelity import FactList, fidelity_parts, fidelity_runs
from desktop_app.ui.widgets.layouts import STRETCH, FlowLayout, horizontal
from desktop_app.ui.widgets.long_text import LongTextField
from desktop_app.ui.widgets.look import BOLD, MEDIUM, Tint
from desktop_app.ui.widgets.number_formats import (
    capitalize,
    format_dollars,
    format_moment,
    format_number,
    format_percent,
    format_time,
    format_wait,
)  # fmt: skip
from desktop_app.ui.widgets.text_label import Run, TextLabel, fill_runs

from .failed_card import failed_actions, failed_figures, failed_reason
from .requests import PanelRequests

TRIGGER_WORDS = {
    Trigger.BEFORE_REQUEST: translatable("automatic, before a message was sent"),
    Trigger.AFTER_TURN: translatable("automatic, in the background"),
    Trigger.IDLE: translatable("automatic, before the cache of the idle conversation expired"),
    Trigger.TOOL_RESULT: translatable("automatic, after a tool result"),
    Trigger.STREAMING: translatable("automatic, during a reply"),
    Trigger.OVERFLOW: translatable("automatic, after the provider refused the request as too long"),
}

CAUSES = {
    Trigger.BEFORE_REQUEST: translatable("{share} reached before the request"),
    Trigger.AFTER_TURN: translatable("{share} reached after a reply, in the background"),
    Trigger.IDLE: translatable("idle with {share} in use, before the cache expired"),
    Trigger.TOOL_RESULT: translatable("{share} reached with a tool result"),
    Trigger.STREAMING: translatable("the window filled up during a reply"),
    Trigger.OVERFLOW: translatable("the provider refused the request as too long"),
}
"""Why room was made, if it is known how full the window was."""
REWRITE = translatable("To have a model write it: choose Undo, then Optimize conversation.")
RECORD_BEHIND = translatable("The summary shown here is our own record by rules, which is sent behind it.")
MAX_MARKDOWN, SUMMARY_LINES = 12_000, 24
"""Characters up to which a summary is shown as Markdown; lines of a longer one that are visible at once."""
MIN_SECONDS = 0.05  # a shorter duration is not shown
STRATEGY_WORDS = {
    "extractive": translatable("assembled by rules"),
    "llm": translatable("written by a model"),
    "provider": translatable("written by the provider itself"),
    "encrypted": translatable("written by the provider itself, encrypted: it cannot be read"),
    "edited": translatable("edited by you"),
    "last_messages": translatable("only the latest messages kept"),
    "cut_reply": translatable("to continue it from its end"),
}


def title_of(row: OperationRow) -> str:
    """Return the title of an operation's card."""
    if row.kind == "flush":
        return tr("Memory saved")
    if row.kind == "failed":
        return tr("No room could be made")
    if row.kind == "standing":
        return tr("Summary ahead extended") if "fold" in row.strategies else tr("Summary written ahead")
    if row.kind == "link":
        is_from = "from" in row.strategies
        return tr("Continuation") if is_from else tr("Continued elsewhere")
    if row.is_beginning:
        return tr("Summary to begin with")
    if row.strategies.keys() == {"cut_reply"}:
        return tr("Cut reply shortened")
    if row.trigger is Trigger.USER:
        return tr("Old tool results shortened by you") if row.kind == "prune" else tr("Optimized by you")
    if row.kind == "prune":
        return tr("Old tool results shortened")
    return tr("Older messages left out") if row.has_no_summary else tr("Older messages summarized")


def figures_of(row: OperationRow) -> tuple[Run, ...]:
    """Return the tokens before and after and the number of messages, with the numbers bold."""
    if row.kind == "flush":
        return fill_runs(tr("{count} memories", "", row.messages), count=_bold(row.messages))
    if row.kind == "link":
        return (Run(mark_text(row)),)
    if row.kind == "failed":
        return (Run(failed_figures(row)),)
    if row.kind == "standing":
        count, added = fill_runs(tr("{count} messages", "", row.messages), count=_bold(row.messages)), row.strategies
        return (*count, Run(" · " + tr("%n new", "", added["fold"]))) if "fold" in added else count
    if row.kind == "prune":
        results = row.messages - row.strategies.get("cut_reply", 0)
        text = tr("{tokens} tokens freed · %n tool results", "", results) if results else tr("{tokens} tokens freed")
        return fill_runs(text, tokens=_bold(row.tokens_before - row.tokens_after))
    if row.is_beginning:
        return fill_runs(
            tr("{before} → {after} tokens"), before=_bold(row.tokens_before), after=_bold(row.tokens_after)
        )
    text = tr("{before} → {after} tokens · %n messages", "", row.messages)
    return fill_runs(text, before=_bold(row.tokens_before), after=_bold(row.tokens_after))


def _bold(number: int) -> Run:
    return Run(format_number(number), "ink", BOLD)


def cause_of(row: OperationRow) -> str:
    """Return why it was done, such as "91 % reached before the request"; "" if the user requested it."""
    if row.trigger and row.trigger in CAUSES and row.usable:
        return tr(CAUSES[row.trigger]).format(share=format_percent(row.tokens_before / row.usable))
    return tr(TRIGGER_WORDS[row.trigger]) if row.trigger and row.trigger is not Trigger.USER else ""


def means_of(row: OperationRow) -> str:
    """Return why and how it was done, such as "91 % reached before the request · written by a model · 2.5 s"."""
    if row.kind == "link":
        return ""
    words = list(filter(None, [cause_of(row)]))
    if row.kind == "failed":
        pass  # `failed_reason` has its cause
    elif row.kind == "standing":
        words = [tr("in the background, while the provider had the conversation in its cache")]
    elif row.kind == "flush":
        words += [tr("when you optimized")] if row.trigger is Trigger.USER else []
    else:
        words += [_strategy_words(strategy, count) for strategy, count in row.strategies.items()]
    if row.model:
        words.append(row.model)
    if row.usage is not None:
        read, written = format_number(row.usage.prompt_tokens), format_number(row.usage.reply_tokens)
        words.append(tr("{read} tokens in, {written} out").format(read=read, written=written))
        words += [format_dollars(row.usage.dollars)] if row.usage.dollars is not None else []
    if row.seconds >= MIN_SECONDS:
        words.append(format_wait(row.seconds))
    return capitalize(" · ".join(words))


def _strategy_words(strategy: str, count: int) -> str:
    counted = {
        "repeats": tr("%n duplicates removed", "", count),
        "superseded": tr("%n outdated", "", count),
        "old_errors": tr("%n inputs of failed calls cleared", "", count),
        "truncate": tr("%n oversized, truncated", "", count),
        "soft_trim": tr("%n trimmed", "", count),
        "digest": tr("%n results summarized", "", count),
        "hard_clear": tr("%n reduced to one line", "", count),
    }
    return counted.get(strategy) or tr(STRATEGY_WORDS.get(strategy, strategy.replace("_", " ")))


def _remark(row: OperationRow) -> str:
    """Return why an operation is not in effect; "" if it is."""
    return tr("in another version") if row.is_elsewhere else tr("undone") if row.is_undone else ""


def note_of(row: OperationRow) -> str:
    """Return why it was not done as intended, and what can be done about that; "" if it was."""
    if row.kind == "failed":
        return failed_reason(row)
    fell_back = not row.model and not row.is_undone and {"extractive", "last_messages"} & row.strategies.keys()
    advice = tr(REWRITE) if fell_back and not row.is_beginning else ""
    record = tr(RECORD_BEHIND) if "encrypted" in row.strategies else ""
    return " ".join(filter(None, (tr_engine(row.note), advice, record)))


def _long_summary(text: str) -> LongTextField | None:
    """Return a field for a summary that would take too long to show as Markdown; None for others."""
    if len(text) <= MAX_MARKDOWN:
        return None
    field = LongTextField(size=13)
    field.setReadOnly(True)
    field.setFixedHeight(SUMMARY_LINES * field.fontMetrics().lineSpacing())
    field.show_text(text)
    return field


class OperationCard(Card):
    """The card of one operation, dimmed if that is not in effect."""

    messages_requested = Signal(str)

    def __init__(self, row: OperationRow, requests: PanelRequests) -> None:
        is_effective = not row.is_undone and not row.is_elsewhere
        super().__init__(tint="raised" if is_effective else "paper")
        self.row, self._requests = row, requests
        self.summary: MarkdownText | LongTextField | None = None
        self._soft: Tint = "ink_soft" if is_effective else "ink_faint"
        self._add_head()
        runs = figures_of(row) if is_effective else [Run(run.text, self._soft, run.weight) for run in figures_of(row)]
        self.column.addWidget(TextLabel.of_runs(runs, size=13, tint=self._soft))
        if means_of(row):
            self.column.addWidget(TextLabel(means_of(row), size=12, tint="ink_faint", wraps=True))
        if row.kind == "flush" and row.summary:
            self.column.addWidget(TextLabel(row.summary, size=12, tint=self._soft, wraps=True))
        if row.kind != "link" and (note := note_of(row)):
            self.column.addWidget(TextLabel(note, size=12, tint=self._soft, wraps=True))
        if row.fidelity is not None and row.fidelity.total:
            self._add_fidelity(row.fidelity)
        self._add_links()
        self.setAccessibleName(", ".join(filter(None, (title_of(row), _remark(row), means_of(row)))))

    def is_open(self) -> bool:
        return self.summary is not None

    def toggle_summary(self) -> None:
        if self.summary is None:
            self.summary = _long_summary(self.row.summary) or MarkdownText(self.row.summary)
            self.summary.setAccessibleName(tr("Summary"))
            self.column.addSpacing(4)
            self.column.addWidget(self.summary)
            return
        self.column.removeWidget(self.summary)
        self.column.takeAt(self.column.count() - 1)  # the space above it
        self.summary.deleteLater()
        self.summary = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.is_open():
            self.toggle_summary()
        else:
            super().keyPressEvent(event)

    def _add_head(self) -> None:
        row = self.row
        remark = _remark(row)
        title = TextLabel(title_of(row), size=13, weight=BOLD, tint="ink_faint" if remark else "ink")
        tags = [TextLabel(remark, size=11, weight=MEDIUM, tint="accent")] if remark else []
        at = TextLabel(format_time(row.at, time.time()), size=12, tint="ink_faint")
        at.set_hint(format_moment(row.at, tr("dddd, dd MMMM yyyy, HH:mm:ss", "a time, as QLocale reads it")))
        at.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)  # the title is shortened instead
        self.column.addLayout(horizontal(title, *tags, STRETCH, at, spacing=8))

    def _add_fidelity(self, fidelity: Fidelity) -> None:
        bar = SegmentBar(8)
        bar.setAccessibleName(tr("What survived"))
        bar.set_parts(fidelity_parts(fidelity), opacity=0.4 if _remark(self.row) else 1.0)
        legend = TextLabel.of_runs(fidelity_runs(fidelity), size=12, tint=self._soft)
        self.facts = FactList()
        self.facts.show_fidelity(fidelity)
        self.column.addSpacing(2)
        self.column.addWidget(bar)
        self.column.addWidget(legend)
        self.column.addWidget(self.facts)

    def _add_links(self) -> None:
        links = (self._link(name, act) for name, act in self._actions())
        self.column.addLayout(FlowLayout(*links, gap=14))  # in some languages they are wider than the panel

    def _actions(self) -> list[tuple[str, Callable[[], None]]]:
        """Return the label and the action of each link.

        Saving memories is reverted, not undone, since it did not change the view.
        """
        row, requests = self.row, self._requests
        undo, redo = (lambda: requests.undo_requested.emit(row.id)), (lambda: requests.redo_requested.emit(row.id))
        if row.kind == "failed":
            return [] if row.is_elsewhere else failed_actions(row, requests)
        if row.kind == "link":
            return [(translatable("Open"), lambda: requests.conversation_requested.emit(row.linked))]
        if row.kind == "flush":
            show = (translatable("Show"), lambda: requests.tab_requested.emit("memory"))
            again = (translatable("Save again"), redo) if row.is_undone else (translatable("Revert"), undo)
            return [show, again]
        actions: list[tuple[str, Callable[[], None]]] = []
        if row.summary:
            actions.append((translatable("Summary"), self.toggle_summary))
        is_reply = row.strategies.keys() == {"cut_reply"}
        results = translatable("Reply") if is_reply else translatable("Results")
        name = results if row.kind == "prune" else translatable("Messages")
        if not row.is_beginning and row.kind != "standing":
            actions.append((name, lambda: self.messages_requested.emit(row.id)))
        if row.is_elsewhere:  # neither the operation nor its undo changes anything in this branch
            return actions
        return [*actions, (translatable("Redo"), redo) if row.is_undone else (translatable("Undo"), undo)]

    def _link(self, text: str, act: Callable[[], None]) -> LinkButton:
        """Return a link. Its object name is the same in each language."""
        link = LinkButton(tr(text))
        link.setObjectName(text.lower())
        link.clicked.connect(lambda _=False: act())
        return link
