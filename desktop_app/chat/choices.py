"""Resolve the folder and the policy chosen for a conversation or a project, and check that they exist."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path

from desktop_app.context.policy import BALANCED, ContextPolicy
from desktop_app.context.presets import find_policy
from desktop_app.conversation.events import Failure
from desktop_app.conversation.setup import NO_FOLDER, OwnPolicy
from desktop_app.conversation.words import translatable
from desktop_app.settings import Settings

from .ports import WorldError

KEPT = translatable("Nothing changed.")


async def existing_folder(folder: str) -> str:
    """Return the folder as an absolute path; "" and NO_FOLDER unchanged. Raises WorldError if it does not exist."""
    if folder in ("", NO_FOLDER):
        return folder
    path = Path(os.path.expanduser(folder))
    if not await asyncio.to_thread(path.is_dir):
        title, advice = translatable("There is no folder {path}"), translatable("Choose a folder that exists.")
        raise WorldError(Failure("not_found", title.format(path=path), kept=KEPT, advice=advice))
    return str(path.resolve())


def policy_named(name: str, settings: Settings) -> ContextPolicy:
    """Return the policy of that name, or the default from the settings if the name is "" or no longer exists."""
    return find_policy(name, settings.policies) or find_policy(settings.policy, settings.policies) or BALANCED


def check_policy(name: str, own: Iterable[OwnPolicy]) -> None:
    """Raise WorldError if there is no policy of that name; "" is valid. own: the user's policies."""
    if name and find_policy(name, own) is None:
        title, advice = translatable("There is no policy “{name}”"), translatable("Choose another one.")
        raise WorldError(Failure("not_found", title.format(name=name), kept=KEPT, advice=advice))
