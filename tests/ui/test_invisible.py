"""What a terminal obeys unseen is not copied."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from desktop_app.ui.widgets.number_formats import without_commands

OBEYED = re.compile("\r(?!\n)|[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]")


@given(st.text(alphabet="ab \r\n\t\x00\x0c\x1b\x7f\x85\xa0\xff\u6f22\ud800\U0001f600"))
@example("\r\x00\n\r\n")
@example("\xc3\xbf\xc2\x9b")
def test_only_what_a_terminal_obeys_is_left_out(text: str) -> None:
    assert without_commands(text) == OBEYED.sub("", text)
