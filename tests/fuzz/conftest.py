"""One process of litellm for all tests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from desktop_app.models.litellm_library import LiteLLM
from desktop_app.models.request_writer import RequestWriter


@pytest.fixture(scope="session")
def imported() -> Iterator[LiteLLM]:
    writer = RequestWriter()
    yield LiteLLM(writer=writer)
    writer.close()


@pytest.fixture
async def library(imported: LiteLLM) -> AsyncIterator[LiteLLM]:
    """The library without connections."""
    imported.patience = imported.nearby_patience = 30.0
    yield imported
    await imported.close()
