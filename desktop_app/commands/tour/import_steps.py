"""Tour steps about importing conversations of other programs."""

from __future__ import annotations

from desktop_app.ui.importing.import_sheet import ImportSheet, Step

from .tour_session import SAMPLES, TourSession
from .tour_session import Step as TourStep


async def see_what_could_be_imported(tour: TourSession) -> None:
    """Open the import: the histories on this computer, and the formats that can be imported."""
    await tour.show_sidebar()
    tour.window.importing.open()
    sheet = await tour.driver.sheet(ImportSheet, 10, "the import")
    await tour.driver.until(lambda: sheet.kinds.isVisible(), 10, "the known kinds")
    await tour.driver.click(sheet.kinds.link)


async def see_the_preview(tour: TourSession) -> None:
    """Look through the samples' folder."""
    tour.window.importing.open_with((str(SAMPLES),))
    sheet = await tour.driver.sheet(ImportSheet, 10, "the import")
    await tour.driver.until(lambda: sheet.step is Step.PREVIEW, 30, "what was found")


async def leave_it(tour: TourSession) -> None:
    """Close the import without importing anything."""
    await tour.driver.escape()
    await tour.driver.wait_until_closed(ImportSheet)


STEPS: tuple[TourStep, ...] = (see_what_could_be_imported, see_the_preview, leave_it)
