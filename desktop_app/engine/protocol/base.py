"""The bases of all requests and responses, and of computations that end when nobody waits for them."""

from __future__ import annotations

from enum import StrEnum
from typing import Generic, TypeVar, get_args

import msgspec

PAGE = 60
"""Messages in one page: few enough to be decoded and laid out well under 50 ms."""


class EngineResponse(msgspec.Struct, frozen=True, tag=True):
    """What the engine responds to a request."""


R = TypeVar("R", bound=EngineResponse)


class EngineRequest(msgspec.Struct, Generic[R], frozen=True, tag=True):
    """Something that the window asks for. R is the type of its response."""

    @classmethod
    def response_type(cls) -> type[R]:
        return get_args(cls.__orig_bases__[0])[0]  # pyright: ignore[reportAttributeAccessIssue]

    def respond_with(self, response: R) -> R:
        """Return the response; a type checker reports one that is not of this request."""
        return response

    def checked(self, response: EngineResponse) -> R:
        """Return a response that came over the border. Raises TypeError if it is not of this request."""
        if not isinstance(response, self.response_type()):
            raise TypeError(f"{type(self).__name__} got the response {type(response).__name__}")
        return response


class ConversationRequest(EngineRequest[R], Generic[R], frozen=True):
    """A request about one conversation, given by its id."""

    conversation: str


class Done(EngineResponse, frozen=True):
    """It was done, and is stored."""


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
