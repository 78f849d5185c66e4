"""The sections that are about the window and the context window: appearance, making room, memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from desktop_app.context.presets import FOR_PEOPLE, PRESETS, SUMMARIES
from desktop_app.conversation.listing import ModelInfo
from desktop_app.settings import Settings
from desktop_app.ui.widgets.formats import format_percent
from desktop_app.ui.widgets.inputs import Segmented, Slider, ToggleSwitch

from .model_sections import SummaryChoice
from .section import Section, field_label, note

THEMES = (("system", "System"), ("light", "Light"), ("dark", "Dark"))
SCALES = (80, 160, 5)  # percent: minimum, maximum, step
OFF_NOTE = "When this is off, nothing is summarized without your approval, and a full context window stops the chat."
MEMORY_NOTE = (
    "Before older messages leave the context window, the model notes what is worth remembering. A note is used in the "
    "same folder or conversation only, until you choose otherwise in the Memory tab of the context panel."
)
RECALL_NOTE = (
    "When a message refers to something that was archived, the matching passages are sent along, up to a limit."
)


class AppearanceSection(Section):
    """The theme and the text size."""

    def __init__(self, settings: Settings) -> None:
        self.theme = Segmented(THEMES)
        self.theme.choose(settings.theme if settings.theme in self.theme.values() else "system")
        self.scale_label = field_label("")
        self.scale = Slider()
        self.scale.set_range(*SCALES)
        self.scale.valueChanged.connect(self._show_scale)
        self.scale.setValue(round(settings.font_scale * 100))
        self._show_scale(self.scale.value())
        super().__init__("Appearance", self.theme, self.scale_label, self.scale)

    def apply_to(self, settings: Settings) -> Settings:
        return replace(settings, theme=self.theme.value(), font_scale=self.scale.value() / 100)

    def _show_scale(self, scale: int) -> None:
        self.scale_label.set_text(f"Text size: {scale} %")
        self.scale.setAccessibleName(f"Text size, {scale} percent")


class ContextSection(Section):
    """When room is made, by which policy, and who writes the summaries."""

    def __init__(self, settings: Settings, models: Sequence[ModelInfo], is_set_up: Callable[[str], bool]) -> None:
        self.automatic = ToggleSwitch("Make room automatically")
        self.automatic.setChecked(settings.is_automatic)
        self.policy = Segmented(policies_offered(settings.policy))
        self.policy.choose(settings.policy if settings.policy in PRESETS else "balanced")
        self.policy_note = note(policy_description(self.policy.value()))
        self.policy.chosen.connect(lambda name: self.policy_note.set_text(policy_description(name)))
        self.summaries = SummaryChoice(settings, models, is_set_up)
        super().__init__(
            "Context window", self.automatic, note(OFF_NOTE), self.policy, self.policy_note, self.summaries
        )

    def apply_to(self, settings: Settings) -> Settings:
        return replace(
            settings,
            is_automatic=self.automatic.isChecked(),
            policy=self.policy.value(),
            summaries=self.summaries.summaries(),
            utility_model=self.summaries.utility_model(),
        )


class MemorySection(Section):
    """What is remembered, and looked up, unasked."""

    def __init__(self, settings: Settings) -> None:
        self.memory = ToggleSwitch("Remember things about me")
        self.recall = ToggleSwitch("Look up archived messages")
        self.memory.setChecked(settings.is_memory_on)
        self.recall.setChecked(settings.is_recalling)
        self.memory.setAccessibleDescription(MEMORY_NOTE)
        self.recall.setAccessibleDescription(RECALL_NOTE)
        super().__init__("Memory", self.memory, note(MEMORY_NOTE), self.recall, note(RECALL_NOTE))

    def apply_to(self, settings: Settings) -> Settings:
        return replace(settings, is_memory_on=self.memory.isChecked(), is_recalling=self.recall.isChecked())


def policies_offered(chosen: str) -> list[tuple[str, str]]:
    """Return the presets for people; one that imitates another program only if it is chosen in the settings file."""
    names = [policy.name for policy in FOR_PEOPLE]
    if chosen in PRESETS and chosen not in names:
        names.append(chosen)
    return [(name, name.capitalize()) for name in names]


def policy_description(name: str) -> str:
    """Return what a preset does, from its own numbers."""
    policy = PRESETS[name]
    if policy not in FOR_PEOPLE:
        return f"Imitates another program. {SUMMARIES[name][:1].upper()}{SUMMARIES[name][1:]}."
    return (
        f"Makes room in the background from {format_percent(policy.background_at)} of the usable window, and before a "
        f"request at {format_percent(policy.compact_at)}; shrinks the conversation to {format_percent(policy.target)}."
    )
