"""Keys are planted in the environment and in a keys file, and searched for in all that the program shows or writes.

Whatever it makes is its user's alone, whatever the umask.
"""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from desktop_app.__main__ import main
from desktop_app.conversation.tools import Rule
from desktop_app.engine import protocol as p
from desktop_app.settings import McpServer
from provider import Call, Reply, ScriptedProvider, Status

ENTERED, EXPORTED = "sk-ENTERED-0123456789abcdef", "sk-ant-EXPORTED-0123456789abcdef"
LOOK = "env; tr '\\0' '\\n' < /proc/$PPID/environ; cat /proc/[0-9]*/cmdline; cat $PALIMPSEST_KEYS_FILE; true"
# A server of tools that says what it was given, and no more.
TELLING = "import json, os, sys; open(sys.argv[1], 'w').write(json.dumps(dict(os.environ)))"
FAULTS = (
    Status(401, f"Incorrect API key provided: {ENTERED}"),
    Status(400, f"<html>Authorization: Bearer {ENTERED}</html>"),
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked at in /proc")


def files_with(folders: list[Path], secret: str) -> Iterator[str]:
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and secret.encode() in path.read_bytes():
                yield str(path)


def shown_by_processes(root: int) -> str:
    """The arguments and the environment of a process and its children, as another one of the user reads them."""
    process = psutil.Process(root)
    told = ""
    for each in (process, *process.children(recursive=True)):
        for name in ("cmdline", "environ"):
            try:
                told += Path(f"/proc/{each.pid}/{name}").read_bytes().decode(errors="replace")
            except OSError:
                continue  # it has ended, or does not let itself be read
    return told


async def test_planted_keys_are_found_nowhere(engines, use_provider, data, tmp_path, monkeypatch, capfd) -> None:
    home, keys, work = tmp_path / "home", tmp_path / "elsewhere" / "keys.json", tmp_path / "work"
    for folder in (home, keys.parent, work):
        folder.mkdir()
    keys.write_text(f'{{"scripted": "{ENTERED}"}}')
    keys.chmod(0o600)
    for name, value in {"HOME": home, "PALIMPSEST_KEYS_FILE": keys, "ANTHROPIC_API_KEY": EXPORTED}.items():
        monkeypatch.setenv(name, str(value))
    call = Call("bash", f'{{"command": "{LOOK.replace(chr(92), chr(92) * 2)}"}}')
    telling = McpServer("telling", (sys.executable, "-c", TELLING, str(work / "given.json")))
    script = (Reply("I look.", calls=(call,), finish="tool_calls"), Reply("Seen."), *FAULTS)
    with ScriptedProvider(script, key=ENTERED) as provider:
        use_provider(provider, folder=str(work), rules=(Rule("bash"),), mcp_servers=(telling,), is_sandboxed=False)
        engine = await engines(is_forked=False)
        opened = (await engine.ask(p.CreateConversation())).conversation.id
        await engine.turn(opened, "Look")
        shown = shown_by_processes(engine.process.pid)
        for _ in FAULTS:
            await engine.turn(opened, "Again")
        rows = (await engine.ask(p.OpenConversation(opened))).rows
        assert "SHLVL=" in "".join(row.message.text for row in rows), "the command has looked"
        assert len(provider.requests) >= 4, "the key was right"
        said = repr(engine.events) + repr(engine.lists)
        await engine.close()
    monkeypatch.setenv("PALIMPSEST_DATA_DIR", str(data))
    capfd.readouterr()
    for ending in ("md", "html", "json"):
        arguments = ["export", opened, str(work / f"chat.{ending}")]
        assert await asyncio.to_thread(main, arguments) == 0, "it has a loop of its own"
    assert main(["export", "--all", str(work / "all.zip")]) == 0
    assert main(["backup", str(work / "backup.sqlite3")]) == 0
    await asyncio.to_thread(main, ["doctor"])
    printed = capfd.readouterr()
    for secret in (ENTERED.removeprefix("sk-"), EXPORTED.removeprefix("sk-ant-")):
        for where, what in (("processes", shown), ("events", said), ("output", printed.out + printed.err)):
            assert secret not in what, where
        assert list(files_with([data, home, work], secret)) == []
    assert secret not in (tmp_path / "engine.log").read_text()


@pytest.mark.parametrize("umask", [0o000, 0o077])
async def test_what_is_written_is_its_users_alone(
    engines, use_provider, data: Path, tmp_path: Path, umask: int
) -> None:
    data.rmdir()
    folder = tmp_path / "data"
    before = os.umask(umask)
    try:
        long = Call("bash", '{"command": "seq 1 60000"}')
        with ScriptedProvider([Reply("I count.", calls=(long,), finish="tool_calls"), Reply("Done.")]) as provider:
            use_provider(provider, folder=str(tmp_path), rules=(Rule("bash"),))
            engine = await engines(is_forked=False)
            opened = (await engine.ask(p.CreateConversation())).conversation.id
            await engine.turn(opened, "Count")
            await engine.ask(p.BackUpNow())
            await engine.close()
    finally:
        os.umask(before)
    made = [folder, *folder.rglob("*")]
    assert any("spills" in path.parts for path in made), "a long output was written"
    assert any("backups" in path.parts for path in made)
    modes = {str(path.relative_to(tmp_path)): oct(stat.S_IMODE(path.stat().st_mode)) for path in made}
    wanted = {str(path.relative_to(tmp_path)): oct(0o700 if path.is_dir() else 0o600) for path in made}
    assert modes == wanted
