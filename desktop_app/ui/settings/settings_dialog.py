"""The settings, in one sheet."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QBoxLayout, QLineEdit, QWidget

from desktop_app.engine.protocol import ModelsListed, SettingsRead
from desktop_app.settings import Settings
from desktop_app.ui.translation import tr
from desktop_app.ui.welcome import BuiltinOffer
from desktop_app.ui.widgets.boxes import ScrollColumn
from desktop_app.ui.widgets.buttons import Button, ButtonKind, LinkButton
from desktop_app.ui.widgets.layouts import horizontal, set_margins, vertical
from desktop_app.ui.widgets.look import BOLD, scale
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.text_label import TextLabel

from .entries import FormEntry
from .sections import SectionList

WIDTH, HEIGHT = 860, 720  # pixels
NARROW = 560  # pixels below which the sections are chosen above the fields
LOOK_DELAY = 150  # milliseconds without a change, after which the window applies a new look
LOOK = ("theme", "contrast", "font_scale")


class SettingsDialog(Sheet):
    """Edits the settings, one section at a time. Its entries are built when it is opened.

    Signals: save_requested(Settings, keys by name), with valid settings only, after which the sheet closes; the signals
    of its list of servers; policies_requested, once the settings are saved; look_changed(Settings), with a theme or
    text size to preview until the sheet is closed.
    """

    save_requested = Signal(object, dict)
    find_requested = Signal()
    proposals_requested = Signal(object)
    fetch_requested = Signal(object)
    test_requested = Signal(object)
    forget_requested = Signal(object)
    stop_requested = Signal()
    try_requested = Signal(object)
    policies_requested = Signal()
    look_changed = Signal(object)

    def __init__(self, read: SettingsRead, models: ModelsListed, parent: QWidget | None = None) -> None:
        super().__init__(parent, width=WIDTH, title=tr("Settings"))
        self._read = read
        self.entries: dict[str, FormEntry] = {}  # by the names of their settings
        self.cancel = Button(tr("Cancel"))
        self.save = Button(tr("Save"), ButtonKind.PRIMARY)
        self.area = ScrollColumn(spacing=22)
        self.side = SectionList()
        self.side.section_chosen.connect(self.show_section)
        self._sections: dict[str, QWidget] = {}
        self._look = QTimer(self, singleShot=True, interval=LOOK_DELAY)
        self._look.timeout.connect(self._tell_look)
        self._arrange()
        self.steps = self._build(read.settings, models)
        self.cancel.clicked.connect(self.reject)
        self.save.clicked.connect(self._save)
        self.set_first(self.side.field)  # not the button that discards

    def show_section(self, name: str) -> None:
        """Show only that section."""
        for other, section in self._sections.items():
            section.setVisible(other == name)
        self.side.show_chosen(name)
        self.area.verticalScrollBar().setValue(0)

    def settings(self) -> Settings:
        """Return the edited settings. Raises ValueError if an entry is invalid."""
        settings = self._read.settings  # settings that exist only in the file stay unchanged
        for entry in sorted(self.entries.values(), key=lambda entry: entry is self.servers):
            settings = entry.write(settings)  # servers last, since chosen models follow a renamed server
        return settings

    def keys(self) -> dict[str, str]:
        """Return API keys to store, by the names of their servers; "" removes a key."""
        return self.servers.keys() | self.mcp_servers.keys()

    def unsaved(self) -> str:
        return tr("Discard your changes?") if self._written() != self._before else ""

    def _written(self) -> tuple[Settings | None, dict[str, str]]:
        """Return the edited settings, None if they are invalid, and the keys."""
        try:
            return self.settings(), self.keys()
        except ValueError:
            return None, self.keys()

    def show_setting(self, setting: str) -> None:
        """Scroll to a field and focus it: "servers/NAME/FIELD", "mcp_servers/NAME", or "servers" to add a model.

        The name of another section shows that section.
        """
        self.build()
        if setting != "servers" and setting in self._sections:
            self.show_section(setting)
            return
        servers = self.mcp_servers if setting.startswith("mcp_servers/") else self.servers
        field = servers.go_to(setting) if setting else None
        if field is not None:
            self._reveal(field)
            field.setFocus(Qt.FocusReason.OtherFocusReason)
            if isinstance(field, QLineEdit):
                field.selectAll()
            self._scroll_to_new(field)

    def _build(self, settings: Settings, models: ModelsListed) -> Iterator[QWidget | None]:
        # The sections are imported in separate steps, since importing all at once would block the window.
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
        self.servers.forget_requested.connect(self.forget_requested)
        self.servers.stop_requested.connect(self.stop_requested)
        self.mcp_servers = McpList(self._read)
        self.mcp_servers.try_requested.connect(self.try_requested)
        for forms in (self.servers, self.mcp_servers):
            forms.grown.connect(self._scroll_to_new)
        self.builtin = BuiltinOffer()
        section = sections.section(tr("Servers and models"), self.builtin, self.servers)
        yield self._add("servers", tr("Servers and models"), section)
        for server in settings.servers:
            yield self.servers.add_form(server)
        self.servers.show_known(models)
        new = sections.conversation_section(settings, models.models, self.servers)
        yield self._add("new", tr("New conversations"), new)
        numbers = LinkButton(tr("Save, and show every number of the policy…"))
        numbers.clicked.connect(self._show_policies)
        context = sections.context_section(settings, models.models, self.servers, numbers)
        yield self._add("context", tr("Context window"), context)
        yield self._add("costs", tr("Costs"), sections.spending_section(settings))
        self.servers.changed.emit()  # updates the descriptions that depend on them
        yield self._add("roles", tr("Other tasks"), sections.role_section(settings, models.models))
        yield self._add("memory", tr("Memory"), sections.memory_section(settings))
        tools = sections.tools_section(settings, self.mcp_servers, self._read.sandbox_fault)
        yield self._add("tools", tr("Tools"), tools)
        for mcp_server in settings.mcp_servers:
            self.mcp_servers.add_form(mcp_server)
            yield None
        yield self._add("look", tr("Appearance"), sections.appearance_section(settings))
        from .data_section import DataSection
        from .sections import AboutSection

        yield None
        self.data = DataSection()
        for task in self.data.tasks:
            task.grown.connect(self._scroll_to_new)
        yield self._add("data", tr("Data"), self.data)
        self.about = AboutSection()
        yield self._add("about", tr("About"), self.about)
        for name in LOOK:
            self.entries[name].changed.connect(self._look.start)
        QWidget.setTabOrder(self.entries["language"].control, self.cancel)  # the buttons were created before
        QWidget.setTabOrder(self.cancel, self.save)
        self._before = self._written()

    def _arrange(self) -> None:
        body = QWidget()
        self.area.viewport().setAutoFillBackground(True)  # opaque, so that a repaint skips what is behind it
        set_margins(self.area.column, 0, 0, 16, 12)
        title = TextLabel(self.windowTitle(), size=17, weight=BOLD)
        self._side = vertical(title, self.side, spacing=12)
        self._body = horizontal(self._side, (self.area, 1), holder=body, spacing=24, margins=(24, 18, 8, 0))
        vertical((body, 1), self.make_footer(self.cancel, self.save), holder=self, spacing=0)

    def _wanted_size(self, limit: QSize) -> QSize:
        is_narrow = limit.width() < scale(NARROW)
        self.side.set_narrow(is_narrow)
        self._body.setDirection(QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight)
        self._body.setSpacing(12 if is_narrow else 24)
        set_margins(self._side, 0, 0, 16 if is_narrow else 0, 0)  # as wide as the fields below
        return QSize(min(scale(WIDTH), limit.width()), min(scale(HEIGHT), limit.height()))

    def _add(self, name: str, title: str, section: QWidget) -> QWidget | None:
        """Add a section, and return it if it is visible. Forms of servers come later: they write no settings."""
        self.area.add(section)
        self.entries |= {entry.name: entry for entry in section.findChildren(FormEntry)}
        is_first = not self._sections
        self._sections[name] = section
        section.setVisible(is_first)
        self.side.add(name, title, section)
        return section if is_first else None

    def _reveal(self, widget: QWidget) -> None:
        """Show the section in which the widget is."""
        name = next((name for name, section in self._sections.items() if section.isAncestorOf(widget)), "")
        if name and not self._sections[name].isVisibleTo(self):
            self.show_section(name)

    def _tell_look(self) -> None:
        settings = self._read.settings
        for name in LOOK:
            settings = self.entries[name].write(settings)
        self.look_changed.emit(settings)

    def _scroll_to_new(self, widget: QWidget) -> None:
        self._reveal(widget)

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
            self._reveal(wrong[0])
            wrong[0].setFocus(Qt.FocusReason.OtherFocusReason)
            self.area.ensureWidgetVisible(wrong[0])
            return
        self.save_requested.emit(self.settings(), self.keys())
        self.accept()
