"""Colours by role, in light and dark, and which of the two is shown."""

from __future__ import annotations

from typing import Literal

from desktop_app.conversation.gauge import Segment, Status
from desktop_app.conversation.words import translatable

Tint = Literal[
    "paper", "side", "raised", "line", "line_soft", "ink", "ink_soft", "ink_faint", "accent", "accent_soft",
    "accent_ink", "code", "bubble", "free", "hatch", "ok", "warning", "tight", "critical",
]  # fmt: skip
"""A colour by its role."""
Palette = dict[Tint | Segment, str]  # as #rrggbb

# No role has the name of a segment: both are keys of one palette.
_COLOURS: dict[Tint | Segment, tuple[str, str]] = {  # in light and in dark
    "paper": ("#FBF9F5", "#1A1815"),
    "side": ("#F3EFE8", "#211E1A"),
    "raised": ("#FFFFFF", "#26231F"),
    "line": ("#E4DDD1", "#3A352E"),
    "line_soft": ("#EFE9DF", "#2F2B25"),
    "ink": ("#221E19", "#EDE8DF"),
    "ink_soft": ("#6B6257", "#B3A999"),
    "ink_faint": ("#6F675C", "#978E7F"),
    "accent": ("#2F5D8A", "#8DB6DD"),
    "accent_soft": ("#E6EEF6", "#26364A"),
    "accent_ink": ("#FFFFFF", "#14212E"),
    "code": ("#F5F1EA", "#23201B"),
    "bubble": ("#EEF2EE", "#242B28"),
    "free": ("#EDE7DC", "#2C2822"),
    "hatch": ("#D9CFBF", "#453E34"),
    "ok": ("#2A7160", "#5FB39F"),
    "warning": ("#8F5F10", "#D9A441"),
    "tight": ("#A94A18", "#E08A4F"),
    "critical": ("#B83232", "#E57373"),
    Segment.SYSTEM: ("#7A6F9B", "#9A8FC0"),
    Segment.SCHEMAS: ("#A08BB0", "#A894BC"),
    Segment.MEMORY: ("#B58AA5", "#C59BB5"),
    Segment.SUMMARY: ("#C9A227", "#D9B84A"),
    Segment.PINNED: ("#B5651D", "#D68A48"),
    Segment.USER: ("#2F7D6B", "#5FB39F"),
    Segment.ASSISTANT: ("#3E78B2", "#6FA3D8"),
    Segment.REASONING: ("#5F8FBF", "#6389B0"),
    Segment.CALLS: ("#7FA7C9", "#557A9C"),
    Segment.RESULTS: ("#B9CFE0", "#3F5A73"),
    Segment.ATTACHMENTS: ("#9BB59A", "#7C9A7B"),
}


LIGHT: Palette = {tint: pair[0] for tint, pair in _COLOURS.items()}
DARK: Palette = {tint: pair[1] for tint, pair in _COLOURS.items()}
STATUS_TINTS: dict[Status, Tint] = {
    Status.SAFE: "ok",
    Status.WARNING: "warning",
    Status.TIGHT: "tight",
    Status.CRITICAL: "critical",
    Status.EXCEEDED: "critical",
    Status.UNKNOWN: "hatch",
}

SEGMENT_NAMES = {
    Segment.SYSTEM: translatable("System prompt"),
    Segment.SCHEMAS: translatable("Tool schemas"),
    Segment.MEMORY: translatable("Memory"),
    Segment.SUMMARY: translatable("Summary"),
    Segment.PINNED: translatable("Pinned"),
    Segment.USER: translatable("You"),
    Segment.ASSISTANT: translatable("Assistant"),
    Segment.REASONING: translatable("Reasoning"),
    Segment.CALLS: translatable("Tool calls"),
    Segment.RESULTS: translatable("Tool results"),
    Segment.ATTACHMENTS: translatable("Attachments"),
}

STATUS_WORDS = {
    Status.SAFE: translatable("safe"),
    Status.WARNING: translatable("warning"),
    Status.TIGHT: translatable("tight"),
    Status.CRITICAL: translatable("critical"),
    Status.EXCEEDED: translatable("exceeded"),
    Status.UNKNOWN: translatable("window not known yet"),
}


class ThemeState:
    """Which palette is shown. Widgets read it when they paint."""

    def __init__(self) -> None:
        self.is_dark = False
        self.font_scale = 1.0
        self.version = 0  # grows with each change: what was laid out for an earlier one is outdated

    @property
    def palette(self) -> Palette:
        return DARK if self.is_dark else LIGHT

    def show(self, is_dark: bool, font_scale: float = 1.0) -> None:
        """Choose the palette; `style.show_theme` repaints."""
        self.is_dark = is_dark
        self.font_scale = font_scale
        self.version += 1


theme = ThemeState()
