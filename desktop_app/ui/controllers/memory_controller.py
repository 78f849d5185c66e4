"""The controller of memories: read, change, delete and restore them."""

from __future__ import annotations

from msgspec.structs import replace

from desktop_app.conversation.events import ToolFinished, TurnEvent, TurnFinished, ViewChanged
from desktop_app.conversation.memory import Memory
from desktop_app.engine import protocol as p
from desktop_app.settings import Settings
from desktop_app.ui.bridge import Bridge, in_task
from desktop_app.ui.context_panel.memories import MemorySize
from desktop_app.ui.context_panel.memory_card import CurrentScope
from desktop_app.ui.parts import Parts
from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.formats import first_line

from .controller import Controller
from .conversation_controller import ConversationController

SAVING_TOOL = "save_memory"


class MemoryController(Controller):
    """Shows all memories anew after each change, and with another conversation."""

    def __init__(self, bridge: Bridge, parts: Parts, chat: ConversationController) -> None:
        super().__init__(bridge, parts, chat)
        self._is_stale = False
        asked = parts.panel.requests
        asked.memories_requested.connect(self.read)
        asked.write_requested.connect(self.write)
        asked.delete_requested.connect(self.delete)
        chat.shown.connect(self.note_opened)
        bridge.happened.connect(self.note)

    def use(self, settings: Settings) -> None:
        self._parts.panel.memories.set_on(settings.is_memory_on)

    @in_task
    async def read(self) -> None:
        await self._show(p.ListMemories(self._chat.conversation))

    def note_opened(self, _opened: p.ConversationOpened) -> None:
        if self._parts.panel.tabs.value() == "memory":
            self.read()

    def note(self, event: TurnEvent) -> None:
        """Read the memories again once a flush, its undoing or a tool may have changed them and no turn runs."""
        match event:
            case ToolFinished(name=name) if name == SAVING_TOOL:
                self._is_stale = True
            case ViewChanged(operations=operations) if any(row.kind == "flush" for row in operations):
                self._is_stale = True
            case TurnFinished(conversation) if conversation == self._chat.conversation:
                self._is_stale |= self._parts.panel.tabs.value() == "memory"  # the request may have others now
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
        self._parts.toast.show_message(text, tr("Undo"), lambda: self.write(replace(memory, is_deleted=False)))

    async def _show(self, request: p.ListMemories | p.WriteMemory) -> None:
        known = await self._bridge.ask(request)
        if known.conversation != self._chat.conversation:
            return  # another one was opened meanwhile, and asked for them itself
        listed = self._parts.sidebar.list.conversations
        titles = {info.id: info.title for info in listed.conversations}
        here = CurrentScope(known.conversation, known.folder, listed.project(known.project))
        size = MemorySize(known.tokens, known.most, is_pending=known.is_pending)
        self._parts.panel.memories.set_memories(known.memories, size, titles, here)
