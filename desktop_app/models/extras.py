"""What a provider wants back with a tool call, besides what the call says: kept for this run, by the call's id.

Gemini signs a call with its thoughts, and OpenRouter passes on the like; without them the model goes on as if it had
not thought. They are of no use to another provider, and nothing is lost if they are gone after a restart: a
placeholder is then sent, which Gemini accepts.
"""

from __future__ import annotations

from collections import OrderedDict

from desktop_app.conversation.openai_chat import Json

MOST_CALLS = 2_000
"""Of so many newest calls extras are kept. A signature has up to some thousand characters."""


class Extras:
    """Fields of OpenAI's message shape, by the id of a call."""

    def __init__(self) -> None:
        self._of_call: OrderedDict[str, Json] = OrderedDict()
        self._of_message: OrderedDict[str, Json] = OrderedDict()

    def keep(self, of_calls: dict[str, Json], of_message: Json) -> None:
        """After a reply: fields of its calls, by their ids; fields of the message as a whole, found by any of them."""
        for call_id, fields in of_calls.items():
            _put(self._of_call, call_id, fields)
            _put(self._of_message, call_id, of_message)

    def of_call(self, call_id: str) -> Json:
        """The fields that belong to that call; none if it is not known."""
        return self._of_call.get(call_id, {})

    def of_message(self, call_id: str) -> Json:
        """The fields that belong to the message with that call."""
        return self._of_message.get(call_id, {})


def _put(kept: OrderedDict[str, Json], call_id: str, fields: Json) -> None:
    if fields:
        kept[call_id] = fields
        kept.move_to_end(call_id)
        if len(kept) > MOST_CALLS:
            kept.popitem(last=False)
