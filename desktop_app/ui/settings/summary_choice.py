"""The choice of the author of summaries, and of models in general."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.words import translatable
from desktop_app.settings import Settings
from desktop_app.ui.translation import tr, tr_engine

from .entries import Choice
from .server_list import ServerList

CHAT_MODEL = translatable("The chat’s own model")
OWN, CODE = "own", "code"  # no model ids, which contain a "/"
OWN_NOTE = translatable(
    "Each chat’s own model reads the messages that leave the context window and summarizes them, which uses tokens. "
    "Summaries for the built-in model are assembled by rules, free of charge."
)
CODE_NOTE = translatable(
    "Summaries are put together from sentences of the conversation, by rules. Nothing is sent and nothing is invented. "
    "When you optimize a conversation yourself, you can still pick a model."
)
MODEL_NOTE = translatable(
    "{label} reads the messages that leave the context window of any chat and summarizes them, which uses tokens. "
    "This includes chats with the built-in model: their messages are sent to {server}."
)
BUILTIN_NOTE = translatable(
    "{label} is too small to write summaries. They are assembled by rules instead, free of charge."
)
STAND_IN_NOTE = translatable(
    "{reason} Until then, each chat’s own model writes its summaries, and the history says so. "
    "Summaries for the built-in model are assembled by rules, free of charge."
)


def model_choices(models: Sequence[ModelInfo], *, has_window: bool = False) -> list[tuple[str, str]]:
    """Return the models' texts and ids for a drop-down list. Models with the same label have their ids as texts."""
    labels = Counter(model.label for model in models)
    choices: list[tuple[str, str]] = []
    for model in models:
        name = model.id if labels[model.label] > 1 else model.label
        window = tr("%n tokens", "", model.window) if has_window and model.window else ""
        choices.append((" · ".join(filter(None, (name, window, tr_engine(model.note)))), model.id))
    return choices


class SummaryChoice(Choice):
    """The author of summaries: each chat's own model, one model for all chats, or rules without a model."""

    def __init__(self, settings: Settings, models: Sequence[ModelInfo], servers: ServerList) -> None:
        self._utility_model = settings.utility_model
        self._models = {model.id: model for model in models}
        self._servers = servers
        chosen = CODE if settings.summaries == "extractive" else settings.utility_model or OWN
        super().__init__("utility_model", tr("Summaries written by"), self._choices(), chosen)
        for signal in (self.changed, servers.changed):
            signal.connect(self.describe)

    def write(self, settings: Settings) -> Settings:  # type: ignore[override]
        """Return the settings with the choice. For rules, the model stays stored, since a plan may still use it."""
        chosen = self.chosen()
        model = {OWN: "", CODE: self._utility_model}.get(chosen, chosen)
        return replace(settings, summaries="extractive" if chosen == CODE else "auto", utility_model=model)

    def describe(self) -> None:
        """Describe the choice for the servers as they are edited now."""
        chosen = self.chosen()
        reason = self._obstacle(chosen)
        about = tr(STAND_IN_NOTE).format(reason=reason) if reason else self._description(chosen)
        self.explain(about, is_error=bool(reason))

    def _obstacle(self, chosen: str) -> str:
        """Return the reason why that model cannot write summaries; "" if it can."""
        if "/" not in chosen:
            return ""
        if not self._servers.is_set_up(chosen):
            return tr("{model} is not set up.").format(model=chosen)
        model = self._models.get(chosen)
        return tr_engine(model.note) if model and not model.window else ""

    def _choices(self) -> list[tuple[str, str]]:
        """Return the choices. The built-in model is included only if it was chosen."""
        models = model_choices([model for model in self._models.values() if not model.is_builtin])
        chosen = self._utility_model
        if chosen and chosen not in {value for _, value in models}:
            words = tr("{model} · too small") if chosen in self._models else tr("{model} · not set up")
            models.append((words.format(model=self._label(chosen)), chosen))
        return [(tr(CHAT_MODEL), OWN), *models, (tr("Rules, without a model (free)"), CODE)]

    def _description(self, chosen: str) -> str:
        if chosen in (OWN, CODE):
            return tr(OWN_NOTE if chosen == OWN else CODE_NOTE)
        template = MODEL_NOTE if "/" in chosen else BUILTIN_NOTE
        return tr(template).format(label=self._label(chosen), server=chosen.partition("/")[0])

    def _label(self, chosen: str) -> str:
        model = self._models.get(chosen)
        return model.label if model else chosen
