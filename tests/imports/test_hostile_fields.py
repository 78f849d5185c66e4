"""Values of somebody who means harm, in any field of every kind of file that is imported: they have no effect."""

from __future__ import annotations

import mimetypes
import os
import random
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest
from hostile_import import check_nothing_else, import_here, watched

from hostile_values import SAMPLES, variants
from stores import Store

FILES = sorted(SAMPLES.iterdir())
QUICK = 40
"""Attempts of each file in a run that is not --slow."""
MANY = 1_200
"""Those of a run that is."""
SEED = os.environ.get("SEED", "h6007")
AT_ONCE = 60
"""Attempts in one archive, which has the conversation of the one before in other words."""
mimetypes.init()  # reads the system's list


@pytest.mark.long
@pytest.mark.parametrize("sample", FILES, ids=lambda file: file.name)
def test_a_hostile_value_has_no_effect(tmp_path: Path, sample: Path) -> None:
    assert try_all(tmp_path, sample, list(variants(sample, random.Random(sample.name), QUICK))) == QUICK


@pytest.mark.slow
@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("sample", FILES, ids=lambda file: file.name)
def test_many_hostile_values_have_no_effect(tmp_path: Path, sample: Path) -> None:
    attempts, count = variants(sample, random.Random(f"{sample.name} {SEED}"), MANY), 0
    while some := list(islice(attempts, AT_ONCE)):
        count += try_all(tmp_path / str(count), sample, some)
    assert count == MANY


def try_all(folder: Path, sample: Path, attempts: list[tuple[str, str]]) -> int:
    """Import them one by one into the same archive."""
    file = folder / "given" / sample.name
    file.parent.mkdir(parents=True)
    (folder / "data").mkdir()
    with closing(Store(folder / "data" / "archive.sqlite3")) as store:
        for what, content in attempts:
            file.write_text(content, encoding="utf-8")
            with watched(folder) as noted:
                conversations, unread = import_here(file, store)
            assert conversations or unread, f"{what}: nothing is said of it"
            assert noted == [], what
        check_nothing_else(store)
    assert [each.name for each in file.parent.iterdir()] == [sample.name]
    return len(attempts)
