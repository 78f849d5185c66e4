"""The controller of the context panel and of **Optimize conversation**."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from desktop_app.conversation.events import RoomProgressed, TurnEvent, TurnFinished
from desktop_app.engine import protocol as p
from desktop_app.ui.bridge import Bridge, EngineFailure, in_task
from desktop_app.ui.parts import Parts

from .controller import Controller
from .conversation_controller import ConversationController
from .export_controller import ExportController
from .settings_controller import SettingsController

if TYPE_CHECKING:
    from desktop_app.ui.optimize.plan_dialog import PlanDialog, PlanRequest


class ContextController(Controller):
    """Carries out what the user asks of plans, operations and archived messages."""

    def __init__(
        self,
        bridge: Bridge,
        parts: Parts,
        chat: ConversationController,
        export: ExportController,
        settings: SettingsController,
    ) -> None:
        super().__init__(bridge, parts, chat)
        self._export, self._settings = export, settings
        self._dialog: PlanDialog | None = None
        self._newest: PlanRequest | p.ApplyPlan | p.StartFresh | None = None
        self._connect()
        chat.shown.connect(self.read_versions)
        bridge.happened.connect(self._note)

    def _connect(self) -> None:
        gauge, asked = self._parts.gauge, self._parts.panel.requests
        gauge.optimize_requested.connect(self.optimize)
        gauge.breakdown_requested.connect(self.show_breakdown)
        asked.optimize_requested.connect(self.optimize)
        asked.fresh_start_requested.connect(self.start_fresh)
        asked.archived_requested.connect(self.read_archived)
        asked.message_requested.connect(self.go_to)
        for signal, request in (
            (asked.undo_requested, p.UndoOperation),
            (asked.redo_requested, p.RedoOperation),
            (asked.pin_requested, p.PinMessage),
            (asked.unpin_requested, p.UnpinMessage),
            (asked.bring_back_requested, p.BringBackMessages),
            (asked.own_window_requested, p.UseOwnWindow),
        ):
            signal.connect(partial(self.post, request))

    # The panel

    def show_breakdown(self) -> None:
        self._parts.panel.show()
        self._parts.panel.show_tab("breakdown")

    @in_task
    async def read_archived(self, operation: str, query: str, offset: int) -> None:
        page = await self._bridge.ask(p.ReadOperation(self._chat.conversation, operation, query, offset))
        self._parts.panel.history.show_archived(operation, page.rows, page.total, offset)

    @in_task
    async def read_versions(self, _opened: object = None) -> None:
        """Show at which message the branch parts from others, and what each of them takes."""
        conversation = self._chat.conversation
        read = await self._bridge.ask(p.ReadVersions(conversation))
        if conversation == self._chat.conversation:
            self._parts.panel.breakdown.versions.set_versions(read.versions, read.total)

    @in_task
    async def go_to(self, message: str) -> None:
        await self._chat.show_message(self._chat.conversation, message)

    # Optimize conversation

    def optimize(self) -> None:
        """Show the plan before anything is done."""
        self._show_plan()

    def shorten_results(self) -> None:
        """Show the plan that shortens old tool results and archives nothing."""
        self._show_plan(strategy="none")

    def start_fresh(self) -> None:
        """Show what a new conversation would begin with, before there is one."""
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
        dialog = self._dialog = PlanDialog(plan, conversation, self._parts, self._parts.gauge.draft_tokens, strategy)
        dialog.plan_requested.connect(self._replan)
        dialog.apply_requested.connect(self._apply)
        dialog.cancel_requested.connect(self._bridge.post)
        dialog.model_requested.connect(self._let_write)
        dialog.export.clicked.connect(lambda _=False: self._export.open())
        dialog.finished.connect(self._forget_dialog)
        await asyncio.sleep(0)  # building and showing it are two pieces of work, with room between them
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
        """Have that model write all summaries from now on, and show the plan with it."""
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
            self._parts.composer.take_focus()

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
        """Make a dialog that waits for an answer usable again when there is none, unless it waits for a newer one."""
        try:
            yield
        except EngineFailure:
            if self._dialog is not None and request is self._newest:
                self._dialog.set_busy(False)
            raise
