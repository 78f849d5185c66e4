"""`palimpsest policy [NAME]`: the presets in a line each, or every number of one with where it comes from."""

from __future__ import annotations

import argparse
from typing import Any

from msgspec.structs import asdict, replace

from desktop_app.context.fitting import fit_policy
from desktop_app.context.memory.memories import memory_room
from desktop_app.context.policy import BALANCED, NO_LIMIT, ContextPolicy, budget_for
from desktop_app.context.policy_sources import GROUPS, FieldSource
from desktop_app.context.presets import PRESETS, SUMMARIES
from desktop_app.conversation.openai_chat import Json

from .arguments import BadInput, add_json, print_json, table, tokens_argument
from .terminal import show

DIFFERS = "*"
"""Marks a number that is not that of the default."""
LEGEND = (
    f"{DIFFERS} differs from balanced. Source: the feature, and the design documents that asked for it: "
    "0 OpenFork, 1 LM Studio, 2 SPEC-008, 3 Go agent, 4 Seline, + our own."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", nargs="?", help="a preset; without it, all are listed")
    parser.add_argument("--window", type=tokens_argument, help="the numbers as they act in that window, such as 32K")
    parser.add_argument("--side-by-side", action="store_true", help="all presets as one Markdown table")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the presets, or the numbers of one."""
    if arguments.side_by_side:
        show(side_by_side())
        return 0
    if arguments.name is None:
        if arguments.json:
            print_json({"policies": [{"name": name, "summary": SUMMARIES[name]} for name in PRESETS]})
        else:
            show(table([(name, SUMMARIES[name]) for name in PRESETS]))
        return 0
    policy = PRESETS.get(arguments.name.lower())
    if policy is None:
        raise BadInput(f"There is no policy “{arguments.name}”", advice=f"There are {', '.join(PRESETS)}.")
    if arguments.window is not None:
        policy = in_window(policy, arguments.window)
    if arguments.json:
        print_json(report_of(policy))
    else:
        show(for_people(policy))
    return 0


def in_window(policy: ContextPolicy, window: int) -> ContextPolicy:
    """Return the policy with its numbers as they act in that window, where the whole reserve is kept."""
    budget = budget_for(policy, window)
    usable, made = budget.usable, fit_policy(policy, budget)
    return replace(
        made,
        reserve_tokens=budget.reserve,
        tail_most=min(made.tail_most, round(usable * made.tail_share)),
        protect_newest=min(made.protect_newest, round(window * made.protect_share_of_window)),
        prune_least=min(made.prune_least, round(window * made.prune_least_share_of_window)),
        keep_user_tokens=min(made.keep_user_tokens, round(usable * made.target * made.keep_user_share)),
        flush_distance=min(made.flush_distance, round(usable * made.flush_share)),
        memory_most=memory_room(made, budget),
        recall_most=min(made.recall_most, round(usable * made.recall_share)),
    )


def report_of(policy: ContextPolicy) -> Json:
    """Return the command's JSON object: the fields by group, each with its value, unit and source."""
    return {
        "name": policy.name,
        "summary": SUMMARIES[policy.name],
        "groups": [
            {"title": group.title, "fields": [_field(policy, source) for source in group.sources]} for group in GROUPS
        ],
    }


def _field(policy: ContextPolicy, source: FieldSource) -> Json:
    value = asdict(policy)[source.field]
    return {
        "field": source.field,
        "value": None if value == NO_LIMIT else value,
        "unit": source.unit,
        "meaning": source.meaning,
        "row": source.row,
        "documents": source.documents,
        "differs_from_balanced": differs(policy, source.field),
    }


def for_people(policy: ContextPolicy) -> str:
    """Return the same as text, a table for each group; of a list, each element has a row."""
    lines = [f"{policy.name}: {SUMMARIES[policy.name]}"]
    for group in GROUPS:
        rows = [row for source in group.sources for row in _rows(policy, source)]
        lines += ["", group.title, table(rows, right=frozenset({2}))]
    return "\n".join([*lines, "", LEGEND])


def _rows(policy: ContextPolicy, source: FieldSource) -> list[tuple[str, str, str, str, str]]:
    mark = DIFFERS if differs(policy, source.field) else ""
    first, *more = elements(policy, source)
    rows = [(mark, source.field, first, f"{source.row} ({source.documents})", source.meaning)]
    return rows + [("", "", words, "", "") for words in more]


def side_by_side() -> str:
    """Return all presets as one Markdown table, with only those numbers of a preset that are not the default's."""
    others = [policy for policy in PRESETS.values() if policy is not BALANCED]
    names = [BALANCED.name, *(policy.name for policy in others)]
    lines = [f"| number | source | {' | '.join(names)} |", f"|---|---|{'---|' * len(names)}"]
    for group in GROUPS:
        lines.append(f"| **{group.title}** | |{' |' * len(names)}")
        for source in group.sources:
            cells = [
                ", ".join(elements(policy, source)) if policy is BALANCED or differs(policy, source.field) else ""
                for policy in (BALANCED, *others)
            ]
            lines.append(f"| `{source.field}` | {source.row} | {' | '.join(cells)} |")
    return "\n".join(lines)


def differs(policy: ContextPolicy, field: str) -> bool:
    """Return whether that number is not the default's."""
    return getattr(policy, field) != getattr(BALANCED, field)


def elements(policy: ContextPolicy, source: FieldSource) -> list[str]:
    """Return a field as people read it: one text, or one for each element of a list."""
    value: Any = getattr(policy, source.field)
    if not isinstance(value, tuple):
        return [in_words(value, source.unit)]
    pairs = [f"{v[0]} {v[1]:,} {source.unit}" if isinstance(v, tuple) else in_words(v, source.unit) for v in value]
    return pairs or ["none"]


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
