"""What a lost cache costs, in words: in the picker's rows, in a sheet's notice, and in the panel."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from desktop_app.conversation.gauge import Gauge, Segment, Status
from desktop_app.conversation.listing import CacheReset, ModelInfo, OtherWay, SwitchPreview, Writer
from desktop_app.engine.protocol import ModelsListed
from desktop_app.ui.cache_notice import CacheNotice
from desktop_app.ui.context_panel.panel_breakdown import about_cache
from desktop_app.ui.model_picker import ModelPicker, cache_words
from desktop_app.ui.model_words import change_words, reset_words
from desktop_app.ui.optimize.summary_editor import cost_text, other_way_text

GAUGE = Gauge({Segment.USER: 9_510}, 9_510, 16_384, 1_638, Status.SAFE)
RESET = CacheReset(113_301, 0.0, 0.034, 0.42)
CLAUDE = ModelInfo("s/claude", "claude", 200_000, 8_000, may_cache_an_hour=True)


def test_the_price_of_the_next_message_is_named_before_the_change() -> None:
    assert reset_words(RESET) == "next message $0.42 instead of $0.03"
    assert reset_words(CacheReset(113_301)) == "reads 113,301 tokens again"
    assert "113,301 tokens" in change_words(RESET)
    assert "$0.42 instead of $0.03" in change_words(RESET)


def test_the_notice_appears_only_if_something_is_lost_and_can_be_silenced(qtbot) -> None:
    notice = CacheNotice()
    qtbot.addWidget(notice)
    notice.show_reset(None)
    assert notice.isHidden()
    notice.show_reset(RESET)
    assert not notice.isHidden()
    with qtbot.waitSignal(notice.silenced):
        notice.silence.click()
    assert notice.isHidden()


@pytest.mark.parametrize(("verdict", "is_named"), [("fits", True), ("unknown", True), ("compact", False)])
def test_the_picker_names_it_where_the_same_request_is_sent(qtbot, verdict, is_named: bool) -> None:
    picker = ModelPicker()
    qtbot.addWidget(picker)
    other = replace(CLAUDE, id="s/other", label="other")
    picker.offer(ModelsListed((CLAUDE, other)), [CLAUDE, other], CLAUDE.id)
    picker.show_preview(other.id, SwitchPreview(verdict, 5_000, 8_000, 900, RESET))
    row = next(row for row in picker.list.rows.rows if row.key == other.id)
    assert ("instead of" in "".join(run.text for run in row.body)) == is_named


def test_the_picker_switches_the_life_of_the_cache(qtbot) -> None:
    picker = ModelPicker()
    qtbot.addWidget(picker)
    for model, wanted in ((CLAUDE, True), (replace(CLAUDE, cache_seconds=3_600), False)):
        picker.offer(ModelsListed((model,)), [model], model.id)
        row = next(row for row in picker.list.rows.rows if row.title == cache_words(model))
        with qtbot.waitSignal(picker.cache_chosen) as chosen:
            picker.list.row_chosen.emit(row.key)
        assert chosen.args == [model.id, wanted]
    gpt = replace(CLAUDE, may_cache_an_hour=False)
    picker.offer(ModelsListed((gpt,)), [gpt], gpt.id)
    assert not any("cache" in row.title for row in picker.list.rows.rows)


def test_the_panel_says_what_is_cached_and_until_when() -> None:
    assert list(about_cache(GAUGE)) == []
    (until,) = about_cache(replace(GAUGE, cached=9_000, cached_until=1_795_826_868.0))
    assert "9,000 tokens" in until
    (local,) = about_cache(replace(GAUGE, cached=9_000))
    assert "9,000 tokens" in local
    assert "until" not in local


def test_a_plan_names_both_ways_and_their_prices() -> None:
    warm = Writer("m", "", 1, 50_000, 2_000, 0.05, cached_tokens=49_000, other_way=OtherWay(3, 30_000, 0.18))
    assert cost_text(warm) == (
        "50,000 tokens to read, 49,000 of them from the provider’s cache, at most 2,000 to write · at most $0.05"
    )
    assert other_way_text(warm) == "The messages alone, as text: 30,000 tokens to read, in 3 requests · at most $0.18."
    cold = Writer("m", "", 3, 30_000, 6_000, 0.18, other_way=OtherWay(1, 50_000, 0.4), why_text="it is cold")
    assert "in 3 requests" in cost_text(cold)
    assert other_way_text(cold) == (
        "The messages are sent as text because it is cold. Behind the whole conversation: 50,000 tokens to read · "
        "at most $0.40."
    )
    assert other_way_text(Writer("m")) == ""
