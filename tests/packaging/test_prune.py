"""What is taken out of an environment, and that pip and the next set-up still know what is there."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from desktop_app import unused_files as prune
from desktop_app.__main__ import main
from desktop_app.commands import doctor, trim
from desktop_app.unused_files import UnusedLine

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """An environment with one package of four files, and a compiled one that pip wrote down, too."""
    site = tmp_path / "site-packages"
    files = {"app/__init__.py": "", "app/ui/page.html": "x" * 100, "app/ui/__init__.py": "", "app/lib.so": "no library"}
    files["app/ui/__pycache__/__init__.cpython-311.pyc"] = "compiled"
    info = site / "app-1.0.dist-info"
    for name, content in files.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(content)
    info.mkdir()
    rows = [*(f"{name},,{len(content)}" for name, content in files.items()), "app-1.0.dist-info/RECORD,,"]
    (info / "RECORD").write_text("\n".join(rows))
    return site


def files_of(site: Path) -> set[str]:
    return {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file() and "dist-info" not in str(path)}


def test_what_the_list_names_goes_with_its_compiled_form_and_its_empty_folders(site: Path) -> None:
    freed = prune.prune(site, [UnusedLine("remove", "app/ui/*", "a page")])
    assert freed == 100 + len("compiled")
    assert files_of(site) == {"app/__init__.py", "app/lib.so"}
    assert not (site / "app/ui").exists()


def test_the_last_line_that_fits_decides(site: Path) -> None:
    prune.prune(site, [UnusedLine("remove", "app/ui/*", "a page"), UnusedLine("keep", "app/ui/*.py", "imported")])
    assert files_of(site) == {"app/__init__.py", "app/lib.so", "app/ui/__init__.py"} | {
        "app/ui/__pycache__/__init__.cpython-311.pyc"
    }


def test_a_package_goes_as_a_whole(site: Path) -> None:
    prune.prune(site, [UnusedLine("package", "App", "not used")])
    assert not list(site.iterdir())


def test_a_second_time_changes_nothing(site: Path) -> None:
    lines = [UnusedLine("remove", "app/ui/*", "a page")]
    prune.prune(site, lines)
    record = (site / "app-1.0.dist-info/RECORD").read_text()
    assert prune.prune(site, lines) == 0
    assert (site / "app-1.0.dist-info/RECORD").read_text() == record


def test_a_package_of_which_the_list_wants_more_again_is_seen(site: Path) -> None:
    lines = [UnusedLine("remove", "app/ui/*", "a page")]
    info = site / "app-1.0.dist-info"
    prune.prune(site, lines)
    assert prune.is_as_listed(info, lines)
    assert not prune.is_as_listed(info, [*lines, UnusedLine("keep", "app/ui/page.html", "shown")])


def test_an_environment_that_shares_its_files_keeps_them(site: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(site, other, copy_function=lambda source, target: Path(target).hardlink_to(source))
    record = (other / "app-1.0.dist-info/RECORD").read_text()
    prune.prune(site, [UnusedLine("remove", "app/ui/*", "a page")])
    assert (other / "app/ui/page.html").exists()
    assert (other / "app-1.0.dist-info/RECORD").read_text() == record


def test_a_library_without_debug_information_still_works(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no compiler here")
    library = tmp_path / "answer.so"
    code = "static int kept = 41; int answer(void) { return ++kept; }"
    subprocess.run([compiler, "-g3", "-shared", "-fPIC", "-xc", "-", "-o", library], input=code.encode(), check=True)
    whole = library.read_bytes()
    smaller = prune.without_debug_information(whole)
    assert len(smaller) < len(whole)
    assert b".debug_info" not in smaller
    library.with_name("small.so").write_bytes(smaller)
    assert ctypes.CDLL(str(library.with_name("small.so"))).answer() == 42
    assert prune.without_debug_information(smaller) == smaller


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"MZ of another system", b"\x7fELF\x01\x01" + bytes(100)])
def test_what_is_no_such_library_stays_as_it_is(content: bytes) -> None:
    assert prune.without_debug_information(content) == content


@pytest.mark.parametrize("line", ["drop | app/* | why", "remove | app/* |", "remove | app/*"])
def test_a_line_of_another_form_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "unused.txt").write_text(line)
    with pytest.raises(ValueError, match="a reason, not"):
        prune.read_list(tmp_path / "unused.txt")


def test_every_line_of_our_list_says_why() -> None:
    assert all(line.reason for line in prune.read_list())


@pytest.mark.skipif(sys.platform != "linux", reason="the list is made on Linux")
def test_nothing_that_the_list_names_is_installed_here() -> None:
    """What is tested here is what users get."""
    site, lines = Path(sysconfig.get_path("purelib")), prune.read_list()
    patterns = [line.pattern.rstrip("*") for line in lines if line.kind == "remove" and line.pattern.endswith("/*")]
    found = [
        path.relative_to(site).as_posix()
        for folder in patterns
        for path in (site / folder).rglob("*")
        if path.is_file()
    ]
    assert [path for path in found if prune.is_removed(path, lines)] == []


@pytest.fixture
def own(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment of pipx, in which the program of these tests is installed."""
    packages = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    packages.parent.mkdir(parents=True)
    site.rename(packages)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "env"))
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(packages))
    monkeypatch.setattr(prune, "__file__", str(packages / "desktop_app" / "unused_files.py"))
    monkeypatch.setattr(trim, "read_list", lambda: [UnusedLine("remove", "app/ui/*", "a page")])
    (tmp_path / "env" / "pipx_metadata.json").write_text("{}")
    return packages


@pytest.mark.parametrize("receipt", prune.TOOL_FILES)
def test_trim_removes_what_is_unused_once(own: Path, capsys: pytest.CaptureFixture[str], receipt: str) -> None:
    (own.parents[2] / "pipx_metadata.json").rename(own.parents[2] / receipt)
    before = files_of(own)
    assert main(["trim", "--dry-run"]) == 0
    assert files_of(own) == before
    assert prune.unused_bytes(own, trim.read_list()) == 108
    assert main(["trim"]) == 0
    assert files_of(own) == {"app/__init__.py", "app/lib.so"}
    assert main(["trim"]) == 0
    assert "Nothing is left" in capsys.readouterr().out


def test_trim_refuses_an_environment_that_others_may_use(own: Path) -> None:
    (own.parents[2] / "pipx_metadata.json").unlink()
    before = files_of(own)
    assert main(["trim"]) != 0
    assert files_of(own) == before


def test_nothing_outside_of_the_environment_is_removed(own: Path, tmp_path: Path) -> None:
    outside, command = tmp_path / "notes.txt", own.parents[2] / "bin" / "app"
    command.parent.mkdir()
    for path in (outside, command):
        path.write_text("kept?")
    record = own / "app-1.0.dist-info" / "RECORD"
    record.write_text(record.read_text() + "\n../../../../notes.txt,,\n../../../bin/app,,")
    prune.prune(own, [UnusedLine("package", "App", "not used")])
    assert outside.exists()
    assert not command.exists()


def test_doctor_says_what_can_be_removed(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "read_list", trim.read_list)
    monkeypatch.setattr(doctor, "FEW_UNUSED", 100)
    assert [check.ok for check in doctor._unused_files()] == [True]
    prune.prune(own, trim.read_list())
    assert [*doctor._unused_files()] == []


def test_nothing_is_taken_out_of_a_version_that_was_not_looked_at(site: Path) -> None:
    lines = [UnusedLine("version", "app", "1.1"), UnusedLine("remove", "app/ui/*", "a page")]
    assert prune.unused_bytes(site, lines) == prune.prune(site, lines) == 0
    known = [UnusedLine("version", "app", "1"), *lines[1:]]
    assert prune.unused_bytes(site, known) == prune.prune(site, known) > 0


def test_the_versions_of_the_list_are_those_of_the_lock() -> None:
    lock = (PACKAGING / "requirements.lock").read_text()
    locked = {prune.normal(name): version for name, version in re.findall(r"^([\w.-]+)==([\w.]+)", lock, re.MULTILINE)}
    for line in prune.read_list():
        if line.kind == "version":
            assert f"{locked[line.pattern]}.".startswith(f"{line.reason}."), line
