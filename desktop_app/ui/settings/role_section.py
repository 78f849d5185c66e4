"""Which models do what the chat's own model does not: look at images, and search the web."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.conversation.listing import ModelInfo
from desktop_app.settings import Settings
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.select import Select
from desktop_app.ui.widgets.text_label import TextLabel

from .section import Section, note

OWN = "The chat’s own model"
VISION_NOTE = "Describes images for models that cannot see them. The images are sent to its server."
RESEARCH_NOTE = "Searches and reads the web when you type /research and a question."


class RoleChoice(QWidget):
    """One model for a role; or the chat's own."""

    def __init__(self, title: str, about: str, chosen: str, models: Sequence[ModelInfo]) -> None:
        super().__init__()
        self.select = Select()
        self.select.setAccessibleName(title)
        self.select.setAccessibleDescription(about)
        self.select.addItem(OWN, "")
        for model in models:
            self.select.addItem(f"{model.label} · {model.note}" if model.note else model.label, model.id)
        if self.select.findData(chosen) < 0:
            self.select.addItem(f"{chosen} · not available", chosen)
        self.select.setCurrentIndex(self.select.findData(chosen))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(TextLabel(title, size=13, weight=MEDIUM))
        column.addWidget(self.select)
        column.addWidget(note(about))

    def model(self) -> str:
        """The model's id; "" for the chat's own."""
        return str(self.select.currentData())


class RoleSection(Section):
    """The roles, beside summaries, which have a choice of their own. renamed: a model's id after its server's name has
    been changed here."""

    def __init__(self, settings: Settings, models: Sequence[ModelInfo], renamed: Callable[[str], str]) -> None:
        seeing = [model for model in models if model.supports_vision or model.id == settings.vision_model]
        calling = [model for model in models if model.supports_tools or model.id == settings.research_model]
        self.vision = RoleChoice("Describe images with", VISION_NOTE, settings.vision_model, seeing)
        self.research = RoleChoice("Research with", RESEARCH_NOTE, settings.research_model, calling)
        self._renamed = renamed
        super().__init__("Models for other tasks", self.vision, self.research)

    def written(self, settings: Settings) -> Settings:
        """With the models of the roles."""
        vision, research = self._renamed(self.vision.model()), self._renamed(self.research.model())
        return replace(settings, vision_model=vision, research_model=research)
