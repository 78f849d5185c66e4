"""Faults of concurrency, planted by hand one at a time, and the first seed of `engine/schedules.py` that finds each.

    python tests/planted_faults.py                     # all of them, in 150 schedules each
    python tests/planted_faults.py "edit without" 150  # those whose names have these words

`mutants.py` plants faults at random places, which rarely are those that only show when two things meet.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("desktop_app", "tests", "resources", "packaging", "pyproject.toml", "CHANGELOG.md")
SCHEDULES = 150


class PlantedFault(NamedTuple):
    """A piece of a file of `desktop_app`, which is there once, and what stands there instead."""

    name: str
    path: str
    was: str
    becomes: str


FAULTS = (
    PlantedFault(
        "an edit without the lock of changes",
        "chat/turns.py",
        "        async with self._beginning(session), session.changes:  # a plan may be about to archive what is left\n"
        "            rewind =",
        "        async with self._beginning(session):\n            rewind =",
    ),
    PlantedFault(
        "an edit without the lock of turns",
        "chat/turns.py",
        "        async with self._locks.of(session.id):\n            self.refuse_while_running(",
        "        if True:\n            self.refuse_while_running(",
    ),
    PlantedFault(
        "a plan without its lock",
        "chat/compaction/optimize.py",
        "    async with session.changes:\n        steps =",
        "    if True:\n        steps =",
    ),
    PlantedFault(
        "a message that was not recorded leaves the queue",
        "chat/message_queue.py",
        "now = now.add(message, is_first=True) if is_queued else now",
        "now = now",
    ),
    PlantedFault(
        "a message that was recorded stays in the stored queue",
        "chat/message_queue.py",
        "unsent=left if left != before else None",
        "unsent=None",
    ),
    PlantedFault(
        "the end of a turn is told before what follows it",
        "chat/turns.py",
        "        try:\n            await self.note(session)",
        "        try:\n            self._publish(finished)\n            await self.note(session)",
    ),
    PlantedFault(
        "a plan is kept while it is carried out, and behind that",
        "engine/engine.py",
        "        del self._plans[plan_id]\n",
        "",
    ),
    PlantedFault(
        "a message is sent without the lock of turns",
        "chat/turns.py",
        "        async with self._locks.of(session.id):\n            if is_now:",
        "        if True:\n            if is_now:",
    ),
    PlantedFault(
        "an undo without its lock",
        "chat/operations.py",
        "    async with session.changes:\n        active = {",
        "    if True:\n        active = {",
    ),
    PlantedFault(
        "room is made without the lock of changes",
        "chat/compaction/making_room.py",
        "        async with session.changes:\n            current =",
        "        if True:\n            current =",
    ),
    PlantedFault(
        "another version is shown without the lock of turns",
        "chat/branching.py",
        "    async with chats.turns.idle(session.id), session.changes:",
        "    chats.turns.refuse_while_running(session.id)\n    async with session.changes:",
    ),
    PlantedFault(
        "a copy is not marked as archived",
        "chat/conversations.py",
        "        await self.archive.create(info, entries, archived_of(entries))",
        "        await self.archive.create(info, entries)",
    ),
    PlantedFault(
        "memories are saved without their lock",
        "chat/memory_flusher.py",
        "        async with lock:\n            if not self.is_due",
        "        if True:\n            if not self.is_due",
    ),
    PlantedFault(
        "a result is told before it is stored",
        "chat/turn/tool_calls.py",
        "        recorded = await self._session.record_message(message)\n        self._answered.add(index)\n",
        "        self._answered.add(index)\n        said = call.call_id, message.id, call.name, False, seconds, 0\n"
        "        self._emit(ToolFinished(self._session.id, *said, self._reply.id, index))\n"
        "        recorded = await self._session.record_message(message)\n",
    ),
    PlantedFault(
        "a call that was answered is answered again at the end",
        "chat/turn/tool_calls.py",
        "            if index not in self._answered:\n",
        "            if True:\n",
    ),
    PlantedFault(
        "the result of a call can be cut",
        "chat/turn/tool_calls.py",
        "message = await shielded(self._record(index, call, outcome, time.monotonic() - started))\n",
        "message = await self._record(index, call, outcome, time.monotonic() - started)\n",
    ),
    PlantedFault(
        "the end of a turn can be cut",
        "chat/turn/take_turn.py",
        "            await shielded(self._keep())\n",
        "            await self._keep()\n",
    ),
    PlantedFault(
        "what waits is known only once it is stored",
        "chat/message_queue.py",
        "        self._unsent[conversation] = unsent\n        await self._archive.store_unsent(conversation, unsent)\n",
        "        await self._archive.store_unsent(conversation, unsent)\n        self._unsent[conversation] = unsent\n",
    ),
    PlantedFault(
        "a conversation stays open while an import writes it",
        "chat/open_sessions.py",
        "                session.close(GROWN)\n                self.cache.remove(conversation)\n            yield",
        "                pass\n            yield",
    ),
    PlantedFault(
        "an import does not wait for a turn",
        "chat/open_sessions.py",
        "        async with self._turns.paused(conversation), self.locks.of(conversation):",
        "        async with self.locks.of(conversation):",
    ),
    PlantedFault(
        "a fresh start does not look whether its plan is stale",
        "chat/compaction/fresh_start.py",
        "            raise stale_plan()\n",
        "            pass\n",
    ),
    PlantedFault(
        "a cancellation is lost",
        "chat/tasks.py",
        "    if is_cancelled and current is not None:\n        current.cancel()\n",
        "",
    ),
    PlantedFault(
        "who cancels a task does not wait for its end",
        "chat/tasks.py",
        "            _cancel(task)\n            await asyncio.wait({task})\n",
        "            _cancel(task)\n",
    ),
    PlantedFault(
        "the archive does not mark what comes back",
        "archive/writing.py",
        "        [(message, conversation) for message in restored],\n",
        "        [],\n",
    ),
    PlantedFault(
        "a record is folded before it is stored",
        "chat/session.py",
        "        await self.archive.append(self.id, *entries, archived=archived, restored=restored, unsent=unsent)\n"
        "        self.transcript = self.transcript.extend(entries)\n"
        "        self.view = view_after(self.view, self.transcript)\n"
        "        self.counter.follow(entries, self.transcript, self.view)\n",
        "        self.transcript = self.transcript.extend(entries)\n"
        "        self.view = view_after(self.view, self.transcript)\n"
        "        self.counter.follow(entries, self.transcript, self.view)\n"
        "        await self.archive.append(self.id, *entries, archived=archived, restored=restored, unsent=unsent)\n",
    ),
    PlantedFault(
        "a record can be cut",
        "chat/session.py",
        "        await shielded(self._record(entries, unsent=unsent))\n",
        "        await self._record(entries, unsent=unsent)\n",
    ),
)


def first_seed(fault: PlantedFault, tree: Path, schedules: int) -> str:
    """Plant the fault in that tree, and return the line of the first schedule that fails; "" if none does."""
    file = tree / "desktop_app" / fault.path
    whole = file.read_text(encoding="utf-8")
    assert whole.count(fault.was) == 1, f"{fault.name}: {whole.count(fault.was)} such places in {fault.path}"
    file.write_text(whole.replace(fault.was, fault.becomes), encoding="utf-8")
    try:
        command = [sys.executable, str(tree / "tests/engine/schedules.py"), "0", str(schedules), "1"]
        done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(tree)}, capture_output=True, text=True)
    finally:
        file.write_text(whole, encoding="utf-8")
    found = re.search(r"^\d+ (?!of).*", done.stdout, re.MULTILINE)
    if found is None and done.returncode:
        raise RuntimeError(done.stderr[-2_000:])
    return found[0][:150] if found else ""


def main(words: str = "", schedules: int = SCHEDULES) -> int:
    """Print a line for each fault; return how many were not found."""
    missed = 0
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        for name in COPIED:
            source, copy = ROOT / name, Path(folder) / name
            shutil.copytree(source, copy) if source.is_dir() else shutil.copy(source, copy)
        for fault in FAULTS:
            if words in fault.name:
                found = first_seed(fault, Path(folder), schedules)
                missed += not found
                print(f"{fault.name}: {found or 'NOT FOUND'}", flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2], *map(int, sys.argv[2:3])))
