"""The steps about figures: what a policy would do, what was used, and by which provider."""

from __future__ import annotations

from desktop_app.ui.policy.policy_sheet import PolicySheet

from .server_steps import open_conversation
from .session import TourSession


async def try_a_policy(tour: TourSession) -> None:
    """Turn a number of the policy, and see what it would do now and would have done."""
    tour.window.policies.open()
    sheet = await tour.driver.sheet(PolicySheet, 10, "the page of policies")
    sheet.set_field("background_at", 0.5)
    table = sheet.effect.table
    await tour.driver.until(lambda: table.cells and table.cells[0][1].text(), 60, "the past under two policies")


async def use_it_here(tour: TourSession) -> None:
    """Use the policy in this conversation only; the marks of the gauge move."""
    sheet = await tour.driver.sheet(PolicySheet, 10, "the page of policies")
    await tour.driver.click(sheet.use_here)
    await tour.driver.until(lambda: tour.gauge and tour.gauge.thresholds[0] == 0.5, 10, "other marks")


async def see_the_insights(tour: TourSession) -> None:
    """Open the page of insights: the window over time, and what it cost."""
    await open_conversation(tour, "profile")
    await tour.driver.click(tour.window.sidebar.insights)
    page = tour.window.insights.page
    await tour.driver.until(lambda: page and page.chart.isVisible(), 20, "the chart of the window")


async def see_them_by_provider(tour: TourSession) -> None:
    """Turn to all conversations: what each model and each provider was asked and what that cost."""
    page = tour.window.insights.page
    await tour.driver.click(page.scope.button("all") if page else None)
    await tour.driver.until(lambda: page and page.providers.isVisible() and not page.is_one, 20, "the providers")
    await tour.driver.until(lambda: page and page.export.isEnabled(), 60, "all figures")
