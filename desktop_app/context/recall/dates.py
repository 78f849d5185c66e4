"""Find dates in questions and in the stamps of sessions, without a clock."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
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
SECONDS_A_DAY = 86_400


class Day(msgspec.Struct, frozen=True, gc=False):
    """A day, a month or a year; 0 for what was not said."""

    year: int = 0
    month: int = 0
    day: int = 0

    def holds(self, other: Day) -> bool:
        """Whether the other day lies within this one: all that this one gives is the same there."""
        return (
            self.year in (0, other.year)
            and self.month in (0, other.month)
            and (self.day in (0, other.day))
            and self != Day()
        )


def days_in(text: str) -> tuple[Day, ...]:
    """Return the dates in a text, without repeats, those in the most exact forms first."""
    return tuple(dict.fromkeys(_read(text[:MAX_READ])))


def day_at(seconds: float) -> Day:
    """Return the day, in UTC, of a moment in seconds since 1970.

    Days are counted in eras of 400 years that begin in March, so that the leap day is the last of a year.
    """
    days = int(seconds // SECONDS_A_DAY) + 719_468
    era, of_era = divmod(days, 146_097)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    from_march = (5 * of_year + 2) // 153
    month = from_march + 3 if from_march < 10 else from_march - 9
    return Day(year + era * 400 + (month <= 2), month, of_year - (153 * from_march + 2) // 5 + 1)


def iso_date_of(day: Day) -> str:
    """Return the day in ISO 8601, such as "2026-11-22"."""
    return f"{day.year:04}-{day.month:02}-{day.day:02}"


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
