"""The settings, in one sheet."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.context.presets import FOR_PEOPLE, PRESETS, SUMMARIES
from desktop_app.conversation.listing import ModelInfo
from desktop_app.engine.protocol import ModelsListed, SettingsRead
from desktop_app.settings import Settings
from desktop_app.ui.widgets.boxes import Card, ScrollColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.formats import format_number, format_percent
from desktop_app.ui.widgets.look import BOLD, MEDIUM, scaled
from desktop_app.ui.widgets.segmented import Segmented
from desktop_app.ui.widgets.select import Select
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.slider import Slider
from desktop_app.ui.widgets.switch import Switch
from desktop_app.ui.widgets.text_area import TextArea
from desktop_app.ui.widgets.text_label import TextLabel

from .memory_section import MemorySection
from .role_section import RoleSection
from .section import Section, note
from .servers_section import ServersSection
from .summary_choice import SummaryChoice
from .tools_section import ToolsSection

WIDTH = 680
THEMES = (("system", "System"), ("light", "Light"), ("dark", "Dark"))
SCALES = (80, 160)  # percent
PROMPT_LINES = 4
OFF_NOTE = "When this is off, nothing is summarized without your approval, and a full context window stops the chat."


def policies_offered(chosen: str) -> list[tuple[str, str]]:
    """The presets for people; one that is like another program only if it was chosen, in the settings file."""
    names = [policy.name for policy in FOR_PEOPLE]
    if chosen in PRESETS and chosen not in names:
        names.append(chosen)
    return [(name, name.capitalize()) for name in names]


def policy_description(name: str) -> str:
    """What a preset does, from its own numbers; one that is like another program, in a line."""
    policy = PRESETS[name]
    if policy not in FOR_PEOPLE:
        return f"Imitates another program. {SUMMARIES[name][:1].upper()}{SUMMARIES[name][1:]}."
    return (
        f"Makes room in the background from {format_percent(policy.background_at)} of the usable window, and before a "
        f"request at {format_percent(policy.compact_at)}; shrinks the conversation to {format_percent(policy.target)}."
    )


def model_choice_label(model: ModelInfo) -> str:
    """A model as it is listed."""
    window = f" · {format_number(model.window)} tokens" if model.window else ""
    return f"{model.label}{window}{f' · {model.note}' if model.note else ''}"


class SettingsDialog(Sheet):
    """Shows the settings as they are. `save_requested` comes only with valid settings; the sheet then closes."""

    save_requested = Signal(object, dict)  # Settings, keys by server name (an empty one removes)

    def __init__(self, read: SettingsRead, models: ModelsListed, parent: QWidget | None = None) -> None:
        super().__init__(parent, width=WIDTH)
        self.setWindowTitle("Settings")
        self.setAccessibleName("Settings")
        self._read = read
        self.servers = ServersSection(read)
        self.theme = Segmented(THEMES)
        self.scale_label = TextLabel(size=13, weight=MEDIUM)
        self.scale = Slider()
        self.model = Select()
        self.model_error = TextLabel(size=12, tint="critical", wraps=True)
        self.prompt = TextArea()
        self.automatic = Switch("Make room automatically")
        self.policy = Segmented(policies_offered(read.settings.policy))
        self.policy_note = TextLabel(size=12, tint="ink_faint", wraps=True)
        self.summaries = SummaryChoice(read.settings, models.models, self.servers.is_set_up)
        self.roles = RoleSection(read.settings, models.models, self.servers.renamed)
        self.memory = MemorySection(read.settings)
        self.tools = ToolsSection(read.settings, read.servers_with_key)
        self.sections: tuple[Section, ...] = (self.servers, self.roles, self.memory, self.tools)
        self.cancel = Button("Cancel")
        self.save = Button("Save", ButtonKind.PRIMARY)
        self.area = ScrollColumn(spacing=22)
        self._lay_out()
        self._show(read.settings, models)
        self._connect()

    def settings(self) -> Settings:
        """The settings as they are written. Raises ValueError for a server whose window is no number."""
        written = replace(  # what stands only in the settings file stays as it is
            self._read.settings,
            chat_model=self.servers.renamed(self.model.currentData()),
            utility_model=self.servers.renamed(self.summaries.utility_model()),
            summaries=self.summaries.summaries(),
            theme=self.theme.value(),
            font_scale=self.scale.value() / 100,
            policy=self.policy.value(),
            is_automatic=self.automatic.isChecked(),
            system_prompt=self.prompt.toPlainText().strip(),
        )
        for section in self.sections:
            written = section.written(written)
        return written

    def keys(self) -> dict[str, str]:
        """Keys to be kept by server name; an empty one is to be removed."""
        changed: dict[str, str] = {}
        for section in self.sections:
            changed |= section.keys()
        return changed

    def show_setting(self, setting: str) -> None:
        """Bring that field into view, and give it the focus: "servers/NAME/FIELD"; "" for none in particular."""
        field = self.servers.field_of(setting)
        if field is not None:
            field.edit.setFocus(Qt.FocusReason.OtherFocusReason)
            field.edit.selectAll()
            self._show_new(field)

    def _show(self, settings: Settings, models: ModelsListed) -> None:
        self.theme.choose(settings.theme if settings.theme in self.theme.values() else "system")
        self.scale.set_range(*SCALES, 5)
        self.scale.setValue(round(settings.font_scale * 100))
        self._tell_scale(self.scale.value())
        for model in models.models:
            self.model.addItem(model_choice_label(model), model.id)
        if self.model.findData(settings.chat_model) < 0:
            self.model.addItem(f"{settings.chat_model} · not available", settings.chat_model)
        self.model.setCurrentIndex(self.model.findData(settings.chat_model))
        self.prompt.setPlainText(settings.system_prompt)
        self.automatic.setChecked(settings.is_automatic)
        self.policy.choose(settings.policy if settings.policy in PRESETS else "balanced")
        self.policy_note.set_text(policy_description(self.policy.value()))
        self.summaries.tell()

    def _connect(self) -> None:
        self.scale.valueChanged.connect(self._tell_scale)
        self.policy.chosen.connect(lambda name: self.policy_note.set_text(policy_description(name)))
        self.servers.changed.connect(self.summaries.tell)
        self.servers.grown.connect(self._show_new)
        self.tools.grown.connect(self._show_new)
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._save)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(14)
        head = QVBoxLayout()
        head.setContentsMargins(24, 18, 24, 0)
        head.addWidget(TextLabel("Settings", size=17, weight=BOLD))
        column.addLayout(head)
        body = QVBoxLayout()
        body.setContentsMargins(24, 0, 8, 0)
        body.addWidget(self.area)
        self.area.column.setContentsMargins(0, 0, 16, 4)
        column.addLayout(body, 1)
        column.addWidget(self._buttons())
        for section in (self._appearance(), self._conversations(), self._context(), *self.sections):
            self.area.add(section)

    def _appearance(self) -> QWidget:
        return Section("Appearance", self.theme, self.scale_label, self.scale)

    def _conversations(self) -> QWidget:
        card = Card(radius=8)
        card.column.setContentsMargins(10, 8, 4, 8)
        card.column.addWidget(self.prompt)
        self.prompt.setFixedHeight(PROMPT_LINES * self.prompt.fontMetrics().lineSpacing() + scaled(8))
        self.prompt.setAccessibleName("System prompt")
        self.model.setAccessibleName("Model of new conversations")
        labels = [TextLabel(text, size=13, weight=MEDIUM) for text in ("Model", "System prompt")]
        section = Section("New conversations", labels[0], self.model, self.model_error, labels[1], card)
        self.model_error.hide()
        return section

    def _context(self) -> QWidget:
        return Section("Context window", self.automatic, note(OFF_NOTE), self.policy, self.policy_note, self.summaries)

    def _buttons(self) -> QWidget:
        footer = QWidget()
        row = QHBoxLayout(footer)
        row.setContentsMargins(24, 14, 24, 14)
        row.setSpacing(10)
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addWidget(self.save)
        self.set_footer(footer)
        return footer

    def _tell_scale(self, scale: int) -> None:
        self.scale_label.set_text(f"Text size: {scale} %")
        self.scale.setAccessibleName(f"Text size, {scale} percent")

    def _show_new(self, widget: QWidget) -> None:
        """Once it has its place: the layouts, one in the other, give it one only after this."""

        def show() -> None:
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
            self.area.ensureWidgetVisible(widget)

        QTimer.singleShot(0, self, show)

    def _model_error(self) -> str:
        model: str = self.model.currentData()
        server = model.partition("/")[0]
        gone = f"This model belonged to “{server}”, which was removed. Choose another model."
        return gone if self.servers.is_gone(model) else ""

    def _save(self) -> None:
        wrong = self._first_wrong()
        if wrong is not None:
            wrong.setFocus(Qt.FocusReason.OtherFocusReason)
            self.area.ensureWidgetVisible(wrong)
            return
        self.save_requested.emit(self.settings(), self.keys())
        self.accept()

    def _first_wrong(self) -> QWidget | None:
        self.model_error.set_text(self._model_error())
        self.model_error.setVisible(bool(self._model_error()))
        wrong: list[QWidget] = [self.model] if self._model_error() else []
        wrong += [found for section in self.sections if (found := section.first_wrong()) is not None]
        return wrong[0] if wrong else None
