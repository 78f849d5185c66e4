"""Tells which files pyright has to look at: those that changed since it last found nothing, and all that import them.

    python packaging/types_to_check.py          prints the files, or nothing where none has to be looked at
    python packaging/types_to_check.py --all    prints all of them
    python packaging/types_to_check.py --passed keeps what was printed last as found without a fault

Where pyproject.toml or a lock changed, all files are printed: another pyright or library may see them otherwise.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECIPE = ("pyproject.toml", "packaging/requirements.lock", "packaging/requirements-dev.lock")
IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.M)


def module_of(path: str) -> str:
    """Return the dotted name of a file; that of a package for its `__init__`."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports_of(path: str, source: str) -> Iterator[str]:
    """Yield the full name of all that a file may import: modules, what is in them, and the packages around them."""
    package = path.split("/")[:-1]
    for origin, names, modules in IMPORT.findall(source):
        level = len(origin) - len(origin.lstrip("."))
        above = package[: len(package) - level + 1] if level else []
        start = ".".join([*above, *filter(None, [origin.lstrip(".")])])
        words = re.findall(r"[\w.]+", modules or names)
        for name in words if modules else [start, *(f"{start}.{word}" for word in words)]:
            parts = name.split(".")
            yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1))


def dependents_of(changed: set[str], sources: Mapping[str, str]) -> set[str]:
    """Return the changed files that are there, and all files that import one of them, however indirectly: where a
    function has no annotation, its type is that of what it calls."""
    importers: dict[str, set[str]] = {}
    for path, source in sources.items():
        for name in imports_of(path, source):
            importers.setdefault(name, set()).add(path)
    found, left = set(changed), list(changed)
    while left:
        new = importers.get(module_of(left.pop()), set()) - found
        found |= new
        left += new
    return found & sources.keys()


def files_to_check(sources: Mapping[str, str], recipe: str, passed: Mapping[str, str]) -> set[str]:
    """Return what has to be looked at. passed: the state that was found without a fault, as `state_of` gives it."""
    now = state_of(sources, recipe)
    if now[""] != passed.get(""):
        return set(sources)
    return dependents_of({path for path in now | passed if now.get(path) != passed.get(path)}, sources)


def state_of(sources: Mapping[str, str], recipe: str) -> dict[str, str]:
    """Return a hash of each file by its path, and that of the recipe by ""."""
    return {path: hashlib.sha256(text.encode()).hexdigest() for path, text in {**sources, "": recipe}.items()}


def main() -> None:
    """Print the files, a line each."""
    begun, kept = ROOT / "build" / "types-begun.json", ROOT / "build" / "types-passed.json"
    if "--passed" in sys.argv:
        begun.replace(kept)
        return
    included = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pyright"]["include"]
    files = [file for one in included for file in ([ROOT / one] if one.endswith(".py") else (ROOT / one).rglob("*.py"))]
    sources = {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}
    recipe = "".join((ROOT / name).read_text(encoding="utf-8") for name in RECIPE)
    is_partial = kept.exists() and "--all" not in sys.argv
    passed = json.loads(kept.read_text(encoding="utf-8")) if is_partial else {}
    begun.parent.mkdir(exist_ok=True)
    begun.write_text(json.dumps(state_of(sources, recipe)), encoding="utf-8")
    for file in sorted(files_to_check(sources, recipe, passed)):
        print(file)


if __name__ == "__main__":
    main()
