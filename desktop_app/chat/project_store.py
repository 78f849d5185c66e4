"""Where projects are stored, as a protocol."""

from __future__ import annotations

from typing import Protocol

from desktop_app.conversation.project import Project


class ProjectStore(Protocol):
    """Every method raises only ArchiveError; what it returned from is stored."""

    async def projects(self, with_deleted: bool = False) -> tuple[Project, ...]:
        """Return the projects by their names."""
        ...

    async def store_project(self, project: Project) -> None:
        """Store a project that is new or changed, as its id says. Raises ArchiveError if another one has its name."""
        ...
