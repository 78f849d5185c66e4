"""What a research sends: a list of messages beside the record, kept within the window of the model that researches."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from desktop_app.chat.ports import ChatModel, ModelError
from desktop_app.chat.session import stamped
from desktop_app.context.counting.breakdown import request_tokens
from desktop_app.context.counting.calibration import prior
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.fitting import fit_policy
from desktop_app.context.policy import ContextPolicy, budget_for
from desktop_app.context.text_cuts import ends_of, head_of
from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import View, assemble, view_of
from desktop_app.conversation.chain import Chain
from desktop_app.conversation.message import Message, Role, Text, ToolResult, user_message
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import AnyEntry, RequestContext, Transcript

CONTEXT_MESSAGES, CONTEXT_MOST = 6, 1_500
"""The newest messages that come along, and characters of each: enough to know what "it" means in a question."""
SAFE_SHARE, SAFER_SHARE = 0.95, 0.6
"""Of what can be used, since tokens are estimated; the second one after a provider said that it was too much."""
SHORTENED, SHORTENED_MOST = "… [left out to make room; fetch it again if you need it]", 300
"""What stays of a result that has to make room, in characters."""
BEFORE = "[The last messages of the conversation, only to know what the question refers to:]"
QUESTION = "[The question:]"


def context_of(view: View) -> str:
    """The newest words of the conversation, as a record."""
    said = [
        i.message for i in view.items if i.kind is ItemKind.MESSAGE and i.message.role in (Role.USER, Role.ASSISTANT)
    ]
    told = [m for m in said if m.text][-CONTEXT_MESSAGES:]
    return "\n\n".join(f"{message.role.value}: {ends_of(message.text, CONTEXT_MOST)}" for message in told)


class ResearchContext:
    """The messages of one research. It is cut to what `model` can take by shortening the oldest results.

    policy: fitted to that model's window. tokens: of the newest request. reply_tokens: what one reply may have.
    """

    def __init__(
        self,
        model: ChatModel,
        policy: ContextPolicy,
        tools: Sequence[ToolSpec],
        words: str,
        context: str,
        question: str,
    ) -> None:
        budget = budget_for(policy, model.info.window, model.info.max_output)
        self.policy = fit_policy(policy, budget)
        self.tools = tuple(tools)
        self.reply_tokens = budget.reserve
        self.tokens = 0
        self._counts = TokenCounts(model.tokenizer)
        self._room = budget.usable * SAFE_SHARE / max(prior(model.tokenizer.name, model.info.record_name).factor, 1.0)
        asked = f"{BEFORE}\n{context}\n\n{QUESTION}\n{question}" if context else question
        system = Message(role=Role.SYSTEM, parts=(Text(words),))
        self._entries: list[AnyEntry] = [
            stamped(RequestContext(tools=self.tools)),
            stamped(system),
            stamped(user_message(asked)),
        ]

    def add(self, *messages: Message) -> None:
        """What was said next."""
        self._entries.extend(stamped(replace(message, id="")) for message in messages)

    def request(self) -> list[Message]:
        """What is sent now; this takes its time on long results."""
        view = view_of(Transcript(Chain(self._entries)))
        self.tokens = request_tokens(view, self._counts)
        while self.tokens > self._room and (place := self._oldest_result()) is not None:
            self._shorten(place)
            view = view_of(Transcript(Chain(self._entries)))
            self.tokens = request_tokens(view, self._counts)
        return assemble(view)

    def shrink(self, error: ModelError) -> None:
        """A provider said that the last request was too long: the next one is shorter."""
        self._room = min(error.limit * SAFER_SHARE if error.limit else self._room, self._room * SAFER_SHARE)

    def _oldest_result(self) -> int | None:
        for place, entry in enumerate(self._entries):
            result = entry.tool_result if isinstance(entry, Message) else None
            if result is not None and len(result.text) > SHORTENED_MOST + len(SHORTENED):
                return place
        return None

    def _shorten(self, place: int) -> None:
        entry = self._entries[place]
        if isinstance(entry, Message) and isinstance(result := entry.tool_result, ToolResult):
            text = head_of(result.text, SHORTENED_MOST) + SHORTENED
            self._entries[place] = stamped(replace(entry, id="", parts=(replace(result, text=text),)))
