from __future__ import annotations

import pytest

from desktop_app.conversation.openai_chat import BadChat, read_chat


def test_blank_lines_hold_no_messages_but_count_as_lines() -> None:
    good = b'\xef\xbb\xbf\n{"role": "user", "content": "one"}\n\n{"role": "user", "content": "two"}\n'
    assert [message.text for message in read_chat(good, str)] == ["one", "two"]
    with pytest.raises(BadChat) as caught:
        read_chat(good + b'\n\n{"role": "chief"}', str)
    assert caught.value.line == 7


def test_a_number_that_python_does_not_read_is_bad_input() -> None:
    with pytest.raises(BadChat, match="line 1: this is not JSON"):
        read_chat(b'{"role": "user", "content": ' + b"9" * 5_000 + b"}", str)
