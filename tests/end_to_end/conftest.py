"""Engines in processes of their own, and a scripted model for them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from desktop_app.settings import Server, Settings, write_settings
from engine_client import EngineClient
from provider import ScriptedProvider

Engines = Callable[..., Awaitable[EngineClient]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest_asyncio.fixture
async def engines(data: Path) -> AsyncIterator[Engines]:
    """`await engines()`: an engine on the test's data folder; whoever still lives is closed at the end. With
    `is_forked=False` it is a process from its beginning, with the process id that is known."""
    started: list[EngineClient] = []

    async def start(**options: bool) -> EngineClient:
        started.append(await EngineClient(data, **options).start())
        return started[-1]

    yield start
    for engine in started:
        await engine.close()


@pytest.fixture
def use_provider(data: Path) -> Callable[..., None]:
    """`use_provider(provider, window, folder=...)`: the engine's only model is that one."""

    def use(provider: ScriptedProvider, window: int = 8_192, **changes: Any) -> None:
        server = Server("scripted", provider.base_url, ("scripted",), window, 1_000)
        write_settings(data / "settings.json", Settings(chat_model="scripted/scripted", servers=(server,), **changes))

    return use
