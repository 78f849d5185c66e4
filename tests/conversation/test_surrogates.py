from __future__ import annotations

from desktop_app.conversation.message import user_message
from desktop_app.conversation.surrogates import replace_surrogates


def test_a_lone_surrogate_becomes_a_sign_and_nothing_else_changes() -> None:
    sound = user_message("a \U0001f642 b")
    assert replace_surrogates(sound) is sound
    assert replace_surrogates(user_message("a \ud800 b \ud83d\ude42")) == user_message("a \ufffd b \U0001f642")
