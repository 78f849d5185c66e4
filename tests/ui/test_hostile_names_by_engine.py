"""Files of any name, dropped on the window and named behind an @: the right one is attached, and no control character
of its name is shown."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import pytest
from person import Person
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from desktop_app.ui.composer.attachments import AttachmentChip
from hostile_names import NAMES, raw_controls

pytestmark = [pytest.mark.wire, pytest.mark.skipif(os.name == "nt", reason="names of Linux")]
SAMPLE = ("a line feed", "a terminal's commands", "an override", "globs", "no UTF-8", "255 bytes")
AT_ONCE = 15


def is_utf8(name: str) -> bool:
    return "\ufffd" not in name.encode(errors="surrogateescape").decode(errors="replace")


def drop(person: Person, *files: Path) -> None:
    """Drop files on the conversation, as file managers give them: their bytes, with percent signs."""
    content = QMimeData()
    content.setUrls([QUrl.fromEncoded(f"file://{quote(os.fsencode(file))}".encode()) for file in files])
    window = person.window
    where = QPointF(window.ui.chat_pane.mapTo(window, window.ui.chat_pane.rect().center()))
    held = Qt.DropAction.CopyAction, content, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(where.toPoint(), *held))
    QApplication.sendEvent(window, QDropEvent(where, *held))


def shown(chip: AttachmentChip) -> str:
    return " ".join((chip.label.text(), chip.accessibleName(), chip.toolTip(), chip.remove.accessibleName()))


async def attached(person: Person, count: int) -> dict[str, AttachmentChip]:
    """Wait for so many attachments; return their chips by their contents, and take them away."""
    bar = person.window.ui.composer.attachments
    await person.sees(lambda: not bar.is_reading and len(bar.attachments) == count, f"{count} attachments")
    found = {chip.attachment.content: chip for chip in bar.chips if chip.attachment is not None}
    for what, chip in found.items():
        assert raw_controls(shown(chip), is_line=True) == [], what
    return found


@pytest.mark.timeout(600)
@pytest.mark.parametrize("chosen", [SAMPLE, pytest.param(tuple(NAMES), marks=pytest.mark.slow)], ids=["6", "all"])
def test_the_right_files_are_attached(play_by_engine, tmp_path: Path, chosen: tuple[str, ...]) -> None:
    work = tmp_path / "work"
    files = {what: work / f"d{number:02}" / NAMES[what] for number, what in enumerate(chosen)}
    for what, file in files.items():
        file.parent.mkdir(parents=True)
        file.write_text(f"needle in {what}")

    async def scene(person: Person) -> None:
        composer, bar = person.window.ui.composer, person.window.ui.composer.attachments
        offered = composer.paths.list
        for start in range(0, len(chosen), AT_ONCE):
            some = chosen[start : start + AT_ONCE]
            drop(person, *(files[what] for what in some))
            readable = [what for what in some if is_utf8(NAMES[what])]
            assert sorted(await attached(person, len(readable))) == sorted(f"needle in {what}" for what in readable)
            assert raw_controls(person.window.ui.failure.accessibleName()) == []
            bar.set_attachments(())
        for number, what in enumerate(chosen):
            await person.click(composer.field.viewport(), (8, 8))
            await person.type(f"@d{number:02}/")
            # At first it offers what fits the letters before.
            await person.sees(lambda: offered.isVisible() and offered.count() == 1, "the file of the folder alone")
            assert raw_controls(offered.item(0).text(), is_line=True) == [], what
            await person.enter()
            if is_utf8(NAMES[what]):
                assert list(await attached(person, 1)) == [f"needle in {what}"]
            else:
                await person.sees(lambda: not bar.is_reading and not bar.chips, "that it cannot be read")
            bar.set_attachments(())
            assert composer.text() == ""

    play_by_engine(scene, [], folder=str(work))
