"""Parse a model's reply to a request for a summary, and judge by its own words whether it is one. Pure.

read_reply(text, names)         -> WrittenSummary, or UnusableReply with the reason
main_terms(texts)               -> the terms that occur in most messages
says_enough(summary, texts, …)  -> whether a summary contains enough of them
join_pages(pages)               -> one summary from summaries of successive parts
fold_pages(page, added)         -> a summary with what came after it
keeps_enough(repaired, summary) -> whether a corrected summary is still the original one

JSON is expected, and accepted in fences, within prose, and with raw line breaks or quotes in it; free text is taken as
the summary itself. A reply that was cut off, is empty or refuses is not a summary.

Code restores the names and rules that a summary lost (`restore_facts`), so they prove nothing about the reply: "The
weather is nice today." would pass. Two shares distinguish a summary from a refusal, thanks, our own instructions, a
sentence repeated forty times, another conversation's summary or one in another language: how many of the
conversation's main terms it contains, and how many of its own terms occur in the conversation.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Any, cast

import msgspec

from desktop_app.context.ledger.facts import FUNCTION_WORDS
from desktop_app.conversation.words import translatable

MAX_KEEP = 5
"""Messages that a model may ask to keep; the prompt names the same number."""
MIN_LETTERS = 12
"""Letters and digits; a shorter reply, such as "Done.", is not a summary."""
MAX_REPLY = 400_000
"""Characters of a reply that are parsed: about a hundred times a summary."""
MAX_OBJECTS = 20
MAX_NESTED = 3
"""Levels of lists and objects in a field: sections, their lines, and one more."""
MAX_PEELED = 5
"""Rounds of removing nested marks; thousands of levels would take minutes."""
MAX_REFUSAL = 600
"""Characters; a longer text that begins with an apology continues with a summary."""


class ReplyFault(StrEnum):
    """Reasons why a reply is not a summary; the value is shown to the user."""

    EMPTY = translatable("the model wrote nothing")
    REFUSED = translatable("the model refused to write it")
    CUT = translatable("the model's reply was cut off")
    FOREIGN = translatable("the model answered something else")


class WrittenSummary(msgspec.Struct, frozen=True):
    """A summary that a model wrote."""

    summary: str
    turn: str = ""
    """Summary of the beginning of a turn that is cut in two, or ""."""
    keep: tuple[str, ...] = ()
    """Ids of messages that the model asks to keep."""
    is_formed: bool = True
    """Whether it has the requested form, or at least headings or points; mere prose may be an answer to a question."""


class UnusableReply(msgspec.Struct, frozen=True):
    """A reply that is not a summary."""

    reason: ReplyFault


_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_OBJECT = re.compile(r"\{\s*(?=[\"'`}])")
_STARTED = re.compile(r'\{\s*"(?:summary|turn|keep)"\s*:')
_SUMMARY = re.compile(r'"summary"\s*:\s*"')
_END = re.compile(r'"\s*(?:,\s*"(?:turn|keep)"\s*:|\}\s*(?:```\s*)?\Z)')
_KEPT = re.compile(r'"keep"\s*:\s*\[([^\]]{0,400})\]')
_TURN = re.compile(r'"turn"\s*:\s*"')
_FENCED = re.compile(r"\A```[a-zA-Z]*[ \t]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_PREAMBLE = re.compile(r"\A[^\n#]{1,160}:[ \t]*\n+(?=[#*-])")
_REFUSAL = re.compile(
    r"\A\W*(?:(?:i['’]m |i am )?(?:very |so |really )?sorry\b|i apologi[sz]e|unfortunately,? i\b|as an ai\b"
    r"|i (?:can(?:no|['’])t|can not|won['’]t|will not|am (?:not able|unable)|must decline|do(?:n['’]t| not) feel)\b"
    r"|i['’]m (?:not able|unable)\b|es tut mir leid|leider kann ich|je suis désolé|désolé|lo siento|no puedo"
    r"|抱歉|对不起|很抱歉|我(?:不能|无法)|申し訳)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^\s{0,3}(?:#{1,6} |\*\*|[-*] )", re.MULTILINE)
_NAME = re.compile(r"[#m]?\s*(\d{1,9})", re.IGNORECASE)

_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)
_ESCAPE = re.compile("\x1b\\[[0-9;?]*[ -/]*[@-~]")
_TEMPLATE = re.compile(r"<\|([^|<>\n]{0,60})\|>|</?s>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>")
_MARK = re.compile(r"<?/?\[?\bmark-[0-9a-f]{6}\b[^\n>\]]{0,80}[>\]]?")
_OF_MARKS = re.compile(r"[<>|\[\]]|mark-")
"""Characters without which a text contains no mark, no HTML and no picture."""
_ACTIVE = re.compile(
    r"<(script|style|iframe|object|embed|svg|form)\b[^<>]{0,400}>.*?(?:</\1\s*>|\Z)"
    r"|<(?:img|link|meta|base|input)\b[^<>]{0,2000}>",
    re.DOTALL | re.IGNORECASE,
)
_PICTURE = re.compile(r"!+(?=\[)")
_FENCE = re.compile(r"(```+|~~~+)")
_SECTION = re.compile(r"#{1,6}[ \t]+\S")
_NOW = re.compile(r"[ \t]*\(now\)[*: \t]*$", re.IGNORECASE)
_POINT = re.compile(r"\s*[-*+] ")


def read_reply(text: str, names: Mapping[str, str]) -> WrittenSummary | UnusableReply:
    """Return the summary in a reply. names: message ids by the names that the model knows; others are ignored."""
    text = without_thoughts(text[:MAX_REPLY])
    if not text:
        return UnusableReply(ReplyFault.EMPTY)
    fields = next(_objects(text), None)
    is_formed = fields is not None or _STARTED.search(text) is not None
    if fields is None:
        fields = _salvaged(text) if _STARTED.search(text) else _free_text(text)
    if fields is None:
        return UnusableReply(ReplyFault.CUT)
    summary, turn = clean(_as_text(fields.get("summary"))), clean(_as_text(fields.get("turn")))
    if not summary and turn:
        summary, turn = turn, ""  # all messages belonged to one turn
    if not summary:
        return UnusableReply(ReplyFault.EMPTY)
    if len(summary) <= MAX_REFUSAL and _REFUSAL.search(summary) and not _HEADING.search(summary):
        return UnusableReply(ReplyFault.REFUSED)
    if sum(letter.isalnum() for letter in summary + turn) < MIN_LETTERS:
        return UnusableReply(ReplyFault.FOREIGN)
    is_formed = is_formed or _HEADING.search(summary) is not None
    return WrittenSummary(summary, turn, _kept(fields.get("keep"), names), is_formed)


def without_thoughts(reply: str) -> str:
    """Return a reply without reasoning in tags."""
    return _THOUGHT.sub("", reply).strip()


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield JSON objects in the text that contain a summary or a turn, outermost first."""
    decoder = json.JSONDecoder(strict=False)  # models write raw line breaks within strings
    position = 0
    for _ in range(MAX_OBJECTS):
        found = _OBJECT.search(text, position)
        if found is None:
            return
        try:
            value, position = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            position = found.end()
            continue
        if isinstance(value, dict) and ("summary" in value or "turn" in value):
            yield cast("dict[str, Any]", value)


def _salvaged(text: str) -> dict[str, Any] | None:
    """Return the fields of malformed JSON, as after an unescaped quote; None if the summary has no end."""
    summary = _string_after(_SUMMARY, text)
    if summary is None:
        return None
    kept = _KEPT.search(text)
    names = re.findall(r"[#m]?\d+", kept[1]) if kept else []
    return {"summary": summary, "turn": _string_after(_TURN, text) or "", "keep": names}


def _string_after(beginning: re.Pattern[str], text: str) -> str | None:
    start = beginning.search(text)
    end = _END.search(text, start.end()) if start else None
    if start is None or end is None:
        return None
    raw = text[start.end() : end.start()]
    escaped = re.sub(r'(?<!\\)"', r"\\\"", raw)
    try:
        return str(json.loads(f'"{escaped}"', strict=False))
    except ValueError:
        return raw.replace("\\n", "\n").replace('\\"', '"').replace("\\t", "\t")


def _free_text(text: str) -> dict[str, Any]:
    """Return Markdown without an enclosing fence, and without "Here is the summary:"."""
    fenced = _FENCED.match(text)
    text = fenced[1] if fenced else text
    return {"summary": _PREAMBLE.sub("", text.strip())}


def _as_text(value: object, depth: int = 0) -> str:
    """Return a field as Markdown: some models answer with an object of sections, or a list of lines."""
    if isinstance(value, str) or depth > MAX_NESTED:
        return value if isinstance(value, str) else ""
    if isinstance(value, list):
        return "\n".join(f"- {_as_text(line, depth + 1)}" for line in cast("list[object]", value))
    if isinstance(value, dict):
        sections = cast("dict[str, object]", value)
        return "\n\n".join(
            f"## {name}\n{_as_text(content, depth + 1)}" for name, content in sections.items() if content
        )
    return "" if value is None else str(value)


def _kept(value: object, names: Mapping[str, str]) -> tuple[str, ...]:
    wanted = cast("list[object]", value) if isinstance(value, list) else [value]
    ids = set(names.values())
    kept: dict[str, None] = {}
    for entry in wanted:
        name = str(entry).strip() if isinstance(entry, str | int) and not isinstance(entry, bool) else ""
        number = _NAME.fullmatch(name)
        known = name if name in ids else names.get(f"m{int(number[1])}") if number else None
        if known is not None:
            kept[known] = None
    return tuple(kept)[:MAX_KEEP]


def clean(text: str) -> str:
    """Return Markdown that is safe to show and send.

    Control and direction characters, lone surrogates, marks of chat templates and of our own requests, active HTML,
    and pictures that would be loaded are removed.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _without_pictures(_without_marks(_CONTROL.sub("", _ESCAPE.sub("", text)))).strip()
    fence = _open_fence(text)
    return f"{text}\n{fence}" if fence else text


def _without_marks(text: str) -> str:
    """Remove marks, including those that arise by removing others. After `MAX_PEELED` rounds, all brackets go."""
    for _ in range(MAX_PEELED):
        peeled = _MARK.sub("", _TEMPLATE.sub(r"\1", _ACTIVE.sub("", text)))
        if peeled == text:
            return text
        text = peeled
    return _OF_MARKS.sub(" ", text)


def _without_pictures(text: str) -> str:
    """Return links instead of pictures. A link's address follows a closing bracket, or is defined further down."""
    end = max(map(text.rfind, ("](", "][", "]:"))) + 1
    return _PICTURE.sub("", text[:end]) + text[end:]


def _open_fence(text: str) -> str:
    """Return the fence of an unclosed code block, which would make code of the following text; otherwise ""."""
    fence = ""
    for line in map(str.strip, text.splitlines()):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = "" if "`" in line[mark.end() :] else mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip(fence[0]):
            fence = ""
    return fence


def join_pages(pages: Sequence[str]) -> str:
    """Return one page from summaries of successive parts: sections with the same heading are joined, in order.

    A line that its section already has is left out. A single page is returned unchanged.
    """
    if len(pages) < 2:
        return "".join(pages)
    titles: dict[str, str] = {}
    bodies: dict[str, list[str]] = {}
    for title, body in (section for page in pages for section in _sections_of(page)):
        name = _name_of(title)
        titles.setdefault(name, title)
        body = _without_repeats(body, bodies.setdefault(name, []))
        bodies[name] += [body] if body.strip() else []
    sections = (f"{titles[name]}\n{_as_one(texts)}".strip() for name, texts in bodies.items() if texts)
    return "\n\n".join(sections)


def fold_pages(page: str, added: str) -> str:
    """Return the page with the added sections. Those with "(now)" behind their heading replace the ones on the page."""
    new = [(title, body) for title, body in _sections_of(added) if body.strip()]
    current = {_name_of(title): body for title, body in new if _NOW.search(title)}
    old = [(title, current.pop(_name_of(title), body)) for title, body in _sections_of(page)]
    more = [(_NOW.sub("", title), body) for title, body in new if not _NOW.search(title) or _name_of(title) in current]
    return join_pages(list(filter(None, map(_page_of, (old, more)))))


def _page_of(sections: Iterable[tuple[str, str]]) -> str:
    return "\n\n".join(f"{title}\n{body}".strip() for title, body in sections if body.strip())


def _name_of(title: str) -> str:
    return _NOW.sub("", title).strip("#*: \t").lower()


def _sections_of(page: str) -> Iterator[tuple[str, str]]:
    """Yield the headings outside of code with the text below them; "" for the text before the first heading."""
    title, lines, fence = "", list[str](), ""
    for line in page.splitlines():
        mark = _FENCE.match(line.strip())
        if not fence and mark is None and _SECTION.match(line):
            yield title, "\n".join(lines).strip()
            title, lines = line.strip(), []
            continue
        lines.append(line)
        if mark is not None:
            is_end = bool(fence) and mark[1].startswith(fence)
            fence = "" if is_end else fence or mark[1]
    yield title, "\n".join(lines).strip()


def _without_repeats(body: str, earlier: Sequence[str]) -> str:
    known = {line.strip() for text in earlier for line in text.splitlines()}
    if _FENCE.search(body) or not known:
        return body
    return "\n".join(line for line in body.splitlines() if not line.strip() or line.strip() not in known).strip()


def _as_one(texts: Sequence[str]) -> str:
    """Return the texts as one: lists are continued, and paragraphs stay apart."""
    joined = texts[0]
    for text in texts[1:]:
        is_list = bool(_POINT.match(text) and _POINT.match(joined.rpartition("\n")[2]))
        joined += ("\n" if is_list else "\n\n") + text
    return joined


MAX_TERMS = 30
MIN_SHARE, MIN_SHARE_OF_PROSE = 0.15, 0.4
"""Share of the main terms that a reply must contain, in the requested form, and in mere prose, which may answer the
last question. Of 84 summaries of 22 conversations, 4 with 150 tokens for 100 to 900 messages have less; of 372 replies
that are not summaries, in 8 languages, none has more, and of 65 answers to the last question 14 (decision 42)."""
MIN_GROUNDED = 0.35
"""Share of the summary's terms that must occur in the conversation."""
MIN_KEPT = 0.25
"""Share of a summary's terms that its corrected version must contain; it may be shorter."""
MIN_REPEATS = 4
STEM = 5
"""Letters of a word that are compared: endings differ."""
MIN_WORD = 4

_DENSE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""Scripts without spaces between words, and Korean, whose words end in particles: terms are pairs of characters."""
_ENDING = re.compile("[\u3040-\u309f]+")
"""Only hiragana: endings and particles in Japanese, which name nothing."""
_SENTENCE_ENDS = re.compile(r"[\n.!?…。！？]+")
_WORD = re.compile(r"[^\W_]+")


def terms_of(text: str) -> frozenset[str]:
    """Return stems of the words that name something, numbers of two or more digits, and pairs of dense characters."""
    lowered, found = text.lower(), set[str]()
    if not lowered.isascii():
        for run in _DENSE.findall(lowered):
            found.update(pair for pair in map("".join, pairwise(run)) if not _ENDING.fullmatch(pair))
        lowered = _DENSE.sub(" ", lowered)
    for word in _WORD.findall(lowered):
        if word.isdigit():
            found.update([word] if len(word) > 1 else [])
        elif len(word) >= MIN_WORD and word not in FUNCTION_WORDS:
            found.add(word[:STEM])
    return frozenset(found)


def main_terms(sets: Iterable[Collection[str]], most: int = MAX_TERMS) -> tuple[str, ...]:
    """Return the terms that occur in most of the sets, without numbers; of equally frequent terms, the first ones."""
    times = Counter(term for terms in sets for term in sorted(terms) if not term.isdigit())
    return tuple(term for term, _ in times.most_common(most))


def says_enough(summary: str, texts: Sequence[str], ignored: str = "", is_formed: bool = True) -> bool:
    """Return whether the summary is one of the given texts, which are messages or lines of an earlier summary.

    ignored: our instructions, whose words prove nothing. is_formed: whether the summary has the requested form.
    If no text has a term, as in a chat in smileys, every summary is enough.
    """
    ours = terms_of(ignored)
    spoken = [terms_of(text) - ours for text in texts]
    own, main = terms_of(summary) - ours, main_terms(spoken)
    if is_repeating(summary):
        return False
    if not main:
        return True
    share = len(own.intersection(main)) / len(main)
    grounded = own.intersection(frozenset[str]().union(*spoken))
    return share >= (MIN_SHARE if is_formed else MIN_SHARE_OF_PROSE) and len(grounded) >= MIN_GROUNDED * len(own)


def is_repeating(text: str) -> bool:
    """Return whether a model ran in circles: on average, each sentence is repeated `MIN_REPEATS` times."""
    sentences = [sentence for piece in _SENTENCE_ENDS.split(text) if (sentence := piece.strip().lower())]
    return len(sentences) >= MIN_REPEATS * len(set(sentences)) > 0


def keeps_enough(repaired: str, summary: str) -> bool:
    """Return whether a corrected summary still contains enough of the original one."""
    before = terms_of(summary)
    return len(before.intersection(terms_of(repaired))) >= MIN_KEPT * len(before)
