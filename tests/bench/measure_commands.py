"""Measures the command line from outside, against another build. `python tests/bench/measure_commands.py [TREE]`

Runs `palimpsest compact` and `palimpsest context` of each build on a conversation of 10,000 messages, as whole
processes that take turns, and prints their CPU time: the median of ROUNDS. "imports" is the time of a process that only
imports the command. Modules are compiled before, as an installed program's are, whatever the environment says.
TREE: a work tree of the build before, with a `.venv` of its own.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
ROUNDS = 7
MESSAGES = 10_000
WORDS = """the parser reads one line at a time and keeps offset of file when user asked about database migration error
deploy config always never must use pytest port 8080 version 2.1 path src/app/main.py"""


def conversation() -> str:
    """Return a conversation of questions and answers as JSON Lines."""
    words, lines = WORDS.split(), list[str]()
    chance = random.Random(1)
    for number in range(MESSAGES // 2):
        asked = " ".join(chance.choices(words, k=chance.randint(10, 60)))
        sentences = (" ".join(chance.choices(words, k=chance.randint(8, 20))) for _ in range(chance.randint(2, 8)))
        said = ". ".join(sentence.capitalize() for sentence in sentences)
        for role, text in (("user", f"Question {number}: {asked}?"), ("assistant", f"Answer {number}: {said}.")):
            lines.append(json.dumps({"role": role, "content": text}))
    return "\n".join(lines)


def seconds(tree: Path, compiled: str, *arguments: str) -> float:
    """Return the CPU time of a Python process of that build. compiled: the folder of compiled modules."""
    command = [str(tree / ".venv/bin/python"), "-P", *arguments]
    environment = {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": compiled}
    process = subprocess.Popen(command, cwd=tree, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return used.ru_utime + used.ru_stime


def main(trees: list[Path]) -> None:
    """Print the CPU time of each command in each build, and the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        file, compiled = Path(folder) / "chat.jsonl", f"{folder}/compiled"
        file.write_text(conversation(), encoding="utf-8")
        rows = {
            name: ("-m", "desktop_app", name, str(file), "--window", "128000", "--json")
            for name in ("compact", "context")
        }
        rows |= {f"{name}: imports": ("-c", f"import desktop_app.commands.{name}") for name in tuple(rows)}
        for name, arguments in rows.items():
            found = [[seconds(tree, compiled, *arguments) for tree in trees] for _ in range(1 + ROUNDS)]
            middle = [statistics.median(times) for times in zip(*found[1:], strict=True)]
            ratio = f"{middle[-1] / middle[0]:.2f}" if len(trees) > 1 else ""
            print(f"{name:<18}", *(f"{time:6.2f} s" for time in middle), ratio, flush=True)


if __name__ == "__main__":
    main([*(Path(word).resolve() for word in sys.argv[1:]), HERE])
