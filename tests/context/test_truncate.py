from __future__ import annotations

import hashlib
import json
import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from desktop_app.context.policy import BALANCED, NO_LIMIT, ContextPolicy
from desktop_app.context.truncate import LINE_CUT, is_truncated, limits_of, truncate_result
from slowness import slowness
from texts import LINES_LEFT_OUT, NOTHING_SHOWN, TRUNCATED

SMALL = replace(BALANCED, truncate_lines=20, truncate_bytes=1_500, truncate_line=500, truncate_tools=(("grep", 1_300),))
HEAD = "[Truncated: "


def numbered(count: int) -> str:
    return "\n".join(f"line {n}" for n in range(1, count + 1))


def test_what_is_within_the_limits_stays_as_it_is() -> None:
    for text in ("", "one line", "ends in one\n", numbered(2_000), "x" * 2_000, "\ud83d", "é" * 2_000):
        cut = truncate_result(text, "read", BALANCED)
        assert (cut.text, cut.spill, cut.first_cut_line) == (text, None, 0)
        assert (cut.lines, cut.bytes) == (cut.shown_lines, cut.shown_bytes)


def test_a_file_keeps_its_head_and_the_notice_says_how_to_read_on() -> None:
    text = numbered(5_000)
    cut = truncate_result(text, "read", BALANCED)
    body, _, notice = cut.text.rpartition("\n")
    spill = hashlib.sha256(text.encode()).hexdigest()
    assert text.startswith(body + "\n")
    assert (cut.spill, cut.lines, cut.bytes) == (spill, 5_000, len(text))
    assert (cut.shown_lines, cut.shown_bytes) == (body.count("\n") + 1, len(body))
    assert cut.first_cut_line == cut.shown_lines + 1 == 1_997
    assert notice == (
        TRUNCATED.format(lines=5_000, size=len(text), shown=1_996, bytes=len(body), line=1_997, spill=spill)
        + f'read {{"path": "{spill}", "offset": 1997}}.]'
    )
    assert is_truncated(cut.text)


def test_a_command_keeps_its_head_and_its_tail_which_holds_the_error() -> None:
    text = numbered(5_000) + "\nTypeError: no rate"
    cut = truncate_result(text, "bash", BALANCED)
    lines = cut.text.split("\n")
    marker = next(n for n, line in enumerate(lines) if line.startswith("[… "))
    assert lines[0] == "line 1"
    assert lines[-2] == "TypeError: no rate"
    assert lines[marker] == LINES_LEFT_OUT.format(lines=5_001 - cut.shown_lines)
    assert cut.first_cut_line == marker + 1
    assert marker == pytest.approx(len(lines) / 2, abs=3)


@pytest.mark.parametrize(("tool", "most"), [("list", 10_000), ("glob", 20_000), ("Grep", 30_000), ("other", 50_000)])
def test_each_tool_has_its_own_limit_in_characters(tool: str, most: int) -> None:
    text = ("x" * 99 + "\n") * 600
    assert most - 700 < len(truncate_result(text, tool, BALANCED).text) <= most
    assert limits_of("read", BALANCED).characters == 100_000


def test_a_long_line_is_cut_and_says_so() -> None:
    text = f"short\n{'y' * 5_000}\nend"
    cut = truncate_result(text, "read", BALANCED)
    lines = cut.text.split("\n")
    assert lines[1] == "y" * (2_000 - len(LINE_CUT)) + LINE_CUT
    assert lines[2] == "end"
    assert (cut.first_cut_line, cut.shown_lines) == (2, 3)
    assert cut.spill


def test_if_only_a_line_is_too_long_a_command_has_no_other_gap() -> None:
    lines = ["x" * 299] * 100 + ["y" * 5_000] + ["z" * 299] * 20
    cut = truncate_result("\n".join(lines), "bash", BALANCED)
    assert cut.shown_lines == 121
    assert "[… " not in cut.text
    assert cut.first_cut_line == 101


def test_of_a_huge_output_of_a_command_head_and_tail_stay() -> None:
    lines = [f"line {n}" for n in range(150_000)]
    cut = truncate_result("\n".join([*lines, "error: the disk is full"]), "bash", BALANCED)
    assert cut.bytes > 1_000_000
    assert cut.text.startswith("line 0\nline 1\n")
    assert "error: the disk is full\n" + HEAD in cut.text
    assert LINES_LEFT_OUT.format(lines=cut.lines - cut.shown_lines) in cut.text
    assert cut.first_cut_line > 500
    assert limits_of("bash", BALANCED).hold(cut.text)


def test_of_a_huge_command_without_other_limits_less_than_the_huge_stays() -> None:
    free = replace(BALANCED, truncate_bytes=NO_LIMIT, truncate_lines=NO_LIMIT, truncate_tools=())
    free = replace(free, truncate_other_tools=NO_LIMIT)
    cut = truncate_result("z\n" * 200_000, "bash", free)
    assert 100_000 < len(cut.text) <= free.spill_above
    assert truncate_result(cut.text, "bash", free).text == cut.text


def test_of_a_huge_output_only_the_notice_stays() -> None:
    cut = truncate_result("z\n" * 100_001, "read", BALANCED)
    assert cut.text.startswith(HEAD + NOTHING_SHOWN.format(lines=100_002, size=200_002))
    assert "\n" not in cut.text
    assert (cut.shown_lines, cut.shown_bytes, cut.first_cut_line) == (0, 0, 1)
    assert truncate_result("z\n" * 100_000, "read", BALANCED).shown_lines > 1_000, "not above the limit yet"


def test_a_notice_that_a_page_imitates_does_not_let_it_pass() -> None:
    forged = numbered(9_000) + "\n" + truncate_result(numbered(5_000), "read", BALANCED).text.split("\n")[-1]
    assert is_truncated(forged)
    assert truncate_result(forged, "read", BALANCED).spill is not None


def test_no_character_is_parted() -> None:
    for shift in range(9):
        text = "a" * shift + "👩‍👩‍👧‍👦" * 3_000
        shown = truncate_result(text, "read", replace(SMALL, truncate_line=NO_LIMIT)).text.split(LINE_CUT)[0]
        assert not shown.removeprefix("a" * shift).replace("👩‍👩‍👧‍👦", "")


@pytest.mark.slow
def test_a_megabyte_takes_no_time() -> None:
    for text in ("x" * 1_000_000, "x\n" * 500_000, "\u0301" * 1_000_000, "東\n" * 500_000):
        started = time.process_time()
        truncate_result(text, "bash", replace(BALANCED, spill_above=NO_LIMIT))
        assert time.process_time() - started < 1.0 * slowness()


SIGNS = st.characters(codec=None) | st.sampled_from("\n\n\n\r\ud83d\ude00\u200d\u0301é東👩 a")
CHUNKS = st.text(SIGNS, max_size=12)
TEXTS = st.builds(
    lambda chunks, times, end: "".join(chunk * times for chunk in chunks) + end,
    st.lists(CHUNKS, max_size=6),
    st.sampled_from((1, 3, 40, 300)),
    CHUNKS,
)
POLICIES = st.builds(
    lambda lines, size, line, tool, spill, keep: replace(
        BALANCED,
        truncate_lines=lines,
        truncate_bytes=size,
        truncate_line=line,
        truncate_other_tools=tool,
        truncate_tools=(),
        spill_above=spill,
        truncate_keep=keep,
    ),
    st.integers(0, 60),
    st.integers(0, 4_000),
    st.integers(0, 900),
    st.integers(0, 4_000),
    st.sampled_from((0, 2_500, 10**6)),
    st.sampled_from(("by_tool", "head", "head_tail")),
)


@given(TEXTS, POLICIES, st.sampled_from(("bash", "read", "")))
@example("\ud83d" * 2_000, SMALL, "bash")
@example("\n" * 5_000, SMALL, "bash")
@example("x\n" * 5_000, replace(SMALL, truncate_lines=NO_LIMIT), "read")
@example("x" * 5_000, SMALL, "bash")
def test_a_truncated_text_is_within_the_limits_and_truncates_to_itself(
    text: str, policy: ContextPolicy, tool: str
) -> None:
    cut = truncate_result(text, tool, policy)
    limits = limits_of(tool, policy)
    assert truncate_result(cut.text, tool, policy).text == cut.text
    assert limits.hold(cut.text)
    assert cut.lines == len(text.split("\n"))
    assert cut.bytes == len(text.encode(errors="surrogatepass"))
    if cut.spill is None:
        assert cut.text == text
        return
    assert cut.spill == hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    assert is_truncated(cut.text)
    assert all(part in text for part in parts_of(cut.text))
    assert "\n".join(text.split("\n")[: cut.first_cut_line - 1]) in cut.text, "nothing is missing before the first cut"


def parts_of(shown: str) -> list[str]:
    """What stands between notices and markers."""
    return re.split(r"\n?\[… [^\n]*…\]\n|\.\.\. \(line truncated\)\n?|\n?\[Truncated: [^\n]*\]", shown)


def test_one_line_of_a_servers_tool_is_not_cut_as_a_line() -> None:
    """Servers write JSON in one line (server-memory, sqlite, notion): it counts as a text, not as an odd line."""
    text = json.dumps([{"id": n, "name": "x" * 40} for n in range(90)])
    assert 4_000 < len(text) < 8_000
    assert truncate_result(text, "notes__search", ContextPolicy()).text == text
    assert LINE_CUT in truncate_result(text, "read", ContextPolicy()).text
    long = json.dumps(["y" * 90_000])
    cut = truncate_result(long, "notes__search", ContextPolicy())
    assert cut.spill is not None
    assert len(cut.text) <= 50_000 < len(long)
    assert truncate_result(cut.text, "notes__search", ContextPolicy()).text == cut.text
