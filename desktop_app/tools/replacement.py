"""Replacing a text within another one: where it stands, what is wrong if it does not, and how the change looks."""

from __future__ import annotations

from collections.abc import Iterator

from .tool import ToolFailed

CONTEXT = 2
"""Lines that are shown before and after a change."""
SHOWN_MOST = 3
"""Places of one replacement that are shown."""
NEAR_MOST = 500_000
"""Characters of a text in which a place is looked for that is nearly the wanted one."""
SHOWN_LINES = 40
"""Lines of an old or a new text that are shown."""


def places_of(text: str, old: str) -> Iterator[int]:
    """Where `old` stands in the text, without overlaps, as str.replace counts."""
    at = text.find(old)
    while at >= 0:
        yield at
        at = text.find(old, at + len(old))


def as_in(text: str, old: str, new: str) -> tuple[str, str]:
    """`old` and `new` with the line ends of the text: a model that is shown lines writes line feeds."""
    if old not in text and "\n" in old and "\r\n" in text:
        with_returns = old.replace("\r\n", "\n").replace("\n", "\r\n")
        if with_returns in text:
            return with_returns, new.replace("\r\n", "\n").replace("\n", "\r\n")
    if "\r\n" in text and "\n" in new and "\n" not in text.replace("\r\n", ""):
        return old, new.replace("\r\n", "\n").replace("\n", "\r\n")
    return old, new


def checked_places(text: str, old: str, is_all: bool) -> list[int]:
    """Where it is to be replaced. Raises ToolFailed if that is nowhere, or not clear."""
    found = list(places_of(text, old))
    if not found:
        raise ToolFailed(f"old_text was not found: nothing was changed.{_near(text, old)}")
    if len(found) > 1 and not is_all:
        lines = ", ".join(f"{line_at(text, at):,}" for at in found[:10])
        more = " and more" if len(found) > 10 else ""
        raise ToolFailed(
            f"old_text stands {len(found):,} times in the file (lines {lines}{more}): nothing was changed. "
            "Take in more of the lines around it, or set replace_all."
        )
    return found


def line_at(text: str, at: int) -> int:
    """The number of the line in which that place is, counted from 1."""
    return text.count("\n", 0, at) + 1


def _near(text: str, old: str) -> str:
    """Where the text differs in white space alone, or holds at least the first line."""
    wanted = [line.strip() for line in old.strip().splitlines()] if len(text) <= NEAR_MOST else []
    if not wanted:
        return " Read the file again: it may have changed, or the text is told from memory."
    lines = [line.strip() for line in text.split("\n")]
    firsts = [n for n, line in enumerate(lines) if line == wanted[0]]
    for n in firsts:
        if lines[n : n + len(wanted)] == wanted:
            return f" Lines {n + 1:,} to {n + len(wanted):,} differ from it in white space alone: read them again."
    if firsts and wanted[0]:
        return f" Its first line stands at line {firsts[0] + 1:,}, but what follows there is different."
    return " Read the file again: it may have changed, or the text is told from memory."


def shown(text: str, places: list[int], old: str, new: str) -> str:
    """The change as a short diff, with line numbers of the file as it was."""
    hunks = [_hunk(text, at, old, new) for at in places[:SHOWN_MOST]]
    more = f"\n[… and {len(places) - SHOWN_MOST:,} places more]" if len(places) > SHOWN_MOST else ""
    return "\n".join(hunks) + more


def _hunk(text: str, at: int, old: str, new: str) -> str:
    begin = text.rfind("\n", 0, at) + 1
    end = text.find("\n", max(at + len(old) - old.endswith("\n"), at))
    end = len(text) if end < 0 else end
    before = text[:begin].split("\n")[-CONTEXT - 1 : -1] if begin < 200_000 else _last_lines(text, begin)
    after = text[end + 1 : end + 2_000].split("\n")[:CONTEXT] if end < len(text) else []
    was = text[begin:end].split("\n")
    becomes = (text[begin:at] + new + text[at + len(old) : end]).split("\n")
    lines = [*_marked(" ", before), *_marked("-", was), *_marked("+", becomes), *_marked(" ", after)]
    return "\n".join([f"@@ line {line_at(text, at):,} @@", *lines])


def _last_lines(text: str, begin: int) -> list[str]:
    return text[max(begin - 2_000, 0) : begin].split("\n")[-CONTEXT - 1 : -1]


def _marked(sign: str, lines: list[str]) -> list[str]:
    kept = [f"{sign}{line.removesuffix(chr(13))[:300]}" for line in lines[:SHOWN_LINES]]
    return [*kept, f"{sign}[… {len(lines) - SHOWN_LINES:,} lines]"] if len(lines) > SHOWN_LINES else kept
