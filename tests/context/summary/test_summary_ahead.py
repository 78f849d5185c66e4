"""A summary that was written ahead: when it is due, what it covers, and when a compaction may use it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import exchange, letters, record
from desktop_app.context.compact.compaction import plan_compaction
from desktop_app.context.counting.breakdown import item_total, request_tokens
from desktop_app.context.policy import BALANCED, Budget
from desktop_app.context.summary.summary_ahead import (
    compaction_from,
    covers,
    entry_of,
    is_ahead_due,
    plan_ahead,
    standing_in,
)
from desktop_app.context.summary.summary_reply import fold_pages
from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import view_of
from desktop_app.conversation.message import user_message
from desktop_app.conversation.transcript import Compaction, Pin, StandingSummary, Transcript, Trigger, Undo

COUNTS, BUDGET = letters(), Budget(3_600, 600)
PAGE = "## Primary intent\nQuestions about details of the parser."


def said(count: int, name: str = "m") -> Transcript:
    return record(*exchange([f"{n}: the parser reads a value. " * 6 for n in range(count)], name))


def plan_of(transcript: Transcript):
    view = view_of(transcript)
    total = request_tokens(view, COUNTS)
    return view, total, plan_compaction(view, BALANCED, BUDGET, COUNTS, total, Trigger.BEFORE_REQUEST)


def with_standing(transcript: Transcript) -> Transcript:
    view = view_of(transcript)
    ahead = plan_ahead(view, BALANCED, BUDGET, COUNTS, request_tokens(view, COUNTS))
    assert ahead is not None
    return transcript.append(replace(entry_of(ahead, PAGE, view), id="s", model="m/m"))


@given(st.integers(46, 60), st.integers(0, 6))
def test_what_a_compaction_archives_is_covered_if_less_was_said_since_than_it_keeps(before: int, after: int) -> None:
    transcript = with_standing(said(before))
    for number in range(after):
        transcript = transcript.append(replace(user_message(f"{number}: and this? " * 6), id=f"n{number}"))
    view, _, plan = plan_of(transcript)
    assert plan is not None
    standing = standing_in(view)
    assert standing is not None
    assert covers(standing, plan)
    made = compaction_from(standing, plan, transcript, view, COUNTS)
    assert made is not None
    assert made.archived == plan.archived
    assert made.summary.startswith(PAGE)
    assert (made.strategy, made.model, made.usage) == ("llm", "m/m", None)
    assert made.tokens_after < made.tokens_before
    assert plan_ahead(view, BALANCED, BUDGET, COUNTS, request_tokens(view, COUNTS)) is None, "and is not written twice"


def grown(transcript: Transcript, count: int, first: int = 0) -> Transcript:
    for number in range(first, first + count):
        transcript = transcript.append(replace(user_message(f"{number}: and this? " * 6), id=f"n{number}"))
    return transcript


@given(
    st.integers(30, 46), st.integers(1, 60), st.sampled_from(["- More.", "## Current state (now)\nThe parser works."])
)
def test_what_was_said_since_is_folded_into_it_once_it_no_longer_covers_what_a_compaction_archives(
    before: int, after: int, added: str
) -> None:
    transcript = grown(with_standing(said(before)), after)
    view, total, plan = plan_of(transcript)
    standing, ahead = standing_in(view), plan_ahead(view, BALANCED, BUDGET, COUNTS, total)
    assert standing is not None
    if plan is None or covers(standing, plan):
        assert ahead is None
        return
    assert ahead is not None
    assert ahead.standing == standing
    assert set(ahead.plan.archived).isdisjoint(standing.message_ids)
    assert ahead.plan.summary_budget + COUNTS.text(standing.summary) <= plan.summary_budget
    entry = replace(entry_of(ahead, added, view), id="s2", model="m/m")
    assert (entry.extends, entry.added) == ("s", len(ahead.plan.archived))
    assert list(entry.message_ids) == [i.message.id for i in view.items if i.kind is ItemKind.MESSAGE]
    folded = transcript.append(entry)
    assert plan_ahead(view_of(folded), BALANCED, BUDGET, COUNTS, total) is None, "and not again at once"
    made = compaction_from(entry, plan, folded, view_of(folded), COUNTS)
    assert made is not None
    assert "Questions about details of the parser." in made.summary
    assert added.splitlines()[-1] in made.summary
    assert made.fidelity.lost == 0
    assert standing_in(view_of(folded.append(Undo(id="u", entry_id="s2")))) == standing


@given(st.integers(34, 46))
def test_between_two_folds_as_much_is_said_as_a_compaction_keeps(before: int) -> None:
    transcript, earlier, count = with_standing(said(before)), 0, 0
    for number in range(1, 61):
        transcript = grown(transcript, 1, number)
        view, total, plan = plan_of(transcript)
        if plan is not None and (ahead := plan_ahead(view, BALANCED, BUDGET, COUNTS, total)) is not None:
            newest = [item for item in view.items if item.message.id.startswith("n")][earlier:]
            assert sum(item_total(item, COUNTS) for item in newest) > ahead.plan.tail > 0.1 * BUDGET.usable
            earlier, count = number, count + 1
            transcript = transcript.append(replace(entry_of(ahead, "- More.", view), id=f"s{number}"))
    assert count > 0


def test_it_is_written_as_a_whole_where_it_leaves_no_room_for_more_or_there_is_no_prompt() -> None:
    transcript = grown(with_standing(said(30)), 40)
    view, total, _ = plan_of(transcript)
    whole = plan_ahead(view, BALANCED, BUDGET, COUNTS, total, may_fold=False)
    assert whole is not None
    assert whole.standing is None
    full = transcript.append(StandingSummary(id="f", message_ids=("m0",), summary="word " * 3_000, model="m/m"))
    again = plan_ahead(view_of(full), BALANCED, BUDGET, COUNTS, total)
    assert again is not None
    assert again.standing is None
    assert again.plan.archived == whole.plan.archived


LINES = st.lists(st.sampled_from(["- one", "- two", "three and four", "- five"]), min_size=1, max_size=3, unique=True)
SECTIONS = st.dictionaries(st.sampled_from(["Rules", "Current state", "Dateien"]), LINES, min_size=1)


def page(sections: dict[str, list[str]], mark: str = "") -> str:
    return "\n\n".join("\n".join([f"## {name}{mark}", *lines]) for name, lines in sections.items())


@given(SECTIONS, SECTIONS, st.sampled_from(["", " (now)"]))
def test_a_fold_adds_lines_and_replaces_the_sections_of_the_present_moment(
    old: dict[str, list[str]], new: dict[str, list[str]], mark: str
) -> None:
    folded = fold_pages(page(old), page(new, mark))
    expected = dict(old)
    for name, lines in new.items():
        expected[name] = list(dict.fromkeys([*([] if mark else old.get(name, [])), *lines]))
    parts = dict(part.split("\n", 1) for part in folded.replace("\n\n## ", "\0## ").split("\0"))
    assert list(parts) == [f"## {name}" for name in expected], "in the order of the page"
    for name, lines in expected.items():
        assert [line for line in parts[f"## {name}"].splitlines() if line] == lines
    assert fold_pages(folded, page(new, mark)) == folded
    assert fold_pages(page(old), "") == page(old)


def test_it_changes_nothing_in_the_view_and_can_be_undone_and_redone() -> None:
    plain = said(50)
    transcript = with_standing(plain)
    assert [i.message for i in view_of(transcript).items] == [i.message for i in view_of(plain).items]
    undone = transcript.append(Undo(id="u", entry_id="s"))
    assert standing_in(view_of(undone)) is None
    assert standing_in(view_of(undone.append(Undo(id="r", entry_id="u")))) is not None
    assert standing_in(view_of(transcript.append(Pin(id="p", message_id="m3")))) is not None


def test_it_is_of_no_use_after_another_compaction_and_again_after_its_undo() -> None:
    transcript = with_standing(said(50))
    other = Compaction(id="c", trigger=Trigger.USER, strategy="edited", archived=("m0", "m1"), summary="Earlier.")
    after = transcript.append(other)
    assert standing_in(view_of(after)) is None
    assert standing_in(view_of(after.append(Undo(id="u", entry_id="c")))) is not None


def test_a_plan_that_archives_more_or_has_less_room_is_summarized_as_before() -> None:
    transcript = with_standing(said(50))
    view, _, plan = plan_of(transcript)
    assert plan is not None
    standing = standing_in(view)
    assert standing is not None
    part = replace(standing, message_ids=standing.message_ids[:3])
    assert compaction_from(part, plan, transcript, view, COUNTS) is None
    assert compaction_from(standing, replace(plan, summary_budget=5), transcript, view, COUNTS) is None
    assert compaction_from(None, plan, transcript, view, COUNTS) is None


@given(st.integers(0, 4_000))
def test_it_is_due_a_tenth_below_the_first_threshold(total: int) -> None:
    assert is_ahead_due(BALANCED, BUDGET, total) == (total >= 0.65 * 3_000)
    assert not is_ahead_due(replace(BALANCED, ahead=0.0), BUDGET, total)
    assert not is_ahead_due(BALANCED, Budget(0, 0), total)
