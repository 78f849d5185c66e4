from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from desktop_app.commands.arguments import tokens_argument

SEGMENTS = {
    *("system", "tools", "memory", "summary", "pinned", "user", "assistant", "reasoning", "tool_calls"),
    *("tool_results", "attachments", "frame"),
}


def test_the_report_has_the_promised_shape_and_adds_up(samples: Path, report) -> None:
    told = report("context", samples / "migration.jsonl", "--window", "32K")
    assert set(told["segments"]) <= SEGMENTS
    assert sum(told["segments"].values()) == told["total"]
    assert told["usable"] == told["window"] - told["reserve"] == 25_600
    assert (told["status"], told["basis"], told["tokenizer"]) == ("exceeded", "estimated", "o200k")
    compacted = report("compact", samples / "migration.jsonl", "--window", "128K")
    assert compacted["tokens_before"] == told["total"], "it counts as compact does"


def test_the_status_follows_from_the_window(samples: Path, report) -> None:
    statuses = {"128K": "safe", "44K": "warning", "41K": "tight", "37K": "critical", "30K": "exceeded"}
    for window, status in statuses.items():
        assert report("context", samples / "migration.jsonl", "--window", window)["status"] == status


def test_people_get_a_bar_and_a_table(samples: Path, printed) -> None:
    lines = printed("context", samples / "migration.jsonl", "--window", "32K").splitlines()
    assert set(lines[0]) <= set("█·░")
    assert len(lines[0]) == 48
    assert "/ 32,000 tokens" in lines[1]
    assert any(line.split()[:2] == ["tool", "results"] for line in lines)
    assert "o200k" in lines[-1]


SCHEMA = {"type": "object", "properties": {"path": {"type": "string", "description": "Where it is."}}}


@pytest.mark.long
@pytest.mark.parametrize(
    "shape",
    [
        lambda name: {"type": "function", "function": {"name": name, "description": "Reads.", "parameters": SCHEMA}},
        lambda name: {"name": name, "description": "Reads.", "input_schema": SCHEMA},
        lambda name: {"name": name, "description": "Reads.", "inputSchema": SCHEMA},
    ],
    ids=["OpenAI", "Anthropic", "MCP"],
)
def test_tools_of_a_file_count_as_the_models_template_writes_them(samples: Path, tmp_path: Path, report, shape) -> None:
    file, chat = tmp_path / "tools.json", samples / "migration.jsonl"
    file.write_text(json.dumps([shape(f"tool_{n}") for n in range(10)]))
    sizes = {}
    for model in ("gpt-oss-120b", "gpt-4o", "qwen3-8b", "llama-3.3-70b", "claude-sonnet-4-5"):
        told = report("context", chat, "--window", "128K", "--tools", file, "--model", model)
        sizes[model] = told["segments"]["tool_schemas"]
    assert list(sizes.values()) == sorted(sizes.values()), "each writes more than the one before"
    without = report("context", chat, "--window", "128K", "--model", "gpt-4o")
    with_tools = report("context", chat, "--window", "128K", "--tools", file, "--model", "gpt-4o")
    assert with_tools["total"] == without["total"] + sizes["gpt-4o"]
    file.write_text(json.dumps({"tools": [shape("one")]}))
    assert report("context", chat, "--window", "128K", "--tools", file)["segments"]["tool_schemas"] > 12


@pytest.mark.parametrize("content", ["{}", "[1]", '[{"description": "no name"}]', "not JSON", None])
def test_a_file_that_holds_no_tools_is_said(samples: Path, tmp_path: Path, printed, content: str | None) -> None:
    file = tmp_path / "tools.json"
    if content is not None:
        file.write_text(content)
    said = printed("context", samples / "migration.jsonl", "--window", "128K", "--tools", file, code=2)
    assert "tools.json" in said


GOOD = b'{"role": "user", "content": "hello"}\n'


@pytest.mark.parametrize("command", ["context", "compact"])
@pytest.mark.parametrize(
    ("content", "place"),
    [
        (GOOD + b'{"role": "user", "content": \n', "line 2"),
        (GOOD + b"[1, 2]\n", "line 2"),
        (GOOD + b'\n{"role": "chief", "content": "x"}\n', "line 3: the role “chief”"),
        (b"\n\n", "no messages"),
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe\n", "line 1"),
        (None, "cannot be read"),
    ],
    ids=["broken line", "not an object", "unknown role", "blank", "binary", "missing"],
)
def test_bad_input_is_named_by_its_line(
    tmp_path: Path, printed, command: str, content: bytes | None, place: str
) -> None:
    file = tmp_path / "chat.jsonl"
    if content is not None:
        file.write_bytes(content)
    said = printed(command, file, "--window", "8192", "--json", code=2)
    assert said.startswith("palimpsest: "), "nothing that a program could take for a report"
    assert place in said
    assert file.name in said


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("200K", 200_000), ("256k", 256_000), ("8192", 8192), ("128,000", 128_000), (" 1.5 m ", 1_500_000)],
)
def test_tokens_are_read_as_people_write_them(text: str, tokens: int) -> None:
    assert tokens_argument(text) == tokens


@pytest.mark.parametrize("text", ["", "many", "-5", "0", "1G", "K", "1e5", "12k3"])
def test_what_is_no_number_of_tokens_is_refused_in_words(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="number"):
        tokens_argument(text)
