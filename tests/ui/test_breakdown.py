"""What the breakdown and the gauge both say of the draft, and what the largest parts are called."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from desktop_app.conversation.gauge import Gauge, PartKind, Segment, SentPart, Status
from desktop_app.ui.context_panel.context_gauge import ContextGauge
from desktop_app.ui.context_panel.panel_breakdown import name_of

GAUGE = Gauge({Segment.USER: 1_510, Segment.ASSISTANT: 2_800}, 4_310, 8_192, 1_638, Status.SAFE)


@pytest.mark.parametrize("gauge", [GAUGE, replace(GAUGE, window=0, reserve=0)])
def test_the_draft_is_in_the_breakdown_as_it_is_in_the_gauge(panel, gauge, qtbot):
    shown = ContextGauge()
    qtbot.addWidget(shown)
    for part in (shown, panel.breakdown):
        part.set_gauge(gauge)
        part.set_draft_tokens(690)
    lines = {line.name: line for line in panel.breakdown.table.lines}
    assert (lines["Your draft"].tokens, lines["In the request"].tokens) == (690, 5_000)
    assert shown.numbers.text().startswith("5,000")
    if gauge.window:
        assert lines["Free"].tokens == 8_192 - 1_638 - 5_000
        assert sum(line.share or 0 for line in lines.values() if not line.is_sum) == 100
        assert lines["In the request"].share_words in shown.share.text(), "one percentage, of one whole"
    panel.breakdown.set_draft_tokens(0)
    assert "Your draft" not in {line.name for line in panel.breakdown.table.lines}


def test_a_draft_that_is_too_long_is_over_the_limit(panel):
    panel.breakdown.set_gauge(GAUGE)
    panel.breakdown.set_draft_tokens(3_000)
    lines = {line.name: line for line in panel.breakdown.table.lines}
    assert lines["Over the limit"].tokens == 8_192 - 1_638 - 4_310 - 3_000
    assert lines["In the request"].share == 112


def test_a_large_part_is_named_as_in_the_breakdown():
    said = SentPart(PartKind.MESSAGE, "user", "", "Never on Fridays.", 17, 20, Segment.USER, at=1.0)
    assert name_of(said, 2.0) == "You · Never on Fridays."
    answered = replace(
        said, role="assistant", segment=Segment.ASSISTANT, text="# Plan\n\n**Never** on `main`: __init__.py"
    )
    assert name_of(answered, 2.0) == "Assistant · Plan Never on main: init.py"
    typed = replace(said, text="**Never** on Fridays.")
    assert name_of(typed, 2.0) == "You · **Never** on Fridays.", "as it was typed"
    called = SentPart(PartKind.MESSAGE, "tool", "submit", "diff", 4, 20, Segment.RESULTS, arguments="{}")
    assert name_of(called, 2.0) == "Tool · submit"
    summary = SentPart(PartKind.SUMMARY, "user", "", "## Intent", 900, 300, Segment.SUMMARY, at=1.0)
    assert name_of(summary, 2.0).startswith("Summary, ")
    recalled = SentPart(PartKind.RECALLED, "user", "", "Earlier: …", 900, 300, Segment.MEMORY, at=1.0)
    assert name_of(recalled, 2.0).startswith("Memory · recalled, ")
