from __future__ import annotations

import re
from collections import Counter

import pytest
from msgspec.structs import fields

from desktop_app.context.policy import ContextPolicy
from desktop_app.context.policy_sources import GROUPS, FieldSource
from desktop_app.context.presets import PRESETS, SUMMARIES

SOURCES = [source for group in GROUPS for source in group.sources]


def test_every_number_has_exactly_one_source() -> None:
    told = Counter(source.field for source in SOURCES)
    assert told == Counter(field.name for field in fields(ContextPolicy) if field.name != "name")


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.field)
def test_a_source_names_a_row_and_who_asked(source: FieldSource) -> None:
    assert re.fullmatch(r"[CTPKS]\d{1,2}(-[CTPKS]\d{1,2})?", source.row)
    assert set(source.documents.split()) <= {"0", "1", "2", "3", "4", "+"}
    assert source.documents
    assert source.meaning


def test_every_preset_is_said_in_a_line() -> None:
    assert SUMMARIES.keys() == PRESETS.keys()
    assert all(0 < len(words) < 100 for words in SUMMARIES.values())


@pytest.mark.parametrize("policy", PRESETS.values(), ids=lambda policy: policy.name)
def test_every_share_is_a_part(policy: ContextPolicy) -> None:
    shares = [getattr(policy, source.field) for source in SOURCES if source.unit == "share"]
    assert len(shares) > 25
    assert all(0 <= share <= 1 for share in shares)
