"""Parsing and formatting of token limits that people type."""

from __future__ import annotations

import re

from desktop_app.ui.translation import locale, tr
from desktop_app.ui.widgets.number_formats import format_number

MIN_WINDOW = 1_024  # tokens: less leaves no space for a reply
_NUMBER = re.compile(r"(\d+(?:[.,]\d+)?)\s*([km]?)", re.IGNORECASE)
_AMOUNT = re.compile(r"\d{1,6}(\.\d{1,2})?")
_UNITS = {"": 1, "k": 1_000, "m": 1_000_000}


def format_limit(tokens: int) -> str:
    """Return the number as shown in a field; "" for 0."""
    return format_number(tokens) if tokens else ""


def parse_window(text: str) -> int:
    """Return the tokens of "128000", "128,000", "128K" or "1M"; 0 for "", to ask the server. Raises ValueError."""
    plain = text.strip().replace(" ", "").replace("_", "")
    if re.fullmatch(r"\d{1,3}([,.]\d{3})+", plain):
        plain = re.sub(r"[,.]", "", plain)
    if not plain:
        return 0
    found = _NUMBER.fullmatch(plain)
    if found is None:
        raise ValueError(tr("Enter a number of tokens, such as 128000 or 128K."))
    tokens = float(found[1].replace(",", ".")) * _UNITS[found[2].lower()]
    if tokens != int(tokens) or tokens < MIN_WINDOW:
        least = format_number(MIN_WINDOW)
        raise ValueError(tr("At least {least} tokens are needed. Enter them as 128000 or 128K.").format(least=least))
    return int(tokens)


def parse_reply(text: str) -> int:
    """Return the tokens of the longest reply, written like a window, but without its minimum. Raises ValueError."""
    plain = re.sub(r"[\s_,.]", "", text)
    return int(plain) if plain.isdecimal() and 0 < int(plain) < MIN_WINDOW else parse_window(text)


def format_amount(dollars: float) -> str:
    """Return the amount as shown in a field, such as "2.50"; "" for 0."""
    return locale().toString(dollars, "f", 2).replace(locale().groupSeparator(), "") if dollars else ""


def parse_dollars(text: str) -> float:
    """Return the US dollars of "5", "$2.50" or "2,50"; 0 for "", no limit. Raises ValueError."""
    plain = text.replace("$", "").strip().replace(",", ".")
    if not plain:
        return 0.0
    if not _AMOUNT.fullmatch(plain) or not float(plain):
        raise ValueError(tr("Enter an amount in dollars, such as 5 or 2.50, or leave this empty."))
    return float(plain)
