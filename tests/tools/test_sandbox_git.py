"""What a command in the sandbox leaves in a repository runs nothing when its user calls git there, outside of it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from sandbox_world import ROOT
from tool_calls import Desk

from desktop_app.tools.bash import GIT_NOTE, REMOVAL_NOTE
from desktop_app.tools.registry import ToolRegistry
from desktop_app.tools.sandbox.confinement import TO_ITSELF, settings_of
from desktop_app.tools.sandbox.placeholders import Placeholders
from desktop_app.tools.sandbox.sandbox import Sandbox
from sandbox_here import why_not

pytestmark = [pytest.mark.wire, pytest.mark.skipif(bool(why_not()), reason=why_not())]
AS_ME = "git -c user.email=a@b -c user.name=a"
EVIL = (
    'mkdir -p evil/hooks; cp -r .git/objects .git/refs evil; printf "[core]\\n\\tfsmonitor = $PWD/run\\n" > evil/config'
)
BARE = "printf '[diff] external = '$PWD/run >> evil/config; cp -r evil/config .git/objects .git/refs .git/HEAD ."
"""Settings of git's that run the attempt's program; `run` is there already."""
ATTEMPTS = f"""
{EVIL}; echo ../evil > .git/commondir
{EVIL}; rm -f .git/commondir; echo $PWD/evil > .git/commondir
{EVIL}; ln -sf ../evil/way .git/commondir; echo ../evil > evil/way
{EVIL}; echo ../evil > x; mv x .git/commondir
{EVIL}; echo ../evil > x; ln -f x .git/commondir
{EVIL}; cp -r .git git2; echo ../evil > git2/commondir; mv .git git3; mv git2 .git
{EVIL}; echo ../../../evil > .git/modules/sub/commondir
{EVIL}; echo ../../../evil > .git/worktrees/side/commondir
{EVIL}; printf 'gitdir: ../../evil\\n' > deep/sub/.git; cp .git/HEAD evil
{EVIL}; mv deep/sub deep/old; mkdir deep/sub; printf 'gitdir: ../../evil\\n' > deep/sub/.git; cp .git/HEAD evil
{EVIL}; mv deep old; mkdir -p deep/sub; printf 'gitdir: ../../evil\\n' > deep/sub/.git; cp .git/HEAD evil
{EVIL}; {BARE}; mv .git/refs .git/refs2
{EVIL}; {BARE}; mv .git/objects .git/objects2
{EVIL}; {BARE}; rm -rf .git/refs
{EVIL}; cat evil/config >> .git/config
{EVIL}; cat evil/config > x; mv x .git/config
{EVIL}; cat evil/config >> .git/config.worktree
{EVIL}; cat evil/config >> .git/worktrees/side/config.worktree
{EVIL}; cat evil/config >> shared.gitconfig
{EVIL}; rm shared.gitconfig; cp evil/config shared.gitconfig
{EVIL}; cat evil/config >> .git/modules/sub/config
git config core.fsmonitor $PWD/run
git config --file shared.gitconfig core.fsmonitor $PWD/run
git config --worktree core.fsmonitor $PWD/run
cp run .git/modules/sub/hooks/post-checkout
cp run .githooks/pre-commit
cp run .githooks/post-checkout; rm -rf .git/hooks; ln -s ../.githooks .git/hooks
mv .githooks away; mkdir .githooks; cp run .githooks/pre-commit
cp run tools/clean.sh
mv tools old; mkdir tools; cp run tools/clean.sh
cp run x; mv x tools/clean.sh
""".strip().splitlines()
BY_THE_USER = """
git status
git diff
git diff 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD
git log -1
git submodule status
git -C deep/sub status
git -C ../side status
git -C ../side diff
touch new t.txt; git add -A; git -c user.email=a@b -c user.name=a commit -m user; git checkout -b users
git -C deep/sub checkout -b users
""".strip().splitlines()
BY_THE_MODEL = f"""
echo 1 > a && git add a && {AS_ME} commit -qm one
git branch two && git checkout -q two && echo 2 > b && git add b && {AS_ME} commit -qm two
git switch -qc three HEAD~1 && echo 3 > c && git add c && {AS_ME} commit -qm three
git checkout -q two && {AS_ME} rebase -q three
git checkout -q three && {AS_ME} merge -q --no-edit two
echo 4 >> a && {AS_ME} stash -q && {AS_ME} stash pop && git checkout -q a
{AS_ME} tag -a v1 -m v1 && git tag -d v1
git reset -q --hard HEAD~1 && git reflog && {AS_ME} cherry-pick two
git gc -q && git repack -adq && git fsck && git pack-refs --all
git worktree add -q ../work/other && git -C other status && git worktree remove other
git clone -q . copy && git -C copy log -1 && rm -rf copy
git -C deep/sub checkout -qb here && git submodule status && git diff --stat
{AS_ME} commit -q --amend -m again && git branch -D two
""".strip().splitlines()


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working folder beside which the user has a worktree; the repository has a submodule, and settings that name
    files of the working tree."""
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="git-", dir=ROOT / "build") as folder:
        root = Path(os.path.realpath(folder))
        monkeypatch.setenv("HOME", str(root / "home"))
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(root / "home" / ".gitconfig"))
        (root / "home").mkdir()
        git_config = '[safe]\n\tdirectory = *\n[protocol "file"]\n\tallow = always\n'
        (root / "home" / ".gitconfig").write_text(git_config)
        made = root / "work"
        made.mkdir()
        run = made / "run"
        run.write_text(f"#!/bin/sh\ntouch {root}/ran\n")
        run.chmod(0o755)
        by_user(made, SET_UP.format(git=AS_ME))
        assert not (root / "ran").exists()
        yield made


SETTINGS = """
[Core]
  HooksPath = "a b/c" ; where they are
[core] bare = false
# [include] path = no
[include]
path=../x # further ones
[includeIf "gitdir:~/w/"]
\tpath = y
[filter "tidy"] clean = tools/clean \\"x\\"
"""
SET_UP = """
set -e
{git} init -q ../library; {git} -C ../library commit -q --allow-empty -m library
git init -q; mkdir .githooks tools deep; printf '#!/bin/sh\\ncat\\n' > tools/clean.sh; chmod +x tools/clean.sh
echo '*.txt filter=tidy' > .gitattributes; printf '[alias]\\n\\tst = status\\n' > shared.gitconfig
touch .githooks/readme
git config core.hooksPath .githooks; git config include.path ../shared.gitconfig
git config extensions.worktreeConfig true
git config filter.tidy.clean 'tools/clean.sh %f'
{git} submodule --quiet add --name sub ../library deep/sub
git add -A; {git} commit -qm start; git worktree add -q ../side
"""


def by_user(folder: Path, script: str) -> None:
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 or script in BY_THE_USER, done.stderr


def has_run(work: Path) -> bool:
    for command in BY_THE_USER:
        by_user(work, command)
    return (work.parent / "ran").exists()


@pytest.mark.parametrize("attempt", ATTEMPTS)
async def test_nothing_runs_that_a_command_left_in_a_repository(desk: Desk, work: Path, attempt: str) -> None:
    desk.context = replace(desk.context, folder=str(work))
    _, outcome = await desk.pieces("bash", json.dumps({"command": attempt}))
    assert outcome.sandbox == "closed"
    assert not has_run(work), outcome.text


@pytest.mark.slow
@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_without_the_sandbox_each_of_them_runs(work: Path, attempt: str) -> None:
    subprocess.run(["bash", "-c", attempt], cwd=work, capture_output=True, timeout=60, check=False)
    assert has_run(work)


async def test_git_works_for_the_model_and_for_its_user(desk: Desk, work: Path) -> None:
    desk.context = replace(desk.context, folder=str(work))
    own = Sandbox(desk.data)
    desk.tools = ToolRegistry((), desk.spills, lambda: desk.settings, desk.data, own)
    placeholder = work / ".git" / "commondir"
    for command in BY_THE_MODEL:
        assert (await desk.call("bash", command=command)).endswith("[exit code 0]"), command
        by_user(work, "set -e; git status; git log -1; git fsck; git worktree list; git submodule status")
    assert placeholder.read_text() == TO_ITSELF
    own.close()
    assert not placeholder.exists()


NOT_THERE = {
    "git config user.name a": GIT_NOTE,
    "git remote add origin ../library": GIT_NOTE,
    "git worktree remove other": REMOVAL_NOTE,
    "rm -rf copy": REMOVAL_NOTE,
}


async def test_what_git_cannot_do_there_is_said_and_works_outside(desk: Desk, work: Path) -> None:
    desk.context = replace(desk.context, folder=str(work))
    await desk.call("bash", command="git worktree add -q other; git clone -q . copy")
    for command, note in NOT_THERE.items():
        assert note in await desk.failure("bash", command=command)
        by_user(work, "set -e; git status; git fsck; git worktree list")
    for command in ("git config user.name a", "rm -rf copy other; git worktree prune; ! ls .git/worktrees/other"):
        assert (await desk.call("bash", command=command, access="outside")).endswith("[exit code 0]"), command


def test_libgit2_finds_a_repository_that_leads_to_itself() -> None:
    """Editors and cargo use it; it takes for relative only what begins with "./" or "../" (repository.c)."""
    assert TO_ITSELF.startswith("./")


def test_the_last_engine_takes_away_what_kept_the_name_taken(work: Path) -> None:
    first, second, git = Placeholders(), Placeholders(), str(work / ".git")
    for one in (first, second, first):
        one.keep(git)
    first.close()
    assert (work / ".git" / "commondir").read_text() == TO_ITSELF
    second.close()
    assert not (work / ".git" / "commondir").exists()
    (work / ".git" / "commondir").write_text("../elsewhere\n")
    first.keep(git)
    first.close()
    assert (work / ".git" / "commondir").read_text() == "../elsewhere\n"


def test_settings_are_read_as_git_reads_them(tmp_path: Path) -> None:
    (file := tmp_path / "config").write_text(SETTINGS)
    assert dict(settings_of(str(file))) == {
        "core.hookspath": "a b/c",
        "core.bare": "false",
        "include.path": "../x",
        "includeif.gitdir:~/w/.path": "y",
        "filter.tidy.clean": "tools/clean 'x'",
    }
    (fifo := tmp_path / "pipe").parent.mkdir(exist_ok=True)
    os.mkfifo(fifo)
    assert list(settings_of(str(fifo))) == list(settings_of(str(tmp_path))) == []
