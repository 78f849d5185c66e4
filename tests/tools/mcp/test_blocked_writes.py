"""Recognition of what the sandbox kept a server from writing, in the errors of real servers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from desktop_app.tools.mcp.blocked_writes import BlockedWrite, blocked_write, failure_of_write, note_for_model

OWN = ("/work/project", "/tmp", "/data/home")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        # server-memory 2026.8.31, installed globally, keeps its file beside its program
        ("EROFS: read-only file system, open '/usr/lib/node_modules/m/memory.jsonl.a1.tmp'", "m/memory.jsonl.a1.tmp"),
        # Node's recursive mkdir in a read-only folder: @playwright/mcp 0.0.83, chrome-devtools-mcp 1.11.0
        ("### Error\nError: ENOENT: no such file or directory, mkdir '/home/me/.cache/ms'", "/home/me/.cache/ms"),
        ("Error executing tool x: [Errno 30] Read-only file system: '/home/me/.serena/a b.yml'", "/a b.yml"),
        ("PermissionError: [Errno 13] Permission denied: '/srv/b.xlsx'", "/srv/b.xlsx"),
        ("open /home/me/out/a.txt: read-only file system", "/home/me/out/a.txt"),
        ("Read-only file system (os error 30) at path /opt/x/.lock", "/opt/x/.lock"),
        ("mkdir: cannot create directory ‘/opt/x’: Read-only file system", "/opt/x"),
        ("sqlite3.OperationalError: attempt to write a readonly database", ""),
        ("a line\nError: EACCES: permission denied, mkdir '/var/lib/x'\nmore", "/var/lib/x"),
    ],
)
def test_real_errors_name_what_was_not_written(text: str, path: str) -> None:
    found = blocked_write(text, OWN)
    assert found is not None
    assert found.path.endswith(path)
    assert bool(found.path) == bool(path)


@pytest.mark.parametrize(
    "text",
    [
        "Permission denied by the tracker: you are not a member",
        "EACCES: permission denied, open '/work/project/mine.txt'",
        "ENOENT: no such file or directory, open '/home/me/a.txt'",
        "ENOENT: no such file or directory, mkdir '/work/project/a/b'",
        "The page https://example.com/read-only says operation not permitted",
        "",
    ],
)
def test_other_errors_are_not_the_sandboxs(text: str) -> None:
    assert blocked_write(text, OWN) is None


def test_the_folder_that_is_proposed_is_the_servers_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    def proposed(path: str) -> str:
        return BlockedWrite(path).folder

    home = str(tmp_path)
    assert proposed(f"{home}/.serena/logs/a.txt") == f"{home}/.serena"
    assert proposed(f"{home}/.cache/ms-playwright/x/y") == f"{home}/.cache/ms-playwright"
    assert proposed(f"{home}/.local/share/tool/state.db") == f"{home}/.local/share/tool"
    assert proposed(f"{home}/Documents/report.docx") == f"{home}/Documents"
    assert proposed(f"{home}/.config/x.toml") == ""  # the settings of all programs
    assert proposed(f"{home}/.bashrc.new") == ""
    assert proposed(f"{home}/.ssh/id_rsa") == ""
    assert proposed(home) == ""
    assert proposed("/opt/tool/db.sqlite") == "/opt/tool"
    assert proposed("/etc") == ""
    assert proposed("") == ""


def test_model_and_user_read_the_path_and_where_to_allow_it() -> None:
    blocked = BlockedWrite("/opt/x/lock")
    note, failure = note_for_model(blocked, "notes", OWN), failure_of_write(blocked, "notes")
    assert "/opt/x/lock cannot be written" in note
    assert "/work/project, /tmp" in note
    assert failure.setting == "mcp_servers/notes/writable"
    assert "/opt/x/lock" in failure.detail
    assert "{" not in failure_of_write(BlockedWrite(), "notes").detail
    assert os.path.isabs(blocked.path)
