"""Colours by role, in light and dark, each also with high contrast, and the current theme."""

from __future__ import annotations

from typing import Literal

from desktop_app.conversation.gauge import Segment, Status
from desktop_app.conversation.words import translatable

Tint = Literal[
    "paper", "side", "raised", "line", "line_soft", "ink", "ink_soft", "ink_faint", "accent", "accent_soft",
    "accent_ink", "code", "bubble", "free", "hatch", "ok", "warning", "tight", "critical",
]  # fmt: skip
"""A colour by its role."""
TEXT_SIZES = (80, 200, 5)
"""Percent of the usual size: minimum, maximum, step of the slider."""
Palette = dict[Tint | Segment, str]  # as #rrggbb

# No role shares its name with a segment: both are keys of one palette.
_COLOURS: dict[Tint | Segment, tuple[str, str]] = {  # in light and in dark
    "paper": ("#FBF9F5", "#1A1815"),
    "side": ("#F3EFE8", "#211E1A"),
    "raised": ("#FFFFFF", "#26231F"),
    "line": ("#E4DDD1", "#3A352E"),
    "line_soft": ("#EFE9DF", "#2F2B25"),
    "ink": ("#221E19", "#EDE8DF"),
    "ink_soft": ("#6B6257", "#BDB3A3"),
    "ink_faint": ("#6F675C", "#AAA192"),
    "accent": ("#2F5D8A", "#8DB6DD"),
    "accent_soft": ("#E6EEF6", "#26364A"),
    "accent_ink": ("#FFFFFF", "#14212E"),
    "code": ("#F5F1EA", "#23201B"),
    "bubble": ("#EEF2EE", "#242B28"),
    "free": ("#EDE7DC", "#2C2822"),
    "hatch": ("#D9CFBF", "#453E34"),
    "ok": ("#2A7160", "#5FB39F"),
    "warning": ("#8C5D10", "#D9A441"),
    "tight": ("#A94A18", "#E08A4F"),
    "critical": ("#B83232", "#EC8383"),
    Segment.SYSTEM: ("#7A6F9B", "#8172BC"),
    Segment.SCHEMAS: ("#A08BB0", "#BCA3D6"),
    Segment.MEMORY: ("#B58AA5", "#C59BB5"),
    Segment.SUMMARY: ("#C9A227", "#D9B84A"),
    Segment.PINNED: ("#9A5213", "#DB9150"),
    Segment.USER: ("#2F7D6B", "#5FB39F"),
    Segment.ASSISTANT: ("#3E78B2", "#6FA3D8"),
    Segment.REASONING: ("#5F8FBF", "#6389B0"),
    Segment.CALLS: ("#7FA7C9", "#557A9C"),
    Segment.RESULTS: ("#B9CFE0", "#3F5A73"),
    Segment.ATTACHMENTS: ("#9BB59A", "#7C9A7B"),
    Segment.FRAME: ("#A9A49A", "#7D7A72"),
}


_HIGH_CONTRAST: dict[Tint | Segment, tuple[str, str]] = {  # text at least 7:1 (WCAG AAA), parts of bars at least 3:1
    "paper": ("#FFFFFF", "#000000"),
    "side": ("#FFFFFF", "#000000"),
    "raised": ("#FFFFFF", "#0A0A0A"),
    "line": ("#4D4D4D", "#A6A6A6"),
    "line_soft": ("#DADADA", "#333333"),
    "ink": ("#000000", "#FFFFFF"),
    "ink_soft": ("#1A1A1A", "#EDEDED"),
    "ink_faint": ("#2E2E2E", "#DADADA"),
    "accent": ("#00366B", "#A6D0FF"),
    "accent_soft": ("#DCEAF8", "#0C2C4C"),
    "accent_ink": ("#FFFFFF", "#000000"),
    "code": ("#F7F7F7", "#0A0A0A"),
    "bubble": ("#F0F0F0", "#161616"),
    "free": ("#E3E3E3", "#2E2E2E"),
    "hatch": ("#6B6B6B", "#9E9E9E"),
    "ok": ("#00483A", "#86E3CC"),
    "warning": ("#573700", "#FFCC6B"),
    "tight": ("#702A00", "#FFB583"),
    "critical": ("#850000", "#FFB0B0"),
    Segment.SYSTEM: ("#5B4F8A", "#9C8FD6"),
    Segment.SCHEMAS: ("#775890", "#CDB8E6"),
    Segment.MEMORY: ("#8F5278", "#DDB3CC"),
    Segment.SUMMARY: ("#765C00", "#F0CF60"),
    Segment.PINNED: ("#653200", "#F7BC88"),
    Segment.USER: ("#0F5F4E", "#7FD0BC"),
    Segment.ASSISTANT: ("#1F5F9E", "#8FC1F5"),
    Segment.REASONING: ("#2F639A", "#86ADD6"),
    Segment.CALLS: ("#3F6A8F", "#92B5D7"),
    Segment.RESULTS: ("#4A6981", "#9AB6CF"),
    Segment.ATTACHMENTS: ("#4A6B49", "#A5C4A3"),
    Segment.FRAME: ("#5A5A5A", "#B4B4B4"),
}


LIGHT: Palette = {tint: pair[0] for tint, pair in _COLOURS.items()}
DARK: Palette = {tint: pair[1] for tint, pair in _COLOURS.items()}
CONTRAST_LIGHT: Palette = {tint: pair[0] for tint, pair in _HIGH_CONTRAST.items()}
CONTRAST_DARK: Palette = {tint: pair[1] for tint, pair in _HIGH_CONTRAST.items()}
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
    Segment.FRAME: translatable("Between the messages"),
}

STATUS_WORDS = {
    Status.SAFE: translatable("plenty of room"),
    Status.WARNING: translatable("filling up"),
    Status.TIGHT: translatable("nearly full"),
    Status.CRITICAL: translatable("full"),
    Status.EXCEEDED: translatable("too long"),
    Status.UNKNOWN: translatable("window not known yet"),
}


class ThemeState:
    """The current palette and font scale. Widgets read them when they paint."""

    def __init__(self) -> None:
        self.is_dark = False
        self.has_high_contrast = False
        self.font_scale = 1.0
        self.version = 0  # increases with each change: layouts made for an earlier version are outdated

    @property
    def palette(self) -> Palette:
        if self.has_high_contrast:
            return CONTRAST_DARK if self.is_dark else CONTRAST_LIGHT
        return DARK if self.is_dark else LIGHT

    def show(self, is_dark: bool, font_scale: float = 1.0, has_high_contrast: bool = False) -> None:
        """Choose the palette; `style.show_theme` repaints."""
        self.is_dark = is_dark
        self.has_high_contrast = has_high_contrast
        self.font_scale = font_scale
        self.version += 1


theme = ThemeState()
