"""Failures for a model whose context window is unknown: what was found, and the setting to change. Pure."""

from __future__ import annotations

from http import HTTPStatus

from msgspec.structs import replace

from desktop_app.chat.ports import ErrorKind
from desktop_app.conversation.events import Failure

from .discovery import KEY_REFUSED, ProbeResult
from .endpoint import Endpoint
from .errors.advice import RequestTarget, failure_of
from .errors.classify import Classification

KEPT = "What you wrote is kept, and nothing was changed in the conversation."


def window_failure(endpoint: Endpoint, model: str, result: ProbeResult | None) -> Failure:
    """Return why the model's window is unknown. result: None if its server was not asked yet."""
    server = endpoint.name
    if not endpoint.is_address:
        detail = f"“{endpoint.base_url}” is not the address of a server."
        advice = "Write the whole address in the settings, such as http://localhost:1234/v1."
        return _failure_of_setting(endpoint, "address", f"{server} has no valid address", detail, advice)
    if result is None or not result.is_up:
        detail = f"Nothing answers at {endpoint.address}, and it never told how many tokens {model} accepts."
        return _failure_of_request(endpoint, model, "connection", detail)
    if result.status in KEY_REFUSED:
        return key_failure(endpoint, result)
    if result.better_address:
        return version_failure(endpoint, _answered(result), result.better_address)
    if result.status >= HTTPStatus.INTERNAL_SERVER_ERROR or result.status == HTTPStatus.TOO_MANY_REQUESTS:
        return _failure_of_request(endpoint, model, "server", f"{_answered(result)}.")
    if result.status != HTTPStatus.OK or not result.is_json:
        detail = f"{_answered(result)}{'' if result.status != HTTPStatus.OK else ' with something else than JSON'}."
        advice = "Check the address: it usually ends with /v1."
        return _failure_of_setting(endpoint, "address", f"{server} is not found at this address", detail, advice)
    if result.listed and model not in result.listed:
        return _failure_of_request(endpoint, model, "not_found", f"It does not list {model}.", result.listed)
    title, detail = f"The window of {model} is not known", f"{server} does not say how many tokens {model} accepts."
    advice = f"Enter the number of tokens for {server} in the settings, such as 8192 or 32K."
    return _failure_of_setting(endpoint, "window", title, detail, advice, kind="window_unknown")


def version_failure(endpoint: Endpoint, answered: str, better_address: str) -> Failure:
    """Return the failure of an address that lacks its "/v1"."""
    title = f"The address of {endpoint.name} lacks “/v1”"
    detail = f"{answered}, but {better_address}/models answers as it should."
    return _failure_of_setting(
        endpoint, "address", title, detail, f"Change the address to {better_address} in the settings."
    )


def key_failure(endpoint: Endpoint, result: ProbeResult) -> Failure:
    """Return the failure of a server that needs a key, or another one."""
    detail = f"{_answered(result)}{'' if endpoint.key else ', and no key is set'}."
    return _failure_of_request(endpoint, "", "auth", detail)


def _answered(result: ProbeResult) -> str:
    try:
        return f"{result.url} answered {result.status} ({HTTPStatus(result.status).phrase})"
    except ValueError:
        return f"{result.url} answered {result.status}"


def _failure_of_request(
    endpoint: Endpoint, model: str, kind: ErrorKind, detail: str, offered: tuple[str, ...] = ()
) -> Failure:
    failure = failure_of(RequestTarget(endpoint, model), Classification(kind), offered=offered, detail=detail)
    return replace(failure, kept=KEPT, setting=failure.setting or f"servers/{endpoint.name}/address")


def _failure_of_setting(
    endpoint: Endpoint, field: str, title: str, detail: str, advice: str, kind: str = "address"
) -> Failure:
    return Failure(kind, title, detail, KEPT, advice, setting=f"servers/{endpoint.name}/{field}")
