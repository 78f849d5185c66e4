"""The signals of the context panel."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class PanelRequests(QObject):
    """Signals that the parts of the panel emit for the user's requests."""

    tab_requested = Signal(str)
    own_window_requested = Signal()
    insights_requested = Signal()
    optimize_requested = Signal()
    fresh_start_requested = Signal()
    larger_model_requested = Signal()
    archived_requested = Signal(str, str, int)  # operation, query, offset
    undo_requested = Signal(str)
    redo_requested = Signal(str)
    bring_back_requested = Signal(tuple)  # ids of messages
    part_requested = Signal(object, object)  # a PartAction and the SentPart
    segment_requested = Signal(object)  # a Segment, to show its parts
    pin_requested = Signal(str)
    unpin_requested = Signal(str)
    message_requested = Signal(str)
    outline_requested = Signal(object)  # an OutlineLine, to be shown in the chat
    version_requested = Signal(str)  # the id of a version of a message
    conversation_requested = Signal(str)
    project_requested = Signal()  # the settings of the conversation's project
    memories_requested = Signal()  # the tab was opened
    write_requested = Signal(object)  # a Memory with a change
    delete_requested = Signal(object)  # a Memory
