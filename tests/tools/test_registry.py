"""The registry: what is on offer, calls that do not fit, other sources, and what goes wrong in the world."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_calls import Desk, outcome_of

from desktop_app.context.policy import ContextPolicy
from desktop_app.conversation.events import Failure
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import RequiredPermission, ToolContext, ToolOutcome, ToolSpec
from desktop_app.models.tokens.tokenizers import tokenizer_for
from desktop_app.permissions.rules import decide
from desktop_app.settings import Settings
from desktop_app.tools.list_folder import MAX_LISTED
from desktop_app.tools.registry import ToolRegistry
from slowness import slowness

NAMES = ["read", "write", "edit", "list", "glob", "grep", "bash", "web_fetch", "web_search"]


class Echo:
    """A source of tools, as MCP servers are one."""

    def __init__(self, *names: str) -> None:
        self.names = names

    async def specs(self, context: ToolContext) -> tuple[ToolSpec, ...]:
        return tuple(ToolSpec(name, "says it again", source="echo") for name in self.names)  # those of this moment

    async def get_ready(self, *_: object) -> None: ...

    def owns(self, name: str) -> bool:
        return False

    async def needs(self, call: ToolCall, context: ToolContext) -> tuple[RequiredPermission, ...]:
        return (RequiredPermission(call.name, "mcp", f"echo/{call.name}"),)

    async def preview(self, *_: object) -> None: ...

    async def run(self, call: ToolCall, context: ToolContext) -> AsyncGenerator[str | ToolOutcome, None]:
        yield "so far"
        yield ToolOutcome(call.arguments)

    def failures(self) -> tuple[Failure, ...]:
        return (Failure("mcp", "echo is tired"),)


async def test_ours_are_on_offer_in_one_order_and_with_the_same_bytes(desk: Desk, tmp_path: Path) -> None:
    specs = await desk.tools.specs(desk.context)
    assert [spec.name for spec in specs] == NAMES
    assert specs == await ToolRegistry((), desk.spills, Settings, tmp_path).specs(ToolContext("other"))
    for spec in specs:
        schema = json.loads(spec.parameters)
        assert schema["type"] == "object"
        assert "$ref" not in spec.parameters
        assert "title" not in spec.parameters
        assert set(schema.get("required", [])) <= set(schema["properties"])
    assert {name for name, _ in ContextPolicy().truncate_tools} <= set(NAMES)


@pytest.mark.wire  # to load the tokenizer takes a second or two
async def test_the_schemas_of_ours_cost_less_than_900_tokens(desk: Desk) -> None:
    """They are in every request."""
    functions = [
        {"name": spec.name, "description": spec.description, "parameters": json.loads(spec.parameters)}
        for spec in await desk.tools.specs(desk.context)
    ]
    sent = [{"type": "function", "function": function} for function in functions]
    assert tokenizer_for("o200k").count(json.dumps(sent, separators=(",", ":"))) < 900


async def test_what_is_switched_off_is_not_offered_and_does_not_run(desk: Desk) -> None:
    desk.settings = Settings(tools_off=("bash", "write"))
    assert [spec.name for spec in await desk.tools.specs(desk.context)] == [
        name for name in NAMES if name not in ("bash", "write")
    ]
    said = await desk.failure("bash", command="touch x")
    assert "read, edit, list" in said
    assert await desk.needs("bash", command="touch x") == ()
    assert not (desk.folder / "x").exists()


async def test_other_sources_come_after_ours_and_take_no_names(desk: Desk) -> None:
    tools = ToolRegistry((Echo("echo", "read"), Echo("echo", "again")), desk.spills, Settings, desk.data)
    specs = await tools.specs(desk.context)
    assert [spec.name for spec in specs] == [*NAMES, "echo", "again"]
    assert specs[0].source == ""
    call = ToolCall("1", "echo", "anything")
    for _ in range(2):  # the same, when asked again
        assert await tools.needs(call, desk.context) == (RequiredPermission("echo", "mcp", "echo/echo"),)
    assert [piece async for piece in tools.run(call, desk.context)] == ["so far", ToolOutcome("anything")]
    assert len(tools.failures()) == 2


async def test_what_nobody_was_asked_for_does_not_run(desk: Desk) -> None:
    write = ToolCall("1", "write", '{"path": "a.txt", "content": "x"}')
    assert (await outcome_of(desk.tools, write, desk.context)).is_error
    assert not (desk.folder / "a.txt").exists()
    await desk.tools.needs(write, desk.context)
    assert not (await outcome_of(desk.tools, write, desk.context)).is_error
    assert (await outcome_of(desk.tools, write, desk.context)).is_error, "an answer holds for one run"
    await desk.tools.needs(write, ToolContext("another", str(desk.folder)))
    assert (await outcome_of(desk.tools, write, desk.context)).is_error


async def test_a_tool_that_comes_back_does_not_run_before_it_was_asked_for(desk: Desk) -> None:
    source = Echo()
    tools = ToolRegistry((source,), desk.spills, Settings, desk.data)
    call = ToolCall("1", "echo", "anything")
    assert await tools.needs(call, desk.context) == ()
    source.names = ("echo",)
    assert (await outcome_of(tools, call, desk.context)).is_error
    await tools.needs(call, desk.context)
    assert await outcome_of(tools, call, desk.context) == ToolOutcome("anything")


@pytest.mark.parametrize("name", ["write", "edit", "read", "list", "grep"])
async def test_a_path_that_leads_elsewhere_by_then_is_left_alone(desk: Desk, name: str) -> None:
    """Another call of the same reply has put a link there."""
    theirs = desk.outside("a.txt", "theirs")
    more = {"write": {"content": "x"}, "edit": {"old_text": "theirs", "new_text": "x"}, "grep": {"pattern": "theirs"}}
    path = "linked" if name in ("list", "grep") else "linked/a.txt"
    call = ToolCall("1", name, json.dumps({"path": path, **more.get(name, {})}))
    await desk.tools.needs(call, desk.context)
    (desk.folder / "linked").symlink_to(theirs.parent)
    refused = await outcome_of(desk.tools, call, desk.context)
    assert refused.is_error
    assert "theirs" not in refused.text
    assert "did not run" in refused.text
    assert theirs.read_text() == "theirs"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "missing required field `path`"),
        ("{}", "path (string, required), offset (integer, optional)"),
        ('{"path": "a.txt",}', "not valid JSON"),
        ('{"path": "a"}{"path": "b"}', "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "Expected `object`"),
        ('{"path": 3}', "Expected `str`"),
        ('{"path": ""}', "length >= 1"),
        ('{"path": "a", "offset": 0}', ">= 1"),
        ('{"path": "a", "ofset": 1}', "unknown field `ofset`"),
        ('{"path": "a", "offset": 1e400}', "do not fit"),
    ],
)
async def test_arguments_that_do_not_fit_say_what_would_and_are_not_guessed(
    desk: Desk, arguments: str, words: str
) -> None:
    desk.file("a.txt", "x")
    _, outcome = await desk.pieces("read", arguments)
    assert outcome.is_error
    assert words in outcome.text
    assert await desk.tools.needs(ToolCall("1", "read", arguments), desk.context) == ()


async def test_arguments_with_one_meaning_are_accepted(desk: Desk) -> None:
    desk.file("a.txt", "x x\ny")
    assert await desk.call("read", path="a.txt", offset="2", limit="1") == "2\ty\n[lines 2 to 2 of 2]"
    await desk.call("edit", path="a.txt", old_text="x", new_text="z", replace_all="true")
    raw = ToolCall("1", "write", '{"path": "b.txt", "content": "one\n\ttwo\n"}')
    [need] = await desk.tools.needs(raw, desk.context)
    assert need.target == str(desk.folder / "b.txt")
    assert not (await outcome_of(desk.tools, raw, desk.context)).is_error
    assert (desk.folder / "b.txt").read_text() == "one\n\ttwo\n"


@given(st.text(max_size=30), st.integers(1, 60))
async def test_a_call_that_is_cut_off_never_runs(tmp_path_factory: pytest.TempPathFactory, text: str, cut: int) -> None:
    """As by a limit of the reply's length: half a command is another command."""
    desk = Desk(tmp_path_factory.mktemp("cut"))
    whole = json.dumps({"path": "a.txt", "content": text})
    call = ToolCall("1", "write", whole[: max(len(whole) - cut, 1)])
    assert await desk.tools.needs(call, desk.context) == ()
    assert (await outcome_of(desk.tools, call, desk.context)).is_error
    assert list(desk.folder.iterdir()) == []


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
    if name == "web_fetch":
        arguments.pop("url", None)
    needs = await desk.needs(name, **arguments)
    if decide(needs) == "allow":  # such as a turn would run
        _, outcome = await desk.pieces(name, json.dumps(arguments))
        assert outcome.text
    assert list(desk.folder.iterdir()) == []


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
    assert "read" in await desk.failure("list", path="b.txt")
    assert "no folder" in await desk.failure("list", path="c")
    assert await desk.failure("list", path="/proc/nothing")
    assert await desk.failure("write", path="/proc/nothing/here", content="x"), "what the system refuses"
    for n in range(MAX_LISTED * 2):
        (desk.folder / "empty" / f"{n:04}").touch()
    said = await desk.call("list", path="empty")
    assert said.count("\n") == MAX_LISTED
    assert f"{MAX_LISTED} more of 1,000" in said


async def test_without_a_working_folder_everything_is_outside(desk: Desk) -> None:
    desk.context = ToolContext("one")
    [need] = await desk.needs("read", path="a.txt")
    assert need.target == str(Path.home().resolve() / "a.txt")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"path": "large.txt", "offset": 1_000_000}),
        ("edit", {"path": "five.txt", "old_text": "nowhere", "new_text": "x"}),
        ("edit", {"path": "five.txt", "old_text": "words", "new_text": "x", "replace_all": True}),
        ("write", {"path": "new.txt", "content": "é" * 3_000_000}),
        ("grep", {"pattern": "words"}),
        ("list", {"path": "many"}),
    ],
)
async def test_no_tool_holds_the_engine_up(desk: Desk, name: str, arguments: dict[str, object]) -> None:
    """The best of five tries, since this measures the machine as well."""
    desk.file("large.txt", "a line of words\n" * 1_100_000)
    desk.file("five.txt", "a line of words é\n" * 200_000)
    for n in range(3_000):
        desk.file(f"many/{n}", "")
    gaps: list[float] = []
    for _ in range(5):
        task = asyncio.ensure_future(desk.pieces(name, json.dumps(arguments)))
        gaps.append(0.0)
        while not task.done():
            before = time.monotonic()
            await asyncio.sleep(0.002)
            gaps[-1] = max(gaps[-1], time.monotonic() - before)
        await task
    assert min(gaps) < 0.05 * slowness(), gaps
