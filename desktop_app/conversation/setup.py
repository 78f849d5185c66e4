"""Settings of a conversation besides its messages: its setup, its persona, its project, the user's policies.

A persona is a named setup. Conversations of a project share a folder, instructions, a policy and memories. A user's
policy is a preset and the numbers in which it differs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec


class OwnPolicy(msgspec.Struct, frozen=True):
    """A preset with other numbers. `context/presets.py` checks them, and ignores wrong ones."""

    name: str
    """Unique, and not the name of a preset."""
    based_on: str = "balanced"
    """The name of the preset."""
    numbers: dict[str, Any] = {}
    """The fields of `ContextPolicy` that differ, by name."""


RecallScope = Literal["conversation", "project", "everything"]
"""The scope of recall: this conversation, all conversations of its project, or all conversations."""


class Project(msgspec.Struct, frozen=True, omit_defaults=True):
    """Common settings of conversations. A change affects all of them, from their next request on."""

    id: str
    name: str
    """Unique among the projects that are not deleted, ignoring case and spaces."""
    folder: str = ""
    """The absolute path in which tools work, in conversations without a folder of their own; "" for none."""
    instructions: str = ""
    """Instructions that are sent, labelled, after the system prompt of its conversations."""
    policy: str = ""
    """The name of the policy of its conversations without one of their own; "" for the settings'."""
    model: str = ""
    """The id of the model of its new conversations; "" for the settings'."""
    recall_in: RecallScope = "conversation"
    """The widest scope of recall that needs no permission, in conversations without a choice of their own."""
    created_at: float = 0.0
    """Seconds since 1970, UTC."""
    is_deleted: bool = False
    """Whether it is deleted. Its conversations are then in no project, until it is restored."""


NO_PROJECT = Project("", "")
NO_FOLDER = "none"
"""The folder of a conversation without a folder, even in a project with one; others are absolute paths."""
ValueSource = Literal["conversation", "project", "settings"]


class EffectiveValue(msgspec.Struct, frozen=True):
    """A value that applies to a conversation, and its source."""

    value: str
    source: ValueSource


def effective_value(own: str, of_project: str, of_settings: str = "") -> EffectiveValue:
    """Return the conversation's own value, otherwise its project's, otherwise the settings'; "" is no value."""
    if own:
        return EffectiveValue(own, "conversation")
    return EffectiveValue(of_project, "project") if of_project else EffectiveValue(of_settings, "settings")


def working_folder(own: str, of_project: str) -> EffectiveValue:
    """Return the folder in which a conversation works, "" for none. own: its choice; "" for its project's."""
    folder = effective_value(own, of_project)
    return EffectiveValue("", folder.source) if folder.value == NO_FOLDER else folder


def effective_recall(own: RecallScope | None, project: Project) -> RecallScope:
    """Return the widest scope of recall without permission. own: the conversation's choice; None for none."""
    return project.recall_in if own is None else own


def normal_name(name: str) -> str:
    """Return a name without superfluous spaces."""
    return " ".join(name.split())


def find_project(projects: Iterable[Project], name: str) -> Project | None:
    """Return the project with the name, ignoring case and spaces, and deleted projects; None if there is none."""
    wanted = normal_name(name).casefold()
    return next(
        (project for project in projects if not project.is_deleted and normal_name(project.name).casefold() == wanted),
        None,
    )


ReasoningEffort = Literal["", "low", "medium", "high"]
"""The amount of reasoning before an answer; "" for the model's default."""
OptionName = Literal["temperature", "top_p", "reasoning_effort"]


class ReplyOptions(msgspec.Struct, frozen=True, omit_defaults=True):
    """Parameters of each request; None and "" for the provider's defaults."""

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


class SummaryOptions(ReplyOptions, frozen=True, omit_defaults=True):
    """Have the provider summarize the messages in its own form, instead of replying."""

    instructions: str = ""
    """What the summary must have, in place of the provider's own instructions for it."""


class ConversationSetup(msgspec.Struct, frozen=True, omit_defaults=True):
    """A conversation's own settings, in addition to its model, folder and policy."""

    persona: str = ""
    """The name of the persona that it was copied from, at that time."""
    system_prompt: str | None = None
    """Replacement of the original system prompt; None for the original."""
    options: ReplyOptions = ReplyOptions()
    max_output: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Maximum tokens of a reply; 0 for the model's own limit."""
    tools_off: tuple[str, ...] = ()
    """Names of tools that are not offered in the conversation."""
    recall_in: RecallScope | None = None
    """The widest scope of recall that needs no permission; None for the project's, otherwise "conversation"."""

    def longest_reply(self, max_output: int) -> int:
        """Return the maximum tokens of a reply. max_output: the model's limit, 0 if unknown. 0 if there is no limit."""
        return min(self.max_output, max_output) if self.max_output and max_output else self.max_output or max_output


class Persona(msgspec.Struct, frozen=True, omit_defaults=True):
    """A named setup for new conversations. Changing it does not change conversations that were begun with it."""

    name: str
    setup: ConversationSetup = ConversationSetup()
    model: str = ""
    """"" for the settings', as for the folder and the policy."""
    folder: str = ""
    policy: str = ""
