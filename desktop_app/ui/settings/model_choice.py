"""The choice of one server's models, from its list or typed, each with its own limits."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.conversation.model_servers import ModelOffer
from desktop_app.settings import ModelLimits, Server
from desktop_app.ui.model_words import learned_words, offer_words, window_words
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import Card
from desktop_app.ui.widgets.buttons import Button, LinkButton
from desktop_app.ui.widgets.layouts import horizontal, vertical
from desktop_app.ui.widgets.look import Corner
from desktop_app.ui.widgets.palette_sheet import MOVES
from desktop_app.ui.widgets.row_list import ENTER, CheckList, CheckRow
from desktop_app.ui.widgets.text_label import TextLabel

from .entries import Choice, Field, FormEntry
from .limits import format_limit, parse_reply, parse_window

SEPARATORS = re.compile(r"[,;\s]+")
ROWS = 7  # visible rows of the list
PARSERS = (parse_window, parse_reply, parse_window)
ADD = "\n"  # prefix of a row that adds a name; no model name contains it


def models_of(text: str) -> tuple[str, ...]:
    """Return the names separated by commas, semicolons or white space, each once."""
    return tuple(dict.fromkeys(name for name in SEPARATORS.split(text) if name))


class ModelChoice(FormEntry):
    """A field that filters the list and accepts names, the list, and the limits of the list's current model.

    Signals: fetch_requested, answered by `show_offers`; forget_requested, to forget what was learned about the current
    model, answered by `show_known`; current_changed, when the list's current model changes.
    """

    fetch_requested = Signal()
    forget_requested = Signal()
    current_changed = Signal()

    def __init__(self, server: Server) -> None:
        self.chosen = list(server.models)
        self._offers: dict[str, ModelOffer] = {}
        self._known: dict[str, ModelOffer] = {}
        self._limits = {
            name: (format_limit(own.window), format_limit(own.max_output), format_limit(own.max_window))
            for name, own in server.limits.items()
        }
        self.edit = QLineEdit()
        self.edit.setPlaceholderText(tr("Filter the list, or type a name"))
        self.fetch = Button(tr("Fetch the list"))
        self.list = CheckList(ROWS, unticks_by_box=True)
        self.list.setAccessibleName(tr("Models of this server"))
        self.window_size = Field("", tr("Context window"), parse=parse_window)
        self.max_output = Field("", tr("Longest reply"), parse=parse_reply)
        self.max_window = Field("", tr("Window limit"), parse=parse_window)
        self.max_window.edit.setPlaceholderText(tr("as the policy says"))
        self.vision = Choice("vision", tr("Pictures"), _vision_choices(), "")
        self._sees = {name: own.supports_vision for name, own in server.limits.items()}
        self._an_hour = {name: own.caches_an_hour for name, own in server.limits.items()}  # chosen in the picker
        self._fields = self.window_size, self.max_output, self.max_window
        self._is_fetched = False
        self._is_open = not self.chosen  # False: the list has only the chosen models until the server's are fetched
        super().__init__("models", tr("Models"), self.edit)
        self.card, self.limits = Card(corner=Corner.CONTROL), QWidget()
        self.card.column.setContentsMargins(6, 6, 6, 6)
        self.card.column.addWidget(self.list)
        above, below = QWidget(), QWidget()
        horizontal((self.window_size, 1), (self.max_output, 1), holder=above, spacing=12)
        horizontal((self.max_window, 1), (self.vision, 1), holder=below, spacing=12)
        vertical(above, below, holder=self.limits, spacing=8)
        row = QWidget()
        horizontal((self.edit, 1), self.fetch, holder=row, spacing=8)
        self.column.insertWidget(1, row)
        self.column.insertWidget(2, self.card)
        self.learned, self.forget = TextLabel(size=13, wraps=True), LinkButton(tr("Forget this"))
        self.learned_row = QWidget()
        top = Qt.AlignmentFlag.AlignTop
        learned = (self.learned, 1), (self.forget, 0, top)
        horizontal(*learned, holder=self.learned_row, margins=(0, 4, 0, 0), spacing=12)
        self.column.insertWidget(self.column.count() - 1, self.limits)  # below the message
        self.column.insertWidget(self.column.count() - 1, self.learned_row)
        self.edit.installEventFilter(self)
        self.edit.textChanged.connect(self._filter)
        self.fetch.clicked.connect(lambda _=False: self.fetch_requested.emit())
        self.forget.clicked.connect(lambda _=False: self.forget_requested.emit())
        self.list.toggled.connect(self._toggle)
        self.list.choice_changed.connect(self._show_limits)
        for field in self._fields:
            field.edit.textEdited.connect(self._keep_limits)
        self.vision.changed.connect(self._keep_vision)
        self._fill()

    def names(self) -> tuple[str, ...]:
        """Return the chosen models and those typed in the field, unless its text merely filters the list."""
        typed = models_of(self.edit.text())
        is_filter = len(typed) == 1 and any(typed[0].lower() in name.lower() for name in self._offers)
        exact = [name for name in typed if not is_filter or name in self._offers]
        return tuple(dict.fromkeys((*self.chosen, *exact)))

    def window_of(self, name: str) -> QLineEdit | None:
        """Make a chosen model current, and return the field of its window; None if the model is not chosen."""
        if name not in self.chosen:
            return None
        self.edit.clear()
        self.list.go_to(name)
        return self.window_size.edit

    def current(self) -> str:
        """Return the model that a test would use: the list's current one if it is chosen, or the first chosen one."""
        key, names = self.list.current_key(), self.names()
        return key if key in names else next(iter(names), "")

    def offer_of(self, name: str) -> ModelOffer | None:
        """Return a model as the server lists it, or as it is known from the settings; None if it is unknown."""
        offer, known = self._offers.get(name), self._known.get(name)
        if offer is None or known is None or offer.runs_here == known.runs_here:
            return offer or known
        return replace(offer, runs_here=True)

    def show_known(self, known: Sequence[ModelOffer]) -> None:
        """Show what is known of the models that are already set up, until the list is fetched."""
        self._known = {offer.name: offer for offer in known}
        self._fill()

    def limits_written(self) -> dict[str, ModelLimits]:
        """Return the limits of the chosen models. Raises ValueError."""
        found: dict[str, ModelLimits] = {}
        for name in self.names():
            window, reply, most = (parse(text) for parse, text in zip(PARSERS, self._limits_of(name), strict=True))
            limits = ModelLimits(window, reply, self._sees.get(name), most, self._an_hour.get(name, False))
            if limits != ModelLimits():
                found[name] = limits
        return found

    def value(self) -> tuple[str, ...]:
        if not self.names():
            raise ValueError(tr("Choose at least one model, or enter its name as the server spells it."))
        return self.names()

    def write(self, struct: Server) -> Server:  # type: ignore[override]
        return replace(struct, models=self.value(), limits=self.limits_written())

    def check(self) -> QWidget | None:
        for name in self.names():
            for text, parse, field in zip(self._limits_of(name), PARSERS, self._fields, strict=True):
                try:
                    parse(text)
                except ValueError:
                    self.list.go_to(name)
                    return field.check()
        return super().check()

    def error(self) -> str:
        return super().error() or next(filter(None, (field.error() for field in self._fields)), "")

    def show_offers(self, offers: Sequence[ModelOffer], *, is_fetched: bool = True) -> None:
        """List these models. is_fetched: whether they are the server's own, which replace proposed ones."""
        if is_fetched or not self._is_fetched:
            self._offers = {offer.name: offer for offer in offers}
        self._is_fetched |= is_fetched
        self._is_open |= is_fetched
        self._fill()

    def set_fetching(self, is_fetching: bool) -> None:
        """Show whether the list is being fetched. The focus moves from the button to the field."""
        if is_fetching and self.fetch.hasFocus():
            self.edit.setFocus()
        self.fetch.setText(tr("Fetching…") if is_fetching else tr("Fetch the list"))
        self.fetch.setEnabled(not is_fetching)

    def set_names(self, names: Sequence[str]) -> None:
        self.chosen = list(names)
        self._fill()
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Navigate the list while the field has the focus; Enter takes the current row, or the typed names."""
        if watched is self.edit and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in MOVES:
                self.list.step(MOVES[Qt.Key(event.key())])
                return True
            if event.key() in ENTER:
                self._enter()
                return True
        return super().eventFilter(watched, event)

    def _enter(self) -> None:
        typed = models_of(self.edit.text())
        if self.list.current_key() and len(typed) == 1:
            self._toggle(self.list.current_key())
        elif typed:
            self._add(typed)

    def _add(self, names: Sequence[str]) -> None:
        self.chosen = list(dict.fromkeys((*self.chosen, *names)))
        self.edit.clear()
        self._fill()
        self.list.go_to(names[-1])
        self.changed.emit()

    def _toggle(self, key: str) -> None:
        if key.startswith(ADD):
            self._add((key.removeprefix(ADD),))
            return
        self.chosen = [name for name in self.chosen if name != key] if key in self.chosen else [*self.chosen, key]
        self.list.set_checked(key, key in self.chosen)
        self._show_limits()
        self.changed.emit()

    def _filter(self, text: str) -> None:
        if re.search(r"[,;]", text) and (names := models_of(text.rpartition(",")[0] or text.rpartition(";")[0])):
            rest = models_of(re.split(r"[,;]", text)[-1])
            self.chosen = list(dict.fromkeys((*self.chosen, *names)))
            self.edit.setText("".join(rest))
            return
        self._fill()
        self.changed.emit()

    def _fill(self) -> None:
        wanted, at = self.edit.text().strip(), self.list.current_key()
        listed = (*self.chosen, *self._offers) if wanted or self._is_open else self.chosen
        names = [name for name in dict.fromkeys(listed) if wanted.lower() in name.lower()]
        rows = [self._row_of(name) for name in names]
        if wanted and wanted not in names and len(models_of(wanted)) == 1:
            rows.append(CheckRow(f"{ADD}{wanted}", tr("Add “{name}”").format(name=wanted)))
        self.list.show_rows(rows, at)
        self.card.setVisible(bool(rows))
        self._show_limits()

    def _row_of(self, name: str) -> CheckRow:
        offer = self.offer_of(name)
        return CheckRow(name, name, offer_words(offer) if offer else "", is_checked=name in self.chosen)

    def _limits_of(self, name: str) -> tuple[str, str, str]:
        return self._limits.get(name, ("", "", ""))

    def _keep_limits(self) -> None:
        window, reply, most = (field.text() for field in self._fields)
        self._limits[self.list.current_key()] = window, reply, most
        self.changed.emit()

    def _keep_vision(self) -> None:
        self._sees[self.list.current_key()] = SEES[self.vision.chosen()]
        self.changed.emit()

    def _show_limits(self) -> None:
        name = self.list.current_key()
        self.limits.setVisible(name in self.chosen)
        for field, text in zip(self._fields, self._limits_of(name), strict=True):
            if field.text() != text:
                field.edit.setText(text)
            field.explain("")
        with QSignalBlocker(self.vision):
            self.vision.select.choose(_key_of_vision(self._sees.get(name)))
        self.window_size.label.set_text(tr("Context window of {model}").format(model=name))
        offer, own = self.offer_of(name), self._known.get(name)
        self._show_learned(learned_words(own.learned) if own is not None and name in self.chosen else "", name)
        self.window_size.edit.setPlaceholderText(_window_hint(offer))
        known = offer.max_output if offer else 0
        self.max_output.edit.setPlaceholderText(format_limit(known) or tr("as the server reports"))
        self.current_changed.emit()

    def _show_learned(self, words: str, name: str) -> None:
        if self.forget.hasFocus() and not words:  # otherwise the focus goes to a field below
            self.edit.setFocus()
        self.learned.set_text(words)
        self.forget.setAccessibleName(tr("Forget what was learned about {model}").format(model=name))
        self.learned_row.setVisible(bool(words))


SEES: dict[str, bool | None] = {"": None, "yes": True, "no": False}


def _vision_choices() -> tuple[tuple[str, str], ...]:
    return (tr("as the server reports"), ""), (tr("It sees them"), "yes"), (tr("It cannot see them"), "no")


def _key_of_vision(sees: bool | None) -> str:
    return next(key for key, value in SEES.items() if value is sees)


def _window_hint(offer: ModelOffer | None) -> str:
    """Return the placeholder for a model's window."""
    if offer is None:
        return tr("as the server reports")
    if not offer.window:
        return tr("not known: enter it")
    return window_words(offer.window, offer.window_source)
