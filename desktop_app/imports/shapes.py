"""What a file is that no format recognizes."""

from __future__ import annotations

from desktop_app.conversation.foreign_files import kind_by_beginning
from desktop_app.conversation.words import translatable

from .sources import Source

MAX_FIELDS, MAX_FIELD = 8, 40
"""Names of fields that are told, and characters of one."""


def unknown_shape(source: Source) -> str:
    """Return that it is of no known format, and what it seems to be instead. Raises BadFile."""
    return translatable("it is of no known format: it seems to be {kind}").format(kind=_kind_of(source))


def _kind_of(source: Source) -> str:
    if not source.beginning:
        return translatable("an empty file")
    if kind := kind_by_beginning(source.beginning):
        return kind
    if names := sorted(source.first_keys):
        told = ", ".join(name[:MAX_FIELD] for name in names[:MAX_FIELDS])
        more = ", …" if len(names) > MAX_FIELDS else ""
        return translatable("JSON with the fields {names}").format(names=told + more)
    if source.beginning.lstrip()[:1] in (b"{", b"["):
        return translatable("JSON without conversations")
    return translatable("a file without text") if b"\0" in source.beginning else translatable("plain text")
