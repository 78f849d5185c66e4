"""The cached beginning of a request: it is warm only if the request that was sent begins the one that would be sent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import model, record, user
from desktop_app.context.counting.prefix_cache import CachedPrefix, cached_prefix
from desktop_app.context.view.view import assemble, view_of
from desktop_app.conversation.message import Message, Role, Usage
from desktop_app.conversation.transcript import (
    AnyEntry,
    AuxiliaryUsage,
    Chain,
    Compaction,
    Pin,
    RequestContext,
    Transcript,
    Trigger,
    Undo,
)

NOW, LIFE = 10_000.0, 300
OURS, OTHER = "server/ours", "server/other"


def compaction(*archived: str) -> Compaction:
    return Compaction(id="", trigger=Trigger.USER, strategy="edited", archived=archived, summary="What was said.")


def _ends_with_user(entries: list[AnyEntry]) -> bool:
    newest = next((entry for entry in reversed(entries) if isinstance(entry, Message)), None)
    return newest is not None and newest.role is Role.USER


STEPS = st.lists(
    st.sampled_from(("user", "reply", "other", "compact", "undo", "prompt", "pin", "upkeep")), min_size=1, max_size=14
)


def built(steps: list[str]) -> tuple[Transcript, int]:
    """A record of the steps, and how many entries the newest request of our model was assembled from; -1 for none."""
    entries: list[AnyEntry] = []
    asked = -1
    for number, step in enumerate(steps):
        known = [entry.id for entry in entries if isinstance(entry, Message)]
        done = [entry.id for entry in entries if isinstance(entry, Compaction)]
        new: AnyEntry
        match step:
            case "reply" | "other" if _ends_with_user(entries):
                name = OURS if step == "reply" else OTHER
                asked = len(entries) if step == "reply" else asked
                new = model(f"Reply {number}.", model=name, usage=Usage(100 + number, 5), at=NOW - 10)
            case "compact" if known:
                new = compaction(known[0])
            case "undo" if done:
                new = Undo(entry_id=done[-1])
            case "prompt":
                new = RequestContext(system_prompt=f"Prompt {number}.")
            case "pin" if known:
                new = Pin(message_id=known[-1])
            case "upkeep":
                new = AuxiliaryUsage(purpose="title", model=OURS)
            case _:
                new = user(f"Message {number}.")
        entries.append(replace(new, id=f"e{number}"))
    return Transcript(Chain(entries)), asked


@given(STEPS)
def test_what_is_said_to_be_cached_begins_the_next_request(steps: list[str]) -> None:
    transcript, asked = built(steps)
    prefix = cached_prefix(view_of(transcript).path, OURS, LIFE, NOW)
    if prefix is None:
        return
    sent = assemble(view_of(Transcript(Chain(list(transcript.entries)[:asked]))))
    now = assemble(view_of(transcript))
    assert [(m.role, m.text) for m in now[: len(sent)]] == [(m.role, m.text) for m in sent]
    reply = transcript.entries[asked]
    assert isinstance(reply, Message)
    assert reply.usage is not None
    assert prefix == CachedPrefix(reply.usage.prompt_tokens, LIFE - 10)


@given(STEPS.filter(lambda steps: not {"compact", "undo", "prompt"} & set(steps)))
def test_without_a_change_the_newest_request_stays_warm(steps: list[str]) -> None:
    transcript, asked = built(steps)
    assert (cached_prefix(transcript.entries, OURS, LIFE, NOW) is None) == (asked < 0)


@pytest.mark.parametrize(
    ("life", "seconds", "left"), [(300, 299, 1), (300, 300, None), (0, 0, None), (3_600, 301, 3_299)]
)
def test_it_lives_as_long_as_its_provider_keeps_it(life: int, seconds: int, left: float | None) -> None:
    path = record(user("Hi"), model("Hello", model=OURS, usage=Usage(40, 2), at=NOW - seconds)).entries
    found = cached_prefix(path, OURS, life, NOW)
    assert (found.seconds_left if found else None) == left


def test_a_local_server_keeps_it_without_end() -> None:
    path = record(user("Hi"), model("Hello", model=OURS, usage=Usage(40, 2), at=1.0)).entries
    assert cached_prefix(path, OURS, None, NOW) == CachedPrefix(40)


def test_an_operation_during_the_request_changes_the_beginning() -> None:
    reply = model("Hello", model=OURS, usage=Usage(40, 2), at=NOW, as_of="a")
    path = record(user("Hi", id="a"), model("Old", id="b"), compaction("b"), reply).entries
    assert cached_prefix(path, OURS, LIFE, NOW) is None
    assert cached_prefix(record(user("Hi", id="a"), reply).entries, OURS, LIFE, NOW) == CachedPrefix(40, LIFE)
