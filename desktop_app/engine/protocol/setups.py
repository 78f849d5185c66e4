"""How a conversation is held: its system prompt, its parameters, and what it has of its own besides."""

from __future__ import annotations

from desktop_app.conversation.setup import ConversationSetup, OptionName
from desktop_app.conversation.transcript import Imported

from .base import ConversationRequest, EngineResponse
from .conversations import ConversationOpened


class SetupRead(EngineResponse, frozen=True):
    """What a conversation has of its own, and what there is to choose from."""

    setup: ConversationSetup
    # As the next request will have it; "" for none.
    system_prompt: str
    # The parameters that its model takes; the others are not sent.
    supported: tuple[OptionName, ...]
    # Names of the tools that the settings offer.
    tools: tuple[str, ...] = ()
    # Where the newest import of it came from; None if it began here.
    imported: Imported | None = None


class ReadSetup(ConversationRequest[SetupRead], frozen=True): ...


class ChangeSetup(ConversationRequest[ConversationOpened], frozen=True):
    """Hold the conversation so from the next request on. model, folder and policy None: as they are."""

    setup: ConversationSetup
    model: str | None = None
    folder: str | None = None
    policy: str | None = None


SetupRequest = ReadSetup | ChangeSetup
