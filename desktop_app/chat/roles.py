"""Which model does a task beside the chat: the one that the settings name, or another that stands in for it."""

from __future__ import annotations

import msgspec

from .ports import ChatModel, ModelCatalogue, ModelError, Price


class RoleModel(msgspec.Struct, frozen=True):
    """The model that does a task."""

    model: ChatModel
    price: Price | None = None
    replaces: str = ""
    """The id of the model that the settings name, if it cannot be used."""
    why_replaced: str = ""

    @property
    def label(self) -> str:
        """The model's label, and which model it replaces."""
        label = self.model.info.label
        return f"{label} (in place of {self.replaces})" if self.replaces else label


def resolve_role(models: ModelCatalogue, chosen: str, fallback: ChatModel) -> RoleModel:
    """Return the chosen model, or the fallback if none is chosen ("") or the chosen one cannot be used."""
    try:
        model = models.model(chosen) if chosen else fallback
    except ModelError as error:
        return RoleModel(fallback, models.price(fallback.info.id), chosen, error.failure.title)
    return RoleModel(model, models.price(model.info.id))
