"""One tool of ours: its name, what it is for, its arguments as a struct, and what it does."""

from __future__ import annotations

from abc import ABC
from collections.abc import AsyncGenerator
from typing import Annotated, Any, ClassVar, Generic, TypeVar

import msgspec

from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome


class Arguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of a call. A field's description and bounds stand in the schema that the model gets."""


A = TypeVar("A", bound=Arguments)


def about(text: str, **bounds: Any) -> Any:
    """A field's description, and its bounds by msgspec's names (`ge`, `le`, `min_length`)."""
    return msgspec.Meta(description=text, **bounds)


FilePath = Annotated[str, msgspec.Meta(min_length=1, description="Absolute, or relative to the working folder")]


CHANGED = "What this call would do was not asked for, or has changed since, so it did not run. Call it again."


class ToolFailed(Exception):
    """The call did not do what was asked, for a reason that the model can read and act on."""


class Tool(ABC, Generic[A]):
    """A tool; `arguments` is the struct that its calls are read into."""

    name: ClassVar[str]
    description: ClassVar[str]
    arguments: type[A]

    @property
    def is_there(self) -> bool:
        """Whether it can work on this machine at all."""
        return True

    async def needs(self, arguments: A, place: ToolContext) -> tuple[RequiredPermission, ...]:
        """What the call would do that the user may not want. May raise ToolFailed and OSError: then nothing is done."""
        return ()

    async def answer(self, arguments: A, place: ToolContext) -> str:
        """What the tool says. Raises ToolFailed, or OSError."""
        raise NotImplementedError

    async def run(self, arguments: A, place: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        """Output as it comes, and at last the outcome; most tools have the outcome alone."""
        yield ToolOutcome(await self.answer(arguments, place))
