"""The tools that run now and the end of their output, folded from events. No Qt, no clock."""

from __future__ import annotations

import re

import msgspec

from desktop_app.conversation.events import (
    ToolFinished,
    ToolOutputReceived,
    ToolStarted,
    TurnEvent,
    TurnFinished,
    TurnStarted,
)

MAX_KEPT = 6_000
"""Characters of a running tool's output that the window keeps: the tail that is shown is a few lines of at most 400."""
MAX_LINE = 400
# Colours and cursor movements, titles of a terminal's window, and other control characters that are no line's end.
_CONTROLS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\x00-\x08\x0b\x0c\x0e-\x1f]")


class ToolRun(msgspec.Struct):
    """One run. lines: newlines so far. started: by the clock that `fold` is given. seconds: None while it runs."""

    conversation: str
    started: float
    tail: str = ""
    lines: int = 0
    seconds: float | None = None


class ToolRuns:
    """The runs of all conversations, by the reply and the index of its call, since call ids repeat."""

    def __init__(self) -> None:
        self._runs: dict[tuple[str, int], ToolRun] = {}

    def fold(self, event: TurnEvent, now: float) -> None:
        match event:
            case ToolStarted(conversation=conversation, reply_id=reply_id, call_index=index):
                self._runs[reply_id, index] = ToolRun(conversation, now)
            case ToolOutputReceived(text=text, reply_id=reply_id, call_index=index):
                run = self.run_of(reply_id, index)
                if run is not None:
                    run.tail = (run.tail + text)[-MAX_KEPT:]
                    run.lines += text.count("\n")
            case ToolFinished(seconds=seconds, reply_id=reply_id, call_index=index):
                run = self.run_of(reply_id, index)
                if run is not None:
                    run.seconds = seconds
            case TurnStarted(conversation) | TurnFinished(conversation):
                self._runs = {key: run for key, run in self._runs.items() if run.conversation != conversation}
            case _:
                pass

    def clear(self) -> None:
        self._runs.clear()

    def run_of(self, reply_id: str, index: int) -> ToolRun | None:
        return self._runs.get((reply_id, index))


def plain_output(text: str) -> str:
    """Return what a terminal would show: no colours, and of a line that was rewritten its last state."""
    lines = _CONTROLS.sub("", text.replace("\r\n", "\n")).split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)


def last_lines(text: str, most: int) -> str:
    """Return the last lines of an output, each cut to what can be shown."""
    lines = plain_output(text).rstrip("\n").split("\n")[-most:]
    return "\n".join(line if len(line) <= MAX_LINE else line[:MAX_LINE] + "…" for line in lines)
