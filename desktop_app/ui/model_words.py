"""Texts about models: their windows, prices and abilities, and the results of testing a server. Pure functions."""

from __future__ import annotations

from desktop_app.conversation import quirks
from desktop_app.conversation.listing import CacheReset, SwitchPreview, WindowSource
from desktop_app.conversation.model_servers import CheckKind, CheckResult, CheckState, ModelOffer, ModelPrice
from desktop_app.conversation.quirks import Learned
from desktop_app.conversation.words import translatable

from .translation import tr, tr_engine
from .widgets.number_formats import format_decimal, format_dollars, format_number, format_wait

SOURCES: dict[WindowSource, str] = {
    "settings": translatable("set here"),
    "server": translatable("reported by the server"),
    "earlier": translatable("reported by the server earlier"),
    "catalogue": translatable("from the catalogue"),
    "assumed": translatable("assumed"),
}
PROMPT_TOKENS, REPLY_TOKENS = 400, 600
"""At most, in both requests of a test together: two short questions with a tool, and 300 tokens for each reply."""
_FIXED: dict[tuple[CheckKind, CheckState], str] = {
    ("reached", "bad"): translatable("Nothing answers at {detail}"),
    ("listed", "unsure"): translatable("It has no list of models: enter their names"),
    ("key", "good"): translatable("Access is granted"),
    ("key", "bad"): translatable("The key was refused. {detail}"),
    ("window", "unsure"): translatable("The context window is not known: enter it below the list"),
    ("replied", "good"): translatable("The model answered in {time}"),
    ("streamed", "unsure"): translatable("It does not stream: the answer came in one piece"),
    ("tools", "good"): translatable("It calls tools"),
    ("tools", "unsure"): translatable("It did not call the tool that it was offered"),
}


def short_window(tokens: int) -> str:
    """Return a window's size as "8K", "200K" or "1M"."""
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.1f}M".replace(".0M", "M")
    if tokens < 1_000:
        return str(tokens)
    return f"{tokens // (1_000 if tokens % 1_000 == 0 else 1_024)}K"


def part_of_window(window: int, most: int) -> str:
    """Return "200K of 1M", for a window of which at most some tokens are used, or "1M". most: 0 for no limit."""
    if not 0 < most < window:
        return short_window(window)
    return tr("{part} of {window}").format(part=short_window(most), window=short_window(window))


def price_words(price: ModelPrice | None, is_local: bool = False) -> str:
    """Return the prices of a million tokens, in the prompt and in the reply: "$3 / $15"."""
    if is_local:
        return tr("local, free")
    if price is None:
        return tr("price unknown")
    return f"{_dollars(price.prompt)} / {_dollars(price.reply)}"


def _dollars(dollars: float) -> str:
    return f"${dollars:.3f}".rstrip("0").rstrip(".") if dollars < 0.1 else f"${dollars:.2f}".removesuffix(".00")


def abilities(supports_tools: bool | None, supports_vision: bool | None) -> str:
    """Return what a model can do in addition to text; "" if nothing is known."""
    return ", ".join(filter(None, (tr("tools") if supports_tools else "", tr("vision") if supports_vision else "")))


def offer_words(offer: ModelOffer) -> str:
    """Return a line about a model that a server lists."""
    window = short_window(offer.window) if offer.window else ""
    price = "" if offer.price is None and not offer.runs_here else price_words(offer.price, offer.runs_here)
    return " · ".join(filter(None, (abilities(offer.supports_tools, offer.supports_vision), price, window)))


def window_words(window: int, source: WindowSource) -> str:
    """Return the size of a context window and the source of that number."""
    if not window:
        return tr("not known")
    words = tr("{tokens} tokens").format(tokens=format_number(window))
    return f"{words}, {tr(SOURCES[source])}" if source in SOURCES else words


LEARNED: dict[str, str] = {
    quirks.MAX_COMPLETION_TOKENS: translatable("“max_completion_tokens” instead of “max_tokens”"),
    quirks.MAX_TOKENS: translatable("“max_tokens” instead of “max_completion_tokens”"),
    quirks.NO_TOOLS: translatable("no tools"),
    quirks.CALLS_AS_TEXT: translatable("earlier calls written as text"),
    quirks.ALTERNATING: translatable("only messages of the user and of the model in turn"),
    quirks.NO_SYSTEM: translatable("the system prompt in the first message"),
    quirks.ONE_CALL: translatable("one call in a reply"),
    quirks.TEXT_WITH_RESULT: translatable("what was said with a call together with its result"),
    quirks.NO_USER_AFTER_TOOL: translatable("a short reply between a result and a message"),
    quirks.ALL_REASONING: translatable("the thoughts before all calls"),
    quirks.EVERY_REASONING: translatable("all thoughts"),
    quirks.NO_REASONING: translatable("no thoughts"),
    quirks.SIGNATURES: translatable("a signature for calls of other models"),
    quirks.SHORT_IDS: translatable("short ids of calls"),
}
"""How requests differ, by the quirk, as the end of a sentence."""


def learned_words(learned: Learned) -> str:
    """Return what refusals have taught about a model; "" if nothing."""
    window = tr("it accepts {tokens} tokens").format(tokens=format_number(learned.window)) if learned.window else ""
    sent = ", ".join(map(_quirk_words, learned.quirks))
    words = "; ".join(filter(None, (window, tr("it is sent {what}").format(what=sent) if sent else "")))
    return tr("Learned from its server’s refusals: {what}.").format(what=words) if words else ""


def _quirk_words(quirk: str) -> str:
    if quirk.startswith(quirks.WITHOUT):
        return tr("no “{field}”").format(field=quirk.removeprefix(quirks.WITHOUT))
    if quirk.startswith(quirks.PICTURES):
        return tr("at most %n pictures", "", int(quirk.removeprefix(quirks.PICTURES)))
    return tr(LEARNED[quirk]) if quirk in LEARNED else quirk


def reset_words(reset: CacheReset) -> str:
    """Return what the next message costs once the provider's cache is lost: "next message $0.19 instead of $0.02"."""
    if reset.dollars is None or reset.dollars_after is None:
        return tr("reads {tokens} tokens again").format(tokens=format_number(reset.tokens))
    after, now = _cents(reset.dollars_after), _cents(reset.dollars)
    return tr("next message {after} instead of {now}").format(after=after, now=now)


def change_words(reset: CacheReset) -> str:
    """Return the same as a sentence about a change of the tools or the instructions."""
    tokens = format_number(reset.tokens)
    if reset.dollars is None or reset.dollars_after is None:
        words = tr("After a change here, {tokens} tokens are read again that the provider has in its cache.")
        return words.format(tokens=tokens)
    words = tr(
        "After a change here, {tokens} tokens are read again that the provider has in its cache: the next message "
        "costs {after} instead of {now}."
    )
    return words.format(tokens=tokens, after=_cents(reset.dollars_after), now=_cents(reset.dollars))


def project_change_words(reset: CacheReset) -> str:
    """Return the same about a change of a project's instructions, which all of its conversations begin with."""
    tokens = format_number(reset.tokens)
    if reset.dollars is None or reset.dollars_after is None:
        words = tr(
            "After a change, the provider has to read each conversation again: {tokens} tokens of the open one are in "
            "its cache now."
        )
        return words.format(tokens=tokens)
    words = tr(
        "After a change, the provider has to read each conversation again: {tokens} tokens of the open one are in its "
        "cache now, and its next message costs {after} instead of {now}."
    )
    return words.format(tokens=tokens, after=_cents(reset.dollars_after), now=_cents(reset.dollars))


def _cents(dollars: float) -> str:
    return tr("${amount}").format(amount=format_decimal(dollars, 2))


def preview_words(preview: SwitchPreview) -> str:
    """Return a line about what using a model would mean for the conversation."""
    total, usable, after = map(format_number, (preview.total, preview.usable, preview.after))
    match preview.verdict:
        case "fits":
            return tr("fits: {total} of {usable}").format(total=total, usable=usable)
        case "compact":
            return tr("older messages are summarized first: {total} → {after}").format(total=total, after=after)
        case "too_small":
            return tr("too small: {total} of {usable}").format(total=total, usable=usable)
        case "unknown":
            return tr("{total} tokens; its window is not known").format(total=total)


def probe_price(price: ModelPrice | None, is_local: bool) -> str:
    """Return a sentence about the maximum cost of a test."""
    if is_local:
        return tr("A test sends two short requests. They cost nothing.")
    if price is None:
        return tr("A test sends two short requests, of {tokens} tokens at most.").format(
            tokens=format_number(PROMPT_TOKENS + REPLY_TOKENS)
        )
    dollars = (PROMPT_TOKENS * price.prompt + REPLY_TOKENS * price.reply) / 1e6
    return tr("A test sends two short requests, for {price} at most.").format(price=format_dollars(dollars))


def result_words(result: CheckResult) -> str:
    """Return a line about one result of a test."""
    time = format_wait(result.seconds)
    match result.kind, result.state:
        case "reached", "good":
            words = tr("The server answered in {time}").format(time=time)
        case "listed", "good":
            words = tr("%n models are listed", "", result.count)
        case "window", _ if result.count:
            words = tr("Context window: {window}").format(window=window_words(result.count, result.source))
        case "streamed", "good":
            words = tr("It streams: the answer came in %n pieces", "", result.count)
        case (("replied" | "tools"), "bad"):
            words = tr_engine(result.detail) or tr("No answer came within {time}").format(time=time)
        case _:
            words = tr(_FIXED[result.kind, result.state]).format(detail=tr_engine(result.detail), time=time).strip()
    return words if result.dollars is None else f"{words} ({format_dollars(result.dollars)})"
