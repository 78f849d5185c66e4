"""The settings of the services: what is changed at the same time is all kept."""

from __future__ import annotations

import asyncio

import pytest
from desk import Desk
from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.tools import Rule
from desktop_app.paths import settings_file
from desktop_app.settings import read_settings


async def test_rules_that_come_at_the_same_time_are_all_kept(desk: Desk) -> None:
    services = desk.engine.services
    rules = [Rule("bash", f"git {verb} *") for verb in ("log", "diff", "show", "blame")]
    await asyncio.gather(*map(services.keep_rule, rules))
    assert set(services.settings.rules) == set(rules)
    assert set(read_settings(settings_file(services.data)).rules) == set(rules)
    await services.keep_rule(replace(rules[0], is_allowed=False))
    assert [rule.is_allowed for rule in services.settings.rules if rule.pattern == "git log *"] == [False]


async def test_a_rule_that_cannot_be_stored_is_told(desk: Desk) -> None:
    services = desk.engine.services
    settings_file(services.data).unlink()
    settings_file(services.data).mkdir()
    with pytest.raises(WorldError) as caught:
        await services.keep_rule(Rule("bash"))
    assert caught.value.failure.kind == "disk"
    assert services.settings.rules == ()
