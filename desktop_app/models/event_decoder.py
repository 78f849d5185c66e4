"""The package openai's decoder of server-sent events, with two corrections. Imported only with litellm."""

from __future__ import annotations

from collections.abc import AsyncIterator

from openai._streaming import ServerSentEvent, SSEDecoder

from .bounded_response import MAX_LINE_BYTES, ResponseTooLarge


class EventDecoder(SSEDecoder):
    """Decodes events with two corrections.

    Events without data are left out, as the standard requires: servers send them as keep-alives, and the package would
    parse their data as JSON. And lines are not collected in one growing value until an event ends: a server that never
    ends one would use up all processor time and memory.

    https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
    """

    def __init__(self) -> None:
        super().__init__()
        self._collected = 0

    def decode(self, line: str) -> ServerSentEvent | None:
        """Return the event that an empty line ends. Raises ResponseTooLarge for an event over MAX_LINE_BYTES."""
        self._collected = self._collected + len(line) if line else 0
        if self._collected > MAX_LINE_BYTES:
            raise ResponseTooLarge("one event", MAX_LINE_BYTES)
        event = super().decode(line)
        return event if event is not None and event.data else None

    async def _aiter_chunks(self, iterator: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yield complete lines, as many as have arrived."""
        rest: list[bytes] = []  # of a line; joined once it ends, since joining at each piece would take quadratic time
        async for piece in iterator:
            # A CR at the end of a piece may be half of a CR LF.
            end = max(piece.rfind(b"\n"), piece.rfind(b"\r", 0, -1)) + 1
            if end:
                yield b"".join([*rest, piece[:end]])
                rest = []
            rest.append(piece[end:])
        if any(rest):
            yield b"".join(rest)
