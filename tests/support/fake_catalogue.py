"""The real catalogue of models, whose models are fakes of one provider that was not started."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from desktop_app.chat.ports import ChatModel
from desktop_app.conversation.model_servers import KeyPlace
from desktop_app.conversation.setup import OptionName
from desktop_app.conversation.tools import ToolSpec
from desktop_app.models.catalogue import Catalogue
from fake_model import FakeModel


class FakeCatalogue(Catalogue):
    """Asks no server, and knows of each model what the settings say."""

    provider: Any
    """What `FakeModel` uses of a `ScriptedProvider`."""

    def model(self, model_id: str) -> ChatModel:
        """Return that model. Raises ModelError when it is unknown."""
        model = super().model(model_id)
        return model if model is self.builtin else self.fake(model)

    def fake(self, model: ChatModel) -> FakeModel:
        """Return what answers in the place of that model."""
        return FakeModel(model.info, self.provider)

    async def supported_options(self, model_id: str) -> tuple[OptionName, ...]:
        """Return what litellm would say of it."""
        return "temperature", "top_p"

    async def discover(self) -> None: ...

    async def count_tools(self, model_id: str, tools: tuple[ToolSpec, ...]) -> int | None:
        """Return nothing: servers do not count what their templates make of tools."""
        return None


C = TypeVar("C", bound=FakeCatalogue)


def catalogue_of(provider: Any, kind: type[C]) -> Callable[..., C]:
    """Return what composes such a catalogue, to be put into the place of `Catalogue`."""

    def compose(*arguments: Any, **named: Any) -> C:
        made = kind(*arguments, **named, litellm=NoLitellm())  # type: ignore[arg-type]
        made.provider = provider
        return made

    return compose


class NoLitellm:
    """In the place of litellm, which nobody needs."""

    async def close(self) -> None: ...


class NoKeys:
    """In the place of the system's keyring."""

    storage = "the system keyring"

    def get(self, server: str) -> str:
        return ""

    async def load(self, *names: object) -> None: ...

    def servers_with_key(self) -> tuple[str, ...]:
        return ()

    def unstored(self) -> dict[str, KeyPlace]:
        return {}
