"""What may run: rules held against needs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.conversation.tools import PermissionAnswer, RequiredPermission, Rule
from desktop_app.permissions.command_line import Command, parse_commands
from desktop_app.permissions.rules import Decision, decide, escape_pattern, rule_of, rules_of_option, suggest_pattern
from desktop_app.permissions.secret_paths import is_secret


def run(line: str) -> RequiredPermission:
    return RequiredPermission("bash", "run", line, "proposed *")


def read(path: str, suggestion: str = "/w/*") -> RequiredPermission:
    return RequiredPermission("read", "read", path, suggestion)


def allowing(*patterns: str) -> tuple[Rule, ...]:
    return tuple(Rule("bash", pattern) for pattern in patterns)


def test_what_needs_nothing_may_run() -> None:
    assert decide(()) == "allow"


def test_what_no_rule_speaks_of_is_asked() -> None:
    assert decide([read("/w/a")]) == "ask"
    assert decide([read("/w/a")], [Rule("write"), Rule("read", "/v/*")]) == "ask"


def test_every_need_has_to_be_covered() -> None:
    needs = [read("/w/a"), read("/v/a")]
    assert decide(needs, [Rule("read", "/w/*")]) == "ask"
    assert decide(needs, [Rule("read", "/w/*")], [Rule("*", "/v/*")]) == "allow"
    assert decide(needs, [Rule("read", "/w/*")], [Rule("read", "/v/*", False)]) == "deny"


def test_forbidding_wins_and_of_equal_rules_the_newest() -> None:
    forbid, allow = Rule("read", "/w/*", False), Rule("read", "/w/*")
    need = [read("/w/a")]
    assert decide(need, [forbid, Rule("read", "*")]) == "deny"
    assert decide(need, [forbid, allow]) == "allow"
    assert decide(need, [allow, forbid]) == "deny"
    assert decide(need, [forbid], [allow]) == "deny"
    assert decide(need, [allow], [forbid]) == "deny"


@pytest.mark.parametrize(
    ("line", "rules", "decision"),
    [
        ("git status", ["git *"], "allow"),
        ("git", ["git *"], "allow"),
        ("gitk", ["git *"], "ask"),
        ("git status; rm -rf /", ["git *"], "ask"),
        ("git status; rm -rf /", ["git *", "rm *"], "allow"),
        ("git status && git log | head", ["git *", "head *"], "allow"),
        ("git log $(rm x)", ["git *"], "ask"),
        ("git log `rm x`", ["git *"], "ask"),
        ("git log > x", ["git *"], "ask"),
        ("git log > x", ["*"], "allow"),
        ("git log > x", ["git log > x"], "allow"),
        ("git log\nrm x", ["git *"], "ask"),
        ("git log & rm x", ["git *"], "ask"),
        ("GIT_PAGER=x git log", ["git *"], "ask"),
        ("PATH=x; git log", ["git *"], "ask"),
        ("cat ~/.ssh/id_rsa", ["cat *"], "ask"),
        ("cat --file=.env", ["cat *"], "ask"),
        ("sort <.env", ["sort *"], "ask"),
        ("cat ~/.ssh/id_rsa", ["*"], "allow"),
        ("git show HEAD:a/.npmrc", ["git show *"], "ask"),
        ("jq -n --rawfile=x=.npmrc", ["jq *"], "ask"),
        ("cat .en?", ["cat *"], "ask"),
        ("cat ~/.s*/config", ["cat *"], "ask"),
        ("cat {x,.e}nv", ["cat *"], "ask"),
        ("cat .e$X", ["cat *"], "ask"),
        ("cat .ENV.", ["cat *"], "ask"),
        ("grep '.*x' ./*.py ./*.md ../a*.md", ["grep *"], "allow"),
        ("grep '.*x' *.py", ["grep *"], "ask"),
        ("cat *.py", ["cat *"], "allow"),
        ("cat *", ["cat *"], "ask"),
        ("cat ../a*", ["cat *"], "ask"),
        ("cat /proc/$PPID/env*", ["cat *"], "ask"),
        ("cat /pr?c/1/cmdline", ["cat *"], "ask"),
        ("cat /x/../proc/1/maps", ["cat *"], "ask"),
        ("cat ../../../proc/1/maps", ["cat *"], "ask"),
        ("cat /proc/cpuinfo", ["cat *"], "allow"),
        ("cat $(ls)", ["cat *", "ls *"], "ask"),
        ("cat ~/.config/g*/*", ["cat *"], "ask"),
        ("cat ~/.cargo/credentials.toml", ["cat *"], "ask"),
        ("cat $HOME/notes.txt", ["cat *"], "allow"),
        ("cat a,.env", ["cat *"], "ask"),
        ("head -c9 -n.env x", ["head *"], "ask"),
        ("cd a && git status", ["cd *", "git *"], "ask"),
        ("cd a && git status", ["cd a && git status"], "allow"),
        ("printf -v PATH x; git status", ["printf *", "git *"], "ask"),
        ("A=1; git status", ["*=*", "git *"], "ask"),
        ("alias ls=rm", ["alias *"], "ask"),
        ("git grep --ope=x y", ["git grep *"], "ask"),
        ("git grep --ope=x y", ["git *"], "ask"),
        ("git ls-remote --upl=x y", ["git *"], "ask"),
        ("git archive -o x HEAD", ["git *"], "ask"),
        ("git archive -vox HEAD", ["git archive *"], "ask"),
        ("git rebase --exe x", ["git *"], "ask"),
        ("git made-up", ["git *"], "ask"),
        ("git add -A", ["git *"], "allow"),
        ("git commit -am x", ["git commit *"], "allow"),
        ("make --ev=x", ["make *"], "ask"),
        ("make test 'X!=touch y'", ["make test *"], "ask"),
        ("make -j4 test", ["make *"], "ask"),
        ("make -k test", ["make *"], "allow"),
        ("pytest --baset=/x", ["pytest *"], "ask"),
        ("pytest -x tests", ["pytest *"], "allow"),
        ("pip download x", ["pip download *"], "ask"),
        ("gh auth token", ["gh auth *"], "ask"),
        ("gh auth token", ["gh auth token"], "allow"),
        ("tar -cf x --to-comm=y", ["tar *"], "ask"),
        ("git log --output=x", ["git log *"], "ask"),
        ("git log --outp x", ["git log *"], "ask"),
        ("git log --output=x", ["git log --output *"], "ask"),
        ("git log --output=x", ["git log --output=*"], "allow"),
        ("git log --output=x", ["git log --output=x"], "allow"),
        ("git log {,--outpu}t=x", ["git log *"], "ask"),
        ("git log $(echo --output=x)", ["git log *", "echo *"], "ask"),
        ("git log $BRANCH", ["git log *"], "ask"),
        ("git -c core.pager=x log", ["git *"], "ask"),
        ("git -c core.pager=x log", ["git -c *"], "allow"),
        ("git grep -Ox y", ["git *"], "ask"),
        ("git fetch --upload-pack=x y", ["git fetch *"], "ask"),
        ("/usr/bin/find . -exec rm {} +", ["/usr/bin/find *"], "ask"),
        ("find . -name x", ["find *"], "allow"),
        ("find . -delete", ["find *"], "ask"),
        ("find . -delete", ["find * -delete"], "allow"),
        ("sort -uo x y", ["sort *"], "ask"),
        ("rg --pre=x y", ["rg *"], "ask"),
        ("make test SHELL=x", ["make test *"], "ask"),
        ("A=1 git log --output=x", ["A=1 git *"], "ask"),
        ("ls *.py", [escape_pattern("ls *.py")], "allow"),
        ("ls x.py", [escape_pattern("ls *.py")], "ask"),
        ("for x in a; do ls; done", ["for *", "ls *"], "ask"),
    ],
)
def test_a_line_is_covered_if_each_of_its_commands_is(line: str, rules: list[str], decision: Decision) -> None:
    assert decide([run(line)], allowing(*rules)) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("ls", "allow"),
        ("ls *", "allow"),
        ("rm x", "deny"),
        ("ls; rm x", "deny"),
        ("/bin/rm x", "deny"),
        ("A=1 rm x", "deny"),
        ("r''m x", "deny"),
        ("ls $(rm x)", "deny"),
        ("sudo rm x", "ask"),
        ("ls | xargs rm", "ask"),
        ("bash -c 'rm x'", "ask"),
        ("for x in *; do rm $x; done", "ask"),
        ("$X y", "ask"),
    ],
)
def test_what_is_forbidden_is_found_in_a_line_that_is_else_allowed(line: str, decision: Decision) -> None:
    rules = [Rule("bash", "*"), Rule("bash", "rm *", False)]
    assert decide([run(line)], rules) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("git push", "deny"),
        ("git -C there push origin", "ask"),
        ("/usr/bin/git --no-pager push", "ask"),
        ("git log", "allow"),
        ("git log --grep push", "ask"),
        ("echo git push", "allow"),
        ("git $X", "ask"),
        ("git reset x --hard", "ask"),
        ("git reset x", "allow"),
    ],
)
def test_what_is_forbidden_is_found_with_more_words_in_it(line: str, decision: Decision) -> None:
    rules = [Rule("bash", "*"), Rule("bash", "git push*", False), Rule("bash", "git reset --hard *", False)]
    assert decide([run(line)], rules) == decision


def test_secrets_are_allowed_by_name_only() -> None:
    for need in (read("/w/.env", "/w/*"), read("/home/me/.ssh/config", "/home/*"), read("/data/archive.sqlite3", "")):
        assert decide([need], [Rule("*"), Rule("read", "/*"), Rule("read", "*")]) == "ask"
        assert decide([need], [rule_of(need, PermissionAnswer(True, "always", need.target))]) == "allow"
        assert decide([need], [Rule("read", need.target), Rule("read", "*", False)]) == "deny"
    odd = read("/w/[a]*/.env", "")
    assert decide([odd], [rule_of(odd, PermissionAnswer(True, "always"))]) == "allow"


@pytest.mark.parametrize(
    "path",
    [
        "/h/.ssh",
        "/h/.ssh/known",
        ".env",
        "/w/.env.local",
        "/w/prod.env",
        "C:\\u\\.AWS\\x",
        "/h/.docker/config.json",
        "k.pem",
    ],
)
def test_secrets_are_told_by_their_names(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "..",
        "proc/notes.txt",
        "/w/env.py",
        "/w/.env.example",
        "/w/ssh/x.py",
        "/h/chromium/a.cc",
        "id_rsa.pub",
        "config.json",
    ],
)
def test_other_files_are_no_secrets(path: str) -> None:
    assert not is_secret(path)


def test_an_answer_becomes_a_rule() -> None:
    need = RequiredPermission("bash", "run", "ls *", "ls *")
    assert rule_of(need, PermissionAnswer(True, "always")) == Rule("bash", "ls *")
    assert rule_of(need, PermissionAnswer(False, "conversation", "l*")) == Rule("bash", "l*", False)
    assert rule_of(RequiredPermission("bash", "run", "ls *"), PermissionAnswer(True, "always")) == Rule(
        "bash", "ls [*]"
    )


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("all", [Rule("*")]),
        ("*", [Rule("*")]),
        ("read", [Rule(name) for name in ("read", "list", "grep", "glob")]),
        ("write:/w/*", [Rule("write", "/w/*"), Rule("edit", "/w/*")]),
        ("bash:git *, run", [Rule("bash", "git *"), Rule("bash")]),
        ("web_fetch:*.python.org", [Rule("web_fetch", "*.python.org")]),
        ("bash:echo a\\,b", [Rule("bash", "echo a,b")]),
        ("server_tool:a:b", [Rule("server_tool", "a:b")]),
    ],
)
def test_the_option_of_the_command_line(text: str, rules: list[Rule]) -> None:
    assert rules_of_option(text) == tuple(rules)


@pytest.mark.parametrize("text", ["", "read,", "bash:", "a b", ":x"])
def test_an_option_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="TOOL:PATTERN"):
        rules_of_option(text)


@pytest.mark.parametrize(
    ("line", "pattern"),
    [
        ("ls -l x", "ls *"),
        ("git status -s", "git status *"),
        ("git -C / push", "git -C / push"),
        ("rm -rf x", "rm -rf x"),
        ("rm *.o", "rm [*].o"),
        ("sudo ls", "sudo ls"),
        ("/bin/bash -c x", "/bin/bash -c x"),
        ("cat .env", "cat .env"),
        ("A=1 ls", "A=1 ls"),
        ("python3.11 x.py", "python3.11 x.py"),
        ("git add x", "git add x"),
        ("git log --output=x", "git log --output=x"),
        ("git config user.name x", "git config user.name x"),
        ("npm run build", "npm run build"),
        ("docker run x", "docker run x"),
        ("docker ps", "docker ps"),
        ("git log -p", "git log -p"),
        ("git diff", "git diff"),
        ("git diff --stat x", "git diff *"),
        ("git branch -a", "git branch *"),
        ("git branch x", "git branch x"),
        ("grep -rn x .", "grep -rn x ."),
        ("pytest tests", "pytest tests"),
        ("cat *", "cat [*]"),
        ("git push origin main", "git push origin main"),
        ("fd -e py", "fd *"),
        ("fd -x rm", "fd -x rm"),
        ("export PATH=x", "export PATH=x"),
        ("enable -f x.so y", "enable -f x.so y"),
        ("jobs -x rm", "jobs -x rm"),
        ("cp a b", "cp a b"),
        ("cat .e*", "cat .e[*]"),
    ],
)
def test_what_is_proposed_for_always(line: str, pattern: str) -> None:
    [command] = parse_commands(line) or ()
    assert suggest_pattern(command) == pattern


WORDS = st.sampled_from(["git", "rm", "ls", "status", "-rf", "/", "*", "a b", "$X", "sudo", "A=1", ".env"])
COMMANDS = st.lists(WORDS, min_size=1, max_size=4).map(lambda words: Command(tuple(words)).text)
LINES = st.lists(COMMANDS, min_size=1, max_size=3).flatmap(
    lambda parts: st.sampled_from(["; ", " && ", " | ", "\n", " & ", " $(", " > ", " `"]).map(lambda by: by.join(parts))
)
PATTERNS = st.sampled_from(["*", "git *", "rm *", "ls *", "git status *", "r* *", "?m *", "/w/*", "/w/a", "sudo *"])
RULES = st.lists(st.builds(Rule, st.sampled_from(["*", "bash", "read"]), PATTERNS, st.booleans()), max_size=5)
NEEDS = st.lists(st.one_of(LINES.map(run), st.sampled_from(["/w/a", "/w/b/c", "/v/.env"]).map(read)), max_size=3)
RANK = {"deny": 0, "ask": 1, "allow": 2}


@given(NEEDS, RULES, RULES, PATTERNS, st.sampled_from(["*", "bash", "read"]))
def test_a_rule_that_forbids_is_never_overridden(
    needs: list[RequiredPermission], always: list[Rule], conversation: list[Rule], pattern: str, tool: str
) -> None:
    forbid = Rule(tool, pattern, False)
    if any(forbid.covers(need) for need in needs):
        others = [rule for rule in conversation if (rule.tool, rule.pattern) != (tool, pattern)]
        assert decide(needs, [*always, forbid], conversation) == "deny"
        assert decide(needs, always, [forbid, *others]) == "deny"


@given(NEEDS, RULES, RULES, PATTERNS, st.sampled_from(["*", "bash", "read"]))
def test_a_rule_that_allows_takes_nothing_away(
    needs: list[RequiredPermission], always: list[Rule], conversation: list[Rule], pattern: str, tool: str
) -> None:
    before = RANK[decide(needs, always, conversation)]
    allow = Rule(tool, pattern)
    assert RANK[decide(needs, [*always, allow], conversation)] >= before
    assert RANK[decide(needs, always, [*conversation, allow])] >= before


@given(LINES, RULES)
def test_a_line_is_never_allowed_unless_each_part_is(line: str, rules: list[Rule]) -> None:
    rules = [rule for rule in rules if rule.pattern != "*"]
    if decide([run(line)], rules) == "allow":
        commands = parse_commands(line)
        assert commands
        assert all(decide([run(command.text)], rules) == "allow" for command in commands)


@given(NEEDS)
def test_what_was_allowed_for_always_is_not_asked_again(needs: list[RequiredPermission]) -> None:
    exact = [rule_of(need, PermissionAnswer(True, "always", escape_pattern(need.target))) for need in needs]
    assert decide(needs, exact) == "allow"
