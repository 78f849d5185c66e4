"""What of a reply has arrived: what a server wrote, and what the client read of it."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import httpx
from stream_maker import Stream

from desktop_app.conversation.events import RetryScheduled, TurnEvent, TurnFailed
from desktop_app.models import server_stream

SILENT = "has stopped answering"
"""The end of the title of an error by which the client gave up waiting."""


class Arrivals:
    """Of one turn. sent: the streams, each with the port that it went to."""

    def __init__(self) -> None:
        self.sent: list[tuple[Stream, int]] = []
        self._responses: list[tuple[int, httpx.Response]] = []
        self._send = server_stream.send
        self._patch = patch.object(server_stream, "send", self._note)
        self._patch.start()

    async def _note(self, connection: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
        response = await self._send(connection, request)
        self._responses.append((response.extensions["network_stream"].get_extra_info("client_addr")[1], response))
        return response

    def begin(self) -> None:
        """Forget the turn before."""
        self.sent, self._responses = [], []

    def close(self) -> None:
        self._patch.stop()

    def text(self, events: Sequence[TurnEvent]) -> str:
        """The text of the turn's first reply that must not be lost.

        That is all of its sound text if it was written whole. Where it was not, or the client gave up waiting, it is
        the text in those bytes of the body that the client has read: while a busy machine does not run the server for
        seconds, the client leaves, asks again and gets another reply, whole; what the server writes then to the
        connection that was left was never in the application, and nobody could have seen it.
        """
        if not self.sent:
            return ""
        stream, port = self.sent[0]
        if stream.is_whole and not any(_is_silence(event) for event in events):
            return stream.text()
        return stream.text(next((one.num_bytes_downloaded for to, one in self._responses if to == port), 0))


def _is_silence(event: TurnEvent) -> bool:
    match event:
        case RetryScheduled(reason=title):
            return title.endswith(SILENT)
        case TurnFailed(failure=failure):
            return failure.title.endswith(SILENT)
        case _:
            return False
