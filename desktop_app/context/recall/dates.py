"""Find dates in questions and in the stamps of sessions, without a clock."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>(?:{'|'.join(_MONTHS)})(?:r?uary|ch|il|e|y|ust|t|t?ember|ober)?)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
# A month's name alone is no date ("may I …"): it needs a day, a year or a word such as "since" beside it.
_FORMS = tuple(
    re.compile(rf"(?<!\w){form}(?!\w)", re.IGNORECASE)
    for form in (
        rf"{_YEAR}[-/.](?P<month>[01]?\d)(?:[-/.](?P<day>[0-3]?\d))?",
        rf"{_DAY}(?: of)? {_MONTH}\.?(?:,? {_YEAR})?",
        rf"{_MONTH}\.? {_DAY}(?:,? {_YEAR})?",
        rf"{_MONTH}\.?,? {_YEAR}",
        rf"(?:in|since|during|until|before|after|early|late|mid|last|this) {_MONTH}",
        _YEAR,
    )
)
_CHINESE = re.compile(r"(?:(?P<year>(?:19|20)\d\d)年)?(?P<month>1[0-2]|0?[1-9])月(?:(?P<day>[0-3]?\d)[日号])?")
MAX_READ = 400
"""Characters that are read for dates; a question has them in its sentence, a stamp is shorter."""


class Day(NamedTuple):
    """A day, a month or a year; 0 for what was not said."""

    year: int = 0
    month: int = 0
    day: int = 0

    def holds(self, other: Day) -> bool:
        """Whether the other day lies within this one: all that this one gives is the same there."""
        return any(self) and all(mine in (0, theirs) for mine, theirs in zip(self, other, strict=True))


def days_in(text: str) -> tuple[Day, ...]:
    """Return the dates in a text, without repeats, those in the most exact forms first."""
    return tuple(dict.fromkeys(_read(text[:MAX_READ])))


def _read(text: str) -> Iterator[Day]:
    for form in (_CHINESE, *_FORMS):
        for found in form.finditer(text):
            parts = found.groupdict()
            day = Day(int(parts.get("year") or 0), _month(parts.get("month")), int(parts.get("day") or 0))
            if day.month <= 12 and day.day <= 31:
                yield day
        text = form.sub(" ", text)


def _month(name: str | None) -> int:
    if not name:
        return 0
    return int(name) if name.isdigit() else _MONTHS.index(name[:3].lower()) + 1
