"""A prune that is being planned: what each exchange would be, and how many tokens that frees."""

from __future__ import annotations

from msgspec.structs import replace

from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.ledger.tool_names import fields_of
from desktop_app.context.view.view import View
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult
from desktop_app.conversation.transcript import PrunedInput, PrunedResult

from .exchange import Change, Exchange, Shortening
from .placeholder import PREFIX


class PruneDraft:
    """Collects the changes that free tokens.

    A placeholder is counted at once. What keeps a part of its text is counted by `settle`, since a harder strategy may
    still replace it; until then its tokens are estimated from its length.
    """

    def __init__(self, exchanges: list[Exchange], counts: TokenCounts) -> None:
        self.exchanges = exchanges
        self.freed = 0
        self._original = exchanges[:]
        self._counts = counts
        self._results: dict[int, str] = {}
        self._inputs: dict[tuple[str, int], tuple[str, str]] = {}
        self._uncounted: set[int] = set()

    def take(self, strategy: str, change: Change) -> None:
        """Make that change, unless it would free nothing."""
        shortened = [self._shorten(shorter) for shorter in change]
        freed = sum(self.exchanges[exchange.index].tokens - exchange.tokens for exchange in shortened)
        freed += sum(map(self._freed_of_input, change))
        if freed <= 0:
            return
        self.freed += freed
        for shorter, exchange in zip(change, shortened, strict=True):
            self.exchanges[exchange.index] = exchange
            self._note(strategy, shorter, exchange)

    def settle(self) -> int:
        """Count each text as it will be sent, take back what frees nothing, and return the tokens that are free."""
        for index in sorted(self._uncounted):
            exchange, original = self.exchanges[index], self._original[index]
            tokens = self._tokens(exchange, exchange.result.text)
            exact = replace(exchange, tokens=tokens)
            if tokens >= original.tokens:
                exact = replace(exchange, result=original.result, tokens=original.tokens)
                del self._results[index]
            self.freed += exchange.tokens - exact.tokens
            self.exchanges[index] = exact
        self._uncounted.clear()
        return self.freed

    def recorded_changes(self, view: View) -> tuple[tuple[PrunedResult, ...], tuple[PrunedInput, ...]]:
        """Return the results and inputs to record, oldest first."""
        changed = ((self.exchanges[index], strategy) for index, strategy in sorted(self._results.items()))
        results = tuple(PrunedResult(e.message.id, strategy, e.result.text) for e, strategy in changed)
        asking = {message_id for message_id, _ in self._inputs}
        recorded = {e.id: e for e in view.entries if isinstance(e, Message) and e.id in asking}
        inputs = tuple(
            PrunedInput(message_id, _part_index(recorded[message_id], number), strategy, arguments)
            for (message_id, number), (strategy, arguments) in self._inputs.items()
        )
        return results, inputs

    def _shorten(self, shorter: Shortening) -> Exchange:
        exchange = self.exchanges[shorter.index]
        text = shorter.text
        if text is None:
            return exchange
        is_placeholder = text.startswith(PREFIX)
        estimated = round(exchange.tokens * len(text) / max(len(exchange.result.text), 1))
        return replace(
            exchange,
            result=replace(exchange.result, text=text),
            tokens=self._tokens(exchange, text) if is_placeholder else estimated,
            is_result_free=exchange.is_result_free and not is_placeholder,
        )

    def _freed_of_input(self, shorter: Shortening) -> int:
        call = self.exchanges[shorter.index].call
        if shorter.arguments is None or call is None:
            return 0
        return self._counts.text(call.arguments) - self._counts.text(shorter.arguments)

    def _tokens(self, exchange: Exchange, text: str) -> int:
        """Count the result's message with that text. Call ids are not sent as text: equal placeholders count once."""
        result = ToolResult("", exchange.result.name, text)
        return self._counts.total(Message(role=Role.TOOL, speaker=exchange.message.speaker, parts=(result,)))

    def _note(self, strategy: str, shorter: Shortening, exchange: Exchange) -> None:
        if shorter.text is not None:
            self._results[exchange.index] = strategy
            self._uncounted.discard(exchange.index)
            if not shorter.text.startswith(PREFIX):
                self._uncounted.add(exchange.index)
        if shorter.arguments is not None and exchange.asked and exchange.call:
            call = replace(exchange.call, arguments=shorter.arguments)
            self.exchanges[exchange.index] = replace(exchange, call=call, fields=fields_of(call))
            self._inputs[exchange.asked] = strategy, shorter.arguments


def _part_index(message: Message, number: int) -> int:
    """Return the index among a message's parts of its call of that number."""
    return [index for index, part in enumerate(message.parts) if isinstance(part, ToolCall)][number]
