"""Short records for tests: each entry gets its place as its id, "m0", "m1", and so on."""

from __future__ import annotations

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


def system(text: str) -> Message:
    return Message(role=Role.SYSTEM, parts=(Text(text),))


def user(text: str, speaker: str = "") -> Message:
    return Message(role=Role.USER, parts=(Text(text),), speaker=speaker)


def model(text: str = "", *calls: Part, speaker: str = "") -> Message:
    said = (Text(text),) if text else ()
    return Message(role=Role.ASSISTANT, parts=(*said, *calls), speaker=speaker)


def call(name: str, arguments: str = "{}", call_id: str = "c") -> ToolCall:
    return ToolCall(call_id, name, arguments)


def result(text: str, call_id: str = "c", name: str = "bash", is_error: bool = False) -> Message:
    return Message(role=Role.TOOL, parts=(ToolResult(call_id, name, text, is_error),))


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
