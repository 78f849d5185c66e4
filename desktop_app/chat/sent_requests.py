"""Show the request as the model sees it now or saw it for a past reply, compare the two, and shorten long messages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from heapq import nlargest

from msgspec.structs import replace

from desktop_app.context.counting.breakdown import (
    PREVIEW,
    compare_parts,
    cut_text,
    item_tokens,
    scale_gauge,
    sent_request,
)
from desktop_app.context.counting.calibration import is_measured, last_measured
from desktop_app.context.counting.tokens import count_message
from desktop_app.context.truncate import cut_message, message_as_files
from desktop_app.context.view.dialect import to_dialect
from desktop_app.context.view.items import ItemKind
from desktop_app.context.view.view import View, assemble, view_of
from desktop_app.conversation.branches import Branches
from desktop_app.conversation.events import Failure
from desktop_app.conversation.gauge import ComparedPart, Gauge, Provenance, SentRequest
from desktop_app.conversation.message import Attachment, Message, MessageDraft, user_message
from desktop_app.conversation.openai_chat import Json, chat_of, function_of
from desktop_app.conversation.setup import ReplyOptions
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import Chain, Transcript
from desktop_app.conversation.words import translatable

from .compaction.snapshot import snapshot_of
from .operations import not_found
from .ports import WorldError
from .request_counter import RequestCounter
from .session import Session
from .turn.incoming_reply import longest_reply
from .turn.recovery import oversized_in
from .turn_services import Services
from .turns import Turns

MAX_LISTED, FIRST_LISTED = 10_000, 1_000
"""Maximum number of parts listed of a request, and how many of them are its first ones; the rest are the newest."""


def draft_tokens(counter: RequestCounter, draft: MessageDraft) -> int:
    """Return the tokens that the draft would add to the next request; 0 for an empty one."""
    counts, text = counter.counts, draft.text
    own = counter.provider_tokens(counts.text(text) + counts.tokenizer.overhead.message) if text else 0
    return own + sum(attachment_tokens(counter, draft.attachments))


def attachment_tokens(counter: RequestCounter, attachments: Sequence[Attachment]) -> tuple[int, ...]:
    """Return the tokens of each attachment in the request."""
    tokenizer, dialect = counter.counts.tokenizer, counter.counts.dialect
    counted = (count_message(user_message("", (one,)), tokenizer, dialect).total for one in attachments)
    return tuple(counter.provider_tokens(tokens - tokenizer.overhead.message) for tokens in counted)


def memory_tokens(session: Session) -> int:
    """Return the tokens of the memories in the current request; 0 if it contains none."""
    own = (item for item in session.view.items if item.kind is ItemKind.MEMORY)
    return sum(session.counter.gauge().tokens_of(item_tokens(item, session.counter.counts).total) for item in own)


async def read_request(session: Session, reply_id: str = "", largest: int = 0) -> SentRequest:
    """Return the current request, or the one that a reply answered. Raises WorldError.

    reply_id: "" for the current request. largest: how many parts to return, the largest first; 0 for all in order, from
    which the middle is left out if there are more than `MAX_LISTED`.
    """
    request = await asyncio.to_thread(_read, session, reply_id)
    if not largest:
        return _within_reason(request)
    return replace(request, parts=tuple(nlargest(largest, request.parts, key=lambda part: part.tokens)))


async def compare_requests(session: Session, reply_id: str) -> tuple[ComparedPart, ...]:
    """Compare the current request with the one that the reply answered. Raises WorldError."""
    return await asyncio.to_thread(_compare, session, reply_id)


async def text_of_request(session: Session, reply_id: str, index: int) -> str:
    """Return the full text of the part at that index, or the whole request as JSON if the index is negative.

    Raises WorldError.
    """
    if index < 0:
        return await asyncio.to_thread(_as_json, session, reply_id)
    return await asyncio.to_thread(_text_of, session, reply_id, index)


def view_seen_by(transcript: Transcript, reply_id: str) -> View:
    """Return the view that the request for that reply was assembled from. Raises WorldError for an unknown reply."""
    entries = list(transcript.entries)
    index = next((n for n, entry in enumerate(entries) if entry.id == reply_id), None)
    reply = entries[index] if index is not None else None
    if not isinstance(reply, Message):
        raise not_found(translatable("This reply"))
    path = Branches(entries[:index]).path()
    end = next((n for n, entry in enumerate(path) if entry.id == reply.as_of), len(path) - 1)
    return view_of(Transcript(Chain(path[: end + 1])))


def _within_reason(request: SentRequest) -> SentRequest:
    """Leave out the middle of a request with more than `MAX_LISTED` parts."""
    count = len(request.parts) - MAX_LISTED
    if count <= 0:
        return request
    parts = (*request.parts[:FIRST_LISTED], *request.parts[FIRST_LISTED + count :])
    cached = request.cached if request.cached <= FIRST_LISTED else 0
    return replace(request, parts=parts, cached=cached, unlisted=(FIRST_LISTED, count))


def _view(session: Session, reply_id: str) -> View:
    return view_seen_by(session.transcript, reply_id) if reply_id else session.view


def _compare(session: Session, reply_id: str) -> tuple[ComparedPart, ...]:
    """Compare the full texts: a change may be beyond the preview."""
    before, now = _read(session, reply_id, preview=None), _read(session, "", preview=None)
    compared = compare_parts(before.parts, now.parts)
    return tuple(replace(one, part=cut_text(one.part)) for one in compared)


def _read(session: Session, reply_id: str, preview: int | None = PREVIEW) -> SentRequest:
    view = _view(session, reply_id)
    if not reply_id:
        return sent_request(view, session.counter.gauge(), session.counter.counts, _cached_tokens(view), preview)
    gauge, reply = session.counter.gauge_of(view), session.message(reply_id)
    usage = reply.usage if reply is not None and is_measured(reply) and not reply.continues else None
    if usage is None:
        return sent_request(view, gauge, session.counter.counts, preview=preview)
    gauge = _as_reported(gauge, usage.prompt_tokens, session)
    return sent_request(view, gauge, session.counter.counts, usage.cached_tokens, preview)


def _as_reported(gauge: Gauge, tokens: int, session: Session) -> Gauge:
    return replace(scale_gauge(gauge, tokens), provenance=Provenance.MEASURED)


def _cached_tokens(view: View) -> int:
    """Return the tokens of the request that the provider has cached since the last reply; 0 if unknown."""
    index = last_measured(view)
    usage = view.items[index].message.usage if index is not None else None
    return usage.cached_tokens + usage.cache_written_tokens if usage is not None else 0


def sendable_request(
    session: Session, reply_id: str = ""
) -> tuple[list[Message], int, tuple[ToolSpec, ...], ReplyOptions]:
    """Return the messages of the request, the maximum tokens of its reply, its tools and its parameters, as they would
    be sent now.

    reply_id: as for `read_request`. Raises WorldError.
    """
    view = _view(session, reply_id)
    messages, tools = to_dialect(assemble(view), view.tools, session.counter.counts.dialect)
    gauge = session.counter.gauge_of(view) if reply_id else session.counter.gauge()
    return messages, longest_reply(session.counter, gauge)[0], tools, session.setup.options


def _as_json(session: Session, reply_id: str) -> str:
    """Return the messages and the tools of the request in OpenAI's chat shape."""
    messages, _, tools, _ = sendable_request(session, reply_id)
    request: Json = {"model": session.model.info.id, "messages": chat_of(messages)}
    if tools:
        request["tools"] = [function_of(tool) for tool in tools]
    return json.dumps(request, ensure_ascii=False, indent=2)


def _text_of(session: Session, reply_id: str, index: int) -> str:
    view = _view(session, reply_id)
    parts = sent_request(view, session.counter.gauge_of(view), session.counter.counts, preview=None).parts
    if not 0 <= index < len(parts):
        raise not_found(translatable("This part of the request"))
    return parts[index].text


async def shorten_message(turns: Turns, services: Services, session: Session, as_file: bool) -> None:
    """Send the newest message in a shorter form that fits, in a new branch; the long one stays in the old branch.

    as_file: send the beginning, and the name of the stored full text for the model to read; otherwise send both ends.
    Raises WorldError if the message fits already, or if its text cannot be stored.
    """
    snapshot = snapshot_of(session.counter)
    oversized = await asyncio.to_thread(oversized_in, snapshot)
    if oversized is None:
        title, advice = translatable("The message fits now"), translatable("Try again.")
        raise WorldError(Failure("bad_input", title, advice=advice))
    if as_file and services.tools is not None:
        short = await asyncio.to_thread(message_as_files, oversized, snapshot.policy, snapshot.counts)
        for text in short.spills:
            await services.tools.spills.keep(text)
    else:
        short = await asyncio.to_thread(cut_message, oversized, snapshot.counts)
    await turns.edit(session, oversized.message.id, short.text, short.attachments)
