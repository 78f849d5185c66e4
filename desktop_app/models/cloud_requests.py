"""Write requests to Azure OpenAI, Bedrock and Vertex as litellm writes them, and list these platforms' models.

Vertex takes requests of Gemini, of Anthropic and of OpenAI, each at its own address: litellm writes them as for those
providers, since it writes Vertex's only with Google's library.

https://learn.microsoft.com/azure/ai-services/openai/reference
https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
"""

from __future__ import annotations

import os
from typing import Any

import msgspec

from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.words import translatable

from .cloud_credentials import CredentialsMissing, google_file
from .endpoint import GOOGLE_LOCATION, Endpoint
from .published import ModelCapabilities
from .reply_formats import WireFormat

AZURE_VERSION = "2024-10-21"
AZURE_LIST_VERSION = "2023-03-15-preview"
"""The last version of Azure's API that lists deployments."""
CLAUDE_VERSION = "vertex-2023-10-16"
_PROJECTS = ("GOOGLE_CLOUD_PROJECT", "VERTEXAI_PROJECT", "GCLOUD_PROJECT")


class CloudCall(msgspec.Struct, frozen=True):
    """How litellm is called. client: whose HTTP client it is given. address: of OpenAI's or Azure's client."""

    model: str
    client: str
    address: str = ""
    fields: Json = {}


def call_of(endpoint: Endpoint, model: str, wire: WireFormat) -> CloudCall:
    """Return how litellm is called for a model of that endpoint. Raises CredentialsMissing without a project."""
    match endpoint.kind, wire:
        case "azure", _ if is_azure_v1(endpoint):
            return CloudCall(f"openai/{model}", "openai", endpoint.api_base)
        case "azure", _:
            fields = {"api_version": endpoint.cloud.api_version or AZURE_VERSION}
            return CloudCall(f"azure/{model}", "azure", azure_root(endpoint), fields)
        case "bedrock", _:
            fields = {"aws_bedrock_runtime_endpoint": endpoint.address, "aws_region_name": endpoint.region}
            return CloudCall(f"bedrock/converse/{model}", "litellm", fields=fields)
        case _, "gemini":
            return CloudCall(f"gemini/{model}", "litellm", f"{vertex_place(endpoint)}/publishers/google")
        case _, "anthropic":
            return CloudCall(f"anthropic/{model}", "litellm", endpoint.address)
        case _:
            return CloudCall(f"openai/{model}", "openai", f"{vertex_place(endpoint)}/endpoints/openapi")


def as_sent(endpoint: Endpoint, model: str, wire: WireFormat, url: str, body: Any) -> tuple[str, Any]:
    """Return the address and the body as the platform takes them."""
    if endpoint.kind != "vertex" or wire != "anthropic":
        return url, body
    place = f"{vertex_place(endpoint)}/publishers/anthropic/models/{model}:streamRawPredict"
    return place, {"anthropic_version": CLAUDE_VERSION} | {name: body[name] for name in body if name != "model"}


def azure_root(endpoint: Endpoint) -> str:
    """Return the address of the resource, without the path of its API."""
    return endpoint.address.partition("/openai")[0]


def is_azure_v1(endpoint: Endpoint) -> bool:
    """Return whether the address is of Azure's newer API, which has no versions."""
    return "/openai/v1" in endpoint.address


def vertex_place(endpoint: Endpoint) -> str:
    """Return the address of the project and location. Raises CredentialsMissing if no project is known."""
    return f"{endpoint.address}/v1/projects/{vertex_project(endpoint)}/locations/{endpoint.region or GOOGLE_LOCATION}"


def vertex_project(endpoint: Endpoint) -> str:
    """Return the project: of the settings, the environment or the credentials. Raises CredentialsMissing."""
    named = endpoint.cloud.project or next(filter(None, (os.environ.get(name, "") for name in _PROJECTS)), "")
    file = {} if named else google_file(endpoint)
    project = named or str(file.get("project_id") or file.get("quota_project_id") or "")
    if not project:
        raise CredentialsMissing(
            translatable("No project of Google Cloud is named: enter it in the settings, or set GOOGLE_CLOUD_PROJECT.")
        )
    return project


def list_urls(endpoint: Endpoint) -> tuple[str, ...]:
    """Return the addresses at which a platform lists its models."""
    match endpoint.kind:
        case "azure":
            if is_azure_v1(endpoint):
                return (f"{endpoint.address}/models",)
            return (f"{azure_root(endpoint)}/openai/deployments?api-version={AZURE_LIST_VERSION}",)
        case "bedrock":
            address = endpoint.address.replace("//bedrock-runtime.", "//bedrock.", 1)
            lists = ("inference-profiles?maxResults=1000", "foundation-models?byOutputModality=TEXT")
            return tuple(f"{address}/{path}" for path in lists)
        case _:
            publishers = ("google", "anthropic")
            return tuple(f"{endpoint.address}/v1beta1/publishers/{name}/models?pageSize=200" for name in publishers)


def cloud_models_in(answer: Any) -> dict[str, ModelCapabilities]:
    """Return the models that a platform lists, which can be chatted with, with what the list says of them."""
    fields: Json = answer if isinstance(answer, dict) else {}
    names = ("inferenceProfileSummaries", "modelSummaries", "publisherModels", "data")
    entries = next((fields[name] for name in names if isinstance(fields.get(name), list)), [])
    found: dict[str, ModelCapabilities] = {}
    for entry in entries:
        if isinstance(entry, dict) and (name := _name_in(entry)):
            inputs = entry.get("inputModalities")
            sees = "IMAGE" in inputs if isinstance(inputs, list) else None
            found.setdefault(name, ModelCapabilities(supports_vision=sees))
    return found


def _name_in(entry: Json) -> str:
    """Return the name under which the model is used; "" for one that does not stream text."""
    types = entry.get("inferenceTypesSupported")
    if isinstance(types, list) and "ON_DEMAND" not in types:
        return ""  # it is used through its inference profiles
    if entry.get("responseStreamingSupported") is False or entry.get("status") in ("failed", "deleted"):
        return ""
    name = entry.get("inferenceProfileId") or entry.get("modelId") or entry.get("id") or entry.get("name")
    text = name.rpartition("/models/")[2] if isinstance(name, str) else ""
    return "" if "embed" in text.lower() or "imagen" in text.lower() else text
