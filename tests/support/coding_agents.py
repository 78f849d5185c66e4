"""Coding agents that are run against a scripted provider, and what was said: by the provider's log, not by ours.

A prompt says what its turn is to do: "PROMPT-001 call" makes the model call the agent's shell, "PROMPT-002 big" reports
so many tokens that the agent compacts, and anything else is answered. Each thing that is said has a mark of its own.
"""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import threading
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from provider import Request, ScriptedProvider
from provider_script import AnyStep, Call, Reply
from provider_shapes import Shape

MARK = re.compile(r"(?:PROMPT|REPLY|RESULT|SUMMARY)-\d{3}")
PROMPT = re.compile(r"PROMPT-(\d{3}) (\w+)")
SUMMARY = re.compile(r"summar|compact|state_snapshot", re.IGNORECASE)
SHELLS = {
    "Bash": "command",
    "bash": "command",
    "exec_command": "cmd",
    "shell_command": "command",
    "run_shell_command": "command",
    "shell": "command",
}
"""The agents' shells, with the field of the command."""
PATIENCE = 180.0


class Answered(msgspec.Struct, frozen=True):
    """A reply of the model as the provider sent it."""

    number: int
    text: str
    thought: str
    command: str
    prompt_tokens: int
    is_summary: bool


class AgentScript:
    """Answers an agent's requests by the newest prompt in them, and logs what it answered."""

    window = 200_000

    def __init__(self, big: int) -> None:
        """big: the tokens that a reply to a "big" prompt reports."""
        self.answered: list[Answered] = []
        self._big = big
        self._lock = threading.Lock()

    def take(self, request: Request, shape: Shape) -> AnyStep:
        del shape
        with self._lock:
            return self._answer(request)

    def _answer(self, request: Request) -> Reply:
        turns = [(role, text) for role, text in request.turns if role in ("user", "tool")]
        last = turns[-1][1] if turns else ""
        config = request.body.get("generationConfig") or {}
        if "responseJsonSchema" in config or "responseSchema" in config:
            return Reply("{}", size=100)
        found = PROMPT.findall(" ".join(text for role, text in turns if role == "user"))
        is_asked = bool(PROMPT.search(last[-400:]) or turns[-1][0] == "tool")
        if not is_asked and (SUMMARY.search(last) or SUMMARY.search(str(request.turns[0][1])[:1500])):
            return self._say(request, "They talked.", is_summary=True)
        if not request.body.get("tools"):
            return Reply("A title", size=100)
        kind = found[-1][1] if found else "go on"  # after a compaction, an agent may ask on its own
        if kind == "call" and turns[-1][0] != "tool":
            return self._say(request, "I look.", is_call=True)
        return self._say(request, "Done – ✓ 数据.", tokens=self._big if kind == "big" else 0)

    def _say(
        self, request: Request, text: str, *, is_summary: bool = False, is_call: bool = False, tokens: int = 0
    ) -> Reply:
        number = len(self.answered) + 1
        said = f"{'SUMMARY' if is_summary else 'REPLY'}-{number:03} {text}"
        thought = "" if is_summary else f"THOUGHT-{number:03} I think."
        command = f"echo RESULT-{number:03} ü" if is_call else ""
        prompt = tokens or 1_000 + number
        self.answered.append(Answered(number, said, thought, command, prompt, is_summary))
        calls = (_call_of(request, command, number),) if is_call else ()
        wrapped = f"<state_snapshot>{said}</state_snapshot>" if "state_snapshot" in json.dumps(request.body) else said
        return Reply(
            wrapped if is_summary else said,
            reasoning=thought,
            calls=calls,
            usage=(prompt, 50 + number, 10 + number),
            size=40,
            message_id=f"msg_{number:03}",
        )


def _call_of(request: Request, command: str, number: int) -> Call:
    """Return a call of the shell that the request offers."""
    names = set(re.findall(r'"name": "(\w+)"', json.dumps(request.body.get("tools"))))
    name = next(each for each in SHELLS if each in names)
    arguments = {SHELLS[name]: command} | ({"description": "look"} if name != "exec_command" else {})
    return Call(name, json.dumps(arguments, ensure_ascii=False), f"call_{number:03}")


def marks_in(texts: Sequence[str]) -> list[str]:
    """Return the marks in texts, in order, without those that a summary or a result repeats."""
    return list(dict.fromkeys(mark for text in texts for mark in MARK.findall(text)))


def red_square(side: int = 32) -> bytes:
    """Return a PNG of one color."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\xd0\x10\x10" * side) * side)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


class Home:
    """A home folder in which an agent runs, with nothing of this machine in it."""

    def __init__(self, path: Path, commands: Path, environment: dict[str, str]) -> None:
        """commands: the folder of the agent's command."""
        self.path, self.work = path / "home", path / "my work ü"
        for folder in (self.path, self.work):
            folder.mkdir(parents=True, exist_ok=True)
        (self.work / "notes.txt").write_text("alpha\n", encoding="utf-8")
        self.picture = self.work / "picture.png"
        self.picture.write_bytes(red_square())
        self._environment = {
            "HOME": str(self.path),
            "PATH": f"{commands}:{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "DO_NOT_TRACK": "1",
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
            **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), "http://127.0.0.1:9"),
            **environment,
        }

    def run(self, *command: str, text: str = "") -> str:
        """Run a command in the work folder, without another network than loopback where it heeds proxies."""
        done = subprocess.run(
            command, cwd=self.work, env=self._environment, input=text, capture_output=True, text=True, timeout=PATIENCE
        )
        assert done.returncode == 0, (
            f"{command} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
        return done.stdout


class Agent(msgspec.Struct, frozen=True):
    """An agent: how it is installed, set up and asked, and where it keeps its history."""

    program: str
    package: str
    history: str
    """Its folder below the home."""
    environment: Callable[[ScriptedProvider], dict[str, str]]
    set_up: Callable[[Home, ScriptedProvider], None]
    ask: Callable[[Home, str, bool], None]
    """Ask a prompt; with True, in the newest session."""
    show: Callable[[Home, str], None]
    """Ask a prompt with the home's picture in the newest session."""
    big: int
    compact: Callable[[Home], None] | None = None
    """Compact the newest session by a command; None if that needs its terminal window."""
