"""Projects: what conversations have in common, and which of them are in one."""

from __future__ import annotations

from desktop_app.conversation.project import Project

from .base import EngineRequest, EngineResponse
from .conversations import ConversationsListed


class ProjectsListed(EngineResponse, frozen=True):
    """All projects that are not deleted, by their names."""

    projects: tuple[Project, ...]
    # The id of the one that was saved, deleted or restored; "" after a mere question.
    changed: str = ""


class InstructionsCounted(EngineResponse, frozen=True):
    """What instructions would take of each request, with their label."""

    tokens: int


class ListProjects(EngineRequest[ProjectsListed], frozen=True): ...


class SaveProject(EngineRequest[ProjectsListed], frozen=True):
    """Create a project, or change the one of that id; its conversations follow. "" makes one with a new id."""

    project: Project


class DeleteProject(EngineRequest[ProjectsListed], frozen=True):
    """Delete a project; its conversations stay, and are in none until it is restored."""

    project_id: str


class RestoreProject(EngineRequest[ProjectsListed], frozen=True):
    """Restore a project, and take back those of its conversations that were not moved meanwhile."""

    project_id: str


class MoveConversations(EngineRequest[ConversationsListed], frozen=True):
    """Move conversations into a project; "" for none."""

    conversations: tuple[str, ...]
    project: str


class CountInstructions(EngineRequest[InstructionsCounted], frozen=True):
    """Count instructions as that model does; "" for that of the settings."""

    text: str
    model: str = ""


ProjectRequest = ListProjects | SaveProject | DeleteProject | RestoreProject | MoveConversations | CountInstructions
