"""The policies that a command may name: the presets, and the user's own in the data folder."""

from __future__ import annotations

import argparse

from desktop_app.context.own_policies import find_policy
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.presets import PRESETS
from desktop_app.paths import settings_file
from desktop_app.settings import Settings, SettingsDamaged, read_settings

from .arguments import BadInput, data_of


def settings_of(arguments: argparse.Namespace) -> Settings:
    """Return the stored settings. Raises BadInput where they are damaged."""
    try:
        return read_settings(settings_file(data_of(arguments)))
    except SettingsDamaged as error:
        raise BadInput("The settings could not be read", str(error), "Mend the file that was kept.") from error


def policy_names(settings: Settings) -> list[str]:
    """Return the names of all policies there are."""
    return list(dict.fromkeys([*PRESETS, *(one.name for one in settings.policies)]))


def policy_called(name: str, settings: Settings) -> ContextPolicy:
    """Return the policy of that name; a preset's may be written in capitals. Raises BadInput if there is none."""
    policy = find_policy(name, settings.policies) or PRESETS.get(name.lower())
    if policy is None:
        raise BadInput(f"There is no policy “{name}”", advice=f"There are {', '.join(policy_names(settings))}.")
    return policy
