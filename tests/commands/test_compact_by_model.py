"""`palimpsest compact` with each strategy; by a model against a scripted server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop_app.__main__ import main
from provider import AnyStep, Reply, ScriptedProvider, Status

RULE = "Never restart the server on Fridays."
PAGE = f"## Primary intent\nTalk about topics.\n\n## Rules and constraints\n- {RULE}"
WINDOW = {"/props": {"default_generation_settings": {"n_ctx": 16_000}}}


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    lines = [{"role": "user", "content": f"{RULE} Let us begin."}]
    for n in range(60):
        lines.append({"role": "assistant", "content": f"Answer {n}. " + f"detail{n} said " * 15})
        lines.append({"role": "user", "content": f"Go on with {n}, " + f"about topic{n} " * 15})
    file = tmp_path / "chat.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def by_model(chat: Path, capsys, step: AnyStep) -> dict[str, Any]:
    with ScriptedProvider([step], pages=WINDOW, repeat_last=True) as provider:
        asked = ["--strategy", "llm", "--summary-model", "scripted", "--base-url", provider.base_url]
        assert main(["compact", str(chat), "--window", "8K", *asked, "--json"]) == 0
        assert provider.requests
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_a_model_writes_the_summary(chat: Path, capsys) -> None:
    report = by_model(chat, capsys, Reply(json.dumps({"summary": PAGE}), size=40))
    (operation,) = report["operations"]
    assert operation["strategy"] == "llm"
    assert "note" not in operation
    assert report["summary"] == PAGE
    assert report["tokens_after"] <= report["usable"]


@pytest.mark.slow
def test_without_its_help_the_command_does_its_work_and_says_why(chat: Path, capsys) -> None:
    report = by_model(chat, capsys, Status(500))
    (operation,) = report["operations"]
    assert operation["strategy"] == "extractive"
    assert "because scripted failed" in operation["note"]
    assert RULE in report["summary"]


def test_the_last_messages_only(chat: Path, capsys) -> None:
    assert main(["compact", str(chat), "--window", "8K", "--strategy", "last_messages", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["operations"][0]["strategy"] == "last_messages"
    assert RULE in report["summary"]
    assert len(report["verbatim"]) <= 6


def test_a_model_that_is_not_named_is_asked_for(chat: Path, capsys) -> None:
    assert main(["compact", str(chat), "--window", "8K", "--strategy", "llm"]) == 2
    assert "--summary-model" in capsys.readouterr().err
