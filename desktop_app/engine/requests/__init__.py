"""Respond to requests: `context_responses` handles the requests in `engine/protocol/context_requests`, and so on."""

from . import context_responses, conversation_responses, settings_responses, turn_responses
from .responders import RESPONDERS, respond

__all__ = [
    "RESPONDERS",
    "context_responses",
    "conversation_responses",
    "respond",
    "settings_responses",
    "turn_responses",
]
