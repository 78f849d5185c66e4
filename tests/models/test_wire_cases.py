"""Each wire case, a file of wire_cases, comes out as it must: see tests/support/wire_case.py for the format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop_app.models.litellm_library import LiteLLM
from wire_case import play

CASES = sorted((Path(__file__).parent / "wire_cases").glob("*.json"))


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
async def test_a_wire_case_comes_out_right(file: Path, tmp_path: Path, loaded: LiteLLM) -> None:
    case = json.loads(file.read_text(encoding="utf-8"))
    expect: dict[str, Any] = case["expect"]
    outcome = await play(case, tmp_path)
    least, most = expect.pop("gauge", (0, float("inf")))
    assert least <= outcome["gauge"] <= most, outcome["gauge"]
    for expression in expect.pop("sent", ()):
        assert eval(expression, {"bodies": outcome["bodies"], "json": json}), (expression, outcome["bodies"])
    results = expect.pop("results", outcome["results"])
    assert len(results) == len(outcome["results"])
    assert all(part in whole for part, whole in zip(results, outcome["results"], strict=True)), outcome["results"]
    usage = expect.pop("usage", {})
    assert outcome["usage"] | usage == outcome["usage"]
    assert {name: outcome[name] for name in expect} == expect
