"""What is remembered, and looked up, without being asked."""

from __future__ import annotations

from msgspec.structs import replace

from desktop_app.settings import Settings
from desktop_app.ui.widgets.switch import Switch

from .section import Section, note

MEMORY_NOTE = (
    "Before older messages leave the context window, the model notes what is worth remembering. A note is used in the "
    "same folder or conversation only, until you choose otherwise in the Memory tab of the context panel."
)
RECALL_NOTE = (
    "When a message refers to something that was archived, the matching passages are sent along, up to a limit."
)


class MemorySection(Section):
    """Two switches."""

    def __init__(self, settings: Settings) -> None:
        self.memory = Switch("Remember things about me")
        self.recall = Switch("Look up archived messages")
        self.memory.setChecked(settings.is_memory_on)
        self.recall.setChecked(settings.is_recalling)
        for switch, words in ((self.memory, MEMORY_NOTE), (self.recall, RECALL_NOTE)):
            switch.setAccessibleDescription(words)
        super().__init__("Memory", self.memory, note(MEMORY_NOTE), self.recall, note(RECALL_NOTE))

    def written(self, settings: Settings) -> Settings:
        """With both switches."""
        return replace(settings, is_memory_on=self.memory.isChecked(), is_recalling=self.recall.isChecked())
