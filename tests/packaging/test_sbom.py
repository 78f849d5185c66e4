"""The bill of materials names what is installed, as pip tells it, and nothing else."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "packaging" / "requirements.lock").read_text()


@pytest.mark.long
def test_it_names_each_package_of_the_lock_that_is_installed(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SOURCE_DATE_EPOCH": "1760000000"}
    command = [sys.executable, str(ROOT / "packaging" / "sbom.py"), str(tmp_path)]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    bill = json.loads((tmp_path / "sbom.cdx.json").read_text())
    named = {part["purl"]: part for part in bill["components"]}
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "list", "--format", "json"], check=True, capture_output=True, text=True
    ).stdout
    locked = {re.sub(r"[-_.]+", "-", name).lower() for name in re.findall(r"^([\w.-]+)==", LOCK, re.MULTILINE)}
    installed = {(re.sub(r"[-_.]+", "-", one["name"]).lower(), one["version"]) for one in json.loads(listed)}
    wanted = {f"pkg:pypi/{name}@{version}" for name, version in installed if name in locked}
    assert {re.sub(r"[_.]+(?=[^@]*@)", "-", url) for url in named if ":pypi/" in url} == wanted
    assert set(bill["dependencies"][0]["dependsOn"]) == set(named)
    assert bill["metadata"]["timestamp"] == "2025-10-09T08:53:20+00:00"
    assert all(part["licenses"][0]["license"]["name"] for part in named.values())
