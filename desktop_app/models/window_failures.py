"""Failures for a model with an unknown context window: the reason, and the setting to change. Pure."""

from __future__ import annotations

from http import HTTPStatus

from msgspec.structs import replace

from desktop_app.addresses import without_secrets
from desktop_app.chat.ports import ErrorKind
from desktop_app.conversation.events import Failure
from desktop_app.conversation.words import translatable

from .discovery import KEY_REFUSED, ProbeResult
from .endpoint import Endpoint
from .errors.classify import Classification
from .errors.model_failures import RequestTarget, failure_of

ANSWERED_PHRASE = translatable("{url} answered {status} ({phrase})")
WITHOUT_JSON = translatable("{answered} with something other than JSON.")
KEPT = translatable("What you wrote is kept, and nothing was changed in the conversation.")


def window_failure(endpoint: Endpoint, model: str, result: ProbeResult | None) -> Failure:
    """Return the failure that says why the model's window is unknown. result: None if its server was not asked yet."""
    server = endpoint.name
    if not endpoint.is_address:
        detail = translatable("“{base_url}” is not the address of a server.").format(
            base_url=without_secrets(endpoint.base_url)
        )
        advice = translatable("Write the whole address in the settings, such as http://localhost:1234/v1.")
        return _failure_of_setting(
            endpoint, "address", translatable("{server} has no valid address").format(server=server), detail, advice
        )
    if result is None or not result.is_up:
        detail = translatable(
            "Nothing answers at {address}, and it has never said how many tokens {model} accepts."
        ).format(address=endpoint.shown_address, model=model)
        return _failure_of_request(endpoint, model, "connection", detail)
    if result.status in KEY_REFUSED:
        return key_failure(endpoint, result)
    if result.better_address:
        return version_failure(endpoint, _answered(result), result.better_address)
    if result.status >= HTTPStatus.INTERNAL_SERVER_ERROR or result.status == HTTPStatus.TOO_MANY_REQUESTS:
        return _failure_of_request(endpoint, model, "server", f"{_answered(result)}.")
    if result.status != HTTPStatus.OK or not result.is_json:
        detail = translatable("{answered}.") if result.status != HTTPStatus.OK else WITHOUT_JSON
        detail = detail.format(answered=_answered(result))
        advice = translatable("Check the address: it usually ends with /v1.")
        return _failure_of_setting(
            endpoint,
            "address",
            translatable("{server} is not found at this address").format(server=server),
            detail,
            advice,
        )
    if result.listed and model not in result.listed:
        return _failure_of_request(
            endpoint, model, "not_found", translatable("It does not list {model}.").format(model=model), result.listed
        )
    title, detail = (
        translatable("The window of {model} is not known").format(model=model),
        translatable("{server} does not say how many tokens {model} accepts.").format(server=server, model=model),
    )
    advice = translatable("Enter in the settings how many tokens {model} accepts, such as 8192 or 32K.").format(
        model=model
    )
    return _failure_of_setting(endpoint, f"window/{model}", title, detail, advice, kind="window_unknown")


def version_failure(endpoint: Endpoint, answered: str, better_address: str) -> Failure:
    """Return the failure of an address that lacks its "/v1"."""
    title = translatable("The address of {name} lacks “/v1”").format(name=endpoint.name)
    better_address = without_secrets(better_address)
    detail = translatable("{answered}, but {better_address}/models answers as it should.").format(
        answered=answered, better_address=better_address
    )
    return _failure_of_setting(
        endpoint,
        "address",
        title,
        detail,
        translatable("Change the address to {better_address} in the settings.").format(better_address=better_address),
    )


def key_failure(endpoint: Endpoint, result: ProbeResult) -> Failure:
    """Return the failure of a server that needs a key or refused it."""
    detail = translatable("{answered}.") if endpoint.key else translatable("{answered}, and no key is set.")
    detail = detail.format(answered=_answered(result))
    return _failure_of_request(endpoint, "", "auth", detail)


def _answered(result: ProbeResult) -> str:
    try:
        phrase = HTTPStatus(result.status).phrase
        return ANSWERED_PHRASE.format(url=result.url, status=result.status, phrase=phrase)
    except ValueError:
        return translatable("{url} answered {status}").format(url=result.url, status=result.status)


def _failure_of_request(
    endpoint: Endpoint, model: str, kind: ErrorKind, detail: str, offered: tuple[str, ...] = ()
) -> Failure:
    failure = failure_of(RequestTarget(endpoint, model), Classification(kind), offered=offered, detail=detail)
    return replace(failure, kept=KEPT, setting=failure.setting or f"servers/{endpoint.name}/address")


def _failure_of_setting(
    endpoint: Endpoint, field: str, title: str, detail: str, advice: str, kind: str = "address"
) -> Failure:
    return Failure(kind, title, detail, KEPT, advice, setting=f"servers/{endpoint.name}/{field}")
