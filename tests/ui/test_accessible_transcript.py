"""The painted transcript as a screen reader finds it."""

from __future__ import annotations

import gc

import pytest
from accessible_tree import Role, act, read
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAccessible, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from transcript_rows import call, chat, compaction, result, row
from ui_scenes import run_in_loop, settle, tell

from desktop_app.conversation.events import (
    Failure,
    MessageRecorded,
    ReplyStarted,
    TextDelta,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop_app.conversation.message import Role as Speaker
from desktop_app.conversation.message import Text
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.row_text import MAX_SPOKEN
from desktop_app.ui.transcript.transcript_model import TranscriptModel
from desktop_app.ui.transcript.transcript_widget import TranscriptWidget
from desktop_app.ui.widgets.accessibility import use_roles

CODE = "for n in range(3):\n    print(n)"
REPLY = f"See [the page](https://example.org/a).\n\n```python\n{CODE}\n```\n\nThat is all.\n"


@pytest.fixture
def listening():
    """A screen reader listens."""
    use_roles()
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def rows_of(view, qtbot):
    settle(view, qtbot)
    view.accessible_rows.show_rows()
    return read(view).find(Role.List)


def texts_of(node):
    return "\n".join(part.name for part in node.all() if part.role is Role.StaticText)


def test_each_row_in_sight_is_an_item_with_its_speaker_and_its_text(view, qtbot, listening):
    view.transcript.open(chat(4), ())
    items = [node for node in rows_of(view, qtbot).all() if node.role is Role.ListItem]
    assert [item.find(Role.StaticText).name for item in items] == [f"message {n}" for n in range(4)]
    names = [item.name for item in items]
    heads = [name.splitlines()[0] for name in names]
    assert heads[0] != heads[1]
    assert heads[0] == heads[2]
    assert all("10" in head for head in heads)  # the tokens
    assert [name.splitlines()[1:] for name in names] == [[f"message {n}"] for n in range(4)]


STRUCTURED = """## Steps

3. Third *thing*
4. Fourth
   - nested

- [x] written
- [ ] sent

| Name | Size |
|---|---|
| alpha | $x^2$ |
| beta | |

```sh
ls
```
"""


def test_a_row_is_named_by_all_its_text_with_what_its_layout_says(view, qtbot, listening):
    """A screen reader that comes to a list item says its name, and not the labels in it (Orca 48.1)."""
    view.transcript.open([row(0, Speaker.ASSISTANT, Text(STRUCTURED))], ())
    (item,) = [node for node in rows_of(view, qtbot).all() if node.role is Role.ListItem]
    assert item.name.splitlines()[1:] == [
        "Heading 2: Steps", "3. Third thing", "4. Fourth", "• nested", "Done: written", "To do: sent",
        "Name | Size", "Name: alpha | Size: $x^2$", "Name: beta | ", "ls",
    ]  # fmt: skip


def test_the_name_of_a_long_row_ends_and_that_of_a_growing_one_stays(view, qtbot, listening):
    view.transcript.open([row(0, Speaker.ASSISTANT, Text("word " * 5_000))], ())
    (item,) = [node for node in rows_of(view, qtbot).all() if node.role is Role.ListItem]
    assert len(item.name) == MAX_SPOKEN
    tell(view.transcript, TurnStarted("c"), ReplyStarted("c", "m1", "Sonnet"), TextDelta("c", "m1", "One. "))
    growing = rows_of(view, qtbot).find(Role.ListItem, "Sonnet").name
    assert "One" not in growing
    tell(view.transcript, TextDelta("c", "m1", "Two."))
    assert rows_of(view, qtbot).find(Role.ListItem, "Sonnet").name == growing


def test_code_has_its_language_its_text_and_its_buttons(view, qtbot, listening):
    view.transcript.open([row(0, Speaker.ASSISTANT, Text(REPLY))], ())
    code = rows_of(view, qtbot).find(Role.Grouping, "python")
    assert code.find(Role.StaticText).name == CODE
    names = [node.name for node in rows_of(view, qtbot).all() if node.role is Role.Button]
    assert len([name for name in names if "code" in name.lower()]) == 2, "each once, and within the code"
    copied = []
    view.copied.connect(copied.append)
    act(code.find(Role.Button, "Copy").object)
    qtbot.waitUntil(lambda: bool(copied))
    assert QGuiApplication.clipboard().text() == CODE


def test_formulas_are_told_as_they_were_written(view, qtbot, listening):
    view.transcript.open([row(0, Speaker.ASSISTANT, Text("It holds that $a^2 + b^2 = c^2$ here."))], ())
    assert "a^2 + b^2 = c^2" in texts_of(rows_of(view, qtbot))


def test_a_link_is_followed(view, qtbot, listening, monkeypatch):
    opened = []
    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", lambda url: opened.append(url.toString()))
    view.transcript.open([row(0, Speaker.ASSISTANT, Text(REPLY))], ())
    found = rows_of(view, qtbot).find(Role.Link, "the page")
    assert found.description == "https://example.org/a"
    act(found.object)
    assert opened == ["https://example.org/a"]


@pytest.mark.long
def test_what_the_mouse_would_have_to_find_is_a_button(view, qtbot, listening):
    asked = []
    view.action_requested.connect(lambda *what: asked.append(what))
    view.transcript.open([row(0, versions=("m0", "m1")), row(2, Speaker.ASSISTANT)], ())
    tree = rows_of(view, qtbot)
    for name, wanted in (
        ("Edit", (Action.EDIT_MESSAGE, "m0")),
        ("Next version", (Action.LATER, "m1")),
        ("Pin", (Action.PIN, "m0")),
        ("Regenerate", (Action.REGENERATE, "m2")),
    ):
        act(tree.find(Role.Button, name).object)
        qtbot.waitUntil(lambda: bool(asked))
        assert asked.pop() == wanted


def test_the_menu_of_a_row_opens(view, qtbot, listening, monkeypatch):
    opened = []
    monkeypatch.setattr(QMenu, "popup", lambda menu, where: opened.append((menu, where)))
    view.transcript.open(chat(2), ())
    items = [node for node in rows_of(view, qtbot).all() if node.role is Role.ListItem]
    act(items[1].object, "ShowMenu")
    ((menu, where),) = opened
    assert "Pin" in [action.text() for action in menu.actions()]
    assert view.visualRect(view.transcript.index(1)).contains(view.viewport().mapFromGlobal(where))


def test_cards_marks_and_failures_are_reached(view, qtbot, listening):
    view.transcript.open([call(0, "read_file"), result(1, "read_file", "the text\n" * 60)], [compaction(1, 1)])
    tell(view.transcript, TurnStarted("c"))
    tree = rows_of(view, qtbot)
    card = tree.find(Role.ListItem, "read_file, a.py")
    assert "the text" in texts_of(card)
    before = len(texts_of(card))
    act(card.find(Role.Button, "Show more").object)
    qtbot.waitUntil(lambda: len(texts_of(rows_of(view, qtbot).find(Role.ListItem, "read_file, a.py"))) > before)
    assert rows_of(view, qtbot).find(Role.Button, "Show less")
    mark = tree.find(Role.ListItem, "42")
    assert {node.name for node in mark.all() if node.role is Role.Button} >= {"Show", "Undo"}


def test_the_keyboard_goes_through_the_rows(view, qtbot, listening):
    view.transcript.open(chat(60), ())
    settle(view, qtbot)
    view.activateWindow()
    qtbot.waitActive(view)
    view.clearFocus()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(2):
        QTest.keyClick(view, Qt.Key.Key_Up)
    tree = rows_of(view, qtbot)
    focused = [
        node
        for node in tree.all()
        if node.role is Role.ListItem and QAccessible.queryAccessibleInterface(node.object).state().focused
    ]
    assert [node.find(Role.StaticText).name for node in focused] == ["message 57"]


def test_rows_out_of_sight_are_paged_to(view, qtbot, listening):
    view.transcript.open(chat(200), ())
    tree = rows_of(view, qtbot)
    first = tree.find(Role.ListItem).find(Role.StaticText).name
    act(tree.find(Role.Button, "Earlier").object)
    qtbot.waitUntil(lambda: rows_of(view, qtbot).find(Role.ListItem).find(Role.StaticText).name != first)
    assert rows_of(view, qtbot).find(Role.Button, "Later")


def test_nothing_is_made_while_nobody_listens(view, qtbot):
    view.transcript.open(chat(60), ())
    settle(view, qtbot)
    qtbot.wait(200)
    assert not [child for child in view.accessible_rows.children() if type(child).__name__ == "AccessibleRow"]


def test_a_button_that_stays_keeps_its_object_while_the_reply_grows(view, qtbot, listening):
    tell(view.transcript, TurnStarted("c"), MessageRecorded("c", row(0)), ReplyStarted("c", "m1", "Sonnet"))
    tell(view.transcript, TextDelta("c", "m1", "One. "))
    pin = rows_of(view, qtbot).find(Role.Button, "Pin").object
    text = rows_of(view, qtbot).find(Role.ListItem, "Sonnet").find(Role.StaticText)
    tell(view.transcript, TextDelta("c", "m1", "Two."))
    qtbot.waitUntil(lambda: "Two" in view.transcript.streaming_text)
    tree = rows_of(view, qtbot)
    assert tree.find(Role.Button, "Pin").object is pin
    grown = tree.find(Role.ListItem, "Sonnet").find(Role.StaticText)
    assert grown.object is text.object
    assert "Two" in grown.name


@pytest.mark.wire
@pytest.mark.parametrize("rounds", [60, pytest.param(200, marks=pytest.mark.slow)])
def test_rows_that_come_grow_fold_and_go_while_they_are_read_do_no_harm(qtbot, listening, rounds):
    for number in range(rounds):
        view = TranscriptWidget(TranscriptModel())
        view.resize(700, 500)
        view.show()
        view.transcript.open(
            [*chat(6), call(6, "read_file"), result(7, "read_file", "line\n" * 60)], [compaction(1, 3)]
        )
        view.accessible_rows.show_rows()
        read(view)
        tell(view.transcript, TurnStarted("c"), ReplyStarted("c", "m8", "Sonnet"), TextDelta("c", "m8", REPLY))
        view.transcript.refresh()
        act(rows_of(view, qtbot).find(Role.Button, "Show more").object)
        view.perform(Action.FOLD, "m6 call 0")
        assert rows_of(view, qtbot).find(Role.ListItem, "Sonnet")
        view.transcript.open(chat(number % 4), ())
        view.accessible_rows.show_rows()
        read(view)
        view.close()
        view.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        del view
        if number % 20 == 0:
            gc.collect()


@run_in_loop
async def test_the_end_of_a_reply_is_announced(view, listening, monkeypatch):
    said = []
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda event: said.append(getattr(event, "message", str)()))
    tell(view.transcript, TurnStarted("c"), MessageRecorded("c", row(0)), ReplyStarted("c", "m1", "Sonnet"))
    tell(view.transcript, MessageRecorded("c", row(1, Speaker.ASSISTANT)), TurnFinished("c"))
    finished = [text for text in said if text]
    assert len(finished) == 1
    failure = Failure(kind="provider", title="The model did not answer", detail="503", kept="", advice="")
    tell(view.transcript, TurnStarted("c"), TurnFailed("c", failure), TurnFinished("c", "failed"))
    assert "503" in said[-1]
    tell(view.transcript, TurnStarted("c"), TurnFinished("c", "stopped"))
    assert said[-1] not in (finished[0], "")
