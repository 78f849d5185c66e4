from __future__ import annotations

import json
import re

import pytest
from archive_messages import said
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders import model
from desktop_app.archive import full_text_search
from desktop_app.archive.full_text_search import END, LENGTH, LONG, MAX_MARKS, RANKED, START, mark_hits, snippet_of
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Attachment, Reasoning, Role, ToolCall, ToolResult
from desktop_app.conversation.transcript import Pin
from examples import examples
from stores import Store

SAID = {
    "path": "Please split billing/models/ledger.py in two, as we discussed.",
    "migration": "The migration is called 0042_split_ledger and runs on Monday.",
    "url": "See https://example.com/a/b?q=1&lang=en#top for more.",
    "mail": "Write to anna.berg+test@mail.example.org about it.",
    "chinese": "我们明天把数据库迁移到新的服务器，然后使用PySide6编写界面。",
    "japanese": "東京タワーはどこですか。",
    "korean": "회의는 내일 오전에 합니다.",
    "thai": "สวัสดีครับ วันนี้อากาศดี",
    "number": "Invoice 2024-118 over 1,299.50 EUR",
    "code": "Call `LedgerEntry.post(amount: Decimal) -> None` and set MAX_RETRIES=3",
    "accent": "Le café est fermé à Zürich",
    "emoji": "ship it \U0001f680\U0001f680\U0001f680 now",
    "error": "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/x y.txt'",
    "plain": "the cat was running over the roofs",
    "sharp": "Wir treffen uns in der Hauptstraße beim Großhändler",
    "double": "Die Adresse: HAUPTSTRASSENFEST, Gross-Umstadt",
}

OWN_WORDS = [
    ("billing/models/ledger.py", "path"),
    ("ledger.py", "path"),
    ("0042_split_ledger", "migration"),
    ("https://example.com/a/b?q=1&lang=en#top", "url"),
    ("example.com/a/b", "url"),
    ("anna.berg+test@mail.example.org", "mail"),
    ("数据库", "chinese"),
    ("服务器", "chinese"),
    ("PySide6", "chinese"),
    ("新的服务器，然后", "chinese"),
    ("服务器 数据库", "chinese"),
    ("迁移数据库", "chinese"),
    ("タワー", "japanese"),
    ("회의", "korean"),
    ("อากาศ", "thai"),
    ("2024-118", "number"),
    ("1,299.50", "number"),
    ("LedgerEntry.post(amount: Decimal) -> None", "code"),
    ("MAX_RETRIES=3", "code"),
    ("edgerEntr", "code"),
    ("-> None", "code"),
    ("cafe zurich", "accent"),
    ("Hauptstrasse", "sharp"),
    ("GROSSHÄNDLER", "sharp"),
    ("hauptstrasse grosshändler", "sharp"),
    ("uptstraße", "double"),
    ("Hauptstraßenfest", "double"),
    ("groß-umstadt", "double"),
    ("\U0001f680", "emoji"),
    ("\U0001f680\U0001f680\U0001f680", "emoji"),
    ("[Errno 2]", "error"),
    ("'/tmp/x y.txt'", "error"),
    ("runs roof", "plain"),
    ('"cat was running"', "plain"),
    ("好界面", "chinese"),  # any two characters that stand together, where none has all
    ("the migra", "migration"),  # the last word may be unfinished
]


@pytest.fixture
def spoken(store: Store) -> Store:
    store.append("c", *(said(message_id, text) for message_id, text in SAID.items()))
    return store


def test_a_message_is_found_by_its_own_words(spoken: Store) -> None:
    assert [(query, spoken.search(query)[0].message) for query, _ in OWN_WORDS] == OWN_WORDS


def test_a_result_tells_where_it_was_found(store: Store) -> None:
    pin = Pin(id="p", at=2.0, message_id="first")
    store.append("c", said("first", "one"), pin, said("second", "two words «here»\n\nand   a ledger there", at=3.5))
    (result,) = store.search("ledger")
    assert (result.conversation, result.title, result.message) == ("c", "A conversation", "second")
    assert (result.index, result.role, result.archived, result.at) == (1, Role.USER, False, 3.5)
    assert result.snippet == "two words “here” and a «ledger» there"
    assert result.score > 0


def test_the_place_is_marked_inside_of_words_and_between_chinese_ones_too(spoken: Store) -> None:
    assert "`L«edgerEntr»y.post" in spoken.search("edgerEntr")[0].snippet
    assert "把«数据库»迁移" in spoken.search("数据库")[0].snippet
    assert "\u200b" not in spoken.search("数据库")[0].snippet


def test_all_words_come_first_any_of_them_only_when_nothing_holds_all(spoken: Store) -> None:
    assert [result.message for result in spoken.search("ledger discussed")] == ["path"]
    assert {result.message for result in spoken.search("ledger zebra")} == {"path", "migration"}
    assert spoken.search("the of zebra") == ()  # what every text holds says nothing


def test_the_best_message_comes_first(store: Store) -> None:
    store.append("c", said("long", "a ledger " + "among many other words " * 30), said("short", "ledger, the ledger"))
    first, second = store.search("ledger")
    assert (first.message, second.message) == ("short", "long")
    assert first.score > second.score


def test_what_is_written_as_it_was_typed_comes_first_however_many_hold_the_same_words(store: Store) -> None:
    store.append("c", said("exact", "many other words before it, then ../src/themes/dark.json and more " * 3))
    store.append("c", *(said(f"m{number}", "src themes dark json") for number in range(30)))
    results = store.search("../src/themes/dark.json", None, 10)
    assert len(results) == len({result.message for result in results}) == 10
    assert results[0].message == "exact"
    assert [result.score for result in results] == sorted((result.score for result in results), reverse=True)
    store.append("c", said("wild", "xq_r%sx"), *(said(f"w{number}", "xqzrtsx") for number in range(30)))
    assert [result.message for result in store.search("q_r%s", None, 5)] == ["wild"], "no wildcards of SQL"


def test_every_visible_part_can_be_found_and_reasoning_cannot(store: Store) -> None:
    arguments = json.dumps({"path": "src/öl.py", "text": 'first\nsecond "quoted"'})
    store.append(
        "c",
        model(
            Reasoning("secretly"),
            ToolCall("1", "write_file", arguments),
            ToolCall("2", "run", '{"command": "make che'),
            ToolCall("3", "run", '{"a":' * 5_000 + '"bottom"' + "}" * 5_000),
            ToolResult("1", "write_file", "written 12 bytes"),
            Attachment("plan.md", "text/markdown", "the blueprint"),
            Attachment("photo.png", "image/png", "data:image/png;base64,QUJD"),
            id="m",
            speaker="Dr. Watson",
        ),
    )
    visible = ("watson", "src/öl.py", "second", "quoted", "write_file", "12 bytes", "blueprint", "photo.png")
    for query in (*visible, "make", "bottom"):  # broken and deep arguments are searched as they stand
        assert [result.message for result in store.search(query)] == ["m"], query
    assert store.search("secretly") == ()
    assert store.search("QUJD") == ()


def test_archived_messages_are_found_and_marked(spoken: Store) -> None:
    spoken.append("c", archived=("path", "migration"))
    spoken.append("c", archived=("path",), restored=("migration",))
    marks = {result.message: result.archived for result in spoken.search("ledger")}
    assert marks == {"path": True, "migration": False}
    spoken.create(ConversationInfo("elsewhere", "Other", 1.0, 1.0))
    spoken.append("elsewhere", restored=("path",))
    assert spoken.search("discussed")[0].archived


def test_search_stays_in_one_conversation_where_wanted_and_leaves_deleted_ones_out(spoken: Store) -> None:
    spoken.create(ConversationInfo("d", "Other", 1.0, 1.0), (said("d1", "another ledger, edgerEntr"),))
    assert {result.conversation for result in spoken.search("ledger")} == {"c", "d"}
    assert {result.message for result in spoken.search("ledger", "d")} == {"d1"}
    spoken.change("d", is_deleted=True)
    assert "d" not in {result.conversation for result in spoken.search("ledger")}
    assert "d" not in {result.conversation for result in spoken.search("edgerentry")}
    assert spoken.search("ledger", "d") == ()
    assert [len(spoken.search("ledger", None, limit)) for limit in (1, 0, -1)] == [1, 0, 0]


def test_of_very_many_matches_the_newest_are_ranked_of_those_that_may_be_found(store: Store) -> None:
    def many(conversation: str, count: int) -> None:
        messages = [said(f"{conversation}{number}", f"{'common ' * 9}word {number}") for number in range(count)]
        store.create(ConversationInfo(conversation, conversation, 1.0, 1.0), messages)

    store.create(ConversationInfo("old", "Old", 1.0, 1.0), [said("best", "common"), said("second", "common words")])
    many("new", RANKED)
    many("gone", RANKED)
    found = store.search("common")
    assert {result.conversation for result in found} == {"gone"}
    store.change("gone", is_deleted=True)
    assert {result.conversation for result in store.search("common")} == {"new"}
    assert [result.message for result in store.search("common", "old")] == ["best", "second"]
    store.change("new", is_deleted=True)
    assert [result.message for result in store.search("common")] == ["best", "second"]


SYNTAX = [
    *["AND", "OR NOT", "NEAR(", "a:b", "text : x", "^x", "*", "x*", "(((", "{a b}: c", "-", "%", "_", "%_%", "a_é"],
    *('"', '"" ""', '"a b', 'a""b', "'; DROP TABLE entries; --", "\0", "a\0b", "\ud800", "\u200b", "\ue000"),
    *("x" * 100_000, "a " * 5_000, '"a" ' * 5_000, " OR ".join(f"w{number}" for number in range(5_000))),
]


def test_nothing_that_is_typed_is_a_syntax_error(spoken: Store) -> None:
    for query in SYNTAX:
        spoken.search(query)
        assert len(spoken.entries("c")) == len(SAID), query[:40]


@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # the store only grows, and that is meant
)
@given(text=st.text(min_size=1, max_size=60))
def test_whatever_was_said_is_found_by_saying_it_again(store: Store, text: str) -> None:
    number = len(store.entries("c"))
    store.append("c", said(f"h{number}", text))
    found = {result.message for result in store.search(text, limit=1_000)}
    is_word = any(character.isalnum() and character.isascii() for character in text)
    assert not is_word or f"h{number}" in found


words = st.sampled_from(["needle", "hay", "Ledgers", "café", "世界", "\n", "-", "a" * 300])


def test_fts5_is_never_asked_for_the_hits_of_a_long_message(store: Store) -> None:
    # Its time grows with the square of the hits; the functions that do so are seen in the statement alone.
    functions = re.findall(r"\b(snippet|highlight)\(", full_text_search.MARKED)
    assert functions == ["highlight"]
    assert f"WHEN length(text) > {LONG} THEN text ELSE highlight(" in full_text_search.MARKED
    store.append(
        "c", said("m", "needle in the hay " * 60_000)
    )  # a megabyte; it took minutes, and pytest's limit ends that
    for query in ("needle", "needle hay", "needle zebra", '"needle in"', "needl", "in-the-hay"):
        (result,) = store.search(query)
        assert len(result.snippet) < 2 * LENGTH
        assert "«" in result.snippet


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("Nothing. " * 2_000 + "The ledgers were closed.", "ledger", "«ledgers»"),
        ("Nothing. " * 2_000 + "Das Café war zu.", "cafe", "«Café»"),
        ("Nothing. " * 2_000 + "把数据库迁移", "数据库", "«数据库»"),
        (
            "The needle. " + "Nothing. " * 2_000 + "The needle and the thread.",
            "needle thread",
            "«needle» and the «thread»",
        ),
    ],
)
def test_the_best_place_of_a_long_message_is_shown(store: Store, text: str, query: str, shown: str) -> None:
    store.append("c", said("m", text))
    (result,) = store.search(query)
    assert shown in result.snippet
    assert result.snippet.startswith("…")


def test_the_hit_stands_where_one_line_still_shows_it(store: Store) -> None:
    for before in (0, 40, 70, 130, 190, 1_000):
        store.append("c", said(f"m{before}", "word " * (before // 5) + "needle" + " more" * 100))
    assert [result.snippet.index("«needle»") <= 70 for result in store.search("needle")] == [True] * 6


@given(st.lists(words, max_size=200), st.lists(words, min_size=1, max_size=3))
def test_marks_take_nothing_away_and_stand_in_pairs(text: list[str], asked: list[str]) -> None:
    whole = " ".join(text)
    found = mark_hits(whole, " AND ".join(f'"{word}"' for word in asked))
    assert found.replace(START, "").replace(END, "") == whole
    shown = snippet_of(found)
    assert re.fullmatch(f"[^{START}{END}]*({START}[^{START}{END}]+{END}[^{START}{END}]*)*", shown)
    assert shown.replace(START, "").replace(END, "").strip("…") in whole
    assert (START in shown) == (START in found)


def test_of_many_hits_the_first_ones_are_looked_at() -> None:
    assert mark_hits("needle " * 5_000, '"needle"').count(START) == MAX_MARKS
