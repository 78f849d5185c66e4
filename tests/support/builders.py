"""Builders of what nearly every test needs: messages, calls, results, records, views, gauges.

    user("Read a.py")    model("Sure.", call("read"))    result("x = 1", name="read")

A part that is a string is a text. Other fields of the message are given by name: `user("Hi", id="m1", at=2.0)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from conversations_made_up import Letters
from desktop_app.context.counting.breakdown import gauge_of, request_tokens, tally
from desktop_app.context.counting.calibration import AS_COUNTED, Calibration
from desktop_app.context.counting.tokens import AS_IT_IS, TokenCounts
from desktop_app.context.policy import BALANCED, Budget
from desktop_app.context.view.view import View, assemble, view_after, view_of
from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.listing import Dialect, ModelInfo
from desktop_app.conversation.message import Message, Part, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.transcript import AnyEntry, Chain, Continuation, Transcript


def message(role: Role, *parts: Part | str, **fields: Any) -> Message:
    return Message(role=role, parts=tuple(Text(part) if isinstance(part, str) else part for part in parts), **fields)


def system(text: str, **fields: Any) -> Message:
    return message(Role.SYSTEM, text, **fields)


def user(*parts: Part | str, **fields: Any) -> Message:
    return message(Role.USER, *parts, **fields)


def model(*parts: Part | str, **fields: Any) -> Message:
    return message(Role.ASSISTANT, *filter(None, parts), **fields)


def call(name: str, arguments: str = "{}", call_id: str = "c") -> ToolCall:
    return ToolCall(call_id, name, arguments)


def result(text: str, call_id: str = "c", name: str = "bash", is_error: bool = False, **fields: Any) -> Message:
    return message(Role.TOOL, ToolResult(call_id, name, text, is_error), **fields)


def exchange(texts: Iterable[str], name: str = "", **fields: Any) -> list[Message]:
    """Return messages of the user and the model in turn. name: what their ids begin with, if they get one."""
    return [
        message(Role.ASSISTANT if n % 2 else Role.USER, text, id=f"{name}{n}" if name else "", **fields)
        for n, text in enumerate(texts)
    ]


def numbered(*entries: AnyEntry) -> list[AnyEntry]:
    return [replace(entry, id=entry.id or f"m{place}") for place, entry in enumerate(entries)]


def head(*messages: Message) -> list[Message]:
    return [message for message in numbered(*messages) if isinstance(message, Message)]


def record(*entries: AnyEntry) -> Transcript:
    return Transcript(Chain(numbered(*entries)))


def view(*entries: AnyEntry) -> View:
    return view_of(record(*entries))


def sent(shown: View) -> list[tuple[str, str]]:
    """Role and text of each message of the request."""
    return [(message.role.value, message.text) for message in assemble(shown)]


def letters(dialect: Dialect = AS_IT_IS) -> TokenCounts:
    return TokenCounts(Letters(), dialect)


def tokens(shown: View) -> int:
    return request_tokens(shown, letters())


MODEL, ROOMY = ModelInfo("server/m", "M", 400_000, 0), Budget(400_000, 0)


def gauge(shown: View, counts: TokenCounts, calibration: Calibration = AS_COUNTED, budget: Budget = ROOMY) -> Gauge:
    """The gauge of that view for MODEL."""
    return gauge_of(shown, tally(shown, counts), counts, BALANCED, budget, MODEL, calibration)


def continuation(view: View, lost_call: str = "") -> Continuation:
    """The wish that the newest message of that view, a reply that was stopped, is continued."""
    return Continuation(id="continuation", reply_id=view.items[-1].message.id, lost_call=lost_call)


def continuing(view: View, lost_call: str = "") -> View:
    """That view once its newest message is to be continued."""
    return view_after(view, Transcript(view.entries).append(continuation(view, lost_call)))
