from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from desktop_app.__main__ import main
from request_rules import legal_for_all

KEYS = {
    "phase",
    "model",
    "tokenizer",
    "window",
    "usable",
    "tokens_before",
    "tokens_after",
    "operations",
    "messages",
    "verbatim",
    "pruned",
    "archived",
    "summary",
    "fidelity",
    "seconds",
}


@pytest.fixture(scope="session")
def migration() -> Path:
    return Path(__file__).resolve().parents[2] / "resources" / "samples" / "migration.jsonl"


def written(folder: Path, *objects: dict[str, Any], name: str = "chat.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(value) + "\n" for value in objects), encoding="utf-8")
    return file


def compacted(capsys, *arguments: object) -> dict[str, Any]:
    assert main(["compact", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def said(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_the_report_has_the_promised_shape(migration: Path, capsys) -> None:
    report = compacted(capsys, migration, "--window", "16K")
    assert set(report) == KEYS
    assert (report["model"], report["tokenizer"]) == (None, "o200k")
    assert (report["window"], report["usable"]) == (16_000, 12_800)
    assert report["tokens_before"] > report["usable"] > report["tokens_after"]
    assert set(report["fidelity"]) == {"verbatim", "in_summary", "recallable", "lost"}
    assert report["fidelity"]["lost"] == 0
    assert 0 < report["seconds"] < 60
    kinds = [operation["kind"] for operation in report["operations"]]
    assert kinds == ["compaction"], "what is archived need not be shortened first"
    for operation in report["operations"]:
        assert set(operation) == {"kind", "strategy", "messages", "tokens_freed"}
        assert operation["messages"] > 0
        assert operation["tokens_freed"] > 0
    assert report["operations"][0]["strategy"] == "extractive"
    freed = sum(operation["tokens_freed"] for operation in report["operations"])
    assert report["tokens_before"] - freed == report["tokens_after"]


@pytest.mark.parametrize(
    ("policy", "window", "made"),
    [
        ("balanced", "96K", {"user": True, "request": False, "tool": False}),
        ("lmstudio", "80K", {"user": True, "request": True, "tool": False}),
        ("opencode", "64K", {"user": True, "request": True, "tool": True}),
    ],
)
def test_it_acts_as_the_phase_does(tmp_path: Path, policy: str, window: str, made: dict[str, bool], capsys) -> None:
    said = [{"role": "user" if n % 2 == 0 else "assistant", "content": f"{n} " + "word " * 500} for n in range(132)]
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(map(json.dumps, said)))
    for phase, is_made in made.items():
        report = compacted(capsys, file, "--window", window, "--policy", policy, "--phase", phase)
        assert report["phase"] == phase
        assert bool(report["operations"]) is is_made, phase
    by_default = compacted(capsys, file, "--window", window, "--policy", policy)
    assert by_default["phase"] == "user"


def test_every_message_of_the_input_is_in_one_place(migration: Path, capsys) -> None:
    report, chat = compacted(capsys, migration, "--window", "16000"), said(migration)
    verbatim, pruned, archived = (set(report[key]) for key in ("verbatim", "pruned", "archived"))
    assert verbatim | pruned | archived == set(range(len(chat)))
    assert not verbatim & pruned
    assert not verbatim & archived
    assert not pruned & archived
    assert report["messages"][0] == chat[0], "the system prompt, as it stood in the file"
    assert report["messages"][1]["content"].endswith(report["summary"])
    assert report["messages"][-1] == chat[-1]
    sent = [(m["role"], m["content"], m.get("tool_calls", [])) for m in report["messages"]]
    for index in verbatim:
        role, content, calls = (chat[index].get(key, "") for key in ("role", "content", "tool_calls"))
        text = content or ""
        assert any(role == r and text in (c or "") and all(call in t for call in calls or []) for r, c, t in sent)


def test_what_would_be_sent_is_paired_and_begins_legally(migration: Path, capsys) -> None:
    for window in (4_000, 8_192, 16_000, 30_000):
        sent = compacted(capsys, migration, "--window", window)["messages"]
        assert [message["role"] for message in sent[:2]] == ["system", "user"]
        waiting: list[str] = []
        for message in sent:
            if message["role"] == "tool":
                waiting.remove(message["tool_call_id"])
            else:
                assert not waiting
                waiting = [call["id"] for call in message.get("tool_calls") or []]
        assert not waiting


def test_a_chat_that_fits_is_sent_as_it_is(migration: Path, capsys) -> None:
    report = compacted(capsys, migration, "--window", "128K")
    assert report["operations"] == []
    assert report["verbatim"] == list(range(len(said(migration))))
    roles = [message["role"] for message in report["messages"]]
    assert all(a != b or a == "tool" for a, b in pairwise(roles)), "neighbours of one role are sent as one"
    assert report["tokens_before"] == report["tokens_after"]
    assert (report["summary"], report["archived"], report["pruned"]) == ("", [], [])


@pytest.mark.parametrize("target", [2_000, 6_800, 13_000])
def test_a_target_is_kept_whatever_the_window_would_be(migration: Path, capsys, target: int) -> None:
    report = compacted(capsys, migration, "--target-tokens", target)
    assert 0.9 * target < report["tokens_after"] <= target


def test_a_policy_and_a_model_may_be_chosen(migration: Path, capsys) -> None:
    relaxed = compacted(capsys, migration, "--window", "40K", "--policy", "relaxed")
    aggressive = compacted(capsys, migration, "--window", "40K", "--policy", "aggressive")
    assert aggressive["tokens_after"] < relaxed["tokens_after"]
    counted = compacted(capsys, migration, "--window", "40K", "--model", "gpt-3.5-turbo", "--strategy", "extractive")
    assert (counted["model"], counted["tokenizer"]) == ("gpt-3.5-turbo", "cl100k")


def test_people_are_told_what_happened(migration: Path, capsys) -> None:
    assert main(["compact", str(migration), "--window", "16K"]) == 0
    out = capsys.readouterr().out
    assert "of 12,800 that can be used" in out
    assert "messages archived" in out
    assert "0 lost" in out
    assert "## Rules and constraints\n- Never touch `vendor/`." in out
    assert main(["compact", str(migration), "--window", "1M"]) == 0
    assert "nothing to do" in capsys.readouterr().out


GOOD = '{"role": "user", "content": "hello"}\n'


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (GOOD.encode() + b'{"role": "user", "content": \n', "line 2: this is not JSON"),
        (GOOD.encode() + b"[1, 2]\n", "line 2: a chat message must be a JSON object"),
        (GOOD.encode() + b'\n{"role": "chief", "content": "x"}\n', "line 3: the role 'chief' is not one of"),
        (b"", "the file holds no messages"),
        (b"\n\n", "the file holds no messages"),
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe\n", "line 1: "),
        (b'{"role": "user", "content": "\xff"}', "line 1: this is not UTF-8"),
    ],
    ids=["broken line", "not an object", "unknown role", "empty", "blank", "binary", "not utf-8"],
)
def test_bad_input_is_named_by_its_line(tmp_path: Path, capsys, content: bytes, told: str) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_bytes(content)
    assert main(["compact", str(file), "--window", "8192", "--json"]) == 2
    streams = capsys.readouterr()
    assert streams.out == "", "nothing that a program could take for a report"
    assert told in streams.err
    assert file.name in streams.err
    assert "Traceback" not in streams.err


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_a_file_that_cannot_be_read_is_bad_input(tmp_path: Path, capsys, name: str) -> None:
    assert main(["compact", str(tmp_path / name), "--window", "8192"]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_neither_a_window_nor_a_target_is_bad_input(migration: Path, capsys) -> None:
    assert main(["compact", str(migration)]) == 2
    assert "--window N" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--window", "many"], ["--window", "0"], ["--target-tokens", "-3"]])
def test_a_number_that_is_none_is_bad_input(migration: Path, capsys, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["compact", str(migration), *arguments])
    assert left.value.code == 2
    assert "number of tokens" in capsys.readouterr().err


def test_a_window_too_small_for_what_must_stay_says_what_helps(tmp_path: Path, capsys) -> None:
    file = written(
        tmp_path,
        {"role": "system", "content": "word " * 900},
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hi"},
        {"role": "user", "content": "go on"},
    )
    assert main(["compact", str(file), "--window", "1500", "--json"]) == 3
    streams = capsys.readouterr()
    assert "tokens must stay, but only 750 can be used" in streams.err
    assert "choose a model with a larger window" in streams.err
    told = json.loads(streams.out)
    assert set(told) == {"error", "needed", "usable", "advice"}
    assert told["needed"] > told["usable"] == 750
    assert main(["compact", str(file), "--target-tokens", "500"]) == 3
    assert main(["compact", str(file), "--target-tokens", "1200"]) == 0


def test_a_conversation_that_ends_with_an_open_call_is_closed(tmp_path: Path, capsys) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    file = written(
        tmp_path,
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    )
    report = compacted(capsys, file, "--window", "8192")
    assert [message["role"] for message in report["messages"]] == ["user", "assistant", "tool"]
    assert report["verbatim"] == [0, 1]


def asked(number: int, name: str = "read", arguments: object = '{"path": "a.py"}') -> dict[str, Any]:
    return {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


REPAIRED = [
    {"role": "user", "content": "Look at a.py."},
    {"role": "assistant", "content": "", "tool_calls": [asked(1)]},
    {"role": "tool", "tool_call_id": "c1", "content": "one"},
    {"role": "assistant", "content": None, "tool_calls": [asked(1), asked(2, "not a name", "{broken")]},
    {"role": "tool", "tool_call_id": "c2", "content": "two"},
    {"role": "tool", "tool_call_id": "c1", "content": "three"},
    {"role": "tool", "tool_call_id": "nobody", "content": "four"},
    {"role": "assistant", "content": ""},
    {"role": "user", "content": "   "},
]


@pytest.mark.parametrize("window", [100_000, 400])
def test_messages_that_are_repaired_have_their_place_too(tmp_path: Path, capsys, window: int) -> None:
    chat = [*REPAIRED, *({"role": "user", "content": f"Word {n} of many." * 9} for n in range(30))]
    report = compacted(capsys, written(tmp_path, *chat), "--window", window)
    places = sorted(report["verbatim"] + report["pruned"] + report["archived"])
    assert places == list(range(len(chat))), "each in exactly one"


AS_PROGRAMS_WRITE = [
    {"role": "developer", "content": "Be brief.", "id": "m1"},
    {"role": "user", "content": [{"type": "text", "text": "What is this?"}, "Say!"], "timestamp": 1},
    {"role": "assistant", "content": "", "tool_calls": [asked(1, arguments={"path": "a.py"})]},
    {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "one"}, {"type": "image_url"}]},
    {"role": "assistant", "content": "A file.", "reasoning_content": "They want to know. " * 50, "annotations": []},
    {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}]},
    {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot hear."}]},
    {"role": "user", "content": "Go on."},
]


def test_what_other_programs_write_is_shown_as_it_would_be_sent(tmp_path: Path, capsys) -> None:
    report = compacted(capsys, written(tmp_path, *AS_PROGRAMS_WRITE), "--window", "8192")
    assert legal_for_all(report["messages"]) == []
    assert [message["role"] for message in report["messages"][:3]] == ["system", "user", "assistant"]
    fields = {key for message in report["messages"] for key in message}
    assert fields == {"role", "content", "tool_calls", "tool_call_id"}, "what is not sent is not shown"
    for message in report["messages"]:
        parts = message["content"] if isinstance(message["content"], list) else []
        assert all(part["type"] in ("text", "image_url") for part in parts)


def test_parts_of_a_message_stay_as_the_file_has_them(tmp_path: Path, capsys) -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}}
    chat = [
        {"role": "user", "content": [{"type": "text", "text": "What is"}, {"type": "text", "text": "this?"}, image]},
        {"role": "assistant", "content": [{"type": "text", "text": "A cat."}], "tool_calls": [asked(1)]},
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
    ]
    assert compacted(capsys, written(tmp_path, *chat), "--window", "8192")["messages"] == chat


@pytest.mark.slow
def test_it_runs_in_a_process_of_its_own(migration: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "desktop_app", "compact"]
    done = subprocess.run([*command, str(migration), "--window", "16K", "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)) == KEYS
    assert done.stderr == ""
    failed = subprocess.run([*command, str(tmp_path / "no"), "--window", "16K"], capture_output=True, text=True)
    assert failed.returncode == 2
    assert "Traceback" not in failed.stderr
