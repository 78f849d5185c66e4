"""Controllers of the settings: the dialog, servers being set up, About, and changes by other processes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from msgspec.structs import replace
from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from desktop_app.conversation.events import ToolServersChanged
from desktop_app.conversation.model_servers import CheckStep
from desktop_app.engine import protocol as p
from desktop_app.settings import ServerKind, Settings, Theme
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.controller import open_folder_of
from desktop_app.ui.style import desktop_look, show_theme, system_look
from desktop_app.ui.theme import TEXT_SIZES
from desktop_app.ui.toast import Toast
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.long_text import TextReader
from desktop_app.ui.widgets.number_formats import format_percent

if TYPE_CHECKING:
    from .mcp_form import McpForm
    from .sections import AboutSection
    from .server_form import ServerForm
    from .settings_dialog import SettingsDialog


SETTLED = 300  # milliseconds after the last change, since an editor may write in steps


class SettingsWatch(QObject):
    """Watches the settings file. Signal: changed, once writing has settled; also after our own changes.

    The folder is watched as well, since replacing the file ends the watch on it.
    """

    changed = Signal()

    def __init__(self, file: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._file = file
        self._seen = self._state()
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self, singleShot=True, interval=SETTLED)
        self._timer.timeout.connect(self._look)
        self._watcher.fileChanged.connect(lambda _: self._timer.start())
        self._watcher.directoryChanged.connect(lambda _: self._timer.start())
        self._watch()

    def _watch(self) -> None:
        wanted = {str(path) for path in (self._file, self._file.parent) if path.exists()}
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if new := wanted - watched:
            self._watcher.addPaths(sorted(new))

    def _look(self) -> None:
        self._watch()
        before, self._seen = self._seen, self._state()
        if self._seen and self._seen != before:
            self.changed.emit()

    def _state(self) -> tuple[int, int, int] | None:
        try:
            stat = self._file.stat()
        except OSError:
            return None
        return stat.st_ino, stat.st_mtime_ns, stat.st_size


STEPS: tuple[CheckStep, ...] = get_args(CheckStep)


class ServerSetup(QObject):
    """Handles the requests of the list of servers in the settings."""

    def __init__(self, bridge: Bridge, dialog: SettingsDialog) -> None:
        super().__init__(dialog)
        self._bridge, self._dialog = bridge, dialog
        self._tested: ServerForm | None = None
        dialog.find_requested.connect(self._find)
        dialog.proposals_requested.connect(self._propose)
        dialog.fetch_requested.connect(self._fetch)
        dialog.test_requested.connect(self._test)
        dialog.forget_requested.connect(self._forget)
        dialog.stop_requested.connect(self._stop)
        dialog.finished.connect(self._stop)
        dialog.try_requested.connect(self._try)

    @in_task
    async def show_states(self) -> None:
        """Show what the tool servers do."""
        states = (await self._bridge.ask(p.ReadToolServers())).states
        if isValid(self._dialog):
            self._dialog.mcp_servers.show_states(states)

    @in_task
    async def _try(self, form: McpForm) -> None:
        """Start a tool server as it is written, and show its state."""
        tried = await self._bridge.ask(p.TryToolServer(form.server(), form.key_to_use()))
        if isValid(form):
            form.state.show_state(tried.states[0])

    @in_task
    async def _find(self) -> None:
        try:
            servers = (await self._bridge.ask(p.FindServers())).servers
        except EngineFailure as error:
            if isValid(self._dialog):
                self._dialog.servers.end_search(tr_engine(error.failure.title))
            return
        if isValid(self._dialog):  # otherwise it was closed in the meantime
            self._dialog.servers.show_found(servers)

    @in_task
    async def _propose(self, kind: ServerKind) -> None:
        proposed = await self._bridge.ask(p.ProposeModels(kind))
        if isValid(self._dialog):
            self._dialog.servers.propose(kind, proposed.models)

    @in_task
    async def _fetch(self, form: ServerForm) -> None:
        listed = p.ServerModelsListed((), ())
        try:
            listed = await self._bridge.ask(p.ListServerModels(form.as_written(), *form.key_to_use()))
        finally:
            if isValid(form):
                form.show_fetched(listed.offers, listed.results)

    @in_task
    async def _forget(self, form: ServerForm) -> None:
        await self._forget_learned(form, form.models.current())

    async def _forget_learned(self, form: ServerForm, model: str) -> None:
        """Forget what was learned about a model of the server that the form edits, and show what is known then."""
        listed = await self._bridge.ask(p.ForgetLearned(form.original.name, model))
        if isValid(self._dialog):
            self._dialog.servers.show_known(listed)

    @in_task
    async def _test(self, form: ServerForm) -> None:
        """Run the check step by step, until a step fails or the user stops it."""
        if self._tested is not None and isValid(self._tested):
            self._tested.check_pane.end()
        self._tested = form
        server, model, keys = form.as_written(), form.models.current(), form.key_to_use()
        form.check_pane.begin()
        if form.original.name:
            await self._forget_learned(form, model)  # it is learned again, if it is still true
        for step in STEPS:
            try:
                checked = await self._bridge.ask(p.CheckServer(server, model, step, *keys))
            except EngineFailure as error:
                if error.failure.kind != "cancelled":
                    raise
                break
            if self._tested is not form or not isValid(form):
                return
            form.check_pane.add(checked.results)
            if any(result.state == "bad" for result in checked.results):
                break
        if self._tested is form and isValid(form):
            self._tested = None
            form.check_pane.end()

    def _stop(self) -> None:
        form, self._tested = self._tested, None
        if form is not None:
            form.check_pane.end()
            self._bridge.post(p.StopCheck())


BUILTIN = "builtin"
TEXT_STEP = 10  # percent of the usual size, for each press of a key


def look_of(settings: Settings) -> tuple[object, ...]:
    """Return the settings on which the look of every widget depends."""
    return settings.theme, settings.contrast, settings.font_scale


def added_models(settings: Settings, before: Settings) -> tuple[str, ...]:
    """Return the ids of the models that were added. A renamed server adds none."""
    known = {(server.kind, server.base_url, model) for server in before.servers for model in server.models}
    return tuple(
        f"{server.name}/{model}"
        for server in settings.servers
        for model in server.models
        if (server.kind, server.base_url, model) not in known
    )


def with_first_model(settings: Settings, added: Sequence[str]) -> Settings:
    """Return the settings with the first added model for new conversations, if there was none before."""
    is_first = 0 < len(added) == sum(len(server.models) for server in settings.servers)
    return replace(settings, chat_model=added[0]) if is_first and settings.chat_model == BUILTIN else settings


class SettingsController(QObject):
    """Shows and stores the settings.

    Signals: changed(Settings), once they are stored; models_added(tuple of ids), when the user has added models;
    policies_requested; dialog_opened(SettingsDialog).
    """

    changed = Signal(object)
    models_added = Signal(tuple)
    policies_requested = Signal()
    dialog_opened = Signal(object)

    def __init__(self, bridge: Bridge, settings: Settings, window: QWidget, toast: Toast) -> None:
        super().__init__()
        self._bridge = bridge
        self._window, self._toast = window, toast
        self._settings = settings
        self._dialog: SettingsDialog | None = None
        self._written: Settings | None = None  # the settings that the dialog has read, or stored last
        self._changing = asyncio.Lock()
        self._setup: ServerSetup | None = None
        bridge.listen(lambda _: self._show_states(), ToolServersChanged)
        hints = system_look()
        hints.colorSchemeChanged.connect(self.show_theme)
        hints.accessibility().contrastPreferenceChanged.connect(self.show_theme)
        if (desktop := desktop_look()) is not None:
            desktop.changed.connect(self.show_theme)

    def show_theme(self) -> None:
        """Apply the chosen theme; "system" follows the system."""
        _show_look(self._settings)

    @in_task
    async def open(self, setting: str = "") -> None:
        """Open the settings at "servers/NAME/FIELD", at "servers" to add a model, or at a section; "" for the first."""
        from .settings_dialog import SettingsDialog

        if self._dialog is not None:
            self._dialog.show_setting(setting)
            return
        read = await self._bridge.ask(p.ReadSettings())
        models = await self._bridge.ask(p.ListModels())
        if self._dialog is not None:
            return
        dialog = self._dialog = SettingsDialog(read, models, self._window)
        self._written = read.settings
        dialog.save_requested.connect(self._write)
        dialog.look_changed.connect(_show_look)
        dialog.rejected.connect(self.show_theme)
        setup = ServerSetup(self._bridge, dialog)  # lives as long as the dialog
        dialog.policies_requested.connect(self._show_policies)
        dialog.finished.connect(self._forget_dialog)
        await dialog.open_gradually()
        if dialog is self._dialog:
            self.dialog_opened.emit(dialog)
            dialog.show_setting(setting)
            self._setup = setup
            self._show_states()

    def close_dialog(self) -> None:
        """Close the settings without saving."""
        if self._dialog is not None:
            self._dialog.discard()

    async def change(self, changed: Callable[[Settings], Settings]) -> None:
        """Store the settings with one change. Concurrent changes are made one after the other."""
        async with self._changing:
            read = await self._bridge.ask(p.ReadSettings())
            await self._store(changed(read.settings), {}, read.settings)

    @in_task
    async def stop_warning_of_resets(self) -> None:
        """Show no price any more before a change that loses a provider's cache."""
        await self.change(lambda settings: replace(settings, is_warning_of_resets=False))

    @in_task
    async def resize_text(self, steps: int) -> None:
        """Make the text larger by that many steps, or smaller if negative; 0 resets its size."""
        await self.change(lambda settings: replace(settings, font_scale=_resized(settings.font_scale, steps)))
        percent = format_percent(self._settings.font_scale)
        self._toast.show_message(tr("Text size {percent}").format(percent=percent))

    @in_task
    async def use_theme(self, theme: Theme) -> None:
        """Use a theme from now on."""
        await self.change(lambda settings: replace(settings, theme=theme))

    @in_task
    async def _write(self, settings: Settings, keys: dict[str, str]) -> None:
        async with self._changing:
            base = self._written
            added = added_models(settings, base) if base is not None else ()
            settings = self._written = with_first_model(settings, added)
            await self._store(settings, keys, base)
        if added:
            self.models_added.emit(added)

    @in_task
    async def reload(self) -> None:
        """Load the settings that another process, or the user's editor, has stored."""
        async with self._changing:
            reloaded = await self._bridge.ask(p.ReloadSettings())
            self._take(reloaded.settings)
        if reloaded.is_changed:
            self._toast.show_message(tr("The settings were changed outside this window. They are used now."))

    @in_task
    async def _show_policies(self) -> None:
        async with self._changing:  # after the settings that the dialog has saved are stored
            self.policies_requested.emit()

    def _show_states(self) -> None:
        if self._setup is not None and isValid(self._setup):
            self._setup.show_states()

    def _forget_dialog(self) -> None:
        self._setup = None
        if self._dialog is not None:
            self._dialog.deleteLater()
        self._dialog = None

    async def _store(self, settings: Settings, keys: dict[str, str], base: Settings | None) -> None:
        stored = await self._bridge.ask(p.WriteSettings(settings, keys, base))
        self._take(stored.settings)

    def _take(self, settings: Settings) -> None:
        before, self._settings = self._settings, settings
        if look_of(before) != look_of(settings):
            self.show_theme()  # restyles every widget, which takes a third of a second
        self.changed.emit(settings)


def _resized(font_scale: float, steps: int) -> float:
    """Return the font scale after that many steps, within the range that the settings offer."""
    least, most, _ = TEXT_SIZES
    return min(max(round(100 * font_scale) + steps * TEXT_STEP, least), most) / 100 if steps else 1.0


def _show_look(settings: Settings) -> None:
    """Apply the theme and the text size of these settings, unless they are already applied."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    show_theme(application, settings.theme, settings.font_scale, settings.contrast)


class AboutController(QObject):
    """Fills the About section, and shows the licences chosen in it."""

    def __init__(self, bridge: Bridge, settings: SettingsController) -> None:
        super().__init__()
        self._bridge, self._settings = bridge, settings
        self._section: AboutSection | None = None
        settings.dialog_opened.connect(self._use)

    def open(self) -> None:
        """Show the section."""
        self._settings.open("about")

    def _use(self, dialog: SettingsDialog) -> None:
        section = self._section = dialog.about
        section.content_requested.connect(self._describe)
        section.licence_requested.connect(self._read)
        section.folder_requested.connect(self._open_folder)
        dialog.finished.connect(self._forget)
        if section.isVisible():  # it has asked already
            self._describe()

    def _forget(self) -> None:
        self._section = None

    @in_task
    async def _describe(self) -> None:
        section = self._section
        described = await self._bridge.ask(p.DescribeProgram())
        if section is not None and section is self._section:
            section.show_info(described.info)

    @in_task
    async def _read(self, part: str) -> None:
        section = self._section
        text = (await self._bridge.ask(p.ReadLicence(part))).text
        if section is not None and section is self._section:
            content = text or tr("The text of this licence is not installed.")
            TextReader(part, content, section.window(), is_mono=True).show()

    def _open_folder(self) -> None:
        if self._section is not None and self._section.info is not None:
            open_folder_of(Path(self._section.info.log))
