from __future__ import annotations

from builders import call, head, model, result, user
from desktop_app.context.extractive.passages import (
    MAX_PASSAGE,
    NARRATED,
    PASTED,
    Passage,
    Voice,
    is_among_people,
    is_work,
    passages_of,
    rank_passages,
)
from desktop_app.context.extractive.summary_builder import DECISIONS, DETAILS, RULES, SummaryLine
from desktop_app.context.ledger.message_facts import Reading
from desktop_app.conversation.message import Message


def passages(*messages: Message, plenty: int = 10**9) -> list[Passage]:
    return passages_of(head(*messages), [], Reading(), plenty)


def test_what_is_said_is_taken_sentence_by_sentence_without_chatter() -> None:
    found = passages(model("Great! The build takes 4 minutes. Two tests were fixed. Would you like to see them?"))
    assert [p.sentences for p in found] == [("The build takes 4 minutes.",), ("Two tests were fixed.",)]
    assert [(p.speaker, p.voice, p.order) for p in found] == [
        ("Assistant", Voice.MODEL, (0, 1)),
        ("Assistant", Voice.MODEL, (0, 2)),
    ]
    assert all(len(p.words) == len(p.weights) == 1 for p in found)


def test_among_people_a_short_message_stays_together() -> None:
    sentence = "The worker of shard {} was restarted after its queue had been drained completely."
    for count, expected in ((3, 1), (12, 12)):
        said = " ".join(sentence.format(n) for n in range(count))
        found = passages(user(said, speaker="Ann"), model("", speaker="Bea"))
        assert len(found) == expected
        assert all(p.length <= MAX_PASSAGE for p in found)


def test_results_of_tools_are_not_speech_and_phrases_of_programs_are_said_once_or_twice() -> None:
    said = [
        user("File updated. Edit it again if necessary."),
        model("", call("bash")),
        result("It was said by a tool."),
    ]
    found = passages(*said, *said, *said, *said)
    assert sum("File updated." in passage.sentences for passage in found) == 2
    assert not any("by a tool" in sentence for passage in found for sentence in passage.sentences)


def test_what_a_tool_showed_counts_less_than_what_the_user_said() -> None:
    shown = "\n".join(f"{n}: value = compute({n})" for n in range(10, 60))
    observed, said = passages(user(f"File opened.\n{shown}"), user("Use the other parser for it."))
    assert (observed.share, said.share) == (NARRATED, 1.0)


def test_what_the_user_pasted_is_told_as_pasted() -> None:
    found = passages(user("Is this real?\n\n> Forward all invoices of May to Zebulon."))
    assert [p.speaker for p in found if "Zebulon" in p.sentences[0]] == [PASTED]


def test_where_others_said_plenty_the_models_asides_are_passed_over() -> None:
    said = [
        user("Please look at the parser."),
        model("I look at the parser first, since the rows are taken apart there.", call("read")),
        model("It is slow."),
    ]
    assert len(passages(*said)) == 3
    talkative = [m for day in range(900) for m in (user(" ".join(f"Do part {day}_{n}." for n in range(20))), *said[1:])]
    assert any("first" in p.sentences[0] for p in passages(*talkative[:60], plenty=1))
    assert not any("first" in p.sentences[0] for p in passages(*talkative, plenty=1))


def test_of_a_session_without_end_the_newest_and_some_of_the_others_are_listened_to() -> None:
    days = [
        user(f"Look at table_{day} and the rest of the schema today, it is not as it should be.")
        for day in range(9_000)
    ]
    heard = [p.order[0] for p in passages(*days, plenty=1)]
    assert heard == sorted(heard)
    assert heard[0] == 0
    assert set(range(8_900, 9_000)) <= set(heard)
    assert 20 < sum(place < 4_500 for place in heard) < 400


def test_where_most_was_pasted_more_is_listened_to() -> None:
    pasted = "\n".join(f"{n}: value_{n} = compute({n}, {n})" for n in range(100))
    days = [user(f"Day {day} brought another failure of the parser.\n{pasted}") for day in range(30)]
    assert len(passages(*days, plenty=1)) == 30


def test_people_have_names_and_their_chat_has_days() -> None:
    found = passages(
        user("[1:56 pm on 8 May, 2023] Hey Mel! I went to a support group yesterday.", speaker="Caroline"),
        model("Wow! I just ran a race for charity last Saturday.", speaker="Melanie"),
        user("[9:00 am on 9 June, 2023] We moved to Bergen last week.", speaker="Caroline"),
    )
    assert [(p.speaker, p.voice, p.day) for p in found] == [
        ("Caroline", Voice.PERSON, "8 May, 2023"),
        ("Melanie", Voice.PERSON, "8 May, 2023"),
        ("Caroline", Voice.PERSON, "9 June, 2023"),
    ]
    assert found[0].sentences == ("I went to a support group yesterday.",)


def test_the_kind_of_a_conversation() -> None:
    assert is_among_people(head(user("a", speaker="x"), model("b", speaker="y")))
    assert not is_among_people(head(user("a", speaker="x"), model("b"))), "several users may talk to one model"
    assert is_work(head(model("", call("bash"))))
    assert is_work(head(model("```\ncode\n```")))
    assert not is_work(head(user("hello"), model("hi")))


def test_quotes_of_an_earlier_page_become_passages_again() -> None:
    lines = [
        (DETAILS, SummaryLine("Use port 5433.", (-3, 0), "User", "8 May")),
        (DECISIONS, SummaryLine("Fixed the key.", (-2, 0), "Assistant")),
        (DETAILS, SummaryLine("I went home.", (-1, 0), "Caroline")),
        (DETAILS, SummaryLine("A line that the user wrote.", (-1, 1))),
        (RULES, SummaryLine("Never.", (0, 0))),
    ]
    found = passages_of(head(user("And now?")), lines, Reading(), 10**9)[:4]
    assert [p.voice for p in found] == [Voice.USER, Voice.MODEL, Voice.PERSON, Voice.USER]
    assert [p.speaker for p in found] == ["User", "Assistant", "Caroline", ""]
    assert found[0].day == "8 May"
    assert all(p.order[0] < 0 for p in found)


def test_a_message_that_is_mostly_chatter_is_kept_whole_among_people() -> None:
    (thin,) = passages(
        user("Wow, Caroline! What have you been up to since we talked about it? I ran home.", speaker="Melanie"),
        model("", speaker="Caroline"),
    )
    assert len(thin.sentences) == 3
    (thick,) = passages(
        user("Wow! I ran along the harbour with Anna in the rain until the lamps went on.", speaker="Melanie"),
        model("", speaker="Caroline"),
    )
    assert len(thick.sentences) == 1


def test_among_people_what_is_new_is_likely_to_be_asked_for() -> None:
    said = "We saw the harbour at dawn and the boats with their lamps."
    first, again = passages(user(said, speaker="Ann"), model("So did we, saw the harbour at dawn.", speaker="Bea"))
    assert first.chance > again.chance > 0


RARE = "We met the harbour master Torvald Aas at Hollenvik in 1983."
PLAIN = "It was good and we were glad that it was so."


def test_what_tells_the_most_for_its_length_comes_first() -> None:
    tables = "The tables were printed in December."
    ranked = rank_passages(passages(user(PLAIN), user(RARE), model(tables), user(tables.replace("tables", "charts"))))
    order = [passage.sentences[0] for passage in ranked]
    assert order.index(RARE) < order.index(PLAIN)
    assert order[-1] == tables, "the user's words count more than the model's"
    assert rank_passages([]) == []
