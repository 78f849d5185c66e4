"""The picture that a session leaves: any other bytes are no picture, and it goes when what it shows is there."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop_app.archive.store import Store
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.paths import database_file, make_private_folder, picture_file
from desktop_app.settings import Settings
from desktop_app.ui.bridge import ENGINE_GAVE_UP, Bridge
from desktop_app.ui.last_picture import (
    MAGIC,
    Look,
    StillPicture,
    decode_picture,
    encode_picture,
    look_of,
    read_picture,
    store_picture,
)
from desktop_app.ui.main_window import MainWindow

LOOK = Look(40, 30, 1.0, is_dark=False, has_high_contrast=False, font_scale=1.0, language="")


def picture(colour: str = "red") -> QImage:
    image = QImage(40, 30, QImage.Format.Format_RGB32)
    image.fill(QColor(colour))
    return image


def test_what_is_written_is_read(tmp_path: Path) -> None:
    store_picture(tmp_path / "window.picture", picture(), LOOK)
    found = read_picture(tmp_path / "window.picture")
    assert found is not None
    assert (found[0].pixelColor(3, 3), found[1]) == (QColor("red"), LOOK)
    assert (tmp_path / "window.picture").stat().st_mode & 0o077 == 0, "private"


@given(st.binary(max_size=400))
def test_any_bytes_are_no_picture(content: bytes) -> None:
    assert decode_picture(content) is None
    assert decode_picture(MAGIC + content) is None


@given(st.data())
def test_a_damaged_file_is_no_picture(data: st.DataObject) -> None:
    whole = encode_picture(picture(), LOOK)
    place = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(1, 255))
    assert decode_picture(whole[:place] + bytes([whole[place] ^ byte]) + whole[place + 1 :]) is None
    assert decode_picture(whole[:place]) is None


@given(st.integers(-5, 500), st.sampled_from([0.0, -1.0, 0.5, 1.0, 2.0, 1e300]))
def test_one_of_another_size_than_it_says_is_none(width: int, ratio: float) -> None:
    look = replace(LOOK, width=width, ratio=ratio)
    assert (decode_picture(encode_picture(picture(), look)) is None) == (look != LOOK)


def test_without_a_file_there_is_none(tmp_path: Path) -> None:
    assert read_picture(tmp_path / "none") is None
    assert read_picture(tmp_path) is None
    store_picture(tmp_path / "gone" / "window.picture", picture(), LOOK)
    assert not (tmp_path / "gone").exists(), "a data folder that was moved away is not created"


def covered(qtbot: QtBot) -> tuple[QWidget, QPushButton, StillPicture]:
    """A window of the picture's size, whose button is under it."""
    window, button = QWidget(), QPushButton()
    layout = QVBoxLayout(window)
    layout.setContentsMargins(0, 10, 0, 0)
    layout.addWidget(button)
    button.setFixedHeight(10)
    window.resize(40, 30)
    qtbot.addWidget(window)
    window.show()
    look = look_of(window, "")
    still = StillPicture(picture().scaled(window.size()), look, window)
    still.cover(window)
    QApplication.processEvents()
    return window, button, still


def under(window: QWidget, x: int, y: int) -> QColor:
    return window.grab().toImage().pixelColor(x, y)


def test_it_covers_the_window_and_takes_its_clicks_until_a_part_is_there(qtbot: QtBot) -> None:
    window, button, still = covered(qtbot)
    assert under(window, 5, 5) == QColor("red")
    assert window.childAt(button.geometry().center()) is still
    still.uncover(button)
    assert window.childAt(button.geometry().center()) is button
    assert window.childAt(QPoint(5, 2)) is still
    still.cover_only(button)
    assert window.childAt(button.geometry().center()) is still
    assert window.childAt(QPoint(5, 2)) is not still
    assert still.cursor().shape() == Qt.CursorShape.BusyCursor


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with an archive of one conversation, and a picture."""
    make_private_folder(tmp_path)
    with closing(Store(database_file(tmp_path))) as store:
        store.create(ConversationInfo("c", "A title", 0.0, 0.0))
    store_picture(picture_file(tmp_path), picture(), LOOK)
    return tmp_path


def test_a_conversation_that_is_deleted_or_erased_leaves_the_picture(data: Path) -> None:
    with closing(Store(database_file(data))) as store:
        store.change("c", title="Another")
        assert picture_file(data).exists()
        store.change("c", is_deleted=True)
        assert not picture_file(data).exists()
        store_picture(picture_file(data), picture(), LOOK)
        store.erase(("c",))
        assert not picture_file(data).exists()


def test_other_users_permissions_are_taken_from_it(data: Path) -> None:
    os.chmod(picture_file(data), 0o644)
    make_private_folder(data)
    assert picture_file(data).stat().st_mode & 0o077 == 0


def is_red(window: MainWindow, x: int, y: int) -> bool:
    return window.grab(QRect(x, y, 1, 1)).toImage().pixelColor(0, 0) == QColor("red")


@pytest.mark.row("U13", "the picture of the last session until its conversation is there")
def test_a_start_shows_it_until_its_conversation_is_there_or_will_not_be(qtbot: QtBot, tmp_path: Path) -> None:
    settings, file = Settings(theme="light"), tmp_path / "window.json"
    window, bridge = MainWindow(None, settings, file), Bridge(["/no/such/program"])
    qtbot.addWidget(window)
    assert not window.show_picture(settings), "there is none"
    look = look_of(window, settings.language)
    store_picture(picture_file(tmp_path), picture().scaled(look.width, look.height), replace(look, is_dark=True))
    assert not window.show_picture(settings), "it is of a dark window"
    store_picture(picture_file(tmp_path), picture().scaled(look.width, look.height), look)
    assert window.show_picture(settings)
    qtbot.waitUntil(lambda: window.is_painted)
    assert is_red(window, 700, 400)

    window.build(bridge, settings)
    QApplication.processEvents()
    assert is_red(window, 700, 400)
    composer = window.ui.composer
    place = composer.mapTo(window, composer.rect().center())
    assert is_red(window, place.x(), place.y())
    composer.set_text("Typed before the engine is there")
    qtbot.waitUntil(lambda: not is_red(window, place.x(), place.y()))
    assert is_red(window, 700, 400)
    bridge.engine_gave_up.emit(ENGINE_GAVE_UP)
    qtbot.waitUntil(lambda: not is_red(window, 700, 400))


def test_a_window_without_an_open_conversation_leaves_none(qtbot: QtBot, tmp_path: Path) -> None:
    store_picture(picture_file(tmp_path), picture(), LOOK)
    window = MainWindow(Bridge(["/no/such/program"]), Settings(), tmp_path / "window.json")
    qtbot.addWidget(window)
    window.show()
    window.close()
    qtbot.waitUntil(lambda: not picture_file(tmp_path).exists())
