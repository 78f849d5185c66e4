"""The whole window, with the real engine."""

from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace
from plan_scenes import PLAN
from PySide6.QtCore import Qt
from ui_scenes import is_idle, optimize, play_scene, send, signalled, texts, until

from desktop_app.conversation.events import DataProgressed, ToolFinished, TurnFinished
from desktop_app.conversation.setup import Project
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings
from desktop_app.ui import main_window
from desktop_app.ui.bridge import Bridge
from desktop_app.ui.context_panel.context_controller import SAVING_TOOL
from desktop_app.ui.driver import Heartbeat
from desktop_app.ui.engine_process import engine_command
from desktop_app.ui.main_window import MainWindow
from desktop_app.ui.optimize.plan_dialog import PlanDialog
from desktop_app.ui.projects.project_sheet import ProjectSheet
from desktop_app.ui.transcript.row_painter import Action
from desktop_app.ui.transcript.transcript_items import FailureItem, GapItem, MessageItem
from desktop_app.ui.window_memory import WindowMemory
from slowness import slowness


@play_scene()
async def test_it_opens_the_newest_conversation_and_a_message_gets_its_reply(window, bridge):
    assert window.ui.header.label.text() == "Migrating the billing service"
    assert texts(window)[-1].startswith("Answer 199")
    before = window.ui.gauge.gauge.total
    await send(window, bridge, "Make it lossless.")
    assert texts(window)[-2] == "Make it lossless."
    assert "The down step drops data." in texts(window)[-1]
    assert window.ui.gauge.gauge.total > before > 2_000
    assert window.ui.gauge.numbers.text().startswith(f"{window.ui.gauge.gauge.total:,} of")


@play_scene(messages=0)
async def test_with_no_conversation_it_welcomes_and_an_example_can_be_sent(window, bridge):
    assert window.ui.chat_pane.currentWidget() is window.ui.chat_pane.welcome
    assert window.ui.header.chip.text() == "large · 8K"
    finished = signalled(bridge.happened, lambda event: isinstance(event, TurnFinished))
    window.ui.chat_pane.welcome.prompts[0].click()
    await finished
    await until(lambda: len(texts(window)) == 2)
    assert window.ui.chat_pane.currentWidget() is window.ui.chat_pane.transcript


@pytest.mark.long
@play_scene(messages=0)
async def test_what_is_typed_before_and_after_a_starter_card_stays(window, bridge, qtbot):
    finished = signalled(bridge.happened, lambda event: isinstance(event, TurnFinished))
    qtbot.keyClicks(window.ui.composer.field, "before")
    window.ui.chat_pane.welcome.prompts[0].setFocus()
    qtbot.mouseClick(window.ui.chat_pane.welcome.prompts[0], Qt.MouseButton.LeftButton)
    assert window.focusWidget() is window.ui.composer.field
    await finished
    qtbot.keyClicks(window.focusWidget(), " and after")
    assert window.ui.composer.text() == "before and after"
    await until(lambda: window.ui.composer.draft_tokens)


@pytest.mark.long
def test_a_message_sent_while_the_engine_starts_is_sent_once_it_is_ready(run, bridge, data_folder):
    async def whole() -> None:
        window = MainWindow(bridge, Settings(), data_folder / "window.json")
        window.show()
        window.ui.composer.set_text("Early bird")
        window.chat.send("Early bird")
        window.chat.send("Early bird")
        await asyncio.sleep(0.05)
        assert window.ui.composer.text() == "Early bird"
        bridge.start_engine()
        await until(lambda: "Early bird" in texts(window) and not window.ui.composer.text() and is_idle(window))
        assert texts(window).count("Early bird") == 1
        await bridge.close()

    run(whole())


@play_scene()
async def test_a_reply_is_stopped_and_kept(window, bridge):
    window.chat.send("!wait")
    await until(lambda: not is_idle(window) and "ReplyItem" in texts(window))
    assert window.ui.composer.button.text() == "Stop"
    window.chat.stop()
    await until(lambda: is_idle(window))
    last = window.ui.transcript_model.item(window.ui.transcript_model.rowCount() - 1)
    assert isinstance(last, MessageItem)
    assert last.row.message.is_interrupted


@play_scene()
async def test_a_reply_is_asked_for_again(window, bridge):
    before = texts(window)
    finished = signalled(bridge.happened, lambda event: isinstance(event, TurnFinished))
    window.chat.regenerate()
    await finished
    assert texts(window)[:-1] == before[:-1]
    assert texts(window)[-1] != before[-1]


@play_scene()
async def test_a_failed_turn_is_a_card_and_the_message_stays(window, bridge):
    await send(window, bridge, "!fail")
    await until(lambda: texts(window)[-1] == "FailureItem")
    item = window.ui.transcript_model.item(window.ui.transcript_model.rowCount() - 1)
    assert isinstance(item, FailureItem)
    assert "The model did not answer" in item.failure.detail
    assert texts(window)[-2] == "!fail"


@play_scene(messages=0)
async def test_an_archive_that_takes_long_to_open_is_told_until_the_engine_is_ready(window, bridge):
    bridge.happened.emit(DataProgressed("", 0, 0, "opening"))
    assert window.ui.toast.isVisible()
    bridge.happened.emit(DataProgressed("", 50, 200, "opening"))
    assert "25" in window.ui.toast.label.text()
    bridge.became_ready.emit(p.Welcome(p.VERSION))
    assert not window.ui.toast.isVisible()
    await until(lambda: is_idle(window))


@pytest.mark.wire
def test_an_engine_that_is_given_up_offers_a_restart(run, engine_folder, data_folder):
    settings = engine_folder(messages=4)

    async def whole() -> None:
        bridge = Bridge(["/no/such/program"], data_folder / "engine.log", first_backoff=0.001)
        window = MainWindow(bridge, settings, data_folder / "window.json")
        window.show()
        bridge.start_engine()
        await until(window.ui.failure.isVisible)
        window.chat.send("Hello")
        await until(lambda: not window.chat._is_sending)
        assert not window.ui.toast.isVisible()  # no engine is starting up
        assert window.ui.failure.button.text() == "Restart"
        window.ui.failure.dismiss.click()
        window.chat.open_new()
        await until(window.ui.failure.isVisible)
        assert window.ui.failure.button.text() == "Restart"
        bridge._engine._command = engine_command(data_folder)
        window.ui.failure.button.click()
        await until(lambda: len(texts(window)) == 4)
        assert not window.ui.failure.isVisible()
        await bridge.close()

    run(whole())


@play_scene()
async def test_older_messages_are_read_when_the_user_scrolls_up(window, bridge):
    assert window.ui.transcript_model.item(0) == GapItem(0, 139)
    view = window.ui.chat_pane.transcript
    view.verticalScrollBar().setValue(view.heights.top(1))
    await until(lambda: window.ui.transcript_model.item(0) == GapItem(0, 79))
    assert texts(window)[1:3] == ["Question 80", "Answer 81\n\n- one\n- two"]


@pytest.mark.long
@play_scene()
async def test_a_search_result_far_back_is_gone_to(window, bridge):
    window.listing.open_search()
    palette = window.listing._palette
    palette.field.setText("Question 4")
    await until(lambda: palette.list.rows.rowCount())
    found = await bridge.ask(p.SearchMessages("Question 4"))
    result = next(r for r in found.results if r.index == 4 and r.conversation == "c1")
    window.hits.walk("Question 4", found.results, result)
    await until(lambda: window.ui.transcript_model.row_of("c1-4") >= 0)
    view = window.ui.chat_pane.transcript
    row = window.ui.transcript_model.row_of("c1-4")
    await until(lambda: 0 <= view.visualRect(window.ui.transcript_model.index(row)).top() < view.height())
    palette.close()


@pytest.mark.long
@play_scene()
async def test_an_undo_is_not_offered_in_another_conversation(window, bridge):
    await optimize(window)
    await until(lambda: window.ui.toast.isVisible() and window.ui.toast.action.isVisible())
    window.ui.sidebar.new.click()
    await until(lambda: window.chat.conversation != "c1")
    assert not window.ui.toast.isVisible()


@pytest.mark.long
@play_scene()
async def test_of_two_plans_the_one_that_was_requested_last_is_shown(window, bridge, monkeypatch):
    ask = bridge.ask

    async def answer(request):
        if not isinstance(request, p.PlanOptimize):
            return await ask(request)
        await asyncio.sleep(0.05 if request.tail_tokens == 1 else 0)
        return replace(PLAN, summary=f"Tail {request.tail_tokens}")

    window.ui.gauge.optimize.click()
    await until(lambda: window.findChild(PlanDialog))
    dialog = window.findChild(PlanDialog)
    monkeypatch.setattr(bridge, "ask", answer)
    for tokens in (1, 2):
        dialog.plan_requested.emit(p.PlanOptimize("c1", tokens))
    await asyncio.sleep(0.1)
    assert dialog.summary.text() == "Tail 2"
    monkeypatch.undo()
    dialog.reject()


@play_scene()
async def test_a_pin_is_shown_in_the_chat_and_in_the_panel(window, bridge):
    window.ui.chat_pane.transcript.perform(Action.PIN, "c1-199")
    await until(lambda: window.ui.transcript_model.item(60).row.is_pinned)
    assert list(window.ui.panel.pins.list.cards) == ["c1-199"]
    window.ui.transcript.perform(Action.UNPIN, "c1-199")
    await until(lambda: not window.ui.transcript_model.item(60).row.is_pinned)


@pytest.mark.wire
def test_the_window_requests_nothing_during_a_turn(play, monkeypatch):
    requests: list[p.AnyRequest] = []
    ask = Bridge.ask

    async def noted(bridge: Bridge, wish: p.AnyRequest) -> p.EngineResponse:
        requests.append(wish)
        return await ask(bridge, wish)

    async def scene(window: MainWindow, bridge: Bridge) -> None:
        await asyncio.sleep(0.1)  # what opening the window requests is over
        for text in ("Hello", "!tool 3", "!compact", "!continue"):
            window.ui.composer.set_text(text)
            await until(lambda text=text: p.CountDraft("c1", text) in requests)
            requests.clear()
            window.chat.send(text)
            await signalled(bridge.happened, lambda event: isinstance(event, TurnFinished))
            await until(lambda: any(isinstance(request, p.ReadRequest) for request in requests))
            await asyncio.sleep(0.02)
            sent = requests.index(p.Send("c1", text, is_draft=True))
            since = requests[sent + 1 :]  # before it what the last turn or opening began
            assert {type(request) for request in since} <= {p.ReadVersions, p.ReadRequest}, "at its end"
        requests.clear()
        window.chat.send("!wait")
        await until(lambda: not is_idle(window))
        bridge.happened.emit(ToolFinished("c1", "t1", "m1", SAVING_TOOL, False, 0.1))
        await asyncio.sleep(0.02)
        assert requests == [p.Send("c1", "!wait", is_draft=True)]
        window.chat.stop()
        await until(lambda: p.ListMemories("c1") in requests)

    monkeypatch.setattr(Bridge, "ask", noted)
    play(scene)


@pytest.mark.long
@play_scene()
async def test_conversations_are_made_renamed_deleted_and_restored(window, bridge):
    listed = window.ui.sidebar.list.conversations
    window.ui.sidebar.new.click()
    await until(lambda: window.chat.conversation != "c1")
    new = window.chat.conversation
    window.ui.header.title_changed.emit("Renamed")
    await until(lambda: window.ui.header.label.text() == "Renamed")
    window.ui.sidebar.list.delete_requested.emit((new,))
    await until(lambda: listed.row_of(new) < 0 and window.chat.conversation == "c1")
    assert window.ui.toast.label.text() == "“Renamed” deleted"
    window.ui.toast.action.click()
    await until(lambda: listed.row_of(new) >= 0 and window.chat.conversation == new)


@pytest.mark.long
@play_scene()
async def test_a_blank_conversation_is_used_before_another_one_is_made(window, bridge):
    window.ui.sidebar.new.click()
    await until(lambda: window.chat.conversation != "c1")
    new = window.chat.conversation
    await until(lambda: window.ui.sidebar.list.conversations.info_of(new))  # the list follows the response
    window.ui.sidebar.new.click()
    window.chat.open("c1")
    await until(lambda: window.chat.conversation == "c1" and texts(window))
    window.ui.sidebar.new.click()
    await until(lambda: window.chat.conversation == new)
    await send(window, bridge, "Not blank any more")
    window.ui.sidebar.new.click()
    await until(lambda: window.chat.conversation not in ("c1", new))


@pytest.mark.long
@play_scene()
async def test_each_conversation_has_its_own_draft(window, bridge):
    window.ui.composer.set_text("for the first one")
    window.chat.open("c2")
    await until(lambda: window.ui.header.label.text() == "Trip to Lisbon")
    window.ui.composer.field.undo()
    assert window.ui.composer.text() == "", "and Ctrl+Z brings none of another one's"
    window.chat.open("c1")
    await until(lambda: window.ui.composer.text() == "for the first one")


@play_scene()
async def test_the_draft_is_counted_while_typing(window, bridge):
    window.ui.composer.field.insert_text("x" * 400)
    tokens = (await bridge.ask(p.CountDraft("c1", "x" * 400))).tokens
    await until(lambda: window.ui.composer.note.text() == f"draft {tokens} tokens")


@pytest.mark.long
@play_scene()
async def test_an_import_that_fails_says_why(window, bridge):
    window.importing.import_files(["/no/such/file.jsonl"])
    await until(lambda: window.ui.toast.label.text() == "/no/such/file.jsonl: there is no such file or folder")


@pytest.mark.long
@play_scene()
async def test_settings_change_the_theme_at_once(window, bridge):
    window.settings.open()
    await until(lambda: window.settings._dialog)
    window.settings._dialog.save_requested.emit(Settings(theme="dark"), {})
    await until(lambda: window.palette().window().color().name() == "#1a1815")


@pytest.mark.long
def test_the_layout_and_the_open_conversation_are_remembered(play):
    async def leave(window: MainWindow, bridge: Bridge) -> None:
        window.ui.header.panel_button.click()
        await asyncio.sleep(0.05)
        window.resize(790, 640)
        window.chat.open("c2")
        await until(lambda: window.ui.header.label.text() == "Trip to Lisbon")

    async def come_back(window: MainWindow, bridge: Bridge) -> None:
        assert (window.width(), window.height()) == (790, 640)
        assert not window.ui.panel.isVisible()
        await until(lambda: window.ui.header.label.text() == "Trip to Lisbon")

    play(leave)
    play(come_back)


@pytest.mark.wire
@play_scene(fixture="play_with_process", window=200_000)
async def test_a_flood_of_text_does_not_stop_the_window(window, bridge):
    heartbeat = Heartbeat(window)
    heartbeat.restart()
    await send(window, bridge, "!flood 8000")
    heartbeat.stop()
    assert texts(window)[-1].endswith("word7999 ")
    # Below 0.05 on an idle machine; laying the whole text out anew takes seconds.
    assert heartbeat.longest_gap < 0.25 * slowness()


@pytest.mark.long
@play_scene()
async def test_a_window_that_is_killed_has_stored_which_conversation_was_open(window, bridge, data_folder):
    window.chat.open_new()
    first = window.chat.conversation
    await until(lambda: window.chat.conversation != first)

    def stored() -> str:
        return WindowMemory(data_folder / "window.json").text("conversation")

    await until(lambda: stored() == window.chat.conversation)
    assert window.isVisible()


@play_scene()
async def test_quitting_asks_once_before_it_loses_what_is_written_in_a_sheet(window, bridge, qtbot, monkeypatch):
    sheet = ProjectSheet(Project("", ""), (), [("large", "home/large")], [("Balanced", "balanced")], window)
    sheet.open()
    qtbot.keyClicks(sheet.name.edit, "A new one")
    ended: list[None] = []
    window.close_requested.connect(lambda: ended.append(None))
    for _ in range(2):
        window.close()
        assert sheet.question.is_asked
    assert not ended
    monkeypatch.setattr(main_window, "is_session_ending", lambda: True)
    window.close()
    assert len(ended) == 1, "a desktop session that ends waits for no answer"
    qtbot.mouseClick(sheet.question.discard, Qt.MouseButton.LeftButton)
    assert len(ended) == 2
    assert not sheet.isVisible()
