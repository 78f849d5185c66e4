"""Models: of new conversations, of the summaries, and of what a chat's own model does not do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec.structs import replace
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.listing import ModelInfo
from desktop_app.settings import Settings, Summaries
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.formats import format_number
from desktop_app.ui.widgets.look import scale
from desktop_app.ui.widgets.text_area import TextArea

from .section import LabelledSelect, Section, field_label

PROMPT_LINES = 4
VISION_NOTE = "Describes images for models that cannot see them. The images are sent to its server."
RESEARCH_NOTE = "Searches and reads the web when you type /research and a question."

CHAT_MODEL = "The chat’s own model"
OWN, CODE = "own", "code"  # no model is called so: a model of a server has a "/" in its id
OWN_NOTE = (
    "Each chat’s own model reads the messages that leave the context window and summarizes them, which uses tokens. "
    "Summaries for the built-in model are assembled by rules, free of charge."
)
CODE_NOTE = (
    "Summaries are put together from sentences of the conversation, by rules. Nothing is sent and nothing is invented. "
    "When you optimize a conversation yourself, you can still pick a model."
)
MODEL_NOTE = (
    "{label} reads the messages that leave the context window of any chat and summarizes them, which uses tokens. "
    "This includes chats with the built-in model: their messages are sent to {server}."
)
BUILTIN_NOTE = "{label} is too small to write summaries. They are assembled by rules instead, free of charge."
STAND_IN_NOTE = (
    "{reason} Until then, each chat’s own model writes its summaries, and the history says so. "
    "Summaries for the built-in model are assembled by rules, free of charge."
)


def model_choice(model: ModelInfo, name: str = "", *, has_window: bool = False) -> tuple[str, str]:
    """Return a model's text and value in a drop-down list. name: another one than its label."""
    window = f"{format_number(model.window)} tokens" if has_window and model.window else ""
    return " · ".join(filter(None, (name or model.label, window, model.note))), model.id


class ConversationSection(Section):
    """What new conversations begin with."""

    def __init__(self, settings: Settings, models: Sequence[ModelInfo], is_gone: Callable[[str], bool]) -> None:
        """is_gone: whether the server of a model was removed in the settings."""
        choices = [model_choice(model, has_window=True) for model in models]
        self.model = LabelledSelect("Model", choices, settings.chat_model)
        self.prompt = TextArea()
        self.prompt.setPlainText(settings.system_prompt)
        self.prompt.setFixedHeight(PROMPT_LINES * self.prompt.fontMetrics().lineSpacing() + scale(8))
        self.prompt.setAccessibleName("System prompt")
        self._is_gone = is_gone
        card = Card(radius=8)
        card.column.setContentsMargins(10, 8, 4, 8)
        card.column.addWidget(self.prompt)
        super().__init__("New conversations", self.model, field_label("System prompt"), card)

    def apply_to(self, settings: Settings) -> Settings:
        prompt = self.prompt.toPlainText().strip()
        return replace(settings, chat_model=self.model.value(), system_prompt=prompt)

    def first_wrong(self) -> QWidget | None:
        server = self.model.value().partition("/")[0]
        error = f"This model belonged to “{server}”, which was removed. Choose another model."
        is_gone = self._is_gone(self.model.value())
        self.model.set_note(error if is_gone else "", is_error=True)
        return self.model.select if is_gone else None


class RoleSection(Section):
    """The models that look at images and search the web."""

    def __init__(self, settings: Settings, models: Sequence[ModelInfo]) -> None:
        seeing = [model for model in models if model.supports_vision or model.id == settings.vision_model]
        calling = [model for model in models if model.supports_tools or model.id == settings.research_model]
        own = (CHAT_MODEL, "")
        self.vision = LabelledSelect(
            "Describe images with", [own, *map(model_choice, seeing)], settings.vision_model, VISION_NOTE
        )
        self.research = LabelledSelect(
            "Research with", [own, *map(model_choice, calling)], settings.research_model, RESEARCH_NOTE
        )
        super().__init__("Models for other tasks", self.vision, self.research)

    def apply_to(self, settings: Settings) -> Settings:
        return replace(settings, vision_model=self.vision.value(), research_model=self.research.value())


class SummaryChoice(LabelledSelect):
    """Who writes the summaries: each chat's own model, one model for all chats, or code alone."""

    def __init__(self, settings: Settings, models: Sequence[ModelInfo], is_set_up: Callable[[str], bool]) -> None:
        """is_set_up: whether a server has that model, by its id, as the settings are written now."""
        self._utility_model = settings.utility_model
        self._models = {model.id: model for model in models}
        self._is_set_up = is_set_up
        chosen = CODE if settings.summaries == "extractive" else settings.utility_model or OWN
        super().__init__("Summaries written by", self._choices(models), chosen)
        self.select.currentIndexChanged.connect(self.update_note)

    def summaries(self) -> Summaries:
        return "extractive" if self.value() == CODE else "auto"

    def utility_model(self) -> str:
        """Return the model's id. It stays the same for code alone: a plan made by the user may ask for it."""
        return {OWN: "", CODE: self._utility_model}.get(self.value(), self.value())

    def update_note(self) -> None:
        """Show what the choice means as the settings are written now."""
        chosen = self.value()
        reason = self._obstacle(chosen)
        about = STAND_IN_NOTE.format(reason=reason) if reason else self._description(chosen)
        self.set_note(about, is_error=bool(reason))

    def _obstacle(self, chosen: str) -> str:
        """Return why that model cannot write; "" if it can."""
        if "/" not in chosen:
            return ""
        if not self._is_set_up(chosen):
            return f"{chosen} is not set up."
        model = self._models.get(chosen)
        return model.note if model and not model.window else ""

    def _choices(self, models: Sequence[ModelInfo]) -> list[tuple[str, str]]:
        """Return the choices. The built-in model is one only if it was chosen."""
        labels = Counter(model.label for model in models)
        choices = [(CHAT_MODEL, OWN)]
        for model in models:
            if not model.is_builtin:
                choices.append(model_choice(model, model.id if labels[model.label] > 1 else ""))
        chosen = self._utility_model
        if chosen and chosen not in {value for _, value in choices}:
            state = "too small" if chosen in self._models else "not set up"
            choices.append((f"{self._label(chosen)} · {state}", chosen))
        return [*choices, ("Rules, without a model (free)", CODE)]

    def _description(self, chosen: str) -> str:
        if chosen in (OWN, CODE):
            return OWN_NOTE if chosen == OWN else CODE_NOTE
        template = MODEL_NOTE if "/" in chosen else BUILTIN_NOTE
        return template.format(label=self._label(chosen), server=chosen.partition("/")[0])

    def _label(self, chosen: str) -> str:
        model = self._models.get(chosen)
        return model.label if model else chosen
