"""The steps about the X-ray: the request as it will be sent, what has changed in it, and a way to send it by hand."""

from __future__ import annotations

from desktop_app.conversation.message import Role
from desktop_app.ui.driver import NotSeen
from desktop_app.ui.request_view.request_view import ShownRequest

from .session import TourSession


async def see_the_request(tour: TourSession) -> None:
    """Turn the transcript into the request, part by part."""
    view = tour.window.chat_pane.request
    await tour.driver.click(tour.window.header.views.button("request"))
    await tour.driver.until(lambda: view.isVisible() and view.list.model().rowCount(), 20, "the parts of the request")


async def see_what_has_changed(tour: TourSession) -> None:
    """Compare it with what the model saw when it last answered."""
    view = tour.window.chat_pane.request
    replies = [row.message.id for row in tour.model.rows if row.message.role is Role.ASSISTANT]
    tour.window.request.show_earlier(replies[-1], ShownRequest.CHANGES)
    await tour.driver.until(
        lambda: view.moment is ShownRequest.CHANGES and view.list.model().rowCount(), 20, "the changes"
    )


async def see_the_chat_again(tour: TourSession) -> None:
    """Turn back to the transcript."""
    await tour.driver.click(tour.window.header.views.button("chat"))
    if not tour.window.transcript.isVisible():
        raise NotSeen("the transcript")


async def copy_it_as_a_command(tour: TourSession) -> None:
    """Copy the request to a server as a curl command; the chat comes back after that."""
    view = tour.window.chat_pane.request
    await see_the_request(tour)
    await tour.driver.click(view.curl)
    await tour.driver.until(lambda: tour.driver.copied().startswith("curl"), 10, "the command")
    await tour.driver.until(lambda: tour.window.toast.isVisible(), 5, "that it was copied")
