from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from builders import user
from desktop_app.__main__ import main
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.setup import Project
from stores import Store

SAID = [
    "hello there",
    "the ledger is split in two",
    "so be it",
    "我们明天迁移数据库",
    "many words " * 300 + "the zebra",
]


@pytest.fixture
def data(stored) -> Path:
    return stored(SAID)


@pytest.fixture
def answers(data: Path, monkeypatch, capsys):
    """`answers(queries, ...)`: the rows that are printed for those lines."""

    def run(queries: bytes, *arguments: str) -> list[dict]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(queries)))
        assert main(["recall", "--conversation", "c", "--data-dir", str(data), *arguments]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


def test_each_line_is_a_query_and_each_answer_a_line(answers) -> None:
    rows = answers("where is the ledger?\n\n数据库\nthanks!\nzebra\n".encode() + b"\xff\xfe ledger")
    assert [row["query"] for row in rows[:5]] == ["where is the ledger?", "", "数据库", "thanks!", "zebra"]
    assert all(list(row) == ["query", "messages", "tokens", "milliseconds"] for row in rows)
    found = [row["messages"] for row in rows]
    assert found[1] == found[3] == []
    for place, index in ((0, 1), (2, 3), (4, 4), (5, 1)):
        assert index in found[place]
    assert rows[1]["tokens"] == 0


def test_the_budget_holds(answers) -> None:
    (small,) = answers(b"the zebra and the ledger\n", "--budget", "60")
    (large,) = answers(b"the zebra and the ledger\n")
    assert 0 < small["tokens"] <= 60 < large["tokens"] <= 4_000


@pytest.fixture
def several(data: Path) -> Path:
    """Beside "c", which is in the project "Books": another one of it, and one of no project."""
    store = Store(data / "archive.sqlite3")
    store.store_project(Project("p", "Books"))
    store.change("c", project="p")
    for name, project, text in (("d", "p", "the ledger is blue"), ("e", "", "a ledger of paper")):
        info = ConversationInfo(name, name.upper(), 1.0, 1.0, project=project)
        store.create(info, [user(text, id=name, at=1.0)])
    store.close()
    return data


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        (("--conversation", "c"), [1]),
        (("--conversation", "c", "--in", "project"), ["c#1", "d#0"]),
        (("--project", "books"), ["c#1", "d#0"]),
        (("--in", "everything"), ["c#1", "d#0", "e#0"]),
    ],
)
def test_it_looks_where_it_is_told(several: Path, printed, arguments: tuple[str, ...], found: list) -> None:
    row = json.loads(printed("recall", "ledger", "--json", "--data-dir", several, *arguments))
    assert [one for one in sorted(row["messages"], key=str) if one in found] == found
    conversations = {str(one).partition("#")[0] for one in row["messages"]}
    assert conversations <= {str(one).partition("#")[0] for one in (*found, *range(5))}
    page = printed("recall", "ledger", "--data-dir", several, *arguments)
    assert "#1 user: the ledger is split in two" in page
    assert ("Conversation d, “D”:" in page) == (len(found) > 1)
    assert "Nothing" in printed("recall", "zeppelin", "--data-dir", several, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--in", "project"),
        ("--in", "project", "--conversation", "e"),
        ("--project", "Nobody's"),
        ("--in", "project", "--conversation", "zzz"),
    ],
)
def test_a_place_that_is_not_there_is_said(several: Path, printed, arguments: tuple[str, ...]) -> None:
    printed("recall", "ledger", "--data-dir", several, *arguments, code=2)


def test_what_is_not_there_is_said(data: Path, tmp_path: Path, printed) -> None:
    assert "zzz" in printed("recall", "--conversation", "zzz", "--data-dir", data, code=2)
    assert "no archive" in printed("recall", "--conversation", "c", "--data-dir", tmp_path / "empty", code=2)


@pytest.mark.wire
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
