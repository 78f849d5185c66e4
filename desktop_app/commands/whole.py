"""What `export --all` has written, or `import` of it has stored."""

from __future__ import annotations

import msgspec

from desktop_app.archive.whole_archive import WholeArchive
from desktop_app.conversation.words import pluralize

from .arguments import print_json
from .terminal import show, show_error


def print_whole(whole: WholeArchive, is_json: bool) -> None:
    """Print what it holds."""
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
