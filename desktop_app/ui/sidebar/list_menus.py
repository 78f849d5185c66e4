"""The menus of the list of conversations."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.ui.translation import tr

from .dragging import DraggingList


def fill_menu(menu: QMenu, listed: DraggingList, info: ConversationInfo) -> None:
    """Offer what can be done with all selected conversations, or with that one if it is not among them.

    The list may change while the menu is open: rows are looked up once something is chosen.
    """
    ids = listed.chosen() if info.id in listed.chosen() else (info.id,)
    if len(ids) == 1:
        menu.addAction(tr("Open"), lambda: listed.conversation_chosen.emit(info.id))
        menu.addAction(tr("Rename"), lambda: listed.edit(listed.conversations.index_of(info.id)))
        copy = menu.addAction(tr("Duplicate"), lambda: listed.duplicate_requested.emit(info.id))
        copy.setEnabled(info.messages > 0)
        menu.addSeparator()
    pin, away = not info.is_pinned, not info.is_put_away
    menu.addAction(tr("Pin") if pin else tr("Unpin"), lambda: listed.pin_requested.emit(ids, pin))
    menu.addAction(tr("Move to project…"), lambda: listed.project_choice_requested.emit(ids))
    put = tr("Archive") if away else tr("Unarchive")
    menu.addAction(put, lambda: listed.put_away_requested.emit(ids, away))
    menu.addSeparator()
    menu.addAction(tr("Delete"), lambda: listed.delete_requested.emit(ids))


def fill_project_menu(menu: QMenu, listed: DraggingList, project: str) -> None:
    """Offer what can be done with a project."""
    menu.addAction(tr("New conversation"), lambda: listed.begin_requested.emit(project))
    menu.addAction(tr("Settings…"), lambda: listed.settings_requested.emit(project))
    menu.addAction(tr("Rename"), lambda: listed.edit(listed.conversations.index_of(project)))
    menu.addSeparator()
    menu.addAction(tr("Delete"), lambda: listed.project_delete_requested.emit(project))
