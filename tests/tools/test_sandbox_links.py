"""Links that another program in the sandbox puts into the working folder, between the look at it and the mounts."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.tools.sandbox import sandbox
from desktop_app.tools.sandbox.placeholders import open_handles
from sandbox_here import ROOT, why_not

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())
SECRET = "a canary that sings"
TRIES = 5
"""Of a command that bubblewrap did not begin, since a socket of another test had gone before it was hidden."""
SWAPS = {
    "a folder": "mv sub aside; ln -s ../outside sub",
    "a folder, by its whole path": "mv sub aside; ln -s {outside} sub",
    "its repository": "mv sub/.git aside; ln -s ../../outside/.git sub/.git",
    "its repository, for a folder": "mv sub/.git aside; ln -s ../../outside sub/.git",
    "hooks": "rm -r sub/.git/hooks; ln -s ../../../outside sub/.git/hooks",
    "settings": "rm sub/.git/config; ln -s ../../../outside/kept sub/.git/config",
    "settings, for a secret": "rm sub/.git/config; ln -s {home}/.ssh/id sub/.git/config",
    "tasks": "mv sub/.vscode aside; ln -s ../../outside sub/.vscode",
    "tasks, for secrets": "mv sub/.vscode aside; ln -s {home}/.ssh sub/.vscode",
    "the repository of the folder": "mv .git aside; ln -s ../outside/.git .git",
    "hooks of the folder": "mv .git/hooks aside; ln -s ../../outside .git/hooks",
    "tasks of the folder": "mv .vscode aside; ln -s ../outside .vscode",
}
ATTEMPTS = """
echo x > ../outside/kept
echo x > ../outside/new
echo x > ../outside/.git/new
echo x > ../outside/.git/config
echo x > ../outside/.git/hooks/new
echo x > sub/new
cat sub/.git/config sub/.vscode/* .git/config .vscode/*
"""


@pytest.fixture
def places(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder with a repository, one in it and one beside it, where the sandbox has no folder of its own."""
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="beside-", dir=ROOT / "build") as made:
        root = Path(os.path.realpath(made))
        for place in (root / "work", root / "work" / "sub", root / "outside"):
            for folder in (".git/hooks", ".vscode"):
                (place / folder).mkdir(parents=True)
            (place / ".git" / "config").write_text("mine\n")
        (root / "outside" / "kept").write_text("before")
        (root / "home" / ".ssh").mkdir(parents=True)
        (root / "home" / ".ssh" / "id").write_text(SECRET)
        monkeypatch.setenv("HOME", str(root / "home"))
        yield root


def outside(root: Path) -> dict[str, str]:
    return {str(path): path.read_text() if path.is_file() else "" for path in (root / "outside").rglob("*")}


@pytest.mark.parametrize("swap", SWAPS.values(), ids=SWAPS)
async def test_a_link_that_is_put_there_meanwhile_opens_nothing(places: Path, swap: str) -> None:
    work, before = places / "work", outside(places)
    own = sandbox.Sandbox(places / "data")
    try:
        confined = await own.confine(("bash", "-c", ATTEMPTS), work, os.environ, sandbox.Rights("c1"))
        with closing(confined):
            swapped = swap.format(home=places / "home", outside=places / "outside")
            subprocess.run(["bash", "-c", swapped], cwd=work, check=True)
            done = subprocess.run(
                confined.argv, env=confined.environment, cwd=work, pass_fds=confined.handles, capture_output=True
            )
    finally:
        own.close()
    assert outside(places) == before
    assert SECRET.encode() not in done.stdout


async def test_what_is_opened_for_the_mounts_is_handed_to_no_program_in_it(places: Path) -> None:
    own = sandbox.Sandbox(places / "data")
    try:
        for _ in range(TRIES):
            confined = await own.confine(
                ("ls", "-l", "/proc/self/fd", "/proc/1/fd"), places / "work", {}, sandbox.Rights("1")
            )
            with closing(confined):
                assert len(confined.handles) >= 8
                done = subprocess.run(
                    confined.argv, env={"PATH": os.defpath}, pass_fds=confined.handles, capture_output=True, text=True
                )
            if "Can't create file" not in done.stderr:
                break
    finally:
        own.close()
    assert "pipe:" in done.stdout, done.stderr
    assert str(places) not in done.stdout


def test_only_what_no_link_leads_to_is_opened(places: Path) -> None:
    (places / "link").symlink_to("outside")
    wanted = [
        str(places / name) for name in ("outside", "outside/kept", "link", "link/kept", "missing", "outside/kept/x")
    ]
    before = len(os.listdir("/proc/self/fd"))
    handles = open_handles(wanted)
    assert list(handles) == wanted[:2]
    for handle in handles.values():
        os.close(handle)
    assert len(os.listdir("/proc/self/fd")) == before
