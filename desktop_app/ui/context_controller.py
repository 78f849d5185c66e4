"""The controller of the context panel and of **Optimize conversation**."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from desktop_app.conversation.events import RoomProgressed, TurnEvent
from desktop_app.engine import protocol as p

from .bridge import Bridge, EngineFailure
from .controller import Controller
from .conversation_controller import ConversationController
from .parts import Parts

if TYPE_CHECKING:
    from .optimize.plan_dialog import PlanDialog

SETTLED_AFTER = 700  # milliseconds after the engine is ready, and between one import and the next
LATER = (
    ".optimize.plan_dialog",
    "desktop_app.permissions.rules",
    ".settings.settings_dialog",
    ".tools.tools_sheet",
    ".search.search_palette",
    ".tools.spill_viewer",
)


class ContextController(Controller):
    """Carries out what the user asks of plans, operations, archived messages and pins."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self._dialog: PlanDialog | None = None
        self._plan_number = 0
        self._tail: int | None = None
        self._strategy = ""
        bridge.happened.connect(self._note)

    def get_ready(self) -> None:
        """Import what takes a while once the window has settled, so that its first use is quick."""
        for number, name in enumerate(LATER):
            QTimer.singleShot(
                SETTLED_AFTER * (number + 1), lambda name=name: importlib.import_module(name, __package__)
            )

    # The panel

    def show_breakdown(self) -> None:
        self._parts.panel.show()
        self._parts.panel.show_tab("breakdown")

    def show_operation(self, operation: str) -> None:
        self._parts.panel.show()
        self._parts.panel.open_archived(operation)

    def read_archived(self, operation: str, query: str, offset: int) -> None:
        self._bridge.start(self._read_archived(operation, query, offset))

    def undo(self, operation: str) -> None:
        self._post(p.UndoOperation(self._chat.conversation, operation))

    def redo(self, operation: str) -> None:
        self._post(p.RedoOperation(self._chat.conversation, operation))

    def bring_back(self, messages: tuple[str, ...]) -> None:
        self._post(p.BringBackMessages(self._chat.conversation, messages))

    def pin(self, message: str) -> None:
        self._post(p.PinMessage(self._chat.conversation, message))

    def unpin(self, message: str) -> None:
        self._post(p.UnpinMessage(self._chat.conversation, message))

    def go_to(self, message: str) -> None:
        self._bridge.start(self._chat.show_message(self._chat.conversation, message))

    # Optimize conversation

    def optimize(self, parent: QWidget) -> None:
        """Show the plan before anything is done."""
        if self._dialog is None and self._chat.conversation:
            self._bridge.start(self._optimize(parent, self._chat.conversation))

    async def _optimize(self, parent: QWidget, conversation: str) -> None:
        from .optimize.plan_dialog import PlanDialog

        self._tail, self._strategy = None, ""
        plan = await self._bridge.ask(p.PlanOptimize(conversation))
        if self._dialog is not None or conversation != self._chat.conversation:
            return
        dialog = self._dialog = PlanDialog(plan, parent)
        dialog.apply_requested.connect(self._apply)
        dialog.tail_changed.connect(self._change_tail)
        dialog.summary_edited.connect(self._check)
        dialog.strategy_chosen.connect(self._change_strategy)
        dialog.write_requested.connect(self._write)
        dialog.write_cancelled.connect(self._cancel_writing)
        dialog.finished.connect(self._forget_dialog)
        await asyncio.sleep(0)  # building and showing it are two pieces of work, with room between them
        if self._dialog is dialog:
            dialog.open()

    def _change_tail(self, tokens: int) -> None:
        self._tail = tokens
        self._replan(p.PlanOptimize(self._chat.conversation, tokens, self._strategy))

    def _change_strategy(self, strategy: str) -> None:
        self._strategy = strategy
        self._replan(p.PlanOptimize(self._chat.conversation, self._tail, strategy))

    def _write(self, plan: str, instructions: str) -> None:
        self._replan(p.WriteSummary(self._chat.conversation, plan, instructions))

    def _cancel_writing(self) -> None:
        self._post(p.CancelSummary(self._chat.conversation))

    def _note(self, event: TurnEvent) -> None:
        if isinstance(event, RoomProgressed) and event.plan and self._dialog is not None:
            self._dialog.set_progress(event.plan, event.tokens, event.max_tokens)

    def _check(self, plan: str, summary: str) -> None:
        self._replan(p.CheckSummary(self._chat.conversation, plan, summary))

    def _apply(self, plan: str, summary: str) -> None:
        self._bridge.start(self._apply_plan(p.ApplyPlan(self._chat.conversation, plan, summary)))

    def _forget_dialog(self) -> None:
        if self._dialog is not None:
            if self._dialog.is_writing:
                self._cancel_writing()
            self._dialog.deleteLater()
        self._dialog = None

    def _replan(self, request: p.PlanOptimize | p.CheckSummary | p.WriteSummary) -> None:
        self._plan_number += 1
        self._bridge.start(self._show_plan(request, self._plan_number))

    async def _apply_plan(self, request: p.ApplyPlan) -> None:
        with self._free_dialog_on_failure():
            await self._bridge.ask(request)
        if self._dialog is not None:
            self._dialog.accept()

    @contextmanager
    def _free_dialog_on_failure(self) -> Iterator[None]:
        """Make a dialog that waits for an answer usable again when there is none."""
        try:
            yield
        except EngineFailure as error:
            if self._dialog is not None:
                self._dialog.set_busy(False)
            if error.failure.kind != "cancelled":
                raise
            raise asyncio.CancelledError from error  # as the user wished: nothing to tell

    async def _show_plan(self, request: p.PlanOptimize | p.CheckSummary | p.WriteSummary, number: int) -> None:
        with self._free_dialog_on_failure():
            plan = await self._bridge.ask(request)
        if self._dialog is not None and number == self._plan_number:
            self._dialog.set_plan(plan)

    async def _read_archived(self, operation: str, query: str, offset: int) -> None:
        request = p.ReadOperation(self._chat.conversation, operation, query, offset)
        page = await self._bridge.ask(request)
        self._parts.panel.show_archived(operation, page.rows, page.total, offset)

    def _post(self, request: p.EngineRequest[p.Done]) -> None:
        if self._chat.conversation:
            self._bridge.post(request)
