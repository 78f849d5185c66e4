"""The toolbox: what is on offer, calls that do not fit, other sources, and what goes wrong in the world."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_calls import Desk, longest_gap

from desktop_app.context.policy import ContextPolicy
from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission, Rule, ToolContext, ToolOutcome, ToolSpec
from desktop_app.models.tokens.tokenizers import tokenizer_of
from desktop_app.permissions.rules import decided
from desktop_app.settings import Settings
from desktop_app.tools.list_folder import MAX_LISTED
from desktop_app.tools.registry import ToolRegistry
from slowness import slowness

NAMES = ["read", "write", "edit", "list", "glob", "grep", "bash", "web_fetch", "web_search"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


class Echo:
    """A source as an MCP server is one."""

    def __init__(self, *names: str) -> None:
        self.names = names

    async def specs(self, place: ToolContext) -> tuple[ToolSpec, ...]:
        return tuple(ToolSpec(name, "says it again", source="echo") for name in self.names)  # those of this moment

    async def needs(self, call: ToolCall, place: ToolContext) -> tuple[RequiredPermission, ...]:
        return (RequiredPermission(call.name, "mcp", f"echo/{call.name}"),)

    async def run(self, call: ToolCall, place: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        yield "so far"
        yield ToolOutcome(call.arguments)

    def failures(self) -> tuple[Failure, ...]:
        return (Failure("mcp", "echo is tired"),)


async def test_ours_are_on_offer_in_one_order_and_with_the_same_bytes(desk: Desk, tmp_path: Path) -> None:
    specs = await desk.toolbox.specs(desk.place)
    assert [spec.name for spec in specs] == NAMES
    assert specs == await ToolRegistry((), desk.spills, Settings, tmp_path).specs(ToolContext("other"))
    for spec in specs:
        schema = json.loads(spec.parameters)
        assert schema["type"] == "object"
        assert "$ref" not in spec.parameters
        assert "title" not in spec.parameters
        assert spec.source == ""
        assert set(schema.get("required", [])) <= set(schema["properties"])


@pytest.mark.slow  # to load the tokenizer takes a second or two
async def test_the_schemas_of_ours_cost_less_than_900_tokens(desk: Desk) -> None:
    """They are in every request."""
    tokenizer = tokenizer_of("o200k")
    specs = await desk.toolbox.specs(desk.place)
    sent = "".join(
        f'{{"type":"function","function":{{"name":"{spec.name}","description":"{spec.description}",'
        f'"parameters":{spec.parameters}}}}}'
        for spec in specs
    )
    assert tokenizer.count(sent) < 900


async def test_each_has_limits_of_its_own_for_results_or_the_common_one(desk: Desk) -> None:
    limited = {name for name, _ in ContextPolicy().truncate_tools}
    assert limited <= {spec.name for spec in await desk.toolbox.specs(desk.place)}


async def test_what_is_switched_off_is_not_offered_and_does_not_run(desk: Desk) -> None:
    desk.settings = Settings(tools_off=("bash", "write"))
    assert [spec.name for spec in await desk.toolbox.specs(desk.place)] == [
        n for n in NAMES if n not in ("bash", "write")
    ]
    assert "There is no tool named bash. There are: read, edit, " in await desk.failure("bash", command="touch x")
    assert await desk.needs("bash", command="touch x") == ()
    assert not (desk.folder / "x").exists()


async def test_other_sources_come_after_ours_and_take_no_names(desk: Desk) -> None:
    toolbox = ToolRegistry((Echo("echo", "read"), Echo("echo", "again")), desk.spills, Settings, desk.data)
    specs = await toolbox.specs(desk.place)
    assert [spec.name for spec in specs] == [*NAMES, "echo", "again"]
    assert specs[0].source == ""
    call = ToolCall("1", "echo", "anything")
    assert await toolbox.needs(call, desk.place) == (RequiredPermission("echo", "mcp", "echo/echo"),)
    assert await toolbox.needs(call, desk.place) == (RequiredPermission("echo", "mcp", "echo/echo"),), (
        "the same, when asked again"
    )
    assert [piece async for piece in toolbox.run(call, desk.place)] == ["so far", ToolOutcome("anything")]
    assert len(toolbox.failures()) == 2


async def outcome_of(toolbox: ToolRegistry, call: ToolCall, place: ToolContext) -> ToolOutcome:
    outcome = [piece async for piece in toolbox.run(call, place)][-1]
    assert isinstance(outcome, ToolOutcome)
    return outcome


async def test_what_nobody_was_asked_for_does_not_run(desk: Desk) -> None:
    write = ToolCall("1", "write", '{"path": "a.txt", "content": "x"}')
    assert "did not run" in (await outcome_of(desk.toolbox, write, desk.place)).text
    assert not (desk.folder / "a.txt").exists()
    await desk.toolbox.needs(write, desk.place)
    assert not (await outcome_of(desk.toolbox, write, desk.place)).is_error
    assert "did not run" in (await outcome_of(desk.toolbox, write, desk.place)).text, "an answer holds for one run"
    await desk.toolbox.needs(write, ToolContext("another", str(desk.folder)))
    assert "did not run" in (await outcome_of(desk.toolbox, write, desk.place)).text


async def test_a_tool_that_comes_back_does_not_run_before_it_was_asked_for(desk: Desk) -> None:
    source = Echo()
    toolbox = ToolRegistry((source,), desk.spills, Settings, desk.data)
    call = ToolCall("1", "echo", "anything")
    assert await toolbox.needs(call, desk.place) == ()
    source.names = ("echo",)
    refused = await outcome_of(toolbox, call, desk.place)
    assert refused.is_error
    assert "did not run" in refused.text
    await toolbox.needs(call, desk.place)
    assert await outcome_of(toolbox, call, desk.place) == ToolOutcome("anything")


@pytest.mark.parametrize("name", ["write", "edit", "read", "list", "grep"])
async def test_a_path_that_means_something_else_by_then_is_left_alone(desk: Desk, name: str) -> None:
    """Another call of the same reply has put a link there."""
    theirs = desk.outside("a.txt", "theirs")
    more = {"write": {"content": "x"}, "edit": {"old_text": "theirs", "new_text": "x"}, "grep": {"pattern": "theirs"}}
    path = "place" if name in ("list", "grep") else "place/a.txt"
    call = ToolCall("1", name, json.dumps({"path": path, **more.get(name, {})}))
    await desk.toolbox.needs(call, desk.place)
    (desk.folder / "place").symlink_to(theirs.parent)
    refused = await outcome_of(desk.toolbox, call, desk.place)
    assert refused.is_error
    assert "theirs" not in refused.text
    assert "did not run" in refused.text
    assert theirs.read_text() == "theirs"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "missing required field `path`"),
        ("{}", "read takes: path (string, required), offset (integer, optional)"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "Expected `object`"),
        ('{"path": 3}', "Expected `str`"),
        ('{"path": ""}', "length >= 1"),
        ('{"path": "a", "offset": 0}', ">= 1"),
        ('{"path": "a", "offset": "x"}', "Expected `int`"),
        ('{"path": "a", "ofset": 1}', "unknown field `ofset`"),
        ('{"path": "a", "offset": 1e400}', "do not fit"),
    ],
)
async def test_arguments_that_do_not_fit_say_what_would(desk: Desk, arguments: str, words: str) -> None:
    _, outcome = await desk.pieces("read", arguments)
    assert outcome.is_error
    assert words in outcome.text
    assert await desk.toolbox.needs(ToolCall("1", "read", arguments), desk.place) == ()


async def test_numbers_and_truth_values_in_quotes_are_taken(desk: Desk) -> None:
    desk.file("a.txt", "x x\ny")
    assert await desk.call("read", path="a.txt", offset="2", limit="1") == "2\ty\n[lines 2 to 2 of 2]"
    await desk.call("edit", path="a.txt", old_text="x", new_text="z", replace_all="true")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8), lambda of: st.lists(of, max_size=3)
)
FIELDS = st.sampled_from(["path", "pattern", "include", "offset", "limit", "old_text", "new_text", "url", "query"])


@pytest.mark.slow
@given(st.sampled_from([n for n in NAMES if n not in ("bash", "write", "web_search")]), st.dictionaries(FIELDS, JSON))
async def test_whatever_a_model_writes_has_an_outcome(
    tmp_path_factory: pytest.TempPathFactory, name: str, arguments: dict[str, object]
) -> None:
    desk = Desk(tmp_path_factory.mktemp("any"))
    desk.settings = Settings()
    if name == "web_fetch":
        arguments.pop("url", None)
    needs = await desk.toolbox.needs(ToolCall("1", name, json.dumps(arguments)), desk.place)
    if decided(needs) == "allow":  # such as a turn would run
        _, outcome = await desk.pieces(name, json.dumps(arguments))
        assert outcome.text
    assert list(desk.folder.iterdir()) == []


async def test_what_the_system_refuses_is_an_outcome(desk: Desk) -> None:
    assert "not permitted" in await desk.failure("read", path="/proc/1/mem") or os.geteuid() == 0
    assert await desk.failure("write", path="/proc/nothing/here", content="x")
    assert await desk.failure("list", path="/proc/nothing")


async def test_a_folder_is_listed(desk: Desk) -> None:
    desk.file("b.txt", "12345")
    desk.file("a/inner", "")
    desk.file("Z", "x" * 1_234)
    (desk.folder / "broken").symlink_to("nowhere")
    (desk.folder / "link").symlink_to("a")
    assert await desk.call("list") == "a/\nlink/ -> a\nZ  1,234\nb.txt  5\nbroken  [broken link]"
    assert await desk.call("list", path="a") == "inner  0"
    (desk.folder / "empty").mkdir()
    assert await desk.call("list", path="empty") == "[empty is empty]"
    assert "use read" in await desk.failure("list", path="b.txt")
    assert "no folder" in await desk.failure("list", path="c")
    for n in range(MAX_LISTED * 2):
        (desk.folder / "empty" / f"{n:04}").touch()
    said = await desk.call("list", path="empty")
    assert said.count("\n") == MAX_LISTED
    assert said.endswith(f"[… {MAX_LISTED} more of 1,000: narrow it with glob]")


async def test_the_table_of_needs(desk: Desk) -> None:
    """Row by row, what a call takes from a user who has allowed nothing yet."""
    desk.file("a.txt", "x")
    free = [("read", {"path": "a.txt"}), ("list", {}), ("glob", {"pattern": "*"}), ("grep", {"pattern": "x"})]
    for name, arguments in free:
        assert await desk.needs(name, **arguments) == ()
    asked = [
        ("read", {"path": "/etc/hosts"}, "read"),
        ("list", {"path": "/etc"}, "read"),
        ("glob", {"pattern": "*", "path": "/etc"}, "read"),
        ("grep", {"pattern": "x", "path": "/etc"}, "read"),
        ("write", {"path": "a.txt", "content": ""}, "write"),
        ("edit", {"path": "a.txt", "old_text": "x", "new_text": "y"}, "write"),
        ("bash", {"command": "ls"}, "run"),
        ("web_fetch", {"url": "https://example.org"}, "network"),
        ("web_search", {"query": "x"}, "network"),
    ]
    for name, arguments, kind in asked:
        [need] = await desk.needs(name, **arguments)
        assert (need.tool, need.kind) == (name, kind)
        assert decided([need]) == "ask"
        assert decided([need], [Rule(name, need.suggestion)]) == "allow"


async def test_without_a_working_folder_everything_is_outside(desk: Desk) -> None:
    desk.place = ToolContext("one")
    [need] = await desk.needs("read", path="a.txt")
    assert need.target == str(Path.home().resolve() / "a.txt")


def test_schemas_are_values_that_can_be_sent() -> None:
    assert msgspec.json.decode(ToolSpec("x", "y").parameters) == {"type": "object", "properties": {}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"path": "large.txt", "offset": 1_000_000}),
        ("read", {"path": "large.txt"}),
        ("edit", {"path": "five.txt", "old_text": "nowhere", "new_text": "x"}),
        ("edit", {"path": "five.txt", "old_text": "words", "new_text": "x", "replace_all": True}),
        ("write", {"path": "new.txt", "content": "é" * 3_000_000}),
        ("grep", {"pattern": "words"}),
        ("list", {"path": "many"}),
        ("glob", {"pattern": "*"}),
    ],
)
async def test_no_tool_holds_the_engine_up(desk: Desk, name: str, arguments: dict[str, object]) -> None:
    """The best of five tries, since this measures the machine as well."""
    desk.file("large.txt", "a line of words\n" * 1_100_000)
    desk.file("five.txt", "a line of words é\n" * 200_000)
    for n in range(3_000):
        desk.file(f"many/{n}", "")
    gaps = [await longest_gap(desk.pieces(name, json.dumps(arguments))) for _ in range(5)]
    assert min(gaps) < 0.05 * slowness(), gaps
