"""What is done to messages in the transcript while it is measured how long they hold the window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from desktop_app.conversation.events import MessageRow, MessageState, ReplyStarted, TextDelta, TurnStarted
from desktop_app.conversation.message import Message, Role
from desktop_app.ui.live_turns import turn_after
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.transcript_widget import TranscriptWidget

PIECES, FLUSH = 20, 0.05  # in so many pieces a text grows, with so many seconds between them
Steps = dict[str, Callable[[], object]]


def transcript(view: TranscriptWidget, messages: Sequence[Message], settle: Callable[[float], None]) -> Steps:
    """Messages are shown, scrolled through, found in, unfolded and copied; a reply grows, too."""
    rows = [MessageRow(message, n, 10, MessageState.IN_VIEW) for n, message in enumerate(messages)]
    bar, text = view.verticalScrollBar(), "".join(message.text for message in messages)
    often = [sign for sign, _ in Counter(text.replace(" ", "").replace("\n", "")).most_common(2)] or ["x"]
    steps: Steps = {
        "show": lambda: view.transcript.open(rows, ()),
        "to its start": lambda: bar.setValue(0),
        "to its middle": lambda: bar.setValue(bar.maximum() // 2),
        "narrower": lambda: view.resize(700, 700),
        "select all": view.selectAll,
        "copy": lambda: view.perform(Action.COPY, rows[-1].message.id),
        "unfold": lambda: view.perform(Action.FOLD, rows[-1].message.id),
        "unfolded, to its middle": lambda: bar.setValue(bar.maximum() // 2),
        "found": lambda: _find(view, often[0]),
        "words found": lambda: _find(view, (*often, "word")),
        "nothing found": lambda: _find(view, ""),
        "away": lambda: view.transcript.open([], ()),
    }
    if messages[0].role is Role.ASSISTANT and messages[0].text:
        steps |= {"growing": lambda: _grow(view, text, settle), "away again": lambda: view.transcript.open([], ())}
    return steps


def _find(view: TranscriptWidget, found: str | tuple[str, ...]) -> None:
    view.mark_text(found)
    view.show_occurrence("m0")


def _grow(view: TranscriptWidget, text: str, settle: Callable[[float], None]) -> None:
    size = max(len(text) // PIECES, 1)
    events = [TurnStarted("c"), ReplyStarted("c", "m0", "Sonnet")]
    events += [TextDelta("c", "m0", text[at : at + size]) for at in range(0, len(text), size)]
    for event in events:
        view.transcript.apply(event, turn_after(view.transcript.turn, event))
        settle(FLUSH)
