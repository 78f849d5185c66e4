"""`palimpsest policy [NAME]`: list the policies, or show, change and compare the numbers of one."""

from __future__ import annotations

import argparse
from typing import Any, cast

from msgspec.structs import asdict, replace

from desktop_app.context.fitting import acting_policy
from desktop_app.context.policy import BALANCED, NO_LIMIT, Budget, ContextPolicy, budget_for
from desktop_app.context.policy_fields import GROUPS, SOURCES, FieldSource, share_in_tokens
from desktop_app.context.presets import (
    PRESETS,
    WrongNumber,
    describe_policy,
    find_policy,
    in_words,
    own_policy_of,
    value_of_text,
)
from desktop_app.conversation.openai_chat import Json
from desktop_app.paths import settings_file
from desktop_app.settings import Settings, SettingsDamaged, read_settings, update_settings

from .arguments import BadInput, add_data_and_json, data_of, print_json, show, table, tokens_argument


def settings_of(arguments: argparse.Namespace) -> Settings:
    """Return the stored settings. Raises BadInput if they are damaged."""
    try:
        return read_settings(settings_file(data_of(arguments)))
    except SettingsDamaged as error:
        raise BadInput("The settings could not be read", str(error), "Mend the file that was kept.") from error


def policy_names(settings: Settings) -> list[str]:
    """Return the names of all policies: the presets', then the user's."""
    return list(dict.fromkeys([*PRESETS, *(policy.name for policy in settings.policies)]))


def policy_called(name: str, settings: Settings) -> ContextPolicy:
    """Return the policy of that name; a preset's name may be in capitals. Raises BadInput if there is none."""
    policy = find_policy(name, settings.policies) or PRESETS.get(name.lower())
    if policy is None:
        raise BadInput(f"There is no policy “{name}”", advice=f"There are {', '.join(policy_names(settings))}.")
    return policy


DIFFERS = "*"
"""Marks a number that differs from the default policy's."""
LEGEND = (
    f"{DIFFERS} differs from balanced. Source: the feature, and the design documents that asked for it: "
    "0 OpenFork, 1 LM Studio, 2 SPEC-008, 3 Go agent, 4 Seline, + our own."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("name", nargs="?", help="a preset, or a policy of your own (default: list all)")
    parser.add_argument(
        "--window", type=tokens_argument, help="show the numbers that apply in that window, such as 32K"
    )
    parser.add_argument("--diff", metavar="OTHER", help="show only the numbers that differ from this policy's")
    parser.add_argument(
        "--set", metavar="FIELD=VALUE", action="append", default=[], help="change a number of a policy of your own"
    )
    parser.add_argument("--as", dest="new_name", metavar="NAME", help="store the changed policy under this name")
    parser.add_argument("--use", action="store_true", help="use the policy in all conversations")
    parser.add_argument("--side-by-side", action="store_true", help="all presets as one Markdown table")
    add_data_and_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the policies, or the numbers of one, after changing it if requested."""
    if arguments.side_by_side:
        show(side_by_side())
        return 0
    settings = settings_of(arguments)
    if arguments.name is None:
        _refuse_without_name(arguments)
        _print_list(settings, arguments.json)
        return 0
    policy = policy_called(arguments.name, settings)
    if arguments.set or arguments.new_name or arguments.use:
        policy, settings = _store_changes(policy, arguments)
    other = policy_called(arguments.diff, settings) if arguments.diff else None
    budget = None
    if arguments.window is not None:
        budget = budget_for(policy, arguments.window)
        policy = acting_policy(policy, budget)
        other = acting_policy(other, budget_for(other, arguments.window)) if other else None
    if arguments.json:
        print_json(report_of(policy, settings, other, budget))
    else:
        show(compare(policy, other) if other else for_people(policy, settings, budget))
    return 0


def _refuse_without_name(arguments: argparse.Namespace) -> None:
    """Raise BadInput if an option needs the name of a policy, which is missing: a list would hide that mistake."""
    options = {"--window": arguments.window, "--diff": arguments.diff, "--set": arguments.set}
    options |= {"--as": arguments.new_name, "--use": arguments.use}
    option = next((option for option, value in options.items() if value), None)
    if option:
        raise BadInput(f"{option} needs the name of a policy before it", advice="palimpsest policy lists them.")


def _print_list(settings: Settings, is_json: bool) -> None:
    own = settings.policies
    lines = [
        (name, describe_policy(policy, own)) for name in policy_names(settings) if (policy := find_policy(name, own))
    ]
    if is_json:
        print_json({"policies": [{"name": name, "summary": summary} for name, summary in lines]})
    else:
        show(table(lines))


def _store_changes(policy: ContextPolicy, arguments: argparse.Namespace) -> tuple[ContextPolicy, Settings]:
    """Store the policy with its changes under its name; return it and the new settings."""
    name = arguments.new_name or policy.name
    if arguments.set or arguments.new_name:
        if name in PRESETS:
            advice = f"Store it as one of your own: palimpsest policy {policy.name} --set … --as NAME"
            raise BadInput(f"“{name}” is a preset, which stays as it is", advice=advice)
        changed = replace(_with_changes(policy, arguments.set), name=name)
    else:
        changed = policy

    def change(settings: Settings) -> Settings:
        if changed is not policy:
            based_on = next((own.based_on for own in settings.policies if own.name == policy.name), policy.name)
            others = [own for own in settings.policies if own.name != name]
            settings = replace(settings, policies=(*others, own_policy_of(changed, based_on)))
        return replace(settings, policy=name) if arguments.use else settings

    return changed, update_settings(settings_file(data_of(arguments)), change, Settings())


def _with_changes(policy: ContextPolicy, changes: list[str]) -> ContextPolicy:
    for change in changes:
        field, sign, text = change.partition("=")
        if not sign:
            raise BadInput(f"“{change}” is not FIELD=VALUE", advice="Such as --set compact_at=85%.")
        try:
            policy = replace(policy, **{field.strip(): value_of_text(field.strip(), text)})
        except WrongNumber as error:
            raise BadInput("That number cannot be set", str(error), "Nothing was stored.") from error
    return policy


def report_of(
    policy: ContextPolicy, settings: Settings, other: ContextPolicy | None = None, budget: Budget | None = None
) -> Json:
    """Return the command's JSON object: the fields by group, each with its value, unit and source.

    other: include only fields that differ from that policy. budget: of the window in which the numbers apply; with it,
    shares are also converted to tokens.
    """
    return {
        "name": policy.name,
        "summary": describe_policy(policy, settings.policies),
        "groups": [
            {
                "title": group.title,
                "fields": [
                    _field(policy, source, other, budget)
                    for source in group.sources
                    if _is_shown(policy, source.field, other)
                ],
            }
            for group in GROUPS
        ],
    }


def _is_shown(policy: ContextPolicy, field: str, other: ContextPolicy | None) -> bool:
    return other is None or getattr(policy, field) != getattr(other, field)


def _field(policy: ContextPolicy, source: FieldSource, other: ContextPolicy | None, budget: Budget | None) -> Json:
    compared = {} if other is None else {"other": _value(other, source.field)}
    tokens = None if budget is None else share_in_tokens(source.field, policy, budget)
    return {
        "field": source.field,
        "value": _value(policy, source.field),
        **compared,
        **({} if tokens is None else {"tokens": tokens}),
        "bounds": [source.least, source.most] if source.unit else None,
        "unit": source.unit,
        "meaning": source.meaning,
        "row": source.number.row,
        "documents": source.number.documents,
        "differs_from_balanced": differs(policy, source.field),
    }


def _value(policy: ContextPolicy, field: str) -> Any:
    value = asdict(policy)[field]
    return None if value == NO_LIMIT else value


def compare(policy: ContextPolicy, other: ContextPolicy) -> str:
    """Return a table of the numbers in which two policies differ."""
    rows = [
        (source.field, ", ".join(elements(policy, source)), ", ".join(elements(other, source)), source.meaning)
        for source in SOURCES.values()
        if _is_shown(policy, source.field, other)
    ]
    if not rows:
        return f"{policy.name} and {other.name} have the same numbers."
    return table([("", policy.name, other.name, ""), *rows], right=frozenset({1, 2}))


def for_people(policy: ContextPolicy, settings: Settings, budget: Budget | None = None) -> str:
    """Return the same as text: a table for each group, in which each element of a list has a row."""
    lines = [f"{policy.name}: {describe_policy(policy, settings.policies)}"]
    for group in GROUPS:
        rows = [row for source in group.sources for row in _rows(policy, source, budget)]
        lines += ["", group.title, table(rows, right=frozenset({2}))]
    return "\n".join([*lines, "", LEGEND])


def _rows(policy: ContextPolicy, source: FieldSource, budget: Budget | None) -> list[tuple[str, str, str, str, str]]:
    mark = DIFFERS if differs(policy, source.field) else ""
    first, *more = elements(policy, source)
    if budget is not None and (tokens := share_in_tokens(source.field, policy, budget)) is not None:
        first += f" = {tokens:,} tokens"
    rows = [(mark, source.field, first, f"{source.number.row} ({source.number.documents})", source.meaning)]
    return rows + [("", "", words, "", "") for words in more]


def side_by_side() -> str:
    """Return all presets as one Markdown table, with only those numbers of a preset that differ from the default's."""
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
            lines.append(f"| `{source.field}` | {source.number.row} | {' | '.join(cells)} |")
    return "\n".join(lines)


def differs(policy: ContextPolicy, field: str) -> bool:
    """Return whether that number differs from the default's."""
    return getattr(policy, field) != getattr(BALANCED, field)


def elements(policy: ContextPolicy, source: FieldSource) -> list[str]:
    """Return the value of a field as people read it: one text, or one for each element of a list."""
    value: Any = getattr(policy, source.field)
    if not isinstance(value, tuple):
        return [in_words(value, source.unit)]
    elements = cast("tuple[Any, ...]", value)
    return [_element(element, source.unit) for element in elements] or ["none"]


def _element(value: Any, unit: str) -> str:
    if isinstance(value, tuple):
        return f"{value[0]} {value[1]:,} {unit}"
    return value if isinstance(value, str) else in_words(value, unit)
