"""A power cut at any change of a recorded run: what was acknowledged is there, and the archive is sound."""

from __future__ import annotations

import os
import random
import secrets
from collections.abc import Callable
from hashlib import sha256
from itertools import takewhile
from pathlib import Path

import pytest
from killed import OF_DATA, AllTold, settings_of
from recorded import WAYS, Change, Disk, emptied, read_log
from scenes import LONG_ONE, Scenes
from shim import shim

from desktop_app.archive.backups import list_backups
from desktop_app.commands.doctor import checks
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import AnyEntry
from desktop_app.engine import protocol as p
from desktop_app.paths import backups_folder, database_file, settings_file, spills_folder
from desktop_app.settings import read_settings
from engine_client import EngineClient
from imported import import_all
from provider import ScriptedProvider
from stores import Store

Holds = Callable[[Path], bool]


class Recording:
    """A run with an engine whose data folder's disk is written down. promised: by the numbers of requests what must
    hold of the folder once the answer was written."""

    def __init__(self, folder: Path, base_url: str) -> None:
        self.data, self.log = folder / "disk" / "data", folder / "log"
        self._work = folder / "work"
        self._work.mkdir(parents=True)
        self.data.parent.mkdir()
        self.settings = settings_of(base_url, self._work)
        environment = {"LD_PRELOAD": str(shim()), "FAULTS_ROOT": str(self.data.parent), "FAULTS_LOG": str(self.log)}
        self._engine = EngineClient(self.data, is_forked=False, environment=environment)
        self.promised: dict[int, Holds] = {}

    async def ask(self, request: p.EngineRequest[p.R], holds: Holds | None = None) -> p.R:
        if holds is not None:
            self.promised[self._engine._number + 1] = holds
        return await self._engine.ask(request)

    async def run(self, rounds: int) -> None:
        """Turns of every kind, and all that is stored beside them."""
        await self._engine.start()
        await self.ask(p.WriteSettings(self.settings), lambda data: read_settings(settings_file(data)) == self.settings)
        for n in range(rounds):
            conversation = (await self.ask(p.CreateConversation())).conversation.id
            for scene in ("at the end", "with a long output", "at any time"):
                await self._engine.turn(conversation, f"Please go on. [r{n} {scene}]")
            await self._store_beside(conversation, f"Draft {n}")
        long_one = self.data.parent.parent / "long.jsonl"
        long_one.write_text(LONG_ONE)
        room = await import_all(self.ask, long_one)
        await self._engine.turn(room, "Please go on. [room when room is due]")
        await self.ask(p.BackUpNow(), has_backups(1))
        await self._engine.close()

    async def _store_beside(self, conversation: str, draft: str) -> None:
        def is_kept(data: Path) -> bool:
            return draft_in(data, conversation).startswith("Draft")

        await self.ask(p.KeepDraft(conversation, draft), is_kept)
        await self.ask(p.BackUpNow(), has_backups(1))
        changed = await self.ask(p.ReadSettings())
        await self.ask(p.WriteSettings(changed.settings), lambda data: settings_file(data).stat().st_size > 0)


def draft_in(data: Path, conversation: str) -> str:
    store = Store(database_file(data))
    try:
        return store.unsent(conversation).draft.text
    finally:
        store.close()


def has_backups(count: int) -> Holds:
    return lambda data: sum(not each.is_damaged for each in list_backups(backups_folder(data))) >= count


class Cuts:
    """Cuts the power at places of a log, and looks at what is left."""

    def __init__(self, recording: Recording, folder: Path, known: set[str]) -> None:
        self._recording, self._folder, self._known = recording, folder, known
        self.trials = 0

    def at(self, places: set[int], chance: random.Random) -> None:
        told, promised = AllTold(), list[Holds]()
        disk = Disk(self._recording.data.parent)
        for place, change in enumerate(read_log(self._recording.log)):
            disk.take(change)
            self._hear(change, told, promised)
            if place in places:
                for way in WAYS:
                    self._look(disk, way, chance, told, promised, f"cut at {place}, {way}")

    def _hear(self, change: Change, told: AllTold, promised: list[Holds]) -> None:
        for line in change.data.splitlines() if change.kind == "A" else ():
            if not line.startswith(b'{"type":'):  # what a tool printed, or a thread that woke another
                continue
            match p.decode_engine_line(line):
                case p.EventLine(event):
                    told.hear(event)
                case p.ResponseLine(number, response) if response is not None and number in self._recording.promised:
                    promised.append(self._recording.promised[number])

    def _look(
        self, disk: Disk, way: str, chance: random.Random, told: AllTold, promised: list[Holds], where: str
    ) -> None:
        self.trials += 1
        root = emptied(self._folder)
        disk.left(way, chance, root)
        data = root / "data"
        try:
            if not data.exists():
                assert not told.ids
                return
            entries = self._opened(data)
            told.check(entries)
            names = {entry.id for found in entries.values() for entry in found}
            assert names <= self._known, "entries that nobody recorded"
            check_spills(data, entries)
            assert all(holds(data) for holds in promised)
            found = takewhile(lambda check: check.name != "log", checks(data))
            assert [check for check in found if check.name in OF_DATA and not check.ok] == []
        except BaseException as error:
            error.add_note(where)
            raise

    def _opened(self, data: Path) -> dict[str, tuple[AnyEntry, ...]]:
        store = Store(database_file(data))
        try:
            assert not list(data.glob("archive.damaged-*"))
            return {info.id: store.entries(info.id) for info in store.conversations()}
        finally:
            store.close()


def check_spills(data: Path, entries: dict[str, tuple[AnyEntry, ...]]) -> None:
    """Each long output that a result names is there, whole."""
    results = [m.tool_result for found in entries.values() for m in found if isinstance(m, Message)]
    for name in [result.spill for result in results if result is not None and result.spill]:
        content = (spills_folder(data) / name[:2] / name).read_bytes()
        assert sha256(content).hexdigest() == name


@pytest.mark.timeout(3_000)
@pytest.mark.parametrize(("cuts", "rounds"), [(6, 1), pytest.param(220, 6, marks=pytest.mark.slow)])
async def test_power_cuts(tmp_path: Path, cuts: int, rounds: int) -> None:
    seed = os.environ.get("PALIMPSEST_FAULTS_SEED") or secrets.token_hex(4)
    chance = random.Random(seed)
    async with ScriptedProvider(Scenes(seed)) as provider:
        recording = Recording(tmp_path, provider.base_url)
        await recording.run(rounds)
    whole = Store(database_file(recording.data))
    known = {entry.id for info in whole.conversations() for entry in whole.entries(info.id)}
    whole.close()
    places = [n for n, change in enumerate(read_log(recording.log)) if change.kind != "A"]
    trial = Cuts(recording, tmp_path / "left" / "disk", known)
    try:
        trial.at(set(chance.sample(places, cuts)), chance)
    except BaseException as error:
        error.add_note(f"PALIMPSEST_FAULTS_SEED={seed}")
        raise
    print(f"power cuts: {trial.trials} trials at {cuts} of {len(places)} places, 0 losses, seed {seed}")
