"""Real agents against a scripted model: their histories are imported, and compared with what the provider logged."""

from __future__ import annotations

import base64
import json
import random
import shutil
import time
from pathlib import Path

import pytest

from coding_agents import Agent, AgentScript, Home, marks_in
from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import view_of
from desktop_app.conversation.foreign import ForeignConversation
from desktop_app.conversation.foreign_record import new_entries
from desktop_app.conversation.message import Attachment, Message, Reasoning, Role
from desktop_app.conversation.transcript import AnyEntry, Chain, Compaction, Transcript
from desktop_app.imports.formats import read_all
from desktop_app.imports.sources import sources_in
from provider import ScriptedProvider
from real_programs import npm

pytestmark = pytest.mark.real


def _nothing(home: Home, provider: ScriptedProvider) -> None:
    del home, provider


# Claude Code


def _claude_environment(provider: ScriptedProvider) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": provider.root_url,
        "ANTHROPIC_API_KEY": "sk-dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "30000",
        "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "90",
    }


def _ask_claude(home: Home, prompt: str, goes_on: bool) -> None:
    options = ["--model", "claude-sonnet-4-5", "--permission-mode", "acceptEdits", "--allowedTools", "Bash"]
    home.run("claude", "-p", prompt, *(["--continue"] if goes_on else []), *options)


def _show_claude(home: Home, prompt: str) -> None:
    data = base64.b64encode(home.picture.read_bytes()).decode()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    line = {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": prompt}, image]}}
    formats = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
    home.run("claude", "-p", *formats, "--continue", "--model", "claude-sonnet-4-5", text=json.dumps(line) + "\n")


# Codex

CODEX = """
model = "gpt-5.1-codex"
model_provider = "scripted"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
model_context_window = 100000
model_auto_compact_token_limit = 80000
model_reasoning_summary = "detailed"
[analytics]
enabled = false
[feedback]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{url}"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
"""


def _set_up_codex(home: Home, provider: ScriptedProvider) -> None:
    folder = home.path / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text(CODEX.format(url=provider.base_url), encoding="utf-8")


def _ask_codex(home: Home, prompt: str, goes_on: bool) -> None:
    home.run(
        "codex",
        "exec",
        *(["resume", "--skip-git-repo-check", "--last"] if goes_on else ["--skip-git-repo-check"]),
        prompt,
    )


def _show_codex(home: Home, prompt: str) -> None:
    home.run("codex", "exec", "resume", "--skip-git-repo-check", "--last", prompt, "-i", home.picture.name)


# Gemini CLI


def _set_up_gemini(home: Home, provider: ScriptedProvider) -> None:
    del provider
    folder = home.path / ".gemini"
    folder.mkdir()
    auth = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    off = {"privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False}}
    updates = {"general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False}}
    (folder / "settings.json").write_text(json.dumps({"security": auth, **off, **updates}), encoding="utf-8")


def _ask_gemini(home: Home, prompt: str, goes_on: bool) -> None:
    home.run("gemini", "-m", "gemini-2.5-pro", "--yolo", *(["--resume", "latest"] if goes_on else []), "-p", prompt)


def _show_gemini(home: Home, prompt: str) -> None:
    _ask_gemini(home, f"{prompt} @{home.picture.name}", True)


# opencode


def _set_up_opencode(home: Home, provider: ScriptedProvider) -> None:
    folder = home.path / ".config" / "opencode"
    folder.mkdir(parents=True)
    limit = {"context": 100_000, "output": 4_000}
    model = {"name": "Scripted", "reasoning": True, "tool_call": True, "limit": limit, "attachment": True}
    model["modalities"] = {"input": ["text", "image"], "output": ["text"]}
    options = {"baseURL": provider.base_url, "apiKey": "dummy"}
    served = {"npm": "@ai-sdk/openai-compatible", "name": "Scripted", "options": options, "models": {"scripted": model}}
    allowed = {"edit": "allow", "bash": "allow", "external_directory": "allow"}
    settings = {"autoupdate": False, "share": "disabled", "permission": allowed, "provider": {"scripted": served}}
    models = {"model": "scripted/scripted", "small_model": "scripted/scripted"}
    (folder / "opencode.json").write_text(json.dumps(settings | models), encoding="utf-8")


def _ask_opencode(home: Home, prompt: str, goes_on: bool) -> None:
    home.run("opencode", "run", "-m", "scripted/scripted", *(["--continue"] if goes_on else []), "--", prompt)


def _show_opencode(home: Home, prompt: str) -> None:
    home.run("opencode", "run", "-m", "scripted/scripted", "--continue", "-f", home.picture.name, "--", prompt)


OPENCODE = dict.fromkeys(
    ("OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_SHARE"), "1"
)
AGENTS = [
    Agent(
        "Claude Code",
        "@anthropic-ai/claude-code@2.1.332",
        ".claude/projects",
        _claude_environment,
        _nothing,
        _ask_claude,
        _show_claude,
        190_000,
        lambda home: home.run("claude", "-p", "/compact", "--continue") and None,
    ),
    Agent(
        "Codex CLI",
        "@openai/codex@0.171.0",
        ".codex/sessions",
        lambda provider: {"SCRIPTED_KEY": "dummy"},
        _set_up_codex,
        _ask_codex,
        _show_codex,
        90_000,
    ),
    Agent(
        "Gemini CLI",
        "@google/gemini-cli@0.61.0",
        ".gemini/tmp",
        lambda provider: {
            "GEMINI_API_KEY": "dummy",
            "GOOGLE_GEMINI_BASE_URL": provider.root_url,
            "GEMINI_TELEMETRY_ENABLED": "false",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        },
        _set_up_gemini,
        _ask_gemini,
        _show_gemini,
        1_000,
    ),
    Agent(
        "opencode",
        "opencode-ai@1.18.33",
        ".local/share/opencode",
        lambda provider: OPENCODE,
        _set_up_opencode,
        _ask_opencode,
        _show_opencode,
        99_000,
    ),
]
MODELS = ("scripted", "gemini-2.5-pro", "claude-sonnet-4-5", "gpt-5.1-codex")
PROMPTS = ("PROMPT-001 call", "PROMPT-002 say", "PROMPT-003 big", "PROMPT-004 say")


SHOWN = "PROMPT-005 say"


class Driven:
    """An agent that was driven: its home, what was answered, and the requests that it sent."""

    def __init__(self, agent: Agent, path: Path) -> None:
        self.agent, self.script, self.began = agent, AgentScript(agent.big), time.time()
        with ScriptedProvider(self.script, models=MODELS) as provider:
            home = Home(path, npm(agent.package), agent.environment(provider))
            agent.set_up(home, provider)
            for number, prompt in enumerate(PROMPTS):
                agent.ask(home, prompt, number > 0)
            agent.show(home, SHOWN)
            self.picture = home.picture.read_bytes()
            if agent.compact is not None:
                agent.compact(home)
            self.history = home.path / agent.history
            self.imported = imported(self.history)
            self.answered = tuple(self.script.answered)
            agent.ask(home, "PROMPT-009 say", True)
            self.next_request = next(r for r in reversed(provider.requests) if "PROMPT-009" in r.text)


@pytest.fixture(scope="module", params=AGENTS, ids=lambda agent: agent.program.replace(" ", "-"))
def driven(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Driven:
    return Driven(request.param, tmp_path_factory.mktemp("agent"))


def imported(path: Path, records: dict[str, list[AnyEntry]] | None = None) -> dict[str, list[AnyEntry]]:
    """Import a folder, once more if there are records; return the records by the program's own ids."""
    records = {} if records is None else records
    for source, found in read_all(sources_in(path)):
        if isinstance(found, ForeignConversation):
            record = records.setdefault(found.id, [])
            record += new_entries(found, source.name, record)
    return records


def the_session(records: dict[str, list[AnyEntry]]) -> list[AnyEntry]:
    (record,) = [
        each for each in records.values() if any("PROMPT-001" in m.text for m in each if isinstance(m, Message))
    ]
    return record


def sent(record: list[AnyEntry]) -> list[str]:
    """The marks of what the model would be sent."""
    items = view_of(Transcript(Chain(record))).items
    wanted = [item.message for item in items if item.kind in (ItemKind.MESSAGE, ItemKind.SUMMARY)]
    results = (message.tool_result for message in wanted)
    return marks_in([m.text or (r.text if r else "") for m, r in zip(wanted, results, strict=True)])


def test_all_that_was_said_is_there_once_and_in_order(driven: Driven) -> None:
    messages = [entry for entry in the_session(driven.imported) if isinstance(entry, Message)]
    replies = [each for each in driven.answered if not each.is_summary]
    texts = [m.text for m in messages if m.role is Role.ASSISTANT and m.text]
    assert [text for text in texts if text.startswith("REPLY-")] == [each.text for each in replies]
    thoughts = [part.text for m in messages for part in m.parts if isinstance(part, Reasoning)]
    assert all(sum(each.thought in thought for thought in thoughts) == 1 for each in replies)
    commands = [json.loads(call.arguments) for m in messages for call in m.tool_calls]
    assert [each.command for each in replies if each.command] == [
        next(iter(c.values())) if len(c) == 1 else c.get("command", c.get("cmd")) for c in commands
    ]
    results = [m.tool_result.text for m in messages if m.tool_result is not None]
    assert [
        f"RESULT-{each.number:03} ü" in text
        for each, text in zip([r for r in replies if r.command], results, strict=True)
    ] == [True]
    asked = [m.text for m in messages if m.role is Role.USER and "PROMPT-" in m.text]
    wanted = (*PROMPTS, SHOWN)
    assert [prompt in text for prompt, text in zip(wanted, asked, strict=True)] == [True] * len(wanted)


def test_the_picture_that_the_user_showed_is_there_once(driven: Driven) -> None:
    messages = [entry for entry in the_session(driven.imported) if isinstance(entry, Message)]
    pictures = [p for m in messages for p in m.parts if isinstance(p, Attachment) and p.is_image]
    assert [base64.b64decode(each.content.partition(",")[2]) for each in pictures] == [driven.picture]


def test_times_models_and_usage_are_as_they_were(driven: Driven) -> None:
    messages = [entry for entry in the_session(driven.imported) if isinstance(entry, Message)]
    assert all(driven.began - 5 < message.at < time.time() + 5 for message in messages)
    assert all(message.model for message in messages if message.role is Role.ASSISTANT and message.usage is not None)
    measured = [
        message.usage.prompt_tokens for message in messages if message.usage is not None and message.usage.prompt_tokens
    ]
    assert measured == [each.prompt_tokens for each in driven.answered if not each.is_summary]


def test_the_model_would_be_sent_what_the_program_sends(driven: Driven) -> None:
    asked = marks_in([text for role, text in driven.next_request.turns if role != "system"])
    assert [*sent(the_session(driven.imported)), "PROMPT-009"] == asked
    summaries = [entry for entry in the_session(driven.imported) if isinstance(entry, Compaction)]
    assert bool(summaries) == any(each.is_summary for each in driven.answered)


def test_a_history_cut_at_thirty_points_and_imported_again_is_whole(driven: Driven, tmp_path: Path) -> None:
    files = sorted(driven.history.rglob("*.jsonl"), key=lambda file: -file.stat().st_size)
    if not files:
        assert driven.agent.program == "opencode"  # a database has no beginning
        return
    whole = the_session(imported(driven.history))
    lines = files[0].read_bytes().splitlines(keepends=True)
    for cut in sorted(random.Random(0).sample(range(1, len(lines)), min(30, len(lines) - 1))):
        copy = tmp_path / str(cut)
        shutil.copytree(driven.history, copy)
        file = copy / files[0].relative_to(driven.history)
        file.write_bytes(b"".join(lines[:cut]))
        records = imported(copy)
        file.write_bytes(b"".join(lines))
        grown = the_session(imported(copy, records))
        assert sent(grown) == sent(whole), cut
        size = len(grown)
        assert len(the_session(imported(copy, records))) == size, cut


# goose

GOOSE = "@aaif/goose-binary-linux-x64@0.20.1"
"""Holds goose 1.34.0."""


def goose_environment(provider: ScriptedProvider) -> dict[str, str]:
    return {
        "OPENAI_API_KEY": "none",
        "OPENAI_HOST": provider.root_url,
        "GOOSE_PROVIDER": "openai",
        "GOOSE_MODEL": "scripted",
        "GOOSE_MODE": "auto",
        "GOOSE_DISABLE_KEYRING": "1",
        "GOOSE_CONTEXT_LIMIT": "100000",
    }


def ask_goose(home: Home, prompt: str, goes_on: bool) -> None:
    home.run("goose", "run", "--with-builtin", "developer", *(["--resume"] if goes_on else []), "-t", prompt)


def test_goose_would_send_the_view_after_both_kinds_of_compaction(tmp_path: Path) -> None:
    """A prompt that exceeds the threshold is sent after the summary; after `/compact`, only the summary is."""
    script = AgentScript(90_000)
    records: dict[str, list[AnyEntry]] = {}
    with ScriptedProvider(script, models=MODELS) as provider:
        home = Home(tmp_path, npm(GOOSE), goose_environment(provider))
        for number, prompt in enumerate((*PROMPTS, "PROMPT-005 say", "/compact", "PROMPT-009 say")):
            before = sent(the_session(records)) if number else []
            ask_goose(home, prompt, number > 0)
            imported(home.path / ".local/share/goose/sessions", records)
            request = next(r for r in reversed(provider.requests) if r.body.get("tools"))
            asked = marks_in([text for role, text in request.turns if role != "system"])
            if prompt == "/compact":
                assert sent(the_session(records)) != before
            else:
                answer = marks_in([each.text for each in script.answered])[-1]
                assert sent(the_session(records)) == [*asked, answer]
    assert sum(isinstance(entry, Compaction) for entry in the_session(records)) == 2
    assert the_session(imported(home.path / ".local/share/goose/sessions", records)) == the_session(records)
