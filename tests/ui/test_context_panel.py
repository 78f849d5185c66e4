"""The panel on the right: breakdown, history, pins."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from ui_scenes import link, press

from builders import user
from desktop_app.conversation.events import MessageRow, MessageState, OperationRow, ViewChanged
from desktop_app.conversation.gauge import Gauge, Provenance, Segment, Status
from desktop_app.conversation.memory import Fidelity
from desktop_app.conversation.message import Totals, Usage
from desktop_app.conversation.transcript import Trigger
from desktop_app.ui.context_panel.history import CARDS
from desktop_app.ui.context_panel.operation_card import REWRITE, TRIGGER_WORDS, figures_of, means_of, note_of, title_of
from desktop_app.ui.context_panel.panel_breakdown import lines_of
from desktop_app.ui.transcript.markdown_documents import MarkdownText
from desktop_app.ui.translation import use_language
from desktop_app.ui.widgets.buttons import LinkButton
from desktop_app.ui.widgets.text_label import TextLabel

GAUGE = Gauge(
    {Segment.USER: 842, Segment.SYSTEM: 25, Segment.ASSISTANT: 2_800, Segment.SUMMARY: 643},
    4_310,
    8_192,
    1_638,
    Status.SAFE,
    tokenizer="smollm2",
)
SUMMARY = "## Primary intent\nMove billing, by 3 March.\n\n## Rules\n- never touch `vendor/`\n"
COMPACTION = OperationRow(
    "c1",
    "compaction",
    2_000.0,
    Trigger.BEFORE_REQUEST,
    {"extractive": 42},
    42,
    61_204,
    4_180,
    "m41",
    SUMMARY,
    Fidelity(58, 31, 11, 0),
)
BEGUN = replace(COMPACTION, id="b1", trigger=Trigger.USER, messages=0, after_message_id="m0")
PRUNE = OperationRow(
    "p1", "prune", 1_000.0, Trigger.TOOL_RESULT, {"soft_trim": 2, "hard_clear": 1}, 3, 9_000, 5_500, ""
)


def message(number: int, **fields) -> MessageRow:
    said = user(f"What about invoice {number}?", id=f"m{number}", at=500.0 + number)
    return MessageRow(**({"message": said, "index": number, "tokens": 10, "state": MessageState.ARCHIVED} | fields))


# The breakdown


def test_the_breakdown_adds_up(panel):
    panel.breakdown.set_gauge(GAUGE)
    lines = panel.breakdown.table.lines
    names = [line.name for line in lines]
    assert names[:4] == ["System prompt", "Summary", "You", "Assistant"]
    assert names[-4:] == ["In the request", "Free", "Reserved for the reply", "Window"]
    by_name = {line.name: line for line in lines}
    segments = [line for line in lines if isinstance(line.square, Segment)]
    assert sum(line.tokens for line in segments) == by_name["In the request"].tokens
    parts = [by_name[name] for name in ("In the request", "Free", "Reserved for the reply")]
    assert sum(line.tokens for line in parts) == by_name["Window"].tokens == 8_192
    assert [line.share for line in parts] == [round(GAUGE.share * 100), 100 - round(GAUGE.share * 100), None]
    assert sum(line.share for line in segments) == by_name["In the request"].share
    panel.breakdown.set_gauge(replace(GAUGE, segments={Segment.USER: 7_000}, total=7_000))
    over = next(line for line in panel.breakdown.table.lines if line.name == "Over the limit")
    assert over.tokens == 8_192 - 1_638 - 7_000
    assert over.share is None
    assert next(line for line in panel.breakdown.table.lines if line.is_sum).share == 107


def test_percentages_are_explained_only_where_a_window_is_known(panel):
    panel.breakdown.set_gauge(GAUGE)
    assert "Percentages" in panel.breakdown.note.text()
    panel.breakdown.set_gauge(replace(GAUGE, window=0, reserve=0))
    assert "Percentages" not in panel.breakdown.note.text()


def test_the_breakdown_tells_where_its_numbers_come_from(panel):
    panel.breakdown.set_gauge(GAUGE)
    assert "by smollm2" in panel.breakdown.note.text()
    panel.breakdown.set_gauge(replace(GAUGE, provenance=Provenance.MEASURED, window_provenance=Provenance.ASSUMED))
    assert "Measured" in panel.breakdown.note.text()
    assert "assumed" in panel.breakdown.note.text()
    panel.breakdown.set_gauge(None)
    assert panel.breakdown.table.lines == []


def test_a_learned_window_is_shown_as_such_and_can_be_taken_back(panel, told):
    panel.breakdown.set_gauge(GAUGE)
    assert not panel.breakdown.own_window.isVisible()
    panel.breakdown.set_gauge(replace(GAUGE, stated_window=64_000))
    assert "learned" in panel.breakdown.note.text()
    assert "64,000" in panel.breakdown.note.text()
    press(panel.breakdown.own_window)
    assert told[-1][0] == "own_window"


# The history


def test_cards_are_newest_first_and_say_what_was_done(panel):
    panel.show_tab("history")
    assert panel.history.list.empty.isVisible()
    panel.history.set_operations((PRUNE, COMPACTION))
    indices = [panel.history.list.column.indexOf(panel.history.list.cards[key]) for key in ("c1", "p1")]
    assert indices == [0, 1]
    assert "".join(run.text for run in figures_of(COMPACTION)) == "61,204 → 4,180 tokens · 42 messages"
    assert "".join(run.text for run in figures_of(PRUNE)) == "3,500 tokens freed · 3 tool results"
    cut = replace(PRUNE, strategies={"cut_reply": 2}, messages=2)
    assert title_of(cut) == "Cut reply shortened"
    assert "".join(run.text for run in figures_of(cut)) == "3,500 tokens freed"
    both = replace(PRUNE, strategies={"unanswered": 3, "cut_reply": 1}, messages=4)
    assert "".join(run.text for run in figures_of(both)) == "3,500 tokens freed · 3 tool results"
    assert "2 trimmed" in panel.history.list.cards["p1"].accessibleName()
    assert not panel.history.list.empty.isVisible()


def test_undo_redo_and_merging_by_id(panel, told):
    panel.show_tab("history")
    panel.history.set_operations((COMPACTION,))
    press(link(panel.history.list.cards["c1"], "Undo"))
    assert told[-1] == ("undo", "c1")
    panel.change_view(ViewChanged("c", (replace(COMPACTION, is_undone=True), PRUNE), (), totals=Totals(operations=1)))
    assert "1 operation" in panel.breakdown.totals.accessibleDescription()
    assert set(panel.history.list.cards) == {"c1", "p1"}
    press(link(panel.history.list.cards["c1"], "Redo"))
    assert told[-1] == ("redo", "c1")


def test_the_summary_opens_in_the_card_stays_open_and_can_be_selected(panel, qtbot):
    panel.show_tab("history")
    panel.history.set_operations((COMPACTION,))
    press(link(panel.history.list.cards["c1"], "Summary"))
    panel.change_view(ViewChanged("c", (replace(COMPACTION, is_undone=True),), ()))
    summary = panel.history.list.cards["c1"].summary
    assert "Move billing, by 3 March." in summary.toPlainText()
    assert summary.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
    qtbot.waitUntil(lambda: summary.height() >= summary.document().size().height())
    press(link(panel.history.list.cards["c1"], "Summary"))
    assert not panel.history.list.cards["c1"].is_open()


def test_a_summary_loads_no_pictures_and_no_html(qtbot, tmp_path):
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"not for the window")
    text = MarkdownText(f"![x]({secret.as_uri()}) <b>bold</b>")
    qtbot.addWidget(text)
    assert text.document().loadResource(QTextDocument.ResourceType.ImageResource.value, secret.as_uri()) is None
    assert "<b>" in text.toPlainText()


def test_many_operations_are_made_by_and_by(panel):
    panel.show_tab("history")
    many = [replace(COMPACTION, id=f"c{number}", at=float(number)) for number in range(3 * CARDS)]
    panel.history.set_operations(many)
    assert len(panel.history.list.cards) == CARDS
    assert many[-1].id in panel.history.list.cards
    press(panel.history.list.more)
    assert len(panel.history.list.cards) == 2 * CARDS
    panel.history.set_operations([replace(row, id=f"other {row.id}") for row in many])
    assert len(panel.history.list.cards) == CARDS, "another conversation begins anew"


@pytest.mark.parametrize(
    ("trigger", "usable", "words"),
    [
        (Trigger.BEFORE_REQUEST, 50_000, "91 % reached before the request"),
        (Trigger.AFTER_TURN, 60_000, "76 % reached after a reply"),
        (Trigger.BEFORE_REQUEST, 0, TRIGGER_WORDS[Trigger.BEFORE_REQUEST]),
    ],
)
def test_a_card_says_its_cause_its_duration_and_its_cost(trigger, usable, words):
    done = OperationRow(
        id="c", kind="compaction", at=0, trigger=trigger, strategies={"llm": 4}, messages=4, tokens_before=45_500,
        usable=usable, seconds=2.54, model="far/small", usage=Usage(900, 90, dollars=0.0123),
    )  # fmt: skip
    said = means_of(done)
    assert words.lower() in said.lower()
    assert "2.5 s" in said
    assert "$0.0123" in said
    assert note_of(done) == ""
    fell_back = replace(done, model="", strategies={"extractive": 4}, note="Assembled by rules because it failed.")
    assert REWRITE in note_of(fell_back)
    assert REWRITE not in note_of(replace(fell_back, is_undone=True))


# The pins


@pytest.mark.row("W6", "their sum")
def test_pins_are_listed_with_their_sum(panel, told):
    panel.show_tab("pins")
    assert "Nothing is pinned" in panel.pins.list.empty.text()
    panel.pins.set_pins((message(1, tokens=1_200), message(2, tokens=34)))
    assert panel.pins.total.text() == "1,234 tokens in 2 pinned messages"
    press(panel.pins.list.cards["m2"].unpin)
    assert told[-1] == ("unpin", "m2")
    press(panel.pins.list.cards["m1"].show_in_chat)
    assert told[-1] == ("message", "m1")
    card = panel.pins.list.cards["m1"]
    panel.pins.set_pins(())
    assert panel.pins.list.empty.isVisible()
    assert not card.isVisible()


def test_tabs_turn_by_mouse_and_by_keyboard(panel, qtbot):
    press(panel.tabs.button("pins"))
    assert panel.pins.isVisible()
    panel.tabs.button("pins").setFocus()
    qtbot.keyClick(panel.tabs.button("pins"), Qt.Key.Key_Left)
    assert panel.tabs.value() == "history"
    assert panel.history.isVisible()


def test_without_a_window_the_table_tells_the_request_alone():
    lines = lines_of(Gauge({Segment.USER: 300, Segment.SYSTEM: 100}, 400, 0, 0, Status.UNKNOWN))
    assert [(line.name, line.tokens, line.share) for line in lines] == [
        ("System prompt", 100, 25),
        ("You", 300, 75),
        ("In the request", 400, 100),
    ]


FAILED = OperationRow(
    "f1", "failed", 3_000.0, Trigger.BEFORE_REQUEST, {"too_small": 1}, 0, 61_204, 58_100, usable=51_000
)


def test_a_compaction_that_failed_says_why_and_its_first_link_can_help(panel, qtbot):
    panel.history.set_operations([FAILED])
    card = panel.history.list.cards["f1"]
    assert "61,204" in figures_of(FAILED)[0].text
    assert "58,100" in note_of(FAILED)
    assert "120 %" in means_of(FAILED)
    with qtbot.waitSignal(panel.requests.larger_model_requested):
        press(card.findChildren(LinkButton)[0])
    with qtbot.waitSignal(panel.requests.fresh_start_requested):
        press(card.findChildren(LinkButton)[1])
    panel.history.set_operations([replace(FAILED, strategies={"stalled": 1})])
    with qtbot.waitSignal(panel.requests.optimize_requested):
        press(panel.history.list.cards["f1"].findChildren(LinkButton)[0])


@pytest.mark.parametrize("cause", ["too_small", "frees_nothing", "stalled", "error"])
def test_each_cause_has_its_own_words(cause):
    reasons = {note_of(replace(FAILED, strategies={name: 1}, note="KeyError")) for name in ("too_small", cause)}
    assert len(reasons) == (1 if cause == "too_small" else 2)
    assert not any("{" in reason for reason in reasons)


def test_a_summary_to_begin_with_is_no_operation_on_messages_and_opens_by_its_mark(panel):
    panel.history.set_operations((BEGUN,))
    card = panel.history.list.cards["b1"]
    names = [button.objectName() for button in card.findChildren(LinkButton)]
    assert "summary" in names
    assert "messages" not in names
    panel.open_archived("b1")
    assert card.is_open()
    assert panel.history.currentWidget() is panel.history.list
    panel.open_archived("b1")
    assert card.is_open(), "the same click again hides nothing"


@pytest.mark.parametrize("row", [COMPACTION, replace(COMPACTION, is_undone=True)])
def test_a_card_is_no_wider_than_the_panel_in_german(panel, qapp, qtbot, language_is_restored, row):
    use_language(qapp, "de")
    panel.show_tab("history")
    panel.history.set_operations((row,))
    card = panel.history.list.cards["c1"]
    qtbot.waitUntil(card.isVisible)
    assert card.minimumSizeHint().width() <= card.width()
    links = [one for one in card.findChildren(LinkButton) if one.isVisible()]
    assert links
    assert all(card.rect().contains(one.geometry()) for one in links if one.parentWidget() is card)
    assert card.mapTo(panel, card.rect().topRight()).x() < panel.width() - 8


def test_the_time_of_a_card_is_never_cut(panel, qtbot):
    panel.show_tab("history")
    panel.history.set_operations((replace(PRUNE, trigger=Trigger.USER, is_elsewhere=True),))
    _, _, time = panel.history.list.cards["p1"].findChildren(TextLabel)[:3]
    qtbot.waitUntil(time.isVisible)
    assert time.width() >= time.sizeHint().width()
