"""Which addresses of an answer were seen in a result."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.context.citations import NOT_CHECKED, CitedSource, SeenUrls, check_citations, urls_in

SEEN = SeenUrls(read=("https://a.test/one",), found=("https://b.test/two?x=1", "https://en.test/Tea_(drink)"))
URLS = st.builds(
    lambda host, path: f"https://{host}.test/{path}",
    st.text("abc", min_size=1, max_size=3),
    st.text("abc123_-%", max_size=6).map(lambda path: path.rstrip("_")),
)


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("See https://a.test/one.", ["https://a.test/one"]),
        ("(https://a.test/one), then [b](https://b.test/two?x=1).", ["https://a.test/one", "https://b.test/two?x=1"]),
        ("<https://a.test/one> “https://a.test/one”", ["https://a.test/one"]),
        ("**https://a.test/one**", ["https://a.test/one"]),
        ("tea (https://en.test/Tea_(drink))", ["https://en.test/Tea_(drink)"]),
        ("no address: http://, ftp://a.test", []),
    ],
)
def test_an_address_ends_where_the_sentence_goes_on(text: str, urls: list[str]) -> None:
    assert list(urls_in(text)) == urls


def test_what_was_read_and_what_was_only_found_are_told_apart() -> None:
    cited = check_citations(
        "One (https://A.test/one#top). Two (https://b.test/two?x=1). One (https://a.test/one/).", SEEN
    )
    assert cited.sources == (CitedSource("https://A.test/one#top", True), CitedSource("https://b.test/two?x=1", False))
    assert NOT_CHECKED not in cited.text


@pytest.mark.parametrize(
    ("answer", "marked"),
    [
        ("So it is (https://made.up/page).", f"So it is (https://made.up/page){NOT_CHECKED}."),
        ("[So](https://made.up/page) it is.", f"[So](https://made.up/page){NOT_CHECKED} it is."),
        ("See https://made.up/page, then.", f"See https://made.up/page{NOT_CHECKED}, then."),
        ("https://b.test/two?x=2", f"https://b.test/two?x=2{NOT_CHECKED}"),
    ],
)
def test_an_address_that_nobody_has_seen_is_marked(answer: str, marked: str) -> None:
    cited = check_citations(answer, SEEN)
    assert cited.text == marked


def test_an_answer_without_addresses_rests_on_what_was_read() -> None:
    assert check_citations("Tea.", SEEN).sources == (CitedSource("https://a.test/one", True),)
    assert check_citations("Tea.", SeenUrls(found=("https://b.test/",))).sources == ()


@given(st.lists(URLS, max_size=6), st.sets(st.integers(0, 5)), st.text(" .,()[]*\n", max_size=4))
def test_every_address_is_a_source_or_marked_and_no_other_word_changes(
    urls: list[str], seen: set[int], between: str
) -> None:
    found = tuple(url for place, url in enumerate(urls) if place in seen)
    answer = f" {between} ".join(urls)
    cited = check_citations(answer, SeenUrls(found=found))
    assert cited.text.replace(NOT_CHECKED, "") == answer
    assert cited.text.count(NOT_CHECKED) == sum(url not in found for url in urls)
    assert [source.url for source in cited.sources] == [url for url in dict.fromkeys(urls) if url in found]


@given(st.text(max_size=200))
def test_any_text_can_be_looked_at(text: str) -> None:
    cited = check_citations(text, SEEN)
    assert cited.text.replace(NOT_CHECKED, "") == text.replace(NOT_CHECKED, "")


@pytest.mark.parametrize("sign", [")", "!", "(", "()", "(.)"])
def test_no_address_takes_long(sign: str) -> None:
    started = time.process_time()
    urls_in("http://a.test/" + sign * 300_000)
    assert time.process_time() - started < 1.0
