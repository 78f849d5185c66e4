"""Tour steps about projects."""

from __future__ import annotations

from desktop_app.ui.projects.project_sheet import ProjectSheet
from desktop_app.ui.sidebar.choice_palettes import ProjectPalette

from .tour_session import TourSession

PROJECT = "Kvalsand"
INSTRUCTIONS = "The profile is of Ilse Brandvold. Keep quotations word for word, and say which interview they are from."


async def put_it_in_a_project(tour: TourSession) -> None:
    """Run the command: the conversation moves to a new project."""
    await tour.driver.enter()
    await tour.driver.sheet(ProjectPalette, 10, "the projects")
    await tour.driver.type(PROJECT)
    await tour.driver.enter()
    listed, chat = tour.window.ui.sidebar.list.conversations, tour.window.chat

    def is_moved() -> bool:
        project = listed.project_of(chat.conversation)
        return project is not None and project.name == PROJECT

    await tour.driver.until(is_moved, 10, "the conversation in the project")
    await tour.driver.wait_until_closed(ProjectPalette)


async def see_the_project(tour: TourSession) -> None:
    """Open the project's settings, and write instructions; their tokens are counted."""
    tour.window.projects.open_settings()
    sheet = await tour.driver.sheet(ProjectSheet, 20, "the project")
    sheet.instructions.area.setFocus()
    await tour.driver.type(INSTRUCTIONS)
    await tour.driver.until(lambda: sheet.tokens.text()[:1].isdigit(), 20, "the tokens of the instructions")


async def let_recall_look_further(tour: TourSession) -> None:
    """Let recall search all conversations of the project, which the sheet explains, and save the project."""
    sheet = await tour.driver.sheet(ProjectSheet, 20, "the project")
    await tour.driver.click(sheet.recall.choices.button("project"))
    await tour.driver.click(sheet.save)
    await tour.driver.wait_until_closed(ProjectSheet)
    model, chat = tour.window.ui.sidebar.list.conversations, tour.window.chat

    def is_stored() -> bool:
        project = model.project_of(chat.conversation)
        return project is not None and project.instructions == INSTRUCTIONS

    await tour.driver.until(is_stored, 10, "the project as it was written")


async def begin_in_the_project(tour: TourSession) -> None:
    """Begin a conversation in the project: its page shows the project's settings."""
    project = tour.window.ui.sidebar.list.conversations.project_of(tour.window.chat.conversation)
    tour.window.ui.sidebar.list.begin_requested.emit(project.id if project is not None else "")
    await tour.driver.until(tour.window.ui.chat_pane.project.isVisible, 10, "the project's page")


async def go_back_to_what_was_said(tour: TourSession) -> None:
    """Choose the other conversation of the project on that page."""
    link = tour.window.ui.chat_pane.project.links[0]
    await tour.driver.click(link)
    await tour.driver.until(lambda: not tour.window.ui.chat_pane.project.isVisible(), 10, "the conversation")
    await tour.driver.until(lambda: tour.model.rows, 10, "its messages")


STEPS = (
    put_it_in_a_project,
    see_the_project,
    let_recall_look_further,
    begin_in_the_project,
    go_back_to_what_was_said,
)
