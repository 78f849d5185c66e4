"""Collects the licences of all that a bundle holds: licences.py BUNDLE writes BUNDLE/licences/ and BUNDLE/copyright.

The parts are the packages of requirements.lock that the running Python has, Python itself, and the system's libraries
that lie in the bundle; `copyright` lists them in Debian's machine-readable form (copyright-format 1.0). Run with the
Python that the bundle was made with.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
COMMON = Path("/usr/share/common-licenses")  # Debian's copies, for packages that bring no text of their own
IS_LICENCE = re.compile(r"(licen[cs]e|copying|notice|copyright)", re.IGNORECASE)
COMMON_NAMES = {"Apache-2.0": "Apache-2.0", "LGPL-3.0": "LGPL-3", "GPL-3.0": "GPL-3", "GPL-2.0": "GPL-2"}
FIRST = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Palimpsest
Comment: The texts of all licences are in the folder licences, one folder a part.

Files: *
Copyright: {ours}
License: MIT
{text}
"""


class Part(NamedTuple):
    """Something of others that is in the bundle."""

    name: str
    version: str
    licence: str
    texts: tuple[Path, ...]
    kind: str = "pypi"
    """The type of its package URL: "pypi", "deb/debian" or "generic"."""


def python_parts() -> Iterator[Part]:
    """Yield the packages of the lock that are installed, the sources of the table of words, and Python."""
    lock = (ROOT / "packaging" / "requirements.lock").read_text()
    locked = {_canonical(name) for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}
    for package in distributions():
        if _canonical(package.metadata["Name"]) in locked:
            yield Part(package.metadata["Name"], package.version, licence_of(package), tuple(_texts_of(package)))
    texts = ROOT / "resources" / "licences"
    yield Part("all-MiniLM-L6-v2", "2021", "Apache-2.0", (texts / "Apache-2.0.txt",), "generic")
    yield Part("SCOWL", "2016", "see its text", (texts / "SCOWL.txt",), "generic")
    own = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    yield Part("Python", sys.version.split()[0], "PSF-2.0", (own,) if own.exists() else (), "generic")


def system_parts(bundle: Path) -> Iterator[Part]:
    """Yield the Debian packages whose libraries are in the bundle; none where there is no dpkg."""
    if shutil.which("dpkg-query") is None:
        return
    names = sorted({f"*/{file.name}" for file in bundle.rglob("*.so.*")})
    found = subprocess.run(["dpkg-query", "-S", *names], capture_output=True, text=True, check=False)
    packages = {line.split(":")[0] for line in found.stdout.splitlines() if " by " not in line}
    for package in sorted(packages):
        text = Path("/usr/share/doc") / package / "copyright"
        version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
        if text.exists():
            yield Part(package, version.stdout, "see its text", (text,), "deb/debian")


def licence_of(package: Distribution) -> str:
    """Return what a package says of its licence, on one line; "see its text" where that says nothing short."""
    said = package.metadata.get("License-Expression") or package.metadata.get("License") or ""
    if said and len(said) < 100 and "\n" not in said:
        return said
    kinds = [line for line in package.metadata.get_all("Classifier") or () if line.startswith("License ::")]
    return ", ".join(line.rpartition(" :: ")[2] for line in kinds) or "see its text"


def _texts_of(package: Distribution) -> Iterator[Path]:
    found = [
        Path(str(file.locate()))
        for file in package.files or ()
        if ".dist-info" in str(file) and IS_LICENCE.search(file.name)
    ]
    yield from (file for file in found if file.exists())
    if not found:
        said = licence_of(package)
        yield from (COMMON / file for name, file in COMMON_NAMES.items() if name in said and (COMMON / file).exists())


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def all_parts(bundle: Path) -> list[Part]:
    """Return everything of others that is in the bundle, by name."""
    return sorted([*python_parts(), *system_parts(bundle)], key=lambda part: part.name.lower())


def write(bundle: Path) -> int:
    """Write the folder and the list, and return the number of parts."""
    folder = bundle / "licences"
    shutil.rmtree(folder, ignore_errors=True)
    parts = all_parts(bundle)
    text = (ROOT / "LICENSE").read_text()
    ours = re.search(r"Copyright \(c\) (.*)", text)
    stanzas = [FIRST.format(ours=ours[1] if ours else "", text=_indented(text))]
    for part in parts:
        (folder / part.name).mkdir(parents=True, exist_ok=True)
        for number, file in enumerate(part.texts):
            shutil.copyfile(file, folder / part.name / (f"{number}-{file.name}" if number else file.name))
        where = f"licences/{part.name}" if part.texts else "(the package brings no text)"
        stanzas.append(
            f"Files: {part.name}/*\nCopyright: see {where}\nLicense: {part.licence}\nComment: version {part.version}\n"
        )
    (bundle / "copyright").write_text("\n".join(stanzas), encoding="utf-8")
    return len(parts)


def _indented(text: str) -> str:
    return "\n".join(f" {line}" if line else " ." for line in text.strip().splitlines())


if __name__ == "__main__":
    print(f"{write(Path(sys.argv[1]))} parts in {sys.argv[1]}/copyright")
