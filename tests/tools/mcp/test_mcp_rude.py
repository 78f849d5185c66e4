"""Servers that misbehave: an outcome or a failure in words, and nothing hangs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp_bench import PATIENT, bench, server
from tool_calls import steady_loop

from desktop_app.settings import McpServer
from desktop_app.tools.mcp.server_context import ServerLimits

pytestmark = pytest.mark.wire
HASTY = ServerLimits(start=1.0, max_start=1.5, wait=20.0, call=0.5, pause=0.05)
SHORT_CALL = ServerLimits(wait=20, start=20, call=0.5)


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        ("dead", "connection", "the code 3"),
        ("garbage", "garbage", "Welcome to the server!"),
        ("silent", "timeout", "1 seconds"),
        ("old", "unsupported", "1999-01-01"),
        ("broken list", "garbage", "protocol"),
        ("megabytes", "timeout", "1 seconds"),
    ],
)
async def test_a_server_that_does_not_start_is_a_failure_without_secrets(
    tmp_path: Path, how: str, kind: str, words: str
) -> None:
    rude = server("rude", how, environment={"TOKEN": "hunter2hunter2"})
    async with bench(tmp_path, rude, limits=HASTY) as one, steady_loop():
        assert await one.names() == []
        [failure] = one.servers.failures()
        assert failure.kind == kind
        assert words in failure.detail
        assert failure.advice
        assert "no such option" in failure.detail or how != "dead", "its last words"
        assert "hunter2" not in failure.detail
        assert "sk-abc" not in failure.detail
        assert "did not run" in await one.text("rude__work")


async def test_a_command_or_a_folder_that_is_not_there(tmp_path: Path) -> None:
    missing = McpServer("missing", ("no-such-program-anywhere", "x"))
    lost = server("rude", name="lost", folder=str(tmp_path / "gone"))
    async with bench(tmp_path, missing, lost, McpServer("empty"), limits=HASTY) as one:
        assert await one.names() == []
        words = ("no-such-program", "gone", "address")
        assert all(word in each.detail for word, each in zip(words, one.servers.failures(), strict=True))


@pytest.mark.parametrize(
    ("how", "is_error", "words"),
    [
        ("chatty", False, "worked"),
        ("modern", False, "worked"),
        ("structured", False, '"temperature": 21.5'),
        ("nothing", False, "nothing"),
        ("wrong answer", False, "not a list"),
        ("refusing", True, "Not today."),
        ("quits", True, "the code 0"),
        ("dies", True, "SIGKILL"),
        ("no answer", True, "0.5 seconds"),
        ("deaf", True, "0.5 seconds"),
    ],
)
async def test_each_answer_and_each_silence_is_an_outcome(tmp_path: Path, how: str, is_error: bool, words: str) -> None:
    async with bench(tmp_path, server("rude", how), limits=SHORT_CALL) as one:
        assert await one.names() == ["rude__work"]
        _, outcome = await one.run("rude__work")
        assert words in outcome.text
        assert outcome.is_error == is_error
        assert ("may have had effects" in outcome.text) == (is_error and how != "refusing")


async def test_a_server_that_never_stops_talking_leaves_time_to_others(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "flood"), limits=SHORT_CALL) as one:
        await one.names()
        async with steady_loop():
            lines, outcome = await one.run("rude__work")
    assert outcome.is_error
    assert 10 < len(lines) < 5_000
    assert all(len(line) <= 2_001 and line.endswith("\n") for line in lines)


async def test_pages_are_read_to_their_end_and_not_beyond_it(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "pages", "p"), server("rude", "endless", "e")) as one:
        names = await one.names()
    assert names[:5] == [f"p__tool_{page}" for page in range(5)]
    assert names[5] == "e__tool_0"
    assert len(names) == 5 + 32


async def test_a_crowd_of_tools_does_not_hold_the_loop_up(tmp_path: Path) -> None:
    # Of the 2 s the package takes a part, reading the list in one go.
    async with bench(tmp_path, server("rude", "crowd"), server("rude", name="r"), limits=PATIENT) as one:
        async with steady_loop(2):
            names = await one.names()
        assert "128" in one.servers.failures()[0].detail
    assert len(set(names)) == len(names) == 128 + 1


async def test_tools_that_no_provider_would_take_are_left_out_and_named(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "odd")) as one:
        specs = await one.servers.specs(one.context)
        assert [spec.name for spec in specs] == ["rude__a_b", "rude__fine"]
        assert specs[0].description.startswith("Does it.[2Jxxx")
        assert len(specs[0].description) == 8_000
        assert specs[0].source == "rude"
        assert "“large”: its schema" in one.details()
        assert "“named badly”: its argument 'ä'" in one.details()
        assert (await one.run("rude__large"))[1].is_error


async def test_the_first_answer_to_a_call_counts_and_those_to_no_call_do_not(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "twice")) as one:
        await one.names()
        texts = [await one.text("rude__work") for _ in range(3)]
        assert len(set(texts)) == 3, texts
        assert one.servers.failures() == ()


async def test_what_is_no_text_is_described(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "resources")) as one:
        await one.names()
        text = await one.text("rude__work")
    parts = ("[file:///a.txt]\ninside", "b.bin, x/y, 3 bytes", "c, file:///c, a third", "audio/wav, 3 bytes")
    assert [part for part in (*parts, "[Image: work-3.png, 20 kB]") if part not in text] == []


async def test_a_large_answer_arrives_and_a_larger_one_is_refused(tmp_path: Path) -> None:
    async with bench(tmp_path, server("rude", "large answer"), server("rude", "both", "b")) as one:
        await one.names()
        async with steady_loop():
            assert len(await one.text("rude__work", size=3_900_000)) == 3_900_000
            assert len(json.loads(await one.text("b__work", size=60_000))) == 60_000, "many small objects"
        assert len(await one.text("rude__work", size=9_000_000)) == 9_000_000
        _, outcome = await one.run("rude__work", size=33_000_000)
        assert outcome.is_error
        assert "32,000,000 bytes" in outcome.text
        assert await one.text("rude__work", size=3) == "xxx"


async def test_a_server_gets_a_minimal_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("PALIMPSEST_X", "ours")
    monkeypatch.setenv("LANG", "C.UTF-8")
    async with bench(tmp_path, server("rude", "environment", environment={"TOKEN": "mine"})) as one:
        await one.names()
        found = json.loads(await one.text("rude__work"))
    assert (found["TOKEN"], found["LANG"]) == ("mine", "C.UTF-8")
    assert "PATH" in found
    assert not {"OPENAI_API_KEY", "PALIMPSEST_X"} & set(found)
