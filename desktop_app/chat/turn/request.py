"""One request as it is sent, frozen: whatever is recorded while it is under way, what is reported is reported of it."""

from __future__ import annotations

import msgspec

from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.message import Message
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec


class Request(msgspec.Struct, frozen=True):
    """The messages and tools as the model gets them, and what was known of them then."""

    messages: list[Message]
    tools: tuple[ToolSpec, ...]
    as_of: str
    """The id of the newest entry that it was assembled from."""
    options: ReplyOptions
    """Parameters, of which the provider gets those that it takes."""
    gauge: Gauge
    """Its figures, as they were shown."""
    counted: int
    """Its tokens, as they are counted here."""
    items: int
    """How many items of the view it holds."""
    reported_before: int
    """Tokens that were reported of the request that it grew from, see `calibration.reported_before`."""
    pictures: int = 0
    """Tokens, as the gauge counts them, of pictures that were never measured."""

    @property
    def has_metadata(self) -> bool:
        """Whether provider metadata goes back to the model."""
        return any(call.provider_metadata for message in self.messages for call in message.tool_calls)
