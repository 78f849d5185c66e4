"""More tools than some providers accept in one request."""

from __future__ import annotations

from desktop_app.chat.turn.tool_runtime import MAX_TOOLS, too_many_tools
from desktop_app.conversation.tools import ToolSpec


def test_too_many_tools_are_said_with_what_to_switch_off() -> None:
    specs = [ToolSpec(f"big__{n}", "", source="big") for n in range(MAX_TOOLS)] + [ToolSpec("read", "")]
    notice = too_many_tools(specs)
    assert notice.kind == "too_many_tools"
    assert str(MAX_TOOLS + 1) in notice.title
    assert f"big ({MAX_TOOLS})" in notice.advice
