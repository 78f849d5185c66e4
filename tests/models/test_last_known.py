"""What servers told last outlives the engine, and a file that is damaged is as good as none."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from desktop_app.conversation.gauge import Provenance
from desktop_app.conversation.quirks import Learned, pictures_accepted, with_quirk
from desktop_app.models.catalogue import Catalogue, LastKnown, LastKnownFile
from desktop_app.models.published import ModelCapabilities
from desktop_app.settings import ModelLimits, Server, Settings

KEY = ("home", "http://127.0.0.1:1/v1", "big")
LAST = LastKnown(ModelCapabilities(64_000, supports_tools=True), Provenance.MEASURED, 1_795_363_349.8)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    kept = LastKnownFile(tmp_path / "models.json")
    assert kept.update(KEY, LAST)
    assert not kept.update(KEY, LAST), "nothing new"
    kept.write()
    assert os.name != "posix" or (tmp_path / "models.json").stat().st_mode & 0o777 == 0o600
    again = LastKnownFile(tmp_path / "models.json")
    again.read()
    assert again.get(KEY) == LAST
    assert again.get(("home", "http://127.0.0.1:2/v1", "big")) is None


@pytest.mark.parametrize("content", [b"", b"[", b"{}", b"\xff", b'[{"server": 1}]', b"[" * 200_000])
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "models.json").write_bytes(content)
    kept = LastKnownFile(tmp_path / "models.json")
    kept.read()
    assert kept.get(KEY) is None
    kept.update(KEY, LAST)
    kept.write()
    kept.read()
    assert kept.get(KEY) == LAST


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    kept = LastKnownFile(tmp_path / "file" / "models.json")
    kept.update(KEY, LAST)
    kept.write()
    assert kept.get(KEY) == LAST


def test_a_file_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    told = '{"window": 64000, "has_tools": true, "has_eyes": false}'
    entry = f'{{"server": "home", "address": "{KEY[1]}", "model": "big", "last": {{"told": {told}, "basis": "measured"'
    (tmp_path / "models.json").write_text(f'[{entry}, "at": 1795363349.8}}}}]')
    kept = LastKnownFile(tmp_path / "models.json")
    kept.read()
    assert kept.get(KEY) == LastKnown(ModelCapabilities(64_000, 0, True, False), Provenance.MEASURED, LAST.at)


SERVER = Server("home", KEY[1], ("big", "small"))


async def test_what_was_learned_outlives_the_run_until_the_model_is_set_up_otherwise(tmp_path: Path) -> None:
    def catalogue(settings: Settings) -> Catalogue:
        kept = LastKnownFile(tmp_path / "models.json")
        kept.read()
        return Catalogue(settings, lambda _: "", last_known=kept)

    def learned(of: Catalogue, name: str = "big") -> Learned:
        return next(info for info in of.infos() if info.id == f"home/{name}").learned

    stated = Settings(servers=(replace(SERVER, window=64_000),))
    first = catalogue(stated)
    await first.learn("home/big", "without stream_options")
    await first.learn("home/big", window=8_192)
    await first.learn("home/small", "pictures 4")
    again = catalogue(stated)
    assert learned(again) == Learned(8_192, ("without stream_options",))
    assert again.model("home/big").info.window == 64_000, "what is stated is another matter"
    again.change(Settings(servers=(*stated.servers, Server("other", "http://127.0.0.1:2/v1", ("m",)))))
    assert learned(again) == Learned(8_192, ("without stream_options",)), "another server is another matter"
    again.change(Settings(servers=(replace(stated.servers[0], limits={"big": ModelLimits(supports_vision=True)}),)))
    assert (learned(again), learned(again, "small")) == (Learned(), Learned(0, ("pictures 4",)))
    await again.store_known()
    assert learned(catalogue(stated)) == Learned(), "also for the next run"
    await again.forget_learned("home", "small")
    await again.forget_learned("home", "unknown")
    assert learned(catalogue(stated), "small") == Learned()


def test_many_threads_write_one_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept = LastKnownFile(tmp_path / "models.json")
    with ThreadPoolExecutor(8) as threads:
        for number in range(64):
            kept.update(("home", KEY[1], f"m{number}"), LAST)
            threads.submit(kept.write)
    assert not caplog.records
    kept.read()
    assert kept.get(("home", KEY[1], "m63")) == LAST


def test_the_smallest_number_of_pictures_counts() -> None:
    known = with_quirk(with_quirk(("no_system", "pictures 8"), "pictures 4"), "without top_p")
    assert (known, pictures_accepted(known)) == (("no_system", "pictures 4", "without top_p"), 4)
    assert pictures_accepted(("no_system",)) is None
