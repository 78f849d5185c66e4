"""The colours of Qt's own widgets: menus, tooltips, scroll bars, line edits. Ours paint themselves."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPalette, QStyleHints
from PySide6.QtWidgets import QApplication

from .theme import Tint, theme
from .widgets.look import CONTROL_HEIGHT, MEDIUM, Corner, colour, font, scale

if TYPE_CHECKING:
    from .desktop_look import DesktopLook

HANDLE = 6  # pixels of the width of a scroll bar's handle


@cache
def system_look() -> QStyleHints:
    """Return Qt's style hints of the system. They are cached, since PySide deletes their children with them."""
    return QGuiApplication.styleHints()


@cache
def desktop_look() -> DesktopLook | None:
    """Return what the desktop prefers, which nobody has asked it yet; None where Qt knows by itself."""
    if not sys.platform.startswith("linux"):
        return None
    from .desktop_look import DesktopLook

    return DesktopLook()


def is_dark_wanted(choice: str) -> bool:
    """Return whether a choice of "system", "light" or "dark" means a dark theme."""
    if choice == "system":
        desktop = desktop_look()
        is_dark = desktop.is_dark if desktop is not None else None
        return system_look().colorScheme() == Qt.ColorScheme.Dark if is_dark is None else is_dark
    return choice == "dark"


def is_high_contrast_wanted(choice: str) -> bool:
    """Return whether "system", "normal" or "high" means high contrast. "system" is normal if nothing knows it."""
    if choice == "system":
        desktop = desktop_look()
        if desktop is not None and desktop.has_high_contrast is not None:
            return desktop.has_high_contrast
        return system_look().accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast
    return choice == "high"


def show_theme(application: QApplication, choice: str, font_scale: float, contrast: str = "system") -> None:
    """Show a theme ("system", "light" or "dark") in every widget. contrast: "system", "normal" or "high".

    A theme that is already shown is not set again: restyling every widget takes up to a second.
    """
    wanted = is_dark_wanted(choice), font_scale, is_high_contrast_wanted(contrast)
    if wanted == (theme.is_dark, theme.font_scale, theme.has_high_contrast) and is_styled(application):
        return
    theme.show(*wanted)
    application.setFont(font())
    application.setPalette(qt_palette())
    application.setStyleSheet(style_sheet())


def is_styled(application: QApplication) -> bool:
    """Return whether the application has the style sheet of the theme that is shown."""
    return application.styleSheet() == style_sheet()


def qt_palette() -> QPalette:
    """Return the palette with Qt's roles."""
    roles = QPalette.ColorRole
    palette = QPalette()
    tints: dict[QPalette.ColorRole, Tint] = {
        roles.Window: "paper",
        roles.WindowText: "ink",
        roles.Base: "raised",
        roles.AlternateBase: "side",
        roles.Text: "ink",
        roles.Button: "raised",
        roles.ButtonText: "ink",
        roles.Highlight: "accent",
        roles.HighlightedText: "accent_ink",
        roles.Link: "accent",
        roles.LinkVisited: "accent",
        roles.PlaceholderText: "ink_faint",
        roles.ToolTipBase: "raised",
        roles.ToolTipText: "ink",
        roles.Mid: "line",
        roles.Dark: "line",
        roles.Light: "raised",
    }
    for role, tint in tints.items():
        palette.setColor(role, colour(tint))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, colour("ink_faint"))
    return palette


def style_sheet() -> str:
    """Return the style sheet of the application.

    Tooltips are plain text: a file name or a title may contain markup that makes Qt load a picture.
    """
    c = theme.palette
    return f"""
QToolTip {{ background: {c["raised"]}; color: {c["ink"]}; border: 1px solid {c["line"]}; padding: 4px 8px;
    qproperty-textFormat: PlainText; }}
QLineEdit {{ background: {c["raised"]}; color: {c["ink"]}; border: 1px solid {c["line"]};
    border-radius: {Corner.CONTROL}px; padding: 0 9px; min-height: {scale(CONTROL_HEIGHT) - 2}px;
    selection-background-color: {c["accent"]}; selection-color: {c["accent_ink"]};
    placeholder-text-color: {c["ink_faint"]}; }}
QLineEdit:focus {{ border-color: {c["accent"]}; }}
QComboBox QAbstractItemView {{ background: {c["raised"]}; color: {c["ink"]}; border: 1px solid {c["line"]};
    padding: 5px; outline: 0; selection-background-color: {c["accent_soft"]}; selection-color: {c["ink"]}; }}
QMenu {{ background: {c["raised"]}; color: {c["ink"]}; border: 1px solid {c["line"]}; padding: 5px; }}
QMenu::item {{ padding: {scale(6)}px {scale(22)}px {scale(6)}px {scale(12)}px; border-radius: {Corner.ROW}px; }}
QMenu::item:selected {{ background: {c["accent_soft"]}; color: {c["ink"]}; }}
QMenu::item:disabled {{ color: {c["ink_faint"]}; }}
QMenu::separator {{ height: 1px; background: {c["line_soft"]}; margin: 5px 8px; }}
QScrollBar:vertical {{ background: transparent; width: {HANDLE + 5}px; margin: 0; }}
QScrollBar::handle:vertical {{ background: {c["hatch"]}; border-radius: {HANDLE // 2}px;
    min-height: {CONTROL_HEIGHT}px; margin: 2px 3px 2px 2px; }}
QScrollBar:horizontal {{ background: transparent; height: {HANDLE + 5}px; margin: 0; }}
QScrollBar::handle:horizontal {{ background: {c["hatch"]}; border-radius: {HANDLE // 2}px;
    min-width: {CONTROL_HEIGHT}px; margin: 2px 2px 3px 2px; }}
QScrollBar::handle:hover {{ background: {c["ink_faint"]}; }}
QAbstractScrollArea::corner {{ background: transparent; border: none; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
{file_dialog_rules()}"""


def file_dialog_rules() -> str:
    """Return the rules of Qt's own file dialog, whose widgets do not paint themselves."""
    c, inner = theme.palette, scale(CONTROL_HEIGHT) - 2
    return f"""
QFileDialog QPushButton, QFileDialog QComboBox {{ background: {c["raised"]}; color: {c["ink"]};
    border: 1px solid {c["line"]}; border-radius: {Corner.CONTROL}px; min-height: {inner}px; padding: 0 12px; }}
QFileDialog QPushButton {{ font-weight: {MEDIUM}; }}
QFileDialog QPushButton:default {{ background: {c["accent"]}; color: {c["accent_ink"]}; border-color: {c["accent"]}; }}
QFileDialog QPushButton:hover:!default, QFileDialog QToolButton:hover {{ background: {c["line_soft"]}; }}
QFileDialog QPushButton:disabled {{ background: {c["free"]}; color: {c["ink_faint"]}; border-color: {c["line"]}; }}
QFileDialog QPushButton:focus, QFileDialog QComboBox:focus {{ border-color: {c["accent"]}; }}
QFileDialog QComboBox::drop-down {{ border: none; width: {scale(24)}px; }}
QFileDialog QComboBox::down-arrow {{ width: 0; height: 0; margin-right: 8px;
    border-top: {scale(5)}px solid {c["ink_soft"]};
    border-left: {scale(4)}px solid {c["raised"]}; border-right: {scale(4)}px solid {c["raised"]}; }}
QFileDialog QToolButton {{ background: transparent; border: none; border-radius: {Corner.ROW}px; padding: 6px; }}
QFileDialog QToolButton:checked {{ background: {c["accent_soft"]}; }}
QFileDialog QListView, QFileDialog QTreeView {{ background: {c["raised"]}; border: 1px solid {c["line"]};
    border-radius: {Corner.CONTROL}px; padding: 4px; selection-background-color: {c["accent_soft"]};
    selection-color: {c["ink"]}; }}
QFileDialog QHeaderView {{ background: {c["raised"]}; }}
QFileDialog QHeaderView::section {{ background: {c["raised"]}; color: {c["ink_soft"]}; border: none;
    border-bottom: 1px solid {c["line"]}; padding: 4px 6px; }}
QFileDialog QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
"""
