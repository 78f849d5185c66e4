"""Failures for a model whose context window is unknown: what was found, and the setting to change. Pure."""

from __future__ import annotations

from http import HTTPStatus

from desktop_app.conversation.events import Failure

from .discovery import KEY_REFUSED, ProbeResult
from .endpoint import Endpoint

KEPT = "What you wrote is kept, and nothing was changed in the conversation."
MAX_NAMES = 8


def window_failure(endpoint: Endpoint, model: str, result: ProbeResult | None) -> Failure:
    """Return why the model's window is unknown. result: None if its server was not asked yet."""
    if not endpoint.is_address:
        return _failure(
            endpoint,
            "address",
            f"{endpoint.name} has no valid address",
            f"“{endpoint.base_url}” is not the address of a server.",
            "Write the whole address in the settings, such as http://localhost:1234/v1.",
        )
    if result is None or not result.is_up:
        return _failure(
            endpoint,
            "address",
            f"{endpoint.name} cannot be reached",
            f"Nothing answers at {endpoint.address}, and it never told how many tokens {model} accepts.",
            "Start the server, or check its address in the settings. Then try again.",
            kind="connection",
        )
    if result.status in KEY_REFUSED:
        return key_failure(endpoint, result)
    if result.better_address:
        return version_failure(endpoint, _answered(result), result.better_address)
    return _failure_of_answer(endpoint, model, result)


def version_failure(endpoint: Endpoint, answered: str, better_address: str) -> Failure:
    """Return the failure of an address that lacks its "/v1"."""
    return _failure(
        endpoint,
        "address",
        f"The address of {endpoint.name} lacks “/v1”",
        f"{answered}, but {better_address}/models answers as it should.",
        f"Change the address to {better_address} in the settings.",
    )


def key_failure(endpoint: Endpoint, result: ProbeResult) -> Failure:
    """Return the failure of a server that needs a key, or another one."""
    if endpoint.key:
        title, advice = f"{endpoint.name} refused the key", f"Check the key of {endpoint.name} in the settings."
    else:
        title, advice = f"{endpoint.name} needs a key", f"Enter the key of {endpoint.name} in the settings."
    detail = f"{_answered(result)}{'' if endpoint.key else ', and no key is set'}."
    return _failure(endpoint, "key", title, detail, advice, kind="auth")


def _failure_of_answer(endpoint: Endpoint, model: str, result: ProbeResult) -> Failure:
    server = endpoint.name
    if result.status >= HTTPStatus.INTERNAL_SERVER_ERROR or result.status == HTTPStatus.TOO_MANY_REQUESTS:
        title, advice = f"{server} has a problem of its own", "Try again in a moment: it may still be loading."
        return _failure(endpoint, "address", title, f"{_answered(result)}.", advice, kind="server")
    if result.status != HTTPStatus.OK or not result.is_json:
        detail = f"{_answered(result)}{'' if result.status != HTTPStatus.OK else ' with something else than JSON'}."
        title, advice = f"{server} is not found at this address", "Check the address: it usually ends with /v1."
        return _failure(endpoint, "address", title, detail, advice)
    if result.listed and model not in result.listed:
        names = ", ".join(result.listed[:MAX_NAMES])
        names += f" and {len(result.listed) - MAX_NAMES} more" if len(result.listed) > MAX_NAMES else ""
        title, advice = f"{server} does not have the model {model}", "Change the model's name in the settings."
        return _failure(endpoint, "models", title, f"It offers: {names}.", advice, kind="not_found")
    return _failure(
        endpoint,
        "window",
        f"The window of {model} is not known",
        f"{server} does not say how many tokens {model} accepts.",
        f"Enter the number of tokens for {server} in the settings, such as 8192 or 32K.",
        kind="window_unknown",
    )


def _answered(result: ProbeResult) -> str:
    try:
        return f"{result.url} answered {result.status} ({HTTPStatus(result.status).phrase})"
    except ValueError:
        return f"{result.url} answered {result.status}"


def _failure(endpoint: Endpoint, field: str, title: str, detail: str, advice: str, kind: str = "address") -> Failure:
    return Failure(kind, title, detail, KEPT, advice, setting=f"servers/{endpoint.name}/{field}")
