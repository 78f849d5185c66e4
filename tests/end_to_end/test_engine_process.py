"""The engine as the window meets it: a process that speaks lines, and may die at any moment."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from desktop_app.chat.turn.tool_calls import STOPPED_ALONE
from desktop_app.conversation.events import (
    ToolOutputReceived,
    ToolStarted,
    TurnFailed,
    TurnFinished,
    ViewChanged,
)
from desktop_app.conversation.setup import ConversationSetup
from desktop_app.conversation.tools import Rule
from desktop_app.engine import protocol as p
from desktop_app.settings import Server, Settings
from engine_client import Refused
from imported import import_all
from provider import Call, Reply, ScriptedProvider


async def test_a_turn_over_the_border(engines, use_provider) -> None:
    with ScriptedProvider([Reply("Hello there, friend.")]) as provider:
        use_provider(provider)
        engine = await engines()
        welcome = await engine.ask(p.Hello(p.VERSION))
        assert (welcome.version, welcome.warnings) == (p.VERSION, ())
        opened = await engine.ask(p.CreateConversation())
        await engine.turn(opened.conversation.id, "Hello")
        again = await engine.ask(p.OpenConversation(opened.conversation.id))
        assert [row.message.text for row in again.rows][1:] == ["Hello", "Hello there, friend."]
        assert again.gauge.total == sum(again.gauge.segments.values())
        assert await engine.close() == 0


async def test_what_is_sent_right_after_a_change_of_the_setup_is_sent_with_it(engines, use_provider) -> None:
    with ScriptedProvider([Reply("Arr."), Reply("Aye.")]) as provider:
        use_provider(provider)
        engine = await engines()
        opened = (await engine.ask(p.CreateConversation())).conversation.id
        for prompt in ("Speak like a pirate.", "Speak like a captain."):
            change = p.ChangeSetup(opened, ConversationSetup(system_prompt=prompt))
            _, read, _ = await asyncio.gather(
                engine.ask(change), engine.ask(p.ReadSetup(opened)), engine.turn(opened, "Hello")
            )
            assert read.setup.system_prompt == prompt
            assert prompt in str(provider.requests[-1])


async def test_one_tool_is_stopped_and_the_turn_goes_on(engines, use_provider, tmp_path: Path) -> None:
    call = Call("bash", '{"command": "echo begun; sleep 60"}')
    with ScriptedProvider([Reply("I try.", calls=(call,), finish="tool_calls"), Reply("I see.")]) as provider:
        use_provider(provider, folder=str(tmp_path), rules=(Rule("bash"),))
        engine = await engines()
        opened = await engine.ask(p.CreateConversation())
        await engine.ask(p.Send(opened.conversation.id, "Try"))
        await engine.until(lambda events: any(isinstance(e, ToolOutputReceived) for e in events))
        (started,) = [event for event in engine.events if isinstance(event, ToolStarted)]
        await engine.ask(p.StopTool(opened.conversation.id, started.reply_id, started.call_index))
        await engine.until(lambda events: any(isinstance(e, TurnFinished) for e in events), 15)
        again = await engine.ask(p.OpenConversation(opened.conversation.id))
        assert [row.message.text for row in again.rows][-2:] == [
            f"begun\n\n{STOPPED_ALONE}",
            "I see.",
        ]


async def test_optimize_browse_and_undo_over_the_border(engines, samples: Path) -> None:
    engine = await engines()
    name = await import_all(engine.ask, samples / "migration.jsonl")
    opened = await engine.ask(p.OpenConversation(name))
    plan = await engine.ask(p.PlanOptimize(name))
    assert plan.is_useful
    assert plan.before.total - plan.after.total == plan.tokens_freed_by_prune + plan.tokens_freed_by_compaction
    await engine.ask(p.ApplyPlan(name, plan.id, plan.summary))
    changes = [e for e in engine.events if isinstance(e, ViewChanged)]
    (changed,) = [e for e in changes if e.operations[-1].kind != "flush"]
    operation = changed.operations[-1]
    archived = await engine.ask(p.ReadOperation(name, operation.id))
    assert archived.total == operation.messages
    after = await engine.ask(p.OpenConversation(name))
    assert after.gauge.total == plan.after.total
    for row in reversed(changed.operations):
        await engine.ask(p.UndoOperation(name, row.id))
    undone = await engine.ask(p.OpenConversation(name))
    assert undone.gauge == opened.gauge


async def test_a_foreign_database_is_refused_and_left_alone(engines, data: Path) -> None:
    (data / "archive.sqlite3").write_bytes(b"not a database at all" * 100)
    engine = await engines()
    with pytest.raises(Refused) as refused:
        await engine.ask(p.ListConversations())
    assert refused.value.failure.advice
    assert (data / "archive.sqlite3").read_bytes().startswith(b"not a database")


async def test_of_damaged_settings_what_can_be_read_is_used_and_the_rest_is_told(engines, data: Path) -> None:
    (data / "settings.json").write_text('{"theme": "sepia", "font_scale": 1.5}')
    engine = await engines()
    (warning,) = (await engine.ask(p.Hello(p.VERSION))).warnings
    assert warning.title.startswith("Some")
    assert "sepia" in warning.detail or "theme" in warning.detail
    assert "settings.damaged.json" in warning.kept
    settings = (await engine.ask(p.ReadSettings())).settings
    assert (settings.theme, settings.font_scale) == ("system", 1.5)


async def test_damaged_settings_are_set_aside_and_told_and_garbage_is_refused(engines, data: Path) -> None:
    (data / "settings.json").write_text("{broken")
    engine = await engines()
    welcome = await engine.ask(p.Hello(p.VERSION))
    assert "settings" in welcome.warnings[0].title
    assert (data / "settings.damaged.json").read_text() == "{broken"
    engine.process.stdin.write(b"garbage\n")
    line = await engine.ask_json('{"type":"Unknown"}')
    assert (line.response, line.failure is None) == (None, False)
    second = await engines()
    with pytest.raises(Refused) as refused:
        await second.ask(p.ListConversations())
    assert "already open" in refused.value.failure.title
    assert await engine.ask(p.ListConversations()) == p.ConversationsListed(())


async def test_a_server_is_added_chosen_and_asked_with_its_key(engines, tmp_path: Path) -> None:
    with ScriptedProvider([Reply("From the server.")], key="sk-secret-42", repeat_last=True) as provider:
        engine = await engines()
        opened = await engine.ask(p.CreateConversation())
        assert opened.model.is_builtin
        server = Server("office", provider.base_url, ("scripted",), 32_768)
        read = await engine.ask(p.WriteSettings(Settings(servers=(server,)), {"office": "sk-secret-42"}))
        assert read.servers_with_key == ("office",)
        changed = await engine.ask(p.ChooseModel(opened.conversation.id, "office/scripted"))
        assert (changed.model.label, changed.gauge.window) == ("scripted", 32_768)
        events = await engine.turn(opened.conversation.id, "Who are you?")
        assert not [e for e in events if isinstance(e, TurnFailed)]
        assert provider.requests[0].authorization == "Bearer sk-secret-42"
        await engine.ask(p.WriteSettings(read.settings, {"office": "sk-wrong-99"}))
        (failed,) = [e for e in await engine.turn(opened.conversation.id, "And?") if isinstance(e, TurnFailed)]
        assert failed.failure.kind == "auth"
        assert "sk-wrong-99" not in str(failed)
        await engine.ask(p.WriteSettings(read.settings, {"office": "sk-secret-42"}))
        await engine.close()
        engine = await engines()
        if not (await engine.ask(p.ReadSettings())).servers_with_key:  # this machine has no keyring
            events = await engine.turn(opened.conversation.id, "And now?")
            (failure,) = [event.failure for event in events if isinstance(event, TurnFailed)]
            assert (failure.kind, failure.setting) == ("auth", "servers/office/key"), "it is asked for"
            await engine.ask(p.WriteSettings(read.settings, {"office": "sk-secret-42"}))
            assert not [e for e in await engine.turn(opened.conversation.id, "Now?") if isinstance(e, TurnFailed)]
        await engine.close()
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"sk-secret-42" not in kept, "a key is in no file: settings, database, log"
