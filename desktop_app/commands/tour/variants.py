"""Looks in which the tour shows the window."""

from __future__ import annotations

import argparse
from typing import get_args

import msgspec

from desktop_app.settings import Language, Settings, Theme

THEMES = tuple(theme for theme in get_args(Theme) if theme != "system")
LANGUAGES = tuple(language for language in get_args(Language) if language)


class Variant(msgspec.Struct, frozen=True):
    """The look of the window during a tour."""

    theme: Theme = "light"
    size: tuple[int, int] = (1_440, 900)
    """Pixels."""
    scale: float = 1.0
    """Of the text; 1.0 is the normal size."""
    is_rtl: bool = False
    """Whether the window is mirrored, as for languages that are written from right to left."""
    language: Language = "en"

    def settings(self) -> Settings:
        return Settings(theme=self.theme, font_scale=self.scale, language=self.language)

    def arguments(self) -> list[str]:
        """Return the command's arguments for this variant."""
        width, height = self.size
        look = ["--theme", self.theme, "--size", f"{width}x{height}", "--scale", f"{self.scale}"]
        return [*look, "--language", self.language, *(["--rtl"] if self.is_rtl else [])]


USUAL = Variant()
VARIANTS = {
    "light": USUAL,
    "dark": Variant(theme="dark"),
    "small": Variant(size=(800, 500)),
    "large-text": Variant(scale=2.0),
    "small-large-text": Variant(size=(800, 500), scale=2.0),
    "right-to-left": Variant(is_rtl=True),
    "right-to-left-small-dark": Variant(theme="dark", size=(800, 500), is_rtl=True),
    "german": Variant(language="de"),
    "german-small-large-text": Variant(size=(800, 500), scale=2.0, language="de"),
}


def size_of(text: str) -> tuple[int, int]:
    """Return "800x500" as width and height. Raises argparse.ArgumentTypeError."""
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise argparse.ArgumentTypeError(f"{text} is not a size such as 800x500")
    return int(width), int(height)


def add_look_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for one look, and `--all` for all of them."""
    parser.add_argument("--all", action="store_true", help="the whole tour, and the screens in every look")
    parser.add_argument("--theme", choices=THEMES, help="only the screens, in this theme")
    parser.add_argument("--size", type=size_of, metavar="WxH", help="only the screens, in a window of this size")
    parser.add_argument("--scale", type=float, help="only the screens, with text of this size: 2.0 is 200 %%")
    parser.add_argument("--rtl", action="store_true", help="only the screens, turned around from right to left")
    parser.add_argument("--language", choices=LANGUAGES, help="only the screens, in this language")


def variant_of(arguments: argparse.Namespace) -> Variant | None:
    """Return the look that the arguments specify; None if they specify none."""
    changes = {name: value for name in ("theme", "size", "scale", "language") if (value := getattr(arguments, name))}
    if arguments.rtl:
        changes["is_rtl"] = True
    return msgspec.structs.replace(USUAL, **changes) if changes else None
