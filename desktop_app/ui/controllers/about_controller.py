"""What the program is made of, in the section of the settings about that."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, in_task
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.text_reader import TextReader

from .controller import open_folder_of
from .settings_controller import SettingsController

if TYPE_CHECKING:
    from desktop_app.ui.settings.about_section import AboutSection
    from desktop_app.ui.settings.settings_dialog import SettingsDialog


class AboutController(QObject):
    """Fills the section, and shows the licences that are chosen in it."""

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
            told = text or tr("The text of this licence is not installed.")
            TextReader(part, told, section.window(), is_mono=True).show()

    def _open_folder(self) -> None:
        if self._section is not None and self._section.info is not None:
            open_folder_of(Path(self._section.info.log))
