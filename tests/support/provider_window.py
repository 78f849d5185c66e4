"""A script that has a window: it counts each prompt, refuses what is too large, and reports what it counted.

def answer(request):
    return Reply("done") if request.role == "tool" else Reply("", calls=(Call("read", "{}"),))

with ScriptedProvider(Windowed(16_000, answer, count=tokens), flavour="anthropic") as provider:
    ...
provider.script.requests[-1].cached_tokens
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from provider_cache import MarkedCache, PrefixCache
from provider_script import AnyStep, Overflow, Reply, Status
from provider_shapes import Block, Shape

if TYPE_CHECKING:
    from provider import Request

Count = Callable[[str], int]

MESSAGE_TOKENS = 4
"""What opening a message costs, besides its text."""


class Measured(msgspec.Struct, frozen=True):
    """What one request was for the provider. Tokens by its own counter, times its factor."""

    prompt_tokens: int
    cached_tokens: int = 0
    written_tokens: int = 0
    reply_tokens: int = 0
    is_refused: bool = False


class Windowed:
    """A provider with a true window of so many tokens.

    answer: gives the step for a request. count: the tokens of a text; each block of
    a prompt is counted once. factor: what this provider counts for one token of `count`. clock: for the life of
    cached prefixes. A reply that does not fit beside its prompt, or is longer than what was asked for, is cut there
    and says so. A shape that counts replies (vLLM), or `is_strict`, refuses prompt and asked reply together. Requests
    that the API would call malformed are refused in its words (tests/support/provider_history.py).
    """

    def __init__(
        self,
        window: int,
        answer: Callable[[Request], AnyStep],
        *,
        count: Count,
        factor: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
        is_strict: bool = False,
    ) -> None:
        self.window = window
        self.requests: list[Measured] = []
        """One for each request that was counted, refused ones too."""
        self.malformed: list[str] = []
        """What was said against requests whose messages were in no order that the API takes; they were refused."""
        self._answer = answer
        self._count = count
        self._factor = factor
        self._is_strict = is_strict
        self._tokens: dict[str, int] = {}
        self._prefixes = PrefixCache()
        self._markers = MarkedCache(clock)

    def take(self, request: Request, shape: Shape) -> AnyStep:
        """The step that answers this request: a refusal, or what `answer` says with the true usage in it."""
        malformed = shape.malformed(request.body)
        if malformed:
            self.malformed.append(malformed)
            return Status(400, malformed, kind="invalid_request_error")
        blocks = shape.blocks(request.body)
        tokens = [self._tokens_of(block) for block in blocks]
        prompt = self._charged(sum(tokens))
        asked = shape.max_tokens(request.body)
        together = asked if self._is_strict or shape.counts_reply else 0
        if prompt + together > self.window and not shape.truncates:
            self.requests.append(Measured(prompt, is_refused=True))
            # As Anthropic and vLLM do: the words about both only where the prompt alone would have fitted.
            return Overflow(window=self.window, tokens=prompt, reply=together if prompt <= self.window else 0)
        prompt = min(prompt, self.window)
        cached, written = self._cached(shape, blocks, tokens)
        step = self._answer(request)
        replied = 0
        if isinstance(step, Reply):
            step, replied = self._fitted(step, min(asked or self.window, self.window - prompt))
            usage = None if step.usage is None else (prompt, replied, cached)
            step = replace(step, usage=usage, written=written)
        self.requests.append(Measured(prompt, cached, written, replied))
        return step

    def _tokens_of(self, block: Block) -> int:
        if block.key not in self._tokens:
            self._tokens[block.key] = self._count(block.text) + (MESSAGE_TOKENS if block.is_message else 0)
        return self._tokens[block.key]

    def _charged(self, tokens: int) -> int:
        return math.ceil(tokens * self._factor)

    def _cached(self, shape: Shape, blocks: list[Block], tokens: list[int]) -> tuple[int, int]:
        """Tokens that are read from the provider's cache, and that are written into it, by the shape's rule."""
        minimum, step = shape.caches
        charged = [count * self._factor for count in tokens]
        if shape.caches_by_marker:
            return self._markers.take(blocks, charged, minimum)
        return self._prefixes.take(blocks, charged, minimum, step), 0

    def _fitted(self, reply: Reply, room: int) -> tuple[Reply, int]:
        """The reply, cut where there is no more room, and its tokens."""
        fixed = self._count(reply.reasoning) if reply.reasoning else 0
        fixed += sum(self._count(call.name + call.arguments) for call in reply.calls)
        tokens = self._charged(self._count(reply.text) + fixed)
        if tokens <= room:
            return reply, tokens
        text = reply.text
        while text and self._charged(self._count(text)) > room:
            text = text[: min(len(text) - 1, int(len(text) * max(room, 0) / self._charged(self._count(text))))]
        cut = replace(reply, text=text, reasoning="", calls=(), finish="length")
        return cut, self._charged(self._count(text)) if text else 0
