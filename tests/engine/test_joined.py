"""The settings of the joined parts: what is changed at the same time is all kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.tools import Rule
from desktop_app.engine.compose import join
from desktop_app.engine.services import EngineServices
from desktop_app.paths import settings_file
from desktop_app.settings import read_settings


@pytest_asyncio.fixture
async def joined(tmp_path: Path) -> AsyncIterator[EngineServices]:
    bugs: list[BaseException] = []
    made = await join(tmp_path, lambda _: None, lambda: None, bugs.append)
    yield made
    await made.close()
    assert not bugs


async def test_answers_that_come_at_the_same_time_are_all_kept(joined: EngineServices) -> None:
    rules = [Rule("bash", f"git {verb} *") for verb in ("log", "diff", "show", "blame")]
    await asyncio.gather(*map(joined.keep_rule, rules))
    assert set(joined.settings.rules) == set(rules)
    assert set(read_settings(settings_file(joined.data)).rules) == set(rules)
    await joined.keep_rule(replace(rules[0], is_allowed=False))
    assert [rule.is_allowed for rule in joined.settings.rules if rule.pattern == "git log *"] == [False]


async def test_a_rule_that_cannot_be_stored_is_told(joined: EngineServices) -> None:
    settings_file(joined.data).mkdir()
    with pytest.raises(WorldError, match="could not be saved"):
        await joined.keep_rule(Rule("bash"))
    assert joined.settings.rules == ()
