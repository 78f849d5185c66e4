"""What is left after packaging/prune.py is enough: for the code, for the libraries, and for what packages ask for."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(sysconfig.get_path("purelib"))
LOCK = (ROOT / "packaging" / "requirements.lock").read_text()
UNUSED = (ROOT / "resources" / "unused.txt").read_text()
OF_THE_MODELS_WHEEL = {"llm", "llama-cpp-python"}


def imports_of(file: Path) -> set[str]:
    """The modules of others that a file of ours imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return {name for name in found if name.split(".")[0] not in ("desktop_app", "winreg", "msvcrt")}


def is_there(name: str) -> bool:
    """Whether a module can be found, without importing the packages that hold it."""
    top, *inside = name.split(".")
    found = find_spec(top)
    if found is None or not inside or top in sys.stdlib_module_names:
        return found is not None
    folders = [Path(folder).joinpath(*inside[:-1]) for folder in found.submodule_search_locations or ()]
    return any(next(folder.glob(f"{inside[-1]}*"), None) for folder in folders)


def locked() -> list[Distribution]:
    found = []
    for name, marker in re.findall(r"^([\w.-]+)==\S+( ; sys_platform[^\\]*)?", LOCK, re.MULTILINE):
        try:
            found.append(distribution(name))
        except PackageNotFoundError:
            assert marker, f"{name} is not installed"
    return found


@pytest.mark.wire
def test_every_module_that_the_program_imports_is_there() -> None:
    names = {name for file in (ROOT / "desktop_app").rglob("*.py") for name in imports_of(file)}
    assert len(names) > 50
    assert [name for name in sorted(names) if not is_there(name)] == []


def test_what_packages_ask_for_is_installed_or_on_the_list() -> None:
    """As `pip check`, which would not know of the list."""
    listed = set(map(canonicalize_name, re.findall(r"^package +\| (\S+)", UNUSED, re.MULTILINE))) | OF_THE_MODELS_WHEEL
    missing = set()
    for package in locked():
        for requirement in map(Requirement, package.requires or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                try:
                    there = distribution(requirement.name)
                except PackageNotFoundError:
                    missing.add(requirement.name)
                else:
                    assert requirement.specifier.contains(there.version, prereleases=True), (package.name, requirement)
    assert {canonicalize_name(name) for name in missing} <= listed


@pytest.mark.skipif(shutil.which("ldd") is None, reason="needs ldd")
@pytest.mark.parametrize("folder", ["PySide6", "PIL", "lxml"])
@pytest.mark.long
def test_every_library_finds_those_of_its_package(folder: str) -> None:
    """The system's may be missing here; those that came with the wheel may not."""
    files = [path for path in (SITE / folder).rglob("*.so*") if path.is_file()]
    said = subprocess.run(["ldd", *map(str, files)], capture_output=True, text=True, check=False).stdout
    assert said.count("\n") > len(files)
    missing = {line.split()[0] for line in said.splitlines() if "not found" in line}
    bundled = re.compile(r"libQt6|libpyside|libshiboken|libicu|lib[\w.+]+-[0-9a-f]{8}\.")
    assert {name for name in missing if bundled.match(name)} == set()
