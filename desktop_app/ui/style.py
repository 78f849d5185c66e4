"""Fonts, the Qt palette and the one style sheet: how the colours by role reach Qt's own widgets.

A widget asks for its look with a dynamic property: `kind` on buttons ("primary", "quiet", "link") and frames
("card"), `tone` on labels ("soft", "faint", "strong", "heading").
"""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from .theme import Palette, theme

TEXT_FAMILIES = ("Inter", "Noto Sans", "Segoe UI", "SF Pro Text")
CODE_FAMILIES = ("JetBrains Mono", "Noto Sans Mono", "Cascadia Mono", "SF Mono", "DejaVu Sans Mono")
TEXT_SIZE = 14  # pixels, before the user's font scale


@cache
def text_family() -> str:
    """The first of our families that is installed, else the system's."""
    return next(filter(QFontDatabase.hasFamily, TEXT_FAMILIES), QGuiApplication.font().family())


@cache
def code_family() -> str:
    """The first of our fixed-pitch families that is installed, else the system's."""
    fixed = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    return next(filter(QFontDatabase.hasFamily, CODE_FAMILIES), fixed)


def scaled(pixels: float) -> int:
    """A length that follows the user's font scale, in pixels."""
    return max(round(pixels * theme.font_scale), 1)


def text_font(pixels: float = TEXT_SIZE, weight: int = 400, is_tabular: bool = False) -> QFont:
    """The text font. is_tabular: all digits equally wide, for numbers that stand under each other."""
    font = QFont(text_family())
    font.setPixelSize(scaled(pixels))
    font.setWeight(QFont.Weight(weight))
    if is_tabular:
        font.setFeature(QFont.Tag("tnum"), 1)
    return font


def code_font(pixels: float = 12.5, weight: int = 400) -> QFont:
    """The fixed-pitch font."""
    font = QFont(code_family())
    font.setPixelSize(scaled(pixels))
    font.setWeight(QFont.Weight(weight))
    font.setStyleHint(QFont.StyleHint.Monospace)
    return font


def is_dark_wanted(choice: str) -> bool:
    """Whether the dark palette is to be shown, for "system", "light" or "dark"."""
    if choice == "system":
        return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return choice == "dark"


def show_theme(application: QApplication, choice: str, font_scale: float) -> None:
    """Shows the palette and the fonts in every widget."""
    theme.show(is_dark_wanted(choice), font_scale)
    application.setFont(text_font())
    application.setPalette(qt_palette(theme.palette))
    application.setStyleSheet(style_sheet(theme.palette))


def restyle(widget: QWidget) -> None:
    """Makes Qt look at the widget's dynamic properties again."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()


def qt_palette(colours: Palette) -> QPalette:
    """The roles that Qt knows."""
    roles = QPalette.ColorRole
    palette = QPalette()
    for role, colour in {
        roles.Window: colours.paper,
        roles.WindowText: colours.ink,
        roles.Base: colours.raised,
        roles.AlternateBase: colours.side,
        roles.Text: colours.ink,
        roles.Button: colours.raised,
        roles.ButtonText: colours.ink,
        roles.Highlight: colours.accent,
        roles.HighlightedText: colours.accent_ink,
        roles.Link: colours.accent,
        roles.LinkVisited: colours.accent,
        roles.PlaceholderText: colours.ink_faint,
        roles.ToolTipBase: colours.raised,
        roles.ToolTipText: colours.ink,
        roles.Mid: colours.line,
        roles.Dark: colours.line,
        roles.Light: colours.raised,
    }.items():
        palette.setColor(role, QColor(colour))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(colours.ink_faint))
    return palette


def style_sheet(colours: Palette) -> str:
    """The style sheet of the whole application."""
    c = colours
    small, radius = scaled(12), scaled(8)
    toast_link = "#2F5D8A" if c.is_dark else "#E9CD74"  # a toast is painted in the opposite tone
    return f"""
QToolTip {{ background: {c.raised}; color: {c.ink}; border: 1px solid {c.line}; padding: 4px 8px; }}
QPushButton {{ background: {c.raised}; color: {c.ink}; border: 1px solid {c.line}; border-radius: {radius}px;
    padding: {scaled(6)}px {scaled(12)}px; font-weight: 500; }}
QPushButton:hover {{ border-color: {c.ink_faint}; }}
QPushButton:pressed {{ background: {c.line_soft}; }}
QPushButton:focus {{ border-color: {c.accent}; }}
QPushButton:disabled {{ color: {c.ink_faint}; background: {c.paper}; }}
QPushButton[kind="primary"] {{ background: {c.accent}; border-color: {c.accent}; color: {c.accent_ink}; }}
QPushButton[kind="primary"]:focus {{ border-color: {c.ink}; }}
QPushButton[kind="primary"]:disabled {{ background: {c.free}; border-color: {c.free}; color: {c.ink_faint}; }}
QPushButton[kind="quiet"] {{ background: transparent; border-color: transparent; color: {c.ink_soft}; }}
QPushButton[kind="quiet"]:hover {{ background: {c.line_soft}; color: {c.ink}; }}
QPushButton[kind="quiet"]:focus {{ border-color: {c.accent}; }}
QPushButton[kind="link"] {{ background: transparent; border: 1px solid transparent; border-radius: 4px;
    color: {c.accent}; padding: 1px 3px; }}
QPushButton[kind="link"]:hover {{ text-decoration: underline; }}
QPushButton[kind="link"]:focus {{ border-color: {c.accent}; }}
QPushButton[kind="chip"] {{ background: transparent; color: {c.ink_soft}; border-radius: {scaled(14)}px;
    padding: {scaled(4)}px {scaled(11)}px; font-size: {scaled(13)}px; font-weight: 400; }}
QPushButton[kind="chip"]:hover, QPushButton[kind="chip"]:focus {{ color: {c.ink}; border-color: {c.accent}; }}
QPushButton::menu-indicator {{ width: 0; }}
QLineEdit {{ background: {c.raised}; color: {c.ink}; border: 1px solid {c.line}; border-radius: {radius}px;
    padding: {scaled(6)}px {scaled(10)}px; selection-background-color: {c.accent};
    selection-color: {c.accent_ink}; }}
QLineEdit:focus {{ border-color: {c.accent}; }}
QLabel {{ background: transparent; }}
QLabel[tone="soft"] {{ color: {c.ink_soft}; }}
QLabel[tone="faint"] {{ color: {c.ink_faint}; font-size: {small}px; }}
QLabel[tone="strong"] {{ font-weight: 600; }}
QLabel[tone="heading"] {{ font-size: {scaled(15)}px; font-weight: 600; }}
QFrame[kind="card"] {{ background: {c.raised}; border: 1px solid {c.line}; border-radius: {scaled(10)}px; }}
QFrame[kind="alarm"] {{ background: {c.raised}; border: 1px solid {c.critical}; border-radius: {scaled(10)}px; }}
QFrame[kind="toast"] {{ background: {c.ink}; border-radius: {scaled(10)}px; }}
QFrame[kind="toast"] QLabel {{ color: {c.paper}; }}
QFrame[kind="toast"] QPushButton {{ background: transparent; border: 1px solid transparent; color: {toast_link};
    padding: 2px 6px; font-weight: 600; }}
QFrame[kind="toast"] QPushButton:hover {{ text-decoration: underline; }}
QFrame[kind="toast"] QPushButton:focus {{ border-color: {toast_link}; }}
QMenu {{ background: {c.raised}; color: {c.ink}; border: 1px solid {c.line}; border-radius: {radius}px;
    padding: 5px; }}
QMenu::item {{ padding: {scaled(6)}px {scaled(22)}px {scaled(6)}px {scaled(12)}px; border-radius: {scaled(5)}px; }}
QMenu::item:selected {{ background: {c.accent_soft}; color: {c.ink}; }}
QMenu::item:disabled {{ color: {c.ink_faint}; }}
QMenu::separator {{ height: 1px; background: {c.line_soft}; margin: 5px 8px; }}
QScrollBar:vertical {{ background: transparent; width: 11px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 11px; margin: 0; }}
QScrollBar::handle {{ background: {c.hatch}; border-radius: 3px; margin: 2px 3px 2px 2px; }}
QScrollBar::handle:vertical {{ min-height: 36px; }}
QScrollBar::handle:horizontal {{ min-width: 36px; }}
QScrollBar::handle:hover {{ background: {c.ink_faint}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""
