"""Archives that are damaged in many ways: each opens with what can be read, or says why not; the original is kept."""

from __future__ import annotations

import contextlib
import os
import random
import secrets
import shutil
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from archive_messages import PAGE, said

from desktop_app.__main__ import main
from desktop_app.archive.backups import make_backup, restore_backup
from desktop_app.archive.damage import examine
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Pin
from stores import Store

pytestmark = pytest.mark.wire

MESSAGES = 60
Harm = Callable[[Path, random.Random], None]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive that was closed in order, and beside it, as `live`, one whose log was never folded in."""
    folder = tmp_path_factory.mktemp("sound")
    store = Store(folder / "archive.sqlite3")
    for name, title, word in (("a", "Alpha", "alpha"), ("b", "Beta", "beta")):
        messages = [said(f"{name}{n}", f"{word}-{n:03} " * 40) for n in range(MESSAGES)]
        store.create(ConversationInfo(name, title, 1.0, 1.0), messages)
    store.append("a", Pin(id="p", at=2.0, message_id="a1"))
    store.store_memories(Memory("m", "Never push to main.", 1.0, 1.0))
    store.close()
    used = shutil.copytree(folder, tmp_path_factory.mktemp("used"), dirs_exist_ok=True)
    store = Store(used / "archive.sqlite3")
    for n in range(MESSAGES, MESSAGES + 12):
        store.append("a", said(f"a{n}", f"alpha-{n:03} " * 40))
    shutil.copytree(used, folder / "live")
    store.close()
    return folder


def flip(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(40):
        content[chance.randrange(PAGE, len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def zero_page(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    page = chance.randrange(1, len(content) // PAGE)
    content[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)
    path.write_bytes(content)


def swap_pages(path: Path, chance: random.Random) -> None:
    content = bytearray(path.read_bytes())
    one, other = (chance.randrange(1, len(content) // PAGE) * PAGE for _ in range(2))
    content[one : one + PAGE], content[other : other + PAGE] = content[other : other + PAGE], content[one : one + PAGE]
    path.write_bytes(content)


def truncate(path: Path, chance: random.Random) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: chance.randrange(PAGE, len(content))])


def truncate_in_header(path: Path, chance: random.Random) -> None:
    path.write_bytes(path.read_bytes()[: chance.randrange(1, 100)])


def replace_in_five(path: Path, chance: random.Random, was: bytes, becomes: bytes) -> None:
    content = path.read_bytes()
    for n in chance.sample(range(MESSAGES), 5):
        content = content.replace(was % n, becomes % n)
    path.write_bytes(content)


def invalid_utf8(path: Path, chance: random.Random) -> None:
    replace_in_five(path, chance, b"alpha-%03d ", b"alpha\xff%03d ")


def break_json(path: Path, chance: random.Random) -> None:
    replace_in_five(path, chance, b'"id":"a%d"', b'"id":[a%d"')


def break_types(path: Path, chance: random.Random) -> None:
    """What flips in a row's header do: values of other types, where the schema does not look."""
    connection = sqlite3.connect(path)
    connection.executescript("""DROP TRIGGER entries_never_change;
        UPDATE entries SET at = 'then', body = x'00ff' WHERE id = 'a3';
        UPDATE entries SET message_index = 'x' WHERE id = 'a5';
        UPDATE entries SET message_index = 1000000000000 WHERE id = 'a7';
        UPDATE conversations SET status = 'no such', share = 'x', updated_at = 'x', title = x'ff' WHERE id = 'b';
        UPDATE memories SET at = 'x';""")
    connection.close()


def break_schema(path: Path, chance: random.Random) -> None:
    """A flip in the text of the schema, of which an integrity check says nothing."""
    path.write_bytes(path.read_bytes().replace(b"created_at REAL", b"crfated_at REAL"))


def zero_length(path: Path, chance: random.Random) -> None:
    path.write_bytes(b"")


def another_programs(path: Path, chance: random.Random) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE notes (text)")
    connection.commit()
    connection.close()


def flip_log(path: Path, chance: random.Random) -> None:
    log = path.with_name(path.name + "-wal")
    content = bytearray(log.read_bytes())
    content[len(content) // 3 + chance.randrange(99)] ^= 0xFF
    log.write_bytes(content)


def truncate_log(path: Path, chance: random.Random) -> None:
    log = path.with_name(path.name + "-wal")
    log.write_bytes(log.read_bytes()[: chance.randrange(100, log.stat().st_size // 2)])


def remove_log(path: Path, chance: random.Random) -> None:
    path.with_name(path.name + "-wal").unlink()


def flip_index_of_log(path: Path, chance: random.Random) -> None:
    """SQLite's index of the log, which it makes anew."""
    path.with_name(path.name + "-shm").write_bytes(chance.randbytes(32_768))


def remove_index_of_log(path: Path, chance: random.Random) -> None:
    path.with_name(path.name + "-shm").unlink()


ON_INDEX: tuple[Harm, ...] = (flip_index_of_log, remove_index_of_log)
ON_LOG: tuple[Harm, ...] = (flip_log, truncate_log, remove_log)
ANYWHERE: tuple[Harm, ...] = (flip, zero_page, truncate, zero_length)
VALUES: tuple[Harm, ...] = (
    swap_pages,
    truncate_in_header,
    invalid_utf8,
    break_json,
    break_types,
    break_schema,
    another_programs,
)
KINDS = [
    *((harm, "closed") for harm in (*ANYWHERE, *VALUES)),
    *((harm, "live") for harm in (*ANYWHERE, *ON_LOG, *ON_INDEX)),
]


def everything_of(store: Store) -> dict[str, list[Message]]:
    """All that the program asks of an archive. Raises nothing but ArchiveError."""
    found: dict[str, list[Message]] = {}
    for info in store.conversations():
        found[info.id] = [entry for entry in store.entries(info.id) if isinstance(entry, Message)]
        store.outline(info.id)
        store.postings(info.id, ["alpha", "beta"])
        store.messages_at(info.id, range(10))
        store.archived_indexes(info.id)
    for query in ("alpha-003", "beta", "lph", "Never"):
        store.search(query)
    store.memories()
    store.spills_in_use()
    store.read(examine)
    return found


def files_of(path: Path) -> dict[str, bytes]:
    """The archive and its log. SQLite makes a log without content when it reads, and none of them is a loss."""
    files = {name: path.parent / name for name in (path.name, path.name + "-wal")}
    return {
        n: file.read_bytes() for n, file in files.items() if file.exists() and (file == path or file.stat().st_size)
    }


def outcome_of(sound: Path, backup: Path, path: Path, harm: Harm, state: str, chance: random.Random) -> str:
    """Damage a copy of an archive, open it, use it and open it again; return what became of it.

    "as it was": it was not noticed, or cost nothing; "mended": what could be read is there, with what is missing said,
    beside a copy of the damaged one; "refused": it was left as it was, and a backup can be restored.
    """
    shutil.copytree(sound / "live" if state == "live" else sound, path.parent, dirs_exist_ok=True)
    harm(path, chance)
    before = files_of(path)
    with contextlib.suppress(ArchiveError), closing(Store(path, read_only=True)) as reader:
        everything_of(reader)
    assert files_of(path) == before, "reading changes nothing"
    failure, store = opened(path)
    if store is None:
        assert failure in ("damaged", "locked")
        assert files_of(path) == before, "what cannot be opened is left as it is"
        check_restored(path, backup, before)
        return "refused"
    found = everything_of(store)
    copies = [copy for copy in path.parent.glob("archive.damaged-*") if copy.suffix == ".sqlite3"]
    assert [copy.name in (store.warning.kept if store.warning else "") for copy in copies] == [True] * len(copies)
    store.append("a", said("new", "A new message."))
    store.close()
    with closing(Store(path)) as again:
        assert everything_of(again)["a"][-1].text == "A new message."
        assert again.database.execute_sql("PRAGMA quick_check").fetchall() == [("ok",)]
        assert again.warning is None, "said once"
    assert len(copies) <= 1
    for copy in copies:
        kept = {name: (copy.parent / name.replace(path.name, copy.name)).read_bytes() for name in before}
        assert kept == before, "bit for bit, the log too"
    check_found(found, harm, bool(copies), bool(before.get(path.name)))
    return "mended" if copies else "as it was"


def opened(path: Path) -> tuple[str, Store | None]:
    """The archive, or the kind of the failure, which has advice."""
    try:
        return "", Store(path)
    except ArchiveError as error:
        return error.failure.kind if error.failure.advice else "", None


def check_found(found: dict[str, list[Message]], harm: Harm, is_mended: bool, had_content: bool) -> None:
    if harm in (truncate, zero_page, swap_pages, *ON_LOG) and had_content:
        assert is_mended or found["a"][-1].id.startswith("a")
    if harm in ON_LOG:
        assert is_mended
        assert "missing" in found["a"][-1].text, "a lost end is said"
    if harm in ON_INDEX:
        assert not is_mended
    assert len(found["a"]) + len(found.get("b", [])) > 0


def check_restored(path: Path, backup: Path, damaged: dict[str, bytes]) -> None:
    """A backup takes the damaged one's place, which is kept as it was."""
    aside = restore_backup(path, backup)
    if path.name in damaged:
        assert aside is not None
        kept = {name: (aside.parent / name.replace(path.name, aside.name)).read_bytes() for name in damaged}
        assert kept == damaged
    with closing(Store(path)) as store:
        assert [len(store.entries(name)) for name in "ab"] == [MESSAGES + 1, MESSAGES]


@pytest.fixture(scope="module")
def backup(sound: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("backup") / "b.sqlite3"
    make_backup(sound / "archive.sqlite3", target)
    return target


@pytest.mark.parametrize(("harm", "state"), KINDS, ids=lambda value: getattr(value, "__name__", str(value)))
def test_damage_never_raises_what_nobody_catches_and_the_original_is_kept(
    sound: Path, backup: Path, path: Path, harm: Harm, state: str
) -> None:
    outcome_of(sound, backup, path, harm, state, random.Random(0))


@pytest.mark.slow
@pytest.mark.timeout(3_000)
def test_three_hundred_damaged_archives(sound: Path, backup: Path, tmp_path: Path) -> None:
    seed = os.environ.get("PALIMPSEST_FAULTS_SEED") or secrets.token_hex(4)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for number in range(300):
        harm, state = KINDS[number % len(KINDS)]
        folder = tmp_path / f"{number}"
        folder.mkdir()
        try:
            chance = random.Random(f"{seed}-{number}")
            outcome = outcome_of(sound, backup, folder / "archive.sqlite3", harm, state, chance)
        except BaseException as error:
            error.add_note(f"PALIMPSEST_FAULTS_SEED={seed}, {number}: {harm.__name__}, {state}")
            raise
        counts[f"{harm.__name__} ({state})"][outcome] += 1
        shutil.rmtree(folder)
    print("\n".join(f"{kind}: {dict(found)}" for kind, found in counts.items()))
    print(f"300 damaged archives, 0 losses, seed {seed}: {dict(sum(counts.values(), Counter()))}")


def test_invalid_bytes_cost_only_themselves(sound: Path, path: Path) -> None:
    shutil.copytree(sound, path.parent, dirs_exist_ok=True)
    invalid_utf8(path, random.Random(1))
    store = Store(path)
    entries = [entry for entry in store.entries("a") if isinstance(entry, Message)]
    assert [entry.id for entry in entries] == [f"a{n}" for n in range(MESSAGES)]
    assert sum("\ufffd" in entry.text for entry in entries) == 5
    assert len(store.entries("b")) == MESSAGES
    assert len(store.read(examine).unreadable) == 5, "the doctor says so"
    store.close()


def test_of_a_truncated_archive_all_that_can_be_read_is_in_the_new_one(sound: Path, path: Path) -> None:
    shutil.copytree(sound, path.parent, dirs_exist_ok=True)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3 // PAGE * PAGE])
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    database.execute("PRAGMA writable_schema = 1")  # else SQLite reads nothing of it
    readable: set[str] = set()
    for number in range(2 * MESSAGES + 1):
        with contextlib.suppress(sqlite3.DatabaseError):
            query = "SELECT id FROM entries NOT INDEXED WHERE number = ? AND message_index IS NOT NULL"
            readable |= {name for (name,) in database.execute(query, (number,))}
    database.close()
    store = Store(path)
    found = {m.id for c in "ab" for m in store.entries(c) if isinstance(m, Message)}
    assert readable
    assert readable <= found
    assert store.search("alpha-001")
    store.close()


def test_an_archive_without_content_beside_a_log_is_not_made_anew(sound: Path, path: Path) -> None:
    shutil.copytree(sound / "live", path.parent, dirs_exist_ok=True)
    path.write_bytes(b"")
    before = files_of(path)
    with pytest.raises(ArchiveError, match="log is not"):
        Store(path)
    path.unlink()
    with pytest.raises(ArchiveError, match="log is not"):
        Store(path)
    assert files_of(path) == {name: content for name, content in before.items() if name != path.name}


def test_a_sound_archive_that_was_not_closed_loses_nothing_and_is_not_copied(sound: Path, path: Path) -> None:
    shutil.copytree(sound / "live", path.parent, dirs_exist_ok=True)
    with path.with_suffix(".counts").open("a") as file:
        file.write("a 9999")  # a crash in the middle of a line
    store = Store(path)
    found = [entry.id for entry in store.entries("a") if isinstance(entry, Message)]
    assert found == [f"a{n}" for n in range(MESSAGES + 12)]
    store.close()
    assert not list(path.parent.glob("archive.damaged-*"))


def test_the_doctor_names_the_copy_of_a_damaged_archive(
    sound: Path, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(sound, path.parent, dirs_exist_ok=True)
    zero_page(path, random.Random(1))
    Store(path).close()
    main(["doctor", "--data-dir", str(path.parent)])
    assert "archive.damaged-1.sqlite3" in capsys.readouterr().out
