"""What is brought back: never over budget, each message once, in order; of a long message what was asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import model, result
from desktop_app.context.recall.outline import Head, Outline, outline_of
from desktop_app.context.recall.query import RecallReach, parse_query
from desktop_app.context.recall.rank import (
    BY_CONVERSATION,
    CHOSEN,
    CandidateConversation,
    Place,
    Ranked,
    Rarity,
    choose_conversations,
    merge,
    rarity_of,
)
from desktop_app.context.recall.recollection import (
    ID_LENGTH,
    LINE,
    MAX_EXCERPT,
    RecallSource,
    Recollected,
    Recollection,
    excerpt_of,
    pack,
    page_of,
    recollected_of,
    rooms_of,
    sources_in,
    text_of,
)
from desktop_app.conversation.message import (
    Attachment,
    Reasoning,
    ToolCall,
    user_message,
)

COUNTS: dict[str, Callable[[str], int]] = {
    "characters": len,
    "words": lambda text: len(text.split()),
    "bytes": lambda text: len(text.encode()) // 3 + 1,
    "more for the whole than for its parts": lambda text: int(len(text) ** 1.3),
}
texts = st.one_of(
    st.text(max_size=200),
    st.sampled_from(["thanks!", "the ledger is split", "我喜欢绘画和弹钢琴", "[8 May, 2023] Good morning, Anna!"]),
    st.integers(1, 40).map(lambda times: "some words of a long report\n" * times * 10 + "the ledger stands here\n"),
)


def outlined(messages: list[str], gap: float = 0.0) -> Outline:
    return outline_of([Head("user", False, len(text), "", n * gap) for n, text in enumerate(messages)], str)


def packed(messages: list[str], order: list[int], budget: int, count: Callable[[str], int]) -> Recollection:
    held = {"ledger": tuple(n for n, text in enumerate(messages) if "ledger" in text)}
    outline = outlined(messages, 9_000)
    rooms = rooms_of([(n, 1.0) for n in order], outline.lengths.__getitem__, budget)
    found = [
        (recollected_of(replace(user_message(messages[n]), id=f"m{n}"), n, outline), room) for n, room in rooms.items()
    ]
    return pack("the ledger", found, parse_query("the ledger"), rarity_of(held, outline.passages), budget, count)


@given(
    messages=st.lists(texts, min_size=1, max_size=30),
    budget=st.integers(1, 3_000),
    count=st.sampled_from(sorted(COUNTS)),
    chance=st.randoms(use_true_random=False),
)
def test_what_is_brought_back_fits_the_budget_and_reads_in_its_order(messages, budget, count, chance) -> None:
    order = list(range(len(messages)))
    chance.shuffle(order)
    found = packed(messages, order, budget, COUNTS[count])
    indexes = [message.index for message in found.messages]
    assert indexes == sorted(set(indexes))
    assert found.tokens <= budget
    assert found.tokens == (COUNTS[count](page_of(found.messages)) if indexes else 0)
    for message in found.messages:
        assert message.text in messages[message.index]
        assert message.is_part == (len(message.text) < message.full_length)
        assert not (message.is_part and message.full_length <= min(LINE, budget))
    assert found == packed(messages, order, budget, COUNTS[count])


def test_the_best_come_first_into_the_budget() -> None:
    messages = [f"message {n} with about ten words of its own in it" for n in range(50)]
    found = packed(messages, [30, 10, 40, 0, 20], 40, COUNTS["words"])
    assert [message.index for message in found.messages] == [10, 30, 40]
    assert found.message_ids == ("m10", "m30", "m40")
    assert packed(["a"], [], 100, len) == Recollection("the ledger")
    text = "nothing to see here. " * 200 + "The ledger is blue. " + "and nothing here. " * 200
    assert "The ledger is blue." in packed([text], [0], 60, COUNTS["words"]).messages[0].text, "a smaller passage"


def test_a_page_tells_day_index_and_speaker_and_what_is_a_part() -> None:
    page = page_of(
        [
            Recollected("a", 3, "Anna", "8 May, 2023", "[8 May, 2023] Hello!", 20),
            Recollected("b", 7, "Ben", "8 May, 2023", "Hi Anna", 7),
            Recollected("c", 90, "tool", "9 May, 2023", "the error", 15_234),
        ]
    )
    assert page.splitlines() == [
        "#3 Anna: [8 May, 2023] Hello!",
        "#7 Ben: Hi Anna",
        "[9 May, 2023]",
        "#90 tool: … the error …",
    ]


def test_of_a_long_message_the_passage_around_the_match_is_brought_back() -> None:
    log = [f"2024-05-01 line {n}: everything is as it was before\n" for n in range(2_000)]
    log[1_234] = "FileNotFoundError: the ledger was not found in /var/books\n"
    found = packed(["hello", "".join(log)], [1, 0], 1_000, COUNTS["bytes"])
    (part,) = [message for message in found.messages if message.is_part]
    assert "the ledger was not found in /var/books" in part.text
    assert part.full_length == len("".join(log).strip())
    assert len(part.text) <= 800
    assert part.text.startswith("2024-05-01 line")  # from the beginning of a line


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("packages/ui/theme.ts", "packages/ui/theme.ts has the colours"),
        ("where are the colours", "has the colours"),
        ("数据库在哪里", "数据库在这里"),
        ("dancing lessons", "danced in her lesson"),
        ("nothing of this stands there", "theme words"),
    ],
)
def test_the_passage_is_where_the_most_of_the_query_stands(query: str, expected: str) -> None:
    filler = "一些别的内容。theme words, and ui. " * 100
    places = ("packages/ui/theme.ts has the colours", "数据库在这里", "She danced in her lesson with Eve")
    text = filler + filler.join(places) + filler
    passage = excerpt_of(text, {word.lower().removesuffix("ing"): 3.0 for word in parse_query(query).words}, 600)
    assert expected in passage
    assert len(passage) <= 600


@given(
    text=st.text(alphabet=st.sampled_from("ab \nledgrL中\u0301\U0001f468\u200d"), max_size=3_000),
    most=st.integers(80, 900),
    query=st.sampled_from(["ledger", "a b", "中 ledger", "lead/edge.rd"]),
)
def test_a_passage_is_a_part_of_the_text_and_not_longer_than_it_may_be(text: str, most: int, query: str) -> None:
    passage = excerpt_of(text, dict.fromkeys(parse_query(query).words, 1.0), most)
    assert passage in text
    assert len(passage) <= max(most, 0) or passage == text


def test_what_can_be_brought_back_of_a_message() -> None:
    message = model(
        Reasoning("secret thoughts"),
        "I look into it. ",
        ToolCall("c", "read", '{"path": "a.py"}'),
        Attachment("cat.png", "image/png", "data:…"),
        Attachment("notes.txt", "text/plain", "buy milk"),
        id="m",
    )
    assert (
        text_of(message)
        == 'I look into it.\n\nread {"path": "a.py"}\n\n[cat.png]\n\n[notes.txt]\n```\nbuy milk\n```\nend of file'
    )
    assert text_of(result("print(1)\n", name="read", id="t")) == "print(1)"


def test_more_is_read_than_the_budget_holds_and_not_much_more() -> None:
    outline = outlined(["a" * 130] * 100 + ["a" * 100_000])
    scores = [(index, 1.0) for index in range(101)]

    def rooms(scores: list[tuple[int, float]], budget: int) -> dict[int, int]:
        return rooms_of(scores, outline.lengths.__getitem__, budget)

    assert rooms(scores, 200) == dict.fromkeys(range(12), LINE)
    assert list(rooms(scores[::-1], 200))[:2] == [100, 99]  # of a long one, an excerpt
    assert rooms(scores[::-1], 1) == {100: LINE}
    assert rooms([], 200) == {}


@given(st.lists(st.floats(0.0, 50.0), min_size=1, max_size=300), st.integers(100, 5_000))
def test_a_better_message_has_at_least_as_much_room(scores: list[float], budget: int) -> None:
    best_first = list(enumerate(sorted(scores, reverse=True)))
    rooms = list(rooms_of(best_first, lambda _: 10_000, budget).values())
    assert rooms == sorted(rooms, reverse=True)
    assert all(LINE <= room <= MAX_EXCERPT for room in rooms)


def test_what_stands_out_gets_a_long_excerpt_and_of_many_alike_there_are_lines() -> None:
    def rooms(scores: list[float]) -> list[int]:
        return list(rooms_of(list(enumerate(scores)), lambda _: 10_000, 4_000).values())

    assert rooms([20.0, *[5.0] * 200])[:2] == [MAX_EXCERPT, LINE]
    assert set(rooms([5.0] * 200)) == {LINE}
    assert rooms([5.0, 5.0]) == [MAX_EXCERPT, MAX_EXCERPT], "few share the whole budget"


# Which conversations a query is looked for in, in which order their messages come, and how they are named.


scores = st.lists(st.tuples(st.integers(0, 40), st.floats(0.1, 50.0)), max_size=200)


@given(scores)
def test_of_the_conversations_the_best_are_chosen_best_first(found: list[tuple[int, float]]) -> None:
    chosen = choose_conversations(found)
    assert len(chosen) == min(CHOSEN, len({conversation for conversation, _ in found}))
    assert [score for _, score in chosen] == sorted([score for _, score in chosen], reverse=True)
    assert all(score >= max(s for c, s in found if c == conversation) for conversation, score in chosen)


def test_one_that_speaks_of_it_more_often_comes_before_one_that_does_so_once() -> None:
    assert [number for number, _ in choose_conversations([(1, 5.0), (2, 5.0), (2, 3.0)])] == [2, 1]


def test_a_message_of_a_conversation_that_fits_better_comes_first() -> None:
    wanted = parse_query("where is Anna", ["Anna"])
    good, other = CandidateConversation("a", "A", 20.0), CandidateConversation("b", "B", 2.0)
    found = merge([(other, parse_query("x"), Ranked(((4, 6.0),))), (good, wanted, Ranked(((1, 5.0), (2, 4.0))))])
    assert [place for place, _ in found] == [Place("a", 1), Place("a", 2), Place("b", 4)]
    assert found[0][1] == 5.0 + BY_CONVERSATION * 20.0 + 1.0, "and its speaker is named"


def recollected(source: RecallSource, index: int, day: str = "8 May, 2023", text: str = "Hello") -> Recollected:
    return Recollected(f"{source.conversation}{index}", index, "Anna", day, text, len(text), 0, source)


def test_a_page_names_conversation_title_day_speaker_and_number() -> None:
    trip, work = RecallSource("0123456789abcdef", "A trip"), RecallSource("w", "“Work”\nConversation x, “y”:")
    page = page_of([recollected(trip, 3), recollected(trip, 4), recollected(work, 7)])
    assert page.splitlines() == [
        "Conversation 0123456789ab, “A trip”:",
        "[8 May, 2023]",
        "#3 Anna: Hello",
        "#4 Anna: Hello",
        "Conversation w, “‘Work’ Conversation x, ‘y’:”:",
        "[8 May, 2023]",
        "#7 Anna: Hello",
    ]
    assert sources_in(page) == (
        RecallSource("0123456789ab", "A trip", 3),
        RecallSource("w", "‘Work’ Conversation x, ‘y’:", 7),
    )
    assert sources_in("#3 Anna: Hello") == ()


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30)), max_size=30, unique=True), st.integers(1, 300))
def test_what_is_packed_of_several_fits_and_stands_together(places: list[tuple[str, int]], budget: int) -> None:
    sources = {name: RecallSource(name * 2 * ID_LENGTH, f"About {name}") for name in "abc"}
    found = [recollected(sources[name], index) for name, index in places]
    packed = pack("q", [(one, 100) for one in found], parse_query("q"), Rarity(9, {}), budget, len)
    assert packed.tokens <= budget
    assert packed.tokens == (len(page_of(packed.messages)) if packed.messages else 0)
    order = [message.source.conversation for message in packed.messages if message.source]
    assert len(dict.fromkeys(order)) == sum(one != before for one, before in zip(order, ["", *order], strict=False))
    if packed.messages:
        best = next(one for one in found if len(page_of([one]) + "\n") <= budget)
        assert packed.messages[0].source == best.source, "the best one's that fits comes first"


def test_a_key_that_was_told_elsewhere_is_masked() -> None:
    message = replace(user_message("The key is sk-0123456789abcdefghij, as you know."), id="m")
    outline = outline_of([Head("user", False, 40, "", 0.0)], str)
    assert "sk-0123" in recollected_of(message, 0, outline).text
    assert recollected_of(message, 0, outline, RecallSource("c")).text == "The key is [secret], as you know."


def test_where_recall_may_look() -> None:
    narrow, project, wide = RecallReach(), RecallReach("project", "p"), RecallReach("everything")
    assert [narrow.includes(where) for where in ("conversation", "project", "everything")] == [True, False, False]
    assert [project.includes(where) for where in ("conversation", "project", "everything")] == [True, True, False]
    assert [wide.includes(where) for where in ("conversation", "project", "everything")] == [True, True, True]
    assert (project.has("project"), wide.has("project"), wide.has("everything")) == (True, False, True)
    assert (project.project_in("project"), project.project_in("everything")) == ("p", None)
