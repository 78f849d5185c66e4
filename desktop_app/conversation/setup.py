"""What a conversation sends besides its messages: its settings, its persona, its project, the user's policies.

A persona is a named set of settings. Conversations of a project share a folder, instructions, a policy and memories. A
policy of the user's is a preset and the numbers in which it differs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec


class OwnPolicy(msgspec.Struct, frozen=True):
    """A preset with other numbers. `context/presets.py` checks them, and leaves out what is wrong."""

    name: str
    """Unique, and not that of a preset."""
    based_on: str = "balanced"
    """The name of the preset."""
    numbers: dict[str, Any] = {}
    """The fields of `ContextPolicy` that differ, by name."""


RecallScope = Literal["conversation", "project", "everything"]
"""Where recall may look: in this conversation, in those of its project, or in all."""


class Project(msgspec.Struct, frozen=True, omit_defaults=True):
    """What conversations have in common. Changing it changes all of them, from their next request on."""

    id: str
    name: str
    """Unique among the projects that are not deleted, ignoring case and spaces."""
    folder: str = ""
    """The absolute path in which the tools of its conversations work that chose no folder of their own; "" for none."""
    instructions: str = ""
    """Sent after the system prompt of each of its conversations, labelled."""
    policy: str = ""
    """The name of the policy of its conversations that chose none of their own; "" for that of the settings."""
    model: str = ""
    """The id of the model with which its new conversations begin; "" for that of the settings."""
    recall_in: RecallScope = "conversation"
    """The widest place where recall may look without asking, for its conversations that have no choice of their own."""
    created_at: float = 0.0
    """Seconds since 1970, UTC."""
    is_deleted: bool = False
    """Its conversations are in no project then; restoring it takes them back."""


NO_PROJECT = Project("", "")
NO_FOLDER = "none"
"""The folder of a conversation that works in none, whatever its project has; others are absolute paths."""
ValueSource = Literal["conversation", "project", "settings"]


class EffectiveValue(msgspec.Struct, frozen=True):
    """A value that holds in a conversation, and who has chosen it."""

    value: str
    source: ValueSource


def effective_value(own: str, of_project: str, of_settings: str = "") -> EffectiveValue:
    """Return the conversation's own value, else that of its project, else that of the settings; "" is no value."""
    if own:
        return EffectiveValue(own, "conversation")
    return EffectiveValue(of_project, "project") if of_project else EffectiveValue(of_settings, "settings")


def working_folder(own: str, of_project: str) -> EffectiveValue:
    """Return the folder in which a conversation works, "" for none. own: its choice; "" for that of its project."""
    folder = effective_value(own, of_project)
    return EffectiveValue("", folder.source) if folder.value == NO_FOLDER else folder


def effective_recall(own: RecallScope | None, project: Project) -> RecallScope:
    """Return where recall may look without asking. own: the conversation's choice; None if it has none."""
    return project.recall_in if own is None else own


def normal_name(name: str) -> str:
    """Return a name without superfluous spaces."""
    return " ".join(name.split())


def find_project(projects: Iterable[Project], name: str) -> Project | None:
    """Return the project of that name, ignoring case and spaces; deleted ones are not looked at."""
    wanted = normal_name(name).casefold()
    return next((one for one in projects if not one.is_deleted and normal_name(one.name).casefold() == wanted), None)


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
