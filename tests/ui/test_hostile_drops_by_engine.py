"""Files that are none, that never end, or that nobody may read, dropped onto the window: it is told, nothing hangs."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from person import Person
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from desktop_app.ui.importing.import_sheet import ImportSheet
from slowness import slowness

sys.path.append(str(Path(__file__).parent.parent / "bench"))
from ui_pauses import PauseWatch

pytestmark = [
    pytest.mark.wire,
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.platform != "linux", reason="of Linux"),
]
LONGEST = 50
"""Milliseconds of processor time that the window may be held up."""
GIGABYTES = 10
MANY_FILES = 100_000


def pipe(folder: Path) -> list[str]:
    os.mkfifo(folder / "pipe.txt")
    return [str(folder / "pipe.txt")]


def socket_file(folder: Path) -> list[str]:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{os.open(folder, os.O_PATH)}/s.txt")
    return [str(folder / "s.txt")]


def sparse(folder: Path) -> list[str]:
    with (folder / "large.txt").open("wb") as file:
        file.truncate(GIGABYTES * 2**30)
    return [str(folder / "large.txt")]


def large(folder: Path) -> list[str]:
    (folder / "note.txt").write_text("hello\n" * 1_000_000)
    return [str(folder / "note.txt")]


def closed(folder: Path) -> list[str]:
    (folder / "closed.txt").write_text("secret")
    (folder / "closed.txt").chmod(0)
    return [str(folder / "closed.txt")]


def link_to(target: str) -> Callable[[Path], list[str]]:
    def make(folder: Path) -> list[str]:
        (folder / "link.txt").symlink_to(target)
        return [str(folder / "link.txt")]

    return make


def thousand(folder: Path) -> list[str]:
    for number in range(1_000):
        (folder / f"{number}.txt").write_text(f"number {number}")
    return [str(folder / f"{number}.txt") for number in range(1_000)]


def names_of_all_kinds(folder: Path) -> list[str]:
    return [os.fsdecode(os.fsencode(folder) + b"/" + name) for name in (b"\xff\xfe", b"a\nb", b"n" * 255, b"n" * 300)]


def endless_name(folder: Path) -> list[str]:
    return [f"{folder}/{'n/' * 3_000}"]


DROPS: dict[str, tuple[Callable[[Path], list[str]], str]] = {
    "a pipe": (pipe, "is not a file"),
    "a link to a pipe": (lambda folder: [*pipe(folder), *link_to("pipe.txt")(folder)][1:], "is not a file"),
    "a socket": (socket_file, "cannot be read"),
    "zeros without end": (lambda _: ["/dev/zero"], "is not a file"),
    "the engine's own input": (lambda _: ["/dev/stdin"], "is not a file"),
    "a terminal": (lambda _: ["/dev/tty"], "cannot be read"),
    "a link to zeros": (link_to("/dev/zero"), "is not a file"),
    "a link to itself": (link_to("link.txt"), "cannot be read"),
    "a link to nothing": (link_to("nowhere"), "cannot be read"),
    "a sparse file of 10 GB": (sparse, "is larger than"),
    "memory of the kernel": (lambda _: ["/proc/kcore"], " "),
    "a file that waits": (lambda _: ["/proc/kmsg"], "cannot be read"),
    "a file that may not be read": (closed, "cannot be read" if os.geteuid() else ""),
    "a thousand files": (thousand, "attachments"),
    "names that are none": (names_of_all_kinds, "cannot be read"),
    "a name of 6,000 characters": (endless_name, "cannot be read"),
    "a file that vanishes": (large, "cannot be read"),
    "another host": (lambda _: ["//evil.example/share/a.txt"], "on another computer"),
}
VANISHING = ("a file that vanishes",)


def mime_of(paths: list[str]) -> QMimeData:
    content = QMimeData()
    content.setUrls([QUrl.fromEncoded(f"file://{quote(os.fsencode(path))}".encode()) for path in paths])
    return content


def drop(person: Person, onto: QWidget, paths: list[str]) -> None:
    content, window = mime_of(paths), person.window
    where = QPointF(onto.mapTo(window, onto.rect().center()))
    held = Qt.DropAction.CopyAction, content, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(where.toPoint(), *held))
    QApplication.sendEvent(window, QDropEvent(where, *held))


def said(person: Person) -> str:
    """What the card of a failure and the toast say."""
    card, toast = person.window.ui.failure, person.window.ui.toast
    labels = [label for label in card.findChildren(QWidget) if hasattr(label, "text")] if card.isVisible() else []
    return " ".join(str(label.text()) for label in [*labels, *([toast.label] if toast.isVisible() else [])])


QUICK = ("a pipe", "a file that vanishes", "another host")


@pytest.mark.parametrize("names", [QUICK, pytest.param(tuple(DROPS), marks=pytest.mark.slow)], ids=["3", "all"])
def test_what_is_dropped_onto_the_chat_holds_nobody_up(play_by_engine, tmp_path: Path, names: tuple[str, ...]) -> None:
    async def scene(person: Person) -> None:
        window, bar = person.window, person.window.ui.composer.attachments
        with PauseWatch(window) as watch:
            for number, name in enumerate(names):
                make, words = DROPS[name]
                (folder := tmp_path / str(number)).mkdir()
                paths = make(folder)
                watch.take()
                drop(person, window.ui.chat_pane, paths)
                if name in VANISHING:
                    Path(paths[0]).unlink()
                await person.sees(lambda words=words: words in said(person), f"{name}: “{words}”")
                await person.sees(lambda: not bar.is_reading, f"{name}: an end")
                check_pause(watch, name)
                for chip in list(bar.chips):
                    chip.remove.click()
                window.ui.toast.hide()
                window.ui.failure.dismiss.click()

    play_by_engine(scene, [])


def has_shown(sheet: ImportSheet) -> bool:
    return bool(sheet.unread.list.rows.rowCount() or sheet.list.found.found)


def check_pause(watch: PauseWatch, name: str) -> None:
    pause = watch.take()
    print(f"{name}: {pause.cpu:.0f} ms")
    assert pause.cpu < LONGEST * slowness(), (name, pause)


def circle(folder: Path) -> list[str]:
    (folder / "in").mkdir()
    (folder / "in" / "again").symlink_to(folder)
    (folder / "in" / "more").symlink_to(".")
    (folder / "in" / "a.txt").write_text("hello")
    return [str(folder)]


def full(folder: Path) -> list[str]:
    for number in range(MANY_FILES):
        os.close(os.open(folder / f"{number}.txt", os.O_CREAT | os.O_WRONLY))
    return [str(folder)]


def with_pipes(folder: Path) -> list[str]:
    pipe(folder)
    (folder / "zero.json").symlink_to("/dev/zero")
    (folder / "a.txt").write_text("hello")
    return [str(folder)]


IMPORTS: dict[str, Callable[[Path], list[str]]] = {
    "a pipe": pipe,
    "a folder with a pipe and a device": with_pipes,
    "a folder whose links go in a circle": circle,
    "zeros without end": lambda _: ["/dev/zero"],
    "the engine's own input": lambda _: ["/dev/stdin"],
    "a file that waits": lambda _: ["/proc/kmsg"],
    "a sparse file of 10 GB": sparse,
    "a thousand files": thousand,
    "a name of 6,000 characters": endless_name,
    "a folder with 100,000 files": full,
}


@pytest.mark.parametrize(
    "names",
    [("a pipe", "a folder whose links go in a circle"), pytest.param(tuple(IMPORTS), marks=pytest.mark.slow)],
    ids=["2", "all"],
)
def test_what_is_dropped_onto_the_list_holds_nobody_up(play_by_engine, tmp_path: Path, names: tuple[str, ...]) -> None:
    async def scene(person: Person) -> None:
        window = person.window
        with PauseWatch(window) as watch:
            for number, name in enumerate(names):
                (folder := tmp_path / str(number)).mkdir()
                paths = IMPORTS[name](folder)
                watch.take()
                drop(person, window.ui.sidebar, paths)
                sheet = await person.sheet(ImportSheet, 60, "the import")
                await person.sees(lambda sheet=sheet: not sheet.is_reading and has_shown(sheet), f"{name}: an end")
                check_pause(watch, name)
                sheet.reject()
                await person.wait_until_closed(ImportSheet)

    play_by_engine(scene, [])
