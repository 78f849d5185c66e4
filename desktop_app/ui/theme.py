"""Colours by role, in light and dark, and which of the two is shown."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.conversation.gauge import Segment, Status


@dataclass(frozen=True)
class Palette:
    """Colours by role, as #rrggbb."""

    is_dark: bool
    paper: str
    side: str
    raised: str
    line: str
    line_soft: str
    ink: str
    ink_soft: str
    ink_faint: str
    accent: str
    accent_soft: str
    accent_ink: str
    code: str
    user: str
    free: str
    hatch: str
    ok: str
    warning: str
    tight: str
    critical: str
    segments: dict[Segment, str]

    def status(self, status: Status) -> str:
        return {
            Status.SAFE: self.ok,
            Status.WARNING: self.warning,
            Status.TIGHT: self.tight,
            Status.CRITICAL: self.critical,
            Status.EXCEEDED: self.critical,
            Status.UNKNOWN: self.hatch,
        }[status]


LIGHT = Palette(
    is_dark=False,
    paper="#FBF9F5",
    side="#F3EFE8",
    raised="#FFFFFF",
    line="#E4DDD1",
    line_soft="#EFE9DF",
    ink="#221E19",
    ink_soft="#6B6257",
    ink_faint="#6F675C",
    accent="#2F5D8A",
    accent_soft="#E6EEF6",
    accent_ink="#FFFFFF",
    code="#F5F1EA",
    user="#EEF2EE",
    free="#EDE7DC",
    hatch="#D9CFBF",
    ok="#2A7160",
    warning="#8F5F10",
    tight="#A94A18",
    critical="#B83232",
    segments={
        Segment.SYSTEM: "#7A6F9B",
        Segment.SCHEMAS: "#A08BB0",
        Segment.MEMORY: "#B58AA5",
        Segment.SUMMARY: "#C9A227",
        Segment.PINNED: "#B5651D",
        Segment.USER: "#2F7D6B",
        Segment.ASSISTANT: "#3E78B2",
        Segment.REASONING: "#5F8FBF",
        Segment.CALLS: "#7FA7C9",
        Segment.RESULTS: "#B9CFE0",
        Segment.ATTACHMENTS: "#9BB59A",
    },
)

DARK = Palette(
    is_dark=True,
    paper="#1A1815",
    side="#211E1A",
    raised="#26231F",
    line="#3A352E",
    line_soft="#2F2B25",
    ink="#EDE8DF",
    ink_soft="#B3A999",
    ink_faint="#978E7F",
    accent="#8DB6DD",
    accent_soft="#26364A",
    accent_ink="#14212E",
    code="#23201B",
    user="#242B28",
    free="#2C2822",
    hatch="#453E34",
    ok="#5FB39F",
    warning="#D9A441",
    tight="#E08A4F",
    critical="#E57373",
    segments={
        Segment.SYSTEM: "#9A8FC0",
        Segment.SCHEMAS: "#A894BC",
        Segment.MEMORY: "#C59BB5",
        Segment.SUMMARY: "#D9B84A",
        Segment.PINNED: "#D68A48",
        Segment.USER: "#5FB39F",
        Segment.ASSISTANT: "#6FA3D8",
        Segment.REASONING: "#6389B0",
        Segment.CALLS: "#557A9C",
        Segment.RESULTS: "#3F5A73",
        Segment.ATTACHMENTS: "#7C9A7B",
    },
)

SEGMENT_NAMES = {
    Segment.SYSTEM: "System prompt",
    Segment.SCHEMAS: "Tool schemas",
    Segment.MEMORY: "Memory",
    Segment.SUMMARY: "Summary",
    Segment.PINNED: "Pinned",
    Segment.USER: "You",
    Segment.ASSISTANT: "Assistant",
    Segment.REASONING: "Reasoning",
    Segment.CALLS: "Tool calls",
    Segment.RESULTS: "Tool results",
    Segment.ATTACHMENTS: "Attachments",
}

STATUS_WORDS = {
    Status.SAFE: "safe",
    Status.WARNING: "warning",
    Status.TIGHT: "tight",
    Status.CRITICAL: "critical",
    Status.EXCEEDED: "exceeded",
    Status.UNKNOWN: "window not known yet",
}


class ThemeState:
    """Which palette is shown. Widgets read it when they paint."""

    def __init__(self) -> None:
        self.palette = LIGHT
        self.font_scale = 1.0
        self.version = 0  # grows with each change: what was laid out for an earlier one is outdated

    def show(self, is_dark: bool, font_scale: float = 1.0) -> None:
        """Choose the palette; `style.show_theme` repaints."""
        self.palette = DARK if is_dark else LIGHT
        self.font_scale = font_scale
        self.version += 1


theme = ThemeState()
