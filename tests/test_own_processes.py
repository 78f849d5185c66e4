"""The command lines of our own processes, from source and in a bundle."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from desktop_app.own_processes import isolated_command, module_command, run_module
from desktop_app.tools.child_process import run_script
from desktop_app.tools.tool import ToolFailed

FROZEN = Path(__file__).resolve().parent.parent / "packaging" / "frozen.py"


def bundled(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What the bundle's program does with these arguments."""
    command = [sys.executable, str(FROZEN), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


@pytest.mark.long
def test_a_bundle_runs_what_python_would() -> None:
    for command in (module_command("", "--version"), isolated_command("", "--version")):
        from_source = subprocess.run(command, capture_output=True, text=True, check=True)
        assert bundled(*command[1:]).stdout == from_source.stdout != ""


def test_a_bundle_is_the_program_itself_without_a_module() -> None:
    assert bundled("--version").stdout.startswith("palimpsest ")


@pytest.mark.parametrize(
    "arguments", [["-m", "json.tool"], ["-m", "desktop_app_of_others"], ["-m"], ["-I"], ["tour"], []]
)
def test_nothing_else_is_run_as_a_module(arguments: list[str]) -> None:
    assert not run_module(arguments)


@pytest.mark.parametrize(("users", "seen"), [("/opt/mine", "/opt/mine"), ("", "")])
def test_programs_that_a_bundle_starts_see_the_users_libraries(users: str, seen: str) -> None:
    names = "('LD_LIBRARY_PATH', 'PYINSTALLER_RESET_ENVIRONMENT')"
    show = f"program.main = lambda: print(*(os.environ.get(name, '') for name in {names}))"
    code = (
        f"import os, runpy, sys; import desktop_app.__main__ as program; {show}; sys.argv = ['palimpsest']; "
        f"runpy.run_path({str(FROZEN)!r}, run_name='__main__')"
    )
    kept = {"LD_LIBRARY_PATH_ORIG": users} if users else {}
    environment = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH_ORIG"}
    environment |= {"LD_LIBRARY_PATH": "/bundle/_internal", **kept}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert ran.stdout == f"{seen} 1\n", "and the bundle's own the bundle's"


def test_a_folder_with_a_package_of_that_name_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "desktop_app").mkdir()
    (tmp_path / "desktop_app" / "__init__.py").write_text("raise SystemExit('of this folder')")
    for command in (module_command("", "--version"), isolated_command("", "--version")):
        ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert ran.stdout.startswith("palimpsest "), ran.stderr


@pytest.mark.long
async def test_no_other_user_sees_what_a_child_is_run_for(tmp_path: Path) -> None:
    """Command lines are shown to everyone on the machine."""
    page = "<!doctype html><title>T</title>" + "<p>A sentence of an article, long enough to be one.</p>" * 1_000
    (tmp_path / "page.html").write_text(page)
    url = "https://site.test/?kanarienvogel"
    task = asyncio.ensure_future(run_script("page_child", "main", str(tmp_path / "page.html"), url, seconds=60))
    seen: set[str] = set()
    while not task.done():
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                seen.add(" ".join(child.cmdline()))
        await asyncio.sleep(0.02)
    assert b"A sentence" in (task.result() or b"")
    assert [line for line in seen if "page_child" in line]
    assert [line for line in seen if "kanarienvogel" in line] == []


@pytest.mark.parametrize("argument", ["a\0b", "\ud800"])
async def test_what_cannot_be_passed_on_is_refused(argument: str) -> None:
    with pytest.raises(ToolFailed, match="cannot be passed on"):
        await run_script("web_search_child", argument, "1", "1", seconds=5)
