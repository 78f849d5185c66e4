"""Recorded sessions of agents with the state of their work, labelled by hand, and what a request says of it."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from msgspec.structs import replace

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.extractive import summary_builder
from desktop_app.context.view.view import assemble
from desktop_app.conversation.message import Message
from desktop_app.conversation.openai_chat import messages_of, read_jsonl
from desktop_app.models.tokens.tokenizers import tokenizer_for
from real_conversations import FILES, ROOT
from room_made import brought_to

WORK_LABELS: dict[str, str] = getattr(summary_builder, "WORK_LABELS", {})
"""The labels of each state; none in builds without them, which are measured, too."""
FOLDER = ROOT / "tests" / "data" / "work"
_IN_PLANS = {
    "finished": ("status completed", "status done"),
    "in progress": ("status in_progress",),
    "pending": ("status pending",),
}
SHARE = 0.25
"""The share of its tokens that a session is cut to."""


def labels() -> list[dict[str, Any]]:
    """Return the labelled sessions that are here."""
    listed = json.loads((FOLDER / "labels.json").read_text())
    return [one for one in listed if _file_of(one["file"]) is not None]


def _file_of(name: str) -> Any:
    own = FOLDER / f"{name}.jsonl"
    return own if own.exists() else FILES.get(name)


def session(label: dict[str, Any]) -> list[Message]:
    """Return the messages of a labelled session; a result says whether it was an error, as the record does."""
    chat = read_jsonl(_file_of(label["file"]).read_bytes())[label.get("first", 0) : label.get("last")]
    recorded = zip(messages_of(chat, str), chat, strict=True)
    return [_with_error(message, bool(one.get("is_error"))) for message, one in recorded]


def _with_error(message: Message, is_error: bool) -> Message:
    result = message.tool_result
    return replace(message, parts=(replace(result, is_error=True),)) if result and is_error else message


@cache
def _counts() -> TokenCounts:
    return TokenCounts(tokenizer_for("gpt-4o"))


class Sent:
    """What would be sent of a session at a quarter of its tokens."""

    def __init__(self, messages: list[Message]) -> None:
        view = brought_to(SHARE, messages, _counts())
        known = {message.id for message in messages}
        self.summary = view.summary.summary if view.summary else ""
        self.kept = [message for message in assemble(view) if message.id in known]
        self.text = self.summary + "\n".join(text_of(message) for message in self.kept)
        self._lines = self.summary.splitlines()

    def states(self, text: str) -> list[str]:
        """Return the states under which the summary lists a piece of work: the whole text, or a longer one."""
        listed = [
            (state, _plain(line.removeprefix(f"- {label}: ").partition(" – since then: ")[0]))
            for state, label in WORK_LABELS.items()
            for line in self._lines
            if line.startswith(f"- {label}: ")
        ]
        exact = [state for state, line in listed if line == _plain(text)]
        return exact or [state for state, line in listed if _plain(text) in line]

    def _in_plans(self, text: str) -> set[str]:
        """Return the state of an item in the newest plan that is kept word for word."""
        for message in reversed(self.kept):
            for call in message.tool_calls:
                at = _plain(call.arguments).find(_plain(text))
                if at >= 0:
                    behind = _plain(call.arguments)[at + len(_plain(text)) :].lstrip()
                    return {state for state, words in _IN_PLANS.items() if behind.startswith(tuple(words))}
        return set()

    def states_correctly(self, state: str, text: str, *more: str) -> bool:
        """Return whether the request says so: the summary with that label and no other, or the messages themselves."""
        if state == "rule":
            return _plain(text) in _plain(self.text)
        if state == "done":
            parts = [*self._lines, *map(text_of, self.kept)]
            return any(text in part and all(word in part for word in more) for part in parts)
        listed = self.states(text)
        if state in self._in_plans(text):
            return True
        if state == "not wrong":
            return "wrong" not in listed
        return set(listed) == {state} if listed else any(_plain(text) in _plain(text_of(m)) for m in self.kept)


def text_of(message: Message) -> str:
    """Return the text of a message with its calls."""
    return "\n".join([message.text, *(f"{call.name} {call.arguments}" for call in message.tool_calls)])


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).lower().strip()
