"""litellm is imported once; each test has connections of its own, since they belong to its loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from desktop_app.models.litellm_library import LiteLLM

PATIENCE = 0.6
"""Seconds of silence that a test waits for."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test that takes the real litellm is on the wire: its import alone takes seconds."""
    for item in items:
        if "loaded" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.wire)


@pytest.fixture(scope="session")
def loaded() -> LiteLLM:
    library = LiteLLM()
    asyncio.run(library.load())
    return library


@pytest.fixture
async def litellm(loaded: LiteLLM) -> AsyncIterator[LiteLLM]:
    """The library, impatient, without connections."""
    loaded.patience = PATIENCE
    yield loaded
    await loaded.close()
