"""The settings, in one sheet."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from desktop_app.engine.protocol import ModelsListed, SettingsRead
from desktop_app.settings import Settings
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind
from desktop_app.ui.widgets.layouts import STRETCH
from desktop_app.ui.widgets.sheet import Sheet

from .section import Section

WIDTH = 680


class SettingsDialog(Sheet):
    """Edits the settings. It has its sections once it is open.

    Signals: save_requested(Settings, keys by name), with valid settings only: the sheet then closes; find_requested,
    for servers; proposals_requested(ServerKind), for names of models.
    """

    save_requested = Signal(object, dict)
    find_requested = Signal()
    proposals_requested = Signal(object)

    def __init__(self, read: SettingsRead, models: ModelsListed, parent: QWidget | None = None) -> None:
        super().__init__(parent, width=WIDTH, title="Settings")
        self._read = read
        self.sections: list[Section] = []
        self.cancel = Button("Cancel")
        self.save = Button("Save", ButtonKind.PRIMARY)
        self.area = ScrollColumn(spacing=22)
        self.lay_out(self.area, STRETCH, self.cancel, self.save)
        self.steps = self._build(read.settings, models)
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._save)

    def settings(self) -> Settings:
        """Return the settings as they are written. Raises ValueError for what is wrong."""
        settings = self._read.settings  # what stands only in the settings file stays as it is
        for section in sorted(self.sections, key=lambda section: section is self.servers):
            settings = section.apply_to(settings)  # the servers last: the chosen models follow a renamed one
        return settings

    def keys(self) -> dict[str, str]:
        """Return keys to store by the names of their servers; an empty key is to be removed."""
        changed: dict[str, str] = {}
        for section in self.sections:
            changed |= section.keys()
        return changed

    def show_setting(self, setting: str) -> None:
        """Scroll to a field and give it the focus: "servers/NAME/FIELD", or "" for none."""
        self.build()
        field = self.servers.field_of(setting)
        if field is not None:
            field.edit.setFocus(Qt.FocusReason.OtherFocusReason)
            field.edit.selectAll()
            self._scroll_to_new(field)

    def _build(self, settings: Settings, models: ModelsListed) -> Iterator[QWidget | None]:
        # The sections are imported in steps of their own, since all at once would hold the window.
        from .server_form import ServerForm as ServerForm

        yield None
        from .servers_section import ServersSection

        yield None
        self.servers = ServersSection(self._read)
        self.servers.finder.find_requested.connect(self.find_requested)
        self.servers.proposals_requested.connect(self.proposals_requested)
        self.servers.grown.connect(self._scroll_to_new)

        from .model_sections import ConversationSection, RoleSection

        yield None
        from .window_sections import AppearanceSection, ContextSection, MemorySection

        yield None
        self.appearance = AppearanceSection(settings)
        yield self._add(self.appearance)
        self.conversations = ConversationSection(settings, models.models, self.servers.is_gone)
        yield self._add(self.conversations)
        self.context = ContextSection(settings, models.models, self.servers.is_set_up)
        yield self._add(self.context)
        yield self._add(self.servers)
        for server in settings.servers:
            yield self.servers.add_form(server)
        self.context.summaries.update_note()
        self.roles = RoleSection(settings, models.models)
        yield self._add(self.roles)
        self.memory = MemorySection(settings)
        yield self._add(self.memory)

        from .tools_section import ToolsSection

        yield None
        self.tools = ToolsSection(settings, self._read.servers_with_key)
        yield self._add(self.tools)
        for server in settings.mcp_servers:
            yield self.tools.add_form(server)
        self.tools.grown.connect(self._scroll_to_new)
        self.servers.changed.connect(self.context.summaries.update_note)

    def _add(self, section: Section) -> Section:
        self.sections.append(section)
        self.area.add(section)
        return section

    def _scroll_to_new(self, widget: QWidget) -> None:
        def scroll() -> None:  # once the nested layouts have placed the widget
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
            self.area.ensureWidgetVisible(widget)

        QTimer.singleShot(0, self, scroll)

    def _save(self) -> None:
        wrong = [widget for section in self.sections if (widget := section.first_wrong()) is not None]
        if wrong:
            wrong[0].setFocus(Qt.FocusReason.OtherFocusReason)
            self.area.ensureWidgetVisible(wrong[0])
            return
        self.save_requested.emit(self.settings(), self.keys())
        self.accept()
