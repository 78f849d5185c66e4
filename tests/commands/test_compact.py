from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from desktop_app.context.extractive.summary_builder import RULES
from provider import AnyStep, Reply, ScriptedProvider, Status
from request_rules import legal_for_all

KEYS = {
    *("phase", "model", "tokenizer", "window", "usable", "tokens_before", "tokens_after", "operations", "messages"),
    *("verbatim", "pruned", "archived", "summary", "fidelity", "seconds"),
}


@pytest.fixture
def migration(samples: Path) -> Path:
    return samples / "migration.jsonl"


@pytest.fixture
def compacted(report) -> Callable[..., dict[str, Any]]:
    return partial(report, "compact")


def said(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.long
def test_the_report_has_the_promised_shape(migration: Path, compacted) -> None:
    report = compacted(migration, "--window", "16K")
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
        ("balanced", "96K", {"user": True, "request": False, "tool": False, "after_turn": True}),
        ("lmstudio", "80K", {"user": True, "request": True, "tool": False}),
        ("opencode", "64K", {"user": True, "request": True, "tool": True}),
    ],
)
@pytest.mark.long
def test_it_acts_as_the_phase_does(chat_file, compacted, policy: str, window: str, made: dict[str, bool]) -> None:
    roles = ("user", "assistant")
    file = chat_file([{"role": roles[n % 2], "content": f"{n} " + "word " * 500} for n in range(132)])
    for phase, is_made in made.items():
        report = compacted(file, "--window", window, "--policy", policy, "--phase", phase)
        assert report["phase"] == phase
        assert bool(report["operations"]) is is_made, phase


@pytest.mark.long
def test_a_policy_of_ones_own_is_taken(chat_file, compacted, printed, data: Path) -> None:
    roles = ("user", "assistant")
    file = chat_file([{"role": roles[n % 2], "content": f"{n} " + "word " * 500} for n in range(132)])
    printed(
        "--data-dir", data, "policy", "balanced", "--set", "compact_at=70%", "--set", "prune_at=60%", "--as", "soon"
    )
    phase = ("--window", "110K", "--phase", "request")
    assert not compacted(file, *phase)["operations"]
    own = compacted(file, *phase, "--policy", "soon", "--data-dir", data)
    assert [operation["kind"] for operation in own["operations"]] == ["compaction"]
    assert "soon" in printed("compact", file, *phase, "--policy", "later", "--data-dir", data, code=2), "what there is"


def test_every_message_of_the_input_is_in_one_place(migration: Path, compacted) -> None:
    report, chat = compacted(migration, "--window", "16000"), said(migration)
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


@pytest.mark.long
def test_what_would_be_sent_is_legal_in_each_window(migration: Path, compacted) -> None:
    for window in (4_000, 8_192, 16_000, 30_000):
        assert legal_for_all(compacted(migration, "--window", window)["messages"]) == []


def test_a_chat_that_fits_is_sent_as_it_is(migration: Path, compacted) -> None:
    report = compacted(migration, "--window", "128K")
    assert report["operations"] == []
    assert report["verbatim"] == list(range(len(said(migration))))
    roles = [message["role"] for message in report["messages"]]
    assert all(a != b or a == "tool" for a, b in pairwise(roles)), "neighbours of one role are sent as one"
    assert report["tokens_before"] == report["tokens_after"]
    assert (report["summary"], report["archived"], report["pruned"]) == ("", [], [])


@pytest.mark.long
def test_a_target_a_policy_and_a_model_may_be_chosen(migration: Path, compacted) -> None:
    for target in (2_000, 6_800, 13_000):
        assert 0.9 * target < compacted(migration, "--target-tokens", target)["tokens_after"] <= target
    relaxed = compacted(migration, "--window", "40K", "--policy", "relaxed", "--model", "gpt-3.5-turbo")
    aggressive = compacted(migration, "--window", "40K", "--policy", "aggressive", "--model", "gpt-3.5-turbo")
    assert aggressive["tokens_after"] < relaxed["tokens_after"]
    assert (relaxed["model"], relaxed["tokenizer"]) == ("gpt-3.5-turbo", "cl100k")


def test_people_are_told_what_happened(migration: Path, printed) -> None:
    out = printed("compact", migration, "--window", "16K")
    assert "usable window 12,800" in out
    assert "messages archived" in out
    assert "0 lost" in out
    assert f"## {RULES}\n- Never touch `vendor/`." in out
    assert "nothing to do" in printed("compact", migration, "--window", "1M")
    assert "--window N" in printed("compact", migration, code=2)


def test_a_window_too_small_for_what_must_stay_says_what_helps(chat_file, report, printed) -> None:
    roles = ("user", "assistant", "user")
    said = [{"role": role, "content": "hello"} for role in roles]
    file = chat_file([{"role": "system", "content": "word " * 900}, *said])
    told = report("compact", file, "--window", "1500", code=3)
    assert set(told) == {"error", "needed", "usable", "advice"}
    assert told["needed"] > told["usable"] == 750
    assert "750" in printed("compact", file, "--target-tokens", "750", code=3)
    printed("compact", file, "--target-tokens", "1200")


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
    {"role": "assistant", "content": None, "tool_calls": [asked(3)]},  # has no result yet
]


@pytest.mark.parametrize("window", [100_000, 400])
def test_messages_that_are_repaired_have_their_place_too(chat_file, compacted, window: int) -> None:
    chat = [*({"role": "user", "content": f"Word {n} of many." * 9} for n in range(30)), *REPAIRED]
    report = compacted(chat_file(chat), "--window", window)
    assert legal_for_all(report["messages"]) == []
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


def test_what_other_programs_write_is_shown_as_it_would_be_sent(chat_file, compacted) -> None:
    report = compacted(chat_file(AS_PROGRAMS_WRITE), "--window", "8192")
    assert legal_for_all(report["messages"]) == []
    assert [message["role"] for message in report["messages"][:3]] == ["system", "user", "assistant"]
    fields = {key for message in report["messages"] for key in message}
    assert fields == {"role", "content", "tool_calls", "tool_call_id"}, "what is not sent is not shown"
    for message in report["messages"]:
        parts = message["content"] if isinstance(message["content"], list) else []
        assert all(part["type"] in ("text", "image_url") for part in parts)


def test_parts_of_a_message_stay_as_the_file_has_them(chat_file, compacted) -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}}
    chat = [
        {"role": "user", "content": [{"type": "text", "text": "What is"}, {"type": "text", "text": "this?"}, image]},
        {"role": "assistant", "content": [{"type": "text", "text": "A cat."}], "tool_calls": [asked(1)]},
        {"role": "tool", "tool_call_id": "c1", "content": "one"},
    ]
    assert compacted(chat_file(chat), "--window", "8192")["messages"] == chat


RULE = "Never restart the server on Fridays."
PAGE = f"## Primary intent\nQuestions about topics, and answers with details.\n\n## Rules and constraints\n- {RULE}"
WINDOW = {"/props": {"default_generation_settings": {"n_ctx": 16_000}}}


@pytest.fixture
def long_chat(chat_file) -> str:
    lines = [{"role": "user", "content": f"{RULE} Let us begin."}]
    for n in range(60):
        lines.append({"role": "assistant", "content": f"Answer {n}. " + f"detail{n} said " * 15})
        lines.append({"role": "user", "content": f"Go on with {n}, " + f"about topic{n} " * 15})
    return chat_file(lines)


@pytest.mark.wire
@pytest.mark.parametrize("step", [Reply(json.dumps({"summary": PAGE}), size=40), Status(500)], ids=["works", "fails"])
def test_a_model_writes_the_summary_or_the_note_says_why_not(long_chat: str, compacted, step: AnyStep) -> None:
    with ScriptedProvider([step], pages=WINDOW, repeat_last=True) as provider:
        options = ["--strategy", "llm", "--summary-model", "scripted", "--base-url", provider.base_url]
        told = compacted(long_chat, "--window", "8K", *options)
        assert provider.requests
    (operation,) = told["operations"]
    is_written = isinstance(step, Reply)
    assert operation["strategy"] == ("llm" if is_written else "extractive")
    assert ("note" in operation) is not is_written
    assert RULE in told["summary"]
    assert told["tokens_after"] <= told["usable"]


def test_the_last_messages_only(long_chat: str, compacted, printed) -> None:
    told = compacted(long_chat, "--window", "8K", "--strategy", "last_messages")
    assert told["operations"][0]["strategy"] == "last_messages"
    assert RULE in told["summary"]
    assert len(told["verbatim"]) <= 6
    assert "--summary-model" in printed("compact", long_chat, "--window", "8K", "--strategy", "llm", code=2)


@pytest.mark.wire
def test_it_runs_in_a_process_of_its_own(migration: Path) -> None:
    command = [sys.executable, "-m", "desktop_app", "compact", str(migration), "--window", "16K", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert set(json.loads(done.stdout)) == KEYS
