"""`palimpsest import PATH...`: import other programs' conversations; `--found`: from their folders on this machine."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from desktop_app.archive.projects_and_memories import projects
from desktop_app.archive.reading import entries
from desktop_app.archive.store import Store
from desktop_app.archive.whole_archive import describe_whole, import_whole, is_whole_archive
from desktop_app.archive.writing import import_conversation
from desktop_app.context.view.items import describe_repairs
from desktop_app.context.view.view import count_repairs, view_of
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.foreign import FoundConversation, ImportRequest, ReadConversation, UnreadFile
from desktop_app.conversation.foreign_record import conversation_id
from desktop_app.conversation.listing import title_in_english
from desktop_app.conversation.transcript import Chain, Transcript
from desktop_app.imports.child import replies
from desktop_app.imports.formats import find_histories, known_kinds
from desktop_app.paths import database_file, spills_folder

from .arguments import (
    BAD_INPUT,
    WORLD_ERROR,
    BadInput,
    add_data_and_json,
    cut_to_width,
    data_of,
    print_failure,
    print_json,
    show,
    show_error,
    table,
)
from .export_command import print_whole
from .projects_command import project_called

NONE_FOUND = "No history of a program that can be imported was found on this machine."


def add_found(parser: argparse.ArgumentParser) -> None:
    """Add `--found` and `--all`."""
    about = "say which programs keep a history on this machine, and where; with their names or --all, import it"
    parser.add_argument("--found", action="store_true", help=about)
    parser.add_argument("--all", action="store_true", help="with --found: import everything found")


def list_histories(is_json: bool) -> None:
    """Print the histories of this machine; no file is read."""
    found = find_histories()
    if is_json:
        print_json({"histories": msgspec.to_builtins(found)})
    elif not found:
        show(NONE_FOUND)
    else:
        rows = [
            (each.program, f"{each.files:,}", f"{each.bytes / 1e6:,.1f} MB", _day(each.newest), each.path)
            for each in found
        ]
        show(table([("PROGRAM", "FILES", "SIZE", "CHANGED", "FOLDER"), *rows], right=frozenset({1, 2})))


def chosen_histories(programs: Sequence[str]) -> list[str]:
    """Return the folders of these programs, or of all if none is named. Raises BadInput if there is none."""
    found = find_histories()
    if not found:
        raise BadInput(NONE_FOUND)
    names = {program.casefold() for program in programs} or {each.program.casefold() for each in found}
    if missing := names - {each.program.casefold() for each in found}:
        known = ", ".join(sorted({each.program for each in found}))
        raise BadInput(f"No history of {', '.join(sorted(missing))} was found", advice=f"What was found: {known}.")
    return [each.path for each in found if each.program.casefold() in names]


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(at))


Rows = dict[str, tuple[FoundConversation, int]]
"""By conversation id: the conversation, and the number of its new messages. It may be found in several files."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    paths = "a file, a folder or a zip; with --found the name of a program"
    parser.add_argument("paths", nargs="*", metavar="PATH", help=paths)
    add_found(parser)
    parser.add_argument("--list", action="store_true", help="list what was found, and import nothing")
    parser.add_argument(
        "--project", metavar="NAME", help="the project for new conversations (default: as in the other program)"
    )
    parser.epilog = f"What can be imported: {_known_kinds()}."
    add_data_and_json(parser)


def _known_kinds() -> str:
    return "; ".join(f"{each.program}: {each.what}" for each in known_kinds())


def run(args: argparse.Namespace) -> int:
    """Import all conversations that can be read, each completely or not at all.

    Return exit code 2 if something could not be read, 1 if the archive cannot be written.
    """
    if args.all and not args.found:
        raise BadInput("--all is for --found: what is named is always imported whole")
    if args.found and not args.paths and not args.all:
        list_histories(args.json)
        return 0
    paths = chosen_histories(args.paths) if args.found else args.paths
    if not paths:
        raise BadInput("Nothing was named to be imported", advice="Name files, folders or zips, or see --found.")
    if any(is_whole_archive(Path(path)) for path in paths):
        return _import_whole(paths, args)
    return _import(paths, args)


def _import_whole(paths: list[str], args: argparse.Namespace) -> int:
    """Import everything in a file of `export --all`, or nothing."""
    if len(paths) > 1:
        raise BadInput("A file of `export --all` is imported alone", advice="Import the others with another command.")
    if args.list:
        print_whole(describe_whole(Path(paths[0])), args.json)
        return 0
    data = data_of(args)
    with closing(Store(database_file(data))) as store:
        print_whole(store.write(import_whole, spills_folder(data), Path(paths[0])), args.json)
    return 0


def _import(paths: list[str], args: argparse.Namespace) -> int:
    unread: list[UnreadFile] = []
    found = _found(paths, unread)
    code = BAD_INPUT if unread or not found else 0
    rows: Rows = {}
    if args.list:
        rows = {name: (conversation, 0) for name, conversation in found.items()}
    elif found:
        try:
            _store(database_file(data_of(args)), paths, found, rows, args.project)
        except ArchiveError as error:
            print_failure(error.failure)
            code = WORLD_ERROR
    _print(rows, unread, args)
    return code


def _found(paths: list[str], unread: list[UnreadFile]) -> dict[str, FoundConversation]:
    """Return the conversations that can be imported, by id; of several versions, the one with the most messages.

    Files and conversations that cannot be read are appended to `unread`.
    """
    found: dict[str, FoundConversation] = {}
    for reply in replies(ImportRequest(tuple(paths))):
        if isinstance(reply, UnreadFile):
            unread.append(reply)
        elif isinstance(reply, FoundConversation) and (
            reply.id not in found or reply.messages > found[reply.id].messages
        ):
            found[reply.id] = reply
    return found


def _store(
    archive: Path, paths: list[str], found: dict[str, FoundConversation], rows: Rows, project: str | None
) -> None:
    """Store the conversations one by one, and put each into `rows` with the number of its new messages."""
    with closing(Store(archive)) as store:
        project_id = project_called(store.read(projects), project).id if project else ""
        for reply in replies(ImportRequest(tuple(paths), frozenset(found))):
            if isinstance(reply, ReadConversation):
                new = store.write(import_conversation, reply.conversation, reply.file, project_id)
                conversation = conversation_id(reply.conversation)
                _, before = rows.get(conversation, (None, 0))
                rows[conversation] = (found[conversation], before + new)
                _report_repairs(store, conversation, reply.conversation.title)


def _report_repairs(store: Store, conversation: str, title: str) -> None:
    view = view_of(Transcript(Chain(store.read(entries, conversation))))
    if repaired := describe_repairs(count_repairs(view)):
        show_error(f"palimpsest: “{title_in_english(title)}”: repaired for the model: {repaired}.")


def _print(rows: Rows, unread: list[UnreadFile], args: argparse.Namespace) -> None:
    for each in unread:
        title = f", “{each.title}”" if each.title else ""
        show_error(f"palimpsest: {each.file}{title}: {each.reason.rstrip('.')}. Nothing was imported from this.")
    for conversation, _ in rows.values():
        for reason in conversation.unread:
            show_error(f"palimpsest: {conversation.file}, “{conversation.title}”: {reason.rstrip('.')}.")
    if args.json:
        print_json({"conversations": [_json(*row) for row in rows.values()], "unread": msgspec.to_builtins(unread)})
    elif rows:
        names = ("CONVERSATION", "PROGRAM", "MESSAGES", "NEW", "LAST", "TITLE")
        show(table([names, *(_line(*row) for row in rows.values())], right=frozenset({2, 3})))
    elif not unread:
        show_error(f"palimpsest: nothing was found. What can be imported: {_known_kinds()}.")


def _json(conversation: FoundConversation, new: int) -> dict[str, object]:
    return {
        "id": conversation.id,
        "title": conversation.title,
        "program": conversation.program,
        "file": conversation.file,
        "messages": conversation.messages,
        "new": new,
        "first_at": conversation.first_at,
        "last_at": conversation.last_at,
    }


def _line(conversation: FoundConversation, new: int) -> tuple[str, ...]:
    day = time.strftime("%Y-%m-%d", time.localtime(conversation.last_at)) if conversation.last_at else ""
    title = cut_to_width(title_in_english(conversation.title), 60)
    return conversation.id, conversation.program, f"{conversation.messages:,}", f"{new:,}", day, title
