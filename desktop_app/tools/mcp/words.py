"""Why a server of tools does not answer, in words: what happened, and what to do."""

from __future__ import annotations

import signal

import msgspec

from desktop_app.context.masking import MASK, mask_secrets
from desktop_app.conversation.events import Failure
from desktop_app.conversation.tools import ToolOutcome
from desktop_app.settings import McpServer

from .schema import cleaned_text

SHORTEST_SECRET = 6
"""Characters: a shorter value of an environment is found in too many words."""
_REFUSED = ("auth", "malformed", "not_found", "rate_limit")
"""Kinds of reasons after which a call has done nothing."""
MOST_WORDS = 1_500
"""Characters of what a server says about its own trouble."""


class Reason(msgspec.Struct, frozen=True):
    """Why a server does not answer. kind: as a Failure's. what: one sentence, or some. is_over: nothing more can come
    through its connection. is_unsent: what was asked has certainly not been done."""

    kind: str
    what: str
    advice: str = "Look at its settings; when they are right, ask again: it is started anew."
    is_over: bool = False
    is_unsent: bool = False


class Secrets(msgspec.Struct, frozen=True):
    """What must not be told of a server: its key, and what its settings put into its environment."""

    values: tuple[str, ...] = ()

    @staticmethod
    def of(server: McpServer, key: str) -> Secrets:
        """Those of that server, the longest first, so that none is left of one that contains another."""
        found = {value for value in (key, *server.environment.values()) if len(value) >= SHORTEST_SECRET}
        return Secrets(tuple(sorted(found, key=len, reverse=True)))

    def hidden(self, text: str) -> str:
        """The text, cleaned and shortened, without them, and without what looks like a key."""
        for value in self.values:
            text = text.replace(value, MASK)
        return cleaned_text(mask_secrets(text), MOST_WORDS)


def failure_of(server: str, reason: Reason, last_words: str, secrets: Secrets) -> Failure:
    """The failure as the user sees it."""
    said = f"\nThe last lines of its errors:\n{last_words}" if last_words else ""
    return Failure(
        reason.kind,
        f"The MCP server “{cleaned_text(server, 60)}” does not answer",
        secrets.hidden(reason.what + said),
        "The conversation goes on without its tools.",
        reason.advice,
    )


def refusal_of(server: str, tool: str, why: str) -> Failure:
    """Of a tool that cannot be offered."""
    return Failure(
        "bad_input",
        f"A tool of the MCP server “{cleaned_text(server, 60)}” is not offered",
        f"“{cleaned_text(tool, 80)}”: {why}.",
        "Its other tools are offered.",
        "Only the makers of the server can change that.",
    )


def no_answer(server: str, failure: Failure | None) -> ToolOutcome:
    """What a call gets that could not be sent."""
    why = failure.detail if failure is not None else "It is still starting."
    return ToolOutcome(f"The MCP server “{server}” does not answer, and the tool did not run. {why}", is_error=True)


def broken_off(server: str, reason: Reason, last_words: str, secrets: Secrets) -> ToolOutcome:
    """What a call gets that was sent, and was refused or never answered."""
    said = f"\nThe last lines of its errors:\n{last_words}" if last_words and reason.is_over else ""
    text = f"The MCP server “{server}” did not finish the call. {secrets.hidden(reason.what + said)}"
    if reason.kind not in _REFUSED:
        text += "\nThe tool may have had effects: look before you repeat the call."
    return ToolOutcome(text, is_error=True)


def end_of(code: int | None) -> str:
    """How a process ended, in words."""
    if code is None:
        return "It closed its output."
    if code >= 0:
        return f"Its program ended with the code {code}."
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return f"Its program was ended by the signal {name}."
