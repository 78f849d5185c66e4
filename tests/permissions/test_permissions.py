"""What may run: rules held against needs."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.conversation.tools import (
    MAX_NEEDS,
    MAX_TARGETS,
    PermissionAnswer,
    RequiredPermission,
    Rule,
    can_be_kept,
)
from desktop_app.permissions.command_line import MAX_LINE, Command, parse_commands
from desktop_app.permissions.rules import MAX_MATCHED, decide, escape_pattern, rule_of, rules_of_option, suggest_pattern
from desktop_app.permissions.secret_paths import is_secret, may_mean_secret


def run(line: str) -> RequiredPermission:
    return RequiredPermission("bash", "run", line, "proposed *")


def read(path: str, suggestion: str = "/w/*") -> RequiredPermission:
    return RequiredPermission("read", "read", path, suggestion)


def allowing(*patterns: str) -> tuple[Rule, ...]:
    return tuple(Rule("bash", pattern) for pattern in patterns)


def test_what_no_rule_speaks_of_is_asked() -> None:
    assert decide(()) == "allow"
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
    ("rules", "allowed", "asked"),
    [
        (
            ("git *",),
            ("git status", "git", "git add -A"),
            (
                *("gitk", "git status; rm -rf /", "git log $(rm x)", "git log `rm x`", "git log > x", "git log\nrm x"),
                *("git log & rm x", "GIT_PAGER=x git log", "PATH=x; git log", "git made-up", "git -c core.pager=x log"),
                *("git grep --ope=x y", "git ls-remote --upl=x y", "git archive -o x HEAD", "git rebase --exe x"),
            ),
        ),
        (("git *", "rm *", "head *"), ("git status; rm -rf /", "git status && git log | head"), ("git log | tail",)),
        (("*",), ("git log > x", "cat ~/.ssh/id_rsa"), ()),
        (("git log > x", "cd a && git status"), ("git log > x", "cd a && git status"), ("git log > y",)),
        (("cd *", "git *", "printf *", "*=*"), (), ("cd a && git status", "printf -v A x; git log", "A=1; git log")),
        (
            ("cat *", "ls *"),
            ("cat *.py", "cat /proc/cpuinfo", "cat $HOME/notes.txt"),
            (
                *("cat --file=.env", "cat ~/.s*/config", "cat {x,.e}nv", "cat .e$X", "cat .ENV.", "cat ../a*", "cat *"),
                *("cat /pr?c/1/cmdline", "cat /x/../proc/1/maps", "cat $(ls)", "cat ~/.config/g*/*", "cat a,.env"),
            ),
        ),
        (("grep *", "head *"), ("grep '.*x' ./*.py ../a*.md",), ("grep '.*x' *.py", "head -c9 -n.npmrc x")),
        (("jq *", "git show *"), ("git show HEAD",), ("jq -n --rawfile=x=.npmrc", "git show HEAD:a/.npmrc")),
        (("make *", "pytest *"), ("make -k test", "pytest -x tests"), ("make -j4 test", "pytest --baset=/x")),
        (("make test *", "git archive *"), ("make test",), ("make test 'X!=touch y'", "git archive -vox HEAD")),
        (("git log *", "echo *"), (), ("git log --outp x", "git log {,--outpu}t=x", "git log $(echo --output=x)")),
        (
            ("git log --output=*", "git -c *"),
            ("git log --output=x", "git -c core.pager=x log"),
            ("git log --ext-diff",),
        ),
        (("git log --output=x", "git log --output *"), ("git log --output=x",), ("git log --output=y", "git log $X")),
        (("find *", "/usr/bin/find *"), ("find . -name x",), ("find . -delete", "/usr/bin/find . -exec rm {} +")),
        (("find * -delete", "gh auth token"), ("find . -delete", "gh auth token"), ("gh auth token -h x",)),
        (
            ("sed *", "awk *", "man *", "uniq *"),
            ("sed -n '1,5p;/x/q' a", "sed -E 's|a\\||b|g' a", "awk -F: 'NR<3 {print $1}' a", "man ls", "uniq -c"),
            (
                *(
                    "sed 's/a/b/w x' a",
                    "sed '1!w x' a",
                    "sed p -i a",
                    "sed -ni p a",
                    "sed e",
                    "sed -f x a",
                    "sed -n",
                    "awk",
                ),
                *("awk '{print > $1}' a", "awk 'BEGIN{system(1)}'", "awk '{getline < $1}' a", "awk -f x", "man -Hx ls"),
                "awk '{print}' /inet/tcp/0/a.example/80",
                *("sed 's/a/b/;w x' a", "sed 's/a/b\nw x/' a", 'sed "$X" a', "sed p {-i,a}", "uniq a b"),
            ),
        ),
        (
            ("env *", "xargs grep *", "timeout 9 *", "tar *", "bash *"),
            ("xargs grep x", "tar -tf x", "tar tf x", "bash x.sh"),
            ("env x", "xargs rm", "timeout 9 x", "tar -I x -tf y", "tar tIf x y", "tar -tf y --rsh=x", "bash -c x"),
        ),
        (("sort *", "tar *", "gh auth *"), (), ("sort -uo x y", "tar -cf x --to-comm=y", "gh auth token")),
        (("ls [*].py", "alias *", "for *"), ("ls *.py",), ("ls x.py", "alias ls=rm", "for x in a; do ls; done")),
    ],
)
def test_a_line_is_covered_if_each_of_its_commands_is(
    rules: tuple[str, ...], allowed: tuple[str, ...], asked: tuple[str, ...]
) -> None:
    decisions = {line: decide([run(line)], allowing(*rules)) for line in (*allowed, *asked)}
    assert decisions == dict.fromkeys(allowed, "allow") | dict.fromkeys(asked, "ask")


@pytest.mark.parametrize(
    ("allowed", "asked", "denied"),
    [
        (
            ("ls", "ls *"),
            ("sudo rm x", "ls | xargs rm", "bash -c 'rm x'", "for x in *; do rm $x; done", "$X y"),
            ("rm x", "ls; rm x", "/bin/rm x", "A=1 B+=2 rm x", "r''m x", "ls $(rm x)"),
        ),
        (
            ("git log", "echo git push", "git reset x"),
            ("git -C there push origin", "/usr/bin/git --no-pager push", "git log --grep push", "git $X"),
            ("git push",),
        ),
        ((), ("git reset x --hard",), ("git reset --hard x",)),
    ],
)
def test_what_is_forbidden_is_found_in_a_line_that_is_else_allowed(
    allowed: tuple[str, ...], asked: tuple[str, ...], denied: tuple[str, ...]
) -> None:
    forbidden = [Rule("bash", pattern, False) for pattern in ("rm *", "git push*", "git reset --hard *")]
    decisions = {line: decide([run(line)], [Rule("bash", "*"), *forbidden]) for line in (*allowed, *asked, *denied)}
    expected = dict.fromkeys(allowed, "allow") | dict.fromkeys(asked, "ask") | dict.fromkeys(denied, "deny")
    assert decisions == expected


def test_secrets_are_allowed_by_name_only() -> None:
    for need in (read("/w/.env", "/w/*"), read("/home/me/.ssh/config", "/home/*"), read("/data/archive.sqlite3", "")):
        assert decide([need], [Rule("*"), Rule("read", "/*"), Rule("read", "*")]) == "ask"
        assert decide([need], [rule_of(need, PermissionAnswer(True, "always", need.target))]) == "allow"
        assert decide([need], [Rule("read", need.target), Rule("read", "*", False)]) == "deny"
    odd = read("/w/[a]*/.env", "")
    assert decide([odd], [rule_of(odd, PermissionAnswer(True, "always"))]) == "allow"


SECRETS = (
    "/h/.ssh",
    "/h/.ssh/known",
    ".env",
    "/w/.env.local",
    "/w/prod.env",
    "C:\\u\\.AWS\\x",
    "/h/.docker/x",
    "k.pem",
    *("/etc/ssh/ssh_host_ed25519_key", "/etc/NetworkManager/system-connections/home.nmconnection", "/etc/shadow-"),
    *("/etc/wireguard/wg0.conf", "/var/backups/shadow.bak", "/etc/krb5.keytab", "/etc/letsencrypt/live/a/privkey.pem"),
    *("/dev/sda", "/dev/sdb1", "/dev/nvme0n1p2", "/dev/mapper/root", "/dev/disk/by-uuid/1", "/dev/mem"),
    "../../dev/vda",
    *("/etc/wpa_supplicant/wpa_supplicant-wlan0.conf", "/var/lib/iwd/home.psk", "/etc/security/opasswd"),
)
OTHERS = (
    *("/etc/ssh/ssh_host_ed25519_key.pub", "/etc/ssh/sshd_config", "/dev/null", "/dev/stdin", "/dev/zero", "dev/sda"),
    *("/w/dev/sda1.txt", "/etc/passwd", "/etc/hosts", "/w/etc/shadows.md", "/dev/tty", "/dev/shm/a", "/dev/fd/0"),
    *("", "/", "..", "proc/notes.txt", "/w/env.py", "/w/.env.example", "/w/ssh/x.py", "/h/chromium/a", "id_rsa.pub"),
)


MAY_MEAN = (
    *("/dev/sd?", "/dev/sd*", "/d*/sda", "/dev/nvme*", "/dev/[sv]da", "/etc/ssh/*_key", "/etc/ssh/ssh_*"),
    *("/dev/{null,sda}", "/dev/*", "/etc/wire*/wg0.conf"),
)


@pytest.mark.parametrize("word", MAY_MEAN)
def test_what_a_shell_may_expand_to_a_secret_of_the_system(word: str) -> None:
    assert may_mean_secret(word)


@pytest.mark.parametrize("path", [*SECRETS, *OTHERS])
def test_secrets_are_told_by_their_names(path: str) -> None:
    assert is_secret(path) == (path in SECRETS)


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


@pytest.mark.parametrize("line", ["ls -l x", "git status -s", "git diff --stat x", "git branch -a", "fd -e py"])
def test_a_wide_pattern_is_proposed_for_what_only_reads(line: str) -> None:
    [command] = parse_commands(line) or ()
    assert suggest_pattern(command) == " ".join(line.split()[: 1 + line.startswith("git")]) + " *"


@pytest.mark.parametrize(
    "line",
    [
        *("git -C / push", "rm -rf x", "rm *.o", "sudo ls", "/bin/bash -c x", "cat .env", "A=1 ls", "git add x"),
        *("git log --output=x", "git config user.name x", "npm run build", "docker ps", "git log -p", "git diff"),
        *("git branch x", "grep -rn x .", "pytest tests", "cat *", "fd -x rm", "export PATH=x", "cat .e*"),
    ],
)
def test_every_other_command_is_proposed_as_it_is(line: str) -> None:
    [command] = parse_commands(line) or ()
    assert suggest_pattern(command) == line.replace("*", "[*]")


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


LONG = "/w/" + "a/" * 1_000_000


@pytest.mark.parametrize("kind", ["read", "write", "run", "network", "mcp"])
def test_what_is_too_long_to_be_matched_is_denied_where_anything_is_and_else_asked(kind) -> None:
    need = RequiredPermission("any", kind, LONG, "/w/*")
    allowed = [Rule("any", "*"), Rule("*", "*"), Rule("any", escape_pattern(LONG[:5_000]))]
    assert decide([need], [*allowed, Rule("any", "/v/*", False)]) == "deny"
    assert decide([need], [*allowed, Rule("other", "*", False)]) == "ask"


@pytest.mark.parametrize("length", [MAX_TARGETS, MAX_TARGETS + 1, MAX_MATCHED])
def test_what_is_long_is_denied_by_what_it_ends_with(length) -> None:
    path, denied = "/w/".ljust(length - 2, "a") + ".x", [Rule("read", "*"), Rule("read", "*.x", False)]
    assert decide([read(path)], denied) == "deny"
    assert decide([run("git status; ".ljust(MAX_LINE - 3) + "foo")], allowing("*")) == "allow"
    assert decide([run("git status; ".ljust(MAX_LINE - 3) + "foo")], [Rule("bash", "foo", False)]) == "deny"


def test_an_answer_to_what_nobody_reads_is_not_kept() -> None:
    assert can_be_kept([read("a" * MAX_TARGETS)])
    assert not can_be_kept([read("a" * MAX_TARGETS), run("x")])
    assert can_be_kept([run("x")] * MAX_NEEDS)
    assert not can_be_kept([run("x")] * (MAX_NEEDS + 1))


@pytest.mark.parametrize(
    "line",
    ["A=1 " * 5_000, "cat " + "*a" * 9_000, "ls " + "{a,b} " * 3_000, "ls " + "?a*b " * 3_000],
    ids=["assignments", "one glob", "braces", "globs"],
)
def test_a_line_that_a_model_made_to_cost_time_is_asked_for_at_once(line) -> None:
    begun = time.thread_time()
    assert decide([run(line)], allowing("cat *", "ls *")) == "ask"
    assert time.thread_time() - begun < 0.5  # 60 to 90 ms here; each took seconds


def test_a_long_pattern_with_wildcards_may_mean_any_name() -> None:
    assert may_mean_secret("/w/" + "*a" * 200)
    assert not is_secret("/w/" + "a" * 300)


@pytest.mark.parametrize(
    "path",
    [
        "/home/me/.claude.json",
        "/home/me/.claude/.credentials.json",
        "/home/me/.cursor/mcp.json",
        "/home/me/.codeium/windsurf/mcp_config.json",
        "/home/me/.config/Claude/claude_desktop_config.json",
        "/home/me/.config/Code/User/mcp.json",
        "/home/me/.codex/config.toml",
        "/home/me/.codex/auth.json",
        "/home/me/.gemini/oauth_creds.json",
        "/home/me/.gemini/settings.json",
        "/home/me/.mcp-auth/mcp-remote-0.1/abc_tokens.json",
        "/home/me/.google_workspace_mcp/credentials/me.json",
        "/work/project/.mcp.json",
    ],
)
def test_files_of_other_clients_with_keys_are_secret(path: str) -> None:
    assert is_secret(path)
    assert may_mean_secret(path.replace("json", "jso?").replace("toml", "tom?"))


@pytest.mark.parametrize("path", ["/home/me/.claude/CLAUDE.md", "/home/me/.codex/sessions/a.jsonl", "/work/mcp.py"])
def test_other_files_of_other_clients_are_none(path: str) -> None:
    assert not is_secret(path)
