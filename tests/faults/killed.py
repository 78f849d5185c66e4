"""Programs are killed at random moments, started again, and everything is looked for: the one runner of all scenes.

    PYTHONPATH=.:tests/support python tests/faults/killed.py 330 SEED    # counts by victim, and each loss

A dozen in packaging/test, 330 with --slow.

A scene is a coroutine function of VICTIMS: it gets an empty folder, how often to kill, and the world; it raises what it
misses, and counts each kill after which nothing was missing.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import secrets
import sys
import tempfile
import time
import traceback
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import pairwise, takewhile
from pathlib import Path

import psutil
from scenes import WINDOW, Scenes

from desktop_app.commands.doctor import checks
from desktop_app.context.view.view import View, assemble, view_of
from desktop_app.conversation.events import MessageRecorded, ReasoningDelta, TextDelta, TurnEvent, ViewChanged
from desktop_app.conversation.message import Message, Reasoning, Role
from desktop_app.conversation.openai_chat import chat_of
from desktop_app.conversation.tools import Rule
from desktop_app.conversation.transcript import AnyEntry, Chain, Transcript
from desktop_app.paths import database_file
from desktop_app.settings import Server, Settings
from provider import ScriptedProvider
from request_rules import legal_for_all
from slowness import slowness
from stores import Store

ROOT = Path(__file__).resolve().parent.parent.parent
KEPT_AFTER = 0.5
"""Seconds after which what has arrived of a reply must be kept (design, section 3); more on a busy machine."""
GONE_AFTER = 120.0
"""Seconds that the processes of a killed program may take to end, on a busy machine."""
PATIENCE = 300.0
"""Seconds that anything may take on a busy machine."""
AT_ONCE = 4
"""Scenes at a time."""
WEIGHTS = {"engine": 110, "chat": 40, "import": 40, "backup": 30, "restore": 30, "migration": 35, "window": 15}
WEIGHTS |= {"servers": 30}
"""Kills of each, of 330."""
SAMPLE = {"engine": 3, "chat": 1, "import": 2, "backup": 2, "restore": 2, "migration": 1, "window": 1, "servers": 2}
MARK = "PALIMPSEST_FAULTS_MARK"
OF_DATA = frozenset({"data folder", "damage", "archive", "entries", "search index", "settings"})
"""The doctor's checks that are about the data folder."""

Entries = dict[str, tuple[AnyEntry, ...]]


def settings_of(base_url: str, work: Path) -> Settings:
    """Of a program that talks to the scripted provider, and may do everything in that folder."""
    server = Server("scripted", base_url, ("scripted",), WINDOW, 1_000)
    return Settings(chat_model="scripted/scripted", servers=(server,), folder=str(work), rules=(Rule("*"),))


class AllTold:
    """What a program has acknowledged: the entries of each conversation in their order, and the messages as told."""

    def __init__(self) -> None:
        self.ids: dict[str, list[str]] = defaultdict(list)
        self.messages: dict[str, Message] = {}
        self.arriving: dict[str, list[tuple[float, TextDelta | ReasoningDelta]]] = defaultdict(list)

    def hear(self, event: TurnEvent, at: float | None = None) -> None:
        """at: when it came, in seconds of time.monotonic(); now without it."""
        if isinstance(event, MessageRecorded):
            self.ids[event.conversation].append(event.row.message.id)
            self.messages[event.row.message.id] = event.row.message
        elif isinstance(event, ViewChanged):
            told = self.ids[event.conversation]
            told += [row.id for row in event.operations if row.id not in told and not row.is_undone]
        elif isinstance(event, TextDelta | ReasoningDelta):
            self.arriving[event.reply_id].append((time.monotonic() if at is None else at, event))

    def check(self, entries: Entries, is_late: bool = False) -> None:
        """Everything is there once, as it was told and in that order. is_late: an operation may be told later than what
        came behind it, as when the disk is full right after it was stored."""
        for conversation, told in self.ids.items():
            found = entries.get(conversation, ())
            places = {entry.id: place for place, entry in enumerate(found)}
            assert len(places) == len(found), "the same entry twice"
            assert [name for name in told if name not in places] == [], "acknowledged, and lost"
            ordered = [name for name in told if name in self.messages or not is_late]
            late = [found[places[b]] for a, b in pairwise(ordered) if places[b] < places[a]]
            assert not late, f"told after what is stored behind them: {late}"
            assert all(found[places[name]] == self.messages[name] for name in told if name in self.messages)
            said = [self.messages[name].text for name in told if name in self.messages]
            asked = [e.text for e in found if isinstance(e, Message) and e.role is Role.USER and e.text in said]
            assert len(asked) == sum(self.messages[n].role is Role.USER for n in told if n in self.messages), "doubled"

    def check_partials(self, entries: Entries, killed_at: float) -> None:
        """What had arrived of replies that were not acknowledged, early enough to be kept, is kept."""
        stored = {e.id: e for found in entries.values() for e in found if isinstance(e, Message)}
        kept_until = killed_at - KEPT_AFTER * slowness()
        for reply, deltas in self.arriving.items():
            early = [event for at, event in deltas if at <= kept_until]
            if reply in self.messages or not early:
                continue
            assert reply in stored, f"of this reply nothing was kept: {early}"
            thought = "".join(part.text for part in stored[reply].parts if isinstance(part, Reasoning))
            assert thought.startswith("".join(e.text for e in early if isinstance(e, ReasoningDelta)))
            assert stored[reply].text.startswith("".join(e.text for e in early if isinstance(e, TextDelta)))


def check_data(data: Path) -> Entries:
    """The doctor finds nothing, each view can be sent; return what is stored of each conversation."""
    found = takewhile(lambda check: check.name != "log", checks(data))
    assert [check for check in found if check.name in OF_DATA and not check.ok] == []
    entries = entries_of(data)
    for each in entries.values():
        assert legal_for_all(chat_of(assemble(fold(each)))) == []
    return entries


def entries_of(data: Path) -> Entries:
    store = Store(database_file(data), read_only=True)
    try:
        return {info.id: store.entries(info.id) for info in store.conversations()}
    finally:
        store.close()


def fold(entries: Iterable[AnyEntry]) -> View:
    return view_of(Transcript(Chain(list(entries))))


class World:
    """What the scenes share. counts: kills after which nothing was missing, by victim. losses: what was missed."""

    def __init__(self, seed: str, provider: ScriptedProvider, script: Scenes) -> None:
        self.seed, self.provider, self.script = seed, provider, script
        self.counts: dict[str, int] = defaultdict(int)
        self.losses: list[str] = []

    def chance(self, *names: object) -> random.Random:
        return random.Random("-".join(map(str, (self.seed, *names))))


def marked(folder: Path) -> dict[str, str]:
    """The environment of a program that is killed: it, and what it starts, are known by it."""
    return {**os.environ, MARK: str(folder), "LITELLM_LOCAL_MODEL_COST_MAP": "True", "QT_QPA_PLATFORM": "offscreen"}


def survivors(folder: Path, known: Sequence[psutil.Process] = ()) -> list[str]:
    """What lives of the programs with that folder's mark: by their environment, their folder or their arguments, and
    what was known as their child."""
    left = [f"{child.pid} {child.name()}" for child in known if is_alive(child)]
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.pid == os.getpid() or not is_alive(process):
                continue
            names = (process.environ().get(MARK, ""), process.cwd(), *process.cmdline())
            if any(name == str(folder) or name.startswith(f"{folder}/") for name in names):
                left.append(f"{process.pid} {process.cmdline()}")
    return left


def is_alive(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def engine_pid(data: Path) -> int:
    """The process that holds the data folder, as its lock says; 0 if there is none."""
    with contextlib.suppress(OSError, ValueError):
        holder = int(database_file(data).with_suffix(".lock").read_text())
        return 0 if holder == os.getpid() else holder
    return 0


def children_of(pid: int) -> list[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).children(recursive=True) if pid else []
    return []


async def check_processes(folder: Path, known: Sequence[psutil.Process] = ()) -> None:
    """Nothing that a killed program started survives it."""
    deadline = time.monotonic() + GONE_AFTER
    while left := await asyncio.to_thread(survivors, folder, known):
        assert time.monotonic() < deadline, f"still there: {left}"
        await asyncio.sleep(0.05)


Victim = Callable[[Path, int, World], Awaitable[None]]


async def run(kills: dict[str, int], seed: str, folder: Path) -> World:
    """Kills that many of each, a few scenes at a time, and returns what was found."""
    from killed_commands import kill_backups, kill_chats, kill_imports, kill_migrations, kill_restores
    from killed_engine import kill_engines
    from killed_servers import kill_with_servers
    from killed_window import kill_windows

    victims: dict[str, tuple[Victim, int]] = {
        "window": (kill_windows, 3),
        "engine": (kill_engines, 6),
        "servers": (kill_with_servers, 5),
        "chat": (kill_chats, 5),
        "import": (kill_imports, 2),
        "backup": (kill_backups, 5),
        "restore": (kill_restores, 5),
        "migration": (kill_migrations, 5),
    }
    script = Scenes(seed)
    async with ScriptedProvider(script) as provider:
        world = World(seed, provider, script)
        waiting = [
            (name, number, min(at_once, kills[name] - begun))
            for name, (_, at_once) in victims.items()
            for number, begun in enumerate(range(0, kills.get(name, 0), at_once))
        ]
        world.chance("order").shuffle(waiting)

        async def work() -> None:
            while waiting:
                name, number, count = waiting.pop()
                try:
                    await victims[name][0](folder / f"{name}{number}", count, world)
                except (Exception, asyncio.CancelledError):  # noqa: BLE001 - a loss is told, and the others go on
                    world.losses.append(f"{name}{number}: {traceback.format_exc()}")
                    print(world.losses[-1], file=sys.stderr)
                print(told(world).replace("\n", "; "), file=sys.stderr, flush=True)

        await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    world.losses += script.malformed
    for log in folder.rglob("*.log"):
        if "Traceback" in (text := log.read_text(errors="replace")):
            world.losses.append(f"{log}: {text[-3_000:]}")
    return world


def told(world: World) -> str:
    """The counts, as docs/reliability.md has them."""
    lines = [f"{name:10} {count:4} kills" for name, count in sorted(world.counts.items())]
    total = sum(world.counts.values())
    return "\n".join([*lines, f"{'together':10} {total:4} kills, {len(world.losses)} losses, seed {world.seed}"])


def share_of(kills: int) -> dict[str, int]:
    """So many kills, in the proportions of WEIGHTS."""
    shares = {name: weight * kills // sum(WEIGHTS.values()) for name, weight in WEIGHTS.items()}
    return shares | {"engine": shares["engine"] + kills - sum(shares.values())}


def main(kills: str = "330", seed: str = "", *only: str) -> int:
    seed = seed or secrets.token_hex(4)
    chosen = {name: count for name, count in share_of(int(kills)).items() if not only or name in only}
    with tempfile.TemporaryDirectory(prefix="killed-") as folder:
        world = asyncio.run(run(chosen, seed, Path(folder)))
    print("\n\n".join([*world.losses, told(world)]))
    return 1 if world.losses else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
