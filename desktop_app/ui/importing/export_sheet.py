"""The sheet to export a conversation: its scope and its format."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.inputs import Segmented
from desktop_app.ui.widgets.look import MEDIUM
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.text_label import TextLabel

WIDTH = 480
TITLE = translatable("Export conversation")
FORMATS = (("markdown", "Markdown"), ("html", "HTML"), ("json", "JSON Lines"))
SCOPES = (("record", translatable("Everything that was said")), ("view", translatable("What the model sees")))
SCOPES_ABOUT = {
    "record": translatable("For a message with several versions, the one you see."),
    "view": translatable("With the summary in place of archived messages."),
}
ABOUT = {
    "markdown": translatable("Text for people and other programs, with its pictures in the file."),
    "html": translatable("One page for any browser, with formulas drawn. It loads nothing."),
    "json": translatable("OpenAI chat messages, one a line. They can be imported again."),
}


class ExportSheet(Sheet):
    """Signals: file_requested, to choose a file; replace_requested, to overwrite the existing file."""

    file_requested = Signal()
    replace_requested = Signal()

    def __init__(self, parent: QWidget | None = None, part: str = "") -> None:
        """part: a description of the part to export; "" for the complete conversation."""
        super().__init__(parent, width=WIDTH, closes_outside=True, title=tr(TITLE))
        self.format, self.scope = Segmented(FORMATS), Segmented([(scope, tr(name)) for scope, name in SCOPES])
        self.format.setAccessibleName(tr("Format"))
        self.scope.setAccessibleName(tr("What to export"))
        self.about = TextLabel(tr(ABOUT["markdown"]), size=12, tint="ink_soft", wraps=True)
        self.scope_about = TextLabel(tr(SCOPES_ABOUT["record"]), size=12, tint="ink_soft", wraps=True)
        self.problem = TextLabel(size=13, tint="critical", wraps=True)
        self.problem.hide()
        self.cancel, self.replace = Button(tr("Cancel")), Button(tr("Replace it"))
        self.choose = Button(tr("Choose a file…"), ButtonKind.PRIMARY)
        self.replace.hide()
        format_label, scope_label = (TextLabel(text, size=13, weight=MEDIUM) for text in (tr("Format"), tr("What")))
        self.part = TextLabel(tr(part) if part else "", size=13, tint="ink_soft", wraps=True)
        self.area = ScrollColumn(spacing=9)
        for field in (scope_label, self.part, self.scope, self.scope_about):
            self.area.add(field)
        for field in (format_label, self.format, self.about, self.problem):
            self.area.add(field)
        self.part.setVisible(bool(part))
        self.scope.setVisible(not part)
        self.lay_out(self.area, self.cancel, self.replace, self.choose, spacing=10)
        self.set_first(self.choose)
        self.format.chosen.connect(self._explain)
        self.scope.chosen.connect(self._explain_scope)
        self.cancel.clicked.connect(self.reject)
        self.choose.clicked.connect(self.file_requested)
        self.replace.clicked.connect(self.replace_requested)

    def show_failure(self, failure: Failure) -> None:
        """Show why nothing was written; offer to replace an existing file."""
        self.problem.set_text(
            "\n".join(tr_engine(text) for text in (failure.title, failure.detail, failure.kept) if text)
        )
        self.problem.show()
        self.replace.setVisible(failure.kind == "exists")
        self.choose.setText(tr("Choose another file…"))

    def _explain(self, format: str) -> None:
        self.about.set_text(tr(ABOUT[format]))

    def _explain_scope(self, scope: str) -> None:
        self.scope_about.set_text(tr(SCOPES_ABOUT[scope]))
