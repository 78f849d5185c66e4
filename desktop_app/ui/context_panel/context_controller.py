"""Controllers for the context panel and **Optimize conversation**, for memories and for policies."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.conversation_outline import OutlineLine
from desktop_app.conversation.events import (
    MessageRecorded,
    RoomProgressed,
    ToolFinished,
    TurnEvent,
    TurnFinished,
    ViewChanged,
)
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.setup import OwnPolicy, effective_value
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.composer.composer import Composer
from desktop_app.ui.controller import Controller
from desktop_app.ui.header import Header
from desktop_app.ui.importing.import_controller import ExportController
from desktop_app.ui.settings.settings_controller import SettingsController
from desktop_app.ui.sidebar.conversation_model import ConversationModel
from desktop_app.ui.toast import Toast
from desktop_app.ui.transcript.conversation_controller import ConversationController
from desktop_app.ui.transcript.transcript_items import mark_key
from desktop_app.ui.transcript.transcript_widget import TranscriptWidget
from desktop_app.ui.translation import tr, tr_engine
from desktop_app.ui.widgets.number_formats import first_line

from .context_gauge import ContextGauge
from .context_panel import ContextPanel
from .history import VersionsCard
from .memory_card import CurrentScope, MemorySize

if TYPE_CHECKING:
    from desktop_app.ui.optimize.plan_dialog import PlanDialog, PlanRequest
    from desktop_app.ui.policy.policy_sheet import PolicySheet


class ContextController(Controller):
    """Carries out the user's actions on plans, operations and archived messages."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        export: ExportController,
        settings: SettingsController,
        window: QWidget,
        composer: Composer,
        gauge: ContextGauge,
        panel: ContextPanel,
        versions: VersionsCard,
    ) -> None:
        super().__init__(bridge, chat)
        self._window, self._composer, self._gauge = window, composer, gauge
        self._panel, self._versions = panel, versions
        self._export, self._settings = export, settings
        self._dialog: PlanDialog | None = None
        self._newest: PlanRequest | p.ApplyPlan | p.StartFresh | None = None
        self._connect()
        chat.opened.connect(self.read_versions)
        bridge.listen(self._note, RoomProgressed, TurnFinished)

    def _connect(self) -> None:
        gauge, requests = self._gauge, self._panel.requests
        gauge.optimize_requested.connect(self.optimize)
        gauge.bar.breakdown_requested.connect(self.open_tab)
        requests.optimize_requested.connect(self.optimize)
        requests.fresh_start_requested.connect(self.start_fresh)
        requests.archived_requested.connect(self.read_archived)
        requests.message_requested.connect(self.go_to)
        for signal, request in (
            (requests.undo_requested, p.UndoOperation),
            (requests.redo_requested, p.RedoOperation),
            (requests.pin_requested, p.PinMessage),
            (requests.unpin_requested, p.UnpinMessage),
            (requests.bring_back_requested, p.BringBackMessages),
            (requests.own_window_requested, p.UseOwnWindow),
        ):
            signal.connect(partial(self.post, request))

    # The panel

    def open_tab(self, name: str = "breakdown") -> None:
        """Show the conversation, and a tab of the panel next to it."""
        self._chat.show_page()
        self._panel.open_tab(name)

    def newest_undoable(self) -> str:
        """Return the id of the newest operation that can be undone; "" for none."""
        return self._panel.history.newest_undoable()

    def undo_newest(self) -> None:
        """Undo the newest operation, as its card does."""
        self.post(p.UndoOperation, self.newest_undoable())

    @in_task
    async def read_archived(self, operation: str, query: str, offset: int) -> None:
        page = await self._bridge.ask(p.ReadOperation(self._chat.conversation, operation, query, offset))
        self._panel.history.show_archived(operation, page.rows, page.total, offset)

    @in_task
    async def read_versions(self, _opened: object = None) -> None:
        """Show the versions of the message at which the branches part, and the tokens of each branch."""
        conversation = self._chat.conversation
        read = await self._bridge.ask(p.ReadVersions(conversation))
        if conversation == self._chat.conversation:
            self._versions.set_versions(read.versions, read.total)

    @in_task
    async def go_to(self, message: str) -> None:
        await self._chat.show_message(self._chat.conversation, message)

    # Optimize conversation

    def optimize(self) -> None:
        """Show the plan, before anything is changed."""
        self._show_plan()

    def shorten_results(self) -> None:
        """Show the plan that shortens old tool results and archives nothing."""
        self._show_plan(strategy="none")

    def start_fresh(self) -> None:
        """Show what a new conversation would begin with, before it is created."""
        self._show_plan(is_fresh=True)

    @in_task
    async def _show_plan(self, is_fresh: bool = False, strategy: str = "") -> None:
        from desktop_app.ui.optimize.plan_dialog import PlanDialog

        conversation = self._chat.conversation
        if self._dialog is not None or not conversation:
            return
        plan = await self._bridge.ask(p.PlanOptimize(conversation, strategy=strategy, is_fresh=is_fresh))
        if self._dialog is not None or conversation != self._chat.conversation:
            return
        dialog = self._dialog = PlanDialog(plan, conversation, self._window, self._gauge.draft_tokens, strategy)
        dialog.plan_requested.connect(self._replan)
        dialog.apply_requested.connect(self._apply)
        dialog.cancel_requested.connect(self._bridge.post)
        dialog.strategy.model_chosen.connect(self._let_write)
        dialog.export.clicked.connect(lambda _=False: self._export.open())
        dialog.finished.connect(self._forget_dialog)
        await asyncio.sleep(0)  # let the event loop run between building and showing it
        if self._dialog is dialog:
            dialog.open()

    @in_task
    async def _replan(self, request: PlanRequest) -> None:
        self._newest = request
        with self._free_dialog_on_failure(request):
            plan = await self._bridge.ask(request)
        if self._dialog is not None and request is self._newest:
            self._dialog.set_plan(plan)

    @in_task
    async def _let_write(self, model: str) -> None:
        """Let that model write all summaries from now on, and show a plan by it."""
        await self._settings.change(lambda settings: replace(settings, utility_model=model))
        if self._dialog is not None:
            self._dialog.ask_again()

    @in_task
    async def _apply(self, request: p.ApplyPlan | p.StartFresh) -> None:
        self._newest = request
        if self._dialog is not None:
            self._dialog.set_busy(True)
        with self._free_dialog_on_failure(request):
            if isinstance(request, p.StartFresh):
                await self._chat.start_fresh(request)
            else:
                await self._bridge.ask(request)
        if self._dialog is not None:
            self._dialog.accept()
        if isinstance(request, p.StartFresh):
            self._composer.take_focus()

    def _note(self, event: TurnEvent) -> None:
        if isinstance(event, RoomProgressed) and event.plan and self._dialog is not None:
            self._dialog.set_progress(event.plan, event.tokens, event.max_tokens)
        elif isinstance(event, TurnFinished) and event.conversation == self._chat.conversation:
            self.read_versions()

    def _forget_dialog(self) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
        self._dialog = None

    @contextmanager
    def _free_dialog_on_failure(self, request: PlanRequest | p.ApplyPlan | p.StartFresh) -> Iterator[None]:
        """Make the dialog usable again when a request fails, unless it waits for a newer one."""
        try:
            yield
        except EngineFailure:
            if self._dialog is not None and request is self._newest:
                self._dialog.set_busy(False)
            raise


class OutlineController(Controller):
    """Reads the outline while its tab is visible, again after each change, and shows its lines in the chat."""

    def __init__(
        self, bridge: Bridge, chat: ConversationController, panel: ContextPanel, transcript: TranscriptWidget
    ) -> None:
        super().__init__(bridge, chat)
        self._panel, self._transcript = panel, transcript
        panel.requests.outline_requested.connect(self.go_to)
        panel.tab_shown.connect(self.refresh)
        chat.opened.connect(self.refresh)
        transcript.laid_out.connect(self.follow)
        bridge.listen(self._note, MessageRecorded, ViewChanged)

    def open(self) -> None:
        """Show the outline, and let the user type a filter."""
        self._chat.show_page()
        self._panel.open_tab("outline")
        self._panel.outline.take_focus()

    def follow(self) -> None:
        """Mark the part of the conversation that is being read."""
        if self._is_visible:
            self._panel.outline.follow(self._transcript.index_read)

    def refresh(self, _changed: object = None) -> None:
        """Read the outline, if it is visible."""
        if self._is_visible and self._chat.conversation:
            self._read()

    @in_task
    async def _read(self) -> None:
        conversation = self._chat.conversation
        read = await self._bridge.ask(p.ReadOutline(conversation))
        if conversation == self._chat.conversation:
            self._panel.outline.set_lines(read.lines, self._panel.history.operations)
            self.follow()

    @in_task
    async def go_to(self, line: OutlineLine) -> None:
        await self._chat.show_message(self._chat.conversation, line.message_id)
        if line.kind == "heading":
            self._transcript.show_passage(line.message_id, line.text, line.place)
        elif line.kind == "operation":
            self._transcript.show_message(mark_key(line.operation_id))

    @property
    def _is_visible(self) -> bool:
        return self._panel.isVisible() and self._panel.tab == "outline"

    def _note(self, event: TurnEvent) -> None:
        if event.conversation == self._chat.conversation:
            self.refresh()


SAVING_TOOL = "save_memory"


class MemoryController(Controller):
    """Shows all memories again after each change, and when another conversation is opened."""

    def __init__(
        self, bridge: Bridge, chat: ConversationController, panel: ContextPanel, listed: ConversationModel, toast: Toast
    ) -> None:
        super().__init__(bridge, chat)
        self._panel, self._memories, self._listed, self._toast = panel, panel.memories, listed, toast
        self._is_stale = False
        requests = panel.requests
        requests.memories_requested.connect(self.read)
        requests.write_requested.connect(self.write)
        requests.delete_requested.connect(self.delete)
        chat.opened.connect(self.note_opened)
        bridge.listen(self.note, ToolFinished, ViewChanged, TurnFinished)

    def use(self, settings: Settings) -> None:
        self._memories.set_on(settings.is_memory_on)

    @in_task
    async def read(self) -> None:
        await self._show(p.ListMemories(self._chat.conversation))

    def note_opened(self, _opened: p.ConversationOpened) -> None:
        if self._panel.tab == "memory":
            self.read()

    def note(self, event: TurnEvent) -> None:
        """Read the memories again after a flush, its undo or a tool may have changed them, once no turn is running."""
        match event:
            case ToolFinished(name=name) if name == SAVING_TOOL:
                self._is_stale = True
            case ViewChanged(operations=operations) if any(row.kind == "flush" for row in operations):
                self._is_stale = True
            case TurnFinished(conversation) if conversation == self._chat.conversation:
                self._is_stale |= self._panel.tab == "memory"  # the request may contain others now
            case _:
                pass
        if self._is_stale and not self._chat.turns.running:
            self._is_stale = False
            self.read()

    @in_task
    async def write(self, memory: Memory) -> None:
        await self._show(p.WriteMemory(memory, self._chat.conversation))

    @in_task
    async def delete(self, memory: Memory) -> None:
        """Delete a memory; the toast offers to bring it back."""
        await self._show(p.WriteMemory(replace(memory, is_deleted=True), self._chat.conversation))
        text = tr("“{memory}” forgotten").format(memory=first_line(memory.text, 60))
        self._toast.show_message(text, tr("Undo"), lambda: self.write(replace(memory, is_deleted=False)))

    async def _show(self, request: p.ListMemories | p.WriteMemory) -> None:
        known = await self._bridge.ask(request)
        if known.conversation != self._chat.conversation:
            return  # another one was opened in the meantime, and its memories were requested then
        titles = {info.id: info.title for info in self._listed.conversations}
        here = CurrentScope(known.conversation, known.folder, self._listed.project(known.project))
        size = MemorySize(known.tokens, known.most, is_pending=known.is_pending)
        self._memories.set_memories(known.memories, size, titles, here)


class PolicyController(Controller):
    """Shows policies and their effects, stores the user's own, and chooses one for a conversation or for all."""

    def __init__(
        self,
        bridge: Bridge,
        chat: ConversationController,
        settings: SettingsController,
        window: QWidget,
        header: Header,
        toast: Toast,
    ) -> None:
        super().__init__(bridge, chat)
        self._window, self._header, self._toast = window, header, toast
        self._settings = settings
        self._sheet: PolicySheet | None = None
        self._is_opening = False
        settings.policies_requested.connect(self.open)

    @in_task
    async def open(self, field: str = "") -> None:
        """Show the policy of the open conversation. field: the one to focus; "" for none."""
        from desktop_app.ui.policy.policy_sheet import PolicySheet

        if self._sheet is not None or self._is_opening:
            return
        self._is_opening = True
        try:
            settings = (await self._bridge.ask(p.ReadSettings())).settings
            listed = await self._bridge.ask(p.ListConversations())
        finally:
            self._is_opening = False
        of_projects = {project.id: project.policy for project in listed.projects}
        policies = {
            info.id: effective_value(info.policy, of_projects.get(info.project, ""), settings.policy).value
            for info in listed.conversations
        }
        conversation = self._chat.conversation
        title, chosen = self._header.title if conversation else "", policies.get(conversation, settings.policy)
        sheet = self._sheet = PolicySheet(settings, chosen, title, Counter(policies.values()), self._window)
        sheet.used.connect(lambda *choice: self._use(conversation, *choice))
        sheet.removed.connect(self._remove)
        sheet.tried.connect(lambda policy: self._try(sheet, conversation, policy))
        sheet.compared.connect(lambda *policies: self._compare(sheet, conversation, *policies))
        sheet.finished.connect(lambda: self.cancel(p.Computation.REPLAY, conversation))
        sheet.finished.connect(self._forget_sheet)
        await sheet.open_gradually()
        if field and sheet is self._sheet:
            sheet.take_focus_to(field)

    @in_task
    async def _try(self, sheet: PolicySheet, conversation: str, policy: OwnPolicy) -> None:
        tried = await self._bridge.ask(p.TryPolicy(conversation, policy))
        if sheet is self._sheet and sheet.draft() == policy:
            sheet.show_trial(tried.trial)

    @in_task
    async def _compare(self, sheet: PolicySheet, conversation: str, before: OwnPolicy, after: OwnPolicy) -> None:
        try:
            replayed = await self._bridge.ask(p.ReplayPolicy(conversation, before, after))
        except EngineFailure as error:
            if sheet is self._sheet and error.failure.kind != "cancelled":  # a newer one comes instead
                sheet.effect.show_failure(tr_engine(error.failure.title))
            return
        if sheet is self._sheet and sheet.draft() == after:
            sheet.show_past(before, after, replayed)

    @in_task
    async def _use(self, conversation: str, name: str, own: OwnPolicy | None, is_everywhere: bool) -> None:
        """Store the policy, and use it in all conversations or in that one."""

        def change(settings: Settings) -> Settings:
            if own is not None:
                others = tuple(policy for policy in settings.policies if policy.name != name)
                settings = replace(settings, policies=(*others, own))
            return replace(settings, policy=name) if is_everywhere else settings

        await self._settings.change(change)
        if conversation:
            await self._bridge.ask(p.ChoosePolicy(conversation, "" if is_everywhere else name))
        everywhere, here = tr("“{name}” is used in all conversations."), tr("“{name}” is used in this conversation.")
        text = (everywhere if is_everywhere else here).format(name=name)
        self._toast.show_message(text, about="" if is_everywhere else conversation)

    @in_task
    async def _remove(self, name: str) -> None:
        """Delete one of the user's policies; conversations with it use the one in the settings, or the default."""

        def change(settings: Settings) -> Settings:
            policies = tuple(policy for policy in settings.policies if policy.name != name)
            return replace(
                settings, policies=policies, policy="balanced" if settings.policy == name else settings.policy
            )

        await self._settings.change(change)
        self._toast.show_message(tr("“{name}” was deleted.").format(name=name))

    def _forget_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.deleteLater()
        self._sheet = None
