"""Shows numbers of spreadsheets as their formats say: 01067, 19 %, € 1,450.00; dates and times in ISO form. Pure."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import NamedTuple

BUILT_IN = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    **dict.fromkeys((14, 15, 16, 17, *range(27, 32), 36, *range(50, 55), 57, 58), "yyyy-mm-dd"),
    **dict.fromkeys((18, 20, 32), "h:mm"),
    **dict.fromkeys((19, 21, 33), "h:mm:ss"),
    22: "yyyy-mm-dd h:mm",
    37: "#,##0;-#,##0",
    38: "#,##0;-#,##0",
    39: "#,##0.00;-#,##0.00",
    40: "#,##0.00;-#,##0.00",
    41: "#,##0;-#,##0",
    42: "#,##0;-#,##0",
    43: "#,##0.00;-#,##0.00",
    44: "#,##0.00;-#,##0.00",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
    49: "@",
}
"""Formats that files name by a number alone (ECMA-376, 18.8.30)."""
MAX_DIGITS = 15
"""Significant digits of a number in these programs."""
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<elapsed>h+|m+|s+)\]'
    r"|\[(?P<condition>[<>=]+[-\d.]+)\]|\[[^\]]*\]|(?P<exponent>E[+-]0+)|(?P<noon>AM/PM|A/P)|(?P<general>General)"
    r"|(?P<date>[ymdhseg]+)|(?P<sign>.)",
    re.IGNORECASE,
)


class _Section(NamedTuple):
    """One of the forms of a number format, for positive numbers, negative ones, zero and text."""

    tokens: tuple[tuple[str, str], ...]
    condition: str

    def kinds(self) -> set[str]:
        return {kind for kind, _ in self.tokens}


def format_value(value: float, code: str, *, is_1904: bool = False) -> str:
    """Return a number as a spreadsheet shows it. is_1904: whether days are counted from 1904."""
    sections = _sections(code)
    if not any(section.tokens for section in sections):
        return plain_number(value)
    section, is_signed = _chosen(sections, value)
    kinds = section.kinds()
    if kinds & {"date", "elapsed"}:
        return _date(value, section, is_1904) or plain_number(value)
    if "general" in kinds:
        words = "".join(text for kind, text in section.tokens if kind == "literal")
        return f"{plain_number(value)}{words}"
    if "exponent" in kinds:
        decimals = sum(1 for kind, text in section.tokens if kind == "sign" and text in "0#?") - 1
        return f"{value:.{max(decimals, 0)}E}"
    if ("sign", "/") in section.tokens and any(text == "?" for _, text in section.tokens):
        return plain_number(value)  # a fraction
    if not any(kind == "sign" and text in "0#?" for kind, text in section.tokens):
        words = "".join(text for kind, text in section.tokens if kind in ("literal", "sign"))
        return plain_number(value) if "@" in words or not words.strip() else words
    return _filled(value, section, is_signed)


def plain_number(value: float) -> str:
    """Return a number without a format. Most programs store integers as floats."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.{MAX_DIGITS}g}"


@lru_cache(500)
def _sections(code: str) -> list[_Section]:
    sections: list[_Section] = []
    tokens: list[tuple[str, str]] = []
    condition = ""
    for found in _TOKEN.finditer(code):
        kind, text = found.lastgroup, found[found.lastgroup] if found.lastgroup else ""
        if kind == "sign" and text == ";":
            sections.append(_Section(tuple(tokens), condition))
            tokens, condition = [], ""
        elif kind in ("quoted", "escaped", "currency"):
            tokens.append(("literal", text))
        elif kind == "condition":
            condition = text
        elif kind is not None:
            tokens.append((kind, text))
    return [*sections, _Section(tuple(tokens), condition)]


def _chosen(sections: list[_Section], value: float) -> tuple[_Section, bool]:
    """Return the section for a value, and whether its sign is still to be written."""
    if any(section.condition for section in sections):
        for section in sections:
            if not section.condition or _fits(value, section.condition):
                return section, value < 0
        return sections[-1], value < 0
    if value < 0 and len(sections) > 1:
        return sections[1], False
    if value == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], value < 0


def _fits(value: float, condition: str) -> bool:
    sign = condition.rstrip("-.0123456789")
    limit = float(condition[len(sign) :] or 0)
    return {
        "<": value < limit,
        ">": value > limit,
        "=": value == limit,
        "<=": value <= limit,
        ">=": value >= limit,
    }.get(sign, value != limit)


def _filled(value: float, section: _Section, is_signed: bool) -> str:
    """Return a number in the places that a section has for its digits."""
    tokens = list(section.tokens)
    places = [n for n, (kind, text) in enumerate(tokens) if kind == "sign" and text in "0#?"]
    point = next((n for n, token in enumerate(tokens) if token == ("sign", ".")), len(tokens))
    last = max((n for n in places if n < point), default=-1)
    commas = [n for n, token in enumerate(tokens) if token == ("sign", ",")]
    scaled = sum(last < n < point or n > places[-1] for n in commas)
    number = Decimal(f"{abs(value):.{MAX_DIGITS}g}") * 100 ** tokens.count(("sign", "%")) / 1000**scaled
    before, after = [n for n in places if n < point], [n for n in places if n > point]
    number = number.quantize(Decimal(1).scaleb(-len(after)), ROUND_HALF_UP)
    whole, _, fraction = f"{number:f}".partition(".")
    has_groups = any(token == ("sign", ",") and before and before[0] < n < before[-1] for n, token in enumerate(tokens))
    written_at = _whole_digits(tokens, before, whole.lstrip("0"), has_groups) | _fraction_digits(
        tokens, after, fraction
    )
    pieces: list[str] = []
    for n, (kind, text) in enumerate(tokens):
        if n in written_at:
            pieces.append(written_at[n])
        elif kind == "literal" or (kind == "sign" and text != ","):
            is_bare_point = n == point and not any(written_at.get(p) for p in after)
            pieces.append("" if is_bare_point else text)
    is_negative = is_signed and any(digit in "123456789" for digit in whole + fraction)
    return "-" * is_negative + "".join(pieces).strip()


def _whole_digits(tokens: list[tuple[str, str]], places: list[int], digits: str, has_groups: bool) -> dict[int, str]:
    """Return the digits before the point by place, from the right; the first place takes the remaining digits."""
    written_at: dict[int, str] = {}
    written, left = 0, digits
    for n in reversed(places):
        here = left if n == places[0] else left[-1:]
        left = left[: len(left) - len(here)]
        here = here or ("0" if tokens[n][1] == "0" else "")
        text = ""
        for digit in reversed(here):
            text = digit + ("," if has_groups and written and written % 3 == 0 else "") + text
            written += 1
        written_at[n] = text
    return written_at


def _fraction_digits(tokens: list[tuple[str, str]], places: list[int], digits: str) -> dict[int, str]:
    """Return the digits after the point by place, without zeros at the end that the format does not ask for."""
    written_at = dict(zip(places, digits, strict=False))
    for n in reversed(places):
        if tokens[n][1] == "0" or written_at.get(n, "0") != "0":
            break
        written_at[n] = ""
    return written_at


def _date(value: float, section: _Section, is_1904: bool) -> str:
    """Return a date or time in ISO form; "" if the number is none."""
    elapsed = next((text for kind, text in section.tokens if kind == "elapsed"), "")
    if elapsed:
        return _elapsed(value)
    letters = "".join(text.lower() for kind, text in section.tokens if kind == "date")
    has_time = "h" in letters or "s" in letters
    has_date = bool(set("ydeg") & set(letters)) or not has_time
    if not 0 <= value < 2_958_466:
        return ""
    start = datetime(1904, 1, 1) if is_1904 else datetime(1899, 12, 30 if value >= 60 else 31)
    moment = start + timedelta(seconds=round(value * 86_400))
    time = moment.strftime("%H:%M:%S" if "s" in letters else "%H:%M")
    return " ".join([moment.strftime("%Y-%m-%d")] * has_date + [time] * has_time)


def _elapsed(value: float) -> str:
    seconds = round(abs(value) * 86_400)
    return f"{'-' * (value < 0)}{seconds // 3_600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
