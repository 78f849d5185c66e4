"""`bash`: what a command says, how it ends, and that nothing of it stays behind."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from contextlib import aclosing
from pathlib import Path

import psutil
import pytest
from tool_calls import STOP_SECONDS, Desk, steady_loop

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import Rule, ToolContext
from desktop_app.permissions.rules import decide
from desktop_app.settings import Settings
from desktop_app.tools.bash import MAX_HEAD, MAX_STREAMED, MAX_TAIL, Output
from desktop_app.tools.child_process import ChildProcess
from slowness import slowness

STUBBORN = """
trap "" TERM
sleep 600 &
(trap "" TERM HUP; sleep 601; sleep 602) &
(setsid sh -c 'trap "" TERM; sleep 603; sleep 604' &)
setsid setsid sleep 605 &
env -i setsid sleep 607 >/dev/null 2>&1 &
(env -i setsid sleep 608 &)
echo started
sleep 606
"""
"""It ignores the request to end, and has descendants in its group, in sessions of their own, without a parent, and
without an environment by which they could be found."""
KILLED_ENGINE = """
import asyncio, sys
from desktop_app.tools.child_process import ChildProcess
async def main():
    command = 'trap "" TERM; sleep 600 & setsid sleep 600 & echo up; wait'
    child = await ChildProcess.start(['bash', '-c', command], sys.argv[1])
    print((await child.output.read(9)).decode(), flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


def running_in(folder: Path) -> list[str]:
    """The command lines of all processes that work in that folder."""
    found: list[str] = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(folder) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found


async def nothing_runs_in(folder: Path) -> bool:
    """Whether all have gone. The system may take some milliseconds for the last of a process that was killed."""
    for _ in range(300):
        if not running_in(folder):
            return True
        await asyncio.sleep(0.01)
    return False


async def test_both_outputs_come_in_their_order_with_the_exit_code(desk: Desk) -> None:
    shown, outcome = await desk.pieces("bash", '{"command": "echo one; echo two >&2; printf three; exit 3"}')
    assert (outcome.text, outcome.is_error) == ("one\ntwo\nthree\n[exit code 3]", True)
    assert "".join(shown) == "one\ntwo\nthree"
    assert await desk.call("bash", command="true") == "[exit code 0]"
    said = await desk.failure("bash", command="kill -SEGV $$")
    assert "SIGSEGV" in said
    assert "139" in said


async def test_output_is_shown_as_it_comes(desk: Desk) -> None:
    """The command goes on only once the test has seen what it said first."""
    command = "echo one; until [ -e seen ]; do sleep 0.02; done; echo two"
    shown: list[str] = []
    call = ToolCall("1", "bash", json.dumps({"command": command}))
    await desk.tools.needs(call, desk.context)
    async for piece in desk.tools.run(call, desk.context):
        shown += [piece] if isinstance(piece, str) else []
        desk.file("seen", "")
    assert shown == ["one\n", "two\n"]


async def test_it_works_in_the_folder_without_input_terminal_or_keys(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-1")
    monkeypatch.setenv("PALIMPSEST_KEY_HOME", "secret-2")
    monkeypatch.setenv("SOME_TOKEN", "theirs")
    desk.settings = Settings(is_sandboxed=False)  # in the sandbox no token of any program is there
    said = await desk.call("bash", command="pwd; cat; test -t 0 || echo no terminal; env")
    assert said.startswith(f"{desk.folder}\nno terminal\n")
    assert "secret" not in said
    assert "SOME_TOKEN=theirs" in said


@pytest.mark.wire
async def test_time_is_limited(desk: Desk) -> None:
    began = time.monotonic()
    said = await desk.failure("bash", command="echo begun; sleep 30", timeout=1)
    assert said.startswith("begun\n[Stopped after 1 seconds")
    assert time.monotonic() - began < 3 * slowness()
    assert "<= 600" in await desk.failure("bash", command="true", timeout=601)


@pytest.mark.wire
@pytest.mark.parametrize("rest", ["sleep 60 & setsid sleep 61 &", "yes &", "(while :; do echo x; sleep 0.01; done) &"])
async def test_what_runs_in_the_background_ends_with_the_command(desk: Desk, rest: str) -> None:
    began = time.monotonic()
    said = await desk.call("bash", command=f"{rest} echo done", timeout=20)
    assert "done\n" in said
    assert said.endswith("[exit code 0]"), "it was not waited for"
    assert time.monotonic() - began < 3 * slowness()
    assert await nothing_runs_in(desk.folder)


async def test_what_was_written_last_is_kept(desk: Desk) -> None:
    """More than a pipe and a buffer hold, and no pause before the end."""
    said = await desk.call("bash", command="head -c 3000000 /dev/zero | tr '\\0' x; echo the end")
    assert said == "x" * 3_000_000 + "the end\n[exit code 0]"


async def test_a_command_that_closes_its_output_is_waited_for(desk: Desk) -> None:
    assert await desk.call("bash", command="exec >&- 2>&-; sleep 0.1; touch made") == "[exit code 0]"
    assert (desk.folder / "made").exists()


@pytest.mark.wire
async def test_a_stopped_call_leaves_nothing_running(desk: Desk) -> None:
    task = asyncio.ensure_future(desk.pieces("bash", json.dumps({"command": STUBBORN})))
    async with asyncio.timeout(10):
        while sum("sleep 60" in line and "sh -c" not in line for line in running_in(desk.folder)) < 7:
            await asyncio.sleep(0.05)
    began = time.monotonic()
    task.cancel()
    await asyncio.wait({task})
    took = time.monotonic() - began
    assert task.cancelled()
    assert await nothing_runs_in(desk.folder)
    assert took < STOP_SECONDS * slowness()


async def test_a_closed_generator_leaves_nothing_running(desk: Desk) -> None:
    call = ToolCall("1", "bash", '{"command": "(trap \'\' TERM; echo up; sleep 600; sleep 601) & wait"}')
    await desk.tools.needs(call, desk.context)
    async with aclosing(desk.tools.run(call, desk.context)) as pieces:
        assert await anext(pieces) == "up\n"
        assert running_in(desk.folder)
    assert await nothing_runs_in(desk.folder)


async def test_a_call_that_is_stopped_while_it_starts_leaves_nothing_running(desk: Desk) -> None:
    for pause in (0.0, 0.001, 0.01):
        task = asyncio.ensure_future(desk.call("bash", command="sleep 600"))
        await asyncio.sleep(pause)
        task.cancel()
        await asyncio.wait({task})
        assert await nothing_runs_in(desk.folder)


async def test_a_start_that_is_stopped_is_stopped_even_if_it_would_have_failed() -> None:
    task = asyncio.ensure_future(ChildProcess.start(("true",), "/no/such/folder"))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()


async def test_a_command_that_is_over_before_anybody_looks_has_ended_well() -> None:
    process = await asyncio.create_subprocess_exec("true", stdout=asyncio.subprocess.PIPE)
    await process.wait()
    child = ChildProcess(process, "mark")
    assert await child.output.read() == b""
    await child.end()
    assert child.exit_code == 0


@pytest.mark.wire
def test_an_engine_that_is_killed_takes_its_commands_with_it(tmp_path: Path) -> None:
    """Those that left its group, too."""
    argv = [sys.executable, "-c", KILLED_ENGINE, str(tmp_path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as engine:
        assert engine.stdout is not None
        assert engine.stdout.readline() == b"up\n"
        assert running_in(tmp_path)
        engine.send_signal(signal.SIGKILL)
    assert asyncio.run(nothing_runs_in(tmp_path))


@pytest.mark.wire
async def test_a_program_that_never_stops_writing_is_bounded_and_holds_nobody_up(desk: Desk) -> None:
    async with steady_loop():
        shown, outcome = await desk.pieces("bash", '{"command": "yes | head -c 40000000; echo the end"}')
    assert MAX_HEAD + MAX_TAIL < len(outcome.text) < MAX_HEAD + MAX_TAIL + 200_000
    assert outcome.text.endswith("the end\n[exit code 0]")
    assert MAX_STREAMED <= len("".join(shown)) < MAX_STREAMED + 70_000


async def test_bytes_that_are_no_text_are_replaced(desk: Desk) -> None:
    shown, outcome = await desk.pieces("bash", json.dumps({"command": r"printf 'a\377\0\303\251'"}))
    assert outcome.text == "a\ufffd\ufffdé\n[exit code 0]"
    assert "".join(shown) == "a\ufffd\ufffdé"


async def test_what_cannot_be_run_is_said(desk: Desk) -> None:
    assert "NUL" in await desk.failure("bash", command="a\0b")
    assert "surrogate" in await desk.failure("bash", command="echo \ud800")
    assert "127" in await desk.failure("bash", command="no-such-program-anywhere")
    desk.context = ToolContext("one", "/no/such/folder")
    assert "/no/such/folder" in await desk.failure("bash", command="true")


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\u200f", "\U000e0041"])
async def test_a_command_that_looks_like_another_one_does_not_run(desk: Desk, sign: str) -> None:
    """The user who is asked would allow what he sees."""
    command = f"touch made # {sign}"
    assert await desk.needs("bash", command=command) == ()
    assert f"U+{ord(sign):04X}" in await desk.failure("bash", command=command)
    assert not (desk.folder / "made").exists()


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        (
            "git add x && git log -3 | head; git log -3",
            [("git add x", "git add x"), ("git log -3", "git log *"), ("head", "head *")],
        ),
        ("cd src && git log -3", [("cd src && git log -3", "cd src && git log -3")]),
        ("for x in *; do rm $x; done", [("for x in *; do rm $x; done", "for x in [*]; do rm $x; done")]),
        ('git commit -m "about $X"', [('git commit -m "about $X"', 'git commit -m "about $X"')]),
        (" \tls\u2003\n", [("'ls\u2003'", "'ls\u2003'")]),  # a blank that is none for the shell is a part of the name
    ],
)
async def test_each_simple_command_requires_permission(desk: Desk, command: str, wanted: list[tuple[str, str]]) -> None:
    needs = await desk.needs("bash", command=command)
    assert [(need.target, need.suggestion) for need in needs] == wanted
    assert decide(needs, [Rule("bash", need.suggestion) for need in needs]) == "allow"


async def test_braces_do_not_get_around_a_rule(desk: Desk) -> None:
    needs = await desk.needs("bash", command="git pu{sh,ll}\\ x")
    assert decide(needs, [Rule("bash"), Rule("bash", "git push*", False)]) == "ask"


def test_the_first_and_the_last_bytes_are_kept() -> None:
    output = Output(max_head=4, max_tail=4)
    for chunk in (b"ab", b"cd", b"ef", b"gh", b"ij", b"kl"):
        output.add(chunk)
    assert output.text().startswith("abcd\n")
    assert " 4 bytes" in output.text()
    assert output.text().endswith("\nijkl")


@pytest.mark.wire
async def test_what_a_command_says_last_is_not_lost_on_a_busy_loop(desk: Desk) -> None:
    """Its last words, its end and the reader's tick come in one turn of the loop."""

    async def hold_up() -> None:
        while True:
            time.sleep(0.07)
            await asyncio.sleep(0)

    busy = asyncio.ensure_future(hold_up())
    assert await desk.call("bash", command="sleep 0.1; echo done") == "done\n[exit code 0]"
    busy.cancel()
