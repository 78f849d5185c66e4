"""The notes of a release: what CHANGELOG.md says of a version; of the newest, unless one is named."""

from __future__ import annotations

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).resolve().parent.parent / "CHANGELOG.md"
HEADING = re.compile(r"^## \[(?:Unreleased\]: ?)?(\d+\.\d+\.\d+)\]?(?: - (\d{4}-\d{2}-\d{2}))?$", re.MULTILINE)
"""`## [Unreleased]: 0.2.0` while it is being made, `## [0.2.0] - 2027-01-31` from its tag on."""


def notes_of(changelog: str) -> dict[str, str]:
    """Return the text below each version's heading, the newest version first."""
    headings = list(HEADING.finditer(changelog))
    ends = [*(heading.start() for heading in headings[1:]), len(changelog)]
    return {heading[1]: changelog[heading.end() : end].strip() for heading, end in zip(headings, ends, strict=True)}


def main(version: str = "") -> str:
    """Return the notes as a page of their own. Raises SystemExit for a version that the changelog does not have."""
    notes = notes_of(CHANGELOG.read_text(encoding="utf-8"))
    version = version or next(iter(notes), "")
    if not notes.get(version):
        raise SystemExit(f"CHANGELOG.md has nothing of {version or 'any version'}.")
    return f"# Palimpsest {version}\n\n{notes[version].replace('### ', '## ')}"


if __name__ == "__main__":
    print(main(*sys.argv[1:2]))
