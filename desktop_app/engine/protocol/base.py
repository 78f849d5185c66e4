"""Base classes of all requests and responses, and the computations that can be cancelled."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Generic, TypeVar, get_args

import msgspec

PAGE = 60
"""Messages in one page: few enough to be decoded and laid out in well under 50 ms."""


class EngineResponse(msgspec.Struct, frozen=True, tag=True):
    """The engine's response to a request."""


R = TypeVar("R", bound=EngineResponse)


class EngineRequest(msgspec.Struct, Generic[R], frozen=True, tag=True):
    """A request from the window. R is the type of its response."""

    @classmethod
    def response_type(cls) -> type[R]:
        return get_args(cls.__orig_bases__[0])[0]  # pyright: ignore[reportAttributeAccessIssue]

    def checked(self, response: EngineResponse) -> R:
        """Return the engine's response. Raises TypeError if it is not of the type that this request expects."""
        if not isinstance(response, self.response_type()):
            raise TypeError(f"{type(self).__name__} got the response {type(response).__name__}")
        return response


AnyRequest = EngineRequest[Any]


class ConversationRequest(EngineRequest[R], Generic[R], frozen=True):
    """A request about one conversation."""

    conversation: str
    """The conversation's id."""


class Done(EngineResponse, frozen=True):
    """The request was carried out, and its effect is stored."""


class Computation(StrEnum):
    """Work that CancelComputation or a newer request of its kind cancels; it then fails with the kind "cancelled"."""

    PLAN = "plan"
    """PlanOptimize, and WriteSummary."""
    PREVIEW = "preview"
    """PreviewModel."""
    REPLAY = "replay"
    """ReplayPolicy."""
    INSIGHTS = "insights"
    """ReadInsights."""
    IMPORT = "import"
    """LookThrough and ImportConversations. Conversations that were imported before the cancellation stay."""
    SEARCH = "search"
    """SearchMessages: each keystroke's search replaces the previous one."""
    DATA = "data"
    """BackUpNow, RestoreBackup (until the archive is closed), ExportWhole, and CleanUp."""
    MODEL = "model"
    """InstallBuiltinModel. The part that was downloaded is kept."""
    EXPORT = "export"
    """ExportConversation and ExportInsights."""


class CancelComputation(EngineRequest[Done], frozen=True):
    """Cancel a computation about one conversation, or about all of them."""

    computation: Computation
    conversation: str = ""
    """"" for all."""
