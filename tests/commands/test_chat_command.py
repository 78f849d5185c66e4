"""`palimpsest chat`: turns without a window, a JSON line for each event."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from desktop_app.__main__ import main
from desktop_app.commands.chat import SERVER, EventPrinter, wide_rules
from desktop_app.conversation.events import Failure, TurnFailed
from desktop_app.permissions.rules import rules_of_option
from provider import Call, Hang, Reply, ScriptedProvider, Status


def talked(data: Path, provider: ScriptedProvider, *options: str) -> int:
    url = provider.base_url
    given = ["--model", "scripted", "--base-url", url, "--window", "16K", "--data-dir", str(data), "--json"]
    return main(["chat", *given, *options])


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """`lines("one", "two")`: what standard input holds."""
    with contextlib.ExitStack() as opened:

        def say(*texts: str) -> None:
            (tmp_path / "input").write_text("".join(f"{text}\n" for text in texts))
            monkeypatch.setattr("sys.stdin", opened.enter_context((tmp_path / "input").open()))

        yield say


@pytest.mark.wire
def test_without_allow_it_talks_and_allows_nothing(data_folder, lines, capsys) -> None:
    lines("Run something", "Thanks")
    steps = [Reply(calls=(Call("bash", '{"command": "echo hi"}'),)), Reply("I may not."), Reply("You are welcome.")]
    with ScriptedProvider(steps) as provider:
        assert talked(data_folder, provider) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["reason"] for line in told if line["event"] == "turn_finished"] == ["finished", "finished"]
    (result,) = [line for line in told if line["event"] == "tool_finished"]
    assert result["is_error"]
    assert told[-1]["event"] == "turn_finished"
    assert (data_folder / "palimpsest.log").exists(), "as of the window"
    assert {"conversation", "tokens_estimated", "tokens_reported", "cost", "restarts"} <= told[-1].keys()


@pytest.mark.wire
@pytest.mark.parametrize(
    ("reply", "ending"),
    [
        (Reply("", calls=(Call("write", '{"path": "a'),), finish="length"), "length"),
        (Reply("No.", finish="content_filter"), "content_filter"),
        (Reply(""), "empty"),
    ],
)
def test_a_reply_that_ended_early_says_why(data_folder, lines, capsys, reply: Reply, ending: str) -> None:
    lines("Write it")
    with ScriptedProvider([reply], repeat_last=True) as provider:
        assert talked(data_folder, provider) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    (finished,) = [line for line in told if line["event"] == "reply_finished"]
    (notice,) = [line for line in told if line["event"] == "noticed"]
    assert (finished["ending"], notice["kind"]) == (ending, f"reply_{ending}")
    assert finished["lost_call"] == ("write" if reply.calls else "")
    assert ("write" in notice["detail"]) is bool(reply.calls)


@pytest.mark.wire
def test_a_conversation_goes_on_with_what_may_be_done(data_folder, lines, capsys) -> None:
    steps = [Reply("Yes."), Reply(calls=(Call("bash", '{"command": "echo hi"}'),)), Reply("Done."), Status(401, "no")]
    with ScriptedProvider(steps) as provider:
        lines("Are you there?")
        assert talked(data_folder, provider) == 0
        name = json.loads(capsys.readouterr().out.splitlines()[0])["conversation"]
        lines("Run something", "And again")
        assert talked(data_folder, provider, "--conversation", name, "--allow", "bash") == 1, "the last turn failed"
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {line["conversation"] for line in told} == {name}
    (result,) = [line for line in told if line["event"] == "tool_finished"]
    assert not result["is_error"]
    assert "Are you there?" in str(provider.requests[1].messages)


def test_a_rule_that_lets_through_more_than_looking_is_told() -> None:
    told = list(
        wide_rules(rules_of_option("bash:make *,bash:ls *,bash:git *,bash:rm x,read,write:/w/*,web_fetch:*a.org"))
    )
    assert [line.partition(": ")[0] for line in told] == [
        *("[--allow bash:make *", "[--allow bash:git *", "[--allow write:/w/*", "[--allow edit:/w/*"),
        "[--allow web_fetch:*a.org",
    ]
    assert "any command" in "".join(wide_rules(rules_of_option("all")))


@pytest.mark.wire
def test_what_is_given_wrongly_is_said_before_anything_is_sent(data_folder, lines, capsys) -> None:
    lines("Hello")
    with ScriptedProvider([Reply("Yes.")]) as provider:
        assert talked(data_folder, provider, "--conversation", "nowhere") == 2
        assert talked(data_folder, provider, "--allow", "bash(") == 2
        assert provider.requests == []
    assert "--allow cannot be read" in capsys.readouterr().err


@pytest.mark.wire
def test_whoever_reads_no_further_is_not_talked_to_any_more(data_folder, lines, monkeypatch, caplog) -> None:
    lines("One", "Two", "Three")
    reading, writing = os.pipe()
    os.close(reading)
    with ScriptedProvider([Reply("Yes.")], repeat_last=True) as provider, os.fdopen(writing, "w") as nobody:
        monkeypatch.setattr("sys.stdout", nobody)
        assert talked(data_folder, provider) == 0
        assert len(provider.requests) == 1
    assert "bug" not in caplog.text


@pytest.mark.wire
@pytest.mark.parametrize("step", [Reply("Hello."), Hang("Hel")], ids=["at the prompt", "in a reply"])
def test_ctrl_c_ends_it_in_order(data_folder, step) -> None:
    with ScriptedProvider([step]) as provider:
        options = ["--model", "scripted", "--base-url", provider.base_url, "--window", "16K", "--json"]
        command = [sys.executable, "-m", "desktop_app", "chat", *options, "--data-dir", str(data_folder)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        before = signal.signal(
            signal.SIGINT, signal.default_int_handler
        )  # a background job hands on that it ignores it
        child = subprocess.Popen(command, **pipes)
        signal.signal(signal.SIGINT, before)
        try:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(b"Hello\n")
            child.stdin.flush()
            last = b"turn_finished" if isinstance(step, Reply) else b"text_delta"
            while last not in child.stdout.readline():
                pass
            child.send_signal(signal.SIGINT)
            assert child.wait(30) == 130
            rest = child.communicate()
        finally:
            child.kill()
            child.wait()
    assert b"Traceback" not in rest[1]
    if isinstance(step, Hang):
        assert json.loads(rest[0].splitlines()[-1])["reason"] == "stopped"


@pytest.mark.wire
def test_what_leaves_hardly_any_room_is_sent_with_the_users_word_only(data_folder, lines, capfd) -> None:
    """The window is 16,000 tokens, of which 12,800 can be used; nothing of this can be freed."""
    with ScriptedProvider([Reply("Yes.", usage=None)], repeat_last=True) as provider:
        lines("Hello")
        assert talked(data_folder, provider) == 0
        told = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
        taken = next(line["total"] for line in told if line["event"] == "gauge_changed")
        lines("The" + " ledger" * (12_400 - taken))
        assert talked(data_folder, provider) == 1
        told = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
        (failed,) = [line for line in told if line["event"] == "turn_failed"]
        assert failed["kind"] == "nearly_full"
        assert not any(request.text.startswith("The ledger ledger") for request in provider.requests)
        lines("The" + " ledger" * (12_400 - taken))
        assert talked(data_folder, provider, "--send-anyway") == 0
        assert provider.requests[-1].text.startswith("The ledger ledger")


def test_a_key_that_is_missing_is_asked_for_where_this_command_reads_it(capsys) -> None:
    failure = Failure("auth", "chat needs a key", advice="Enter it in the settings.", setting=f"servers/{SERVER}/key")
    EventPrinter(is_json=True).print(TurnFailed("c", failure))
    told = json.loads(capsys.readouterr().out)
    assert "PALIMPSEST_KEY_CHAT" in told["advice"]
    EventPrinter(is_json=False).print(TurnFailed("c", replace(failure, setting="servers/home/key")))
    assert failure.advice in capsys.readouterr().err


def test_a_policy_that_there_is_not_is_refused_with_those_that_there_are(data_folder, lines, capsys) -> None:
    assert main(["policy", "balanced", "--set", "target=40%", "--as", "mine", "--data-dir", str(data_folder)]) == 0
    lines("Hello")
    assert main(["chat", "--model", "builtin", "--policy", "none", "--data-dir", str(data_folder)]) == 2
    told = capsys.readouterr().err
    assert all(name in told for name in ("none", "balanced", "mine"))
