"""Descriptions of the failures of MCP servers: the reason, and advice for the user."""

from __future__ import annotations

import signal
from collections.abc import Iterable

import msgspec

from desktop_app.context.masking import MASK, mask_secrets
from desktop_app.conversation.events import Failure
from desktop_app.conversation.tools import ToolOutcome
from desktop_app.conversation.words import translatable
from desktop_app.settings import McpServer

from .schema import clean_text

STALLED = translatable("It showed no sign of progress for {seconds} seconds, and was stopped.")
MIN_SECRET = 6
"""Characters of a value to hide; a shorter value of an environment variable occurs in too many words."""
_WITHOUT_EFFECT = ("auth", "malformed", "not_found", "rate_limit")
"""Kinds of reasons with which a call has had no effect."""
MAX_DETAIL = 1_500
"""Characters of a server's own error messages."""


class Reason(msgspec.Struct, frozen=True):
    """The reason why a server does not answer."""

    kind: str
    """The kind of the Failure."""
    text: str
    """One or more sentences."""
    advice: str = translatable("Check its settings, then ask again: it will be restarted.")
    is_over: bool = False
    """Whether the connection has ended."""
    is_unsent: bool = False
    """Whether the request has certainly had no effect."""


class Secrets(msgspec.Struct, frozen=True):
    """Values that must not be displayed: a server's key, and the environment variables in its settings."""

    values: tuple[str, ...] = ()

    @staticmethod
    def of(server: McpServer, key: str) -> Secrets:
        """Return the secrets of a server, longest first, so that a secret that contains another is hidden entirely."""
        values = {
            value for value in (key, *server.environment.values(), *server.headers.values()) if len(value) >= MIN_SECRET
        }
        return Secrets(tuple(sorted(values, key=len, reverse=True)))

    def hide(self, text: str) -> str:
        """Return the text, cleaned and shortened, without secrets and anything that looks like a key."""
        for value in self.values:
            text = text.replace(value, MASK)
        return clean_text(mask_secrets(text), MAX_DETAIL)


def failure_of(server: str, reason: Reason, errors: str, secrets: Secrets) -> Failure:
    """Return the failure that the user sees. errors: the last lines of standard error."""
    return Failure(
        reason.kind,
        translatable("The MCP server “{server}” does not answer").format(server=clean_text(server, 60)),
        secrets.hide(_with_errors(reason.text, errors)),
        translatable("The conversation goes on without its tools."),
        reason.advice,
        setting=f"mcp_servers/{server}",
    )


def waiting_for(servers: Iterable[str]) -> Failure:
    """Return the notice that a message waits for servers that are starting."""
    names = ", ".join(clean_text(server, 60) for server in servers)
    return Failure(
        "waiting",
        translatable("Waiting for MCP servers to start: {servers}").format(servers=names),
        translatable("The message is sent together with their tools. The first start of a server may install it."),
        advice=translatable("To go on without them, stop the reply and switch them off in the settings."),
        setting="tools",
    )


def refusal_of(server: str, tool: str, why: str) -> Failure:
    """Return the failure of a tool that cannot be offered."""
    return Failure(
        "bad_input",
        translatable("A tool of the MCP server “{server}” is not offered").format(server=clean_text(server, 60)),
        translatable("The tool “{tool}”: {why}.").format(tool=clean_text(tool, 80), why=why),
        translatable("Its other tools are offered."),
        translatable("Only the makers of the server can change that."),
    )


def unsent_text(server: str, failure: Failure | None) -> str:
    """Return the result of a call that could not be sent."""
    why = failure.detail if failure is not None else "It is still starting."
    return f"The MCP server “{server}” does not answer, and the tool did not run. {why}"


def unfinished_outcome(server: str, reason: Reason, errors: str, secrets: Secrets) -> ToolOutcome:
    """Return the outcome of a call that was sent, but refused or never answered."""
    details = secrets.hide(_with_errors(reason.text, errors if reason.is_over else ""))
    text = f"The MCP server “{server}” did not finish the call. {details}"
    if reason.kind not in _WITHOUT_EFFECT:
        text += "\nThe tool may have had effects: look before you repeat the call."
    return ToolOutcome(text, is_error=True)


def describe_exit(code: int | None) -> str:
    """Return a sentence about the end of a process. code: its exit code; None if it is still running."""
    if code is None:
        return translatable("It closed its output.")
    if code - 128 in set(signal.Signals):  # a shell, or the sandbox, reports the signal of its child in this way
        code = 128 - code
    if code >= 0:
        return translatable("Its program ended with the code {code}.").format(code=code)
    name = signal.Signals(-code).name if -code in set(signal.Signals) else -code
    return translatable("Its program was ended by the signal {name}.").format(name=name)


def _with_errors(text: str, errors: str) -> str:
    with_errors = translatable("{reason}\nThe last lines of its errors:\n{errors}")
    return with_errors.format(reason=text, errors=errors) if errors else text
