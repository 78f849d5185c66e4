"""Saves code of a message to a file that the user chooses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from desktop_app.ui.translation import tr
from desktop_app.ui.widgets.file_dialog import FileDialog

SUFFIXES = {
    "bash": "sh", "c": "c", "c++": "cpp", "cpp": "cpp", "csharp": "cs", "css": "css", "diff": "diff", "go": "go",
    "html": "html", "java": "java", "javascript": "js", "js": "js", "json": "json", "kotlin": "kt", "markdown": "md",
    "python": "py", "py": "py", "ruby": "rb", "rust": "rs", "sh": "sh", "shell": "sh", "sql": "sql", "swift": "swift",
    "toml": "toml", "ts": "ts", "typescript": "ts", "xml": "xml", "yaml": "yaml", "yml": "yml",
}  # fmt: skip


def choose_code_file(parent: QWidget, block: str, notify: Callable[[str], None]) -> None:
    """Ask for a file and write the code to it. block: the language, and the code from its second line on. notify: shows
    how that ended.
    """
    language, _, code = block.partition("\n")
    dialog = FileDialog(parent, tr("Save the code"), str(Path.home()))
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.selectFile(f"code.{SUFFIXES.get(language.lower(), 'txt')}")
    dialog.fileSelected.connect(lambda path: notify(save_code(Path(path), code)))
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()


def save_code(path: Path, code: str) -> str:
    """Write the code, and return how that ended in words."""
    try:
        path.write_text(code + "\n", encoding="utf-8", errors="replace", newline="\n")
    except OSError as error:
        words = tr("{file} was not saved ({reason}); choose another folder, or copy the code")
        return words.format(file=path.name, reason=error.strerror)
    return tr("Saved to {file}").format(file=path.name)
