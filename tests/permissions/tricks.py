"""Tables of tricks, and a folder in which what is allowed of them is run beside what must not change or be shown."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome
from desktop_app.permissions.command_line import parse_commands
from desktop_app.settings import Settings
from desktop_app.tools.registry import ToolRegistry
from desktop_app.tools.spill import SpillFolder

CANARY = "kanarienvogel"
"""A word that stands in each secret and nowhere else."""
_SIGN = re.compile(r"‹U\+([0-9A-F]{4,6})›")
SECRETS = (
    *("work/.env", "work/server.pem", "work/credentials.json", "home/.ssh/id_rsa", "home/.netrc", "home/.npmrc"),
    *("work/.git-credentials", "home/.bash_history", "home/.config/gh/hosts.yml", "data/archive.sqlite3"),
)
TEXTS = {
    "work/a.txt": "one two\nthree\nfour one\n",
    "work/b.txt": "b\n",
    "work/sub/c.txt": "c\n",
    "work/a.json": '{"a": 1}\n',
    "work/evil/ls": "#!/bin/sh\ntouch {root}/work/ran\n",
    "work/evil/git": "#!/bin/sh\ntouch {root}/work/ran\n",
    "work/run": "#!/bin/sh\ntouch {root}/work/ran\n",
    "work/canary.sh": "touch {root}/work/ran\n",
    "work/canary.sed": "w made\n",
    "work/canary.awk": 'BEGIN{system("touch made")}\n',
    "work/canary.ed": "w made\nq\n",
    "work/canary.mk": "all:\n\ttouch made\n",
    "work/canary.jq": "env\n",
    "work/Makefile": "$(shell touch made)\nall:\n\ttouch made\n",
    "work/man.1": ".TH X 1\n.sy touch made\n",
    "out/kept.txt": "kept\n",
    "out/open/shown.txt": "shown\n",
    "out/openx/shown.txt": "not open\n",
    "home/notes.txt": "notes\n",
}
LINKS = {
    "link.md": "../home/.netrc",
    "linked": "../home/.ssh",
    "inside.txt": "sub/c.txt",
    "outlink": "{out}",
    "outfile.txt": "{out}/kept.txt",
    "chain1": "chain2",
    "chain2": "outlink/kept.txt",
    "loop": "loop",
    "dangling": "{out}/made",
}
HOSTILE_NAMES = ("-o made", "-omade", "--output=made", "--help", "-rf", "-r", "--files0-from=.env", "$(touch made)")
"""Of files in the folder: a shell expands `*` to them."""


class Trick(NamedTuple):
    """A line of a table."""

    group: str
    sign: str
    text: str


def table(name: str) -> list[Trick]:
    """Return the lines of a table; its escapes are read, its placeholders are left."""
    found: list[Trick] = []
    group = ""
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").split("\n"):
        if line.startswith("== "):
            group = line[3:]
        elif line and not line.startswith("#"):
            sign, _, text = line.partition("\t")
            found.append(Trick(group, sign, _SIGN.sub(lambda code: chr(int(code[1], 16)), text)))
    return found


class Place:
    """A working folder, a home folder and a folder outside, a server that counts, and real tools."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.port = 0
        self.connections = 0
        self.requests: list[str] = []
        self.location = ""  # where /redirect leads
        for name in SECRETS:
            self.write(name, f"canary={CANARY}\n")
        for name, text in TEXTS.items():
            self.write(name, text.replace("{root}", str(root)))
        for name in ("run", "evil/ls", "evil/git"):
            (self.work / name).chmod(0o755)
        os.link(self.work / ".env", self.work / "hard.env")
        for name, target in LINKS.items():
            (self.work / name).symlink_to(target.replace("{out}", str(root / "out")))
        os.mkfifo(self.work / "fifo")
        (root / "tmp").mkdir()
        _make_repository(self.work)
        self.tools = ToolRegistry(
            (), SpillFolder(root / "data/spills"), lambda: Settings(is_sandboxed=False), root / "data"
        )
        self.context = ToolContext("one", str(self.work))

    @property
    def work(self) -> Path:
        return self.root / "work"

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def filled(self, text: str) -> str:
        """Return a line of a table with the folders of this place."""
        values = {"run": f"{self.work}/run", "out": str(self.root / "out"), "home": str(self.root / "home")}
        for name, value in (values | {"work": str(self.work), "port": str(self.port)}).items():
            text = text.replace(f"{{{name}}}", value)
        return text

    def swap(self, path: str, how: str) -> None:
        """Put a link in the place of the first name of a path."""
        name = self.work / path.split("/")[0]
        name.rename(name.with_name("aside"))
        name.symlink_to(self.filled(how.removeprefix("link:")))

    async def needs(self, tool: str, **arguments: Any) -> tuple[RequiredPermission, ...]:
        return await self.tools.needs(ToolCall("1", tool, json.dumps(arguments)), self.context)

    async def run(self, tool: str, **arguments: Any) -> ToolOutcome:
        """Run a call whose permissions were asked for."""
        call = ToolCall("1", tool, json.dumps(arguments))
        *_, outcome = [piece async for piece in self.tools.run(call, self.context)]
        assert isinstance(outcome, ToolOutcome)
        return outcome

    def files(self) -> dict[str, object]:
        """Return what is in all folders but the data, which the tools themselves write to."""
        return {str(path): _state(path) for path in _below(self.root) if not path.is_relative_to(self.root / "data")}

    async def effects(self, tool: str, before: dict[str, object], **arguments: Any) -> tuple[list[str], ToolOutcome]:
        """Run a call; return what it did that nobody wanted, and its outcome."""
        connections = self.connections
        outcome = await self.run(tool, **arguments)
        await asyncio.sleep(0)  # the server's turn
        after = self.files()
        changed = [f"changed: {name}" for name in sorted(before.keys() | after) if before.get(name) != after.get(name)]
        told = ["shown: the secret"] if CANARY in outcome.text else []
        return [*changed, *told, *(["connected"] if self.connections > connections else [])], outcome


@asynccontextmanager
async def place_with_server(root: Path) -> AsyncIterator[Place]:
    """A place with a server on loopback, and on 127.0.0.2, that counts who connects, by TCP or by UDP, and answers."""
    place = Place(root)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        place.connections += 1
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            place.requests.append((await reader.readuntil(b"\r\n\r\n")).decode(errors="replace"))
            is_redirect = place.location and place.requests[-1].startswith("GET /redirect ")
            head = f"302 Found\r\nLocation: {place.location}" if is_redirect else "200 OK\r\nContent-Type: text/plain"
            writer.write(f"HTTP/1.1 {head}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".encode())
            await writer.drain()
        writer.close()

    class Datagrams(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, addr: object) -> None:
            place.connections += 1

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    place.port = server.sockets[0].getsockname()[1]
    inside = await asyncio.start_server(serve, "127.0.0.2", place.port)
    datagrams, _ = await asyncio.get_running_loop().create_datagram_endpoint(Datagrams, ("127.0.0.1", place.port))
    try:
        yield place
    finally:
        datagrams.close()
        for one in (server, inside):
            one.close()
            await one.wait_closed()


def hidden_parts(line: str, needs: tuple[RequiredPermission, ...]) -> list[str]:
    """Return the words of a line that no question shows, but comments, and redirections that keep nothing."""
    shown = "\n".join(need.target for need in needs)
    if parse_commands(line.strip(" \t\n")) is not None:  # only then is anything left out
        line = re.sub(r"(?m)(^|[\s;&|])#.*$|[0-9]?[<>]&[0-9-]|&?[0-9]?>+ ?/dev/null", r"\1", line)
    words = (word.replace("\\", "") for word in re.findall(r"[\w./~@%+,:-]{2,}", line.replace("\\\n", "\n")))
    return [word for word in words if not all(part in shown for part in re.split(r"['\"]", word))]


def _below(root: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(root):
        yield from (Path(folder, name) for name in (*folders, *files))


def _state(path: Path) -> object:
    if path.is_symlink():
        return os.readlink(path)
    status = path.lstat()
    return (status.st_mode, path.read_bytes() if path.is_file() else b"", status.st_mtime_ns if path.is_file() else 0)


def _make_repository(work: Path) -> None:
    """Make a repository of one commit, in which a secret is, and an archive."""
    own = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), (*own, "commit", "-qm", "one"), ("tag", "v1")):
        subprocess.run(["git", *words], cwd=work, check=True, capture_output=True)
    subprocess.run(["git", "init", "-q", "--bare", "evil.git"], cwd=work, check=True, capture_output=True)
    with (work / "evil.git/config").open("a") as config:
        config.write(f"[core]\n\tfsmonitor = {work}/run\n\tbare = false\n\tworktree = {work}\n")
    subprocess.run(["tar", "cf", "x.tar", "a.txt", "b.txt"], cwd=work, check=True, capture_output=True)
