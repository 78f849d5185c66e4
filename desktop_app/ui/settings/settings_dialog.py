"""The settings, in one sheet."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop_app.engine.protocol import ModelsListed, SettingsRead
from desktop_app.settings import Settings
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.layouts import STRETCH
from desktop_app.ui.widgets.sheet import Sheet

from .entries import FormEntry

WIDTH = 680


class SettingsDialog(Sheet):
    """Edits the settings. It has its entries once it is open.

    Signals: save_requested(Settings, keys by name), with valid settings only: the sheet then closes; those of its
    list of servers; policies_requested, once they are saved.
    """

    save_requested = Signal(object, dict)
    find_requested = Signal()
    proposals_requested = Signal(object)
    fetch_requested = Signal(object)
    test_requested = Signal(object)
    stop_requested = Signal()
    policies_requested = Signal()

    def __init__(self, read: SettingsRead, models: ModelsListed, parent: QWidget | None = None) -> None:
        super().__init__(parent, width=WIDTH, title=tr("Settings"))
        self._read = read
        self.entries: dict[str, FormEntry] = {}  # by the settings that they write
        self.cancel = Button(tr("Cancel"))
        self.save = Button(tr("Save"), ButtonKind.PRIMARY)
        self.area = ScrollColumn(spacing=22)
        self.lay_out(self.area, STRETCH, self.cancel, self.save)
        self.steps = self._build(read.settings, models)
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._save)

    def settings(self) -> Settings:
        """Return the settings as they are written. Raises ValueError for what is wrong."""
        settings = self._read.settings  # what stands only in the settings file stays as it is
        for entry in sorted(self.entries.values(), key=lambda entry: entry is self.servers):
            settings = entry.write(settings)  # the servers last: the chosen models follow a renamed one
        return settings

    def keys(self) -> dict[str, str]:
        """Return keys to store by the names of their servers; an empty key is to be removed."""
        return self.servers.keys() | self.mcp_servers.keys()

    def show_setting(self, setting: str) -> None:
        """Scroll to a field and give it the focus: "servers/NAME/FIELD", "servers" to add a model, "" for none."""
        self.build()
        field = self.servers.go_to(setting) if setting else None
        if field is not None:
            field.setFocus(Qt.FocusReason.OtherFocusReason)
            if isinstance(field, QLineEdit):
                field.selectAll()
            self._scroll_to_new(field)

    def _build(self, settings: Settings, models: ModelsListed) -> Iterator[QWidget | None]:
        # The sections are imported in steps of their own, since all at once would hold the window.
        from . import server_form as server_form

        yield None
        from .server_list import ServerList

        yield None
        from . import sections
        from .mcp_form import McpList

        yield None
        self.servers = ServerList(self._read)
        self.servers.find_requested.connect(self.find_requested)
        self.servers.proposals_requested.connect(self.proposals_requested)
        self.servers.fetch_requested.connect(self.fetch_requested)
        self.servers.test_requested.connect(self.test_requested)
        self.servers.stop_requested.connect(self.stop_requested)
        self.mcp_servers = McpList(self._read.servers_with_key)
        for forms in (self.servers, self.mcp_servers):
            forms.grown.connect(self._scroll_to_new)
        yield self._add(sections.appearance_section(settings))
        yield self._add(sections.conversation_section(settings, models.models, self.servers))
        numbers = LinkButton(tr("Save, and show every number of the policy…"))
        numbers.clicked.connect(self._show_policies)
        yield self._add(sections.context_section(settings, models.models, self.servers, numbers))
        yield self._add(sections.section(tr("Servers"), self.servers))
        for server in settings.servers:
            yield self.servers.add_form(server)
        self.servers.changed.emit()
        yield self._add(sections.role_section(settings, models.models))
        yield self._add(sections.memory_section(settings))
        yield self._add(sections.tools_section(settings, self.mcp_servers))
        for mcp_server in settings.mcp_servers:
            yield self.mcp_servers.add_form(mcp_server)

    def _add(self, section: QWidget) -> QWidget:
        """Add a section, whose forms of servers come later: their entries write no settings."""
        self.area.add(section)
        self.entries |= {entry.name: entry for entry in section.findChildren(FormEntry)}
        return section

    def _scroll_to_new(self, widget: QWidget) -> None:
        def scroll() -> None:  # once the nested layouts have placed the widget
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
            self.area.ensureWidgetVisible(widget)

        QTimer.singleShot(0, self, scroll)

    def _show_policies(self) -> None:
        self._save()
        if not self.isVisible():
            self.policies_requested.emit()

    def _save(self) -> None:
        wrong = [widget for entry in self.entries.values() if (widget := entry.check()) is not None]
        if wrong:
            wrong[0].setFocus(Qt.FocusReason.OtherFocusReason)
            self.area.ensureWidgetVisible(wrong[0])
            return
        self.save_requested.emit(self.settings(), self.keys())
        self.accept()
