"""The histories of real agents, driven against a scripted model, are imported whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from coding_agents import Home
from real_agents import MODEL, RealAgent, ScriptedModel, ask, check_cuts, check_import, end_daemons
from real_programs import npm, pypi, python_312

NODE = "node@24.21.0"
WORK, AGAIN = "[[work]] Look at the pond – ✓", "[[again]] And how deep is it?"


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def cline(home: Path, url: str) -> dict[str, str]:
    settings = {"provider": "openai-compatible", "apiKey": "none", "model": MODEL, "baseUrl": url}
    provider = {"settings": settings, "updatedAt": "2026-11-27T00:00:00.000Z", "tokenSource": "manual"}
    about = {"version": 1, "lastUsedProvider": "openai-compatible", "providers": {"openai-compatible": provider}}
    write(home / ".cline/data/settings/providers.json", json.dumps(about))
    return {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}


def qwen(home: Path, url: str) -> dict[str, str]:
    settings = {"security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}}}
    settings |= {
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "model": {"name": MODEL},
    }
    settings |= {"memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False}}
    write(home / ".qwen/settings.json", json.dumps(settings))
    return {"OPENAI_MODEL": MODEL}


def pi(home: Path, url: str) -> dict[str, str]:
    model = {"id": MODEL, "name": "Pond", "reasoning": True, "input": ["text"], "contextWindow": 100_000}
    model |= {"maxTokens": 8_000, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}
    provider = {"baseUrl": url, "api": "openai-completions", "apiKey": "none", "models": [model]}
    write(home / ".pi/agent/models.json", json.dumps({"providers": {"pond": provider}}))
    return {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}


def copilot(home: Path, url: str) -> dict[str, str]:
    names = {"BASE_URL": url, "API_KEY": "none", "TYPE": "openai"}
    provider = {f"COPILOT_PROVIDER_{name}": value for name, value in names.items()}
    return {**provider, "COPILOT_OFFLINE": "true", "COPILOT_MODEL": MODEL, "COPILOT_AUTO_UPDATE": "false"}


def kimi(home: Path, url: str) -> dict[str, str]:
    write(
        home / ".kimi-code/config.toml",
        f"""default_model = "pond/{MODEL}"
telemetry = false
[providers.pond]
type = "openai"
base_url = "{url}"
api_key = "none"
[models."pond/{MODEL}"]
provider = "pond"
model = "{MODEL}"
max_context_size = 100000
capabilities = ["thinking", "tool_use"]
""",
    )
    return {"KIMI_TELEMETRY_DISABLED": "1", "KIMI_CODE_NO_AUTO_UPDATE": "1"}


def kilo(home: Path, url: str) -> dict[str, str]:
    model = {"name": "Pond", "reasoning": True, "tool_call": True, "limit": {"context": 100_000, "output": 4_000}}
    options = {"baseURL": url, "apiKey": "none"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "Pond", "options": options, "models": {MODEL: model}}
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "permission": {"bash": "allow"},
        "provider": {"pond": provider},
    }
    settings |= {"model": f"pond/{MODEL}", "small_model": f"pond/{MODEL}"}
    write(home / ".config/kilo/kilo.json", json.dumps(settings))
    return {"KILO_DISABLE_MODELS_FETCH": "1", "KILO_DISABLE_AUTOUPDATE": "1", "KILO_TELEMETRY_LEVEL": "off"}


def continue_(home: Path, url: str) -> dict[str, str]:
    model = {"name": MODEL, "provider": "openai", "model": MODEL, "apiBase": url, "apiKey": "none", "roles": ["chat"]}
    model |= {"capabilities": ["tool_use"], "defaultCompletionOptions": {"contextLength": 100_000}}
    about = {"name": "pond", "version": "1.0.0", "schema": "v1", "models": [model]}
    write(home / ".continue/config.yaml", json.dumps(about))  # JSON is YAML
    return {"CONTINUE_CLI_ENABLE_TELEMETRY": "0", "CONTINUE_ALLOW_ANONYMOUS_TELEMETRY": "0"}


def goose(home: Path, url: str) -> dict[str, str]:
    provider = {"OPENAI_HOST": url.removesuffix("/v1"), "GOOSE_PROVIDER": "openai", "GOOSE_MODEL": MODEL}
    return {**provider, "GOOSE_MODE": "auto", "GOOSE_DISABLE_KEYRING": "1"}


def llm(home: Path, url: str) -> dict[str, str]:
    model = {"model_id": MODEL, "model_name": MODEL, "api_base": url, "supports_tools": True}
    write(home / ".config/io.datasette.llm/extra-openai-models.yaml", json.dumps([model]))
    write(
        home / "tools.py",
        """def shell(command: str) -> str:
    "run a command"
    import subprocess
    return subprocess.run(command, shell=True, capture_output=True, text=True).stdout
""",
    )
    return {}


def vibe(home: Path, url: str) -> dict[str, str]:
    write(
        home / ".vibe/config.toml",
        f"""active_model = "pond"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false
[[providers]]
name = "pond"
api_base = "{url}"
api_key_env_var = "OPENAI_API_KEY"
api_style = "openai"
backend = "generic"
reasoning_field_name = "reasoning_content"
[[models]]
name = "{MODEL}"
provider = "pond"
alias = "pond"
""",
    )
    return {"MISTRAL_API_KEY": "none", "VIBE_ENABLE_TELEMETRY": "false"}


def openhands(home: Path, url: str) -> dict[str, str]:
    model = {"LLM_API_KEY": "none", "LLM_BASE_URL": url, "LLM_MODEL": f"openai/{MODEL}"}
    return {**model, "OPENHANDS_SUPPRESS_BANNER": "1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}


def kilo_commands() -> Path:
    return npm("@kilocode/cli-linux-x64@7.7.9").parent / "@kilocode/cli-linux-x64/bin"


COPILOT = ["copilot", "--allow-all-tools", "--allow-all-paths", "--disable-client-telemetry"]
AIDER = ["aider", "--model", f"openai/{MODEL}", "--no-check-update", "--no-show-model-warnings", "--analytics-disable"]
AIDER += ["--no-gitignore", "--yes-always", "--no-git", "--no-detect-urls", "--no-show-release-notes"]
GPTME = [
    "gptme",
    "--non-interactive",
    "--no-confirm",
    "-m",
    f"local/{MODEL}",
    "--tool-format",
    "tool",
    "--name",
    "pond",
]
AGENTS = [
    RealAgent(
        "Cline",
        lambda: npm("cline@3.0.65", NODE),
        lambda prompt, goes_on: ["cline", prompt],
        ".cline/data/sessions",
        cline,
        grows="*/*.messages.json",
    ),
    RealAgent(
        "Qwen Code",
        lambda: npm("@qwen-code/qwen-code@0.24.4", NODE),
        lambda prompt, goes_on: ["qwen", "--yolo", *(["--continue"] if goes_on else []), "-p", prompt],
        ".qwen/projects",
        qwen,
        grows="*/chats/*.jsonl",
    ),
    RealAgent(
        "pi",
        lambda: npm("@earendil-works/pi-coding-agent@1.5.2", NODE),
        lambda prompt, goes_on: [
            *("pi", "--provider", "pond", "--model", MODEL, "--thinking", "medium"),
            *(["--continue"] if goes_on else []),
            *("-p", prompt),
        ],
        ".pi/agent/sessions",
        pi,
        grows="*/*.jsonl",
    ),
    RealAgent(
        "Copilot CLI",
        lambda: npm("@github/copilot@1.0.102", NODE),
        lambda prompt, goes_on: [*COPILOT, *(["--continue"] if goes_on else []), "-p", prompt],
        ".copilot/session-state",
        copilot,
        grows="*/events.jsonl",
    ),
    RealAgent(
        "Kimi Code",
        lambda: npm("@moonshot-ai/kimi-code@2.1.0", NODE),
        lambda prompt, goes_on: ["kimi", *(["--continue"] if goes_on else []), "-p", prompt],
        ".kimi-code/sessions",
        kimi,
        grows="*/*/agents/main/wire.jsonl",
    ),
    RealAgent(
        "Kilo",
        kilo_commands,
        lambda prompt, goes_on: [
            "kilo",
            "run",
            "-m",
            f"pond/{MODEL}",
            *(["--continue"] if goes_on else []),
            "--",
            prompt,
        ],
        ".local/share/kilo",
        kilo,
    ),
    RealAgent(
        "Continue",
        lambda: npm("@continuedev/cli@1.5.47", NODE),
        lambda prompt, goes_on: ["cn", "--auto", *(["--resume"] if goes_on else []), "-p", prompt],
        ".continue/sessions",
        continue_,
        grows="*-*.json",
        has_thoughts=False,
        has_times=False,
    ),
    RealAgent(
        "goose",
        lambda: npm("@aaif/goose-binary-linux-x64@0.20.1"),
        lambda prompt, goes_on: [
            *("goose", "run", "--with-builtin", "developer"),
            *(["--resume"] if goes_on else []),
            *("-t", prompt),
        ],
        ".local/share/goose/sessions",
        goose,
        has_usage=False,
    ),
    RealAgent(
        "goose",
        lambda: npm("@aaif/goose-binary-linux-x64@1.52.0").parent / "@aaif/goose-binary-linux-x64/bin",
        lambda prompt, goes_on: [
            *("goose", "run", "--with-builtin", "developer"),
            *(["--resume"] if goes_on else []),
            *("-t", prompt),
        ],
        ".local/share/goose/sessions",
        goose,
    ),
    RealAgent(
        "llm",
        lambda: pypi("llm==0.36", "httpx==0.28.1"),
        lambda prompt, goes_on: [
            *("llm", "-m", MODEL, "--key", "none", "--functions", "../home/tools.py", "--chain-limit", "0"),
            *(["-c"] if goes_on else []),
            prompt,
        ],
        ".config/io.datasette.llm/logs.db",
        llm,
        has_thoughts=False,
    ),
    RealAgent(
        "aider",
        lambda: pypi("aider-chat==0.86.2"),
        lambda prompt, goes_on: [*AIDER, "--message", prompt],
        "",
        grows=".aider.chat.history.md",
        has_tools=False,
        has_usage=False,
    ),
    RealAgent(
        "gptme",
        lambda: pypi("gptme==0.35.1"),
        lambda prompt, goes_on: [*GPTME, *(["--resume"] if goes_on else []), prompt],
        ".local/share/gptme/logs",
        grows="*/conversation.jsonl",
        at_once=1,
    ),
    RealAgent(
        "Mistral Vibe",
        lambda: pypi("mistral-vibe==3.0.2", python=python_312()),
        lambda prompt, goes_on: [
            *("vibe", "--trust", "--auto-approve"),
            *(["--continue"] if goes_on else []),
            *("-p", prompt),
        ],
        ".vibe/logs/session",
        vibe,
        has_usage=False,
        has_call_ids=False,
    ),
    RealAgent(
        "OpenHands",
        lambda: pypi("openhands==1.16.0", python=python_312()),
        lambda prompt, goes_on: [
            *("openhands", "--headless", "--override-with-envs"),
            *(["--resume", "--last"] if goes_on else []),
            *("-t", prompt),
        ],
        ".openhands/conversations",
        openhands,
    ),
]


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.program)
def test_the_history_of_an_agent_is_imported_whole(agent: RealAgent, tmp_path: Path) -> None:
    check(agent, tmp_path)


def check(agent: RealAgent, tmp_path: Path) -> None:
    """Ask an agent twice, and compare its history with what was said."""
    with ScriptedModel(agent) as model:
        url = model.provider.base_url
        settings = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": url, "OPENAI_API_BASE": url}
        home = Home(tmp_path, agent.install(), settings | agent.configure(tmp_path / "home", url))
        ask(agent, model, home, WORK if agent.has_tools else AGAIN)
        ask(agent, model, home, AGAIN if agent.has_tools else WORK.replace("work", "again"))
    end_daemons(tmp_path)
    assert len(model.said) >= (4 if agent.has_tools else 2)
    history = home.path / agent.history if agent.history else home.work
    check_import(agent, model, history)
    for number, file in enumerate(sorted(history.glob(agent.grows)) if agent.grows else ()):
        check_cuts(history, file, tmp_path / f"cuts-{number}")
