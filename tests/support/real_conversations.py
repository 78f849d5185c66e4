"""Real conversations: excerpts that come with the project, and whole ones where they are beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parents[2]
EXCERPTS = ROOT / "tests" / "data" / "conversations"
FOLDERS = [folder for folder in (EXCERPTS, ROOT.parent / "shared" / "conversations") if folder.is_dir()]


class Question(msgspec.Struct, frozen=True):
    """A question about a conversation, and the indexes of the messages that answer it."""

    file: str
    question: str
    evidence: tuple[int, ...]


def real_conversations(*folders: Path) -> list[Path]:
    """Return the files of the conversations in these folders, of all when none is named."""
    files = [file for folder in folders or FOLDERS for file in sorted(folder.glob("*.jsonl"))]
    return [file for file in files if "questions" not in file.name]


FILES = {file.stem: file for file in real_conversations()}


def those_here(*rows: Any) -> list[Any]:
    """Return the names that are here, or the rows that begin with one of them."""
    return [row for row in rows if (row if isinstance(row, str) else row[0]) in FILES]


def questions_in(folder: Path) -> list[Question]:
    """Return the questions about the conversations in a folder; those without evidence are left out."""
    lines = [line for file in folder.glob("*questions.jsonl") for line in file.read_bytes().splitlines()]
    asked = [msgspec.json.decode(line, type=Question) for line in lines]
    return [question for question in asked if question.evidence]


def questions_about(name: str) -> list[Question]:
    """Return the questions about one conversation."""
    return [question for question in questions_in(FILES[name].parent) if question.file == FILES[name].name]
