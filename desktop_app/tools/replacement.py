"""Replaces a text within another one: where it occurs, why it does not, and the diff of the change."""

from __future__ import annotations

import difflib

from .tool import ToolFailed

CONTEXT = 2
"""Lines that are shown before and after a change."""
MAX_PLACES_SHOWN = 3
MAX_LINES_SHOWN = 80
"""Of the diff at one place."""
MAX_LINE_SHOWN = 300
MAX_SEARCHED = 500_000
"""Characters of a text in which a similar place is looked for."""


def match_line_ends(text: str, old: str, new: str) -> tuple[str, str]:
    """Return `old` and `new` with the line ends of the text: a model that is shown lines writes line feeds."""
    if "\r\n" not in text:
        return old, new
    crlf_old, crlf_new = (part.replace("\r\n", "\n").replace("\n", "\r\n") for part in (old, new))
    if old not in text and crlf_old in text:
        return crlf_old, crlf_new
    return old, new if "\n" in text.replace("\r\n", "") else crlf_new


def find_places(text: str, old: str, is_all: bool) -> list[int]:
    """Return where the text is to be replaced. Raises ToolFailed if that is nowhere, or ambiguous."""
    places: list[int] = []
    at = text.find(old)
    while at >= 0:
        places.append(at)
        at = text.find(old, at + len(old))
    if not places:
        raise ToolFailed(f"old_text was not found: nothing was changed. {_explain(text, old)}")
    if len(places) > 1 and not is_all:
        lines = ", ".join(f"{_line_number(text, at):,}" for at in places[:10])
        more = " and more" if len(places) > 10 else ""
        raise ToolFailed(
            f"old_text occurs {len(places):,} times in the file (lines {lines}{more}): nothing was changed. "
            "Take in more of the lines around it, or set replace_all."
        )
    return places


def diff_of(text: str, places: list[int], old: str, new: str) -> str:
    """Return the change at the first places as a diff, with line numbers of the file as it was."""
    hunks = [_hunk(text, at, old, new) for at in places[:MAX_PLACES_SHOWN]]
    more = f"\n[… and {len(places) - MAX_PLACES_SHOWN:,} more places]" if len(places) > MAX_PLACES_SHOWN else ""
    return "\n".join(hunks) + more


def _line_number(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _explain(text: str, old: str) -> str:
    """Say where the text differs in white space alone, or has at least the first line."""
    wanted = [line.strip() for line in old.strip().split("\n")] if len(text) <= MAX_SEARCHED else [""]
    lines = [line.strip() for line in text.split("\n")] if wanted[0] else []
    starts = [n for n, line in enumerate(lines) if line == wanted[0]]
    for n in starts:
        if lines[n : n + len(wanted)] == wanted:
            return f"Lines {n + 1:,} to {n + len(wanted):,} differ from it in white space alone: read them again."
    if starts:
        return f"Its first line occurs at line {starts[0] + 1:,}, but what follows there is different."
    return "Read the file again: it may have changed."


def _hunk(text: str, at: int, old: str, new: str) -> str:
    start, end = at, max(at + len(old) - old.endswith("\n"), at) - 1
    for _ in range(CONTEXT + 1):
        start = text.rfind("\n", 0, max(start, 0))
        end = text.find("\n", end + 1) if end < len(text) else end
        end = end if end >= 0 else len(text)
    start += 1
    before = text[start:end]
    after = text[start:at] + new + text[at + len(old) : end]
    return "\n".join([f"@@ line {_line_number(text, at):,} @@", *_diff(before.split("\n"), after.split("\n"))])


def _diff(before: list[str], after: list[str]) -> list[str]:
    diff = [line.removesuffix("\r")[:MAX_LINE_SHOWN] for line in difflib.unified_diff(before, after, n=1_000_000)][3:]
    more = [f"[… {len(diff) - MAX_LINES_SHOWN:,} lines]"] if len(diff) > MAX_LINES_SHOWN else []
    return diff[:MAX_LINES_SHOWN] + more
