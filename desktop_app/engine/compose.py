"""The composition root: creates the services of the engine and connects them.

The prompts of Palimpsest's own requests are read from the user's files, otherwise from the resources.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec

from desktop_app.archive.archive import Archive
from desktop_app.archive.migrations import OnProgress, ignore_progress
from desktop_app.chat.compaction.summarize import SummaryService
from desktop_app.chat.conversations import Conversations
from desktop_app.chat.memory_flusher import MemoryFlusher
from desktop_app.chat.recall_service import recall_for_message
from desktop_app.chat.session import Session
from desktop_app.chat.spending import MoneyLimits
from desktop_app.chat.turn.tool_runtime import ToolRuntime
from desktop_app.chat.turn_services import Services
from desktop_app.context import sentence_kinds
from desktop_app.context.fitting import MAX_RECALL_SHARE
from desktop_app.context.memory.flush import FlushPrompts
from desktop_app.context.presets import faults_of
from desktop_app.context.recall.query import RecallReach
from desktop_app.context.summary.prompt import Prompts
from desktop_app.conversation.events import Failure, ToolServersChanged, TurnEvent
from desktop_app.conversation.setup import effective_recall
from desktop_app.conversation.tools import Rule
from desktop_app.conversation.words import translatable
from desktop_app.models.catalogue import Catalogue, LastKnownFile
from desktop_app.models.endpoint import Keys
from desktop_app.paths import (
    SENTENCE_KINDS,
    database_file,
    keys_file,
    last_known_file,
    prompt_files,
    settings_file,
    spills_folder,
)
from desktop_app.settings import Settings, SettingsDamaged, read_settings
from desktop_app.tools.mcp.server_context import ServerSandbox
from desktop_app.tools.mcp.source import McpServers
from desktop_app.tools.recall_tool import RecallTool, SaveMemoryTool
from desktop_app.tools.registry import BuiltinTools, ToolRegistry
from desktop_app.tools.sandbox.sandbox import Sandbox
from desktop_app.tools.spill import SpillFolder

from .engine import Engine
from .event_coalescer import EventCoalescer, report_if_long
from .services import EngineServices, names_of_other_keys

MAX_PROMPT = 40_000
"""Characters; a longer file is taken to be there by mistake."""

P = TypeVar("P", bound=msgspec.Struct)

log = logging.getLogger(__name__)


def read_prompts(kind: type[P], data: Path) -> P:
    """Return a struct of prompts; each field is read from the prompt of the same name."""
    return kind(**{name: read_prompt(data, name) for name in kind.__struct_fields__})


def read_prompt(data: Path, name: str) -> str:
    """Return the prompt of that name: `prompts/NAME.md` in the data folder if it exists, otherwise the shipped one.

    A user's file that is unreadable, empty or far too long is ignored with a logged warning.
    """
    own, shipped = prompt_files(data, name)
    try:
        if own.exists():
            prompt = own.read_text(encoding="utf-8").strip()
            if 0 < len(prompt) <= MAX_PROMPT:
                return prompt
            log.warning("%s is empty or too long, and is not used", own)
    except (OSError, UnicodeDecodeError) as error:
        log.warning("%s cannot be read (%s), and is not used", own, error)
    return shipped.read_text(encoding="utf-8").strip()


async def compose_engine(
    data: Path,
    coalescer: EventCoalescer,
    list_changed: Callable[[], None],
    on_bug: Callable[[BaseException], None],
) -> Engine:
    """Return the engine of a window, for that data folder. Raises ArchiveError if the archive cannot be opened."""
    with report_if_long(coalescer.publish) as on_progress:
        services = await compose_services(data, coalescer.publish, list_changed, on_bug, on_progress=on_progress)
    return Engine(services, coalescer)


async def compose_services(
    data: Path,
    publish: Callable[[TurnEvent], None],
    list_changed: Callable[[], None],
    on_bug: Callable[[BaseException], None],
    change: Callable[[Settings], Settings] = lambda settings: settings,
    allowed: tuple[Rule, ...] = (),
    is_attended: bool = True,
    on_progress: OnProgress = ignore_progress,
) -> EngineServices:
    """Return all services for that data folder. Raises ArchiveError if the archive cannot be opened.

    change: returns the settings of this run from the stored ones. allowed: rules that apply in addition to the rules in
    the settings. is_attended: whether a user can answer questions. on_progress: called from another thread with the
    progress of backing up an archive from an older version.
    """
    # Shared by all conversations: the archive, the settings, the keys, the models.
    archive = await Archive.open(database_file(data), on_progress=on_progress)
    await archive.recover_partials()
    sentence_kinds.load(await asyncio.to_thread(SENTENCE_KINDS.read_bytes))
    settings, warnings = await asyncio.to_thread(_read_settings, settings_file(data))
    if archive.warning is not None:
        warnings = (*warnings, archive.warning)
    settings = change(settings)
    keys = Keys()
    if settings.servers or settings.mcp_servers:  # the keyring is slow to read
        await keys.load(settings.servers, names_of_other_keys(settings))
    last_known = LastKnownFile(last_known_file(data))
    await asyncio.to_thread(last_known.read)
    catalogue = Catalogue(settings, keys.get, last_known=last_known)

    # These are called only after everything has been created. Prompts are read each time, so that edits apply at once.
    def current() -> Settings:
        return services.settings

    def prompt(name: str) -> Callable[[], str]:
        return partial(read_prompt, data, name)

    async def recall_limit(conversation: str) -> tuple[int, Callable[[str], int]]:
        session = await conversations.open(conversation)
        policy = session.counter.policy
        max_tokens = min(policy.max_recall, round(session.counter.budget.usable * MAX_RECALL_SHARE))
        return session.counter.counted_here(max_tokens), session.counter.counts.text

    async def recall_reach(session: Session) -> RecallReach:
        return RecallReach(effective_recall(session.setup.recall_in, session.project), session.project.id)

    async def recall_reach_in(conversation: str) -> RecallReach:
        return await recall_reach(await conversations.open(conversation))

    def note_servers(failing: tuple[str, ...]) -> None:
        publish(ToolServersChanged("", failing))
        conversations.follow_context()

    # The tools that a model may call.
    spills = SpillFolder(spills_folder(data))
    sandbox = Sandbox(data, keys_file())
    server_sandbox = ServerSandbox(sandbox, settings.is_sandboxed)
    mcp = McpServers(
        settings.mcp_servers,
        keys.get,
        on_bug,
        server_sandbox,
        on_change=note_servers,
    )
    save_memory = SaveMemoryTool(archive, lambda: current().is_memory_on)
    archive_tools = BuiltinTools((save_memory, RecallTool(archive, recall_limit, recall_reach_in)))
    registry = ToolRegistry((archive_tools, mcp), spills, current, data, sandbox)
    tool_runtime = ToolRuntime(
        registry, spills, current, lambda rule: services.keep_rule(rule), on_bug, allowed, is_attended
    )

    # The services that a turn uses in addition to its session.
    turn_services = Services(
        models=catalogue,
        settings=current,
        summaries=SummaryService(
            catalogue, current, partial(read_prompts, Prompts, data), digest_prompt=prompt("digest")
        ),
        on_bug=on_bug,
        tools=tool_runtime,
        memory=MemoryFlusher(archive, catalogue, current, partial(read_prompts, FlushPrompts, data)),
        recall=partial(recall_for_message, archive, current, recall_reach),
        money=MoneyLimits(archive.dollars_after, catalogue, current),
        read_image_prompt=prompt("describe"),
        read_research_prompt=prompt("research"),
        read_title_prompt=prompt("title") if is_attended else None,
    )
    conversations = Conversations(archive, settings, turn_services, publish, list_changed)
    archive.memories_changed = conversations.follow_context
    services = EngineServices(
        data, archive, catalogue, keys, mcp, sandbox, spills, registry, tool_runtime, conversations, warnings
    )
    return services


def _damage_of(error: SettingsDamaged) -> Failure:
    if error.usable == Settings():
        title = translatable("The settings could not be read")
        kept = translatable("The defaults are used. Your file was kept as {file}.").format(file=error.copy)
    else:
        title = translatable("Some of the settings could not be read")
        kept = translatable("All others are used. Your file was kept as {file}.").format(file=error.copy)
    advice = translatable("Choose what is missing again, or repair the file that was kept and put it back.")
    return Failure("bad_input", title, str(error), kept, advice)


def _read_settings(file: Path) -> tuple[Settings, tuple[Failure, ...]]:
    """Return the settings, as far as they can be read, and warnings about the rest."""
    try:
        settings = read_settings(file)
    except SettingsDamaged as error:
        return error.usable, (_damage_of(error),)
    except OSError as error:
        detail = error.strerror or str(error)
        return Settings(), (
            Failure(
                "disk",
                translatable("The settings could not be read"),
                detail,
                advice=translatable("Check {file}.").format(file=file),
            ),
        )
    if not (faults := faults_of(settings.policies)):
        return settings, ()
    kept, advice = (
        translatable("The file was not changed; all other numbers are used."),
        translatable("Correct “policies” in {file}.").format(file=file),
    )
    return settings, (
        Failure(
            "bad_input", translatable("Some numbers of your policies are not used"), " ".join(faults), kept, advice
        ),
    )
