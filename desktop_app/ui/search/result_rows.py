"""Search results, and what a search says of itself, in words."""

from __future__ import annotations

from collections.abc import Mapping

from desktop_app.context.search.filters import TypedFilter
from desktop_app.conversation.listing import SearchResult
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import ROLE_NAMES, format_time, format_title
from desktop_app.ui.widgets.look import BOLD
from desktop_app.ui.widgets.row_list import ListRow
from desktop_app.ui.widgets.text_label import Run

UNKNOWN = {
    "project": translatable("No project is called “{value}”."),
    "role": translatable("“{value}” is not a role. The roles are user, assistant and tool."),
    "model": translatable("No message is by a model called “{value}”."),
    "tool": translatable("No tool called “{value}” was used."),
    "has": translatable("“{value}” is not supported; use has:code."),
    "time": translatable("“{value}” is not a time. Examples: 2025-03-14, march, last_week, 3_days."),
}


def runs_of(snippet: str) -> tuple[Run, ...]:
    """Return the runs of a snippet on one line; what was found is bold."""
    runs: list[Run] = []
    for index, piece in enumerate(" ".join(snippet.split()).split("«")):
        found, mark, rest = piece.partition("»")
        if index and mark:
            runs += [Run(found, "ink", BOLD), Run(rest)]
        else:
            runs.append(Run(piece if not index else f"«{piece}"))
    return tuple(run for run in runs if run.text)


def found_words(snippet: str) -> tuple[str, ...]:
    """Return what was found in a message, each form once, the longest first."""
    found = {run.text.lower(): run.text for run in runs_of(snippet) if run.weight == BOLD}
    return tuple(sorted(found.values(), key=len, reverse=True))


def row_of(result: SearchResult, now: float, projects: Mapping[str, str]) -> ListRow:
    """Return the result as a row of the list. projects: the project of each conversation, by its id."""
    at = format_time(result.at, now) if result.at else ""
    project = projects.get(result.conversation, "")
    title = " · ".join(filter(None, (format_title(result.title), project, tr(ROLE_NAMES[result.role]))))
    return ListRow(result.message, title, at, runs_of(result.snippet), tr("summarized") if result.archived else "")


def row_of_completion(text: str, before: str) -> ListRow:
    """Return a query that is offered while a filter is being typed. before: what stands in front of the filter."""
    return ListRow(text, text[len(before) :].strip(), body=(Run(tr("Enter or Tab to accept")),))


def text_of_wrong(typed: TypedFilter) -> str:
    """Return what is wrong with a filter, and what may be meant."""
    said = tr(UNKNOWN[typed.kind]).format(value=typed.value)
    nearest = tr("Did you mean “{nearest}”?").format(nearest=typed.nearest) if typed.nearest else ""
    return " ".join(filter(None, (said, nearest)))
