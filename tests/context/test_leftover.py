from __future__ import annotations

import pytest
from made_by_hand import call, head, letters, model, result, user

from desktop_app.context.extractive.extract import extract
from desktop_app.context.extractive.summary_builder import RESULTS, SHOWN
from desktop_app.context.ledger.ledger import ledger_of
from desktop_app.conversation.facts import Ledger

CODE = "\n".join(f"    total_{n} = compute(rows[{n}], rate={n})" for n in range(150))
SAID = head(
    user(f"Look at this, please:\n```python\n{CODE}\n```"),
    model(f"I would write it so:\n```python\n{CODE[::-1]}\n```"),
    model("", call("read", '{"path": "a.py"}')),
    result(CODE.replace("total", "sum")),
)


@pytest.mark.parametrize("budget", [900, 1_500, 3_000])
def test_room_left_over_is_filled_with_what_was_shown(budget: int) -> None:
    count = letters().text
    page = extract(SAID, "", ledger_of(SAID, Ledger()), budget, count)
    assert 0.9 * budget < count(page) <= budget
    assert f"## {SHOWN}\n" in page
    assert f"## {RESULTS}\n- read" in page


def test_what_was_said_is_not_shown() -> None:
    said = head(user("Please look at the parser. It drops the last row when there is no line end. " * 3))
    assert SHOWN not in extract(said, "", ledger_of(said, Ledger()), 2_000, letters().text)


def test_without_room_nothing_is_shown() -> None:
    assert SHOWN not in extract(SAID, "", ledger_of(SAID, Ledger()), 60, letters().text)
