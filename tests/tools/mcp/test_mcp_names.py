"""The names under which the tools of servers are offered."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.tools.mcp.tool_list import SEPARATOR, prefixes_of, suffixes_of

NAMES = st.lists(st.text(max_size=90) | st.text("ab_-./", max_size=4), unique=True, max_size=6)


def names_of(servers: dict[str, list[str]]) -> list[str]:
    prefixes = prefixes_of(servers)
    return [
        prefixes[server] + SEPARATOR + suffix
        for server, tools in servers.items()
        for suffix in suffixes_of(tools, prefixes[server]).values()
    ]


def test_names_stay_readable_and_no_server_can_take_that_of_anothers_tool() -> None:
    tools = {"git": ["log", "show"], "my files": ["read.file"], "天气": ["查询"], "地图": ["查"]}
    assert names_of(tools) == ["git__log", "git__show", "my_files__read_file", "server____", "server-2___"]
    names = names_of({"a": ["b__c", "_b__c"], "a__b": ["c"], "a_": ["b__c"], "A": ["b__c"]})
    assert len(set(names)) == len(names)
    long = ["x" * 80 + "1", "x" * 80 + "2"]
    assert names_of({"server": long[::-1]}) == names_of({"server": long})[::-1], "cut the same way each time"


@given(st.dictionaries(st.text(max_size=40), NAMES, max_size=3))
def test_names_are_valid_and_unique(servers: dict[str, list[str]]) -> None:
    names = names_of(servers)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)
    assert len(set(names)) == len(names)
    assert len(names) == sum(len(tools) for tools in servers.values())
