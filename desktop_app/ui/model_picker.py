"""The model picker: models with window, price and abilities, and the effect of switching on the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ConversationInfo, ModelInfo, SwitchPreview
from desktop_app.engine.protocol import ModelsListed

from .model_words import abilities, preview_words, price_words, short_window
from .palette.command_palette import fuzzy_rank
from .translation import tr, tr_engine
from .widgets.look import Tint
from .widgets.palette_sheet import PaletteSheet
from .widgets.row_list import ListRow
from .widgets.text_label import Run

ADD = "\n"  # the key of the row that leads to the settings; no model has this id
MAX_PREVIEWS = 12
"""Models at the top of the list for which a preview is requested, in addition to the current row."""
TINTS: dict[str, Tint] = {"fits": "ok", "compact": "warning", "too_small": "critical", "unknown": "ink_faint"}


def in_order_of_use(
    models: Sequence[ModelInfo], conversations: Sequence[ConversationInfo], *, is_largest_first: bool = False
) -> list[ModelInfo]:
    """Return the usable models before the others; within each group the most recently used, or the largest, first."""
    used: dict[str, float] = {}
    for info in conversations:
        used[info.model] = max(used.get(info.model, 0.0), info.updated_at)
    if is_largest_first:
        return sorted(models, key=lambda model: (bool(model.note), -model.window))
    return sorted(models, key=lambda model: (bool(model.note), -used.get(model.id, 0.0)))


def matching_models(query: str, models: Sequence[ModelInfo]) -> list[ModelInfo]:
    """Return the models whose ids or names match the query, best first; all models for an empty query."""
    if not query:
        return list(models)
    ranked = []
    for model in models:
        ranks = [rank for rank in (fuzzy_rank(query, model.label), fuzzy_rank(query, model.id)) if rank is not None]
        if ranks:
            ranked.append((min(ranks), model))
    return [model for _, model in sorted(ranked, key=lambda pair: pair[0])]


class ModelPicker(PaletteSheet):
    """A searchable list of models.

    Signals: model_chosen(id), add_requested and unusable_chosen(id), after it has closed; preview_requested(id), to be
    answered by `show_preview`: first for the current row, then for the others in their order.
    """

    model_chosen = Signal(str)
    unusable_chosen = Signal(str)
    add_requested = Signal()
    preview_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, title=tr("Choose a model"))
        self._models: list[ModelInfo] = []
        self._listed = ModelsListed(())
        self._previews: dict[str, SwitchPreview | None] = {}
        self._in_use = ""
        self.show_note(tr("↑ ↓ to choose · Enter to use it · prices in dollars for a million tokens, in / out"))
        self.field.textChanged.connect(lambda _: self._show())
        self.list.row_chosen.connect(self._choose)
        self.list.choice_changed.connect(self._ask)

    def offer(self, listed: ModelsListed, models: Sequence[ModelInfo], in_use: str) -> None:
        """Offer the models in this order. in_use: the id of the conversation's model."""
        self._listed, self._models, self._in_use = listed, list(models), in_use
        self._previews = {}
        self.field.clear()
        self._show()

    def show_preview(self, model_id: str, preview: SwitchPreview | None) -> None:
        """Show what that model would mean for the conversation; None if that is not known, and is requested again."""
        if preview is None:
            self._previews.pop(model_id, None)
            return
        self._previews[model_id] = preview
        model = self.model_of(model_id)
        if model is not None:
            self.list.rows.change(self._row_of(model))
        self._ask()

    def _show(self) -> None:
        rows = [self._row_of(model) for model in matching_models(self.query(), self._models)]
        add = ListRow(ADD, tr("Add a model…"), body=(Run(tr("from the list of a server, or another server")),))
        self.show_rows([*rows, add])
        self._ask()

    def _row_of(self, model: ModelInfo) -> ListRow:
        is_local = model.id in self._listed.local
        price = price_words(self._listed.prices.get(model.id), is_local)
        assumed = tr(" assumed") if model.window_provenance is Provenance.ASSUMED else ""
        window = f"{short_window(model.window)}{assumed}" if model.window else tr("window unknown")
        server = model.id.partition("/")[0] if "/" in model.id else tr("built in")
        about = " · ".join(filter(None, (server, abilities(model.supports_tools, model.supports_vision))))
        row = ListRow(model.id, model.label, f"{price} · {window}", tag=tr("in use") if self._is_used(model) else "")
        return replace(row, body=(Run(about), *self._outlook(model)))

    def _is_used(self, model: ModelInfo) -> bool:
        return model.id == self._in_use

    def _outlook(self, model: ModelInfo) -> tuple[Run, ...]:
        """Return why the model cannot be used, or what using it would mean for the conversation."""
        if model.note:
            return (Run(f" · {tr_engine(model.note)}", "critical"),)
        preview = self._previews.get(model.id)
        return (Run(f" · {preview_words(preview)}", TINTS[preview.verdict]),) if preview else ()

    def _ask(self) -> None:
        """Request the next preview; the current row's preview replaces a pending one."""
        key = self.list.current_key()
        if not self._is_open_question(key):
            is_waiting = None in self._previews.values()
            listed = [] if is_waiting else [row.key for row in self.list.rows.rows[:MAX_PREVIEWS]]
            key = next(filter(self._is_open_question, listed), "")
        if key:
            self._previews[key] = None
            self.preview_requested.emit(key)

    def _is_open_question(self, key: str) -> bool:
        return key not in ("", ADD) and key not in self._previews and not self._note_of(key)

    def model_of(self, model_id: str) -> ModelInfo | None:
        """Return the model with that id, if it is offered."""
        return next((model for model in self._models if model.id == model_id), None)

    def _note_of(self, model_id: str) -> str:
        model = self.model_of(model_id)
        return model.note if model is not None else ""

    def _choose(self, key: str) -> None:
        self.accept()
        if key == ADD:
            self.add_requested.emit()
        elif self._note_of(key):
            self.unusable_chosen.emit(key)
        else:
            self.model_chosen.emit(key)
