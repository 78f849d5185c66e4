"""What lies in a file, a folder or a zip, as the formats see it."""

from __future__ import annotations

import json
import math
import os
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from desktop_app.conversation.foreign import UnreadFile
from desktop_app.imports.format import MAX_LEVELS, TOO_DEEP, Fields, json_of, seconds_of
from desktop_app.imports.formats import read_all
from desktop_app.imports.sources import BadFile, sources_in
from texts import UNKNOWN_FORMAT


@pytest.mark.parametrize(
    ("content", "keys"),
    [
        ('{"a": {"b": 1}, "c": [{"d": 2}]}\n{"e": 3}', {"a", "c"}),
        ('[{"a": {"b": 1}}, {"e": 3}]', {"a"}),
        ('\ufeff  [\n {"a": 1}]', {"a"}),
        ('{"a": 1, "long": "' + "x" * 100_000, {"a", "long"}),
        ('{"a": 1, "b": tru', {"a", "b"}),
        ('{"a": 1, "n": ' + "9" * 5_000 + ', "c": 1}', {"a", "n"}),
        ("[[1]]", set()),
        ("[7, 8]", set()),
        ("hello", set()),
        ("", set()),
    ],
)
def test_the_keys_of_the_first_object_are_seen(tmp_path: Path, content: str, keys: set[str]) -> None:
    (tmp_path / "a").write_text(content)
    (source,) = sources_in(tmp_path / "a")
    assert source.first_keys == keys


def test_a_folder_is_looked_through_without_links_and_pipes(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b.json").write_text("{}")
    (tmp_path / "a.json").write_text("[]")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "in" / "round").symlink_to(tmp_path)
    assert sorted(source.name for source in sources_in(tmp_path)) == ["a.json", "in/b.json"]


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "/dev/stdin", "/dev/null"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadFile, match="neither a file nor a folder"):
        sources_in(tmp_path / name)


@pytest.mark.long
def test_a_large_zip_does_not_fill_memory(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.json", "w") as file:
        file.write(b"[")
        for _ in range(200):
            file.write(b'{"text": "' + b"x" * 500_000 + b'"},')
        file.write(b"{}]")
    (source,) = sources_in(tmp_path / "a.zip")
    tracemalloc.start()
    assert sum(1 for _ in source.items("item")) == 201
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert source.size > 100_000_000
    assert peak < 20_000_000


def test_a_whole_archive_of_ours_is_no_list_of_foreign_conversations(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("archive.json", '{"format": "palimpsest-archive", "version": 1}')
        archive.writestr("conversations/1.jsonl", '{"role": "user", "content": "Hello"}')
    ((_, found),) = read_all(sources_in(tmp_path / "all.zip"))
    assert isinstance(found, UnreadFile)
    assert "whole archive" in found.reason


def test_what_is_too_large_to_be_read_whole_is_refused_whatever_it_says(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(1_001))
    (source,) = sources_in(tmp_path / "a")
    with pytest.raises(BadFile, match="larger"):
        source.read(1_000)


def test_a_locked_or_damaged_zip_and_a_missing_file_are_named(tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04" + bytes(40) + b"PK\x05\x06" + bytes(18))
    with zipfile.ZipFile(tmp_path / "cut.zip", "w") as archive:
        archive.writestr("a.json", "[1, 2, 3]" * 100)
    content = bytearray((tmp_path / "cut.zip").read_bytes())
    content[60:70] = b"0123456789"
    (tmp_path / "cut.zip").write_bytes(content)
    (source,) = sources_in(tmp_path / "cut.zip")
    with pytest.raises(BadFile):
        source.read()
    with pytest.raises(BadFile, match="no such file"):
        sources_in(tmp_path / "missing")


def test_the_beginnings_of_many_files_do_not_fill_memory(tmp_path: Path) -> None:
    text = '{"messages": []}' + " " * 70_000
    for number in range(200):
        (tmp_path / f"{number}.json").write_text(text)
    sources = sources_in(tmp_path)
    tracemalloc.start()
    for source in sources:
        assert source.first_keys == {"messages"}
        assert source.beginning is source.beginning, "it is read once for the formats that look at it"
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1_000_000, "10,000 files of 64 KB each would take 640 MB"


# What is said of a file that no format recognizes.


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "an empty file"),
        (b"%PDF-1.7 ...", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n\0\0", "an image or a sound"),
        (b"  <!DOCTYPE html><p>", "a web page"),
        (b'[{"b": 1, "a": 2}]', "JSON with the fields a, b"),
        (b'{"a1":0,"a2":0,"a3":0,"a4":0,"a5":0,"a6":0,"a7":0,"a8":0,"a9":0}', "a4, a5, a6, a7, a8, …"),
        (b"[1, 2]", "JSON without conversations"),
        ("naïve".encode(), "plain text"),
        (bytes(range(256)), "a file without text"),
    ],
)
def test_it_says_what_it_seems_to_be(tmp_path: Path, content: bytes, kind: str) -> None:
    (tmp_path / "file").write_bytes(content)
    ((_, found),) = read_all(sources_in(tmp_path / "file"))
    assert isinstance(found, UnreadFile)
    assert found.reason.startswith(UNKNOWN_FORMAT)
    assert found.reason.endswith(kind)


# Objects of foreign files, read field by field.


def test_a_list_of_texts_with_anything_else_in_it_is_kept_whole() -> None:
    fields = Fields({"models": ["a", "b"], "tags": ["x", 7]})
    assert fields.strings("models") == ["a", "b"]
    assert fields.strings("tags") == ["x"]
    assert fields.rest() == {"tags": ["x", 7]}


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan, 10**400, -(10**400), 2**63, True, "1"])
def test_a_number_that_counts_nothing_is_none(number: object) -> None:
    assert Fields({"n": number}).count("n") == Fields({"n": number}).number("n") == 0
    assert seconds_of(number) == 0.0


def test_what_is_nested_too_deeply_is_cut_off_and_told() -> None:
    value: object = 1
    for _ in range(20_000):
        value = {"a": value}
    kept = json_of(value)
    assert (kept.count('"a"'), TOO_DEEP in kept) == (MAX_LEVELS, True)
    assert json.loads(kept)
