"""`palimpsest chat`: turns without a window, a JSON line for each event."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from desktop_app.__main__ import main
from provider import Call, Reply, ScriptedProvider


def talked(data: Path, provider: ScriptedProvider, *options: str) -> int:
    url = provider.base_url
    return main(
        [
            "chat",
            "--model",
            "scripted",
            "--base-url",
            url,
            "--window",
            "16K",
            "--data-dir",
            str(data),
            "--json",
            *options,
        ]
    )


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Any:
    def say(*texts: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{text}\n" for text in texts)))

    return say


@pytest.mark.slow
def test_without_allow_it_talks_and_allows_nothing(data_folder, lines, capsys) -> None:
    lines("Run something", "Thanks")
    steps = [Reply(calls=(Call("bash", '{"command": "echo hi"}'),)), Reply("I may not."), Reply("You are welcome.")]
    with ScriptedProvider(steps) as provider:
        assert talked(data_folder, provider) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["reason"] for line in told if line["event"] == "turn_finished"] == ["finished", "finished"]
    (result,) = [line for line in told if line["event"] == "tool_finished"]
    assert result["is_error"]
    assert {"tokens_estimated", "tokens_reported", "cost", "restarts"} <= told[-1].keys() | {"cost"}
