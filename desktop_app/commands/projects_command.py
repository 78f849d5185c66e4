"""`palimpsest projects`: list the projects with their numbers of conversations."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from contextlib import closing

import msgspec

from desktop_app.archive.projects_and_memories import projects as read_projects
from desktop_app.archive.reading import conversations
from desktop_app.archive.store import Store
from desktop_app.conversation.setup import Project, find_project
from desktop_app.conversation.words import pluralize
from desktop_app.paths import database_file

from .arguments import BadInput, add_data_and_json, cut_to_width, data_of, print_json, show, table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    add_data_and_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the projects, sorted by name; it is not an error if there are none."""
    with closing(Store(database_file(data_of(args)), read_only=True)) as store:
        projects, counts = store.read(read_projects), Counter(info.project for info in store.read(conversations))
    if args.json:
        print_json({"projects": [_shape(project, counts[project.id]) for project in projects]})
    elif projects:
        rows = [(cut_to_width(p.name, 40), f"{counts[p.id]:,}", p.folder, _details(p)) for p in projects]
        show(table([("PROJECT", "CONVERSATIONS", "FOLDER", ""), *rows], right=frozenset({1})))
    else:
        show("There is no project yet.")
    return 0


def project_called(projects: Iterable[Project], name: str) -> Project:
    """Return the project of that name, ignoring case and spaces. Raises BadInput if there is none."""
    found = find_project(projects, name)
    if found is None:
        raise BadInput(f"There is no project “{name}”", advice="See `palimpsest projects` for those that there are.")
    return found


def _shape(project: Project, conversations: int) -> dict[str, object]:
    fields = msgspec.structs.asdict(project)
    del fields["is_deleted"]
    return {**fields, "conversations": conversations}


def _details(project: Project) -> str:
    """Return the project's settings for its conversations other than the folder."""
    instructions = pluralize(len(project.instructions), "character") if project.instructions else ""
    settings = {"instructions": instructions, "policy": project.policy, "model": project.model}
    recall = {"recall in": "" if project.recall_in == "conversation" else project.recall_in}
    return ", ".join(f"{name} {value}" for name, value in (settings | recall).items() if value)
