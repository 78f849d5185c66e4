"""The sheet of an import with something in it."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.foreign import FoundConversation, FoundHistory, KnownKind, UnreadFile
from desktop_app.engine.protocol import HistoriesFound, LookedThrough
from desktop_app.ui.importing.import_sheet import ImportSheet

TIDES = FoundConversation("f1", "ChatGPT", "Tides", "conversations.json", 12, 1.6e9, 1.7e9, (), known=0)
LONGER = replace(TIDES, id="f2", title="Trip", program="Claude Code", messages=30, known=18)
HERE = replace(TIDES, id="f3", title="Ink", known=12)
UNREAD = UnreadFile("old/broken.json", "line 3 cannot be read: this is not JSON", "A talk about ink")
LOOKED = LookedThrough((TIDES, LONGER, HERE), (UNREAD,))
OFFERS = HistoriesFound(
    (
        FoundHistory("Claude Code", "/home/me/.claude/projects", 214, 84_300_000, 1.7e9),
        FoundHistory("opencode", "/home/me/.local/share/opencode", 1, 12_000, 1.6e9),
    ),
    (
        KnownKind("ChatGPT", "the zip of a data export, or the conversations.json in it"),
        KnownKind("Codex CLI", "the folder ~/.codex/sessions, or a rollout-….jsonl in it"),
    ),
)


def empty_import(window: QWidget) -> ImportSheet:
    """Return the sheet as it is first seen, with all that it offers unfolded."""
    sheet = ImportSheet(window)
    sheet.show_offers(OFFERS)
    sheet.kinds.unfold(True)
    return sheet


def preview_of_import(window: QWidget) -> ImportSheet:
    """Return the sheet with what was found, and what could not be read."""
    sheet = ImportSheet(window)
    sheet.show_looking(("/home/me/conversations.zip",))
    sheet.show_found(LOOKED)
    sheet.unread.unfold(True)
    return sheet
