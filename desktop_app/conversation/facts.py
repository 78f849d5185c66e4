"""What code, not a model, keeps of archived messages: the ledger, and the report of what survived."""

from __future__ import annotations

import msgspec


class Fact(msgspec.Struct, frozen=True, gc=False):
    """Something worth keeping, in its own words, and the message that it was first said in."""

    text: str
    message_id: str


class Superseded(msgspec.Struct, frozen=True, gc=False):
    """A rule that does not hold any more, and the user's later words that replaced it or took it back."""

    text: str
    by: str
    message_id: str


class Ledger(msgspec.Struct, frozen=True):
    """Facts kept verbatim and merged from compaction to compaction, oldest first, without repeats."""

    intents: tuple[Fact, ...] = ()
    rules: tuple[Fact, ...] = ()
    files_edited: tuple[Fact, ...] = ()
    files_read: tuple[Fact, ...] = ()
    commands: tuple[Fact, ...] = ()
    urls: tuple[Fact, ...] = ()
    errors: tuple[Fact, ...] = ()
    identifiers: tuple[Fact, ...] = ()
    questions: tuple[Fact, ...] = ()
    dropped: int = 0
    """How many of the least important facts were left out for want of room."""
    superseded: tuple[Superseded, ...] = ()
    """Rules that later ones replaced; they are not among `rules` any more."""


class Fidelity(msgspec.Struct, frozen=True):
    """What became of the facts of the archived messages. The counts add up to all facts found."""

    verbatim: int = 0
    """Still in the request, outside of the summary."""
    in_summary: int = 0
    recallable: int = 0
    """Only in the archive, found there by search."""
    lost: int = 0
    """Nowhere; `lost_facts` names some of them."""
    lost_facts: tuple[str, ...] = ()
    recallable_rules: tuple[str, ...] = ()
    """Some of the recallable: rules that hold."""
    recallable_facts: tuple[str, ...] = ()
    """Some of the recallable: all else."""
    rules: int = 0
    """Rules that hold, those of earlier compactions too."""
    rules_kept: int = 0
    """Those that the request has word for word."""
    verbatim_facts: tuple[str, ...] = ()
    """Some of them; none in older records, as below."""
    summary_facts: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return self.verbatim + self.in_summary + self.recallable + self.lost
