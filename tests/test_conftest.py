"""The test suite's own safety nets, tried in a pytest of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ("pytester",)

HERE = Path(__file__).resolve().parent

SOURCE = """
import asyncio
import gc

async def break_down():
    raise ValueError("nobody saw this")

async def test_stray():
    asyncio.get_running_loop().create_task(break_down())
    await asyncio.sleep(0.01)

async def test_on_purpose(stray_exceptions):
    asyncio.get_running_loop().create_task(break_down())
    await asyncio.sleep(0.01)
    gc.collect()
    assert "nobody saw this" in stray_exceptions[0]
    stray_exceptions.clear()

async def test_awaited():
    task = asyncio.get_running_loop().create_task(break_down())
    await asyncio.gather(task, return_exceptions=True)

def test_data_folder(data_folder):
    import os
    assert os.environ["PALIMPSEST_DATA_DIR"] == str(data_folder)
"""


@pytest.mark.wire
def test_an_exception_that_no_one_awaits_fails_its_test(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(HERE))  # what the conftest imports
    pytester.makeconftest((HERE / "conftest.py").read_text(encoding="utf-8"))
    pytester.makepyprojecttoml((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    pytester.makepyfile(SOURCE)
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-o", "testpaths=.")
    outcome.assert_outcomes(passed=4, errors=1)
    outcome.stdout.fnmatch_lines(["*ERROR at teardown of test_stray*", "*ValueError: nobody saw this*"])
