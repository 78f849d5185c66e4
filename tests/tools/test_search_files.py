"""`grep` and `glob`: with ripgrep where it is installed, and without it the same."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_calls import STOP_SECONDS, Desk

from desktop_app.tools import search_files
from desktop_app.tools.search_child import IgnoreRules, matches
from slowness import slowness

RIPGREP = shutil.which("rg")


@pytest.fixture(params=["own", "ripgrep"])
def desk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    if request.param == "ripgrep" and RIPGREP is None:
        pytest.skip("ripgrep is not installed")
    which = {"own": None, "ripgrep": RIPGREP}[request.param]
    monkeypatch.setattr(search_files.shutil, "which", lambda name: which if name == "rg" else None)
    desk = Desk(tmp_path)
    desk.file(".gitignore", "build/\n*.log\n!keep.log\n/top.txt\ndocs/**/private\n# x\n")
    desk.file("src/a.py", "import os\n\ndef run():\n    return os\n")
    desk.file("src/b.ts", "import x\r\nrun()\r\n")
    desk.file("src/deep/.gitignore", "secret.py\n")
    desk.file("src/deep/secret.py", "import hidden\n")
    desk.file("src/deep/c.py", "import deep\n")
    desk.file("node_modules/m/index.ts", "import m\n")
    desk.file(".git/config", "import git\n")
    desk.file(".hidden/d.py", "import d\n")
    desk.file("build/e.py", "import e\n")
    desk.file("x.log", "import log\n")
    desk.file("keep.log", "import keep\n")
    desk.file("top.txt", "import top\n")
    desk.file("src/top.txt", "import below\n")
    desk.file("docs/a/b/private", "import private\n")
    desk.file("program", b"import\0x\nimport\n")
    desk.file(".env", "import KEY\n")
    return desk


async def test_lines_are_found_with_their_numbers(desk: Desk) -> None:
    assert await desk.call("grep", pattern=r"^import\s\w+$") == (
        ".hidden/d.py\n1: import d\n\nkeep.log\n1: import keep\n\nsrc/a.py\n1: import os\n\nsrc/b.ts\n1: import x\n\n"
        "src/deep/c.py\n1: import deep\n\nsrc/top.txt\n1: import below\n[6 lines in 6 files]"
    )


async def test_only_some_files_are_searched(desk: Desk) -> None:
    assert await desk.call("grep", pattern="import", include="*.py", path="src") == (
        "a.py\n1: import os\n\ndeep/c.py\n1: import deep\n[2 lines in 2 files]"
    )
    assert "2 lines in 2 files" in await desk.call("grep", pattern="import", include="src/*.{py,ts}")
    assert await desk.call("grep", pattern="run", path="src/a.py") == "a.py\n3: def run():\n[1 line in 1 file]"
    assert await desk.call("grep", pattern="(?i)IMPORT", include="*.md") == "[nothing found]"


async def test_what_is_asked_for_by_name_is_searched(desk: Desk) -> None:
    assert "import e" in await desk.call("grep", pattern="import", path="build/e.py")
    assert "import KEY" in await desk.call("grep", pattern="import", path=".env")
    [need] = await desk.needs("grep", pattern="import", path=".env")
    assert need.suggestion == ""


async def test_signs_of_other_manners_of_expressions_work(desk: Desk) -> None:
    assert "3: def run():" in await desk.call("grep", pattern=r"(?<!return )run(?=\(\):)", include="*.py")
    assert "1: import os" in await desk.call("grep", pattern=r"(?<!\s)import os(?!\s)")
    assert "1: import x" in await desk.call("grep", pattern="x$")


async def test_what_is_wrong_is_said(desk: Desk) -> None:
    assert "no regular expression" in await desk.failure("grep", pattern="(")
    assert "no file or folder" in await desk.failure("grep", pattern="x", path="nowhere")
    for pattern in (r"a\u0000b", r"\ud800"):
        _, outcome = await desk.pieces("grep", f'{{"pattern": "{pattern}"}}')
        assert outcome.is_error or outcome.text == "[nothing found]"


async def test_there_is_an_end_to_what_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_files, "MAX_MATCHES", 10)
    desk.file("many.txt", "needle " * 200 + "\n" + "needle\n" * 5_000)
    said = await desk.call("grep", pattern="needle")
    assert said.endswith("[the first 10 lines; narrow the pattern, path or include]")
    assert max(map(len, said.split("\n"))) < 500
    for n in range(20):
        desk.file(f"many/{n:02}.txt", "")
    assert (await desk.call("glob", pattern="*.txt")).endswith("[the first 10 files; narrow the pattern]")


async def test_files_are_found_by_their_names(desk: Desk) -> None:
    assert await desk.call("glob", pattern="*.py") == ".hidden/d.py\nsrc/a.py\nsrc/deep/c.py"
    assert await desk.call("glob", pattern="src/*.{py,ts}") == "src/a.py\nsrc/b.ts"
    assert await desk.call("glob", pattern="**/deep/**") == "src/deep/.gitignore\nsrc/deep/c.py"
    assert await desk.call("glob", pattern="*", path="src/deep") == ".gitignore\nc.py"
    assert await desk.call("glob", pattern="*.rs") == "[nothing found]"


async def test_links_are_not_followed_out_of_the_folder(desk: Desk) -> None:
    outside = desk.outside("far.py", "import far\n").parent
    (desk.folder / "link").symlink_to(outside)
    (desk.folder / "far.py").symlink_to(outside / "far.py")
    assert "far" not in await desk.call("grep", pattern="import")
    assert "far" not in await desk.call("glob", pattern="*.py")


async def test_an_ignore_file_above_the_folder_counts_within_a_repository(desk: Desk) -> None:
    desk.file("src/x.log", "import log\n")
    assert "x.log" not in await desk.call("grep", pattern="import", path="src")
    shutil.rmtree(desk.folder / ".git")
    assert "x.log" in await desk.call("grep", pattern="import", path="src")


@pytest.mark.skipif(sys.platform == "darwin", reason="names are UTF-8 there")
async def test_names_that_are_no_text_do_no_harm(desk: Desk) -> None:
    (Path(os.fsdecode(os.fsencode(desk.folder) + b"/\xff.md"))).write_text("import odd\n")
    assert "import odd" in await desk.call("grep", pattern="import", include="*.md")
    assert "\ufffd.md" in await desk.call("glob", pattern="*.md")


@pytest.mark.slow
async def test_an_expression_that_takes_for_ever_is_given_up(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_files, "SECONDS", 1)
    desk.file("a.txt", "a" * 40 + "b\n")
    began = time.monotonic()
    _, outcome = await desk.pieces("grep", '{"pattern": "^(a+)+$"}')  # ripgrep takes no time for it
    assert "No end after 1 seconds" in outcome.text or outcome.text == "[nothing found]"
    assert time.monotonic() - began < 4 * slowness()


async def test_a_search_that_is_stopped_ends_at_once_and_holds_nobody_up(desk: Desk) -> None:
    desk.file("a.txt", "a" * 40 + "b\n")
    task = asyncio.ensure_future(desk.call("grep", pattern=r"^(a+)+(?=x)$"))
    gaps: list[float] = []
    for _ in range(50):
        before = time.thread_time()
        await asyncio.sleep(0.01)
        gaps.append(time.thread_time() - before)
    assert not task.done()
    assert max(gaps) < 0.05
    began = time.monotonic()
    task.cancel()
    await asyncio.wait({task})
    assert time.monotonic() - began < STOP_SECONDS * slowness()


@pytest.mark.parametrize(
    ("path", "pattern", "does_fit"),
    [
        ("a/b.py", "*.py", True),
        ("a/b.py", "/*.py", False),
        ("b.py", "/*.py", True),
        ("b.py", "**/b.py", True),
        ("x/y/b.py", "x/**/b.py", True),
        ("x/b.py", "x/**/b.py", True),
        ("x/y/b.py", "x/*/b.py", True),
        ("x/y/z/b.py", "x/*/b.py", False),
        ("x/y", "x/**", True),
        ("b.tsx", "*.{ts,tsx}", True),
        ("src/b.ts", "{src,lib}/*.{ts,js}", True),
        ("b.ts", "./b.ts", True),
        ("b[1].ts", "b[[]1].ts", True),
        ("b.ts", "[!a].ts", True),
    ],
)
def test_globs(path: str, pattern: str, does_fit: bool) -> None:
    assert matches(path, pattern) == does_fit


def test_no_glob_takes_long() -> None:
    began = time.process_time()
    assert not matches("/".join(["a" * 30] * 60), "/".join(["**", "*a*a*a*a*b"] * 20))
    assert not matches("a", "{a,b}" * 100)
    assert time.process_time() - began < 1


NAMES = st.sampled_from(["a", "b", "a.log", "build", "x"])
LINES = ["a", "b/", "*.log", "!a.log", "/a", "build/", "**/x", "x/**", "a/b", "!a/b", "build/*", "/build/a", "[ab]"]
RULES = st.lists(st.sampled_from([*LINES, "\\a", "a/**/x"]), max_size=4)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="no git to ask")
@given(RULES, RULES, st.lists(NAMES, min_size=1, max_size=4))
def test_git_ignores_the_same(
    tmp_path_factory: pytest.TempPathFactory, top: list[str], below: list[str], parts: list[str]
) -> None:
    root = tmp_path_factory.getbasetemp() / "repository"
    shutil.rmtree(root, ignore_errors=True)
    file = root.joinpath("a", *parts)
    file.parent.mkdir(parents=True)
    file.write_text("")
    (root / ".gitignore").write_text("\n".join(top))
    (root / "a" / ".gitignore").write_text("\n".join(below))
    subprocess.run(["git", "init", "-q", root], check=True)
    asked = subprocess.run(["git", "check-ignore", "-q", str(file)], cwd=root, check=False)
    ignored = IgnoreRules(None, str(root))
    is_ignored = False
    folder = root
    for name in file.relative_to(root).parts:
        folder = folder / name
        is_ignored = is_ignored or ignored.ignore(str(folder), folder.is_dir())
        ignored = IgnoreRules(ignored, str(folder))
    assert is_ignored == (asked.returncode == 0)
