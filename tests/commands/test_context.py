from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop_app.__main__ import main

SEGMENTS = {
    "system",
    "tool_schemas",
    "memory",
    "summary",
    "pinned",
    "user",
    "assistant",
    "reasoning",
    "tool_calls",
    "tool_results",
    "attachments",
}


def shown(capsys, *arguments: object) -> dict[str, Any]:
    assert main(["context", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_report_has_the_promised_shape_and_adds_up(samples: Path, capsys) -> None:
    report = shown(capsys, samples / "migration.jsonl", "--window", "32K")
    assert {"segments", "total", "window", "reserve", "usable", "status", "basis"} <= set(report)
    assert set(report["segments"]) <= SEGMENTS
    assert sum(report["segments"].values()) == report["total"]
    assert report["usable"] == report["window"] - report["reserve"] == 25_600
    assert (report["status"], report["basis"], report["tokenizer"]) == ("exceeded", "estimated", "o200k")


@pytest.mark.parametrize(
    ("window", "status"),
    [("128K", "safe"), ("44K", "warning"), ("41K", "tight"), ("37K", "critical"), ("30K", "exceeded")],
)
def test_the_status_follows_from_the_window(samples: Path, capsys, window: str, status: str) -> None:
    assert shown(capsys, samples / "migration.jsonl", "--window", window)["status"] == status


def test_it_counts_as_compact_does(samples: Path, capsys) -> None:
    file = samples / "interview.jsonl"
    total = shown(capsys, file, "--window", "128K")["total"]
    assert main(["compact", str(file), "--window", "128K", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tokens_before"] == total


def test_each_family_is_counted_with_its_own_tokenizer(samples: Path, capsys) -> None:
    counted = {
        model: shown(capsys, samples / "interview.jsonl", "--window", "128K", "--model", model)
        for model in ("gpt-4o", "gpt-4", "claude-sonnet-4")
    }
    assert [report["tokenizer"] for report in counted.values()] == [
        "o200k",
        "cl100k",
        "o200k (estimate for claude)",
    ]
    assert counted["gpt-4o"]["total"] != counted["gpt-4"]["total"]


def test_people_get_a_bar_and_a_table(samples: Path, capsys) -> None:
    assert main(["context", str(samples / "migration.jsonl"), "--window", "32K"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert set(lines[0]) <= set("█·░")
    assert len(lines[0]) == 48
    assert "/ 32,000 tokens" in lines[1]
    assert any(line.split()[:2] == ["tool", "results"] for line in lines)
    assert any("reserve for the reply" in line for line in lines)
    assert lines[-1] == "Estimated with o200k."


@pytest.mark.parametrize(
    ("content", "told"), [(b"{", "line 1: this is not JSON"), (b"", "holds no messages"), (b"\xff\xff", "line 1")]
)
def test_bad_input_is_named_by_its_line(tmp_path: Path, capsys, content: bytes, told: str) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(content)
    assert main(["context", str(file), "--window", "8192", "--json"]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert told in streams.err


def test_a_missing_file_and_a_missing_window_are_bad_input(tmp_path: Path, capsys) -> None:
    assert main(["context", str(tmp_path / "no.jsonl"), "--window", "8192"]) == 2
    with pytest.raises(SystemExit) as left:
        main(["context", str(tmp_path / "no.jsonl")])
    assert left.value.code == 2
