"""`palimpsest export [CONVERSATION [FILE]]`: write a conversation as Markdown, HTML or JSON Lines, or everything."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from desktop_app.archive.projects_and_memories import projects
from desktop_app.archive.reading import conversations, entries
from desktop_app.archive.store import Store
from desktop_app.archive.whole_archive import export_whole
from desktop_app.chat.export_content import ExportedPart, content_of
from desktop_app.chat.export_files import DRAWN, FORMATS, draw_pictures, render_export, write_export
from desktop_app.context.view.view import view_of
from desktop_app.conversation.installation import WholeArchive
from desktop_app.conversation.listing import ConversationInfo, title_in_english
from desktop_app.conversation.transcript import Chain, Transcript
from desktop_app.conversation.words import pluralize
from desktop_app.paths import database_file, spills_folder
from desktop_app.tools.graphics_drawer import draw_graphics

from .arguments import BadInput, add_data_and_json, cut_to_width, data_of, print_json, show, show_error, table


def print_whole(whole: WholeArchive, is_json: bool) -> None:
    """Print the contents of a file of `export --all`."""
    if is_json:
        print_json(msgspec.to_builtins(whole))
        return
    entries, memories = pluralize(whole.entries, "entry", "entries"), pluralize(whole.memories, "memory", "memories")
    outputs = pluralize(whole.spills, "long output")
    kinds = (pluralize(whole.conversations, "conversation"), pluralize(whole.projects, "project"), entries, memories)
    show(f"{whole.file}: {', '.join(kinds)}, {outputs}")
    if whole.known:
        show(f"{pluralize(whole.known, 'conversation')} of it are here already, and stayed as they are")
    if whole.unreadable:
        show_error(f"palimpsest: {whole.unreadable:,} of the archive could not be read, and are missing in the file")


SUFFIXES = {".md": "markdown", ".html": "html", ".htm": "html", ".json": "json", ".jsonl": "json"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "conversation", metavar="CONVERSATION", nargs="?", help="its id, the beginning of its id, or its title"
    )
    parser.add_argument(
        "file", metavar="FILE", nargs="?", type=Path, help="the file to write (default: standard output)"
    )
    parser.add_argument(
        "--format", choices=sorted(FORMATS), help="the format (default: by the suffix of FILE, else markdown)"
    )
    parser.add_argument(
        "--all", type=Path, metavar="ZIP", help="write all conversations, memories and projects to that file"
    )
    parser.add_argument(
        "--view", action="store_true", help="write what the model sees now, instead of everything that was said"
    )
    parser.add_argument("--replace", action="store_true", help="replace FILE if it exists")
    parser.epilog = "Without a conversation, lists them all."
    add_data_and_json(parser)


def run(args: argparse.Namespace) -> int:
    """Write the conversation, or list all if none is named. Without --replace, an existing FILE is kept, with exit
    code 1."""
    if args.all is not None:
        if args.conversation is not None:
            raise BadInput("--all takes no conversation", advice="Give the file alone: `palimpsest export --all ZIP`.")
        written = export_whole(database_file(data_of(args)), spills_folder(data_of(args)), args.all, args.replace)
        print_whole(written, args.json)
        return 0
    with closing(Store(database_file(data_of(args)), read_only=True)) as store:
        infos = store.read(conversations)
        if args.conversation is None:
            _print_list(infos, args.json)
            return 0
        info = _find(infos, args.conversation)
        record = store.read(entries, info.id)
        project = next((each.name for each in store.read(projects) if each.id == info.project), "")
    kind = args.format or (SUFFIXES.get(args.file.suffix.lower()) if args.file else None) or "markdown"
    part = ExportedPart("view" if args.view else "record")
    content = content_of(info.title, view_of(Transcript(Chain(record))), part, project)
    if kind in DRAWN:
        content = asyncio.run(draw_pictures(content, draw_graphics))
    text = render_export(content, kind)
    if args.file is None:
        show(text.rstrip("\n"))
        return 0
    size = write_export(args.file, text, args.replace)
    if args.json:
        written = {"conversation": info.id, "format": kind, "path": str(args.file), "bytes": size}
        print_json({**written, "notes": list(content.notes)})
    else:
        show(f"“{title_in_english(info.title)}” is in {args.file}, {size:,} bytes")
        for note in content.notes:
            show(note)
    return 0


def _find(infos: Sequence[ConversationInfo], name: str) -> ConversationInfo:
    """Return the conversation with that id or title, or the only one whose id begins with it. Raises BadInput."""
    exact = [info for info in infos if info.id == name] or [info for info in infos if info.title == name]
    found = exact or [info for info in infos if info.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    title = f"There is no conversation {name!r}" if not found else f"{len(found)} conversations fit {name!r}"
    raise BadInput(title, advice="`palimpsest export` lists the conversations with their ids.")


def _print_list(infos: Sequence[ConversationInfo], is_json: bool) -> None:
    if is_json:
        rows = [{"id": info.id, "title": info.title, "messages": info.messages} for info in infos]
        print_json({"conversations": rows})
    elif infos:
        lines = [(info.id, f"{info.messages:,}", cut_to_width(title_in_english(info.title), 60)) for info in infos]
        show(table([("ID", "MESSAGES", "TITLE"), *lines], right=frozenset({1})))
    else:
        show("There are no conversations yet.")
