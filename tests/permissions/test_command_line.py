"""What a shell would run for a line, held against a real shell that tells."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from desktop_app.permissions.command_line import EVALUATES, MAX_LINE, parse_commands, quote

BASH = shutil.which("bash")


def texts(line: str) -> list[str] | None:
    commands = parse_commands(line)
    return None if commands is None else [command.text for command in commands]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("git status", ["git status"]),
        ("git   status\t-s", ["git status -s"]),
        ("git status; rm -rf /", ["git status", "rm -rf /"]),
        ("a && b || c | d |& e & f\ng", ["a", "b", "c", "d", "e", "f", "g"]),
        ("git log $(rm x) `ls`", ["rm x", "ls", "git log '$(rm x)' '`ls`'"]),
        ("git commit -m \"a; rm b\" -m 'c && d'", ["git commit -m 'a; rm b' -m 'c && d'"]),
        ("a `b`; c", ["b", "a '`b`'", "c"]),
        ('echo "$(rm x)"', ["rm x", "echo '$(rm x)'"]),
        ("echo '$(rm x)'", ["echo '$(rm x)'"]),
        ("make >/dev/null 2>&1", ["make"]),
        ("make &>/dev/null", ["make"]),
        ("sort <names.txt", ["sort <names.txt"]),
        ("</dev/null rm -r x", ["rm -r x </dev/null"]),
        ("A=1 B='2 3' git x", ["A=1 'B=2 3' git x"]),
        ('"git /../x" y', ["'git /../x' y"]),
        ("gi\\t st\\\natus", ["git status"]),
        ("ls # ; rm x\npwd", ["ls", "pwd"]),
        ("ls a#b", ["ls a#b"]),
        ("grep 'a.*b' '$X' \\* x", ["grep 'a.*b' '$X' '*' x"]),
        ("'if' x", ["'if' x"]),
        ("ls *.py $HOME ${X} ~", ["ls *.py $HOME ${X} ~"]),
        ("[ -f x ] && ls", ["[ -f x ]", "ls"]),
        ("X=$(ls)", ["ls", "'X=$(ls)'"]),
        ("[ -n '*' ] && printf '%s [a]' \"$(ls)\"", ["[ -n '*' ]", "ls", "printf '%s [a]' '$(ls)'"]),
    ],
)
def test_a_line_is_taken_apart(line: str, commands: list[str]) -> None:
    assert texts(line) == commands


@pytest.mark.parametrize(
    "line",
    [
        *("", "  \n", "a ;; b", "; a", "a \\", "a\0b"),
        *("git log > ~/.bashrc", "git log >> x", "git log >| x", "git log &> x", "git log 2> x", "git log >& x"),
        *("git log <> x", "cat <<E\nx\nE", "cat <<< x", "diff <(ls) >(rm x)", "a > '/dev/null'x", "ls >&２"),
        *("cat </dev/tcp/example.org/80", "ls >/dev/udp/example.org/53"),
        *("(rm x)", "{ rm x; }", "for x in *; do rm $x; done", "if true; then rm x; fi", "f() { rm x; }; f"),
        *("! rm x", "time rm x", "[[ -f x ]]", "$PROGRAM x", "$(echo rm) x", "r{m,x} y", "r? x", "~/rm x"),
        *("echo ${X:-$(rm x)}", "echo $((1+1))", "echo $[1]", "echo $'a'", 'echo $"a"'),
        *('echo "a', "echo 'a", "echo `ls", 'echo "`ls`"', "echo $(ls", "echo $()"),
        *(
            "[ -v 'a[$(rm x)]' ]",
            "test -v a[\\$\\(rm x\\)]",
            'A=1 printf -v "a[\\$(rm x)]" y',
            "read 'a[`rm x`]' </dev/null",
        ),
        "x" * (MAX_LINE + 1),
        "$(" * 50 + "a" + ")" * 50,
    ],
)
def test_what_is_not_surely_understood_is_not_understood(line: str) -> None:
    assert parse_commands(line) is None


PIECES = st.sampled_from(
    [
        *("git", "rm", "ls", "status", "-rf", "a b", "x", "1", "2"),
        *(" ", " ", " ", "; ", " && ", " || ", " | ", " & ", "\n", "$(", ")", "`", "'", '"', "\\", "#", "=", "A=1 "),
        *(">", "2>&1", ">/dev/null", "<", "<<", ">&", "&>", "$", "$X", "${X}", "${", "}", "{", "(", "$'"),
        *("*", "!", "~", "é", "２", ",", "if ", "done", "a[", "]"),
        *("[ -v ", "test -v ", "printf -v ", "read ", "let ", "declare ", "export ", "cd "),
    ]
)
LINES = st.lists(PIECES, min_size=1, max_size=14).map("".join)


@given(LINES)
@example("'if' x")
@example("""'A=1' "it's" '*' \\-rf""")
@example("[ -v $")
@example("[ -v \\ $git")
def test_a_command_told_as_text_is_understood_as_itself(line: str) -> None:
    for command in parse_commands(line) or ():
        again = parse_commands(command.text)
        inner = any("$(" in word or "`" in word for word in command.words)  # told before it, as a command of its own
        if again is None:  # what was filled in is in quotes now, and such a program would look into them
            assert inner or EVALUATES.intersection(command.without_assignments.words[:1])
        else:
            assert inner or [(one.words, one.displayed) for one in again] == [(command.words, command.displayed)]


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), min_size=1))
def test_quoted_words_come_back(words: list[str]) -> None:
    commands = parse_commands("run " + " ".join(map(quote, words)))
    filled = any(set(word) & set("*?[{~$") for word in words)
    assert filled or (commands is not None and commands[0].words == ("run", *words))


@pytest.mark.slow
@pytest.mark.skipif(BASH is None, reason="no bash to ask")
@settings(max_examples=300)
@given(LINES)
def test_a_real_shell_runs_nothing_but_what_was_understood(tmp_path_factory: pytest.TempPathFactory, line: str) -> None:
    """Nothing is on its PATH, so that it tells of each program that it was to run instead of running it."""
    commands = parse_commands(line)
    if commands is None:
        return
    log = tmp_path_factory.mktemp("shell") / "log"  # of its own: what runs in the background may write later
    log.write_text("")
    programs = {words[:1] for command in commands for words in (command.words, command.without_assignments.words)}
    for ran in programs_run(line, log):
        assert (ran,) in programs, (line, commands)
    assert not list((log.parent / "empty").iterdir()), line


def programs_run(line: str, log: Path) -> list[str]:
    told = 'command_not_found_handle() { builtin printf "%s\\0" "$1" >>"$LOG"; }\nPATH=/nowhere\n'
    folder = log.parent / "empty"
    folder.mkdir(exist_ok=True)
    subprocess.run(
        [BASH or "", "--noprofile", "--norc", "-c", told + line],
        env={"LOG": str(log)},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=20,
        check=False,
    )
    return [ran for ran in log.read_text(errors="replace").split("\0") if ran]
