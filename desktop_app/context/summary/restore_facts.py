"""Restore verbatim the facts that a summary lost (K7): rules, open questions, and names from user messages.

Lines are only added: the words of the summary are not changed, whether a model or the user wrote them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

from desktop_app.context.extractive import summary_builder as sections
from desktop_app.context.extractive.passages import is_among_people
from desktop_app.context.extractive.summary_builder import ENGLISH, english_name, language_of_headings, written_name
from desktop_app.context.ledger.ledger import NUMBER, FactIndex
from desktop_app.context.ledger.user_rules import is_strong_rule
from desktop_app.conversation.memory import Ledger
from desktop_app.conversation.message import Message

_HEADING = re.compile(r"\s{0,3}(?:#{1,6}\s*(?P<marked>[^#\n]+?)\s*#*|\*\*(?P<bold>[^*\n]+)\*\*:?)\s*")
_NUMBERING = re.compile(r"^[\d.)\s]+|[\s:*]+$")
MAX_HEADING = 120
"""Characters; a longer line is not a heading."""
SHARE_OF_NAMES = 0.1
"""Share of the budget for lost paths, links, identifiers and numbers."""
SHORTER = (1.0, 0.8, 0.6, 0.4, 0.2, 0.0)
"""Shares of a summary's text that are tried until the rules fit."""
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")


def restore_facts(
    summary: str,
    head: Sequence[Message],
    ledger: Ledger,
    budget: int | None = None,
    count: Callable[[str], int] | None = None,
) -> str:
    """Return the summary with the rules and open questions of `ledger` that it does not contain verbatim.

    A superseded rule is restored with the sentence that ended it, so that it is not mistaken for a current one.

    ledger: facts of `head` and of earlier archived messages. budget: maximum tokens of the result by `count`; strong
    rules come first, and lines that do not fit are left out. A summary that already exceeds the budget is returned
    unchanged. The function is idempotent.
    """
    wanted = _wanted(head, ledger)
    while lost := _lost(summary, wanted):
        longer = _with_lines(summary, lost)
        if budget is None or count is None or count(longer) <= budget:
            return longer
        fitting = _as_many_as_fit(summary, lost, budget, count)
        if fitting == summary:
            break
        summary = fitting  # the rest is tried again, so that a second call adds nothing
    return summary


def restore_rules(
    summary: str, head: Sequence[Message], ledger: Ledger, budget: int, count: Callable[[str], int]
) -> str:
    """Return the summary with its lost facts; its own text is cut if the strong rules do not fit otherwise.

    budget: tokens by `count`. Rules that do not fit even alone are left out.
    """
    wanted, tries = _wanted(head, ledger), list[tuple[int, str]]()
    for share in SHORTER:
        tried = restore_facts(_beginning(summary, share), head, ledger, budget, count)
        lost = sum(is_strong_rule(text) for _, text in _lost(tried, wanted))
        if not lost:
            return tried
        tries.append((lost, tried))
    return min(tries, key=lambda pair: pair[0])[1]


def restore_names(summary: str, ledger: Ledger, budget: int, count: Callable[[str], int]) -> str:
    """Return the summary with the paths, links, identifiers and numbers of user messages that it does not contain.

    The earliest come first, bare numbers last, as many as fit into the budget and their share of it.
    """
    facts = [fact.text for fact in (*ledger.identifiers, *ledger.urls)]
    lost = FactIndex(summary).lacks(sorted(dict.fromkeys(facts), key=lambda name: NUMBER.fullmatch(name) is not None))
    most = min(budget, count(summary) + round(SHARE_OF_NAMES * budget))

    names = written_name("Names", _language_of(summary.splitlines()))

    def listing(number: int) -> str:
        return _with_lines(summary, [(sections.NAMED, f"{names}: {', '.join(lost[:number])}")])

    fitting = bisect_right(range(1, len(lost) + 1), most, key=lambda number: count(listing(number)))
    return listing(fitting) if fitting else summary


def _beginning(summary: str, share: float) -> str:
    most = int(len(summary) * share)
    return summary if most == len(summary) else summary[:most].rpartition(" ")[0].rstrip()


def _wanted(head: Sequence[Message], ledger: Ledger) -> list[tuple[str, str]]:
    """Return section and text of the required lines, the most important first."""
    questions = [(sections.QUESTIONS, fact.text) for fact in ledger.questions]
    if is_among_people(head):
        return questions
    rules = sorted((fact.text for fact in ledger.rules), key=lambda rule: not is_strong_rule(rule))
    ended = [(sections.RULES, sections.superseded_line(old)) for old in ledger.superseded]
    open_work = [(sections.WORK, item) for item in ledger.work if item.state != "finished"]
    work = [(section, sections.work_line(item, ENGLISH)) for section, item in open_work]
    return [*((sections.RULES, rule) for rule in rules), *questions, *ended, *work]


def _lost(summary: str, wanted: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    index = FactIndex(summary)
    return [
        (section, text)
        for section, text in wanted
        if text.strip() and text not in index and sections.without_label(text) not in index
    ]


def _as_many_as_fit(summary: str, lost: Sequence[tuple[str, str]], budget: int, count: Callable[[str], int]) -> str:
    for section, text in lost:
        longer = _with_lines(summary, [(section, text)])
        if count(longer) <= budget:
            summary = longer
    return summary


def _with_lines(summary: str, added: Sequence[tuple[str, str]]) -> str:
    for section in dict.fromkeys(section for section, _ in added):
        lines = [f"- {text}" for where, text in added if where == section]
        summary = _with_section(summary, section, lines)
    return summary


def _with_section(summary: str, section: str, added: list[str]) -> str:
    """Return the summary with the lines at the end of the section, which is inserted in order if it is missing."""
    lines = summary.splitlines()
    headings, open_fence = _headings(lines)
    if open_fence:
        lines.append(open_fence)
    own = [number for number, name in headings if name == section]
    if own:
        end = next((number for number, _ in headings if number > own[0]), len(lines))
        while end > own[0] + 1 and not lines[end - 1].strip():
            end -= 1
        return "\n".join([*lines[:end], *added, *lines[end:]])
    later = set(sections.SECTIONS[sections.SECTIONS.index(section) + 1 :])
    position = next((number for number, name in headings if name in later), len(lines))
    before = "\n".join(lines[:position]).rstrip()
    heading = written_name(section, _language_of(lines))
    parts = [before, "\n".join([f"## {heading}", *added]), "\n".join(lines[position:])]
    return "\n\n".join(part for part in parts if part)


def _headings(lines: Iterable[str]) -> tuple[list[tuple[int, str]], str]:
    """Return line number and English name of each heading outside code, and the fence of an unclosed code block."""
    found: list[tuple[int, str]] = []
    fence = ""
    for number, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark and mark[1].startswith(fence):
            fence = "" if fence else mark[1]
        elif not fence and len(line) <= MAX_HEADING and (heading := _HEADING.fullmatch(line)):
            found.append((number, english_name(_NUMBERING.sub("", heading["marked"] or heading["bold"]))))
    return found, fence


def _language_of(lines: Iterable[str]) -> str:
    """Return the language of a page's headings."""
    found = filter(None, map(_HEADING.fullmatch, (line for line in lines if len(line) <= MAX_HEADING)))
    return language_of_headings(_NUMBERING.sub("", heading["marked"] or heading["bold"]) for heading in found)
