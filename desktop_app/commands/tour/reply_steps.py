"""The steps about what a reply can hold, and what can be taken out of it. The built-in model writes no formulas: they
are shown in an imported sample."""

from __future__ import annotations

from desktop_app.ui.transcript.display_list import Action
from desktop_app.ui.transcript_driver import TranscriptDriver
from desktop_app.ui.widgets.graphics import graphics

from .session import TourSession

REPLY_WITH_DIAGRAM = 3
"""Its row in the sample."""


async def see_formulas(tour: TourSession) -> None:
    """Import a conversation with formulas and a table, and read it from its beginning."""
    before = graphics.version
    await tour.import_sample("tides.jsonl")
    tour.window.transcript.go_to_start()
    await _transcript(tour).is_drawn(before)


async def see_a_diagram(tour: TourSession) -> None:
    """Scroll to a diagram, with the code below it."""
    tour.window.transcript.show_message(tour.model.rows[REPLY_WITH_DIAGRAM].message.id)
    await _transcript(tour).has_diagram(REPLY_WITH_DIAGRAM)


async def let_long_lines_be(tour: TourSession) -> None:
    """Stop wrapping the long lines of the code."""
    transcript = tour.window.transcript
    before = transcript.layout_of(REPLY_WITH_DIAGRAM).height
    await _transcript(tour).click(REPLY_WITH_DIAGRAM, Action.WRAP_CODE)
    await tour.driver.until(
        lambda: transcript.layout_of(REPLY_WITH_DIAGRAM).height < before, 10, "lines of their own length"
    )


async def select_over_messages(tour: TourSession) -> None:
    """Mark text with the mouse, from one message into the next one."""
    transcript = tour.window.transcript
    transcript.follow_end()
    await tour.driver.until(lambda: transcript.is_settled, 10, "the end")
    last = tour.model.rowCount() - 1
    _transcript(tour).mark(last - 1, last)


async def copy_it_as_markdown(tour: TourSession) -> None:
    """Copy what is marked as Markdown, with who said what."""
    await _transcript(tour).copy_as_markdown()
    await tour.driver.until(lambda: tour.window.toast.isVisible(), 5, "that it was copied")


def _transcript(tour: TourSession) -> TranscriptDriver:
    return TranscriptDriver(tour.driver, tour.window.transcript)
