"""The model picker: models with window, price and abilities, and the effect of switching on the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.listing import ConversationInfo, ModelInfo, SwitchPreview
from desktop_app.engine.protocol import ModelsListed

from .model_words import abilities, part_of_window, preview_words, price_words, reset_words, short_window
from .palette.command_palette import fuzzy_rank
from .settings.limits import parse_window
from .translation import tr, tr_engine
from .widgets.look import Tint
from .widgets.palette_sheet import PaletteSheet
from .widgets.row_list import ListRow
from .widgets.text_label import Run

ADD, LIMIT, CACHE = "\n", "\t", "\r"
"""Keys of the rows about the settings, the limit of the window, and the life of the cache; no model's ids."""
HOUR = 3_600  # seconds
MIN_LIMITED = 256_000
"""Tokens. The picker offers to use only a part of larger windows."""
LIMITS = (128_000, 200_000, 300_000, 400_000, 500_000, 750_000)
"""Tokens that are proposed as the part to use."""
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

    Signals: model_chosen(id), add_requested, limit_requested(id), cache_chosen(id, whether for an hour) and
    unusable_chosen(id), after it has closed; preview_requested(id), to be answered by `show_preview`: first for the
    current row, then for the others in their order.
    """

    model_chosen = Signal(str)
    unusable_chosen = Signal(str)
    add_requested = Signal()
    limit_requested = Signal(str)
    cache_chosen = Signal(str, bool)
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
        used = self.model_of(self._in_use)
        if used is not None and used.window > MIN_LIMITED and not self.query():
            about = tr("room is made as if the window ended there; a request that needs more is still sent")
            rows.append(ListRow(LIMIT, limit_words(used), body=(Run(about),)))
        if used is not None and used.may_cache_an_hour and not self.query():
            about = tr("an hour costs twice the price for what is written into the cache, and survives a pause")
            rows.append(ListRow(CACHE, cache_words(used), body=(Run(about),)))
        add = ListRow(ADD, tr("Add a model…"), body=(Run(tr("from the list of a server, or another server")),))
        self.show_rows([*rows, add])
        self._ask()

    def _row_of(self, model: ModelInfo) -> ListRow:
        is_local = model.id in self._listed.local
        price = price_words(self._listed.prices.get(model.id), is_local)
        assumed = tr(" assumed") if model.window_provenance is Provenance.ASSUMED else ""
        window = f"{part_of_window(model.window, model.max_window)}{assumed}" if model.window else tr("window unknown")
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
        if preview is None:
            return ()
        runs = (Run(f" · {preview_words(preview)}", TINTS[preview.verdict]),)
        if preview.reset is None or preview.verdict in ("compact", "too_small"):  # what is sent then is another request
            return runs
        return (*runs, Run(f" · {reset_words(preview.reset)}", "warning"))

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
        return key not in ("", ADD, LIMIT, CACHE) and key not in self._previews and not self._note_of(key)

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
        elif key == LIMIT:
            self.limit_requested.emit(self._in_use)
        elif key == CACHE:
            used = self.model_of(self._in_use)
            self.cache_chosen.emit(self._in_use, used is not None and used.cache_seconds != HOUR)
        elif self._note_of(key):
            self.unusable_chosen.emit(key)
        else:
            self.model_chosen.emit(key)


def limit_words(model: ModelInfo) -> str:
    """Return the title of the picker's line about the limit of a model's window."""
    if not model.max_window:
        return tr("Window limit: as the policy says…")
    limited = part_of_window(model.window, model.max_window)
    return tr("Window limit: {part}…").format(part=tr("none") if model.max_window >= model.window else limited)


def cache_words(model: ModelInfo) -> str:
    """Return the title of the picker's line that switches the life of the model's cache."""
    if model.cache_seconds == HOUR:
        return tr("The provider’s cache is kept for an hour: change to five minutes")
    return tr("The provider’s cache is kept for five minutes: change to an hour")


class WindowLimitPalette(PaletteSheet):
    """A palette of limits of a model's window, in tokens, and of the one that is typed.

    Signal: limit_chosen(id of the model, tokens), 0 for the policy's number, once the palette is closed.
    """

    limit_chosen = Signal(str, int)

    def __init__(self, model: ModelInfo, parent: QWidget | None = None) -> None:
        title = tr("Window limit of {model}, in tokens, such as 200K").format(model=model.label)
        super().__init__(parent, title=title, has_body=False)
        self._model = model
        self.field.textChanged.connect(lambda _: self._list())
        self.list.row_chosen.connect(self._choose)
        self._list()

    def _list(self) -> None:
        try:
            typed = parse_window(self.query())
        except ValueError as error:
            self.show_rows([])
            self.show_note(str(error))
            return
        numbers = [typed] if typed else [limit for limit in LIMITS if limit < self._model.window]
        rows = [self._row_of(str(tokens), self._words(tokens)) for tokens in numbers]
        if not typed:
            rows.append(self._row_of(str(self._model.window), self._words(self._model.window)))
            rows.append(self._row_of("0", tr("As the policy says")))
        self.show_rows(rows)
        self.show_note(tr("↑ ↓ to choose · Enter to use it · Esc to close"))

    def _row_of(self, key: str, title: str) -> ListRow:
        return ListRow(key, title, tag=tr("in use") if key == str(self._model.max_window) else "")

    def _words(self, tokens: int) -> str:
        if tokens >= self._model.window:
            return tr("None: the whole window of {window}").format(window=short_window(self._model.window))
        return part_of_window(self._model.window, tokens)

    def _choose(self, key: str) -> None:
        self.accept()
        self.limit_chosen.emit(self._model.id, int(key))
