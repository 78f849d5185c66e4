"""The window hands the keys of its environment on to the engine, and keeps nothing of them where others may look."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from ui_scenes import Run

from desktop_app import process_secrets
from desktop_app.ui.engine_process import EngineProcess


def test_the_engine_gets_the_keys_each_time_it_starts(run: Run, qapp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setitem(process_secrets.taken, "OPENAI_API_KEY", "sk-taken")
    lines: list[bytes] = []
    command = ["/bin/sh", "-c", 'echo "$OPENAI_API_KEY"; exit 1']
    parent = QObject()
    engine = EngineProcess(command, Path(os.devnull), 0.01, lambda line: lines.append(line) or False, parent)

    async def scene() -> None:
        engine.start()
        async with asyncio.timeout(20):
            while len(lines) < 2:
                await asyncio.sleep(0.02)
        await engine.end(b"")

    run(scene())
    assert set(lines) == {b"sk-taken"}
    assert "OPENAI_API_KEY" not in os.environ
