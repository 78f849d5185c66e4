"""SIGKILL for `palimpsest import` at random moments: what is stored is whole, and importing again completes it."""

from __future__ import annotations

import json
import os
import random
import secrets
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.__main__ import main
from desktop_app.archive.store import Store
from desktop_app.conversation.message import Message

ROOT = Path(__file__).resolve().parent.parent.parent


def write_export(file: Path, chance: random.Random, conversations: int) -> dict[str, list[str]]:
    """Write an export of many conversations; return the texts of each by its title, sorted, as the file was given them.

    Each tenth question has two versions, so that records have rewinds and switches, too.
    """
    said: dict[str, list[str]] = {}
    exported: list[dict[str, object]] = []
    for number in range(conversations):
        title, parent = f"Conversation {number}", "root"
        nodes: dict[str, object] = {"root": {"id": "root", "message": None, "parent": None}}
        said[title] = []
        for index in range(chance.randrange(2, 40)):
            for version in range(1 + (index % 10 == 4)):
                name = f"{index}.{version}"
                text = f"{title}, {name}: " + "river and hills " * chance.randrange(40)
                role = ("user", "assistant")[index % 2]
                content = {"content_type": "text", "parts": [text]}
                message = {"author": {"role": role}, "create_time": 1.6e9 + index, "content": content}
                nodes[name] = {"id": name, "message": message, "parent": parent}
                said[title].append(text)
            parent = f"{index}.0"
        exported.append({"title": title, "conversation_id": f"c{number}", "mapping": nodes, "current_node": parent})
        said[title].sort()
    file.write_text(json.dumps(exported))
    return said


class Import:
    """`palimpsest import` of a file with what was `said` into one data folder."""

    def __init__(self, file: Path, data: Path, said: dict[str, list[str]]) -> None:
        self._archive = data / "archive.sqlite3"
        self._said = said
        self._argv = ["import", str(file), "--data-dir", str(data), "--json"]
        self._doctor = ["doctor", "--data-dir", str(data), "--json"]

    def kill_when_stored(self, count: int, pause: float) -> bool:
        """SIGKILL, that long after so many conversations are stored; return whether it was not at its end before."""
        process = subprocess.Popen(
            [sys.executable, "-m", "desktop_app", *self._argv], cwd=ROOT, stdout=subprocess.DEVNULL
        )
        try:
            while self._stored() < count and process.poll() is None:
                time.sleep(0.005)
            time.sleep(pause)
        finally:
            process.kill()
        return process.wait() != 0

    def _stored(self) -> int:
        """How many conversations there are by now."""
        try:
            with closing(sqlite3.connect(f"{self._archive.as_uri()}?mode=ro", uri=True)) as connection:
                return connection.execute("SELECT COUNT(*) FROM conversations").fetchone()[0]
        except sqlite3.OperationalError:  # it is not made yet, or being made
            return 0

    def check(self) -> int:
        """The archive is sound, and each conversation in it whole; return how many there are."""
        if not self._archive.exists():
            return 0
        assert main(self._doctor) == 0
        with closing(Store(self._archive)) as store:
            health = store.examine()
            assert (health.damage, health.unreadable, health.unsearchable) == ((), (), ())
            infos = store.conversations()
            assert len({info.title for info in infos}) == len(infos)
            for info in infos:
                texts = [entry.text for entry in store.entries(info.id) if isinstance(entry, Message)]
                assert sorted(texts) == self._said[info.title], info.title
        return len(infos)

    def complete(self, capsys: pytest.CaptureFixture[str]) -> int:
        """Import it to its end; return how many messages were new."""
        capsys.readouterr()
        assert main(self._argv) == 0
        return sum(each["new"] for each in json.loads(capsys.readouterr().out)["conversations"])


@pytest.mark.timeout(2_400)
@pytest.mark.parametrize(("kills", "conversations"), [(3, 40), pytest.param(30, 200, marks=pytest.mark.slow)])
def test_killed_imports(tmp_path: Path, capsys: pytest.CaptureFixture[str], kills: int, conversations: int) -> None:
    seed = os.environ.get("PALIMPSEST_FAULTS_SEED") or secrets.token_hex(4)
    chance, file = random.Random(seed), tmp_path / "conversations.json"
    said = write_export(file, chance, conversations)
    killed = 0
    for number in range(kills):
        at, pause = chance.randrange(conversations * 9 // 10), chance.uniform(0, 0.2)
        where = f"PALIMPSEST_FAULTS_SEED={seed}, kill {number}, {at} stored and {pause:.3f} s"
        one = Import(file, tmp_path / f"data{number}", said)
        killed += one.kill_when_stored(at, pause)
        before = one.check()
        assert at <= before, where
        assert (one.complete(capsys) > 0) == (before < conversations), where
        assert one.check() == conversations, where
        assert one.complete(capsys) == 0, where
    assert killed > kills // 2
