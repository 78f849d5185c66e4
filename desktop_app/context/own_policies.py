"""Policies by name: the presets, and the user's own, of which whatever is wrong is left out and can be told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, cast, get_args, get_type_hints

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.own_policy import OwnPolicy
from desktop_app.conversation.words import translatable

from .policy import BALANCED, NO_LIMIT, ContextPolicy
from .policy_sources import SOURCES, FieldSource
from .presets import PRESETS, SUMMARIES

_TYPES = get_type_hints(ContextPolicy)
_BEFORE_TOOL = re.compile(r";|,(?=\s*$|[^,;=]*=)")
"""What separates one TOOL=NUMBER from the next: a comma within a number has no "=" before the next comma."""


class WrongNumber(ValueError):
    """Raised for a field that no policy has, and for a value that it cannot have. Its text is for the user."""


def find_policy(name: str, own: Iterable[OwnPolicy]) -> ContextPolicy | None:
    """Return the policy of that name, if there is one. Numbers that are wrong are those of its preset."""
    return PRESETS.get(name) or next((policy_of(one) for one in own if one.name == name), None)


def policy_of(own: OwnPolicy) -> ContextPolicy:
    """Return the preset with the own numbers that are right."""
    made = PRESETS.get(own.based_on, BALANCED)
    for field, value in own.numbers.items():
        try:
            made = replace(made, **{field: checked_value(field, value)})
        except WrongNumber:
            continue
    return replace(made, name=own.name)


def own_policy_of(policy: ContextPolicy, based_on: str) -> OwnPolicy:
    """Return the policy as the settings have it: only what differs from that preset."""
    return OwnPolicy(policy.name, based_on, {field: getattr(policy, field) for field in differences(policy, based_on)})


def differences(policy: ContextPolicy, based_on: str) -> list[str]:
    """Return the fields in which the policy differs from the preset of that name."""
    base = PRESETS.get(based_on, BALANCED)
    return [field for field in SOURCES if getattr(policy, field) != getattr(base, field)]


def faults_of(own: Sequence[OwnPolicy]) -> list[str]:
    """Return what is wrong with the user's policies, a sentence each."""
    faults: list[str] = []
    names = set(PRESETS)
    for one in own:
        if not one.name or one.name in names:
            text = translatable("“{name}” is the name of another policy, so this one is not used.")
            faults.append(text.format(name=one.name))
        if one.based_on not in PRESETS:
            text = translatable("“{name}” is based on “{preset}”, which is not a preset; balanced is used.")
            faults.append(text.format(name=one.name, preset=one.based_on))
        for field, value in one.numbers.items():
            try:
                checked_value(field, value)
            except WrongNumber as error:
                faults.append(f"“{one.name}”: {error}")
        names.add(one.name)
    return faults


def checked_value(field: str, value: Any) -> Any:
    """Return the value as that field has it. Raises WrongNumber."""
    if field not in SOURCES:
        raise WrongNumber(f"There is no field “{field}”.")
    if field == "truncate_tools" and isinstance(value, str):
        return value_of_text(field, value)
    if field == "truncate_tools" and isinstance(value, dict):
        value = list(cast("dict[Any, Any]", value).items())
    try:
        made = msgspec.convert(value, _TYPES[field])
    except msgspec.ValidationError as error:
        raise WrongNumber(f"{field}: {error}.") from None
    if not SOURCES[field].has_within(made):
        text = translatable("{field} must be {bounds}, not {value}.")
        raise WrongNumber(text.format(field=field, bounds=bounds_in_words(SOURCES[field]), value=value))
    if field == "prune_order" and not set(made) <= set(BALANCED.prune_order):
        raise WrongNumber(
            translatable("{field} may have {words}.").format(field=field, words=", ".join(BALANCED.prune_order))
        )
    return made


def value_of_text(field: str, text: str) -> Any:
    """Return the value of that field that somebody wrote: 85 %, 0.85, 20,000, no limit, yes, a, b. Raises WrongNumber.

    The elements of a list are separated by commas; those of `truncate_tools`, TOOL=NUMBER, by semicolons, too, since a
    number may have commas of its own.
    """
    if field not in SOURCES:
        raise WrongNumber(f"There is no field “{field}”.")
    text = text.strip()
    if not isinstance(getattr(BALANCED, field), tuple):
        return checked_value(field, _parse(field, text))
    words = [] if text == "none" else _BEFORE_TOOL.split(text) if field == "truncate_tools" else text.split(",")
    return checked_value(field, [_element(field, word.strip()) for word in words if word.strip()])


def text_of_value(field: str, value: Any) -> str:
    """Return the value as `value_of_text` reads it."""
    if not isinstance(value, tuple):
        return _text_of_number(field, value)
    elements = cast("tuple[Any, ...]", value)
    words = [f"{one[0]}={one[1]:,}" if isinstance(one, tuple) else _text_of_number(field, one) for one in elements]
    return (", " if field != "truncate_tools" else "; ").join(words) or "none"


def choices_of(field: str) -> tuple[str, ...]:
    """Return the words that the field may be; none for another kind of field."""
    return get_args(_TYPES[field]) if isinstance(getattr(BALANCED, field), str) else ()


def describe_policy(policy: ContextPolicy, own: Iterable[OwnPolicy] = ()) -> str:
    """Return a line about the policy."""
    if policy.name in SUMMARIES:
        return SUMMARIES[policy.name]
    based_on = next((one.based_on for one in own if one.name == policy.name), BALANCED.name)
    count = len(differences(policy, based_on))
    return f"your own; differs from {based_on} in {count} field{'' if count == 1 else 's'}"


def bounds_in_words(source: FieldSource) -> str:
    """Return "from 10 % to 100 %", "from 0 to 2,000,000, or no limit"."""
    least, most = in_words(_as_written(source, source.least), source.unit), _as_written(source, source.most)
    beyond = ", or no limit" if source.may_be_unlimited else ""
    return f"from {least} to {in_words(most, source.unit)}{beyond}"


def in_words(value: str | float, unit: str) -> str:
    """Return a value as people read it, with its unit."""
    match value:
        case bool():
            return "yes" if value else "no"
        case str():
            return value.replace("_", " ")
        case int() if value == NO_LIMIT:
            return "no limit"
        case int():
            return f"{value:,} {unit}".rstrip()
        case _:
            return f"{value:g} {unit}" if unit == "factor" else f"{round(value * 100, 2):g} %"


def _as_written(source: FieldSource, bound: float) -> float:
    return float(bound) if source.unit in ("share", "shares", "factor") else int(bound)


def _text_of_number(field: str, value: Any) -> str:
    return value if isinstance(value, str) else in_words(value, "factor" if SOURCES[field].unit == "factor" else "")


def _element(field: str, word: str) -> Any:
    if field == "truncate_tools":
        name, _, number = word.partition("=")
        if not name.strip():
            raise WrongNumber(translatable("{field}: “{text}” names no tool.").format(field=field, text=word))
        return [name.strip(), _number(field, number)]
    return _number(field, word) if SOURCES[field].unit else word


def _parse(field: str, text: str) -> Any:
    default = getattr(BALANCED, field)
    if isinstance(default, bool):
        return {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}.get(text, text)
    return text.replace(" ", "_") if isinstance(default, str) else _number(field, text)


def _number(field: str, text: str) -> float | int:
    """Return the number, whatever separates its thousands. Raises WrongNumber."""
    words = text.strip().lower().removesuffix(SOURCES[field].unit).strip()
    if words in ("no limit", "none"):
        return NO_LIMIT
    is_percent = words.endswith("%")
    try:
        number = float(words.removesuffix("%").replace(",", "").replace("_", "").strip())
    except ValueError:
        raise WrongNumber(translatable("{field}: “{text}” is not a number.").format(field=field, text=text)) from None
    if is_percent:
        number /= 100
    is_whole = SOURCES[field].unit not in ("share", "shares", "factor")
    return int(number) if is_whole and number.is_integer() else number
