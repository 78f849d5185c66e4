"""Markdown blocks, markup within a paragraph, and the places where a text may be cut. Uses no Qt."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Literal
from unicodedata import category

import msgspec
from msgspec.structs import replace

from desktop_app.conversation.markdown_html import block_parser, math_spans
from desktop_app.conversation.markdown_source import FOOTNOTE, NOTE_DEFINITION, footnote_labels, is_cjk, joins_emphasis

if TYPE_CHECKING:
    from markdown_it.token import Token


# Marks that open or close markup. A backslash makes the next character a literal.
_MARK = re.compile(r"\\.|(?P<code>`+)|(?P<open>\[)|(?P<close>\])|(?P<run>\*+|_+|~+)")
MAX_ADDRESS = 2_000  # characters: limited, since an address is looked for after each bracket
MAX_TRIES = 50  # openers that are tried for a closer: without a limit, a crafted text would take forever


class _Run(msgspec.Struct):
    """A run of asterisks, underscores or tildes that may open or close emphasis. left: how many have no partner yet."""

    start: int
    end: int
    kind: str
    left: int
    may_open: bool
    may_close: bool


def marked_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of emphasis, code, links and formulas, in order and disjoint; rather too many than too few."""
    spans, brackets, runs = math_spans(text), list[int](), dict[str, list[_Run]]()
    position, backticks = 0, _backticks(text)
    while (found := _MARK.search(text, position)) is not None:
        position = found.end()
        if found["code"]:
            alike = backticks[len(found["code"])]
            number = bisect_left(alike, position)
            if number < len(alike):
                position = alike[number] + len(found["code"])
                spans.append((found.start(), position))
        elif found["open"]:
            brackets.append(found.start())
        elif found["close"] and brackets:
            position = _end_of_address(text, position)
            spans.append((brackets.pop(), position))
        elif found["run"]:
            spans += _pair_run(_run_at(text, found), runs)
    return _merge_overlaps(spans)


def _end_of_address(text: str, position: int) -> int:
    """Return the end of an address in parentheses that begins at `position`; `position` if none does."""
    if not text.startswith("(", position):
        return position
    end = text.find(")", position, position + MAX_ADDRESS + 2)
    return end + 1 if end >= 0 and text.find("\n", position, end) < 0 else position


def _backticks(text: str) -> dict[int, list[int]]:
    """Return the starts of the runs of backticks by length: each is closed by the next run of the same length."""
    starts: dict[int, list[int]] = defaultdict(list)
    for run in re.finditer("`+", text):
        starts[len(run[0])].append(run.start())
    return starts


def _run_at(text: str, found: re.Match[str]) -> _Run:
    """Return a run; whether it may open or close depends on the adjacent characters, by CommonMark's rules."""
    start, end, kind = found.start(), found.end(), found[0][0]
    before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
    is_joined = kind == "*" and joins_emphasis(before, after)
    is_left = not after.isspace() and (not _is_sign(after) or before.isspace() or _is_sign(before) or is_joined)
    is_right = not before.isspace() and (not _is_sign(before) or after.isspace() or _is_sign(after) or is_joined)
    is_word = kind == "_" and is_left and is_right  # within a word an underscore is an ordinary character
    may_open, may_close = is_left and (not is_word or _is_sign(before)), is_right and (not is_word or _is_sign(after))
    return _Run(start, end, kind, end - start, may_open, may_close)


def _is_sign(character: str) -> bool:
    return category(character)[0] in "PS"


def _pair_run(run: _Run, open_runs: dict[str, list[_Run]]) -> Iterator[tuple[int, int]]:
    """Yield the spans that the run closes, the innermost first, and add it to the open runs if it may open one."""
    runs = open_runs.setdefault(run.kind, [])
    number = len(runs) - 1 if run.may_close else -1
    lowest = max(number - MAX_TRIES, -1)
    while run.left and number > lowest:
        opener = runs[number]
        if _is_odd_pair(opener, run):
            number -= 1
            continue
        for others in open_runs.values():
            while others and others[-1].start > opener.start:
                others.pop()
        used = min(2, opener.left, run.left)
        opener.left, run.left = opener.left - used, run.left - used
        yield opener.start, run.end
        if not opener.left:
            runs.pop()
            number -= 1
    if run.left and run.may_open:
        runs.append(run)


def _is_odd_pair(opener: _Run, closer: _Run) -> bool:
    """Return whether CommonMark's rule of three forbids this pair."""
    first, second = opener.end - opener.start, closer.end - closer.start
    return (opener.may_close or closer.may_open) and (first + second) % 3 == 0 and bool(first % 3 or second % 3)


def is_within(position: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a position is within one of the spans, which are in order and disjoint."""
    number = bisect_left(spans, (position, 0)) - 1
    return number >= 0 and position < spans[number][1]


def _merge_overlaps(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans in order, with overlapping ones merged."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


PIECE = 4_000  # characters
LOOKAHEAD = 3  # further pieces that are searched for a place outside markup before any place is taken
_SPACE = re.compile(
    r"(?<=[^\s\\])[ \n](?=(?:\*\*?|__?|~~|`|\()?[^\W\d_])"
)  # the letter after the space begins no list, heading or quote
_GAP = re.compile(r"(?<=[^\s\\])[ \n](?![-+*#>=|~`:\s]|\d{1,9}[.)])")
"""Any other space after which nothing begins a list, heading, quote or table."""
_BEGINS_BLOCK = frozenset("-+*#>=|~`:_[]()0123456789 \n")
LONGEST_WORD = 1_000  # characters that are searched for the end of a word
ROW_WEIGHT = 40  # characters that a table row counts for in addition to its own
MAX_COLUMNS = 32  # columns of a table: painting more takes long
WIDE_COLUMNS = 5  # columns from which a table may be wider than the text around it
MAX_ROW, MANY_CELLS = 8_000, 2_000  # characters of a row, which cannot be cut; cells in a stretch
DENSE = 1_000  # letters in sequence without a space or punctuation, as no human text has them
DENSE_PIECE = 500  # characters of a piece of a text with such a sequence
_LETTERS = r"[^\x00-\x7f\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff0f\uff1a-\uff1f\s]"
"""Letters other than ASCII, and other than Chinese, Japanese and Korean ones, which are single glyphs and take no
longer."""
_DENSE = re.compile(rf"(?<!{_LETTERS}){_LETTERS}{{{DENSE}}}")  # tried once in each run, at its beginning
_SAMPLE = DENSE // 10  # the distance of characters that are sampled first: DENSE letters contain ten samples
_DENSE_SAMPLES = re.compile(rf"{_LETTERS}{{{DENSE // _SAMPLE}}}")
_WIDE_TABLE = re.compile(rf"^[^\n]*\n(?=[ \t>]*\|?(?:[ \t]*:?-+:?[ \t]*\|){{{MAX_COLUMNS},}})", re.MULTILINE)


class Carry(msgspec.Struct, frozen=True):
    """The block that continues where a segment begins.

    number: in a numbered list, the number of the next item. table: the first two lines of a table. fence: the first
    line of a fence. paragraph: in a paragraph, the character before the cut, a space or "". written: whether the rest
    of the text is shown as plain text, and whether that begins here. joint: see `CodeSegment`.
    """

    number: int | None = None
    table: str = ""
    fence: str = ""
    paragraph: str | None = None
    written: Literal["", "begins", "goes on"] = ""
    joint: str = "\n"


class Unit(msgspec.Struct, frozen=True):
    """A unit that is not cut further: a block, a list item, or a table row, from line `start` to before `end`.

    kind: "fence", "paragraph" for one that is cut into segments, "lines" for a short one, "" for others. carry: set if
    it continues a block. is_cut: whether a segment may begin with it. is_alone: whether it has its own segments.
    weight: characters that it counts for in addition to its own. is_open: a fence that is not closed. is_heavy: laying
    it out would take long. is_wide: a table of many columns, which may be scrolled sideways: its segments contain
    nothing else.
    """

    start: int
    end: int
    kind: str = ""
    carry: Carry | None = None
    is_cut: bool = True
    is_alone: bool = False
    language: str = ""
    weight: int = 0
    fence: str = ""
    is_open: bool = False
    is_heavy: bool = False
    is_wide: bool = False


class ParsedBlocks(msgspec.Struct, frozen=True):
    """The units of a text, its link definitions by case-folded label, and the number of the parser's tokens."""

    units: list[Unit]
    references: dict[str, str]
    tokens: int = 0


def parse_blocks(text: str, carry: Carry | None = None) -> ParsedBlocks:
    """Parse a text that begins at the start of a block, or in the middle of the one that `carry` describes."""
    if carry is not None and carry.written:
        return ParsedBlocks([_written(carry, text.count("\n") + 1)], {})
    head = (carry.table or carry.fence) if carry is not None else ""
    before = head.split("\n") if head else []
    lines = [*before, *text.split("\n")]
    if carry is not None and carry.fence and not carry.joint:
        lines[1] = f"x{lines[1]}"  # the rest of a line of code must not be taken for the closing fence
    found: dict[str, object] = {}
    # The rest of a paragraph is one, even if it was cut before text that would begin a list, a heading or HTML.
    begun = "x" if carry is not None and carry.paragraph is not None else ""
    tokens = [
        token
        for token in block_parser().parse(begun + NOTE_DEFINITION.sub(r"\1x^\2]:", "\n".join(lines)), found)
        if token.nesting >= 0 and token.map
    ]
    formulas = _lines_within_formulas(text, tokens, len(before))
    blocks = [number for number, token in enumerate(tokens) if token.level == 0]
    units: list[Unit] = []
    for number, first in enumerate(blocks):
        inside = tokens[first : blocks[number + 1] if number + 1 < len(blocks) else len(tokens)]
        last = tokens[blocks[number - 1]] if number else None
        for unit in _units(inside, lines, carry if number == 0 else None):
            is_cut = unit.is_cut and unit.start not in formulas
            if inside[0].map and unit.start == inside[0].map[0]:
                is_cut = is_cut and _is_apart(last, inside[0], lines)
            start = max(unit.start - len(before), 0)
            units.append(replace(unit, start=start, end=unit.end - len(before), is_cut=is_cut))
    notes = {f"^{label}".casefold(): f"[^{label}]: <{FOOTNOTE}{label}>" for label in footnote_labels(text)}
    return ParsedBlocks(units, _definitions(found.get("references")) | notes, len(tokens))


def _written(carry: Carry, lines: int) -> Unit:
    return Unit(0, lines, "fence", carry, True, True, is_open=True)


def code_within_line(carry: Carry) -> list[Unit]:
    """Return the unit of a text that is a part of one line of code."""
    if carry.written:
        return [_written(carry, 1)]
    [code] = parse_blocks("", carry).units
    return [replace(code, start=0, end=1)]


def _definitions(references: object) -> dict[str, str]:
    if not isinstance(references, Mapping):
        return {}
    return {label.casefold(): _definition(label, entry) for label, entry in references.items()}


def _definition(label: str, reference: Mapping[str, str]) -> str:
    title = reference.get("title", "").replace('"', '\\"')
    return f"[{label}]: <{reference['href']}>" + (f' "{title}"' if title else "")


def _is_apart(before: Token | None, block: Token, lines: Sequence[str]) -> bool:
    """Return whether every parser would begin a new block here."""
    start = block.map[0] if block.map else 0
    return start == 0 or not lines[start - 1].strip() or (before is not None and before.type == "heading_open")


def _lines_within_formulas(text: str, tokens: Sequence[Token], shift: int) -> set[int]:
    """Return the lines that begin inside a formula."""
    code = [(t.map[0] - shift, t.map[1] - shift) for t in tokens if t.type in ("fence", "code_block") and t.map]
    within: set[int] = set()
    line = position = 0
    for start, end in math_spans(text, code):
        line += text.count("\n", position, start)
        position = start
        within.update(range(line + 1 + shift, line + 1 + shift + text.count("\n", start, end)))
    return within


def _units(inside: Sequence[Token], lines: Sequence[str], carry: Carry | None) -> list[Unit]:
    """Return the units of a block. inside: its tokens, beginning with the block's own."""
    block = inside[0]
    start, end = block.map or (0, 0)
    match block.type:
        case "fence":
            is_closed = end > start + 1 and _closes(lines[end - 1], block.markup)
            language, opening = block.info.split(" ")[0].strip(), lines[start]
            first = start + 1 if carry is None else start
            start, end = first - (carry is None), end - is_closed
            return [Unit(start, end, "fence", carry, True, True, language, 0, opening, not is_closed)]
        case "paragraph_open" if _length(lines[start:end]) > PIECE or (carry and carry.paragraph is not None):
            return [Unit(start, end, "paragraph", carry, is_alone=True)]
        case "paragraph_open":
            return [Unit(start, end, "lines", carry)]
        case "bullet_list_open" | "ordered_list_open":
            return _items(inside, block, carry)
        case "table_open":
            return _rows(inside, lines, block, carry)
        case "blockquote_open":
            parts = [t.map for t in inside[1:] if t.level == 1 and t.map]
            cuts = [s for s, _ in parts[1:] if lines[s].lstrip().startswith(">") and not lines[s - 1].strip("> \t")]
            return _parts(block, cuts, carry)
        case "code_block":
            cuts = [n for n in range(start + 1, end) if lines[n].strip() and lines[n - 1].strip()]
            return _parts(block, cuts, carry)
        case _:
            return [Unit(start, end, carry=carry)]


def _length(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _closes(line: str, markup: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(markup) and set(stripped) == {markup[0]}


def _items(inside: Sequence[Token], block: Token, carry: Carry | None) -> list[Unit]:
    first = None
    if block.type == "ordered_list_open":
        start = block.attrGet("start")
        first = 1 if start is None else int(start)
        if carry is not None and carry.number is not None:
            first = carry.number
    items = [token.map for token in inside if token.type == "list_item_open" and token.level == 1 and token.map]
    units: list[Unit] = []
    for number, (start, end) in enumerate(items):
        carried = Carry(None if first is None else first + number)
        units.append(Unit(start, end, carry=carried if number else carry))
    return units


def _rows(inside: Sequence[Token], lines: Sequence[str], block: Token, carry: Carry | None) -> list[Unit]:
    start, end = block.map or (0, 0)
    head = Carry(table="\n".join(lines[start : start + 2]))
    rows = [token.map[0] for token in inside if token.type == "tr_open" and token.map and token.map[0] >= start + 2]
    further = [Unit(n, n + 1, carry=head, weight=ROW_WEIGHT, is_heavy=len(lines[n]) > MAX_ROW) for n in rows]
    if carry is not None:
        return further
    columns = lines[start + 1].strip("| \t").count("|") + 1
    is_heavy, is_wide = columns > MAX_COLUMNS, columns >= WIDE_COLUMNS
    first = Unit(start, rows[0] if rows else end, weight=2 * ROW_WEIGHT, is_heavy=is_heavy, is_wide=is_wide)
    return [first, *further]


def find_wide_table(text: str, start: int, end: int) -> int | None:
    """Return the start of a table that would take long even to parse; None if there is none."""
    if text.count("|", start, end) <= MANY_CELLS:
        return None
    found = _WIDE_TABLE.search(text, start, 2 * end - start)  # the second line may be as long as the first
    return found.start() if found is not None and found.start() < end else None


def is_dense(text: str) -> bool:
    """Return whether a line would take long to lay out and to paint in one piece."""
    return _DENSE_SAMPLES.search(text[::_SAMPLE]) is not None and _DENSE.search(text) is not None


def _parts(block: Token, cuts: Sequence[int], carry: Carry | None) -> list[Unit]:
    start, end = block.map or (0, 0)
    edges = pairwise([start, *cuts, end])
    return [Unit(a, b, carry=Carry() if number else carry) for number, (a, b) in enumerate(edges)]


def split_paragraph(text: str) -> Iterator[tuple[int, str]]:
    """Yield the start and the text of each piece. A space at a cut belongs to no piece. See `_cut` for its place."""
    size = DENSE_PIECE if is_dense(text) else PIECE
    marked, position = marked_spans(text) if len(text) > size else [], 0
    while len(text) - position > size:
        cut = _cut(text, position, size, marked)
        if cut == len(text):
            break
        yield position, text[position:cut]
        position = cut + (text[cut] in " \n")
    yield position, text[position:]


def _cut(text: str, start: int, size: int, marked: Sequence[tuple[int, int]]) -> int:
    """Return the last space outside markup in the piece, or else the first one after it, or else any position."""
    end = start + size
    most = min(end + LOOKAHEAD * size, len(text))
    spaces = [found.start() for found in _SPACE.finditer(text, start + 1, most)]
    free = [position for position in spaces if not is_within(position, marked)]
    before = [position for position in free if position <= end]
    if before or free:
        return before[-1] if before else free[0]
    if spaces and most == len(text):
        return most
    before = [position for position in spaces if position <= end] or [
        found.start() for found in _GAP.finditer(text, start + 1, end + 1) if not is_within(found.start(), marked)
    ]
    return before[-1] if before else end_of_words(text, start, end, most)


def end_of_words(text: str, start: int, end: int, most: int) -> int:
    """Return the last place near `end` where no word is broken: a space, or a place next to a sign that is no letter.

    If there is none up to `most`, as in a script without spaces, it is before `end`, between two letters with their
    marks.
    """
    if (space := text.rfind(" ", start + 1, end + 1)) > 0:
        return space
    for place in (*range(end, max(end - LONGEST_WORD, start), -1), *range(end + 1, min(most, end + LONGEST_WORD))):
        if place < len(text) and _may_part(text[place - 1], text[place]):
            return place
    while end > start + 1 and (category(text[end])[0] == "M" or "\u200d" in text[end - 1 : end + 1]):
        end -= 1
    return end


def _may_part(before: str, after: str) -> bool:
    """Return whether a piece may end between two characters: not in a word, nor so that the next begins a block."""
    is_word = _is_of_word(before) and _is_of_word(after)
    return not is_word and before != "\\" and after not in _BEGINS_BLOCK and category(after)[0] != "M"


def _is_of_word(character: str) -> bool:
    """Return whether a character belongs to the word next to it, other than Chinese, Japanese and Korean ones."""
    return (character.isalnum() or character == "_" or category(character)[0] == "M") and not is_cjk(character)
