"""The order and the headings of the conversation list."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

import msgspec
from PySide6.QtCore import QLocale

from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.setup import Project
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import locale, tr
from desktop_app.ui.widgets.number_formats import format_day, isolate

PINNED, PUT_AWAY, OTHERS = translatable("Pinned"), translatable("Archived"), translatable("Conversations")
MAX_PROJECTS = 12  # projects in the list; a palette offers the others


class Order(StrEnum):
    """The sort order of the list."""

    ACTIVITY = "activity"
    TITLE = "title"
    MESSAGES = "messages"


class Arrangement(msgspec.Struct, frozen=True):
    """Which conversations are listed, and in which order."""

    order: Order = Order.ACTIVITY
    query: str = ""
    """Words that a title or a project's name must contain; "" for all conversations."""
    shows_put_away: bool = False
    folded: frozenset[str] = frozenset()
    """The ids of the projects whose conversations are hidden."""
    open_project: str = ""
    """The id of a project that is listed even beyond MAX_PROJECTS; "" for none."""


class Heading(msgspec.Struct, frozen=True):
    """A heading between conversations."""

    title: str


class ProjectsHeading(msgspec.Struct, frozen=True):
    """The heading above the projects, with a button for a new one."""

    @property
    def title(self) -> str:
        return tr("Projects")


class ProjectHeading(msgspec.Struct, frozen=True):
    """A project above its conversations."""

    project: Project
    count: int
    """The number of conversations below it, including hidden ones."""
    is_folded: bool = False
    hidden: tuple[str, ...] = ()
    """The ids of those that are hidden."""

    @property
    def title(self) -> str:
        return self.project.name


class ArchivedHeading(msgspec.Struct, frozen=True):
    """The heading above the archived conversations. count: their number, including hidden ones."""

    count: int
    is_folded: bool
    hidden: tuple[str, ...] = ()
    """The ids of those that are hidden."""

    @property
    def title(self) -> str:
        return tr("Archived")


class AllProjectsRow(msgspec.Struct, frozen=True):
    """A row for the projects that are not listed. count: the number of all projects."""

    count: int

    @property
    def title(self) -> str:
        return tr("All %n projects…", "", self.count)


SidebarRow = Heading | ProjectsHeading | ProjectHeading | ArchivedHeading | AllProjectsRow | ConversationInfo
SORT_KEYS: dict[Order, Callable[[ConversationInfo], tuple[float, str]]] = {
    Order.ACTIVITY: lambda info: (-info.updated_at, ""),
    Order.TITLE: lambda info: (0, info.title.casefold()),
    Order.MESSAGES: lambda info: (-info.messages, info.title.casefold()),
}


def arrange_rows(
    conversations: Iterable[ConversationInfo], projects: Sequence[Project], wanted: Arrangement, now: float
) -> list[SidebarRow]:
    """Return the rows: pinned conversations, then the projects, then the rest, then archived conversations.

    A conversation whose project is not among `projects` is in none. With a query, the only headings are the matching
    projects, and archived conversations are found as well.
    """
    ordered = sorted(conversations, key=SORT_KEYS[wanted.order])
    words = wanted.query.casefold().split()
    groups: dict[str, list[ConversationInfo]] = {PINNED: [], PUT_AWAY: [], "": []}
    known = {project.id for project in projects}
    for info in ordered:
        groups.setdefault(_group_of(info, known), []).append(info)
    if words:
        fitting = [one for one in _by_name(projects) if _fits(one.name, words)]
        rows: list[SidebarRow] = [_project_row(one, groups.get(_key(one.id), []), is_folded=True) for one in fitting]
        return rows + [info for info in ordered if _fits(info.title, words)]
    rows = _under(PINNED, groups[PINNED])
    if projects or ordered:
        rows += _rows_of_projects(projects, groups, wanted)
    if wanted.order is Order.ACTIVITY:
        rows += group_by_age(groups[""], now)
    else:
        rows += _under(OTHERS, groups[""])
    return rows + _archived_rows(groups[PUT_AWAY], is_folded=not wanted.shows_put_away)


def group_by_age(conversations: Sequence[ConversationInfo], now: float) -> list[SidebarRow]:
    """Return the conversations, newest first, with a heading above each group."""
    rows: list[SidebarRow] = []
    since = float("inf")
    for info in sorted(conversations, key=SORT_KEYS[Order.ACTIVITY]):
        if info.updated_at < since:
            title, since = _heading_of(info.updated_at, now)
            rows.append(Heading(title))
        rows.append(info)
    return rows


def age_text(at: float, now: float) -> str:
    """Return "now", "2 min", "3 h", "Tue", "3 Mar" or "3 Mar 2024"."""
    seconds = max(now - at, 0)
    then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now)
    days = (today.date() - then.date()).days
    if seconds < 60:
        return tr("now", "the age of a conversation")
    if seconds < 3600:
        return tr("{minutes} min").format(minutes=int(seconds // 60))
    if days <= 0 or seconds < 12 * 3600:
        return tr("{hours} h").format(hours=int(seconds // 3600))
    if days < 7:
        return locale().dayName(then.isoweekday(), QLocale.FormatType.ShortFormat)
    return format_day(then.date(), has_year=then.year != today.year)


def details_of(info: ConversationInfo, now: float) -> str:
    """Return the line below a title, such as "2 min · 1,204 messages"."""
    age, messages = age_text(info.updated_at, now), tr("%n messages", "", info.messages)
    details = f"{isolate(age)} · {isolate(messages)}"
    return tr("Archived · {details}").format(details=details) if info.is_put_away else details


def _rows_of_projects(
    projects: Sequence[Project], groups: Mapping[str, list[ConversationInfo]], wanted: Arrangement
) -> list[SidebarRow]:
    """Return the projects by name, with their conversations; of more than MAX_PROJECTS, those used last."""
    rows: list[SidebarRow] = [ProjectsHeading()]

    def used_at(project: Project) -> float:
        times = [info.updated_at for info in groups.get(_key(project.id), [])]
        return float("inf") if project.id == wanted.open_project else max(times, default=project.created_at)

    for project in _by_name(sorted(projects, key=used_at, reverse=True)[:MAX_PROJECTS]):
        infos = groups.get(_key(project.id), [])
        is_folded = project.id in wanted.folded
        rows.append(_project_row(project, infos, is_folded=is_folded))
        rows += [] if is_folded else infos
    return rows + ([AllProjectsRow(len(projects))] if len(projects) > MAX_PROJECTS else [])


def _project_row(project: Project, infos: Sequence[ConversationInfo], *, is_folded: bool) -> ProjectHeading:
    return ProjectHeading(project, len(infos), is_folded, tuple(info.id for info in infos) if is_folded else ())


def _by_name(projects: Iterable[Project]) -> list[Project]:
    return sorted(projects, key=lambda project: (project.name.casefold(), project.name))


def _fits(text: str, words: Sequence[str]) -> bool:
    return all(word in text.casefold() for word in words)


def _group_of(info: ConversationInfo, known: Container[str]) -> str:
    if info.is_put_away:
        return PUT_AWAY
    if info.is_pinned:
        return PINNED
    return _key(info.project) if info.project in known else ""


def _key(project: str) -> str:
    return f"project {project}"


def _archived_rows(infos: Sequence[ConversationInfo], *, is_folded: bool) -> list[SidebarRow]:
    """Return the heading of the archived conversations, and the conversations unless folded."""
    if not infos:
        return []
    hidden = tuple(info.id for info in infos) if is_folded else ()
    return [ArchivedHeading(len(infos), is_folded, hidden), *([] if is_folded else infos)]


def _under(title: str, infos: Sequence[ConversationInfo]) -> list[SidebarRow]:
    return [Heading(tr(title)), *infos] if infos else []


def _heading_of(at: float, now: float) -> tuple[str, float]:
    """Return the heading for a time, and the earliest time that the heading covers."""
    today = datetime.combine(datetime.fromtimestamp(now), datetime.min.time())
    for title, days in ((tr("Today"), 0), (tr("Yesterday"), 1), (tr("This week"), 6)):
        since = (today - timedelta(days)).timestamp()
        if at >= since:
            return title, since
    then = datetime.fromtimestamp(at)
    if then.year == today.year:
        return locale().standaloneMonthName(then.month), datetime(then.year, then.month, 1).timestamp()
    return f"{then:%Y}", datetime(then.year, 1, 1).timestamp()
