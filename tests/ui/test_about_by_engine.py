"""About, with the real engine: found by the palette, filtered, read, and copied."""

from __future__ import annotations

import pytest
from person import PATIENCE, Person

from desktop_app import __version__
from desktop_app.ui.settings.settings_dialog import SettingsDialog
from desktop_app.ui.widgets.long_text import TextReader

pytestmark = [pytest.mark.wire, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]


def test_versions_are_copied_and_licences_read(play_by_engine) -> None:
    async def scene(person: Person) -> None:
        await person.press_command("About Palimpsest")
        dialog = await person.sheet(SettingsDialog, PATIENCE, "the settings")
        about = dialog.about
        await person.sees(lambda: about.isVisible() and about.info, "what it is made of")
        assert about.name.text() == f"Palimpsest {__version__}"
        assert "SQLite" in about.versions.text()
        assert str(person.data) in about.folders.text()
        await person.click(about.copy)
        assert person.copied().startswith(f"Palimpsest: {__version__}\nPython: ")
        dialog.area.ensureWidgetVisible(about.filter)
        await person.click(about.filter)
        await person.type("pyside")
        await person.sees(lambda: about.list.rows.rowCount() == 2, "one part, below its family")
        place = about.list.visualRect(about.list.rows.index(1)).center()
        await person.click(about.list.viewport(), place.toTuple())
        await person.sees(lambda: person.window.findChildren(TextReader), "its licence")
        (reader,) = person.window.findChildren(TextReader)
        assert "GNU LESSER GENERAL PUBLIC LICENSE" in reader.text.toPlainText()
        reader.close()
        await person.click(about.filter)
        await person.type(" no such")
        assert about.empty.isVisible()

    play_by_engine(scene, [])
