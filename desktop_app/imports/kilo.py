"""Sessions of Kilo's command line and its later extensions: `~/.local/share/kilo/kilo.db`.

Kilo is a fork of opencode: its database is opencode's with tables of its own. Based on version 7.7.9.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from desktop_app.conversation.foreign import ForeignConversation
from desktop_app.conversation.words import translatable

from . import opencode
from .format import Format, Found
from .sources import Source, columns_in

PROGRAM = "Kilo"


def recognizes(source: Source) -> bool:
    """Return whether the file is a database of opencode's with tables of Kilo's."""
    return any(name.startswith("kilo_") for name in columns_in(source)) and opencode.recognizes(source)


def read(source: Source) -> Iterator[Found]:
    """Yield the sessions."""
    for found in opencode.read(source):
        yield replace(found, program=PROGRAM) if isinstance(found, ForeignConversation) else found


FORMAT = Format(
    PROGRAM,
    translatable("the folder ~/.local/share/kilo, or kilo.db in it"),
    recognizes,
    read,
    homes=(".local/share/kilo",),
)
