"""litellm, imported once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from desktop_app.models.litellm_library import LiteLLM


@pytest.fixture(scope="session")
def imported() -> LiteLLM:
    library = LiteLLM()
    asyncio.run(library.load())
    return library


@pytest.fixture
async def library(imported: LiteLLM) -> AsyncIterator[LiteLLM]:
    """The library without connections."""
    imported.patience = imported.nearby_patience = 30.0
    yield imported
    await imported.close()
