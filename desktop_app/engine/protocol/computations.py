"""What is computed for a dialog or a page, and ends when nobody waits for it any more."""

from __future__ import annotations

from enum import StrEnum

from .base import Done, EngineRequest


class Computation(StrEnum):
    """What a newer request of its kind cancels, as CancelComputation does; then it fails with the kind "cancelled"."""

    PLAN = "plan"
    """PlanOptimize, and WriteSummary."""
    PREVIEW = "preview"
    """PreviewModel."""
    REPLAY = "replay"
    """ReplayPolicy."""
    INSIGHTS = "insights"
    """ReadInsights."""
    IMPORT = "import"
    """LookThrough and ImportConversations. What was imported before stays."""
    SEARCH = "search"
    """SearchMessages: the next keystroke's takes the place of the one before."""
    DATA = "data"
    """BackUpNow, RestoreBackup until the archive is let go of, ExportWhole, and CleanUp."""
    MODEL = "model"
    """InstallBuiltinModel. What has arrived is kept."""
    EXPORT = "export"
    """ExportConversation and ExportInsights."""


class CancelComputation(EngineRequest[Done], frozen=True):
    """Cancel what is computed of a conversation, or of all of them together."""

    computation: Computation
    conversation: str = ""
    """"" for all together."""


ComputationRequest = CancelComputation
