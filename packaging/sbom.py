"""The bill of materials of a bundle: sbom.py BUNDLE writes BUNDLE/sbom.cdx.json, in CycloneDX 1.6.

It names what `licences.py` finds: the packages of the lock, Python, and the system's libraries, each with its version,
its licence and its package URL, by which scanners of vulnerabilities look it up. Run with the Python that the bundle
was made with. The same commit gives the same file.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from licences import Part, all_parts

from desktop_app import __version__


def bill_of(parts: list[Part], made: datetime) -> dict[str, object]:
    """Return the document."""
    us = {"type": "application", "bom-ref": "palimpsest", "name": "palimpsest", "version": __version__}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": made.isoformat(), "component": {**us, "licenses": [{"license": {"id": "MIT"}}]}},
        "components": [_component(part) for part in parts],
        "dependencies": [{"ref": "palimpsest", "dependsOn": [_url(part) for part in parts]}],
    }


def _component(part: Part) -> dict[str, object]:
    licence = {"licenses": [{"license": {"name": part.licence}}]} if part.licence else {}
    return {
        "type": "library",
        "bom-ref": _url(part),
        "name": part.name,
        "version": part.version,
        "purl": _url(part),
        **licence,
    }


def _url(part: Part) -> str:
    """Return its package URL."""
    name = part.name.lower().replace("_", "-") if part.kind == "pypi" else part.name
    return f"pkg:{part.kind}/{quote(name)}@{quote(part.version)}"


if __name__ == "__main__":
    bundle = Path(sys.argv[1])
    made = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC)
    bill = bill_of(all_parts(bundle), made)
    (bundle / "sbom.cdx.json").write_text(json.dumps(bill, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{bundle}/sbom.cdx.json")
