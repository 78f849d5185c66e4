"""One request as it is sent, frozen: whatever is recorded while it is under way, what is reported is reported of it."""

from __future__ import annotations

import msgspec

from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.message import Message
from desktop_app.conversation.tools import ToolSpec


class Request(msgspec.Struct, frozen=True):
    """What is sent, and what was known of it then.

    as_of: the id of the newest entry that it was assembled from.
    gauge: its figures, as they were shown.
    counted: its tokens, as they are counted here.
    items: how many items of the view it holds.
    reported_before: tokens that were reported of the request that it grew from, see `silent_cut.reported_before`.
    """

    messages: list[Message]
    tools: tuple[ToolSpec, ...]
    as_of: str
    gauge: Gauge
    counted: int
    items: int
    reported_before: int
