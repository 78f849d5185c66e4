"""Sentences strewn into conversations: what of each kind is left at a quarter of the tokens, without a model.

data/strewn.tsv holds the sentences: kind, the register that they suit, text. They were not trained on
(packaging/sentence_kinds). Half of them become a message of the user's own, half the end of one that is there.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from builders import model, user
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.view.view import assemble
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.conversation.openai_chat import messages_of, read_jsonl
from desktop_app.models.tokens.tokenizers import tokenizer_for
from real_conversations import FILES, ROOT
from room_made import brought_to

pytestmark = pytest.mark.slow

SENTENCES = [
    line.split("\t")
    for line in (Path(__file__).parent / "data" / "strewn.tsv").read_text(encoding="utf-8").splitlines()
]
KINDS = ("preference", "constraint", "decision", "goal", "fact")
OF_EACH, SEEDS = 2, 5
EXCERPTS = {
    "companion": "people",
    "companion_chinese": "chinese",
    "airline_booking": "people",
    "coding_agent": "work",
    "software_agent": "work",
    "software_agent_as_text": "work",
}
WHOLE = {
    "locomo-26": "people",
    "locomo-30": "people",
    "memorybank-en-05": "people",
    "memorybank-cn-06": "chinese",
    "tau-airline-46-3": "people",
    "pi-large-session": "work",
    "sweagent-12-i-got-id-demo": "work",
    "sweagent-20-marshmallow-code-marshmallow-1867": "work",
    "aider-0618": "work",
    "migration": "work",
}
PLACES = FILES | {"migration": ROOT / "resources" / "samples" / "migration.jsonl"}


def read_conversation(name: str) -> list[Message]:
    return messages_of(read_jsonl(PLACES[name].read_bytes())[:450], str)


def strew(messages: Sequence[Message], sentences: Sequence[str], dice: random.Random) -> list[Message]:
    """Return the messages with the sentences at random places, with new ids."""
    said, alone = list(messages), defaultdict[int, list[str]](list)
    spots = [index for index, message in enumerate(said) if message.role is Role.USER]
    for sentence in sentences:
        index = dice.choice(spots)
        texts = [number for number, part in enumerate(said[index].parts) if isinstance(part, Text)]
        if dice.random() < 0.5 or not texts:
            alone[index].append(sentence)
            continue
        parts = list(said[index].parts)
        before = said[index].text
        gap = "\n\n" if len(before) > 400 or "```" in before else " "
        parts[texts[-1]] = Text(f"{parts[texts[-1]].text.rstrip()}{gap}{sentence}")  # type: ignore[union-attr]
        said[index] = replace(said[index], parts=tuple(parts))
    other = next((message.speaker for message in said if message.role is Role.ASSISTANT), "")
    strewn: list[Message] = []
    for index, message in enumerate(said):
        for sentence in alone[index]:
            strewn.append(user(sentence, speaker=message.speaker))
            strewn.append(model("Okay.", speaker=other))
        strewn.append(message)
    return [replace(message, id=f"m{number}") for number, message in enumerate(strewn)]


def brought_to_a_quarter(messages: Sequence[Message]) -> str:
    view = brought_to(0.25, messages, TokenCounts(tokenizer_for("gpt-4o")))
    return "\n".join(message.text for message in assemble(view))


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9']{2,}", text.lower())) or {text[at : at + 2] for at in range(len(text) - 1)}


def is_kept(sentence: str, sent: str) -> bool:
    """Return whether the sentence stands there word for word, or four fifths of its words in one line."""
    words = words_of(sentence)
    return sentence in sent or any(len(words & words_of(line)) >= 0.8 * len(words) for line in sent.splitlines())


@pytest.mark.parametrize(
    ("names", "least"),
    [(names, least) for names, least in [(EXCERPTS, 0.8), (WHOLE, 0.9)] if names.keys() <= PLACES.keys()],
)
def test_most_of_each_kind_is_kept(names: dict[str, str], least: float) -> None:
    kept: dict[str, list[bool]] = {kind: [] for kind in KINDS}
    for name, register in names.items():
        messages = read_conversation(name)
        for seed in range(1, SEEDS + 1):
            dice = random.Random(f"{name}{seed}")
            chosen = [
                (kind, text)
                for kind in KINDS
                for text in dice.sample([s[2] for s in SENTENCES if s[:2] == [kind, register]], OF_EACH)
            ]
            sent = brought_to_a_quarter(strew(messages, [text for _, text in chosen], dice))
            for kind, text in chosen:
                kept[kind].append(is_kept(text, sent))
    shares = {kind: sum(told) / len(told) for kind, told in kept.items()}
    print(shares)
    assert min(shares.values()) >= least, shares
