"""The page of policies: choosing, turning numbers, what is asked for meanwhile, and what is stored."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, Qt

from desktop_app.context.fitting import acting_policy
from desktop_app.context.policy import BALANCED, PolicyTrial, budget_for
from desktop_app.context.policy_fields import GROUPS
from desktop_app.context.presets import LMSTUDIO, policy_of
from desktop_app.conversation.gauge import Gauge, Segment, Status
from desktop_app.conversation.insights import Replayed
from desktop_app.conversation.setup import OwnPolicy
from desktop_app.engine.protocol import PolicyReplayed
from desktop_app.settings import Settings
from desktop_app.ui.policy import policy_sheet
from desktop_app.ui.policy.effect_pane import effect_now, effect_past, rows_of
from desktop_app.ui.policy.field_row import FieldRow
from desktop_app.ui.policy.policy_sheet import PolicySheet
from texts import LEFT_AFTER, PERCENTS, SUMMARIES

OWN = OwnPolicy("Late", "relaxed", {"compact_at": 0.95, "stream_calls": 64})
LEFT = Qt.MouseButton.LeftButton
GAUGE = Gauge({Segment.USER: 20_000}, 20_000, 32_000, 6_400, Status.WARNING)


@pytest.fixture(autouse=True)
def soon(monkeypatch) -> None:
    """The questions come soon after a change."""
    monkeypatch.setattr(policy_sheet, "PAUSE", 10)
    monkeypatch.setattr(policy_sheet, "LONG_PAUSE", 40)


@pytest.fixture
def sheet(window, qtbot) -> PolicySheet:
    return opened(window, "balanced")


def opened(window, chosen: str, title: str = "Billing", own: tuple[OwnPolicy, ...] = (OWN,)) -> PolicySheet:
    made = PolicySheet(Settings(policies=own), chosen, title, {"balanced": 3, "Late": 1}, window)
    made.open()
    return made


def unfold(group) -> None:
    """Unfolds a group, whose rows come one after the other."""
    group.unfold()
    for _ in range(30):
        QCoreApplication.processEvents()


def row(sheet: PolicySheet, field: str):
    """The row of a field, for which its group is unfolded if it must be."""
    number = next(n for n, group in enumerate(GROUPS) if any(source.field == field for source in group.sources))
    if field not in sheet.groups[number].rows:
        unfold(sheet.groups[number])
    return sheet.groups[number].rows[field]


def type_into(qtbot, sheet: PolicySheet, field: str, text: str) -> None:
    edit = row(sheet, field).edit
    edit.clear()
    qtbot.keyClicks(edit, text)
    qtbot.keyClick(edit, Qt.Key.Key_Return)


def choose(sheet: PolicySheet, name: str) -> None:
    sheet.select.choose(name)
    sheet.select.activated.emit(sheet.select.currentIndex())


def use(qtbot, sheet: PolicySheet, button) -> tuple:
    with qtbot.waitSignal(sheet.used, timeout=1_000) as used:
        qtbot.mouseClick(button, LEFT)
    return tuple(used.args)


def test_a_preset_that_is_changed_becomes_a_policy_of_ones_own(sheet, qtbot) -> None:
    assert sheet.name.isHidden()
    type_into(qtbot, sheet, "compact_at", "850")
    assert sheet.draft() == OwnPolicy("balanced", "balanced", {}), "850 % is too much"
    type_into(qtbot, sheet, "compact_at", "85")
    assert sheet.draft() == OwnPolicy("Mine", "balanced", {"compact_at": 0.85})
    assert row(sheet, "compact_at").slider.value() == 85
    assert "1" in sheet.differs.text()
    assert use(qtbot, sheet, sheet.use_everywhere) == (
        "Mine",
        OwnPolicy("Mine", "balanced", {"compact_at": 0.85}),
        True,
    )
    assert not sheet.isVisible()


def test_the_keyboard_turns_a_slider_and_undo_takes_it_back(sheet, qtbot) -> None:
    slider = row(sheet, "prune_at").slider
    slider.setFocus()
    qtbot.keyClick(slider, Qt.Key.Key_Left)
    assert sheet.draft().numbers == {"prune_at": 0.79}
    assert row(sheet, "prune_at").edit.text() == "79 %"
    qtbot.mouseClick(sheet.undo, LEFT)
    assert sheet.draft().numbers == {}
    assert row(sheet, "prune_at").edit.text() == "80 %"
    assert (sheet.undo.isHidden(), sheet.name.isHidden()) == (True, True)
    assert use(qtbot, sheet, sheet.use_here) == ("balanced", None, False)


@pytest.mark.row("W8", "each field with meaning, source, bounds")
@pytest.mark.long
def test_every_field_can_be_seen_with_its_meaning_and_its_bounds(window) -> None:
    sheet = opened(window, "seline")
    for source in (source for group in GROUPS for source in group.sources):
        shown = row(sheet, source.field)
        assert source.meaning in shown.about.text(), source.field
        control = shown.edit or shown.select or shown.switch
        assert control.accessibleName(), source.field
        assert control.accessibleDescription() == shown.about.text()
        assert bool(control.toolTip()) is bool(source.unit), source.field


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.title)
def test_showing_a_number_does_not_change_it(qtbot, group) -> None:
    late = policy_of(OWN)
    for source in group.sources:
        shown = FieldRow(source, getattr(BALANCED, source.field))
        qtbot.addWidget(shown)
        changed: list[object] = []
        shown.changed.connect(lambda _, value, changed=changed: changed.append(value))
        shown.show_value(LMSTUDIO, BALANCED, None)
        shown.show_value(late, BALANCED, None)
        assert changed == []
        if shown.edit is not None:
            shown.edit.editingFinished.emit()
            assert changed == [getattr(late, source.field)]


def test_a_policy_of_ones_own_is_shown_compared_with_its_preset_and_can_be_deleted(window, qtbot) -> None:
    sheet = opened(window, "Late")
    assert sheet.name.text() == "Late"
    assert "1 conversation" in sheet.differs.text()
    assert "2" in sheet.differs.text()
    group = next(view for view, group in zip(sheet.groups, GROUPS, strict=True) if "stream_calls" in str(group.sources))
    assert "1" in group.more.text(), "a change that is folded is told"
    type_into(qtbot, sheet, "compact_at", "93 %")
    assert sheet.draft() == OwnPolicy("Late", "relaxed", {"stream_calls": 64})
    assert sheet.remove.isHidden(), "first the change"
    qtbot.mouseClick(sheet.undo, LEFT)
    with qtbot.waitSignal(sheet.removed) as removed:
        qtbot.mouseClick(sheet.remove, LEFT)
    assert removed.args == ["Late"]


@pytest.mark.parametrize("name", ["", "  ", "Balanced", "late"])
@pytest.mark.long
def test_a_name_that_is_taken_is_refused(window, qtbot, name: str) -> None:
    own = (OWN, OwnPolicy("late"))
    sheet = opened(window, "balanced", own=own)
    type_into(qtbot, sheet, "target", "40 %")
    sheet.name.setText(name)
    with qtbot.assertNotEmitted(sheet.used):
        qtbot.mouseClick(sheet.use_everywhere, LEFT)
    assert sheet.isVisible()
    assert sheet.name.hasFocus()


@pytest.mark.long
def test_switches_and_lists_of_words_and_numbers(sheet, qtbot) -> None:
    qtbot.mouseClick(row(sheet, "is_automatic").switch, LEFT)
    select = row(sheet, "strategy").select
    select.choose("extractive")
    type_into(qtbot, sheet, "phases", "streaming")
    type_into(qtbot, sheet, "max_tail", "no limit")
    numbers = sheet.draft().numbers
    assert (numbers["is_automatic"], numbers["strategy"], numbers["phases"]) == (False, "extractive", ("streaming",))
    assert row(sheet, "max_tail").slider.value() == row(sheet, "max_tail").slider.maximum()
    choose(sheet, "relaxed")
    assert sheet.draft() == OwnPolicy("relaxed", "relaxed")


def test_what_it_would_do_is_asked_for_once_for_several_turns(sheet, qtbot) -> None:
    asked: list[OwnPolicy] = []
    sheet.tried.connect(asked.append)
    turned = OwnPolicy("Mine", "balanced", {"compact_at": 0.87})
    check = lambda before, after: (before.name, after) == ("balanced", turned)  # noqa: E731
    with qtbot.waitSignal(sheet.compared, timeout=3_000, check_params_cb=check):
        for _ in range(3):
            qtbot.keyClick(row(sheet, "compact_at").slider, Qt.Key.Key_Left)
    assert asked[-1] == sheet.draft() == turned
    assert asked.count(turned) == 1
    assert len(asked) < 3, "at most one before, of the policy as it was"


def test_the_policy_in_use_is_compared_with_its_preset(window, qtbot) -> None:
    sheet = opened(window, "Late")
    with qtbot.waitSignal(sheet.compared, timeout=3_000) as compared:
        pass
    assert (compared.args[0].name, compared.args[1].name) == ("relaxed", "Late")


def test_without_a_conversation_nothing_is_asked(window, qtbot) -> None:
    sheet = opened(window, "balanced", title="")
    with qtbot.assertNotEmitted(sheet.tried, wait=50):
        type_into(qtbot, sheet, "target", "40 %")
    assert sheet.use_here.isHidden()


def test_numbers_are_shown_as_they_act_in_the_window(sheet) -> None:
    acting = acting_policy(BALANCED, budget_for(BALANCED, 32_000))
    after = replace(GAUGE, thresholds=acting.thresholds)
    sheet.show_trial(PolicyTrial(GAUGE, after, acting, archived=12, tokens_after=9_000))
    assert "6,400 tokens" in row(sheet, "reserve_share_of_window").about.text()
    assert f"{acting.max_tail:,} tokens" in row(sheet, "max_tail").about.text()
    assert f"{round(0.9 * 25_600):,} tokens" in row(sheet, "compact_at").about.text()
    for part in ("12 messages", "20,000", "9,000"):
        assert part in sheet.effect.now.text()


def test_an_answer_takes_nothing_away_from_what_is_being_written(sheet, qtbot) -> None:
    edit = row(sheet, "compact_at").edit
    edit.setFocus()
    edit.selectAll()
    qtbot.keyClicks(edit, "8")
    sheet.show_trial(PolicyTrial(GAUGE, GAUGE, BALANCED))
    assert edit.text() == "8"
    qtbot.keyClicks(edit, "5%")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert (edit.text(), sheet.draft().numbers) == ("85 %", {"compact_at": 0.85})


def test_a_number_that_cannot_be_is_refused_by_what_can(sheet, qtbot) -> None:
    type_into(qtbot, sheet, "compact_at", "850")
    about = row(sheet, "compact_at").about.text()
    assert PERCENTS in about
    assert "compact_at" not in about
    assert not sheet.draft().numbers


def test_the_field_that_was_asked_for_is_written_over_at_once(sheet, qtbot) -> None:
    sheet.take_focus_to("compact_at")
    edit = row(sheet, "compact_at").edit
    assert sheet.focusWidget() is edit
    qtbot.keyClicks(edit, "85")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert sheet.draft().numbers == {"compact_at": 0.85}


def test_one_policy_alone_is_not_compared() -> None:
    played = Replayed(requests=3, compactions=2)
    same = PolicyReplayed(played, played, None, None, 0.1)
    assert effect_past(same, is_compared=False) != effect_past(same)
    assert "2" in effect_past(same, is_compared=False)


def test_what_it_would_do_now_in_words() -> None:
    early = replace(GAUGE, thresholds=(0.5, 0.5, 0.8, 0.9))
    assert "2,560 tokens earlier" in " ".join(effect_now(PolicyTrial(GAUGE, early, BALANCED)))
    assert "later" in " ".join(effect_now(PolicyTrial(early, GAUGE, BALANCED)))
    assert "3 messages" in " ".join(effect_now(PolicyTrial(GAUGE, GAUGE, BALANCED, pruned=3, tokens_after=1)))
    assert "No room." in " ".join(effect_now(PolicyTrial(GAUGE, GAUGE, BALANCED, note="No room.")))
    assert len(list(effect_now(PolicyTrial(replace(GAUGE, window=0), replace(GAUGE, window=0), BALANCED)))) == 1


def test_what_it_would_have_done_in_words_and_figures() -> None:
    before = Replayed(
        requests=300,
        tokens_sent=2_000_000,
        tokens_cached=1_900_000,
        compactions=7,
        facts=50,
        facts_kept=49,
        share_after=0.3516,
    )
    after = replace(before, tokens_sent=1_500_000, tokens_cached=750_000, compactions=4, requests_too_large=1)
    after = replace(after, share_after=0.4991)
    priced = PolicyReplayed(before, after, 5.0, 5.6, 1.4)
    words = effect_past(priced)
    assert all(part in words for part in ("300 requests", SUMMARIES.format(now=4, before=7), "12 % more expensive"))
    assert "25 % fewer tokens" in effect_past(PolicyReplayed(before, after, None, None, 1.4))
    rows = {name: values for name, *values in rows_of(priced)}
    assert rows["Summaries"] == ["7", "4"]
    assert rows[LEFT_AFTER] == ["35 %", "50 %"]
    assert ["2.0 M", "1.5 M"] in rows.values()
    assert ["95 %", "50 %"] in rows.values()
    assert ["$ 5.00", "$ 5.60"] in rows.values()
    assert ["98 %", "98 %"] in rows.values()
    assert ["0", "1"] in rows.values()
    assert len(list(rows_of(PolicyReplayed(Replayed(), Replayed(), None, None, 0.0)))) < len(rows)
    assert effect_past(PolicyReplayed(Replayed(), Replayed(), None, None, 0.0))


def test_in_a_narrow_window_the_effect_is_above_the_fields(window, qtbot) -> None:
    sheet = opened(window, "balanced")
    qtbot.waitUntil(lambda: sheet.effect.x() >= sheet.area.x() + sheet.area.width())
    window.resize(640, 520)
    qtbot.waitUntil(lambda: sheet.effect.y() < sheet.area.y())
    assert sheet.area.width() > 500


def test_in_a_low_window_there_is_one_area_that_scrolls(window, qtbot) -> None:
    sheet = opened(window, "balanced")
    window.resize(800, 500)
    qtbot.waitUntil(lambda: sheet.area.isAncestorOf(sheet.effect))
    window.resize(1_200, 900)
    qtbot.waitUntil(lambda: not sheet.area.isAncestorOf(sheet.effect))
