"""Optimize conversation: the plan is shown, changed and applied by mouse and keyboard."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from plan_scenes import AFTER, BEFORE, PLAN, SUMMARY
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget
from ui_scenes import press, show_widget

from desktop_app.conversation.gauge import Segment
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.message import Usage
from desktop_app.engine.protocol import (
    ApplyPlan,
    CancelComputation,
    CheckSummary,
    Computation,
    PlanOptimize,
    Writer,
    WriteSummary,
)
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.optimize.summary_editor import cost_text
from texts import COST, DO_NOT_FIT, KEEP_UNCHANGED, NOTHING_TO_SUMMARIZE, WORD_FOR_WORD


@pytest.fixture
def window(qtbot):
    made = QWidget()
    QVBoxLayout(made).addWidget(QPushButton("behind"))
    show_widget(made, qtbot, 1_000, 700, is_active=True)
    return made


@pytest.fixture
def dialog(window):
    made = PlanDialog(PLAN, "c", window)
    made.open()
    return made


def test_the_plan_is_said_in_numbers_that_add_up(dialog):
    texts = [fate.label.text() for fate in dialog.changes.changes]
    assert texts == [
        "1 old tool result shortened",
        "31 messages summarized",
        "14 messages stay unchanged",
        WORD_FOR_WORD.format(facts="2 pins and 1 rule"),
        DO_NOT_FIT.format(facts="9 facts"),
    ]
    assert [figure.text() for figure in dialog.comparison.figures] == ["4,310 tokens", "1,910 tokens · −56 %"]
    assert "412 tokens" in dialog.summary.heading.text()
    words = "78 facts checked: ■ 47 word for word ■ 22 in the summary ■ 9 only in the archive"
    assert " ".join(dialog.checked.text().split()) == words
    assert dialog.tail_label.text() == KEEP_UNCHANGED.format(tokens=2_048)


def test_both_bars_are_on_the_scale_of_the_window(dialog):
    for bar, gauge in zip(dialog.comparison.bars, (BEFORE, AFTER), strict=True):
        assert sum(bar._widths()) == pytest.approx(bar.width() * gauge.total / gauge.window, rel=0.01)


def test_bars_of_requests_beyond_the_window_can_be_compared(dialog):
    now, then = replace(BEFORE, total=3 * BEFORE.window), replace(AFTER, total=2 * BEFORE.window)
    now = replace(now, segments={Segment.USER: now.total})
    then = replace(then, segments={Segment.USER: then.total})
    dialog.comparison.compare(now, then)
    before, after = (sum(bar._widths()) for bar in dialog.comparison.bars)
    assert after / before == pytest.approx(2 / 3, rel=0.01)


def test_it_fits_into_a_small_window_and_stands_in_its_middle(dialog, window):
    for size in ((1_000, 700), (820, 560), (1_440, 900)):
        window.resize(*size)
        assert window.rect().contains(dialog.geometry())
        assert abs(dialog.geometry().center().x() - window.rect().center().x()) <= 1
        assert dialog.strategy.choices.width() <= dialog.strategy.width()


def test_show_unfolds_the_messages(dialog, qtbot):
    archived = dialog.changes.changes[1]
    press(archived.show_items)
    assert archived.list.isVisible()
    assert archived.list.rows.rowCount() == 31
    assert archived.show_items.text() == "hide"
    dialog.set_plan(replace(PLAN, id="plan2"))
    qtbot.waitUntil(dialog.changes.changes[1].list.isVisible)
    press(dialog.changes.changes[1].show_items)
    assert not dialog.changes.changes[1].list.isVisible()


def test_optimize_applies_and_leaves_closing_to_whoever_applied(dialog, qtbot):
    with qtbot.waitSignal(dialog.apply_requested) as applied:
        press(dialog.apply)
    assert applied.args == [ApplyPlan("c", "plan1", SUMMARY)]
    assert dialog.isVisible()
    dialog.set_busy(True)
    assert not dialog.apply.isEnabled()
    assert not dialog.tail.isEnabled()
    dialog.set_busy(False)
    assert dialog.apply.isEnabled()
    with qtbot.waitSignal(dialog.finished) as finished:
        dialog.accept()
    assert finished.args == [PlanDialog.DialogCode.Accepted.value]


def test_the_slider_asks_once_and_waits_for_the_new_plan(dialog, qtbot):
    asked: list[PlanOptimize] = []
    dialog.plan_requested.connect(asked.append)
    for x in (0.3, 0.5, 0.99):
        qtbot.mouseClick(dialog.tail, Qt.MouseButton.LeftButton, pos=QPoint(round(dialog.tail.width() * x), 10))
    assert not dialog.apply.isEnabled()
    qtbot.waitUntil(lambda: len(asked) == 1)
    assert asked == [PlanOptimize("c", 3_200)]
    assert dialog.tail_label.text() == KEEP_UNCHANGED.format(tokens=3_200)
    assert not dialog.apply.isEnabled()
    dialog.set_plan(replace(PLAN, id="plan2", tail_tokens=3_200, summary="## Primary intent\nLess."))
    assert dialog.apply.isEnabled()
    assert dialog.summary.text().endswith("Less.")


@pytest.mark.long
def test_an_edited_summary_is_checked_and_applied(dialog, qtbot):
    dialog.summary.area.setFocus()
    qtbot.keyClick(dialog.summary.area, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    with qtbot.waitSignal(dialog.plan_requested) as edited:
        qtbot.keyClicks(dialog.summary.area, " By March.")
    text = SUMMARY + " By March."
    assert edited.args == [CheckSummary("c", "plan1", text)]
    assert not dialog.apply.isEnabled()
    dialog.set_plan(replace(PLAN, id="plan1b", summary=text, summary_tokens=415))
    assert "415 tokens" in dialog.summary.heading.text()
    with qtbot.waitSignal(dialog.apply_requested) as applied:
        press(dialog.apply)
    assert applied.args == [ApplyPlan("c", "plan1b", text)]


@pytest.mark.long
def test_what_the_user_wrote_survives_a_new_plan_and_the_new_summary_can_be_taken(dialog, qtbot):
    with qtbot.waitSignal(dialog.plan_requested):
        qtbot.keyClicks(dialog.summary.area, "Mine. ")
    mine = "Mine. " + SUMMARY
    with qtbot.waitSignal(dialog.plan_requested) as checked:
        dialog.set_plan(replace(PLAN, id="plan2", summary="Another."))
    assert checked.args == [CheckSummary("c", "plan2", mine)]
    assert dialog.summary.take.isVisible()
    with qtbot.waitSignal(dialog.plan_requested) as taken:
        press(dialog.summary.take)
    assert taken.args == [CheckSummary("c", "plan2", "Another.")]
    assert dialog.summary.text() == "Another."


def test_a_plan_that_gains_nothing_says_so_calmly(dialog):
    dialog.set_plan(replace(PLAN, is_useful=False, note="All of it is needed.", archived=(), pruned=(), summary=""))
    assert dialog.useless.text() == "All of it is needed."
    assert dialog.useless.isVisible()
    assert not dialog.changes.isVisible()
    assert not dialog.apply.isEnabled()


@pytest.mark.parametrize("is_fresh", [True, False])
@pytest.mark.parametrize("strategy", ["llm", "extractive"])
def test_where_no_message_leaves_nobody_has_written_a_summary(dialog, strategy, is_fresh):
    empty = replace(PLAN, archived=(), archived_total=0, summary="", summary_tokens=0, fidelity=Fidelity())
    dialog.set_plan(replace(empty, strategy=strategy, is_fresh=is_fresh, writer=Writer("Small 2")))
    assert dialog.strategy.note.text() == ""
    assert not dialog.summary.again.isVisible()
    assert not dialog.strategy.instructions.isVisible()
    reason = "All messages come along unchanged" if is_fresh else "No message leaves with this plan"
    assert dialog.summary.area.placeholderText() == NOTHING_TO_SUMMARIZE.format(reason=reason)
    dialog.set_plan(replace(PLAN, strategy=strategy, is_fresh=is_fresh, writer=Writer("Small 2")))
    assert dialog.strategy.note.text() != ""
    assert dialog.summary.again.isVisible() is (strategy == "llm")
    assert dialog.strategy.instructions.isVisible() is (strategy == "llm")


def test_lost_facts_are_named(dialog):
    dialog.set_plan(replace(PLAN, fidelity=Fidelity(1, 0, 0, 2, ("port 8443",))))
    assert "2\N{NO-BREAK SPACE}lost" in dialog.checked.text()
    assert "port 8443" in dialog.facts.facts.text()
    assert "1 more" in dialog.facts.facts.text()


def test_behind_the_dialog_nothing_happens(window, dialog, qtbot):
    behind = window.findChild(QPushButton)
    pressed: list[str] = []
    behind.clicked.connect(lambda: pressed.append("mouse"))
    QShortcut(QKeySequence("Ctrl+N"), window).activated.connect(lambda: pressed.append("shortcut"))
    press(window.childAt(5, 5))
    qtbot.keyClick(dialog.apply, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    for _ in range(12):
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        assert dialog.isAncestorOf(window.focusWidget())
    assert pressed == []
    assert dialog.isVisible()
    dialog.reject()
    qtbot.keyClick(window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert pressed == ["shortcut"]


def test_nothing_flashes_up_as_a_window_of_its_own(window, qtbot, qapp):
    dialog = PlanDialog(PLAN, "c", window)
    dialog.open()
    dialog.set_plan(replace(PLAN, id="plan2"))
    assert [shown for shown in qapp.topLevelWidgets() if shown.isVisible()] == [window]
    assert qapp.activeWindow() is window


# The summary by a model

WRITER = Writer("large-1", "", 1, 12_345, 2_000, 0.047)
UNWRITTEN = replace(
    PLAN,
    id="plan3",
    strategy="llm",
    is_written=False,
    summary="",
    summary_tokens=412,
    fidelity=Fidelity(),
    writer=WRITER,
)
WRITTEN = replace(PLAN, id="plan4", strategy="llm", writer=WRITER, usage=Usage(12_000, 480))


@pytest.mark.row("W2", "what the model call costs")
def test_what_a_model_would_take_is_said_before_it_is_asked(dialog, qtbot):
    dialog.set_plan(UNWRITTEN)
    unwritten = dialog.summary.unwritten
    assert unwritten.isVisible()
    assert unwritten.cost.text() == COST.format(read=12_345, write=2_000, dollars="$0.05")
    assert dialog.comparison.figures[1].text() == "at most 1,910 tokens · −56 %"
    assert not dialog.apply.isEnabled()
    assert not dialog.checked.isVisible()
    assert not dialog.summary.area.isVisible()


def test_it_is_written_on_wish_with_what_the_user_asks_of_it(dialog, qtbot):
    dialog.set_plan(UNWRITTEN)
    qtbot.keyClicks(dialog.strategy.instructions, "Name tickets.")
    with qtbot.waitSignal(dialog.plan_requested) as wished:
        press(dialog.summary.unwritten.write)
    assert wished.args == [WriteSummary("c", "plan3", "Name tickets.")]
    assert dialog.is_writing
    for widget in (dialog.apply, dialog.tail, dialog.strategy.instructions):
        assert not widget.isEnabled()
    dialog.set_progress("an older plan", 900, 1_000)
    assert dialog.summary.unwritten.progress.text() == "reading…"
    dialog.set_progress("plan3", 120, 1_600)
    assert dialog.summary.unwritten.progress.text() == "120 of at most 1,600 tokens"
    dialog.set_plan(replace(WRITTEN, note="Assembled by rules."))
    assert dialog.note.text() == "Assembled by rules."
    assert not dialog.is_writing
    assert dialog.summary.text() == SUMMARY
    assert dialog.summary.area.isVisible()
    assert dialog.strategy.note.text() == "Written by large-1: 12,000 tokens in, 480 out."
    assert dialog.strategy.text() == "Name tickets."
    with qtbot.waitSignal(dialog.apply_requested) as applied:
        press(dialog.apply)
    assert applied.args == [ApplyPlan("c", "plan4", SUMMARY)]


def test_a_plan_that_is_being_made_is_cancelled_when_the_dialog_is_closed(dialog, qtbot):
    dialog.strategy.chosen.emit("extractive")
    with qtbot.waitSignal(dialog.cancel_requested) as cancelled:
        press(dialog.cancel)
    assert cancelled.args == [CancelComputation(Computation.PLAN, "c")]


def test_writing_can_be_stopped_and_begun_again(dialog, qtbot):
    dialog.set_plan(UNWRITTEN)
    press(dialog.summary.unwritten.write)
    with qtbot.waitSignal(dialog.cancel_requested):
        press(dialog.summary.unwritten.cancel)
    dialog.set_busy(False)
    assert dialog.summary.unwritten.write.isVisible()
    dialog.set_plan(WRITTEN)
    with qtbot.waitSignal(dialog.plan_requested) as again:
        press(dialog.summary.again)
    assert again.args == [WriteSummary("c", "plan4")]
    assert dialog.summary.unwritten.isVisible()
    dialog.set_busy(False)
    assert dialog.summary.area.isVisible(), "what was written before is still there"
    assert dialog.summary.text() == SUMMARY


def test_another_strategy_is_asked_for_and_the_plan_shows_it(dialog, qtbot):
    choices = dialog.strategy.choices
    assert choices.values() == ("llm", "extractive", "last_messages", "none")
    assert choices.value() == "extractive"
    with qtbot.waitSignal(dialog.plan_requested) as chosen:
        press(choices.button("last_messages"))
    assert chosen.args == [PlanOptimize("c", None, "last_messages")]
    assert not dialog.apply.isEnabled(), "until it was measured"
    dialog.set_plan(replace(PLAN, id="plan5", strategy="last_messages", kept=5))
    assert dialog.apply.isEnabled()
    assert not dialog.tail.isVisible()
    assert dialog.tail_label.text() == "Keep unchanged: 5 messages"
    dialog.set_plan(UNWRITTEN)
    assert dialog.tail.isVisible()
    assert choices.value() == "llm"
    with qtbot.waitSignal(dialog.plan_requested) as measured:
        dialog.tail.setValue(dialog.tail.minimum())
    assert measured.args == [PlanOptimize("c", 512, "last_messages")], "what was chosen stays so"


def test_a_model_that_is_too_small_does_not_offer_itself_and_says_why(dialog):
    dialog.set_plan(replace(PLAN, writer=Writer("SmolLM2", "SmolLM2 is too small.")))
    assert not dialog.strategy.choices.button("llm").isEnabled()
    assert dialog.strategy.choices.button("llm").toolTip() == "SmolLM2 is too small."
    assert dialog.strategy.note.text().endswith("SmolLM2 is too small.")


@pytest.mark.parametrize(
    ("writer", "words"),
    [
        (Writer("a", "", 1, 900, 100), "900 tokens to read, at most 100 to write"),
        (Writer("a", "", 3, 9_000, 100), "9,000 tokens to read, at most 100 to write, in 3 requests"),
        (Writer("a", "", 1, 900, 100, 0.0004), "900 tokens to read, at most 100 to write · under 1 cent"),
        (Writer("a", "", 1, 900, 100, 1.5), "900 tokens to read, at most 100 to write · at most $1.50"),
    ],
)
def test_the_cost_in_words(writer, words):
    assert cost_text(writer) == words


def test_the_scroll_bar_of_a_long_list_covers_nothing(qtbot, window):
    many = tuple(f"a fact number {number} that is long enough to be wrapped in its column" for number in range(40))
    window.resize(1_400, 1_000)
    made = PlanDialog(replace(PLAN, fidelity=Fidelity(40, 0, 40, 0, (), summary_facts=many)), "c", window)
    made.open()
    press(made.facts.link)
    qtbot.waitUntil(made.choices.verticalScrollBar().isVisible)
    qtbot.waitUntil(lambda: made.choices.content.width() <= made.choices.viewport().width())


def test_without_a_summary_only_results_are_shortened_and_no_tail_is_chosen(dialog, qtbot):
    with qtbot.waitSignal(dialog.plan_requested) as chosen:
        press(dialog.strategy.choices.button("none"))
    assert chosen.args == [PlanOptimize("c", None, "none")]
    dialog.set_plan(replace(PLAN, id="plan7", strategy="none", archived=(), archived_total=0, summary=""))
    assert dialog.apply.isEnabled()
    assert not dialog.tail_part.isVisible()
    assert "all messages stay" in dialog.strategy.note.text()
    dialog.set_plan(replace(PLAN, id="plan8", is_fresh=True))
    assert not dialog.strategy.choices.button("none").isVisible()


def test_a_cheaper_model_is_proposed_with_both_prices_and_taken_by_one_click(dialog, qtbot):
    assert not dialog.strategy.cheaper.isVisible()
    cheaper = replace(WRITER, dollars=0.31, cheaper="anthropic/claude-haiku-4-5", cheaper_label="claude-haiku-4-5")
    dialog.set_plan(replace(UNWRITTEN, writer=replace(cheaper, cheaper_dollars=0.02)))
    assert "would take $0.02 instead of $0.31" in dialog.strategy.cheaper.text()
    with qtbot.waitSignal(dialog.strategy.model_chosen) as chosen:
        press(dialog.strategy.use_cheaper)
    assert chosen.args == ["anthropic/claude-haiku-4-5"]
    with qtbot.waitSignal(dialog.plan_requested) as asked:
        dialog.ask_again()
    assert asked.args == [PlanOptimize("c", None, "")]
    dialog.set_plan(WRITTEN)
    assert not dialog.strategy.use_cheaper.isVisible()


def test_a_summary_that_rules_wrote_is_not_said_to_be_the_models(dialog):
    dialog.set_plan(WRITTEN)
    assert dialog.strategy.note.text().startswith("Written by large-1: 12,000 tokens in")
    dialog.set_plan(replace(WRITTEN, id="plan9", is_by_rules=True))
    assert dialog.strategy.note.text().startswith("large-1 was asked: 12,000 tokens in")
