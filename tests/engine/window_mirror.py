"""What the window shows, by the window's own models: opened from a response, then folded from events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from desktop_app.conversation.events import (
    FiguresCounted,
    GaugeChanged,
    ModelChanged,
    QueueChanged,
    TurnEvent,
    TurnFinished,
    ViewChanged,
)
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.quirks import Learned
from desktop_app.engine import protocol as p
from desktop_app.ui.live_turns import LiveTurns
from desktop_app.ui.transcript.transcript_model import TranscriptModel


class ShownConversation:
    """One conversation as a window shows it that never looks away from it."""

    def __init__(self) -> None:
        self.rows = TranscriptModel()
        self.figures: dict[str, Any] = {}


class WindowMirror:
    """All conversations that were opened."""

    def __init__(self) -> None:
        self.turns = LiveTurns()
        self.listed: tuple[Any, ...] = ()
        self._shown: dict[str, ShownConversation] = {}

    def open(self, opened: p.ConversationOpened) -> None:
        """Show what a response tells, in place of what was shown of it."""
        conversation = opened.conversation.id
        self._shown.setdefault(conversation, ShownConversation())
        self._fill(self._shown[conversation], self.turns, opened)

    def leave(self, conversation: str) -> None:
        """Show it no more, until it is opened again."""
        self._shown.pop(conversation, None)

    def _fill(self, shown: ShownConversation, turns: LiveTurns, opened: p.ConversationOpened) -> None:
        conversation = opened.conversation.id
        turns.note_opened(conversation, opened.is_running, opened.questions)
        shown.rows.open(opened.rows, opened.operations, turns.of(conversation), opened.other_versions)
        shown.figures = {
            "gauge": opened.gauge,
            "pins": tuple(row.message.id for row in opened.pins),
            "totals": opened.totals,
            "queue": (opened.queue, opened.is_paused),
            "model": _as_set_up(opened.model),
        }

    def apply(self, event: TurnEvent, now: float) -> None:
        """Fold an event, as `ConversationController.apply` does."""
        self.turns.fold(event, now)
        shown = self._shown.get(event.conversation)
        if shown is None:
            return
        shown.rows.apply(event, self.turns.of(event.conversation))
        match event:
            case GaugeChanged(_, gauge):
                shown.figures["gauge"] = gauge
            case FiguresCounted(_, gauge, totals):
                shown.figures |= {"gauge": gauge, "totals": totals}
            case TurnFinished(totals=totals) if totals is not None:
                shown.figures["totals"] = totals
            case ModelChanged(_, model):
                shown.figures["model"] = _as_set_up(model)
            case QueueChanged(_, queue, is_paused):
                shown.figures["queue"] = queue, is_paused
            case ViewChanged():
                shown.figures |= {"pins": tuple(row.message.id for row in event.pins), "totals": event.totals}

    def differences(
        self, opened: p.ConversationOpened, gauge_of: Callable[[Gauge | None], object] = lambda gauge: gauge
    ) -> Iterator[str]:
        """Yield what a window that opens the conversation now shows differently. gauge_of: what of the gauge counts."""
        shown, fresh, conversation = (
            self._shown.get(opened.conversation.id),
            ShownConversation(),
            opened.conversation.id,
        )
        if shown is None:
            return
        turns = LiveTurns()
        self._fill(fresh, turns, opened)
        first = opened.rows[0].index if opened.rows else 0
        known = [replace(row, tokens=0) for row in shown.rows.rows if row.index >= first]
        anew = [replace(row, tokens=0) for row in fresh.rows.rows]
        if known != anew:
            yield f"rows of {conversation}: shown {[_row(r) for r in known]}, opened {[_row(r) for r in anew]}"
        if shown.rows.operations != fresh.rows.operations:
            yield f"operations of {conversation}: shown {shown.rows.operations}, opened {fresh.rows.operations}"
        if shown.rows._other_versions != fresh.rows._other_versions:
            yield f"other versions of {conversation}: {shown.rows._other_versions}, {fresh.rows._other_versions}"
        if self.turns.of(conversation).is_running != opened.is_running:
            yield f"{conversation} runs: shown {not opened.is_running}, opened {opened.is_running}"
        if self.turns.of(conversation).questions != opened.questions:
            yield f"questions of {conversation}: {self.turns.of(conversation).questions} {opened.questions}"
        for name, value in fresh.figures.items():
            followed, read = shown.figures[name], value
            if name == "gauge":
                followed, read = gauge_of(followed), gauge_of(read)
            if followed != read:
                yield f"{name} of {conversation}: shown {followed}, opened {read}"


def _as_set_up(model: ModelInfo) -> ModelInfo:
    """The model without what a refusal has taught: other conversations know that when they are opened or asked."""
    return replace(model, learned=Learned())


def _row(row: Any) -> tuple[Any, ...]:
    return row.index, row.message.id, row.state, row.is_pinned, row.versions, row.message.text[:20]
