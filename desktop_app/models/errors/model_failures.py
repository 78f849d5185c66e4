"""Translate exceptions of litellm and httpx, and unknown windows, to failures with a title and advice for the user."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from http import HTTPStatus

import msgspec
from msgspec.structs import replace

from desktop_app.addresses import host_of, without_secrets
from desktop_app.chat.ports import MESSAGE_STORED, ErrorKind, ModelError
from desktop_app.connections import ConnectionUnusable
from desktop_app.context.masking import MASK, mask_secrets
from desktop_app.conversation.events import Failure
from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.words import translatable
from desktop_app.models.cloud_credentials import secrets_of_cloud
from desktop_app.models.discovery import KEY_REFUSED, ProbeResult
from desktop_app.models.endpoint import Endpoint, check_connection

from .classify import Classification, classify

MAX_DETAIL = 400
"""Characters of a server's message that are quoted: some answer with a whole page."""


class RequestTarget(msgspec.Struct, frozen=True):
    """The server and the model that a request went to."""

    endpoint: Endpoint
    model: str


ACCOUNTS = {
    "api.anthropic.com": "https://platform.claude.com/settings/billing",
    "api.openai.com": "https://platform.openai.com/settings/organization/billing",
    "openrouter.ai": "https://openrouter.ai/settings/credits",
    "generativelanguage.googleapis.com": "https://aistudio.google.com/usage",
    "api.moonshot.ai": "https://platform.moonshot.ai/console/account",
    "api.moonshot.cn": "https://platform.moonshot.cn/console/account",
    "api.groq.com": "https://console.groq.com/settings/billing",
    "api.deepseek.com": "https://platform.deepseek.com/top_up",
    "api.mistral.ai": "https://admin.mistral.ai/organization/billing",
    "api.x.ai": "https://console.x.ai",
}
"""Pages that show an account's credit and limits, by the host of the API."""

_LITELLM_PREFIX = re.compile(r"^(litellm\.\w+: )+(\w+(Exception|Error) - )?(Error code: \d+ - )?")
_PLAIN_WORD = r"[A-Za-z][a-z]{0,18}(-[a-z]{1,18})*(?![\w*\-])"
_LOOKS_LIKE_KEY = re.compile(
    rf"\b((sk|pk|gsk|xai)[-_ ][A-Za-z0-9*_\-]{{6,}}|(key|Bearer)[-_ ](?!{_PLAIN_WORD})[A-Za-z0-9*_\-]{{6,}}"
    r"|AIza[\w\-]{6,})"
)
_ABOUT_PLACE = re.compile(r"(location|country|region|territory)[^.]{0,40} not supported", re.IGNORECASE)
_ABOUT_TOOLS = re.compile(r"\btools?\b|function call", re.IGNORECASE)
_ABOUT_IMAGES = re.compile(r"\bimages?\b|image_url|multimodal", re.IGNORECASE)
_ABOUT_LENGTH = re.compile(r"max_(completion_|output_)?tokens|maximum tokens you requested", re.IGNORECASE)


def failure_of(
    target: RequestTarget, found: Classification, status: int = 0, offered: tuple[str, ...] = (), detail: str = ""
) -> Failure:
    """Return the failure of a request. status: 0 if no server answered, or for an error inside a stream.

    offered: the models that the server lists, if it was asked. detail: shown if the server sent no message.
    """
    title, advice = _title_and_advice(target, status, found, offered)
    detail = (
        displayable(found.message, target)
        or detail
        or translatable("{address} answered with status {status}.").format(
            address=target.endpoint.shown_address, status=status
        )
    )
    return Failure(found.kind, title, detail, MESSAGE_STORED, advice, setting=_setting(target, found.kind, offered))


def _setting(target: RequestTarget, kind: ErrorKind, offered: tuple[str, ...]) -> str:
    """Return the setting that can solve the problem; "" if there is none."""
    fields: dict[ErrorKind, str] = {"auth": "key", "connection": "address", "garbage": "address"}
    field = fields.get(kind, "") if kind != "not_found" else "models" if offered else "address"
    return f"servers/{target.endpoint.name}/{field}" if field else ""


TITLES: dict[ErrorKind, str] = {
    "overflow": translatable("The conversation is too long for {model}"),
    "rate_limit": translatable("{server} accepts no more requests for now"),
    "quota": translatable("Your quota at {server} is used up"),
    "auth": translatable("{server} refused the key"),
    "not_found": translatable("{server} does not know the model {model}"),
    "malformed": translatable("{server} did not accept how the messages follow each other"),
    "content_filter": translatable("{server} refused the content"),
    "unsupported": translatable("{model} cannot do what was asked"),
    "server": translatable("{server} reported an error of its own"),
    "loading": translatable("{server} is loading the model {model}"),
    "timeout": translatable("{server} has stopped answering"),
    "connection": translatable("{server} cannot be reached"),
    "cut": translatable("The reply of {model} broke off"),
    "garbage": translatable("{server} does not speak OpenAI's protocol"),
    "provider": translatable("{server} did not accept the request"),
}

ADVICE: dict[ErrorKind, str] = {
    "auth": translatable("Check the key of {server} in the settings."),
    "malformed": translatable("Start fresh with a summary, or edit an earlier message and send it again."),
    "content_filter": translatable("Change the last message, or choose another model."),
    "server": translatable("That often passes within a minute. Another model may answer in the meantime."),
    "loading": translatable("Send the message again once the model is loaded."),
    "timeout": translatable("A local server may be busy with another request, or still load the model."),
    "connection": translatable("Start the server, or check its address in the settings and your network."),
    "cut": translatable("The network, the server or a proxy between them closed the connection."),
    "garbage": translatable("Check the address in the settings: it usually ends with /v1."),
    "provider": translatable(
        "Another model may accept it. If every message is refused, start fresh with a summary: the server may refuse "
        "something earlier in the conversation."
    ),
}
"""Advice that does not depend on details of the error."""


def _title_and_advice(
    target: RequestTarget, status: int, found: Classification, offered: tuple[str, ...]
) -> tuple[str, str]:
    names = {"server": target.endpoint.name, "model": target.model}
    if found.kind == "auth" and _ABOUT_PLACE.search(found.message):
        title = translatable("{server} is not available in your region").format(**names)
        return title, translatable("Choose a model of another provider.")
    title = TITLES[found.kind].format(**names)
    if found.kind == "auth" and not target.endpoint.key:
        title = translatable("{server} needs a key").format(**names)
        return title, translatable("Enter the key of {server} in the settings.").format(**names)
    if status == 402:
        title = translatable("{server} asks for payment").format(**names)
    elif found.kind == "timeout" and status:
        title = translatable("{server} took too long").format(**names)
    match found.kind:
        case "overflow":
            advice = _advice_on_length(found)
        case "rate_limit":
            advice = _advice_on_waiting(found)
        case "quota":
            advice = _advice_on_money(target)
        case "not_found":
            advice = _advice_on_models(target, offered)
        case "unsupported":
            advice = _advice_on_abilities(found.message)
        case _:
            advice = ADVICE[found.kind].format(**names)
    return title, advice


def _advice_on_length(found: Classification) -> str:
    more = found.observed - found.limit if found.limit and found.observed > found.limit else 0
    if more:
        return translatable(
            "Optimize the conversation, so that it becomes shorter by {more} tokens or more, or choose a model with a "
            "larger window."
        ).format(more=f"{more:,}")
    return translatable(
        "Optimize the conversation, so that it becomes shorter, or choose a model with a larger window."
    )


def _advice_on_waiting(found: Classification) -> str:
    if found.retry_after is None:
        return translatable("Wait a little, or choose another model.")
    seconds = max(1, round(found.retry_after))
    if seconds == 1:
        return translatable("It takes requests again in a second.")
    if seconds < 120:
        return translatable("It takes requests again in {seconds} seconds.").format(seconds=seconds)
    return translatable("It takes requests again in {minutes} minutes.").format(minutes=round(seconds / 60))


def _advice_on_money(target: RequestTarget) -> str:
    page = ACCOUNTS.get(host_of(target.endpoint.address))
    if page:
        return translatable("See your account at {page}, or choose a model of another provider.").format(page=page)
    return translatable("Check your account with {server}, or choose a model of another provider.").format(
        server=target.endpoint.name
    )


def _advice_on_models(target: RequestTarget, offered: tuple[str, ...]) -> str:
    if not offered:
        address = target.endpoint.shown_address
        return translatable(
            "Check the model's name and the address {address} in the settings (it usually ends with /v1)."
        ).format(address=address)
    names, more = ", ".join(offered[:8]), len(offered) - 8
    if more > 0:
        return translatable("It offers: {names} and {more} more. Change the model in the settings.").format(
            names=names, more=more
        )
    return translatable("It offers: {names}. Change the model in the settings.").format(names=names)


def _advice_on_abilities(message: str) -> str:
    if _ABOUT_LENGTH.search(message):
        return translatable("Lower the longest reply for this model in the settings.")
    if _ABOUT_IMAGES.search(message):
        return translatable("Send the message without that image, or choose a model that can see it.")
    if _ABOUT_TOOLS.search(message):
        return translatable("Switch the tools off for this conversation, or choose a model that can use them.")
    return translatable("Choose another model, or change this one's options in the settings.")


def without_prefix(message: str) -> str:
    """Remove the names of litellm's exceptions from the start of a message. Gateways may also use litellm."""
    return _LITELLM_PREFIX.sub("", message)


MIN_SECRET = 8
"""Characters of a key that is cut out of any text; shorter ones are no secrets, but fill the field."""
DUMMIES = frozenset({"lm-studio", "lmstudio", "not-needed", "not needed", "no-key-needed", "sk-no-key-required"})
"""Longer texts that documentation tells users to enter where no key is needed."""


def without_secret(message: str, secret: str) -> str:
    """Return the message without the secret. Short ones and dummies are not cut out: they are words of other texts."""
    is_dummy = len(secret) < MIN_SECRET or secret.lower() in DUMMIES
    return message if is_dummy else message.replace(secret, "(key)")


def displayable(message: str, target: RequestTarget) -> str:
    """Return a server's message without keys, on one line, shortened to MAX_DETAIL."""
    for secret in (*target.endpoint.secrets, *secrets_of_cloud(target.endpoint)):
        message = without_secret(message, secret)
    message = mask_secrets(without_prefix(message)).replace(MASK, "(key)")
    message = re.sub(r"\s+", " ", _LOOKS_LIKE_KEY.sub("(key)", message)).strip()
    return message if len(message) <= MAX_DETAIL else message[:MAX_DETAIL] + "…"


NOT_TRUSTED = translatable(
    "The certificate of {address} is not trusted. SSL_CERT_FILE can name a file with certificates to trust."
)

EXCEPTIONS: dict[ErrorKind, set[str]] = {
    "auth": {"CredentialsMissing"},
    "connection": {
        "ConnectError",
        "ConnectTimeout",
        "InvalidURL",
        "UnsupportedProtocol",
        "ConnectionUnusable",
        "ProxyError",
    },
    "timeout": {"TimeoutException"},
    "cut": {"NetworkError", "RemoteProtocolError"},
    "garbage": {"JSONDecodeError", "UnicodeDecodeError", "DecodingError"},
}
"""Names of exceptions without an answer of the provider."""


class ErrorResponse(msgspec.Struct, frozen=True):
    """A provider's answer that is not a reply."""

    status: int
    """0 for an error inside a stream."""
    headers: Mapping[str, str]
    text: str


def error_of_response(target: RequestTarget, response: ErrorResponse, offered: tuple[str, ...] = ()) -> ModelError:
    """Return the error of a provider's answer. offered: the models that the server lists, if it was asked."""
    found = classify(response.status, response.headers, response.text)
    failure = failure_of(target, found, response.status, offered)
    tokens = found.limit, found.observed, found.reply
    return ModelError(failure, False, found.kind, found.retry_after, *tokens)


def error_without_response(
    target: RequestTarget, kind: ErrorKind, patience: float = 0.0, message: str = ""
) -> ModelError:
    """Return the error of a request without a valid answer. patience: see `error_of`."""
    address = target.endpoint.shown_address
    details: dict[ErrorKind, str] = {
        "connection": translatable("There was no connection to “{address}”.").format(address=address),
        "timeout": translatable("Nothing came from {address} for {seconds} seconds.").format(
            address=address, seconds=f"{patience:.0f}"
        ),
        "cut": translatable("{address} closed the connection before the reply was finished.").format(address=address),
        "garbage": translatable("{address} answered with something other than a chat completion.").format(
            address=address
        ),
    }
    failure = failure_of(target, Classification(kind, message=message), detail=details.get(kind, message))
    return ModelError(failure, kind=kind)


def odd_reply_error(target: RequestTarget, detail: str = "") -> ModelError:
    """Return the error of a reply that contains something invalid, or is too long. detail: "" for the former."""
    title = translatable("{name} sent something that is not a chat reply").format(name=target.endpoint.name)
    address = target.endpoint.shown_address
    detail = detail or translatable(
        "The reply of {model} began well, then {address} sent something that is not part of one."
    ).format(model=target.model, address=address)
    advice = translatable("If it happens again, the server or a proxy in front of it needs an update.")
    return ModelError(Failure("garbage", title, detail, MESSAGE_STORED, advice), kind="garbage")


def error_of(
    error: BaseException, target: RequestTarget, patience: float, offered: tuple[str, ...] = (), has_begun: bool = False
) -> ModelError:
    """Return the error for an exception of litellm or httpx, or in a stream. patience: seconds of the timeout.

    has_begun: whether chunks of a reply had arrived, which shows that the server speaks the protocol.
    """
    if (response := _response_of(error)) is not None:
        return error_of_response(target, response, offered)
    names = {*(kind.__name__ for kind in type(error).__mro__), *getattr(error, "names", ())}
    if "ResponseTooLarge" in names:
        return odd_reply_error(target, f"{target.endpoint.shown_address}: {error}")
    for kind, known in EXCEPTIONS.items():
        if not known & names:
            continue
        if kind == "garbage" and has_begun:
            return odd_reply_error(target)
        message = str(error) if names & {"ConnectionUnusable", "ProxyError"} else ""
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            message = NOT_TRUSTED.format(address=target.endpoint.shown_address)
        return error_without_response(target, kind, patience, message)
    return error_of_response(target, ErrorResponse(status_of(error), {}, _message_of(error)), offered)


def status_of(error: BaseException) -> int:
    """Return the HTTP status of an exception; 0 if it has none."""
    response = _response_of(error)
    status = response.status if response else getattr(error, "status_code", None)
    return status if isinstance(status, int) else 0


def _response_of(error: BaseException) -> ErrorResponse | None:
    """Return the provider's answer, if this exception has it. litellm's have responses that were never received."""
    response = getattr(error, "response", None)
    if response is None or type(error).__name__ != "HTTPStatusError":
        return None
    return ErrorResponse(response.status_code, response.headers, response.text)


def text_of_error(error: BaseException) -> str:
    """Return what the provider answered, as text; "" if nothing answered."""
    response = _response_of(error)
    return response.text if response is not None else str(getattr(error, "message", ""))


def sent_body_of(error: BaseException) -> Json:
    """Return the body of the request that was refused, as it was written; {} if the error has none."""
    request = getattr(error, "request", None) if _response_of(error) is not None else None
    return json.loads(request.content) if request is not None else {}


def _message_of(error: BaseException) -> str:
    return without_prefix(str(getattr(error, "message", "") or error))


ANSWERED_PHRASE = translatable("{url} answered {status} ({phrase})")
WITHOUT_JSON = translatable("{answered} with something other than JSON.")
KEPT = translatable("What you wrote is kept, and nothing was changed in the conversation.")


NO_LIST = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED,
    HTTPStatus.NOT_IMPLEMENTED,
)
"""Answers of servers that chat, but have no list of models."""


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
    if problem := connection_problem(endpoint):
        return _failure_of_request(endpoint, model, "connection", problem)
    if endpoint.odd_key:
        return odd_key_failure(endpoint)
    if result is None or not result.is_up:
        detail = translatable(
            "Nothing answers at {address}, and it has never said how many tokens {model} accepts."
        ).format(address=endpoint.shown_address, model=model)
        return _failure_of_request(endpoint, model, "connection", detail)
    if result.status in KEY_REFUSED:
        return key_failure(endpoint, result)
    if result.better_address:
        return version_failure(endpoint, _answer_of(result), result.better_address)
    if result.is_loading:
        detail = translatable("The window of {model} is known once it is loaded.").format(model=model)
        return _failure_of_request(endpoint, model, "loading", detail)
    if result.status in NO_LIST:
        return _window_unknown(endpoint, model, translatable("{answered}.").format(answered=_answer_of(result)))
    if result.status >= HTTPStatus.INTERNAL_SERVER_ERROR or result.status == HTTPStatus.TOO_MANY_REQUESTS:
        return _failure_of_request(endpoint, model, "server", f"{_answer_of(result)}.")
    if result.status != HTTPStatus.OK or not result.is_json:
        detail = translatable("{answered}.") if result.status != HTTPStatus.OK else WITHOUT_JSON
        detail = detail.format(answered=_answer_of(result))
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
    return _window_unknown(endpoint, model)


def _window_unknown(endpoint: Endpoint, model: str, answered: str = "") -> Failure:
    """Return the question for the window. answered: the answer of a server that has no list of models."""
    title = translatable("The window of {model} is not known").format(model=model)
    detail = translatable("{server} does not say how many tokens {model} accepts.")
    detail = " ".join(filter(None, (detail.format(server=endpoint.name, model=model), answered)))
    advice = translatable("Enter in the settings how many tokens {model} accepts, such as 8192 or 32K.")
    if answered:
        advice = translatable(
            "Enter in the settings how many tokens {model} accepts, such as 8192 or 32K. If the server has a list of "
            "models, check the address: it usually ends with /v1."
        )
    return _failure_of_setting(
        endpoint, f"window/{model}", title, detail, advice.format(model=model), kind="window_unknown"
    )


def connection_problem(endpoint: Endpoint) -> str:
    """Return why the environment keeps the server from being reached; "" if it does not."""
    try:
        check_connection(endpoint)
    except ConnectionUnusable as error:
        return str(error)
    return ""


def odd_key_failure(endpoint: Endpoint) -> Failure:
    """Return the failure of a key that no request can contain."""
    detail = translatable("The key contains {characters}, which no key does.")
    return Failure(
        "auth",
        translatable("The key of {server} cannot be sent").format(server=endpoint.name),
        detail.format(characters=endpoint.odd_key[:MAX_SHOWN]),
        KEPT,
        translatable("Copy the key again, and enter it in the settings."),
        setting=f"servers/{endpoint.name}/key",
    )


MAX_SHOWN = 3
"""Characters of a key that are shown, if they cannot be sent: all of them would be the key."""


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
    detail = detail.format(answered=_answer_of(result))
    return _failure_of_request(endpoint, "", "auth", detail)


def _answer_of(result: ProbeResult) -> str:
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
