"""SIGKILL for `chat`, `import`, `backup`, `restore`, and an engine that brings an old archive up to date."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from killed import (
    MARK,
    PATIENCE,
    ROOT,
    AllTold,
    World,
    check_data,
    check_processes,
    children_of,
    engine_pid,
    entries_of,
    marked,
)
from scenes import SCENES, WINDOW

from builders import user
from desktop_app.archive.backups import list_backups, make_backup
from desktop_app.conversation.events import ReasoningDelta, TextDelta
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message
from desktop_app.engine import protocol as p
from desktop_app.paths import backups_folder, database_file
from engine_client import EngineClient
from forked_engines import forked_command
from stores import Store

OLD_ARCHIVES = ROOT / "tests" / "archive" / "data"
COPIES = 400
"""Of the entries of an old archive, so that its migration takes a moment."""
CHAT_SCENES = [name for name in SCENES if name not in ("when room is due", "while a summary is written")]


class Command:
    """`palimpsest` with those arguments, in a process that a scene kills. lines: what it printed, and when."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._folder, self._arguments = folder, arguments
        self._data = Path(arguments[arguments.index("--data-dir") + 1])
        self.lines: list[tuple[float, bytes]] = []
        self.heard = 0
        self.killed_at = 0.0

    async def start(self) -> Command:
        with (self._folder / "commands.log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *forked_command(*self._arguments),
                env=marked(self._folder) | {"PYTHONPATH": str(ROOT)},
                cwd=self._folder,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=64 * 1024 * 1024,
            )
        self._reading = asyncio.ensure_future(self._read())
        return self

    async def _read(self) -> None:
        while line := await self.process.stdout.readline():
            self.lines.append((time.monotonic(), line))

    async def kill_after(self, seconds: float) -> bool:
        """SIGKILL that long after now; nothing that it started survives. Return whether it was not at its end."""
        with_time = asyncio.ensure_future(self.process.wait())
        await asyncio.wait({with_time}, timeout=seconds)
        children = children_of(engine_pid(self._data))
        self.killed_at = time.monotonic()
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
        await with_time
        await self._reading
        await check_processes(self._folder, children)
        return self.process.returncode == -signal.SIGKILL

    async def ended(self, said: str = "") -> int:
        self.process.stdin.write(said.encode())
        self.process.stdin.close()
        async with asyncio.timeout(PATIENCE):
            code = await self.process.wait()
        await self._reading
        return code


async def seconds_of(folder: Path, *arguments: str) -> float:
    begun = time.monotonic()
    assert await (await Command(folder, *arguments).start()).ended() == 0
    return time.monotonic() - begun


async def kill_chats(folder: Path, kills: int, world: World) -> None:
    """A line of its standard input is a message; what it prints of the record is acknowledged."""
    data, chance, conversation, told = folder / "data", world.chance(folder.name), "", AllTold()
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("Notes of a journey.\n" * 20)
    common = ["chat", "--model", "scripted", "--base-url", world.provider.base_url, "--window", str(WINDOW)]
    common += ["--allow", "all", "--json", "--data-dir", str(data)]
    scenes = [chance.choice(CHAT_SCENES) for _ in range(kills)]
    killed_at = 0.0
    for number, scene in enumerate([*scenes, ""]):
        marker = f"{folder.name}x{number}"
        command = await Command(folder, *common, *(["--conversation", conversation] if conversation else [])).start()
        if number:
            await _goes_on(command, marker)
            conversation = _hear(command, told)
            entries = entries_of(data)
            told.check(entries)
            told.check_partials(entries, killed_at)
            told.arriving.clear()
            world.counts["chat"] += 1
        if not scene:
            assert await command.ended() == 0
            return
        start = len(command.lines)
        command.process.stdin.write(f"Please go on. [{marker} {scene}]\nAnd then? [{marker}b at the end]\n".encode())
        await _until(command, lambda command=command, start=start: len(command.lines) > start)
        await command.kill_after(chance.uniform(0, 3.0))
        killed_at = command.killed_at
        conversation = _hear(command, told) or conversation
        told.check(check_data(data))


async def _goes_on(command: Command, marker: str) -> None:
    command.process.stdin.write(f"Are you there? [{marker} next]\n".encode())
    answer = f"Here I am again, {marker}.".encode()
    await _until(command, lambda: any(answer in line and b"reply_finished" in line for _, line in command.lines))
    await _until(command, lambda: b"turn_finished" in command.lines[-1][1])


async def _until(command: Command, is_met: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not is_met():
            assert command.process.returncode is None, "it has ended by itself"
            await asyncio.sleep(0.02)


def _hear(command: Command, told: AllTold) -> str:
    """Notes what it has printed since; return the conversation."""
    conversation = ""
    new, command.heard = command.lines[command.heard :], len(command.lines)
    for at, text in new:
        if not text.endswith(b"\n"):
            continue
        line: dict[str, Any] = json.loads(text)
        conversation = line.get("conversation", conversation)
        if line["event"] in ("message_recorded", "reply_finished"):
            told.ids[conversation].append(line["id"])
        elif line["event"] in ("text_delta", "reasoning_delta"):
            kind = TextDelta if line["event"] == "text_delta" else ReasoningDelta
            told.hear(kind(conversation, line["reply_id"], line["text"]), at)
    for ids in told.ids.values():
        for name in ids:
            told.arriving.pop(name, None)
    return conversation


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
                content = {"content_type": "text", "parts": [text]}
                role = ("user", "assistant")[index % 2]
                message = {"author": {"role": role}, "create_time": 1.6e9 + index, "content": content}
                nodes[name] = {"id": name, "message": message, "parent": parent}
                said[title].append(text)
            parent = f"{index}.0"
        exported.append({"title": title, "conversation_id": f"c{number}", "mapping": nodes, "current_node": parent})
        said[title].sort()
    file.write_text(json.dumps(exported))
    return said


async def kill_imports(folder: Path, kills: int, world: World) -> None:
    """What is stored is whole, and importing again completes it."""
    chance, conversations = world.chance(folder.name), 60
    folder.mkdir(parents=True)
    said = write_export(folder / "conversations.json", chance, conversations)
    for number in range(kills):
        data = folder / f"data{number}"
        arguments = ("import", str(folder / "conversations.json"), "--data-dir", str(data), "--json")
        command, wanted = await Command(folder, *arguments).start(), chance.randrange(conversations)
        while _stored(data) < wanted and command.process.returncode is None:
            await asyncio.sleep(0.005)
        await command.kill_after(chance.uniform(0, 0.2))
        before = _whole(data, said)
        assert before >= wanted
        again = await Command(folder, *arguments).start()
        assert await again.ended() == 0
        assert _whole(data, said) == conversations
        world.counts["import"] += 1


def _stored(data: Path) -> int:
    """How many conversations there are by now."""
    try:
        with closing(sqlite3.connect(f"{database_file(data).as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT COUNT(*) FROM conversations").fetchone()[0]
    except sqlite3.OperationalError:  # it is not made yet, or being made
        return 0


def _whole(data: Path, said: dict[str, list[str]]) -> int:
    """Each conversation that is there is whole; return how many there are."""
    if not database_file(data).exists():
        return 0
    try:
        entries = check_data(data)
    except AssertionError:
        if database_file(data).stat().st_size:
            raise
        return 0
    with closing(Store(database_file(data), read_only=True)) as store:
        titles = {info.id: info.title for info in store.conversations()}
    assert len(set(titles.values())) == len(titles)
    for name, title in titles.items():
        assert sorted(entry.text for entry in entries[name] if isinstance(entry, Message)) == said[title]
    return len(titles)


def fill(archive: Path, title: str, messages: int = 3_000, name: str = "c") -> None:
    """Store a conversation of that id, with that many messages."""
    said = [user(f"{title} {n} " * 40, id=f"{name}{n}") for n in range(messages)]
    with closing(Store(archive)) as store:
        store.create(ConversationInfo(name, title, 1.0, 1.0), said)


async def kill_backups(folder: Path, kills: int, world: World) -> None:
    """Each backup that has its name is whole, those that were printed are there, and the archive is as it was."""
    data, chance = folder / "data", world.chance(folder.name)
    fill(database_file(data), "Backed up")
    before, arguments = entries_of(data), ("backup", "--data-dir", str(data), "--json")
    seconds = await seconds_of(folder, *arguments)
    for number in range(kills):
        told = {str(backup.file) for backup in list_backups(backups_folder(data))}
        command = await Command(folder, *arguments).start()
        await command.kill_after(chance.uniform(seconds * 0.3, seconds))
        if printed := b"".join(line for _, line in command.lines):
            told.add(json.loads(printed)["file"])
        backups = list_backups(backups_folder(data))
        assert max(told) <= max(backup.file for backup in backups), "of a day the newest is kept"
        assert all((backup.is_damaged, backup.entries) == (False, 3_000) for backup in backups)
        assert check_data(data) == before
        leftover = [path.name for path in backups_folder(data).iterdir() if path.suffix == "-journal"]
        assert not leftover, number
        world.counts["backup"] += 1
    assert await (await Command(folder, *arguments).start()).ended() == 0


async def kill_restores(folder: Path, kills: int, world: World) -> None:
    """The archive is the old one or the new one, and it is sound."""
    chance, backup = world.chance(folder.name), folder / "b.sqlite3"
    fill(database_file(folder / "other"), "New")
    make_backup(database_file(folder / "other"), backup)
    fill(database_file(folder / "measured"), "Old")
    seconds = await seconds_of(folder, "restore", str(backup), "--data-dir", str(folder / "measured"))
    for number in range(kills):
        data = folder / f"data{number}"
        fill(database_file(data), "Old")
        command = await Command(folder, "restore", str(backup), "--data-dir", str(data)).start()
        await command.kill_after(chance.uniform(seconds * 0.3, seconds))
        with closing(Store(database_file(data))) as store:  # finishes, or removes, what was left
            (info,) = store.conversations()
        assert len(check_data(data)["c"]) == 3_000
        assert info.title == "New" or not command.lines, "printed as restored, and not there"
        left = {path.name for path in data.iterdir()}
        assert not [name for name in left if "restored" in name or "decided" in name or "damaged" in name]
        assert ("archive.before-restore-1.sqlite3" in left) is (info.title == "New")
        world.counts["restore"] += 1


def grown(old: Path, archive: Path, copies: int = COPIES) -> dict[str, str]:
    """An old archive with many more entries in the place of the present one; return the bodies of all by their ids."""
    archive.parent.mkdir(parents=True)
    shutil.copyfile(old, archive)
    with closing(sqlite3.connect(archive)) as connection:
        connection.executescript(f"""WITH RECURSIVE
            copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies LIMIT {copies})
            INSERT INTO conversations (id, title, created_at, updated_at, model, share, status)
            SELECT 'c' || n, title, created_at, updated_at, model, share, status FROM conversations, copies;
            INSERT INTO entries (number, conversation, position, message_index, id, kind, at, body)
            SELECT (SELECT MAX(number) FROM entries) + ROW_NUMBER() OVER (), c.id, e.position, e.message_index,
                c.id || '-' || e.id, e.kind, e.at,
                CASE WHEN e.kind = 'message' THEN json_set(e.body, '$.id', c.id || '-' || e.id) ELSE e.body END
            FROM entries e, conversations c WHERE e.conversation = 'old' AND c.id != 'old' AND e.message_index >= 0;
            INSERT INTO message_texts (entry, text) SELECT n.number, t.text FROM entries n, entries o, message_texts t
            WHERE n.id = n.conversation || '-' || o.id AND t.entry = o.number;
            INSERT INTO words (words) VALUES ('rebuild');
            INSERT INTO trigrams (trigrams) VALUES ('rebuild');""")
        connection.commit()
        return dict(connection.execute("SELECT id, body FROM entries"))


async def kill_migrations(folder: Path, kills: int, world: World) -> None:
    """An engine that opens an archive of an older version: it is the old one or the new one, with all entries."""
    chance, olds = world.chance(folder.name), sorted(OLD_ARCHIVES.glob("version-[1-8].sqlite3"))
    for number in range(kills):
        data = folder / f"data{number}"
        bodies = grown(chance.choice(olds), database_file(data))
        engine = await EngineClient(data, environment={MARK: str(folder)}).start()
        await asyncio.sleep(chance.uniform(0.05, 1.0))
        children = children_of(engine_pid(data))
        await engine.kill()
        await check_processes(folder, children)
        engine = await EngineClient(data, environment={MARK: str(folder)}).start()
        await engine.ask(p.Hello(p.VERSION))
        assert await engine.close() == 0
        with closing(sqlite3.connect(database_file(data))) as connection:
            found = dict(connection.execute("SELECT id, body FROM entries"))
        assert found.items() >= bodies.items()
        (copy, *_) = data.glob("archive.backup-v*.sqlite3")
        with closing(sqlite3.connect(copy)) as connection:
            assert dict(connection.execute("SELECT id, body FROM entries")) == bodies
        world.counts["migration"] += 1
