"""How much of the evidence for a question recall finds within 4,000 tokens, on public chats with questions.

python tests/bench/measure_evidence.py PATH ...     each a folder of a BEAM chat, or the file of LoCoMo

A question counts if every message that its authors name as evidence is found. Questions without evidence are skipped.
"""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from desktop_app.archive.archive import Archive
from desktop_app.chat.recall_service import recall
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text
from desktop_app.models.tokens.tokenizers import tokenizer_for

BUDGET = 4_000
LOCOMO_KINDS = {1: "several", 2: "time", 3: "world", 4: "single", 5: "wrong person"}


class Asked(NamedTuple):
    """A question with the ids of the messages that answer it."""

    kind: str
    question: str
    evidence: frozenset[str]


class Chat(NamedTuple):
    """A chat with its questions."""

    name: str
    messages: list[Message]
    questions: list[Asked]


def chats_in(path: Path) -> Iterator[Chat]:
    yield from (beam_chat(path),) if path.is_dir() else locomo_chats(path)


def beam_chat(folder: Path) -> Chat:
    file = next(name for name in ("chat_trunecated.json", "chat.json") if (folder / name).exists())
    batches = json.loads((folder / file).read_bytes())
    said = [turn for batch in batches for turns in batch["turns"] for turn in turns]
    messages: list[Message] = []
    at = 1.7e9
    for turn in said:
        if anchor := turn.get("time_anchor"):
            at = max(at, datetime.strptime(anchor, "%B-%d-%Y").timestamp())
        at += 60
        role = Role.USER if turn["role"] == "user" else Role.ASSISTANT
        text = re.sub(r"\s*->->.*$", "", turn["content"])
        messages.append(Message(id=f"{folder.name}-{turn['id']}", at=at, role=role, parts=(Text(text),)))
    probing = json.loads((folder / "probing_questions" / "probing_questions.json").read_bytes())
    asked = [
        Asked(kind, one["question"], frozenset(f"{folder.name}-{i}" for i in numbers_in(one.get("source_chat_ids"))))
        for kind, several in probing.items()
        for one in several
    ]
    return Chat(folder.name, messages, [one for one in asked if one.evidence])


def numbers_in(value: Any) -> list[int]:
    if isinstance(value, dict):
        value = list(value.values())
    return (
        [number for each in value for number in numbers_in(each)]
        if isinstance(value, list)
        else ([value] if isinstance(value, int) else [])
    )


def locomo_chats(file: Path) -> Iterator[Chat]:
    for number, one in enumerate(json.loads(file.read_bytes())):
        name, chat = f"locomo-{number}", one["conversation"]
        messages: list[Message] = []
        for session in sorted(int(key[8:]) for key in chat if re.fullmatch(r"session_\d+", key)):
            stamp = chat[f"session_{session}_date_time"]
            at = datetime.strptime(stamp, "%I:%M %p on %d %B, %Y").timestamp()
            for n, turn in enumerate(chat[f"session_{session}"]):
                text = turn["text"] + (f" [{turn['blip_caption']}]" if turn.get("blip_caption") else "")
                day = f"[{stamp.split(' on ')[1]}] " if n == 0 else ""
                messages.append(
                    Message(
                        id=f"{name}-{turn['dia_id']}",
                        at=at + 60 * n,
                        role=Role.USER,
                        parts=(Text(day + text),),
                        speaker=turn["speaker"],
                    )
                )
        known = {message.id for message in messages}
        asked = [
            Asked(
                LOCOMO_KINDS[qa["category"]],
                qa["question"],
                frozenset(f"{name}-{e}" for e in re.findall(r"D\d+:\d+", " ".join(qa.get("evidence", [])))),
            )
            for qa in one["qa"]
        ]
        yield Chat(name, messages, [ask for ask in asked if ask.evidence and ask.evidence <= known])


async def measure(paths: list[Path]) -> None:
    count = tokenizer_for("gpt-5").count
    full: dict[str, list[bool]] = defaultdict(list)
    part: dict[str, list[float]] = defaultdict(list)
    times: list[float] = []
    tokens: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        archive = await Archive.open(Path(folder) / "archive.sqlite3")
        for chat in (chat for path in paths for chat in chats_in(path)):
            await archive.create(ConversationInfo(chat.name, chat.name, 1.0, 1.0), chat.messages)
            for asked in chat.questions:
                start = time.process_time()
                found = await recall(archive, chat.name, asked.question, BUDGET, count)
                times.append((time.process_time() - start) * 1_000)
                ids = {message.id for message in found.messages}
                tokens.append(found.tokens)
                for kind in (asked.kind, f"chat {chat.name}", "all"):
                    full[kind].append(asked.evidence <= ids)
                    part[kind].append(len(asked.evidence & ids) / len(asked.evidence))
        await archive.close()
    for kind in sorted(full):
        whole, some = statistics.mean(full[kind]), statistics.mean(part[kind])
        print(f"{kind:28} {whole:6.1%} of {len(full[kind])} questions; {some:6.1%} of the evidence")
    print(f"{statistics.median(times):.1f} ms median, {max(times):.0f} longest; {statistics.mean(tokens):.0f} tokens")


if __name__ == "__main__":
    asyncio.run(measure([Path(path) for path in sys.argv[1:]]))
