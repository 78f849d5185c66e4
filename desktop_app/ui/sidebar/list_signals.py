"""What is asked for in the list of conversations."""

from __future__ import annotations

from PySide6.QtCore import Signal

from desktop_app.ui.widgets.row_list import TransparentList


class SignallingList(TransparentList):
    """Signals, with tuples of ids: conversation_chosen(id), duplicate_requested(id), delete_requested(ids),
    pin_requested(ids, is_pinned), put_away_requested(ids, is_put_away), move_requested(ids, project), "" for none;
    project_choice_requested(ids), to ask where they are to be moved.

    Of projects, with their ids: begin_requested(id), a conversation in it; settings_requested(id);
    project_delete_requested(id); new_project_requested; all_projects_requested; query_left, when a project was chosen
    among what a query has found.
    """

    conversation_chosen = Signal(str)
    duplicate_requested = Signal(str)
    delete_requested = Signal(tuple)
    pin_requested = Signal(tuple, bool)
    put_away_requested = Signal(tuple, bool)
    project_choice_requested = Signal(tuple)
    begin_requested = Signal(str)
    settings_requested = Signal(str)
    project_delete_requested = Signal(str)
    new_project_requested = Signal()
    all_projects_requested = Signal()
    query_left = Signal()
    move_requested = Signal(tuple, str)
