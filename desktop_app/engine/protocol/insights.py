"""Insights: what a conversation took over its life, or those of a project, or all together."""

from __future__ import annotations

from desktop_app.conversation.gauge import Gauge
from desktop_app.conversation.insights import Insights

from .base import Done, EngineRequest, EngineResponse


class InsightsRead(EngineResponse, frozen=True):
    """The figures, and those that the record does not have."""

    insights: Insights
    # How full the window is now; None for several conversations together.
    gauge: Gauge | None = None
    # US dollars that prompt caches have saved, at the prices of today; None if no price is known.
    saved: float | None = None


class ReadInsights(EngineRequest[InsightsRead], frozen=True):
    """Read the figures of one conversation, or of those of a project, or of all that are not deleted."""

    conversation: str = ""
    project: str = ""
    """The id of the project; "" for all, if there is no conversation either."""


class ExportInsights(EngineRequest[Done], frozen=True):
    """Write the figures to a CSV file."""

    path: str
    conversation: str = ""
    project: str = ""
    """As of `ReadInsights`."""


InsightsRequest = ReadInsights | ExportInsights
