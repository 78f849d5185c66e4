"""A summary page under construction: lines in sections, never over its budget of tokens."""

from __future__ import annotations

from collections.abc import Callable

INTENT = "Primary intent"
RULES = "Rules and constraints"
DECISIONS = "Decisions"
FILES = "Files and code"
STATE = "Current state"
ERRORS = "Errors met"
QUESTIONS = "Open questions and next steps"
DETAILS = "Details"
SECTIONS = (INTENT, RULES, DECISIONS, FILES, DETAILS, ERRORS, STATE, QUESTIONS)
"""K2's sections in reading order; details are what else was said."""


class Page:
    """Lines are added by importance and read in the order in which things were said."""

    def __init__(self, budget: int, count: Callable[[str], int]) -> None:
        self.budget = budget
        self._count = count
        self._lines: list[tuple[str, float, str]] = []
        self._texts: set[str] = set()
        self._headed: set[str] = set()
        self._used = 0

    @property
    def free(self) -> int:
        """Tokens that are left, by the sum of the lines; a whole page never counts more than its lines do."""
        return self.budget - self._used

    def add(self, section: str, order: float, text: str) -> bool:
        """Adds a line if it is new and fits. `order` is its place in time."""
        if not text or text in self._texts:
            return False
        cost = self._count(f"- {text}\n") + (0 if section in self._headed else self._count(f"\n## {section}\n"))
        if cost > self.free:
            return False
        self._used += cost
        self._headed.add(section)
        self._texts.add(text)
        self._lines.append((section, order, text))
        return True

    def __contains__(self, text: str) -> bool:
        return text in self._texts

    def text(self) -> str:
        """The page as Markdown, at most `budget` tokens: the least important lines go first if it is over."""
        while self._count(rendered := self._render()) > self.budget:
            self._lines.pop()
        return rendered

    def _render(self) -> str:
        parts: list[str] = []
        for section in SECTIONS:
            lines = sorted((order, text) for where, order, text in self._lines if where == section)
            if lines:
                parts.append(f"## {section}\n" + "\n".join(f"- {text}" for _, text in lines))
        return "\n\n".join(parts)


def lines_of(summary: str) -> list[tuple[str, str]]:
    """Section and text of each line of an earlier page; lines under unknown headings are details."""
    section, found = DETAILS, list[tuple[str, str]]()
    for line in summary.splitlines():
        stripped = line.strip()
        if stripped.startswith("#"):
            heading = stripped.lstrip("# ")
            section = heading if heading in SECTIONS else DETAILS
        elif stripped:
            found.append((section, stripped.removeprefix("- ")))
    return found
