"""What the application uses of litellm, openai and tiktoken: documented names, and a listed rest with its reasons."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app.models.litellm_library import LiteLLM

APP = Path(__file__).resolve().parents[2] / "desktop_app"
LIBRARIES = ("litellm", "openai", "tiktoken", "httpx")

DOCUMENTED = {
    "litellm.acompletion": "https://docs.litellm.ai/docs/completion/input",
    "litellm.aresponses": "https://docs.litellm.ai/docs/response_api",
    "litellm.get_supported_openai_params": "https://docs.litellm.ai/docs/completion/input",
    "litellm.get_model_info": "https://docs.litellm.ai/docs/completion/token_usage",
    "litellm.model_cost": "https://docs.litellm.ai/docs/completion/token_usage",
    "litellm.suppress_debug_info": "https://docs.litellm.ai/docs/proxy/config_settings",
    "litellm.turn_off_message_logging": "https://docs.litellm.ai/docs/proxy/config_settings",
    "litellm.disable_hf_tokenizer_download": "https://docs.litellm.ai/docs/proxy/config_settings",
    "litellm.llms.custom_httpx.http_handler.AsyncHTTPHandler": "https://docs.litellm.ai/docs/providers/custom_llm_server",
    "openai.AsyncAzureOpenAI": "https://github.com/openai/openai-python#microsoft-azure-openai",
    "openai.AsyncOpenAI": "https://github.com/openai/openai-python#configuring-the-http-client",
    "openai.OpenAIError": "https://github.com/openai/openai-python#handling-errors",
    "tiktoken.Encoding": "https://github.com/openai/tiktoken#extending-tiktoken",
}
REST = {
    "tiktoken.Encoding._mergeable_ranks": "frees 27 MB; a version without it loses nothing else",
    "litellm/litellm_core_utils/tokenizers": "vocabularies, found without an import and checked by their hash",
}
"""Names that no documentation has, and why they are used nevertheless."""


OURS = {f"litellm.{name}" for name in (*dir(LiteLLM), *vars(LiteLLM()))}
"""Our own class is usually in a variable of the same name."""


def names_of(tree: ast.AST) -> Iterator[str]:
    """Yield what a module uses of the libraries, with private attributes of anything that is not its own class."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(str(module), names, 0) if module.partition(".")[0] in LIBRARIES:
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.Import(names):
                yield from (alias.name for alias in names if alias.name.partition(".")[0] in LIBRARIES)
            case ast.Attribute(ast.Name(name) | ast.Attribute(attr=name), attribute) if name in LIBRARIES:
                yield f"{name}.{attribute}"
            case ast.Attribute(value, attribute) if attribute.startswith("_") and not attribute.endswith("__"):
                if not isinstance(value, ast.Name) or value.id not in ("self", "cls", "other", "os"):
                    yield attribute
            case ast.Constant(str(text)) if text.startswith("litellm/"):
                yield text.rpartition("/")[0]


def unlisted(source: str) -> set[str]:
    known = {*DOCUMENTED, *REST, *LIBRARIES, *OURS, *(name.rpartition(".")[2] for name in REST)}
    return {name for name in names_of(ast.parse(source)) if name not in known and not name.startswith("httpx.")}


def test_only_documented_names_of_the_libraries_are_used() -> None:
    found = {str(path): unlisted(path.read_text(encoding="utf-8")) for path in sorted((APP / "models").rglob("*.py"))}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.long
def test_each_listed_name_is_still_used() -> None:
    used = {name for path in APP.rglob("*.py") for name in names_of(ast.parse(path.read_text(encoding="utf-8")))}
    assert {name for name in (*DOCUMENTED, *REST) if not {name, name.rpartition(".")[2]} & used} == set()


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("from openai._streaming import SSEDecoder", "openai._streaming.SSEDecoder"),
        ("from litellm.responses import streaming_iterator", "litellm.responses.streaming_iterator"),
        ("import litellm.utils", "litellm.utils"),
        ("client.litellm.AnthropicConfig.map()", "litellm.AnthropicConfig"),
        ("events._maybe_raise_for_error_event = None", "_maybe_raise_for_error_event"),
    ],
)
def test_a_private_name_is_found(source: str, name: str) -> None:
    assert name in unlisted(source)
