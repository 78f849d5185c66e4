from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from desktop_app.__main__ import main
from desktop_app.archive.store import Store
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text

SAID = [
    "hello there",
    "the ledger is split in two",
    "so be it",
    "我们明天迁移数据库",
    "many words " * 300 + "the zebra",
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    store = Store(tmp_path / "archive.sqlite3")
    messages = [Message(id=f"m{n}", at=1.0, role=Role.USER, parts=(Text(text),)) for n, text in enumerate(SAID)]
    store.create(ConversationInfo("c", "Work", 1.0, 1.0), messages)
    store.close()
    return tmp_path


def answers(data: Path, monkeypatch, capsys, queries: str, *arguments: str) -> list[dict[str, object]]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(queries.encode())))
    assert main(["recall", "--conversation", "c", "--data-dir", str(data), *arguments]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_each_line_is_a_query_and_each_answer_a_line(data: Path, monkeypatch, capsys) -> None:
    rows = answers(data, monkeypatch, capsys, "where is the ledger?\n\n数据库\nthanks!\nzebra")
    assert [row["query"] for row in rows] == ["where is the ledger?", "", "数据库", "thanks!", "zebra"]
    assert all(list(row) == ["query", "messages", "tokens", "milliseconds"] for row in rows)
    found = [row["messages"] for row in rows]
    assert 1 in found[0]
    assert found[1] == found[3] == []
    assert 3 in found[2]
    assert 4 in found[4]
    assert rows[1]["tokens"] == 0
    assert all(isinstance(row["milliseconds"], float) and 0 < row["milliseconds"] < 5_000 for row in rows)


def test_the_budget_holds(data: Path, monkeypatch, capsys) -> None:
    (small,) = answers(data, monkeypatch, capsys, "the zebra and the ledger\n", "--budget", "60")
    (large,) = answers(data, monkeypatch, capsys, "the zebra and the ledger\n")
    assert 0 < small["tokens"] <= 60 < large["tokens"] <= 4_000


def test_what_is_not_utf_8_is_a_query_too(data: Path, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xfe ledger\n")))
    assert main(["recall", "--conversation", "c", "--data-dir", str(data)]) == 0
    assert 1 in json.loads(capsys.readouterr().out)["messages"]


def test_what_is_not_there_is_said(data: Path, tmp_path: Path, capsys) -> None:
    assert main(["recall", "--conversation", "zzz", "--data-dir", str(data)]) == 2
    assert "no conversation 'zzz'" in capsys.readouterr().err
    assert main(["recall", "--conversation", "c", "--data-dir", str(tmp_path / "empty")]) == 2
    assert "There is no archive" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--conversation", "c", "--budget", "0"], ["--conversation", "c", "x"]])
def test_bad_arguments_end_with_usage(data: Path, capsys, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["recall", *arguments, "--data-dir", str(data)])
    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.slow
def test_a_program_gets_each_answer_before_its_next_query_and_litellm_is_not_imported(data: Path) -> None:
    code = "import sys; from desktop_app.__main__ import main; main(sys.argv[1:]); print('litellm' in sys.modules)"
    command = [sys.executable, "-c", code, "recall", "--conversation", "c", "--data-dir", str(data)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for query in ("ledger", "zebra"):
            running.stdin.write(f"{query}\n")
            running.stdin.flush()
            assert json.loads(running.stdout.readline())["query"] == query
        running.stdin.close()
        assert running.stdout.read() == "False\n"
