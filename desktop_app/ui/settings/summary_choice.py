"""Who writes the summaries: each chat's own model, one model for all chats, or code alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.conversation.listing import ModelInfo
from desktop_app.settings import Settings, Summaries
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.select import Select
from desktop_app.ui.widgets.text_label import TextLabel

TITLE = "Summaries written by"
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
    "{why} Until then, each chat’s own model writes its summaries, and the history says so. "
    "Summaries for the built-in model are assembled by rules, free of charge."
)


class SummaryChoice(QWidget):
    """One choice for two settings. is_set_up: whether a model of a server, by its id, is there as things stand now."""

    def __init__(self, settings: Settings, models: Sequence[ModelInfo], is_set_up: Callable[[str], bool]) -> None:
        super().__init__()
        self._utility_model = settings.utility_model
        self._models = {model.id: model for model in models}
        self._is_set_up = is_set_up
        self.select = Select()
        self.select.setAccessibleName(TITLE)
        self.note = TextLabel(size=12, wraps=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 0)  # nearer to its own note than to the one above
        column.setSpacing(8)
        column.addWidget(TextLabel(TITLE, size=13, weight=MEDIUM))
        column.addWidget(self.select)
        column.addWidget(self.note)
        for words, choice in self._offered(models):
            self.select.addItem(words, choice)
        chosen = CODE if settings.summaries == "extractive" else settings.utility_model or OWN
        self.select.setCurrentIndex(self.select.findData(chosen))
        self.select.currentIndexChanged.connect(self.tell)

    def summaries(self) -> Summaries:
        """Who writes without the user's word."""
        return "extractive" if self.select.currentData() == CODE else "auto"

    def utility_model(self) -> str:
        """The model's id. Code alone leaves it as it was: a plan that is made by hand may still ask for it."""
        chosen = str(self.select.currentData())
        return {OWN: "", CODE: self._utility_model}.get(chosen, chosen)

    def tell(self) -> None:
        """Says what the choice means, as things stand now."""
        chosen = str(self.select.currentData())
        why = self._why_not(chosen)
        words = STAND_IN_NOTE.format(why=why) if why else self._words(chosen)
        self.note.set_tint("critical" if why else "ink_faint")
        self.note.set_text(words)
        self.select.setAccessibleDescription(words)

    def _why_not(self, chosen: str) -> str:
        """Why that model cannot write; empty when it can."""
        if "/" not in chosen:
            return ""
        if not self._is_set_up(chosen):
            return f"{chosen} is not set up."
        model = self._models.get(chosen)
        return model.note if model and not model.window else ""

    def _offered(self, models: Sequence[ModelInfo]) -> list[tuple[str, str]]:
        """What can be chosen, in words, with its key. The built-in model is no choice, unless it was one."""
        shared = Counter(model.label for model in models)
        offered = [("The chat’s own model", OWN)]
        for model in models:
            if not model.is_builtin:
                name = model.id if shared[model.label] > 1 else model.label
                offered.append((f"{name} · {model.note}" if model.note else name, model.id))
        chosen = self._utility_model
        if chosen and chosen not in {choice for _, choice in offered}:
            is_builtin = chosen in self._models
            offered.append((f"{self._label(chosen)} · {'too small' if is_builtin else 'not set up'}", chosen))
        return [*offered, ("Rules, without a model (free)", CODE)]

    def _words(self, chosen: str) -> str:
        if chosen in (OWN, CODE):
            return OWN_NOTE if chosen == OWN else CODE_NOTE
        note = MODEL_NOTE if "/" in chosen else BUILTIN_NOTE
        return note.format(label=self._label(chosen), server=chosen.partition("/")[0])

    def _label(self, chosen: str) -> str:
        model = self._models.get(chosen)
        return model.label if model else chosen
