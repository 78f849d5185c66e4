"""A second start of the program: it gives what it was asked to open to the window that runs, and ends."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from desktop_app.__main__ import _files_to_open
from desktop_app.ui.single_window import MAX_BYTES, SOCKET_FILE, TAKEN, Opening, WindowServer, hand_over

HAND_OVER = """
import pathlib, sys, msgspec
from desktop_app.ui.single_window import Opening, hand_over
print(hand_over(pathlib.Path(sys.argv[1]), msgspec.json.decode(sys.argv[2], type=Opening)))
"""
UNREADABLE = (b"{}{}\n", b'{"files": 1}\n', b'{"action": "delete"}\n', b"\xff\n", b"x" * (2 * MAX_BYTES))
WHOLE = Opening(("/a/b c.json", "/ü\nd.zip"), "import", "token")


@pytest.fixture
def server(qapp, tmp_path: Path) -> Iterator[WindowServer]:
    """A window that listens on a data folder."""
    listening = WindowServer(tmp_path, qapp)
    listening.listen()
    yield listening
    listening.close()
    listening.deleteLater()


def hand_over_elsewhere(data: Path, opening: Opening) -> bool:
    """Hand over as another process does."""
    code = (
        "import sys, msgspec\nfrom pathlib import Path\nfrom desktop_app.ui.single_window import Opening, hand_over\n"
    )
    code += "print(hand_over(Path(sys.argv[1]), msgspec.json.decode(sys.argv[2], type=Opening)))"
    command = [sys.executable, "-c", code, str(data), msgspec.json.encode(opening).decode()]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    return ended.stdout == "True\n"


@pytest.mark.long
def test_what_is_handed_over_arrives_whole_and_is_acknowledged(run, server: WindowServer, tmp_path: Path) -> None:
    async def scene() -> None:
        came: list[Opening] = []
        server.opened.connect(came.append)
        for opening in (WHOLE, Opening()):
            assert await asyncio.to_thread(hand_over_elsewhere, tmp_path, opening)
        assert came == [WHOLE, Opening()]

    run(scene())


def test_without_a_window_nothing_takes_it(tmp_path: Path) -> None:
    assert not hand_over(tmp_path, Opening())
    assert not hand_over(tmp_path / "not made yet", Opening())


def test_a_socket_that_a_killed_window_left_is_no_window_and_is_taken_over(run, qapp, tmp_path: Path) -> None:
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as left:
        left.bind(str(tmp_path / SOCKET_FILE))
    assert not hand_over(tmp_path, Opening())

    async def scene() -> None:
        server = WindowServer(tmp_path, qapp)
        server.listen()
        assert await asyncio.to_thread(hand_over_elsewhere, tmp_path, WHOLE)
        server.close()

    run(scene())
    assert not hand_over(tmp_path, Opening())
    assert list(tmp_path.iterdir()) == []


def test_others_cannot_reach_it_and_a_second_server_leaves_the_first_alone(run, qapp, server, tmp_path: Path) -> None:
    assert stat.S_IMODE((tmp_path / SOCKET_FILE).stat().st_mode) & 0o077 == 0

    async def scene() -> None:
        second = WindowServer(tmp_path, qapp)
        second.listen()
        second.close()
        came: list[Opening] = []
        server.opened.connect(came.append)
        assert await asyncio.to_thread(hand_over_elsewhere, tmp_path, WHOLE)
        assert came == [WHOLE]

    run(scene())


@pytest.mark.parametrize(
    "sent", [b"{}{}\n", b'{"files": 1}\n', b'{"action": "delete"}\n', b"\xff\n", b"x" * (2 * MAX_BYTES)]
)
@pytest.mark.long
def test_what_cannot_be_read_is_refused_and_the_next_is_taken(run, server, tmp_path: Path, sent: bytes) -> None:
    answers: list[bytes] = []

    def send() -> None:
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as client:
            client.connect(str(tmp_path / SOCKET_FILE))
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                client.sendall(sent)
            with contextlib.suppress(ConnectionResetError):
                answers.append(client.recv(100))

    async def scene() -> None:
        came: list[Opening] = []
        server.opened.connect(came.append)
        await asyncio.to_thread(send)
        assert TAKEN not in answers
        assert await asyncio.to_thread(hand_over_elsewhere, tmp_path, WHOLE)
        assert came == [WHOLE]

    run(scene())


def test_a_folder_with_too_long_a_path_is_no_failure(qapp, tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 120)
    deep.mkdir()
    server = WindowServer(deep, qapp)
    server.listen()
    server.close()
    assert not hand_over(deep, Opening())


FILES = """
                              |
--version                     |
doctor --json                 |
--data-dir chat.json          |
--data-dir d chat.json        | chat.json
--data-dir=d chat.json a b/c  | chat.json a b/c
--new                         |
serach                        |
serach tea                    |
a                             | a
import chat.json              |
chat.json search              |
missing.json                  | missing.json
"""


def test_files_are_told_from_commands_and_from_misspelt_ones(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").touch()
    for line in FILES.strip("\n").splitlines():
        given, files = (cell.split() for cell in line.split("|"))
        assert _files_to_open(given) == files, line
