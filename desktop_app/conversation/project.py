"""Projects: conversations that share a folder, instructions, a policy and what is remembered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

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
