"""What code, not a model, keeps of archived messages: the ledger, and the report of what survived."""

from __future__ import annotations

import msgspec


class Fact(msgspec.Struct, frozen=True, gc=False):
    """One thing worth keeping, in its own words, and the message that it was first said in."""

    text: str
    message_id: str


class Superseded(msgspec.Struct, frozen=True, gc=False):
    """A rule that does not hold any more, and the user's later words by which it was replaced or taken back."""

    text: str
    by: str
    message_id: str


class Ledger(msgspec.Struct, frozen=True):
    """Facts kept verbatim and merged from compaction to compaction, oldest first, without repeats.

    superseded: rules that later ones replaced; they are not among `rules` any more.
    dropped: how many of the least important facts were left out for want of room, so that it can be said.
    """

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
    superseded: tuple[Superseded, ...] = ()


class Fidelity(msgspec.Struct, frozen=True):
    """What became of the facts of the archived messages. The counts add up to all facts found.

    verbatim: still in the request outside of the summary. in_summary: in the summary.
    recallable: only in the archive, found there by search. lost: nowhere; `lost_facts` names some of them.
    recallable_rules and recallable_facts name some of the recallable: rules that hold, and all else.
    rules: those that hold, earlier compactions' too; rules_kept: those of them that the request has word for word.
    verbatim_facts and summary_facts name some of those that are kept; older records have none.
    """

    verbatim: int = 0
    in_summary: int = 0
    recallable: int = 0
    lost: int = 0
    lost_facts: tuple[str, ...] = ()
    recallable_rules: tuple[str, ...] = ()
    recallable_facts: tuple[str, ...] = ()
    rules: int = 0
    rules_kept: int = 0
    verbatim_facts: tuple[str, ...] = ()
    summary_facts: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """All facts that were looked for."""
        return self.verbatim + self.in_summary + self.recallable + self.lost
