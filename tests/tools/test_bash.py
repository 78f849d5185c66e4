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
from typing import cast

import psutil
import pytest
from tool_calls import STOP_SECONDS, Desk

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import Rule, ToolContext, ToolOutcome
from desktop_app.permissions.rules import decided
from desktop_app.tools import bash
from desktop_app.tools.bash import MAX_HEAD, MAX_STREAMED, MAX_TAIL, TICK_SECONDS, Output
from desktop_app.tools.child_process import ChildProcess, clean_environment
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
"""It ignores the request to end, and has grandchildren in its group, in sessions of their own, without a parent, and
without an environment by which they could be known."""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


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
    """Whether all have gone. The last of a process that was killed takes the system a few milliseconds, or more."""
    for _ in range(300):
        if not running_in(folder):
            return True
        await asyncio.sleep(0.01)
    return False


async def start_stubborn(desk: Desk) -> asyncio.Task[tuple[list[str], ToolOutcome]]:
    """A call whose command has started all that it starts."""
    task = asyncio.ensure_future(desk.pieces("bash", json.dumps({"command": STUBBORN})))
    for _ in range(200):
        if sum("sleep 60" in line and "sh -c" not in line for line in running_in(desk.folder)) >= 7:
            return task
        await asyncio.sleep(0.05)
    raise AssertionError(running_in(desk.folder))


async def test_both_outputs_come_in_their_order_with_the_exit_code(desk: Desk) -> None:
    shown, outcome = await desk.pieces("bash", '{"command": "echo one; echo two >&2; printf three; exit 3"}')
    assert outcome == ToolOutcome("one\ntwo\nthree\n[exit code 3]", is_error=True)
    assert "".join(shown) == "one\ntwo\nthree"
    assert await desk.call("bash", command="true") == "[exit code 0]"
    assert "[ended by signal SIGSEGV, exit code 139]" in await desk.failure("bash", command="kill -SEGV $$")


async def test_output_is_shown_as_it_comes(desk: Desk) -> None:
    """The command goes on only once the test has seen what it said first."""
    command = "echo one; until [ -e seen ]; do sleep 0.02; done; echo two"
    shown: list[str] = []
    call = ToolCall("1", "bash", json.dumps({"command": command}))
    await desk.toolbox.needs(call, desk.place)
    async for piece in desk.toolbox.run(call, desk.place):
        shown += [piece] if isinstance(piece, str) else []
        desk.file("seen", "")
    assert shown == ["one\n", "two\n"]


async def test_it_works_in_the_folder_without_input_terminal_or_keys(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-1")
    monkeypatch.setenv("PALIMPSEST_KEY_HOME", "secret-2")
    monkeypatch.setenv("SOME_TOKEN", "theirs")
    said = await desk.call("bash", command="pwd; cat; test -t 0 || echo no terminal; env")
    assert said.startswith(f"{desk.folder}\nno terminal\n")
    assert "secret" not in said
    assert "SOME_TOKEN=theirs" in said


@pytest.mark.parametrize(
    ("name", "stays"),
    [
        *[(name, False) for name in ("ANTHROPIC_AUTH_TOKEN", "HF_TOKEN", "PALIMPSEST_DATA_DIR", "foo_api_key")],
        *[(name, True) for name in ("PATH", "HOME", "GITHUB_TOKEN", "OPENAI_BASE_URL", "KEYBOARD")],
    ],
)
def test_keys_of_providers_are_taken_out_of_the_environment(name: str, stays: bool) -> None:
    assert (name in clean_environment({name: "x"})) == stays


async def test_time_is_limited(desk: Desk) -> None:
    began = time.monotonic()
    said = await desk.failure("bash", command="echo begun; sleep 30", timeout=1)
    assert said == "begun\n[Stopped after 1 seconds: time is up. Set timeout for more, at most 600.]"
    assert time.monotonic() - began < 3 * slowness()
    assert "<= 600" in await desk.failure("bash", command="true", timeout=601)


async def test_what_runs_in_the_background_ends_with_the_command(desk: Desk) -> None:
    began = time.monotonic()
    assert await desk.call("bash", command="sleep 60 & setsid sleep 61 & echo done") == "done\n[exit code 0]"
    assert time.monotonic() - began < 3 * slowness()
    assert await nothing_runs_in(desk.folder)


@pytest.mark.parametrize("writes", ["yes", "while :; do echo x; sleep 0.01; done"])
async def test_what_writes_on_in_the_background_ends_with_the_command(desk: Desk, writes: str) -> None:
    said = await desk.call("bash", command=f"{{ {writes}; }} & echo done", timeout=20)
    assert "done\n" in said
    assert said.endswith("[exit code 0]"), "it was not waited for"
    assert await nothing_runs_in(desk.folder)


async def test_what_was_written_last_is_kept(desk: Desk) -> None:
    """More than a pipe and a buffer hold, and no pause before the end."""
    said = await desk.call("bash", command="head -c 3000000 /dev/zero | tr '\\0' x; echo the end")
    assert said == "x" * 3_000_000 + "the end\n[exit code 0]"


async def test_a_command_that_closes_its_output_is_waited_for(desk: Desk) -> None:
    assert await desk.call("bash", command="exec >&- 2>&-; sleep 0.5; touch made") == "[exit code 0]"
    assert (desk.folder / "made").exists()


async def test_a_stopped_call_leaves_nothing_running(desk: Desk) -> None:
    task = await start_stubborn(desk)
    began = time.monotonic()
    task.cancel()
    await asyncio.wait({task})
    took = time.monotonic() - began
    assert task.cancelled()
    assert await nothing_runs_in(desk.folder)
    assert took < STOP_SECONDS * slowness()


async def test_a_closed_generator_leaves_nothing_running(desk: Desk) -> None:
    call = ToolCall(
        "1", "bash", "{\"command\": \"trap '' TERM; (trap '' TERM; echo up; sleep 600; sleep 601) & wait\"}"
    )
    await desk.toolbox.needs(call, desk.place)
    async with aclosing(desk.toolbox.run(call, desk.place)) as pieces:
        assert await anext(pieces) == "up\n"
        assert running_in(desk.folder)
    assert await nothing_runs_in(desk.folder)


async def test_a_call_that_is_stopped_while_it_starts_leaves_nothing_running(desk: Desk) -> None:
    for pause in (0.0, 0.0, 0.001, 0.003, 0.01, 0.02):
        task = asyncio.ensure_future(desk.call("bash", command="sleep 600"))
        await asyncio.sleep(pause)
        task.cancel()
        await asyncio.wait({task})
        assert await nothing_runs_in(desk.folder)


async def test_a_command_that_is_over_before_anybody_looks_has_ended_well(desk: Desk) -> None:
    process = await asyncio.create_subprocess_exec("true", stdout=asyncio.subprocess.PIPE)
    await process.wait()
    child = ChildProcess(process, "mark")
    assert await child.output.read() == b""
    await child.end()
    assert child.exit_code == 0


async def test_a_start_that_is_stopped_is_stopped_even_if_it_would_have_failed() -> None:
    task = asyncio.ensure_future(ChildProcess.start(("true",), "/no/such/folder"))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()


@pytest.mark.slow
async def test_time_that_is_up_leaves_nothing_running(desk: Desk) -> None:
    await desk.failure("bash", command=STUBBORN, timeout=2)
    assert await nothing_runs_in(desk.folder)


@pytest.mark.slow
def test_an_engine_that_is_killed_takes_its_commands_with_it(tmp_path: Path) -> None:
    """Those that left its group, too."""
    (tmp_path / "work").mkdir()
    script = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom desktop_app.tools.child_process import ChildProcess\n"
        "async def main():\n"
        "    child = await ChildProcess.start("
        "['bash', '-c', 'trap \"\" TERM; sleep 600 & setsid sleep 600 & echo up; wait'], sys.argv[1])\n"
        "    print((await child.output.read(9)).decode(), flush=True)\n    await asyncio.sleep(600)\n"
        "asyncio.run(main())"
    )
    argv = [sys.executable, "-c", script, str(tmp_path / "work")]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as engine:
        assert engine.stdout is not None
        assert engine.stdout.readline() == b"up\n"
        assert running_in(tmp_path / "work")
        engine.send_signal(signal.SIGKILL)
    for _ in range(100):
        if not running_in(tmp_path / "work"):
            return
        time.sleep(0.05)
    raise AssertionError(running_in(tmp_path / "work"))


async def test_a_program_that_never_stops_writing_is_bounded(desk: Desk) -> None:
    shown, outcome = await desk.pieces("bash", '{"command": "yes | head -c 40000000; echo the end"}')
    assert MAX_HEAD + MAX_TAIL < len(outcome.text) < MAX_HEAD + MAX_TAIL + 200_000
    assert "bytes left out here" in outcome.text
    assert outcome.text.endswith("the end\n[exit code 0]")
    assert MAX_STREAMED <= len("".join(shown)) < MAX_STREAMED + 70_000


async def test_the_loop_is_never_held_up(desk: Desk) -> None:
    gaps: list[float] = []

    async def beat() -> None:
        before = time.thread_time()
        while True:
            await asyncio.sleep(0.005)
            gaps.append(time.thread_time() - before)  # of this thread: what the loop itself worked meanwhile
            before = time.thread_time()

    beating = asyncio.ensure_future(beat())
    await desk.call("bash", command="yes | head -c 60000000")
    beating.cancel()
    assert max(gaps) < 0.05


async def test_bytes_that_are_no_text_are_replaced(desk: Desk) -> None:
    shown, outcome = await desk.pieces("bash", json.dumps({"command": r"printf 'a\377\0\303\251'"}))
    assert outcome.text == "a\ufffd\ufffdé\n[exit code 0]"
    assert "".join(shown) == "a\ufffd\ufffdé"


async def test_what_cannot_be_run_is_said(desk: Desk) -> None:
    assert "NUL" in await desk.failure("bash", command="a\0b")
    assert "half of one" in await desk.failure("bash", command="echo \ud800")
    assert "[exit code 127]" in await desk.failure("bash", command="no-such-program-anywhere")
    desk.place = ToolContext("one", "/no/such/folder")
    assert "not there" in await desk.failure("bash", command="true")


@pytest.mark.parametrize("sign", ["\u202e", "\u2066", "\u200f", "\U000e0041"])
async def test_a_command_that_looks_like_another_one_does_not_run(desk: Desk, sign: str) -> None:
    """Whoever is asked would allow what he sees."""
    command = f"touch made # {sign}"
    assert await desk.needs("bash", command=command) == ()
    said = await desk.failure("bash", command=command)
    assert f"U+{ord(sign):04X}" in said
    assert not (desk.folder / "made").exists()


async def test_each_simple_command_needs_the_users_word(desk: Desk) -> None:
    needs = await desk.needs("bash", command="git add x && git log -3 | head; git log -3")
    assert [(need.target, need.suggestion) for need in needs] == [
        ("git add x", "git add x"),
        ("git log -3", "git log *"),
        ("head", "head *"),
    ]
    [need] = await desk.needs("bash", command="cd src && git log -3")
    assert (need.target, need.suggestion) == ("cd src && git log -3", "cd src && git log -3")
    [need] = await desk.needs("bash", command="for x in *; do rm $x; done")
    assert (need.kind, need.target) == ("run", "for x in *; do rm $x; done")
    [need] = await desk.needs("bash", command='git commit -m "about $X"')
    assert (need.target, need.suggestion) == ('git commit -m "about $X"', 'git commit -m "about $X"')
    assert decided([need], [Rule("bash", need.suggestion)]) == "allow"
    [need] = await desk.needs("bash", command=" \tls\u2003\n")
    assert need.target == "'ls\u2003'", "a blank that is none for the shell is a part of the name"
    needs = await desk.needs("bash", command="git pu{sh,ll}\\ x")
    assert decided(needs, [Rule("bash"), Rule("bash", "git push*", False)]) == "ask"


def test_the_first_and_the_last_bytes_are_kept() -> None:
    output = Output(max_head=4, max_tail=4)
    for chunk in (b"ab", b"cd", b"ef", b"gh", b"ij", b"kl"):
        output.add(chunk)
    assert output.text() == "abcd\n[… 4 bytes left out here …]\nijkl"


class Ended:
    """A command whose last words, whose end and the reader's tick come in one turn of a loop that was held up."""

    exit_code: int | None = None

    def __init__(self) -> None:
        self.output = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        loop.call_later(TICK_SECONDS / 5, time.sleep, 3 * TICK_SECONDS)
        loop.call_later(TICK_SECONDS * 4 / 5, self._end)

    def _end(self) -> None:
        self.exit_code = 0
        self.output.feed_data(b"done\n")


async def test_what_a_command_says_last_is_not_lost_on_a_busy_loop() -> None:
    output = Output()
    pieces = bash._read(cast(ChildProcess, Ended()), output, time.monotonic() + 9)
    assert [piece async for piece in pieces] == ["done\n"]
    assert output.text() == "done\n"
