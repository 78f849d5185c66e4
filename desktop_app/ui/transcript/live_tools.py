"""Tools that run now: what each has put out lately, and since when it runs. Folded from events. No Qt, no clock."""

from __future__ import annotations

import re

import msgspec

from desktop_app.conversation.events import ToolFinished, ToolOutput, ToolStarted, TurnEvent, TurnFinished, TurnStarted
from desktop_app.conversation.message import ToolCall

KEPT = 6_000
"""Characters of a running tool's output that the window keeps: the tail that is shown is a few lines of at most 400."""
SHOWN_LINE = 400
# Colours and cursor movements, titles of a terminal's window, and other control characters that are no line's end.
_CONTROLS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\x00-\x08\x0b\x0c\x0e-\x1f]")


class LiveRun(msgspec.Struct):
    """One run. lines: newlines so far. started: by the clock of whoever folds. seconds: None while it runs."""

    conversation: str
    reply_id: str
    call: ToolCall
    started: float
    tail: str = ""
    lines: int = 0
    seconds: float | None = None


class LiveTools:
    """The runs of all conversations: one that is not shown goes on running, and is shown again as it stands."""

    def __init__(self) -> None:
        self._runs: list[LiveRun] = []

    @property
    def is_empty(self) -> bool:
        """Whether nothing runs."""
        return not self._runs

    def fold(self, event: TurnEvent, now: float) -> None:
        """Takes an event in; those that say nothing of tools change nothing."""
        match event:
            case ToolStarted(conversation, reply_id, call):
                self._runs.append(LiveRun(conversation, reply_id, call, now))
            case ToolOutput(conversation, call_id, text):
                run = self._running(conversation, call_id)
                if run is not None:
                    run.tail = (run.tail + text)[-KEPT:]
                    run.lines += text.count("\n")
            case ToolFinished():
                run = self._running(event.conversation, event.call_id)
                if run is not None:
                    run.seconds = event.seconds
            case TurnStarted(conversation) | TurnFinished(conversation):
                self._runs = [run for run in self._runs if run.conversation != conversation]
            case _:
                pass

    def clear(self) -> None:
        """Nothing runs any more: the engine ended."""
        self._runs.clear()

    def run_of(self, reply_id: str, call_id: str, nth: int) -> LiveRun | None:
        """The run of that call of a reply, if it has begun. Ids repeat: nth counts the calls of that id from 0."""
        runs = [run for run in self._runs if run.reply_id == reply_id and run.call.call_id == call_id]
        return runs[nth] if nth < len(runs) else None

    def _running(self, conversation: str, call_id: str) -> LiveRun | None:
        """The run that an event means. It names no reply, but of one conversation only the newest reply's calls run."""
        found = (run for run in self._runs if run.conversation == conversation and run.call.call_id == call_id)
        return next((run for run in found if run.seconds is None), None)


def plain_output(text: str) -> str:
    """What a terminal would show of it: without colours, and with only the last state of a line that was rewritten."""
    lines = _CONTROLS.sub("", text.replace("\r\n", "\n")).split("\n")
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)


def last_lines(text: str, most: int) -> str:
    """The last lines of an output, each cut to what can be shown."""
    lines = plain_output(text).rstrip("\n").split("\n")[-most:]
    return "\n".join(line if len(line) <= SHOWN_LINE else line[:SHOWN_LINE] + "…" for line in lines)
