"""Names of fields, groups and policies, as the page of policies shows them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from desktop_app.context.policy import BALANCED, NO_LIMIT, Budget, ContextPolicy
from desktop_app.context.policy_fields import SOURCES, FieldSource, share_in_tokens
from desktop_app.context.presets import text_of_value, value_of_text
from desktop_app.conversation.words import translatable
from desktop_app.ui.translation import locale, tr
from desktop_app.ui.widgets.number_formats import format_number, isolate

POLICY_NAMES = {
    "relaxed": translatable("Relaxed"),
    "balanced": translatable("Balanced"),
    "aggressive": translatable("Aggressive"),
    "opencode": translatable("Like OpenFork"),
    "lmstudio": translatable("Like LM Studio"),
    "spec008": translatable("Like SPEC-008"),
    "goagent": translatable("Like the Go agent"),
    "seline": translatable("Like Seline"),
}
UNITS = {
    "factor": translatable("factor"),
    "tokens": translatable("tokens"),
    "lines": translatable("lines"),
    "bytes": translatable("bytes"),
    "characters": translatable("characters"),
    "messages": translatable("messages"),
    "turns": translatable("turns"),
    "results": translatable("results"),
    "calls": translatable("calls"),
    "seconds": translatable("seconds"),
    "days": translatable("days"),
    "compactions": translatable("summaries"),
    "restarts": translatable("restarts"),
    "retries": translatable("retries"),
    "tries": translatable("tries"),
}
CHOICES = {
    "usable": translatable("usable"),
    "window": translatable("window"),
    "by_tool": translatable("by tool"),
    "head": translatable("beginning"),
    "head_tail": translatable("beginning and end"),
    "rule": translatable("rule"),
    "model": translatable("model"),
    "off": translatable("off"),
    "auto": translatable("auto"),
    "llm": translatable("by a model"),
    "provider": translatable("by the provider, if it can"),
    "extractive": translatable("by rules"),
    "last_messages": translatable("last messages"),
}
_PERCENT = re.compile(r"\d+|[1-9]\d*\.\d+")
"""A number that means percent if it has no unit."""
PROGRAMS = {
    "0": "OpenFork",
    "1": "LM Studio",
    "2": "SPEC-008",
    "3": "Go agent",
    "4": "Seline",
}
OWN = "+"
"""In place of a program, for a number that Palimpsest has added."""


def field_label(field: str) -> str:
    """Return the field's name, such as "Compact"."""
    return tr(SOURCES[field].number.label)


def policy_label(name: str) -> str:
    """Return the policy's name as shown."""
    return tr(POLICY_NAMES[name]) if name in POLICY_NAMES else name


def about_field(source: FieldSource) -> str:
    """Return the unit and meaning of a number, and the programs that share it."""
    unit = [] if source.unit in ("share", "shares", "factor", "") else [tr(UNITS[source.unit])]
    meaning = " ".join((*unit, tr(source.meaning)))
    programs = ", ".join(PROGRAMS[one] for one in source.number.documents.split() if one != OWN)
    compared = tr("as in {programs}").format(programs=programs)
    return f"{meaning} · {compared}" if programs else meaning


def value_words(value: float, unit: str) -> str:
    """Return a value such as "20,000 tokens", "85 %" or "no limit", for use within a text."""
    return isolate(_value_alone(value, unit))


def _value_alone(value: float, unit: str) -> str:
    if value == NO_LIMIT:
        return tr("no limit")
    if isinstance(value, int):
        return " ".join((format_number(value), *([tr(UNITS[unit])] if unit else [])))
    if unit == "factor":
        return " ".join((_decimal(f"{value:g}"), tr(UNITS[unit])))
    return tr("{number} %").format(number=_decimal(f"{round(value * 100, 2):g}"))


def bounds_of(source: FieldSource) -> str:
    """Return a range such as "from 10 % to 100 %" or "from 0 tokens to 2,000,000 tokens, or no limit"."""
    is_share = source.unit in ("share", "shares", "factor")
    least, most = (float(bound) if is_share else int(bound) for bound in (source.least, source.most))
    text = tr("from {least} to {most}, or no limit") if source.may_be_unlimited else tr("from {least} to {most}")
    return text.format(least=value_words(least, source.unit), most=value_words(most, source.unit))


def wanted_words(source: FieldSource) -> str:
    """Return the message for an invalid number: "Enter a number from 10 % to 100 %."."""
    return tr("Enter a number {bounds}.").format(bounds=bounds_of(source))


def choice_label(choice: str) -> str:
    """Return the label of one of a field's choices."""
    return tr(CHOICES.get(choice, choice.replace("_", " ")))


def text_in_field(field: str, value: Any) -> str:
    """Return the value as text that `value_of_field` reads, with numbers in the window's language."""
    if isinstance(value, str):
        return choice_label(value)
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, int | float):
        return _value_alone(value, "factor" if SOURCES[field].unit == "factor" else "")
    return text_of_value(field, value)


def value_of_field(field: str, text: str) -> Any:
    """Return the value of the user's text; a list is read as English. Raises WrongNumber.

    A share that is shown as "90 %" may be typed as "85": only a decimal fraction such as "0.85" is taken literally.
    """
    if isinstance(getattr(BALANCED, field), tuple):
        return value_of_text(field, text)
    if text.strip().lower() == tr("no limit").lower():
        return value_of_text(field, "no limit")
    number = text.replace(tr(UNITS["factor"]), "").replace(locale().groupSeparator(), "")
    number = number.replace(locale().decimalPoint(), ".").strip()
    is_share = SOURCES[field].unit == "share"
    return value_of_text(field, f"{number} %" if is_share and _PERCENT.fullmatch(number) else number)


def _decimal(number: str) -> str:
    return number.replace(".", locale().decimalPoint())


class Window(NamedTuple):
    """The context window of the open conversation, and the policy's numbers that take effect in it."""

    budget: Budget
    acting: ContextPolicy


def acting_words(source: FieldSource, policy: ContextPolicy, window: Window | None) -> str:
    """Return "here 19,200 tokens" for a share, or for a number that is replaced in this window; "" otherwise."""
    if window is None or window.budget.usable <= 0:
        return ""
    field, acting = source.field, window.acting
    if (tokens := share_in_tokens(field, acting, window.budget)) is not None:
        return tr("here {value}").format(value=value_words(tokens, "tokens"))
    if other := source.number.limits:
        return tr("here {value}").format(value=value_words(getattr(acting, other), SOURCES[other].unit))
    chosen, here = getattr(policy, field), getattr(acting, field)
    if chosen == here or not isinstance(here, int | float):
        return ""
    return tr("here {value}").format(value=value_words(here, source.unit))
