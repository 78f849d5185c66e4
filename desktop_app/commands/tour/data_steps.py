"""The steps about what is stored, and what the program is made of."""

from __future__ import annotations

from desktop_app.ui.settings.settings_dialog import SettingsDialog

from .session import TourSession


async def see_what_is_stored(tour: TourSession) -> None:
    """Back up in the settings: where the data is, the backups, and what could be removed."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    settings.show_section("data")
    data = settings.data
    await tour.driver.until(lambda: data.stored is not None, 20, "what is stored")
    await tour.driver.click(data.backups.make)
    await tour.driver.until(lambda: data.backups.task.told.isVisible(), 20, "that it was backed up")
    await tour.driver.until(lambda: data.backups.list.rows.rowCount(), 10, "the backup in the list")
    settings.area.verticalScrollBar().setValue(0)


async def see_what_it_is_made_of(tour: TourSession) -> None:
    """Show the versions and the licences of all parts."""
    settings = await tour.driver.sheet(SettingsDialog, 20, "the settings")
    settings.show_section("about")
    await tour.driver.until(lambda: settings.about.list.rows.rowCount(), 20, "the parts")
