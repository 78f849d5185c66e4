from __future__ import annotations

import asyncio
import time

import pytest

from desktop_app.models import litellm_library
from desktop_app.models.litellm_library import LiteLLM
from imports_under_way import wait_for_imports


async def test_an_import_that_nobody_waits_for_ends_with_its_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(litellm_library, "_load", lambda: time.sleep(0.1))
    library = LiteLLM()
    loading = asyncio.ensure_future(library.load())
    await asyncio.sleep(0)
    assert not library.is_loaded
    loading.cancel()
    wait_for_imports()
    assert library.is_loaded
