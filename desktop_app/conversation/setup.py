"""How a conversation is held: what is sent beside its messages, and named sets of that, called personas."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from .project import RecallScope

ReasoningEffort = Literal["", "low", "medium", "high"]
"""How much a model reasons before it answers; "" for the model's own way."""
OptionName = Literal["temperature", "top_p", "reasoning_effort"]


class ReplyOptions(msgspec.Struct, frozen=True, omit_defaults=True):
    """Parameters of each request; None and "" for the provider's own."""

    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
    reasoning_effort: ReasoningEffort = ""

    def names(self) -> tuple[OptionName, ...]:
        """Return the parameters that are set."""
        set_here: dict[OptionName, bool] = {
            "temperature": self.temperature is not None,
            "top_p": self.top_p is not None,
            "reasoning_effort": bool(self.reasoning_effort),
        }
        return tuple(name for name, is_set in set_here.items() if is_set)


class ConversationSetup(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one conversation has of its own, beside its model, folder and policy."""

    persona: str = ""
    """The name of the persona that it was taken from, as it was then."""
    system_prompt: str | None = None
    """In place of the one that it began with; None for that one."""
    options: ReplyOptions = ReplyOptions()
    max_output: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Tokens of the longest reply; 0 for as many as the model can write."""
    tools_off: tuple[str, ...] = ()
    """Names of tools that are not offered here."""
    recall_in: RecallScope | None = None
    """The widest place where recall may look without asking; None for that of the project, or else here alone."""

    def longest_reply(self, max_output: int) -> int:
        """Return the tokens that a reply may have of the model that can write so many; 0 if neither is known."""
        return min(self.max_output, max_output) if self.max_output and max_output else self.max_output or max_output


class Persona(msgspec.Struct, frozen=True, omit_defaults=True):
    """A named set, for conversations to begin with. Changing it changes no conversation that was begun with it."""

    name: str
    setup: ConversationSetup = ConversationSetup()
    model: str = ""
    """"" for that of the settings, as with the folder and the policy."""
    folder: str = ""
    policy: str = ""
