"""What tells a desktop of the program: its icon, its entry in the menu, its files, and the description for shops."""

from __future__ import annotations

import configparser
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication, QIcon, QImage

from desktop_app.__main__ import _files_to_open, _parser
from desktop_app.paths import APP_ICON
from desktop_app.settings import Settings
from desktop_app.ui.app import make_application

DATA = Path(__file__).resolve().parents[2] / "packaging" / "data"
ENTRY, MIME = DATA / "palimpsest.desktop", DATA / "palimpsest-mime.xml"
METAINFO = DATA / "chat.palimpsest.palimpsest.metainfo.xml"
NAMESPACE = {"mime": "http://www.freedesktop.org/standards/shared-mime-info"}


def entry() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(ENTRY, encoding="utf-8")
    return parser


def test_the_entry_starts_what_the_program_understands() -> None:
    groups = entry()
    actions = groups["Desktop Entry"]["Actions"].strip(";").split(";")
    assert [f"Desktop Action {name}" for name in actions] == groups.sections()[1:]
    for name in actions:
        command = groups[f"Desktop Action {name}"]["Exec"].split()
        assert command[0] == "palimpsest"
        assert _parser(command[1:]).parse_args(command[1:]).show == name
    assert groups["Desktop Entry"]["Exec"] == "palimpsest %F"
    assert _files_to_open([str(ENTRY), str(MIME)]) == [str(ENTRY), str(MIME)]


def test_the_window_is_known_by_the_entry_and_has_the_icon(qapp) -> None:
    application = make_application(Settings())
    assert f"{QGuiApplication.desktopFileName()}.desktop" == ENTRY.name
    assert entry()["Desktop Entry"]["StartupWMClass"] == application.applicationName()
    assert entry()["Desktop Entry"]["Icon"] == APP_ICON.stem
    for size in (16, 48, 256):
        image: QImage = application.windowIcon().pixmap(QSize(size, size)).toImage()
        assert image.size() == QSize(size, size)
        colours = {image.pixelColor(x, y).name() for x in range(size) for y in range(size)}
        assert len(colours) > 10
    assert not QIcon(str(APP_ICON)).isNull()


def test_every_text_of_the_entry_has_its_german() -> None:
    for group in entry().values():
        for key in group:
            if key in ("GenericName", "Comment", "Keywords") or (key == "Name" and group.name != "Desktop Entry"):
                assert f"{key}[de]" in group, (group.name, key)


def test_our_archives_are_of_our_type_which_is_a_zip() -> None:
    kind = ElementTree.parse(MIME).getroot().find("mime:mime-type", NAMESPACE)
    assert kind is not None
    assert kind.get("type") == entry()["Desktop Entry"]["MimeType"].split(";")[0]
    parent, names = kind.find("mime:sub-class-of", NAMESPACE), kind.findall("mime:glob", NAMESPACE)
    assert parent is not None
    assert parent.get("type") == "application/zip"
    assert [name.get("pattern") for name in names] == ["*.palimpsest"]


def test_the_description_names_the_entry_and_the_types(tmp_path: Path) -> None:
    root = ElementTree.parse(METAINFO).getroot()
    assert root.findtext("launchable") == ENTRY.name
    assert root.findtext("id") == METAINFO.name.removesuffix(".metainfo.xml")
    assert root.findtext("provides/mediatype") in entry()["Desktop Entry"]["MimeType"].split(";")
    german = "{http://www.w3.org/XML/1998/namespace}lang"
    for tag in ("summary", "description/p", "description/ul/li"):
        found = root.findall(tag)
        assert len([one for one in found if one.get(german) == "de"]) * 2 == len(found) > 0


@pytest.mark.parametrize(
    "command",
    [["desktop-file-validate", str(ENTRY)], ["appstreamcli", "validate", "--no-net", str(METAINFO)]],
    ids=lambda command: command[0],
)
def test_the_tools_of_the_desktops_find_no_fault(command: list[str], tmp_path: Path) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    copy = tmp_path / Path(command[-1]).name
    copy.write_text(Path(command[-1]).read_text().replace("@VERSION@", "1.2.3").replace("@DATE@", "2026-01-02"))
    ended = subprocess.run([*command[:-1], str(copy)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
