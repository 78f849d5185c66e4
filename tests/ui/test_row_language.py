"""Rows of the transcript in another language: nothing that the window says of itself stays English."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QTranslator
from transcript_rows import NOW, compaction, row

from desktop_app.conversation.events import Failure, MessageRow, MessageState
from desktop_app.conversation.message import Attachment, CallEnding, Part, Reasoning, Role, Text, ToolCall, ToolResult
from desktop_app.ui.live_turns import LiveReply, LiveTurn, ToolRun
from desktop_app.ui.transcript.cards import SETTING_WORDS, WAYS_OUT, WAYS_TO_EMPTY
from desktop_app.ui.transcript.row_layout import LONG, RowCache
from desktop_app.ui.transcript.row_painter import RowLayout, TextLine
from desktop_app.ui.transcript.row_text import accessible_text, menu_of
from desktop_app.ui.transcript.transcript_items import GapItem, Item, items_of, items_with_gaps
from desktop_app.ui.translation import use_translator

WIDTH = 900
CALL = ToolCall("γ", "εργο", '{"χ": "ψ"}')
RESULT = ToolResult("γ", "εργο", "τέλος")
ENDINGS: tuple[CallEnding, ...] = ("", "denied", "stopped", "timed_out")
KINDS = ("compaction", "prune", "flush", "link", "link", "compaction", "prune", "flush", "link")
LONG_CODE = "```\n" + "κώδικας\n" * 80 + "```"


class MarkedLanguage(QTranslator):
    """Puts each text into brackets instead of translating it."""

    def translate(self, context: str, text: str, note: str = "", count: int = -1) -> str:
        return f"⟦{text}⟧"

    def language(self) -> str:
        return "el"


@pytest.fixture(autouse=True)
def marked_language(language_is_restored) -> None:
    use_translator(MarkedLanguage())


def written(
    role: Role, *parts: Part, index: int = 0, state: MessageState = MessageState.IN_VIEW, **more: object
) -> MessageRow:
    """A message by a model with a Greek name: no word of it is English."""
    made = row(index, role, *(parts or (Text("λόγος"),)), state=state, **more)
    return replace(made, message=replace(made.message, model="σ/μοντέλο", seconds=72.0))


def failed(ending: CallEnding) -> MessageRow:
    return written(Role.TOOL, replace(RESULT, ending=ending, is_error=True))


def in_turn(*rows: MessageRow) -> list[MessageRow]:
    """The rows as they follow each other, each with an id of its own."""
    return [replace(r, index=n, message=replace(r.message, id=f"m{n}")) for n, r in enumerate(rows)]


def conversation() -> Iterator[Item]:
    """All that a transcript can show."""
    interrupted = written(Role.ASSISTANT, Reasoning("σκέψη"), Text(LONG_CODE))
    rows = in_turn(
        written(Role.SYSTEM),
        written(Role.USER, Text("λ" * (LONG + 1)), is_pinned=True),
        written(Role.USER, Attachment("ω", "", "ω")),
        written(Role.ASSISTANT, Text("![ι](ζ)"), state=MessageState.ARCHIVED, versions=("m3", "m99")),
        written(Role.ASSISTANT, CALL),
        written(Role.TOOL, RESULT, state=MessageState.PRUNED),
        *(made for ending in ENDINGS for made in (written(Role.ASSISTANT, CALL), failed(ending))),
        written(Role.ASSISTANT, Text("λ"), CALL),
        written(Role.ASSISTANT, CALL),
        written(Role.TOOL, replace(RESULT, text="\n" * 99 + "λ", spill="0" * 64)),
        written(Role.ASSISTANT, CALL),
        written(Role.TOOL, replace(RESULT, text="λ" * 999)),
        written(Role.ASSISTANT, CALL),
        written(Role.TOOL, replace(RESULT, text="")),
        replace(interrupted, message=replace(interrupted.message, is_interrupted=True)),
    )
    operations = [
        replace(compaction(n, 1), kind=kind, is_elsewhere=n > 5, strategies={"from": 1} if n % 2 else {}, note="")
        for n, kind in enumerate(KINDS)
    ]
    yield from items_of(rows, operations)
    yield from items_with_gaps(rows[:2], (), other_versions=("m9",))
    yield GapItem(0, 9)
    yield from items_of(in_turn(written(Role.USER)), (), LiveTurn(is_running=True, reply=LiveReply("r")))
    two_calls = in_turn(written(Role.USER), written(Role.ASSISTANT, CALL, CALL))
    runs = {("m1", 0): ToolRun(NOW, "λ\n" * 99, 99)}
    yield from items_with_gaps(two_calls, (), LiveTurn(is_running=True, calling="m1", runs=runs), NOW + 3)
    failures = [Failure(kind, "Τ") for kind in WAYS_OUT]
    failures += [Failure("nothing_can_leave", "Τ", filled_by=by) for by in WAYS_TO_EMPTY]
    failures += [Failure("auth", "Τ", setting=f"servers/σ/{field}") for field in SETTING_WORDS]
    yield from items_with_gaps((), (), LiveTurn(failures=tuple(failures)))


def words_of(layout: RowLayout) -> Iterator[str]:
    lines = [drawn for drawn in layout.drawn if isinstance(drawn, TextLine)]
    yield from (line.text for line in [*lines, *(region.words for region in layout.hit_regions if region.words)])
    yield from (flow.document.toPlainText() for flow in layout.flows)


def english_in(text: str) -> str:
    """The English that is not in brackets."""
    while "⟦" in text:
        shorter = re.sub(r"⟦[^⟦⟧]*⟧", "", text)
        assert shorter != text
        text = shorter
    return " ".join(re.findall(r"[A-Za-z]{2,}", text))


@pytest.mark.row("U12", "the other language")
@pytest.mark.parametrize("is_unfolded", [False, True])
def test_all_words_of_a_row_are_translated(is_unfolded: bool) -> None:
    cache = RowCache()
    for item in conversation():
        if is_unfolded:
            cache.unfold(item.key)
        layout = cache.make(item, WIDTH)
        menu = [link.label for link in menu_of(item, layout.hit_regions)]
        for text in (*words_of(layout), *menu, accessible_text(item)):
            assert not english_in(text), (item, text)
