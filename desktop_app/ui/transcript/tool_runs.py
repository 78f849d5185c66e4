"""Runs of tool calls, each folded to one line such as "6 calls · 4 files read · 2 commands". Uses no Qt."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from desktop_app.conversation.message import Role
from desktop_app.ui.translation import tr

from .call_diff import arguments_of
from .transcript_items import Item, MessageItem, MissingReply, RunItem

MIN_CALLS = 3  # calls in a run that is folded
READING = frozenset({"read"})
CHANGING = frozenset({"write", "edit"})
RUNNING = frozenset({"bash"})
SEARCHING = frozenset({"grep", "glob", "list", "web_search", "recall"})
FETCHING = frozenset({"web_fetch"})
PLACES = ("path", "file_path", "url")
"""Argument names of tools for what they read or change."""


def fold_runs(items: Sequence[Item], open_runs: Collection[str], is_running: bool = False) -> list[Item]:
    """Return the items with each run of calls folded to one line.

    is_running: leave the items after the user's newest message unchanged, since the reader is watching them.
    """
    user_rows = [
        n for n, item in enumerate(items) if isinstance(item, MessageItem) and item.row.message.role is Role.USER
    ]
    end = user_rows[-1] if is_running and user_rows else len(items)
    folded: list[Item] = []
    for run in _runs(items[:end]):
        if sum(_is_result(item) for item in run) < MIN_CALLS:
            folded += run
            continue
        folded_run = RunItem(tuple(item for item in run if isinstance(item, MessageItem)))
        is_open = folded_run.key in open_runs
        folded += [replace(folded_run, is_open=True), *run] if is_open else [folded_run]
    return folded + list(items[end:])


def _runs(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Yield the candidates for a run together, and each other row by itself."""
    run: list[Item] = []
    for item in items:
        if not _waits(item) and (_is_result(item) or _only_calls(item)):
            run.append(item)
            continue
        if run:
            yield run
        run = []
        yield [item]
    if run:
        yield run


def _is_result(item: Item) -> bool:
    return isinstance(item, MessageItem) and item.row.message.role is Role.TOOL


def _waits(item: Item) -> bool:
    """Return whether the item shows that an answer is missing after it."""
    return isinstance(item, MessageItem) and item.missing is not MissingReply.NOTHING


def _only_calls(item: Item) -> bool:
    """Return whether it is a reply without text, whose calls all have results."""
    if not isinstance(item, MessageItem) or item.unanswered:
        return False
    message = item.row.message
    has_calls_alone = bool(message.tool_calls) and not message.text
    return message.role is Role.ASSISTANT and has_calls_alone and not message.is_interrupted


def summary_of_run(run: RunItem) -> str:
    """Return a line that summarizes a run."""
    results = run.results
    words = [tr("%n calls", "", len(results))]
    if read := _count_places(results, READING):
        words.append(tr("%n files read", "", read))
    if changed := _count_places(results, CHANGING):
        words.append(tr("%n files changed", "", changed))
    if commands := sum(_name_of(item) in RUNNING for item in results):
        words.append(tr("%n commands", "", commands))
    if searches := sum(_name_of(item) in SEARCHING for item in results):
        words.append(tr("%n searches", "", searches))
    if pages := _count_places(results, FETCHING):
        words.append(tr("%n pages fetched", "", pages))
    if failed := sum(_has_failed(item) for item in results):
        words.append(tr("%n failed", "", failed))
    return " · ".join(words)


def _name_of(item: MessageItem) -> str:
    result = item.row.message.tool_result
    return result.name if result is not None else ""


def _has_failed(item: MessageItem) -> bool:
    result = item.row.message.tool_result
    return result is not None and result.is_error and not result.ending


def _count_places(results: Sequence[MessageItem], names: Collection[str]) -> int:
    """Return the number of files or pages that these tools' calls name; a call that names none counts as one."""
    named: set[object] = set()
    for item in results:
        if _name_of(item) in names and not _has_failed(item):
            arguments = arguments_of(item.call) if item.call is not None else None
            place = next((value for name in PLACES if isinstance(value := (arguments or {}).get(name), str)), item.key)
            named.add(place)
    return len(named)
