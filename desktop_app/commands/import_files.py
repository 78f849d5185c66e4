"""`palimpsest import PATH...` and `import --found`: conversations from the files of other programs."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec

from desktop_app.archive.store import Store
from desktop_app.archive.whole_archive import describe_whole, is_whole_archive
from desktop_app.chat.ports import ArchiveError
from desktop_app.context.view.items import describe_repairs
from desktop_app.context.view.view import count_repairs, view_of
from desktop_app.conversation.chain import Chain
from desktop_app.conversation.foreign import FoundConversation, ImportRequest, ReadConversation, UnreadFile
from desktop_app.conversation.foreign_record import conversation_id
from desktop_app.conversation.listing import title_in_english
from desktop_app.conversation.transcript import Transcript
from desktop_app.imports.child import replies
from desktop_app.imports.formats import known_kinds
from desktop_app.paths import database_file, spills_folder

from .arguments import (
    BAD_INPUT,
    WORLD_ERROR,
    BadInput,
    add_data_dir,
    add_json,
    cut_to_width,
    data_of,
    print_failure,
    print_json,
    table,
)
from .found_histories import add_found, chosen_histories, list_histories
from .terminal import show, show_error
from .whole import print_whole

Row = tuple[FoundConversation, int]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    paths = "a file, a folder or a zip; with --found the name of a program"
    parser.add_argument("paths", nargs="*", metavar="PATH", help=paths)
    add_found(parser)
    parser.add_argument("--list", action="store_true", help="only say what there is, and import nothing")
    parser.epilog = f"What can be imported: {known_kinds()}."
    add_data_dir(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Import all conversations that can be read. Exit code 2 when something could not, 1 when the archive cannot be
    written; each conversation is imported whole or not at all."""
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
    """Import all that `export --all` has written, or nothing of it."""
    if len(paths) > 1:
        raise BadInput("A file of `export --all` is imported alone", advice="Import the others with another command.")
    if args.list:
        print_whole(describe_whole(Path(paths[0])), args.json)
        return 0
    data = data_of(args)
    with closing(Store(database_file(data))) as store:
        print_whole(store.import_whole(spills_folder(data), Path(paths[0])), args.json)
    return 0


def _import(paths: list[str], args: argparse.Namespace) -> int:
    unread: list[UnreadFile] = []
    found = list(_found(paths, unread))
    code = BAD_INPUT if unread or not found else 0
    rows: list[Row] = []
    if args.list:
        rows = [(conversation, 0) for conversation in found]
    elif found:
        try:
            _store(database_file(data_of(args)), paths, found, rows)
        except ArchiveError as error:
            print_failure(error.failure)
            code = WORLD_ERROR
    _print(rows, unread, args)
    return code


def _found(paths: list[str], unread: list[UnreadFile]) -> Iterator[FoundConversation]:
    """Return what can be imported. What cannot is appended to `unread`."""
    for reply in replies(ImportRequest(tuple(paths))):
        if isinstance(reply, UnreadFile):
            unread.append(reply)
        elif isinstance(reply, FoundConversation):
            yield reply


def _store(archive: Path, paths: list[str], found: list[FoundConversation], rows: list[Row]) -> None:
    """Store the conversations one by one, each with the number of its messages that are new appended to `rows`."""
    outlines = {conversation.id: conversation for conversation in found}
    with closing(Store(archive)) as store:
        for reply in replies(ImportRequest(tuple(paths), frozenset(outlines))):
            if isinstance(reply, ReadConversation):
                new = store.import_conversation(reply.conversation, reply.file)
                conversation = conversation_id(reply.conversation)
                rows.append((outlines[conversation], new))
                _tell_repairs(store, conversation, reply.conversation.title)


def _tell_repairs(store: Store, conversation: str, title: str) -> None:
    view = view_of(Transcript(Chain(store.entries(conversation))))
    if repaired := describe_repairs(count_repairs(view)):
        show_error(f"palimpsest: “{title_in_english(title)}”: repaired for the model: {repaired}.")


def _print(rows: list[Row], unread: list[UnreadFile], args: argparse.Namespace) -> None:
    for each in unread:
        title = f", “{each.title}”" if each.title else ""
        show_error(f"palimpsest: {each.file}{title}: {each.reason.rstrip('.')}. Nothing was imported from this.")
    for conversation, _ in rows:
        for reason in conversation.unread:
            show_error(f"palimpsest: {conversation.file}, “{conversation.title}”: {reason.rstrip('.')}.")
    if args.json:
        print_json({"conversations": [_json(*row) for row in rows], "unread": msgspec.to_builtins(unread)})
    elif rows:
        names = ("CONVERSATION", "PROGRAM", "MESSAGES", "NEW", "LAST", "TITLE")
        show(table([names, *(_line(*row) for row in rows)], right=frozenset({2, 3})))
    elif not unread:
        show_error(f"palimpsest: nothing was found. What can be imported: {known_kinds()}.")


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
