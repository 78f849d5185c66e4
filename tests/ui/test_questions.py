"""Questions of a turn: a card that is answered by mouse or keyboard, and never by accident."""

from __future__ import annotations

import time

import msgspec
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from ui_scenes import show_widget

from desktop_app.conversation.events import QuestionAsked
from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import ChangeNote, ChangePreview, DiffLine, PermissionAnswer, RequiredPermission
from desktop_app.ui.composer import question_card
from desktop_app.ui.composer.question_card import QuestionCard
from desktop_app.ui.composer.question_text import (
    ABOUT_CHANGE,
    covers,
    note_of,
    pattern_warning,
    pending_question_text,
    suggested_pattern,
    title_of,
)
from desktop_app.ui.transcript.row_text import arguments_summary
from desktop_app.ui.widgets.buttons import Button
from desktop_app.ui.widgets.long_text import TextReader
from desktop_app.ui.widgets.number_formats import escape_invisible
from texts import (
    ANSWER_FOR_ALL,
    CONTINUE,
    KEYS_OF_QUESTION,
    SERVER_DESCRIBES,
    TOO_LONG_FOR_A_RULE,
    WANTS_TO_LOOK,
    WANTS_TO_RUN,
)

COMMAND = "git push --force origin main"
PUSH = QuestionAsked(
    "v", "q1", "permission", ToolCall("c", "bash", f'{{"command": "{COMMAND}", "timeout": 5}}'),
    (RequiredPermission("bash", "run", COMMAND, "git push *"),),
)  # fmt: skip
BOTH = QuestionAsked(
    "v", "q2", "permission", ToolCall("c", "move", '{"from": "/a", "to": "/b"}'),
    (RequiredPermission("move", "read", "/a", "/a"), RequiredPermission("move", "write", "/b", "/*")),
)  # fmt: skip
ELSEWHERE = QuestionAsked(
    "v", "q4", "permission", ToolCall("c", "recall", '{"query": "ferry", "where": "everything"}'),
    (RequiredPermission("recall", "recall", "everything", "*", 312),),
)  # fmt: skip
ROUNDS = QuestionAsked("v", "q3", "rounds", rounds=25)


@pytest.fixture
def desk(qtbot, monkeypatch):
    """A window with a composer's field under the card, the keyboard in the field."""
    monkeypatch.setattr(question_card, "DEAF_FOR", 0.0)
    made = QWidget()
    made.card, made.field = QuestionCard(), QLineEdit()
    column = QVBoxLayout(made)
    column.addWidget(made.card)
    column.addWidget(made.field)
    show_widget(made, qtbot, 720, 500, is_active=True)
    made.field.setFocus()
    return made


def answers(card: QuestionCard) -> QSignalSpy:
    return QSignalSpy(card.answered)


def shown(card: QuestionCard) -> set[str]:
    return {button.text() for button in card.findChildren(Button) if button.isVisible()}


def test_it_says_what_is_wanted_and_shows_the_command_word_for_word(desk):
    desk.card.show_question(PUSH, 1, 2)
    assert desk.card.title.text() == WANTS_TO_RUN.format(tool="bash")
    assert desk.card.targets.text.toPlainText() == COMMAND
    assert desk.card.position.text() == "1 of 2"
    assert desk.card.pattern.text() == "git push *"
    assert COMMAND in desk.card.accessibleDescription()


@pytest.mark.row("U4", "each answer by button and key")
@pytest.mark.parametrize(
    ("button", "key", "answer"),
    [
        ("once", Qt.Key.Key_A, PermissionAnswer(True)),
        ("conversation", Qt.Key.Key_C, PermissionAnswer(True, "conversation", "git push *")),
        ("always", Qt.Key.Key_W, PermissionAnswer(True, "always", "git push *")),
        ("deny", Qt.Key.Key_D, PermissionAnswer(False)),
    ],
)
def test_each_button_gives_its_answer_and_its_key_too_while_one_types_elsewhere(desk, qtbot, button, key, answer):
    desk.card.show_question(PUSH)
    told = answers(desk.card)
    qtbot.mouseClick(getattr(desk.card, button), Qt.MouseButton.LeftButton)
    qtbot.keyClick(desk.field, key, Qt.KeyboardModifier.AltModifier)
    assert [list(told.at(n)) for n in range(told.count())] == [["q1", answer]] * 2


def test_a_look_in_other_conversations_is_allowed_once_or_here_and_never_for_good(desk, qtbot):
    desk.card.show_question(ELSEWHERE)
    assert desk.card.title.text() == WANTS_TO_LOOK.format(tool="recall")
    assert desk.card.targets.text.toPlainText() == "All your conversations (312)"
    assert "sent to the model" in desk.card.note.text()
    assert shown(desk.card) == {"Show all arguments", "Allow once", "Allow in this conversation", "Deny"}
    assert not desk.card.rule.isVisible()
    assert not desk.card.warning.isVisible()
    assert "always" not in desk.card.keys.text()
    told = answers(desk.card)
    for key in (Qt.Key.Key_W, Qt.Key.Key_C):
        qtbot.keyClick(desk.field, key, Qt.KeyboardModifier.AltModifier)
    assert [list(told.at(n)) for n in range(told.count())] == [["q4", PermissionAnswer(True, "conversation", "*")]]
    project = RequiredPermission("recall", "recall", "project", "project", 1)
    desk.card.show_question(replace(ELSEWHERE, question="q5", needs=(project,)))
    assert desk.card.targets.text.toPlainText().startswith("The ")
    desk.card.show_question(PUSH)
    assert "Always allow" in shown(desk.card)


def test_what_is_typed_into_the_composer_answers_nothing_and_stays_there(desk, qtbot):
    told = answers(desk.card)
    qtbot.keyClicks(desk.field, "half a sen")
    desk.card.show_question(PUSH)
    qtbot.keyClicks(desk.field, "tence ")
    qtbot.keyClick(desk.field, Qt.Key.Key_Return)
    assert desk.field.text() == "half a sentence "
    assert desk.field.hasFocus()
    assert told.count() == 0


def test_a_question_that_has_just_appeared_takes_no_answer(desk, qtbot, monkeypatch):
    monkeypatch.setattr(question_card, "DEAF_FOR", 0.2)
    told = answers(desk.card)
    desk.card.show_question(PUSH)
    qtbot.mouseDClick(desk.card.once, Qt.MouseButton.LeftButton)
    qtbot.keyClick(desk.field, Qt.Key.Key_A, Qt.KeyboardModifier.AltModifier)
    assert told.count() == 0
    qtbot.wait(250)
    qtbot.mouseClick(desk.card.once, Qt.MouseButton.LeftButton)
    assert told.count() == 1


def test_escape_denies_only_in_the_card(desk, qtbot):
    desk.card.show_question(PUSH)
    told = answers(desk.card)
    qtbot.keyClick(desk.field, Qt.Key.Key_Escape)
    assert told.count() == 0
    qtbot.keyClick(desk.card.always, Qt.Key.Key_Escape)
    assert told.at(0)[1] == PermissionAnswer(False)


def test_escape_in_a_typed_pattern_keeps_it_and_denies_only_when_pressed_again(desk, qtbot):
    desk.card.show_question(PUSH)
    given = answers(desk.card)
    desk.card.pattern.setFocus()
    qtbot.keyClicks(desk.card.pattern, "x")
    typed = desk.card.pattern.text()
    qtbot.keyClick(desk.card.pattern, Qt.Key.Key_Escape)
    assert (given.count(), desk.card.pattern.text(), desk.card.isVisible()) == (0, typed, True)
    qtbot.keyClick(desk.card.window().focusWidget(), Qt.Key.Key_Escape)
    assert given.count() == 1


def test_a_pattern_that_misses_what_is_asked_for_cannot_be_allowed(desk, qtbot):
    desk.card.show_question(PUSH)
    told = answers(desk.card)
    desk.card.pattern.setText("git pull *")
    assert "does not cover" in desk.card.warning.text()
    assert not desk.card.always.isEnabled()
    qtbot.keyClick(desk.card.pattern, Qt.Key.Key_Return)
    qtbot.keyClick(desk.field, Qt.Key.Key_W, Qt.KeyboardModifier.AltModifier)
    assert told.count() == 0
    desk.card.pattern.setText("*")
    assert "anything" in desk.card.warning.text()
    qtbot.mouseClick(desk.card.always, Qt.MouseButton.LeftButton)
    assert told.at(0)[1].pattern == "*"


def test_a_wide_pattern_says_what_it_lets_through(desk, qtbot):
    need = RequiredPermission("bash", "run", "git log -3", "git log *")
    desk.card.show_question(replace(PUSH, question="q8", needs=(need,)))
    assert "“git log …” that only reads" in desk.card.effect.text()
    assert desk.card.pattern.accessibleDescription() == desk.card.effect.text()
    for pattern, words in {"git *": "whatever it does", "git log -3": "", "*": "", "cat *": ""}.items():
        desk.card.pattern.setText(pattern)
        assert words in desk.card.effect.text()
        assert desk.card.effect.isVisible() == bool(words), pattern


def test_proposed_patterns_of_several_commands_say_what_they_let_through(desk):
    lines = (("git log -3", "git log *"), ("head -3", "head *"), ("ls", "ls *"), ("rm x", "rm x"))
    needs = tuple(RequiredPermission("bash", "run", line, pattern) for line, pattern in lines)
    desk.card.show_question(replace(PUSH, question="q9", needs=needs))
    assert "“git log …”" in desk.card.effect.text()
    assert "“head …”, “ls …” that only reads" in desk.card.effect.text()
    assert "rm" not in desk.card.effect.text()
    desk.card.show_question(ELSEWHERE)
    assert not desk.card.effect.isVisible()


def test_several_needs_are_all_named_and_have_no_common_pattern(desk):
    desk.card.show_question(BOTH)
    assert desk.card.targets.text.toPlainText() == "Read: /a\nChange: /b"
    assert not desk.card.pattern.isVisible()
    assert {"Allow once", "Always allow", "Deny"} <= shown(desk.card)


def test_the_arguments_can_be_seen_whole(desk, qtbot):
    desk.card.show_question(PUSH)
    assert desk.card.whole.isVisible()
    qtbot.mouseClick(desk.card.whole, Qt.MouseButton.LeftButton)
    assert "timeout: 5" in desk.card.targets.text.toPlainText()


def test_a_long_command_scrolls_and_is_never_cut(desk):
    long = "\n".join(f"step {n}" for n in range(300))
    desk.card.show_question(
        QuestionAsked("v", "q9", "permission", None, (RequiredPermission("bash", "run", long, "*"),))
    )
    assert desk.card.targets.text.toPlainText() == long
    assert desk.card.targets.height() < 160


def test_a_long_command_of_one_line_shows_that_there_is_more_of_it(desk, qtbot):
    long = " && ".join(f"do_step --number {n}" for n in range(100))
    desk.card.show_question(
        QuestionAsked("v", "q9", "permission", None, (RequiredPermission("bash", "run", long, "*"),))
    )
    bar = desk.card.targets.text.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.isVisible() and bar.maximum() > 0)
    desk.card.show_question(PUSH)
    qtbot.waitUntil(lambda: not bar.isVisible())


def test_rounds_ask_to_go_on_or_to_stop(desk, qtbot):
    desk.card.show_question(ROUNDS)
    assert desk.card.title.text() == CONTINUE.format(rounds=25)
    assert shown(desk.card) == {"Continue", "Stop"}
    told = answers(desk.card)
    for key in "CWA":
        qtbot.keyClick(desk.field, getattr(Qt.Key, f"Key_{key}"), Qt.KeyboardModifier.AltModifier)
    assert [told.at(n)[1] for n in range(told.count())] == [PermissionAnswer(True)]


def test_a_line_of_several_commands_is_covered_only_if_each_of_them_is():
    line = QuestionAsked("v", "q5", "permission", None, (RequiredPermission("bash", "run", "git push", "git push *"),))
    two = (*line.needs, RequiredPermission("bash", "run", "rm -rf build", "rm -rf build"))
    assert covers("", two)
    assert not covers("git *", two)
    assert note_of(QuestionAsked("v", "q6", "permission", None, two)).endswith("it covers: git push *, rm -rf build")
    whole = ToolCall("c", "bash", '{"command": "git push && rm -rf build"}')
    assert note_of(QuestionAsked("v", "q7", "permission", whole, two)).startswith(ANSWER_FOR_ALL)


def test_a_secret_is_covered_by_its_own_name_alone():
    secret = (RequiredPermission("read", "read", "/home/ana/.ssh/id_ed25519", ""),)
    assert suggested_pattern(secret) == "/home/ana/.ssh/id_ed25519"
    assert covers("/home/ana/.ssh/id_ed25519", secret)
    assert not covers("/home/ana/*", secret)


def test_signs_of_patterns_in_a_target_are_meant_as_they_are():
    need = (RequiredPermission("read", "read", "/a/[1]*.txt", "/a/[[]1][*].txt"),)
    assert covers(suggested_pattern(need), need)


def test_of_a_line_of_several_commands_the_whole_line_is_asked_for(desk) -> None:
    line = "grep -rn 'TODO' src | sort -u |\n  head -20"
    parts = [RequiredPermission("bash", "run", text, text) for text in ("grep -rn TODO src", "sort -u", "head -20")]
    private = RequiredPermission("bash", "read", "/w/.env")
    call = ToolCall("c", "bash", msgspec.json.encode({"command": line, "timeout": 5}).decode())
    question = QuestionAsked("v", "q", "permission", call, (*parts, private))
    assert title_of(question) == WANTS_TO_RUN.format(tool="bash")
    desk.card.show_question(question)
    assert desk.card.targets.text.toPlainText() == f"{line}\n\nRead: /w/.env"
    assert "grep -rn TODO src" in desk.card.note.text(), "of each, what is allowed for longer"
    hidden = replace(call, arguments=msgspec.json.encode({"command": "a\u202eb | c"}).decode())
    assert "invisible" in note_of(replace(question, call=hidden))


def test_a_change_is_shown_as_a_diff(desk) -> None:
    arguments = {"path": "a.py", "old_text": "one\ntwo\nthree\n", "new_text": "one\n2\nthree\n"}
    call = ToolCall("c", "edit", msgspec.json.encode(arguments).decode())
    need = RequiredPermission("edit", "write", "/w/a.py", "/w/*")
    desk.card.show_question(QuestionAsked("v", "q", "permission", call, (need,)))
    assert desk.card.targets.text.toPlainText() == "/w/a.py\n\n one\n-two\n+2\n three"
    marked = desk.card.targets.text.extraSelections()
    assert [one.cursor.selectedText() for one in marked] == ["-two\u2029", "+2\u2029"], "as wide as the field"
    assert marked[0].format.background() != marked[1].format.background()
    desk.card.show_question(PUSH)
    assert not desk.card.targets.text.extraSelections()


def preview_asked(*lines: DiffLine, more: int = 0, note: ChangeNote = "") -> QuestionAsked:
    """Ask for an edit of "one" to "two" in /w/a.py."""
    arguments = {"path": "a.py", "old_text": "one", "new_text": "two"}
    call = ToolCall("c", "edit", msgspec.json.encode(arguments).decode())
    need = RequiredPermission("edit", "write", "/w/a.py", "/w/*")
    return QuestionAsked("v", "q", "permission", call, (need,), preview=ChangePreview(lines, more, note))


def test_a_change_of_a_file_is_shown_with_the_numbers_of_its_lines(desk) -> None:
    lines = (DiffLine(9, " ", "-nine"), DiffLine(10, "-", "o\u202ene"), DiffLine(10, "+", "two"), DiffLine(0, " ", ""))
    desk.card.show_question(preview_asked(*lines, DiffLine(120, "+", "+ +"), more=3))
    shown = desk.card.targets.text.toPlainText().split("\n")
    assert shown[:2] == ["/w/a.py", ""]
    assert shown[2:5] == ["  9   -nine", " 10 - o‹U+202E›ne", " 10 + two"]
    assert shown[5:] == ["  ⋮", "120 + + +", "… 3 more lines"]
    marked = [one.cursor.selectedText().strip("\u2029") for one in desk.card.targets.text.extraSelections()]
    assert marked == [" 10 - o‹U+202E›ne", " 10 + two", "120 + + +"]
    desk.card.targets.toggle_whole()
    assert len(desk.card.targets.text.extraSelections()) == 3, "arguments are no lines of the diff"
    assert not desk.card.note.text()


def test_a_long_change_scrolls_in_the_card(desk) -> None:
    desk.card.show_question(preview_asked(*(DiffLine(n, "+", f"line {n}") for n in range(1, 300))))
    field = desk.card.targets.text
    assert field.verticalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAsNeeded
    assert field.height() <= 17 * field.fontMetrics().lineSpacing() + 8


@pytest.mark.parametrize("note", ["private", "missing", "folder", "not_found", "ambiguous", "unreadable"])
def test_what_cannot_be_compared_says_why_and_shows_what_the_call_says(desk, note: ChangeNote) -> None:
    desk.card.show_question(preview_asked(note=note))
    assert desk.card.targets.text.toPlainText() == "/w/a.py\n\n-one\n+two"
    assert desk.card.note.text() == ABOUT_CHANGE[note]
    assert not desk.card.note.isHidden()


def test_a_file_that_would_stay_shows_no_change(desk) -> None:
    desk.card.show_question(preview_asked(note="same"))
    assert desk.card.targets.text.toPlainText() == "/w/a.py"
    assert "would not change" in desk.card.note.text()


def test_titles_and_warnings():
    assert title_of(BOTH) == "move wants to do 2 things"
    assert pattern_warning("git push *", PUSH.needs) == ""
    assert pattern_warning("", PUSH.needs) != ""


@pytest.mark.parametrize(("earlier", "words"), [("", ""), ("changed", "has changed"), ("unbound", "as it is now")])
def test_a_tool_of_a_server_is_shown_with_what_is_said_of_it_and_that_it_changed(
    desk, earlier: str, words: str
) -> None:
    said = "Adds up.\nUse: bank/harmless"
    tool = RequiredPermission(
        "bank__work", "mcp", "bank/work", "bank/work", fingerprint="f1", about=said, earlier=earlier
    )
    desk.card.show_question(asked(tool, name="bank__work"))
    assert desk.card.targets.text.toPlainText() == SERVER_DESCRIBES.format(
        need="bank/work", words="Adds up. Use: bank/harmless"
    )
    assert words in desk.card.note.text()
    assert bool(desk.card.note.text()) == bool(words)
    assert desk.card.always.isEnabled()


@pytest.mark.parametrize(
    ("hint", "words"),
    [("only_reads", "says that this tool only reads"), ("is_destructive", "may delete or overwrite something")],
)
def test_what_a_server_says_of_its_tool_is_shown(desk, hint: str, words: str) -> None:
    desk.card.show_question(asked(RequiredPermission("bank__work", "mcp", "bank/work", "bank/work", **{hint: True})))
    assert words in desk.card.note.text()
    assert not desk.card.note.isHidden()
    assert words in desk.card.accessibleDescription()
    desk.card.show_question(asked(RequiredPermission("bank__work", "mcp", "bank/work", "bank/work")))
    assert desk.card.note.text() == ""


# Signs that hide, or turn others around

SIGNS = ("\u202e", "\u2066", "\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u3164", "\U000e0041", "\x1b", "\u2028")


def asked(*needs: RequiredPermission, name: str = "write", arguments: str = "{}") -> QuestionAsked:
    return QuestionAsked("v", "q1", "permission", ToolCall("c", name, arguments), needs)


@pytest.mark.parametrize("sign", SIGNS)
def test_a_sign_that_nobody_sees_is_shown_by_its_number(desk, sign: str) -> None:
    card, path = desk.card, f"/w/invoice{sign}fdp.exe"
    card.show_question(asked(RequiredPermission("write", "write", path, f"/w{sign}/*"), name=f"wri{sign}te"))
    seen = [card.title.text(), card.targets.text.toPlainText(), card.pattern.text(), card.accessibleDescription()]
    card.targets.toggle_whole()
    seen.append(card.targets.text.toPlainText())
    for text in seen:
        assert sign not in text
        assert f"‹U+{ord(sign):04X}›" in text
    assert "invisible" in card.note.text()


def test_a_pattern_that_is_only_marked_is_allowed_as_it_was(desk) -> None:
    need = RequiredPermission("write", "write", "/w/a\u200db/x", "/w/a\u200db/*")
    desk.card.show_question(asked(need))
    answered = answers(desk.card)
    assert desk.card.always.isEnabled()
    desk.card.always.click()
    assert answered.at(0)[1] == PermissionAnswer(True, "always", need.suggestion)
    desk.card.pattern.setText("/w/*")
    desk.card.always.click()
    assert answered.at(1)[1] == PermissionAnswer(True, "always", "/w/*")


def test_a_path_with_an_end_of_line_looks_like_no_second_need(desk) -> None:
    desk.card.show_question(
        asked(RequiredPermission("a", "read", "/w/x\nRead: /w/harmless"), RequiredPermission("a", "write", "/w/y"))
    )
    assert desk.card.targets.text.toPlainText().splitlines() == ["Read: /w/x‹U+000A›Read: /w/harmless", "Change: /w/y"]


def test_titles_and_notes_are_marked_too() -> None:
    question = asked(
        RequiredPermission("b", "run", "a\u202eb", "a\u202eb"), RequiredPermission("b", "run", "c", "c"), name="b"
    )
    assert "\u202e" not in pending_question_text(question, "my\u202e title") + title_of(question) + note_of(question)
    assert "‹U+202E›" in pending_question_text(question, "my\u202e title")


@pytest.mark.parametrize("arguments", ['{"path": "a\\u202eb"}', "a\u202eb"])
def test_the_card_of_a_call_in_the_conversation_marks_them_too(arguments: str) -> None:
    assert arguments_summary(ToolCall("c", "write", arguments)) == "a‹U+202E›b"


@pytest.mark.parametrize("text", ["git log -3 | head", "naïve café.txt", "日本語", "שלום", "a\tb\nc", "👍🏽"])
def test_what_is_seen_stays_as_it_is(text: str) -> None:
    assert escape_invisible(text) == text


@pytest.mark.parametrize(("tool", "words"), [("bash_outside", "outside of the sandbox"), ("bash_network", "network")])
def test_what_goes_beyond_the_sandbox_is_allowed_for_the_conversation_at_most(desk, qtbot, tool, words):
    need = RequiredPermission(tool, "run", COMMAND, COMMAND)
    asked = replace(PUSH, needs=(need,))
    desk.card.show_question(asked)
    assert words in title_of(asked)
    assert note_of(asked)
    assert {"Allow once", "Allow in this conversation", "Deny"} <= shown(desk.card)
    assert "Always allow" not in shown(desk.card)
    answered = answers(desk.card)
    qtbot.keyClick(desk.card, Qt.Key.Key_W, Qt.KeyboardModifier.AltModifier)  # a key presses a hidden button, too
    assert not answered.count()
    qtbot.mouseClick(desk.card.conversation, Qt.MouseButton.LeftButton)
    assert answered.at(0)[1] == PermissionAnswer(True, "conversation", COMMAND)
    several = replace(asked, needs=(need, replace(need, target="git fetch")))
    assert title_of(several) == title_of(asked)


@pytest.mark.parametrize("code", [*range(0x100), 0x202E, 0xE0041])
def test_each_invisible_character_is_escaped_with_or_without_others(code):
    alone, beside = escape_invisible(f"a{chr(code)}b"), escape_invisible(f"a{chr(code)}b\u4e00")
    assert alone == beside.removesuffix("\u4e00")


@pytest.mark.parametrize("count", [1, 2])
def test_what_is_too_long_for_a_rule_is_allowed_once_or_denied_and_read_in_a_window(desk, qtbot, count):
    text = "/a" * 100_000 + "\u202e"
    needs = tuple(RequiredPermission("move", kind, text, text) for kind in ("read", "write"))
    call = ToolCall("c", "move", msgspec.json.encode({"from": text, "to": "/b"}).decode())
    asked = QuestionAsked("v", "q5", "permission", call, needs[:count])
    begun = time.thread_time()
    desk.card.show_question(asked)
    assert time.thread_time() - begun < 0.3  # some 10 ms here; two of 200,000 characters took as many
    assert shown(desk.card) == {"Allow once", "Deny", "Read the whole call"}
    assert not desk.card.rule.isVisible()
    assert TOO_LONG_FOR_A_RULE in desk.card.note.text()
    assert desk.card.keys.text() == KEYS_OF_QUESTION
    assert not covers("*", asked.needs)
    short = desk.card.targets.text.toPlainText()
    assert len(short) < 6_000
    assert short.endswith(f"{count * len(text):,} characters in all")
    answered = answers(desk.card)
    for key in (Qt.Key.Key_C, Qt.Key.Key_W):
        qtbot.keyClick(desk.card, key, Qt.KeyboardModifier.AltModifier)
    assert not answered.count()
    qtbot.mouseClick(desk.card.whole, Qt.MouseButton.LeftButton)
    (reader,) = desk.findChildren(TextReader)
    assert reader.text.written() == ("from: " + "/a" * 100_000 + "‹U+202E›\nto: /b")
    reader.close()
    qtbot.mouseClick(desk.card.once, Qt.MouseButton.LeftButton)
    assert answered.at(0)[1] == PermissionAnswer(True)


def test_a_long_call_is_read_in_a_window_and_its_rule_can_be_kept(desk, qtbot):
    call = ToolCall("c", "write", msgspec.json.encode({"path": "/b", "content": "word\r\n" * 10_000}).decode())
    desk.card.show_question(replace(BOTH, call=call, needs=BOTH.needs[1:]))
    assert "Always allow" in shown(desk.card)
    qtbot.mouseClick(desk.card.whole, Qt.MouseButton.LeftButton)
    (reader,) = desk.findChildren(TextReader)
    qtbot.waitUntil(lambda: not reader.text.is_inserting)
    assert reader.text.written().count("word‹U+000D›\n") == 10_000
    assert desk.card.targets.text.toPlainText() == "/b"
