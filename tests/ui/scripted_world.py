"""What the scripted engine knows beside conversations: models, settings, servers, tools, memories, whole outputs."""

from __future__ import annotations

import base64
import json
import os

from scripted_record import MODEL, NOW, OTHER_MODEL, ScriptedRecord

from desktop_app.conversation.events import Failure, MessageRow, MessageState
from desktop_app.conversation.foreign import FoundHistory, KnownKind, UnreadFile
from desktop_app.conversation.gauge import (
    ComparedPart,
    Gauge,
    PartChange,
    PartKind,
    Segment,
    SentPart,
    SentRequest,
    Status,
)
from desktop_app.conversation.insights import DayInsights, Insights, Moment, OperationMoment, UsageOf
from desktop_app.conversation.installation import (
    Backup,
    ProgramInfo,
    ProgramPart,
    RemovableItem,
    StoredData,
    StoredPart,
)
from desktop_app.conversation.listing import SwitchPreview
from desktop_app.conversation.markdown_html import Drawing
from desktop_app.conversation.memory import Fidelity, Memory
from desktop_app.conversation.message import Attachment, Usage
from desktop_app.conversation.model_servers import CheckResult, ModelOffer, ModelPrice
from desktop_app.conversation.setup import ConversationSetup
from desktop_app.conversation.tools import ToolSpec
from desktop_app.conversation.transcript import Trigger
from desktop_app.engine import protocol as p
from desktop_app.settings import Server

OFFERS = (
    ModelOffer("large", 64_000, 4_096, True, True, ModelPrice(3, 15), "server"),
    ModelOffer("small", 12_000, 2_000, False, False, None, "server"),
)
PREVIEW = SwitchPreview("compact", 61_000, 8_192, 6_000)
UNWRITABLE = "find_issue"
"""A tool of which it cannot be stored that it is off."""
HISTORIES = (
    FoundHistory("Claude Code", "/home/me/.claude/projects", 214, 84_300_000, NOW),
    FoundHistory("opencode", "/home/me/.local/share/opencode", 1, 12_000, NOW - 9e6),
)
KINDS = (
    KnownKind("ChatGPT", "the zip of a data export, or the conversations.json in it"),
    KnownKind("Codex CLI", "the folder ~/.codex/sessions, or a rollout-….jsonl in it"),
)
FOUND = (
    Server("LM Studio", "http://127.0.0.1:1234/v1", ("qwen-7b", "llama-8b", "gemma-4b"), kind="lm_studio"),
    Server("Anthropic", "", ("claude-sonnet-4-5",), kind="anthropic"),
)
PROPOSED = {"anthropic": ("claude-sonnet-4-5", "claude-opus-4-5", "claude-haiku-4-5")}


def insights_read(conversation: str) -> p.InsightsRead:
    """A life of five replies with a compaction; without a conversation, of two such; of "c2", nothing."""
    if conversation == "c2":
        return p.InsightsRead(Insights())
    times = 1 if conversation else 2
    moments = tuple(Moment(NOW + n, 1_000 * n, True) for n in (1, 2, 3, 5, 6))
    freed = OperationMoment(NOW + 4, "compaction", Trigger.BEFORE_REQUEST, 5_500, 900, 12, 2.5)
    spent = Usage(17_000 * times, 400, 8_500 * times, dollars=0.5, requests=5 * times)
    insights = Insights(
        times,
        moments if conversation else (),
        (freed,) * times,
        {Segment.USER: 750, Segment.RESULTS: 2_250},
        is_counted=bool(conversation),
        usage=(UsageOf("far/large", "chat", spent), UsageOf("far/small", "summary", Usage(900, 90))),
        fidelity=Fidelity(6, 3, 1),
        days=(DayInsights("2025-10-09", spent, 1, 4_600), DayInsights("2025-10-10", Usage(900, 90), 0, 0, 2, 90_000)),
    )
    gauge = Gauge({Segment.USER: 600}, 600, 8_192, 2_048, Status.SAFE)
    return p.InsightsRead(insights, gauge if conversation else None, 1.25)


def _stored(wish: p.AnyRequest) -> p.EngineResponse | None:
    """Two backups, one of them damaged, and something of each kind that can be removed."""
    folder, day = "/home/ana/.local/share/palimpsest", 86_400.0
    made = Backup(f"{folder}/backups/archive-a.sqlite3", NOW, 41_000_000, 12, 3_400)
    damaged = Backup(f"{folder}/backups/archive-b.sqlite3", NOW - day, 40_000_000, is_damaged=True)
    kept = Backup(f"{folder}/archive.before-restore-1.sqlite3", NOW - 9 * day, 39_000_000, 11, 3_100, False, "restore")
    match wish:
        case p.BackUpNow():
            return p.BackedUp(made)
        case p.DescribeProgram():
            names = (("PySide6_Essentials", "LGPL-3.0-only", "LGPL and GPL"), ("litellm", "MIT", "MIT"))
            part_list = tuple(ProgramPart(name, "1.2.3", licence, family) for name, licence, family in names)
            return p.ProgramDescribed(ProgramInfo("0.1.0", (("Python", "3.11"),), folder, f"{folder}/log", part_list))
        case p.ReadLicence():
            return p.LicenceRead(f"The licence of {wish.part}.")
        case p.ListBackups():
            return p.BackupsListed((made, damaged, kept), f"{folder}/backups")
        case p.DescribeData():
            parts = (
                StoredPart("archive", f"{folder}/archive.sqlite3", 44_000_000, 3),
                StoredPart("backups", f"{folder}/backups", 81_000_000, 2),
                StoredPart("logs", f"{folder}/palimpsest.log", 1_300_000, 2),
            )
            removable = (
                RemovableItem("conversation:c9", "conversation", "Old plans", 2_000_000, NOW, 120, ("backup:a",)),
                RemovableItem("conversation:c8", "conversation", "", 900, NOW - day, 1),
                RemovableItem("room", "room", "", 9_000_000),
                RemovableItem("backup:a", "backup", "backups/archive-a.sqlite3", 41_000_000, NOW),
                RemovableItem("log:palimpsest.log.1", "log", "palimpsest.log.1", 1_048_576, NOW - 2 * day),
            )
            return p.DataDescribed(
                StoredData(folder, f"{folder}/palimpsest.log", 90_000_000_000, 12_000_000, parts, removable)
            )
        case _:
            return None


def _answer_server(wish: p.ListServerModels | p.CheckServer | p.StopCheck) -> p.EngineResponse:
    """A server with two models, which can do all but stream; one of whose key is "wrong" refuses it."""
    is_refused = not isinstance(wish, p.StopCheck) and wish.key == "wrong"
    reached, refused = CheckResult("reached", "good", seconds=0.25), CheckResult("key", "bad", detail="401")
    listed = (reached, refused) if is_refused else (reached, CheckResult("listed", "good", len(OFFERS)))
    match wish:
        case p.StopCheck():
            return p.Done()
        case p.ListServerModels():
            return p.ServerModelsListed(() if is_refused else OFFERS, listed)
        case p.CheckServer(_, _, step):
            replied = CheckResult("replied", "good", seconds=1.5, dollars=0.0021)
            results: dict[str, tuple[CheckResult, ...]] = {
                "list": listed,
                "window": (CheckResult("window", "good", 64_000, source="server"),),
                "reply": (CheckResult("key", "good"), replied, CheckResult("streamed", "unsure", 1)),
                "tools": (CheckResult("tools", "good"),),
            }
            return p.ServerChecked(results[step])


def _answer_import(wish: p.FindHistories | p.LookThrough) -> p.EngineResponse:
    """Two histories; no file."""
    match wish:
        case p.FindHistories():
            return p.HistoriesFound(HISTORIES, KINDS)
        case p.LookThrough(paths):
            return p.LookedThrough((), tuple(UnreadFile(path, "there is no such file or folder") for path in paths))


class Refused(Exception):
    """What cannot be done, with what is told of it."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure


class ScriptedWorld:
    """record: keeps the settings."""

    def __init__(self, record: ScriptedRecord) -> None:
        self._record = record
        self._memories = [
            Memory("k1", "Cut-over is on 3 March, 06:00 UTC", NOW, NOW, "c1", "model"),
            Memory("k2", "Prefers short answers", NOW, NOW),
        ]

    def answer(self, wish: p.AnyRequest) -> p.EngineResponse | None:
        """Its part of the answers; None for what it does not know."""
        match wish:
            case p.CountDraft(_, text):
                return p.DraftCounted(len(text) // 4)
            case p.FindHistories() | p.LookThrough():
                return _answer_import(wish)
            case p.ListMemories(conversation):
                return self._remembered(conversation)
            case p.WriteMemory(memory, conversation):
                kept = [memory if memory.id == old.id else old for old in self._memories]
                self._memories = kept if memory.id in {old.id for old in self._memories} else [*kept, memory]
                return self._remembered(conversation)
            case p.ReadInsights(conversation):
                return insights_read(conversation)
            case p.ExportConversation():
                return _export(wish)
            case p.CancelComputation():
                return p.Done()
            case p.ReadSpill():
                return _read(wish)
            case p.ReadRequestCurl(_, reply_id):
                return p.RequestText(f"curl {reply_id}")
            case p.ReadRequest() | p.CompareRequests() | p.ReadRequestText():
                return self._read_request(wish)
            case p.ListTools():
                return self._listed()
            case _:
                return _answer_attachments(wish) or _stored(wish) or self._answer_settings(wish)

    def _read_request(self, wish: p.ReadRequest | p.CompareRequests | p.ReadRequestText) -> p.EngineResponse:
        """The messages in view; at a reply, those before it."""
        rows = [row for row in self._record.kept.rows[wish.conversation] if row.state is MessageState.IN_VIEW]
        before = [
            row for row in rows if row.index < next((r.index for r in rows if r.message.id == wish.reply_id), 1e9)
        ]
        match wish:
            case p.ReadRequest(name, _, largest):
                parts = tuple(map(_part_of, before))[: largest or None]
                return p.RequestRead(SentRequest(self._record.gauge(name), parts))
            case p.CompareRequests():
                added = [ComparedPart(_part_of(row), PartChange.ADDED) for row in rows[len(before) :]]
                same = [ComparedPart(part, PartChange.SAME, part.tokens) for part in map(_part_of, before)]
                return p.RequestsCompared((*same, *added))
            case p.ReadRequestText(_, _, index):
                text = before[index].message.text if index >= 0 else json.dumps([row.message.text for row in before])
                return p.RequestText(text)

    def _answer_settings(self, wish: p.AnyRequest) -> p.EngineResponse | None:
        match wish:
            case p.ListModels():
                return p.ModelsListed((MODEL, OTHER_MODEL), {OTHER_MODEL.id: ModelPrice(3, 15)}, (MODEL.id,))
            case p.ReadSetup():
                return p.SetupRead(ConversationSetup(), "Be helpful.", ("temperature",), ("bash", "read"))
            case p.PreviewModel():
                return p.ModelPreviewed(PREVIEW)
            case p.FindServers():
                return p.ServersFound(FOUND)
            case p.ListServerModels() | p.CheckServer() | p.StopCheck():
                return _answer_server(wish)
            case p.ProposeModels(kind):
                return p.ModelsProposed(PROPOSED.get(kind, ()))
            case p.WriteSettings(settings):
                if UNWRITABLE in settings.tools_off:
                    raise LookupError("the disk is full")
                self._record.kept.settings = settings
                self._record.keep()
            case p.ReloadSettings():
                return p.SettingsReloaded(self._record.kept.settings, False)
            case p.ReadSettings():
                pass
            case _:
                return None
        return p.SettingsRead(self._record.kept.settings, (), "the system keyring")

    def _listed(self) -> p.ToolsListed:
        offers = (
            ("bash", "Run a command", ""),
            ("read", "Read a file", ""),
            ("find_issue", "Find an issue", "tracker"),
        )
        return p.ToolsListed(
            tuple(
                p.ToolOffer(ToolSpec(n, d, source=s), 120, n not in self._record.kept.settings.tools_off)
                for n, d, s in offers
            ),
            tokens=sum(120 for name, _, _ in offers if name not in self._record.kept.settings.tools_off),
            failures=(Failure("provider", "The server “calendar” does not answer", "exit 1"),),
        )

    def _remembered(self, conversation: str) -> p.MemoriesListed:
        shown = tuple(memory for memory in self._memories if not memory.is_deleted)
        return p.MemoriesListed(shown, sum(10 for memory in shown if memory.is_on), 1_000, conversation)


def _part_of(row: MessageRow) -> SentPart:
    text, role = row.message.text, row.message.role.value
    segment = Segment.USER if role == "user" else Segment.ASSISTANT
    return SentPart(
        PartKind.MESSAGE, role, "", text[:400], len(text), row.tokens, segment, row.message.id, at=row.message.at,
        is_pinned=row.is_pinned,
    )  # fmt: skip


def _read(wish: p.ReadSpill) -> p.SpillRead:
    if wish.spill == "gone" and not wish.query:
        raise LookupError("gone")
    lines = [(n, f"line {n} of the output") for n in range(1, 5_001) if wish.query in f"line {n} of the output"]
    return p.SpillRead(tuple(lines[wish.offset : wish.offset + wish.limit]), len(lines), 120_000)


def _answer_attachments(wish: p.AnyRequest) -> p.EngineResponse | None:
    match wish:
        case p.StopCommand():
            return p.Done()
        case p.DrawGraphics(graphics):
            return p.GraphicsDrawn(tuple(Drawing(error="not here") for _ in graphics))
        case p.CompletePath(_, query):
            return p.FilesCompleted("/work", tuple(path for path in ("src/one.py", "src/other.py") if query in path))
        case p.RunCommand(_, command):
            return p.FileAttached(Attachment(f"$ {command}", "text/plain", "done", "1 line"))
        case p.AttachFile(path, name):
            if path.endswith("gone.txt"):
                raise LookupError(path)
            return p.FileAttached(Attachment(name or path.rpartition("/")[2], "text/plain", "a text", "1 page"))
        case p.AttachImage(name, content):
            url = f"data:image/png;base64,{base64.b64encode(content).decode()}"
            return p.FileAttached(Attachment(name, "image/png", url, "80 × 60"))
        case p.CountAttachments(_, attachments):
            return p.AttachmentsCounted((50,) * len(attachments))
        case p.ReadAttachment(_, _, part):
            return p.SpillRead(((1, f"part {part}"),), 1, 6)
        case _:
            return None


def _export(wish: p.ExportConversation) -> p.ConversationExported:
    if os.path.exists(wish.path) and not wish.is_replacing:
        raise Refused(Failure("exists", "There is such a file already", kept="It was not changed."))
    with open(wish.path, "w") as file:
        return p.ConversationExported(wish.path, file.write(f"{wish.format}, {wish.scope}"))
