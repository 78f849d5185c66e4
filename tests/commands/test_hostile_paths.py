"""Paths that no file can have, and homes of nobody: each command says so, and ends in order."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from desktop_app.chat.choices import existing_folder
from desktop_app.chat.ports import WorldError
from desktop_app.commands.attached import attached_in

LONG = "n" * 300


@pytest.mark.parametrize(
    "arguments", [("import", LONG), ("backup", LONG), ("export", "--all", LONG), ("restore", LONG)]
)
def test_a_name_that_is_too_long_is_told(
    stored: Callable[[Sequence[str]], Path], printed: Callable[..., str], arguments: tuple[str, ...]
) -> None:
    data = stored(["hello"])
    code = 2 if arguments[0] == "import" else 1
    assert "too long" in printed(*arguments, "--data-dir", data, code=code)


def test_a_data_folder_in_the_home_of_nobody_is_told(printed: Callable[..., str]) -> None:
    assert "~nosuchuser" in printed("search", "x", "--data-dir", "~nosuchuser/x", code=2)


async def test_a_working_folder_in_the_home_of_nobody_is_told() -> None:
    with pytest.raises(WorldError, match="There is no folder ~nosuchuser"):
        await existing_folder("~nosuchuser")


@pytest.mark.parametrize("name", ["~nosuchuser/a.txt", f"{LONG}.txt", "a\0b.txt", os.fsdecode(b"caf\xe9.txt")])
async def test_a_file_that_cannot_be_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(WorldError, match="There is no file"):
        await attached_in(f"See @{name}", tmp_path)


async def test_a_person_of_whom_there_is_no_home_is_a_word(tmp_path: Path) -> None:
    assert await attached_in(f"Hello @~ana and @{LONG}", tmp_path) == ()
