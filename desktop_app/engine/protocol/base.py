"""The bases of all requests and responses."""

from __future__ import annotations

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
