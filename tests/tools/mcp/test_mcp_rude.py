"""Servers that misbehave: an outcome or a failure in words, and nothing hangs."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from mcp_bench import PATIENT, Heartbeat, bench, server

from desktop_app.tools.mcp.server_context import ServerLimits

HASTY = ServerLimits(start=1.0, max_start=1.5, wait=20.0, call=0.5, pause=0.05)


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        ("dead", "connection", "Its program ended with the code 3"),
        ("garbage", "garbage", "What it writes is not the protocol: 'Welcome to the server!'"),
        ("silent", "timeout", "It did not answer within 1 seconds"),
        ("old", "unsupported", "1999-01-01"),
        ("broken list", "garbage", "does not follow the protocol"),
    ],
)
async def test_a_server_that_does_not_start_is_a_failure_in_words(
    tmp_path: Path, how: str, kind: str, words: str
) -> None:
    async with bench(tmp_path, server("rude", how), limits=HASTY) as one:
        assert await one.names() == []
        [failure] = one.servers.failures()
        assert failure.kind == kind
        assert failure.title == "The MCP server “rude” does not answer"
        assert words in failure.detail
        assert failure.advice
        assert "did not run" in await one.text("rude__work")


async def test_the_last_words_of_a_server_are_told_without_secrets(tmp_path: Path) -> None:
    dead = server("rude", "dead", environment={"TOKEN": "hunter2hunter2"})
    async with bench(tmp_path, dead, limits=HASTY) as one:
        await one.names()
        [failure] = one.servers.failures()
        assert "no such option" in failure.detail
        assert "hunter2" not in failure.detail
        assert "sk-abc" not in failure.detail


async def test_a_command_that_is_not_there_and_a_folder_that_is_not_there(tmp_path: Path) -> None:
    missing = server("rude")
    missing = type(missing)("missing", ("no-such-program-anywhere", "x"))
    lost = server("rude", name="lost", folder=str(tmp_path / "gone"))
    async with bench(tmp_path, missing, lost, type(missing)("empty"), limits=HASTY) as one:
        assert await one.names() == []
        first, second, third = one.servers.failures()
        assert "'no-such-program-anywhere' was not found" in first.detail
        assert "gone is not there" in second.detail
        assert "address" in third.detail


async def test_chatter_between_messages_is_overheard(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "chatty")) as one:
        assert await one.names() == ["rude__work"]
        assert await one.text("rude__work") == "worked"


async def test_a_stream_without_an_end_of_line_costs_neither_memory_nor_the_loop(tmp_path: Path) -> None:
    heartbeat = Heartbeat()
    async with bench(tmp_path, server("rude", "megabytes"), limits=HASTY) as one, heartbeat.watched():
        assert await one.names() == []
        assert "did not answer" in one.servers.failures()[0].detail
    assert heartbeat.longest < 0.05, heartbeat.longest


async def test_a_server_that_never_stops_talking_leaves_time_to_others(tmp_path: Path) -> None:
    heartbeat = Heartbeat()
    async with bench(tmp_path, server("rude", "flood"), limits=ServerLimits(wait=20, start=20, call=0.5)) as one:
        await one.names()
        async with heartbeat.watched():
            lines, outcome = await one.run("rude__work")
    assert outcome.is_error
    assert "was told to stop" in outcome.text
    assert 10 < len(lines) < 5_000
    assert all(len(line) <= 2_001 and line.endswith("\n") for line in lines)
    assert heartbeat.longest < 0.05, heartbeat.longest


async def test_pages_are_read_to_their_end_and_not_beyond_it(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "pages", "p"), server("rude", "endless", "e")) as one:
        names = await one.names()
    assert names[:5] == [f"p__tool_{page}" for page in range(5)]
    assert names[5] == "e__tool_0"
    assert len(names) == 5 + 32


async def test_a_crowd_of_tools_does_not_hold_the_loop_up(tmp_path: Path) -> None:
    heartbeat = Heartbeat()
    async with (
        bench(tmp_path, server("rude", "crowd"), server("rude", name="r"), limits=PATIENT) as one,
        heartbeat.watched(),
    ):
        names = await one.names()
        assert "more than 128 tools" in one.servers.failures()[0].detail
    assert len(names) == 128 + 1
    assert len(set(names)) == len(names)
    assert heartbeat.longest < 2, heartbeat.longest  # of which the package takes a part, reading the list in one go


async def test_tools_that_no_provider_would_take_are_left_out_and_named(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "odd")) as one:
        specs = await one.servers.specs(one.place)
        assert [spec.name for spec in specs] == ["rude__fine", "rude__a_b"]
        assert specs[1].description.startswith("Does it.[2Jxxx")
        assert len(specs[1].description) == 1_024
        assert specs[1].source == "rude"
        details = " ".join(failure.detail for failure in one.servers.failures())
        assert "“large”: its schema has" in details
        assert await one.text("rude__large") == "The MCP server “rude” has no tool of that name now."
        assert "“named badly”: its argument 'ä'" in details


@pytest.mark.parametrize(
    ("how", "is_error", "words"),
    [
        ("structured", False, '"temperature": 21.5'),
        ("nothing", False, "(The tool returned nothing.)"),
        ("wrong answer", True, "does not follow the protocol"),
        ("refusing", True, "Not today."),
        ("quits", True, "Its program ended with the code 0"),
        ("no answer", True, "It showed no sign of progress for 0.5 seconds"),
        ("deaf", True, "It showed no sign of progress for 0.5 seconds"),
    ],
)
async def test_each_answer_and_each_silence_is_an_outcome(tmp_path: Path, how: str, is_error: bool, words: str) -> None:
    async with bench(tmp_path, server("rude", how), limits=ServerLimits(wait=20, start=20, call=0.5)) as one:
        await one.names()
        _, outcome = await one.run("rude__work")
        assert words in outcome.text
        assert outcome.is_error == is_error
        effects = "may have had effects" in outcome.text
        assert effects == (is_error and how != "refusing")


async def test_the_first_answer_to_a_call_counts_and_those_to_no_call_do_not(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "twice")) as one:
        await one.names()
        texts = [await one.text("rude__work") for _ in range(3)]
        assert len(set(texts)) == 3, texts
        assert one.servers.failures() == ()


async def test_a_server_that_knows_only_the_newer_protocol_is_spoken_to_in_it(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "modern")) as one:
        assert await one.names() == ["rude__work"]
        assert await one.text("rude__work") == "worked"


async def test_what_is_no_text_is_told_in_words(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "resources")) as one:
        await one.names()
        text = await one.text("rude__work")
    assert "[file:///a.txt]\ninside" in text
    assert "[file:///b.bin: a file, x/y, 3 bytes, not shown.]" in text
    assert "[A link: c, file:///c, a third]" in text
    assert "[A sound, audio/wav, 3 bytes." in text


async def test_an_answer_of_megabytes_arrives_and_a_larger_one_is_refused_in_words(tmp_path: Path) -> None:
    heartbeat = Heartbeat()
    async with bench(tmp_path, server("rude", "large answer")) as one:
        await one.names()
        async with heartbeat.watched():
            assert len(await one.text("rude__work", size=3_900_000)) == 3_900_000
        began = time.monotonic()
        _, outcome = await one.run("rude__work", size=6_000_000)
        assert time.monotonic() - began < 10
        assert outcome.is_error
        assert "more than 4,000,000 bytes" in outcome.text
        assert await one.text("rude__work", size=3) == "xxx"
    assert heartbeat.longest < 0.05, heartbeat.longest


async def test_a_large_answer_of_many_small_objects_does_not_hold_the_loop_up(tmp_path: Path) -> None:
    heartbeat = Heartbeat()
    async with bench(tmp_path, server("rude", "both")) as one:
        await one.names()
        async with heartbeat.watched():
            text = await one.text("rude__work", size=60_000)
    assert len(json.loads(text)) == 60_000
    assert heartbeat.longest < 0.05, heartbeat.longest


async def test_a_server_gets_a_minimal_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("LANG", "C.UTF-8")
    own = server("rude", "environment", environment={"TOKEN": "mine"})
    async with bench(tmp_path, own) as one:
        await one.names()
        found = json.loads(await one.text("rude__work"))
    assert found["TOKEN"] == "mine"
    assert found["LANG"] == "C.UTF-8"
    assert "PATH" in found
    assert "OPENAI_API_KEY" not in found
    assert not [name for name in found if "PALIMPSEST" in name]
