"""Policies by name: three for people, one for each program whose design went into this one, and the user's own.

A preset of the second kind has the program's numbers and order of steps where they differ from balanced's
(tests/context/test_presets.py has all of them, with quotations); its comment names the parts that are not imitated.
In every preset the engine's own guarantees apply: calls stay with their results, pins and the last user message stay, a
summary is never longer than the messages that it replaces, and everything archived can be restored. Wrong values in the
user's policies are ignored and reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, cast, get_args, get_type_hints

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.setup import OwnPolicy
from desktop_app.conversation.words import translatable

from .policy import BALANCED, NO_LIMIT, ContextPolicy
from .policy_fields import SOURCES, FieldSource

RELAXED = replace(
    BALANCED,
    name="relaxed",
    background_at=0.85,
    prune_at=0.88,
    compact_at=0.93,
    target=0.50,
    min_target=4_000,
    summary_share_of_target=0.50,
    prune_target=0.65,
    prune_runway=0.20,
    keep_user_tokens=20_000,
)
AGGRESSIVE = replace(
    BALANCED,
    name="aggressive",
    background_at=0.60,
    prune_at=0.65,
    compact_at=0.80,
    blocked_at=0.92,
    target=0.20,
    min_target=2_400,
    summary_share_of_target=0.50,
    prune_target=0.35,
    max_window=200_000,
)

# Our floors, protections and checks, which none of the programs has, are off. Where a document does not say how a
# result is truncated, ours applies, as for everything else that it leaves open.
_BARE = replace(
    BALANCED,
    name="",
    strategy="llm",
    tail_assistant_turns=0,
    target=0.50,
    min_target=0,
    target_share_of_due=0.90,
    protect_newest=0,
    protect_user_turns=0,
    protected_tools=(),
    prune_order=(),
    prune_target=0.0,
    min_prune=0,
    prune_runway=0.0,
    cache_seconds=0,
    ahead=0.0,
    summary_share_of_head=1.0,
    summary_share_of_target=0.25,
    truncate_share=0.0,
    flush_distance=0,
    flush_share=1.0,
    max_recall=0,
    repair_calls=0,
)

# OpenFork's three layers (document 0). Pruning keeps the first 2,000 characters of each result older than the newest
# 40,000 tokens, oldest first, and stops once 20,000 are freed; a compaction takes the oldest messages, until the rest
# is half of the window. The document checks the window a second time before it prunes (window - 16,384), which above
# 163,840 tokens would put pruning after compaction: the second check is left out. Its 16,384 tokens are reserved for
# the reply, but never more than a tenth of the window, so that compaction comes at 90 % of each window.
# It spills every text that it cuts, but never sends only the notice.
OPENCODE = replace(
    _BARE,
    name="opencode",
    reserve_share_of_window=0.10,
    min_reserve=0,
    shares_of="window",
    phases=("before_request", "tool_result"),
    background_at=0.85,
    prune_at=0.85,
    blocked_at=1.0,
    truncate_keep="head",
    spill_above=NO_LIMIT,
    prune_order=("soft_trim",),
    soft_trim_age=0,
    soft_trim_above=2_000,
    soft_trim_head=2_000,
    soft_trim_tail=0,
    protect_newest=40_000,
    protect_share_of_window=1.0,
    min_prune=20_000,
    prune_least_share_of_window=1.0,
    prune_enough=20_000,
    min_head=2,
)

# LM Studio's autocompaction (document 1): three phases, no pruning and no truncation: "tool responses that would
# overflow trigger compaction instead". A request is compared with 80 % of the window after 20 % of the free tokens, and
# at least 1,000, were added: that is 75 % of a large window, 68 % of one of 8,192. This buffer is the space for the
# reply, for which 1,000 are reserved anyway. A tool result triggers compaction only if it does not fit. Compacting to
# 40.5 % is the document's "40-60 % token reduction", from 68 or 75 % before a request as well as from 90 % during
# streaming. Its model rewrites messages; ours writes a summary and names messages to keep.
LMSTUDIO = replace(
    _BARE,
    name="lmstudio",
    limit_without_window=0,
    max_messages=NO_LIMIT,
    reserve_share_of_window=0.0,
    max_reserve=NO_LIMIT,
    shares_of="window",
    buffer_share_of_rest=0.20,
    min_buffer=1_000,
    phases=("before_request", "streaming"),
    background_at=0.80,
    prune_at=0.80,
    compact_at=0.80,
    blocked_at=1.0,
    truncate_lines=NO_LIMIT,
    truncate_bytes=NO_LIMIT,
    truncate_line=NO_LIMIT,
    truncate_tools=(),
    truncate_other_tools=NO_LIMIT,
    spill_above=NO_LIMIT,
    target=0.405,
    stream_restarts=3,
)

# SPEC-008 (document 2). Its order is flush, compact, prune: results are trimmed before every request, full or not.
# It gives no age for clearing a result, so ours applies. Its length of the summary is "500-1000 tokens". If its 4,000
# tokens before a compaction are more than a third of the usable window, a third is the distance.
SPEC008 = replace(
    _BARE,
    name="spec008",
    reserve_tokens=20_000,
    phases=("before_request", "tool_result"),
    layers=("compact", "prune"),
    background_at=1.0,
    prune_at=0.0,
    compact_at=1.0,
    blocked_at=1.0,
    prune_order=("soft_trim", "hard_clear"),
    max_tail=0,
    tail_messages=10,
    max_summary=1_000,
    flush_distance=4_000,
    flush_share=0.3333,
)

# The Go agent (document 3). It digests whenever more than ten results are visible, and compacts after a turn if the
# usable window is full, and again after an overflow. The recent messages get at most half of that limit, so the target
# is this half and the summary.
GOAGENT = replace(
    _BARE,
    name="goagent",
    reserve_tokens=16_384,
    limit_without_window=8_000,
    phases=("tool_result", "after_turn"),
    background_at=1.0,
    prune_at=0.0,
    compact_at=1.0,
    blocked_at=1.0,
    truncate_line=NO_LIMIT,
    truncate_tools=(),
    truncate_other_tools=200 * 1024,
    truncate_keep="head_tail",
    spill_above=200 * 1024,
    prune_order=("digest",),
    digest_by="model",
    target=0.70,
    max_tail=20_000,
    tail_share=0.50,
    overflow_shed=(),
)

# Seline (document 4). The shares are of the window, so the reply gets the 5 % above the hard limit. Its three prunings
# run as the first step of each compaction; if they free enough, ours archives nothing.
SELINE = replace(
    _BARE,
    name="seline",
    reserve_share_of_window=0.05,
    max_reserve=NO_LIMIT,
    min_reserve=0,
    shares_of="window",
    phases=("before_request", "after_turn"),
    prune_at=0.90,
    prune_order=("repeats", "superseded", "old_errors"),
    protected_tools=("updatePlan", "executeCommand"),
    max_tail=0,
    tail_messages=6,
    min_head=2,
)

FOR_PEOPLE = (RELAXED, BALANCED, AGGRESSIVE)
LIKE_PROGRAMS = (OPENCODE, LMSTUDIO, SPEC008, GOAGENT, SELINE)

PRESETS: dict[str, ContextPolicy] = {policy.name: policy for policy in (*FOR_PEOPLE, *LIKE_PROGRAMS)}

SUMMARIES: dict[str, str] = {
    "relaxed": translatable("waits long, keeps much, and the user's own messages word for word"),
    "balanced": translatable("the default"),
    "aggressive": translatable("makes room early and much of it: for small windows and slow models"),
    "opencode": translatable("OpenFork's three layers: truncate, prune to the first 2,000 characters, compact to half"),
    "lmstudio": translatable("LM Studio autocompaction: three phases, compaction alone, 40 to 60 % less each time"),
    "spec008": translatable("SPEC-008: trims old results always, saves memory, compacts when the window is full"),
    "goagent": translatable("the Go agent: a digest of old results, compaction after a turn or at 50 messages"),
    "seline": translatable("Seline: free pruning, background compaction at 75 %, forced at 90 %, blocked at 95 %"),
}


_TYPES = get_type_hints(ContextPolicy)
_BEFORE_TOOL = re.compile(r";|,(?=\s*$|[^,;=]*=)")
"""The separator of TOOL=NUMBER entries: a comma within a number has no "=" before the next comma."""


class WrongNumber(ValueError):
    """Raised for an unknown policy field, and for an invalid value. Its text is for the user."""


def find_policy(name: str, own: Iterable[OwnPolicy]) -> ContextPolicy | None:
    """Return the policy with the name, or None. Wrong numbers are replaced by its preset's."""
    return PRESETS.get(name) or next((policy_of(policy) for policy in own if policy.name == name), None)


def policy_of(own: OwnPolicy) -> ContextPolicy:
    """Return the preset with the valid numbers of the user's policy."""
    policy = PRESETS.get(own.based_on, BALANCED)
    for field, value in own.numbers.items():
        try:
            policy = replace(policy, **{field: checked_value(field, value)})
        except WrongNumber:
            continue
    return replace(policy, name=own.name)


def own_policy_of(policy: ContextPolicy, based_on: str) -> OwnPolicy:
    """Return the policy as stored in the settings: only the fields that differ from the preset."""
    return OwnPolicy(policy.name, based_on, {field: getattr(policy, field) for field in differences(policy, based_on)})


def differences(policy: ContextPolicy, based_on: str) -> list[str]:
    """Return the fields in which the policy differs from the preset with the name."""
    base = PRESETS.get(based_on, BALANCED)
    return [field for field in SOURCES if getattr(policy, field) != getattr(base, field)]


def faults_of(own: Sequence[OwnPolicy]) -> list[str]:
    """Return the faults of the user's policies, as one sentence each."""
    faults: list[str] = []
    names = set(PRESETS)
    for policy in own:
        if not policy.name or policy.name in names:
            text = translatable("“{name}” is the name of another policy, so this one is not used.")
            faults.append(text.format(name=policy.name))
        if policy.based_on not in PRESETS:
            text = translatable("“{name}” is based on “{preset}”, which is not a preset; balanced is used.")
            faults.append(text.format(name=policy.name, preset=policy.based_on))
        for field, value in policy.numbers.items():
            try:
                checked_value(field, value)
            except WrongNumber as error:
                faults.append(f"“{policy.name}”: {error}")
        names.add(policy.name)
    return faults


def checked_value(field: str, value: Any) -> Any:
    """Return the value in the type of the field. Raises WrongNumber."""
    if field not in SOURCES:
        raise WrongNumber(f"There is no field “{field}”.")
    if field == "truncate_tools" and isinstance(value, str):
        return value_of_text(field, value)
    if field == "truncate_tools" and isinstance(value, dict):
        value = list(cast("dict[Any, Any]", value).items())
    try:
        converted = msgspec.convert(value, _TYPES[field])
    except msgspec.ValidationError as error:
        raise WrongNumber(f"{field}: {error}.") from None
    if not SOURCES[field].has_within(converted):
        text = translatable("{field} must be {bounds}, not {value}.")
        raise WrongNumber(text.format(field=field, bounds=bounds_in_words(SOURCES[field]), value=value))
    if field == "prune_order" and not set(converted) <= set(BALANCED.prune_order):
        raise WrongNumber(
            translatable("{field} may have {words}.").format(field=field, words=", ".join(BALANCED.prune_order))
        )
    return converted


def value_of_text(field: str, text: str) -> Any:
    """Parse the value of a field: 85 %, 0.85, 20,000, no limit, yes, a, b. Raises WrongNumber.

    The elements of a list are separated by commas; the elements of `truncate_tools`, TOOL=NUMBER, also by semicolons,
    since a number may contain commas.
    """
    if field not in SOURCES:
        raise WrongNumber(f"There is no field “{field}”.")
    text = text.strip()
    if not isinstance(getattr(BALANCED, field), tuple):
        return checked_value(field, _parse(field, text))
    words = [] if text == "none" else _BEFORE_TOOL.split(text) if field == "truncate_tools" else text.split(",")
    return checked_value(field, [_element(field, word.strip()) for word in words if word.strip()])


def text_of_value(field: str, value: Any) -> str:
    """Return the value in the form that `value_of_text` parses."""
    if not isinstance(value, tuple):
        return _text_of_number(field, value)
    elements = cast("tuple[Any, ...]", value)
    words = [
        f"{element[0]}={element[1]:,}" if isinstance(element, tuple) else _text_of_number(field, element)
        for element in elements
    ]
    return (", " if field != "truncate_tools" else "; ").join(words) or "none"


def choices_of(field: str) -> tuple[str, ...]:
    """Return the possible values of a field; none if the field is not a choice of words."""
    return get_args(_TYPES[field]) if isinstance(getattr(BALANCED, field), str) else ()


def describe_policy(policy: ContextPolicy, own: Iterable[OwnPolicy] = ()) -> str:
    """Return a one-line description of the policy."""
    if policy.name in SUMMARIES:
        return SUMMARIES[policy.name]
    based_on = next((other.based_on for other in own if other.name == policy.name), BALANCED.name)
    count = len(differences(policy, based_on))
    return f"your own; differs from {based_on} in {count} field{'' if count == 1 else 's'}"


def bounds_in_words(source: FieldSource) -> str:
    """Return the bounds as text: "from 10 % to 100 %", "from 0 to 2,000,000, or no limit"."""
    least, most = in_words(_as_written(source, source.least), source.unit), _as_written(source, source.most)
    beyond = ", or no limit" if source.may_be_unlimited else ""
    return f"from {least} to {in_words(most, source.unit)}{beyond}"


def in_words(value: str | float, unit: str) -> str:
    """Return a value with its unit, formatted for people."""
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
    """Parse a number with any separator of thousands. Raises WrongNumber."""
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
