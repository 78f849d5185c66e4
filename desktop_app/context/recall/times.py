"""Find times in a text: "last spring", "in March", "two weeks ago", "8 May, 2023".

No function reads the clock: today's date is an argument.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

import msgspec

MONTHS = (
    "jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?"
    "|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?"
)
_MONTH_NUMBERS = {
    "jan": 1, "feb": 2, "mar": 3, "mär": 3, "apr": 4, "may": 5, "mai": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9,
    "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}  # fmt: skip
_DAYS = (
    "monday|montag", "tuesday|dienstag", "wednesday|mittwoch", "thursday|donnerstag", "friday|freitag",
    "saturday|samstag|sonnabend", "sunday|sonntag",
)  # fmt: skip
_SEASONS = {
    "spring": 3, "frühling": 3, "frühjahr": 3, "summer": 6, "sommer": 6, "autumn": 9, "fall": 9, "herbst": 9,
    "winter": 12,
}  # fmt: skip
"""The first month of each season."""
_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "twelve": 12, "ein": 1, "einer": 1, "einem": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6,
    "couple": 2, "few": 3, "paar": 3,
}  # fmt: skip
_UNITS = {"day": 1, "tag": 1, "week": 7, "woche": 7, "month": 30, "monat": 30, "year": 365, "jahr": 365}

_COUNT = rf"(?:a (?=couple|few))?(?P<count>\d{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})(?: of)?"
_UNIT = r"(?P<unit>days?|weeks?|months?|years?|tag(?:en?)?|wochen?|monat(?:en?)?|jahr(?:en?)?)"
_SEASON = rf"(?P<season>{'|'.join(_SEASONS)})"
_MONTH = rf"(?P<month>{MONTHS})\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.)?"
_WEEKDAY = rf"(?P<weekday>{'|'.join(_DAYS)})"
_LAST = r"(?:last|the last|the past|past|previous|letzte[rnsm]?|vergangene[rnsm]?|vorige[rnsm]?)"
_THIS = r"(?:this|diese[rnsm]?)"
_IN = r"(?:in|during|im|of|from|on|am|at)(?: the)?"


class TimeSpan(msgspec.Struct, frozen=True):
    """The days of a time in a query, and its position there."""

    first: date | None
    """None for no lower bound."""
    last: date | None
    """The last day, inclusive; None for no upper bound."""
    start: int
    end: int
    """Character offsets in the query, including words such as "in" and "since"."""
    is_date: bool = False
    """Whether it is written as a date, not relative to today."""


Days = tuple[date, date]
_Reading = Callable[[re.Match[str], date], Days | None]


def time_in(query: str, today: date) -> TimeSpan | None:
    """Return the first time that a query names; None if it names none. Text in quotation marks is ignored.

    Future days are ignored; seasons are northern, and begin with their first month.
    """
    blanked = re.sub(r'"[^"]*"?', lambda quoted: " " * len(quoted[0]), query)
    if (between := _between(blanked, today)) is not None:
        return between
    for pattern, reading in _FORMS:
        for found in pattern.finditer(blanked):
            days = _read(reading, found, today)
            if days is not None and days[0] <= today:
                parts = found.groupdict()
                bound = (parts.get("bound") or "").lower().split(" ")[0]
                return span_of(bound, days, *found.span(), reading in _DATES or bool(parts.get("year")))
    return None


def _between(text: str, today: date) -> TimeSpan | None:
    """Return the time from one day to another; a year at the end applies to both."""
    for found in _BETWEEN.finditer(text):
        words = found["last"].split(" ")
        for count in range(len(words), 0, -1):
            named = " ".join(words[:count]).rstrip("?!.,;")
            year = re.search(r"(?:19|20)\d\d", named)
            last = days_of(named, today)
            first = (days_of(f"{found['first']} {year[0]}", today) if year else None) or days_of(found["first"], today)
            if first is not None and last is not None and first[0] < last[0] and first[0] <= today:
                return TimeSpan(first[0], last[1], found.start(), found.start("last") + len(named), year is not None)
    return None


def _read(reading: _Reading, found: re.Match[str], today: date) -> Days | None:
    try:
        return reading(found, today)
    except (ValueError, OverflowError):  # 31 February, the year 0
        return None


def span_of(bound: str, days: Days, start: int, end: int, is_date: bool = False) -> TimeSpan:
    """Return the span for the days with a word such as "since" or "before"; without one, the days themselves."""
    first, last = days
    match bound:
        case "since" | "seit" | "ab":
            return TimeSpan(first, None, start, end)
        case "after" | "nach":
            return TimeSpan(last + timedelta(1), None, start, end)
        case "until" | "till" | "bis":
            return TimeSpan(None, last, start, end)
        case "before" | "vor":
            return TimeSpan(None, first - timedelta(1), start, end)
        case _:
            return TimeSpan(first, last, start, end, is_date)


def days_of(text: str, today: date) -> Days | None:
    """Return the days that a complete text names, such as the value of `before:`; None if it is not a time."""
    words = " ".join(text.replace("_", " ").split())
    for pattern, reading in (*_FORMS, *_PLAIN_FORMS):
        found = pattern.fullmatch(words)
        days = _read(reading, found, today) if found else None
        if days is not None:
            return days
    return None


def _named_day(found: re.Match[str], today: date) -> Days:
    """Return a day of a month; without a year, the latest that is not in the future."""
    number, day = _month_number(found["month"]), int(found["day"])
    named = date(int(found["year"] or today.year), number, day)
    if not found["year"] and named > today:
        named = date(named.year - 1, number, day)
    return named, named


def _named_month(found: re.Match[str], today: date) -> Days:
    """Return a month; without a year, the latest that has begun."""
    number = _month_number(found["month"])
    year = int(found["year"]) if found.groupdict().get("year") else today.year - (number > today.month)
    return _month(year, number)


def _last_month_named(found: re.Match[str], today: date) -> Days:
    """Return the latest month with the name that is over."""
    number = _month_number(found["month"])
    return _month(today.year - (number >= today.month), number)


def _year(found: re.Match[str], today: date) -> Days:
    year = int(found["year"])
    return date(year, 1, 1), date(year, 12, 31)


def _season(found: re.Match[str], today: date) -> Days:
    """Return the season of the year named; otherwise the latest that is over, or that has begun."""
    first = _SEASONS[found["season"].lower()]
    if found["year"]:
        return _season_of(int(found["year"]), first)
    is_last = re.match(_LAST, found[0][len(found["bound"] or "") :].strip(), re.IGNORECASE) is not None
    for year in (today.year, today.year - 1, today.year - 2):
        days = _season_of(year, first)
        if days[1] < today or (not is_last and days[0] <= today):
            return days
    raise AssertionError("the spring before the last one is over")


def _season_of(year: int, first: int) -> Days:
    last = _month(year + (first == 12), (first + 1) % 12 + 1)
    return date(year, first, 1), last[1]


def _weekday(found: re.Match[str], today: date) -> Days:
    """Return the latest day before today with the weekday."""
    name = found["weekday"].lower()
    number = next(number for number, names in enumerate(_DAYS) if name in names.split("|"))
    day = today - timedelta((today.weekday() - number - 1) % 7 + 1)
    return day, day


def _ago(found: re.Match[str], today: date) -> Days:
    """Return the days around the time: half a week, month or year on each side, since people do not count days then."""
    unit = _unit(found)
    middle = _before(today, _count(found), unit)
    slack = timedelta(unit // 2 or _count(found) // 3)
    return middle - slack, min(middle + slack, today)


def _lately(found: re.Match[str], today: date) -> Days:
    return _before(today, _count(found), _unit(found)), today


def _last(unit: int, today: date) -> Days:
    """Return the week, month or year before this one; yesterday, if the unit is a day."""
    if unit == 7:
        monday = today - timedelta(today.weekday() + 7)
        return monday, monday + timedelta(6)
    if unit == 30:
        return _month(today.year - (today.month == 1), (today.month - 2) % 12 + 1)
    if unit == 365:
        return date(today.year - 1, 1, 1), date(today.year - 1, 12, 31)
    return today - timedelta(1), today - timedelta(1)


def _this_unit(found: re.Match[str], today: date) -> Days:
    unit = _unit(found)
    first = {7: today - timedelta(today.weekday()), 30: today.replace(day=1), 365: date(today.year, 1, 1)}
    return first.get(unit, today), today


def _back(days: int) -> _Reading:
    return lambda found, today: (today - timedelta(days), today - timedelta(days))


def _before(today: date, count: int, unit: int) -> date:
    if unit == 365:
        return today - timedelta(round(365.25 * count))
    return today - timedelta(round(30.44 * count) if unit == 30 else unit * count)


def _count(found: re.Match[str]) -> int:
    word = found["count"].lower()
    return int(word) if word.isdigit() else _COUNTS[word]


def _unit(found: re.Match[str]) -> int:
    word = found["unit"].lower()
    return next(days for name, days in _UNITS.items() if word.startswith(name))


def _month(year: int, number: int) -> Days:
    after = date(year + (number == 12), number % 12 + 1, 1)
    return date(year, number, 1), after - timedelta(1)


def _month_number(name: str) -> int:
    return int(name) if name.isdigit() else _MONTH_NUMBERS[name[:3].lower()]


def _form(pattern: str) -> re.Pattern[str]:
    bound = r"(?P<bound>since|after|before|until|till|seit|nach|vor|ab|bis)(?: the| dem| der)? "
    return re.compile(rf"(?<![\w/.-])(?:{bound})?(?:{pattern})(?![\w/-])", re.IGNORECASE)


_BETWEEN = re.compile(
    r"(?<!\w)(?:from|between|von|vom|zwischen)(?: the| dem)? (?P<first>\S+(?: \S+){0,3}?)"
    r" (?:to|until|till|and|bis|und)(?: the| zum| dem)? (?P<last>\S+(?: \S+){0,3})",
    re.IGNORECASE,
)
_AFTER_BOUND = "|".join(
    f"(?<={bound} )" for bound in ("since", "after", "before", "until", "till", "seit", "nach", "vor", "bis", "ab")
)
_PREPOSED = rf"(?:{_IN} |{_AFTER_BOUND})"
_FORMS: tuple[tuple[re.Pattern[str], _Reading], ...] = (
    (_form(rf"{_PREPOSED}{_YEAR}-(?P<month>[01]\d)-(?P<day>[0-3]\d)"), _named_day),
    (_form(rf"(?:{_IN} )?(?:the )?{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?"), _named_day),
    (_form(rf"(?:{_IN} )?{_MONTH} {_DAY}(?:,? {_YEAR})?"), _named_day),
    (_form(rf"(?:{_IN} )?{_MONTH},? {_YEAR}"), _named_month),
    (_form(rf"{_LAST} {_MONTH}"), _last_month_named),
    (_form(rf"{_PREPOSED}{_YEAR}-(?P<month>[01]\d)"), _named_month),
    (_form(rf"(?:{_PREPOSED}|{_THIS} |early |late |mid |anfang |ende |mitte ){_MONTH}"), _named_month),
    (_form(rf"(?:(?:{_IN} )?{_LAST} |{_PREPOSED}|{_THIS} ){_SEASON}(?: (?:of )?{_YEAR})?"), _season),
    (_form(rf"{_SEASON} (?:of )?{_YEAR}"), _season),
    (_form(rf"(?:about |around |roughly |some )?{_COUNT} {_UNIT} ago"), _ago),
    (re.compile(rf"(?<!\w)vor (?:etwa )?{_COUNT} {_UNIT}(?!\w)", re.IGNORECASE), _ago),
    (_form(rf"(?:(?:in|within|over|during|for|in den|die|den) )?{_LAST} {_COUNT} {_UNIT}"), _lately),
    (_form(rf"(?:{_IN} |in der )?{_LAST} {_UNIT}"), lambda found, today: _last(_unit(found), today)),
    (_form(rf"(?:{_IN} |in )?{_THIS} {_UNIT}"), _this_unit),
    (_form(rf"(?:{_LAST} |{_THIS} |on |am ){_WEEKDAY}"), _weekday),
    (_form(r"the day before yesterday|vorgestern"), _back(2)),
    (_form(r"yesterday(?:'s)?|gestern|last night|gestern abend"), _back(1)),
    (_form(r"(?:earlier )?today(?:'s)?|heute|this (?:morning|afternoon|evening)"), _back(0)),
    (_form(rf"(?:{_PREPOSED}|early |late |mid |anfang |ende |mitte ){_YEAR}"), _year),
    (re.compile(rf"(?:{_YEAR}年)?(?P<month>1[0-2]|0?[1-9])月(?P<day>[0-3]?\d)[日号]"), _named_day),
    (re.compile(rf"{_YEAR}年(?P<month>1[0-2]|0?[1-9])月"), _named_month),
    (re.compile("前天|一昨日|그저께"), _back(2)),
    (re.compile("昨天|昨日|어제"), _back(1)),
    (re.compile("今天|今日|오늘"), _back(0)),
    (re.compile("上(?:个|個)?(?:周|星期|禮拜)|先週|지난주"), lambda _, today: _last(7, today)),
    (re.compile("上(?:个|個)月|先月|지난달"), lambda _, today: _last(30, today)),
    (re.compile("去年|작년"), lambda _, today: _last(365, today)),
)
"""The first form that matches counts, so that the more exact ones come first."""
_DATES = {_named_day, _named_month, _last_month_named, _year}
_PLAIN_FORMS: tuple[tuple[re.Pattern[str], _Reading], ...] = (
    (_form(_YEAR), _year),
    (_form(rf"{_YEAR}-(?P<month>[01]?\d)"), _named_month),
    (_form(rf"{_YEAR}-(?P<month>[01]?\d)-(?P<day>[0-3]?\d)"), _named_day),
    (_form(_MONTH), _named_month),
    (_form(rf"{_SEASON}(?P<year>)"), _season),
    (_form(_WEEKDAY), _weekday),
    (_form(rf"{_COUNT} {_UNIT}"), _lately),
)
"""Forms that are a time where one is expected, but may be anything else within a sentence."""
