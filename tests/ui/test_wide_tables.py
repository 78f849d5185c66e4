"""Tables of many columns are scrolled sideways, in place of being squeezed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from transcript_rows import row
from ui_scenes import settle

from desktop_app.conversation.message import Role, Text
from desktop_app.ui.transcript.markdown_documents import NARROWEST, wide_columns
from desktop_app.ui.transcript.segments import ProseSegment, segments_of
from desktop_app.ui.widgets.look import scale


def table(columns: int, rows: int) -> str:
    """A table whose cells have some words each."""
    lines = ["| " + " | ".join(f"Column {n} of the report" for n in range(columns)) + " |", "|---" * columns + "|"]
    lines += ["| " + " | ".join(f"value {n}.{line}, measured" for n in range(columns)) + " |" for line in range(rows)]
    return "\n".join(lines)


def open_reply(view, qtbot, text: str) -> None:
    view.transcript.open([row(0, Role.ASSISTANT, Text(text))], ())
    settle(view, qtbot)


@pytest.mark.parametrize("rows", [3, 200])
def test_a_wide_table_is_scrolled_by_itself(view, qtbot, rows: int) -> None:
    open_reply(view, qtbot, f"Before it.\n\n{table(12, rows)}\n\nAfter it.")
    view.go_to_start()
    settle(view, qtbot)
    layout = view.layout_of(0)
    wide = [flow for flow in layout.flows if flow.max_shift]
    assert wide
    assert {flow.shift_key for flow in wide} == {wide[0].shift_key}
    assert all("Before" not in text and "After" not in text for text in (flow.document.toPlainText() for flow in wide))
    at = QPointF(view.origin(0) + wide[0].top_left + QPointF(60, 30))
    turned = QWheelEvent(
        at, view.viewport().mapToGlobal(at), QPoint(), QPoint(-240, 0), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    view.wheelEvent(turned)
    settle(view, qtbot)
    moved = [flow for flow in view.layout_of(0).flows if flow.max_shift]
    assert {flow.shift for flow in moved} == {120.0}, "all pieces of the table together"
    assert moved[0].document.size().width() > view.column, "no column is squeezed"


@pytest.mark.long
@pytest.mark.parametrize("rows", [3, 200])
def test_keys_scroll_the_wide_table_of_the_current_message(view, qtbot, rows: int) -> None:
    text = table(12, rows)
    view.transcript.open([row(n, Role.ASSISTANT, Text(text)) for n in range(2)], ())
    settle(view, qtbot)
    view.go_to_start()
    settle(view, qtbot)

    def shifts(number: int) -> set[float]:
        return {flow.shift for flow in view.layout_of(number).flows if flow.max_shift}

    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert shifts(0) == {0.0}, "no message is the current one"
    view.setCurrentIndex(view.transcript.index(0))
    for key, pixels in ((Qt.Key.Key_Right, 60), (Qt.Key.Key_Right, 120), (Qt.Key.Key_Left, 60), (Qt.Key.Key_Left, 0)):
        qtbot.keyClick(view, key, Qt.KeyboardModifier.ShiftModifier)
        settle(view, qtbot)
        assert shifts(0) == {float(pixels)}
    qtbot.keyClick(view, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert shifts(0) == {0.0}, "not beyond its beginning"
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert shifts(1) <= {0.0}, "the other message stays"


def test_a_narrow_table_stays_as_it_was(view, qtbot) -> None:
    open_reply(view, qtbot, "| a | b | c | d | e |\n|---|---|---|---|---|\n| 1 | 2 | 3 | 4 | 5 |\n\nText.")
    assert not any(flow.max_shift for flow in view.layout_of(0).flows)


@given(st.lists(st.floats(0, 2_000), min_size=2, max_size=30), st.floats(200, 1_500))
def test_no_column_is_squeezed_below_a_word(natural: list[float], width: float) -> None:
    columns = wide_columns(natural, width)
    assert all(given_ >= min(wanted, scale(NARROWEST)) - 0.01 for given_, wanted in zip(columns, natural, strict=True))
    assert all(given_ <= wanted + 0.01 for given_, wanted in zip(columns, natural, strict=True))


def test_only_a_wide_table_has_segments_of_its_own() -> None:
    segments = segments_of(f"Before.\n\n{table(6, 2)}\n\nAfter.")
    assert [isinstance(one, ProseSegment) and one.is_wide for one in segments] == [False, True, False]
    assert len(segments_of(f"Before.\n\n{table(3, 2)}\n\nAfter.")) == 1
