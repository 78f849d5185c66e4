"""What is said to people about a provider's error: a title, the provider's own words, and what would help."""

from __future__ import annotations

import re

import msgspec

from desktop_app.addresses import host_of
from desktop_app.chat.ports import ErrorKind
from desktop_app.conversation.events import Failure

from .kinds import Verdict

KEPT = "Your message is stored, and so is what had arrived of the reply."
LONGEST_DETAIL = 400
"""Characters quoted of what a server said: some answer with a whole page."""


class Where(msgspec.Struct, frozen=True):
    """Whom a request went to. key: never shown; it is here to be cut out of what a server says."""

    server: str
    base_url: str
    model: str
    key: str = ""

    def __repr__(self) -> str:
        return f"Where({self.server!r}, {self.base_url!r}, {self.model!r})"


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
"""Where an account's credit and limits are seen, by the host of the API."""

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


def failure_of(where: Where, status: int, verdict: Verdict, offered: tuple[str, ...] = ()) -> Failure:
    """The failure of an answer. offered: the models that the server lists, if it was asked."""
    said = shown(verdict.said, where)
    title, advice = _title_and_advice(where, status, verdict, offered)
    detail = said or f"{where.base_url} answered with status {status} and no word."
    return Failure(verdict.kind, title, detail, KEPT, advice, setting=_setting(where, verdict.kind, offered))


def said_by_us(where: Where, kind: ErrorKind, patience: float = 0.0, said: str = "") -> Failure:
    """The failure where no provider said anything: nobody there, silence, a cut, something that is not the API.

    said: what a proxy on the way has said.
    """
    title, advice = _title_and_advice(where, 0, Verdict(kind), ())
    details = {
        "connection": f"There was no connection to “{where.base_url}”.",
        "timeout": f"Nothing came from {where.base_url} for {patience:.0f} seconds.",
        "cut": f"{where.base_url} closed the connection before the reply was finished.",
        "garbage": f"{where.base_url} answered with something else than a chat completion.",
    }
    detail = shown(said, where) or details.get(kind, "")
    return Failure(kind, title, detail, KEPT, advice, setting=_setting(where, kind, ()))


def _setting(where: Where, kind: ErrorKind, offered: tuple[str, ...]) -> str:
    """Where that is mended in the settings; "" where it is not."""
    fields: dict[ErrorKind, str] = {"auth": "key", "connection": "address", "garbage": "address"}
    field = fields.get(kind, "") if kind != "not_found" else "models" if offered else "address"
    return f"servers/{where.server}/{field}" if field else ""


def odd_reply(where: Where) -> Failure:
    """Return the failure of a reply in which something came that is no piece of one."""
    return Failure(
        "garbage",
        f"{where.server} sent something that is not a chat reply",
        f"The reply of {where.model} began well, then {where.base_url} sent something else.",
        KEPT,
        "Try again, or choose another model. If it stays so, the server or a proxy before it needs an update.",
    )


def sent_too_much(where: Where, said: str) -> Failure:
    """Return the failure of an answer that was longer than is read. said: how long."""
    title = f"{where.server} sent more than can be read"
    return Failure("garbage", title, f"{where.base_url}: {said}", KEPT, "Try again, or choose another model.")


TITLES: dict[ErrorKind, str] = {
    "overflow": "The conversation is too long for {model}",
    "rate_limit": "{server} takes no more requests for now",
    "quota": "Your quota at {server} is used up",
    "auth": "{server} refused the key",
    "not_found": "{server} does not know the model {model}",
    "malformed": "{server} did not accept how the messages follow each other",
    "content_filter": "{server} refused the content",
    "unsupported": "{model} cannot do what was asked",
    "server": "{server} has a problem of its own",
    "timeout": "{server} has stopped answering",
    "connection": "{server} cannot be reached",
    "cut": "The reply of {model} broke off",
    "garbage": "{server} does not speak OpenAI's protocol",
    "provider": "{server} did not accept the request",
}

ADVICE: dict[ErrorKind, str] = {
    "auth": "Check the key of {server} in the settings.",
    "malformed": "Try again. If that does not help, go back to before the last messages, or change the model.",
    "content_filter": "Change the last message, or choose another model.",
    "server": "Try again in a moment.",
    "timeout": "Try again. A local server may be busy with another request.",
    "connection": "Start the server, or check its address in the settings and your network.",
    "cut": "Try again.",
    "garbage": "Check the address in the settings: it usually ends with /v1.",
    "provider": "Try again, or choose another model.",
}
"""The kinds whose advice is always the same."""


def _title_and_advice(where: Where, status: int, verdict: Verdict, offered: tuple[str, ...]) -> tuple[str, str]:
    names = {"server": where.server, "model": where.model}
    if verdict.kind == "auth" and _ABOUT_PLACE.search(verdict.said):
        return f"{where.server} does not serve this place", "Choose a model of another provider."
    title = TITLES[verdict.kind].format(**names)
    if verdict.kind == "auth" and not where.key:
        return f"{where.server} needs a key", f"Enter the key of {where.server} in the settings."
    if status == 402:
        title = f"{where.server} wants to be paid"
    elif verdict.kind == "timeout" and status:
        title = f"{where.server} took too long"
    match verdict.kind:
        case "overflow":
            advice = _advice_on_length(verdict)
        case "rate_limit":
            advice = _advice_on_waiting(verdict)
        case "quota":
            advice = _advice_on_money(where)
        case "not_found":
            advice = _advice_on_models(where, offered)
        case "unsupported":
            advice = _advice_on_abilities(verdict.said)
        case _:
            advice = ADVICE[verdict.kind].format(**names)
    return title, advice


def _advice_on_length(verdict: Verdict) -> str:
    more = verdict.observed - verdict.limit if verdict.limit and verdict.observed > verdict.limit else 0
    by = f" by {more:,} tokens or more" if more else ""
    return f"Optimize the conversation, so that it becomes shorter{by}, or choose a model with a larger window."


def _advice_on_waiting(verdict: Verdict) -> str:
    if verdict.retry_after is None:
        return "Wait a little and try again."
    seconds = max(1, round(verdict.retry_after))
    wait = f"{seconds} seconds" if seconds < 120 else f"{round(seconds / 60)} minutes"
    return f"Try again in {wait}." if seconds > 1 else "Try again in a second."


def _advice_on_money(where: Where) -> str:
    page = ACCOUNTS.get(host_of(where.base_url))
    if page:
        return f"See your account at {page}, or choose a model of another provider."
    return f"Check your account with {where.server}, or choose a model of another provider."


def _advice_on_models(where: Where, offered: tuple[str, ...]) -> str:
    if not offered:
        return f"Check the model's name and the address {where.base_url} in the settings (it usually ends with /v1)."
    names = ", ".join(offered[:8]) + (f" and {len(offered) - 8} more" if len(offered) > 8 else "")
    return f"It offers: {names}. Change the model in the settings."


def _advice_on_abilities(said: str) -> str:
    if _ABOUT_LENGTH.search(said):
        return "Set a shorter longest reply for this model in the settings."
    if _ABOUT_IMAGES.search(said):
        return "Send the message without that image, or choose a model that can see it."
    if _ABOUT_TOOLS.search(said):
        return "Switch the tools off for this conversation, or choose a model that can use them."
    return "Choose another model, or change this one's options in the settings."


def without_prefix(said: str) -> str:
    """Words without the names of litellm's exceptions before them: a gateway may be litellm, too."""
    return _LITELLM_PREFIX.sub("", said)


def shown(said: str, where: Where) -> str:
    """A server's words, fit to be shown: without keys, on few lines, not too long."""
    if where.key:
        said = said.replace(where.key, "(key)")
    said = re.sub(r"\s+", " ", _LOOKS_LIKE_KEY.sub("(key)", without_prefix(said))).strip()
    return said if len(said) <= LONGEST_DETAIL else said[:LONGEST_DETAIL] + "…"
