"""Why nobody could tell a model's window, in words for the user: what was found, and the very setting to mend. Pure."""

from __future__ import annotations

from http import HTTPStatus

from desktop_app.conversation.events import Failure

from .discovery import Found
from .endpoint import Endpoint

KEPT = "What you wrote is kept, and nothing was changed in the conversation."
NAMES_SHOWN = 8


def window_failure(endpoint: Endpoint, model: str, found: Found | None) -> Failure:
    """Return the failure of a model whose window is not known. found: what its server answered; None: not asked yet."""
    if not endpoint.is_address:
        return _failure(
            endpoint,
            "address",
            f"{endpoint.name} has no valid address",
            f"“{endpoint.base_url}” is not the address of a server.",
            "Write the whole address in the settings, such as http://localhost:1234/v1.",
        )
    if found is None or not found.is_up:
        return _failure(
            endpoint,
            "address",
            f"{endpoint.name} cannot be reached",
            f"Nothing answers at {endpoint.address}, and it never told how many tokens {model} accepts.",
            "Start the server, or check its address in the settings. Then try again.",
            kind="connection",
        )
    if found.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return key_failure(endpoint, found)
    if found.better_address:
        return version_failure(endpoint, _answered(found), found.better_address)
    return _of_answer(endpoint, model, found)


def version_failure(endpoint: Endpoint, answered: str, better_address: str) -> Failure:
    """Return the failure of an address that lacks its "/v1"."""
    return _failure(
        endpoint,
        "address",
        f"The address of {endpoint.name} lacks “/v1”",
        f"{answered}, but {better_address}/models answers as it should.",
        f"Change the address to {better_address} in the settings.",
    )


def key_failure(endpoint: Endpoint, found: Found) -> Failure:
    """Return the failure of a server that wants a key, or another one."""
    if endpoint.key:
        title, advice = f"{endpoint.name} refused the key", f"Check the key of {endpoint.name} in the settings."
    else:
        title, advice = f"{endpoint.name} needs a key", f"Enter the key of {endpoint.name} in the settings."
    detail = f"{_answered(found)}{'' if endpoint.key else ', and no key is set'}."
    return _failure(endpoint, "key", title, detail, advice, kind="auth")


def _of_answer(endpoint: Endpoint, model: str, found: Found) -> Failure:
    server = endpoint.name
    if found.status >= HTTPStatus.INTERNAL_SERVER_ERROR or found.status == HTTPStatus.TOO_MANY_REQUESTS:
        title, advice = (
            f"{server} has a problem of its own",
            "Try again in a moment: it may still be loading.",
        )
        return _failure(endpoint, "address", title, f"{_answered(found)}.", advice, kind="server")
    if found.status != HTTPStatus.OK or not found.is_json:
        what = f"{_answered(found)}{'' if found.status != HTTPStatus.OK else ' with something else than JSON'}."
        title, advice = f"{server} is not found at this address", "Check the address: it usually ends with /v1."
        return _failure(endpoint, "address", title, what, advice)
    if found.listed and model not in found.listed:
        names = ", ".join(found.listed[:NAMES_SHOWN])
        names += f" and {len(found.listed) - NAMES_SHOWN} more" if len(found.listed) > NAMES_SHOWN else ""
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


def _answered(found: Found) -> str:
    try:
        return f"{found.url} answered {found.status} ({HTTPStatus(found.status).phrase})"
    except ValueError:
        return f"{found.url} answered {found.status}"


def _failure(endpoint: Endpoint, field: str, title: str, detail: str, advice: str, kind: str = "address") -> Failure:
    return Failure(kind, title, detail, KEPT, advice, setting=f"servers/{endpoint.name}/{field}")
