"""The house's import rules (who may import what), read from the source of every file, and tried on planted trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APP = "desktop_app"

VALUES = {
    "settings",
    "mcp_configurations",
    "paths",
    "addresses",
    "process_secrets",
    "log_files",
    "system_libraries",
    "file_locks",
    "open_databases",
    "own_processes",
    "time_zone",
    "unused_files",
}
VERBS = {"conversation", "context", "permissions", "chat"}

# Which parts of ours a part may import besides itself; the longest name that fits a module decides.
# conversation <- context | permissions <- archive <- chat <- models | tools | imports <- engine <- commands
MAY_IMPORT: dict[str, set[str]] = {
    "settings": {"conversation", "paths", "file_locks"},
    "mcp_configurations": {"conversation", "settings"},
    "paths": set(),
    "file_locks": set(),
    "open_databases": {"conversation"},
    "system_libraries": set(),
    "addresses": set(),
    "log_files": {"paths"},
    "own_processes": set(),
    "time_zone": set(),
    "unused_files": set(),
    "process_secrets": set(),
    "connections": {"addresses", "conversation", "settings"},
    "conversation": set(),
    "context": {"conversation"},
    "permissions": {"conversation"},
    "archive": {"conversation", "context"} | VALUES,
    "chat": {"conversation", "context", "permissions", "settings", "archive"},
    "models": VERBS | VALUES | {"connections"},
    "tools": VERBS | VALUES | {"archive", "connections"},
    "imports": {"conversation", "chat", "own_processes"},
    "engine.protocol": {"conversation", "context", "settings"},
    "engine": VERBS | VALUES | {"models", "tools", "archive", "imports"},
    "ui": VALUES | {"conversation", "context", "permissions", "engine.protocol"},
    "commands": VERBS | VALUES | {"models", "tools", "archive", "imports", "engine"},
    "commands.tour": VERBS | VALUES | {"models", "tools", "archive", "engine", "commands", "ui"},
    "__main__": VERBS | VALUES | {"models", "tools", "archive", "engine", "commands", "ui"},
    "__init__": set(),
}

# The one part that may import a library.
LIBRARY_LIVES_IN = {
    "PySide6": "ui",
    "shiboken6": "ui",
    "qasync": "ui",
    "peewee": "archive",
    "playhouse": "archive",
    "litellm": "models",
    "xllamacpp": "models.llama_server",
    "tiktoken": "models",
    "tokenizers": "models",
    "mcp": "tools",
    "ijson": "imports",
    "trafilatura": "tools.page_child",
    "ddgs": "tools.web_search_child",
    "PIL": "tools",
    "docx": "tools.word_reader",
    "pypdf": "tools.pdf_reader",
    "python_calamine": "tools.sheet_reader",
    "ziamath": "tools.graphic_child",
    "merm": "tools.graphic_child",
}

# Who may import the window as a whole: a controller gets the widgets that it drives, and nothing else of the window.
WINDOW_IS_SEEN_BY = {
    "ui.window_layout": {"ui.main_window"},
    "ui.main_window": {"ui.app", "ui.driver", "commands.tour"},
}
MAX_DOTS = 2
"""How deep a controller may reach into what it has: `self._panel.history.show_archived`, and no deeper."""

# The nouns and the decisions are pure: no clock, chance, database, network, file, thread or process.
PURE = ("conversation", "context", "permissions")
IMPURE = {
    *("asyncio", "concurrent", "datetime", "httpx", "logging", "multiprocessing", "os", "pathlib", "random"),
    *("socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time", "urllib"),
}


def is_within(module: str, part: str) -> bool:
    return module == part or module.startswith(f"{part}.")


def module_name(file: Path, root: Path) -> str:
    """Its dotted name within desktop_app: "context.view"; a package's own file is the package."""
    parts = file.relative_to(root / APP).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


CALENDAR = ("datetime.date", "datetime.timedelta")
"""Days are values; `today()` would be the clock."""


@cache
def imports_of(file: Path, root: Path) -> tuple[tuple[int, str], ...]:
    """Line and full name of everything that a file imports, also where only a type checker would."""
    return tuple(_imports(file, root))


def _imports(file: Path, root: Path) -> Iterator[tuple[int, str]]:
    package = ".".join([APP, *file.relative_to(root / APP).parent.parts])
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"), str(file))):
        match node:
            case ast.Import(names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module, names, level):
                above = package.rsplit(".", level - 1)[0] if level else ""
                source = ".".join(filter(None, [above, module]))
                yield from ((node.lineno, f"{source}.{alias.name}") for alias in names)
            case ast.Call(ast.Attribute(attr="import_module") | ast.Name("import_module"), [ast.Constant(str(name))]):
                yield node.lineno, name


def why_not(module: str, imported: str) -> str:
    """The rule that forbids this import, or nothing. `imported` is absolute, down to the imported name."""
    if is_within(imported, APP):
        return why_not_ours(module, imported.removeprefix(APP).removeprefix("."))
    library = imported.split(".")[0]
    home = LIBRARY_LIVES_IN.get(library)
    if home and not is_within(module, home):
        return f"{library} is imported in {home} only"
    pure = next((part for part in PURE if is_within(module, part)), None)
    if pure and library in IMPURE and imported not in CALENDAR:
        return f"{pure} is pure: no clock, chance, database, network, file, thread or process"
    return ""


def why_not_ours(module: str, imported: str) -> str:
    if imported in ("", "__version__", "STARTED"):  # the bare package
        return ""
    for whole, seers in WINDOW_IS_SEEN_BY.items():
        if is_within(imported, whole) and not any(is_within(module, seer) for seer in seers):
            return f"a controller gets the widgets that it drives, not {whole}"
    fitting = [part for part in MAY_IMPORT if is_within(module, part)]
    if not fitting:
        return f"nobody wrote down what {module} may import: add it to MAY_IMPORT"
    part = max(fitting, key=len)
    if any(is_within(imported, allowed) for allowed in MAY_IMPORT[part] | {part}):
        return ""
    allowed = ", ".join(sorted(MAY_IMPORT[part])) or "nothing of ours"
    return f"{part} may import {allowed}"


def broken_rules(file: Path, root: Path) -> list[str]:
    """Each forbidden import of a file: where it is, what it imports, and the rule."""
    module = module_name(file, root)
    return [
        f"{file.relative_to(root)}:{line} imports {imported}, but {rule}"
        for line, imported in imports_of(file, root)
        if (rule := why_not(module, imported))
    ]


def import_circle(root: Path) -> list[str]:
    """Return the modules of a circle of imports, one after the other; [] if there is none. What only a type checker or
    a function imports counts, too."""
    files = {module_name(file, root): file for file in (root / APP).rglob("*.py")}
    graph = {
        module: {target for line, name in imports_of(file, root) if (target := _module_in(name, files)) != module}
        for module, file in files.items()
    }
    try:
        TopologicalSorter({module: targets - {""} for module, targets in graph.items()}).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def _module_in(name: str, modules: dict[str, Path]) -> str:
    """Return the module of ours that is meant by an imported name; "" for a library's."""
    if not is_within(name, APP):
        return ""
    ours = name.removeprefix(APP).removeprefix(".")
    return ours if ours in modules else ours.rpartition(".")[0]


def deep_reaches(source: str) -> list[str]:
    """Return each chain of names by which a module of controllers reaches deeper than MAX_DOTS into what it has.

    A signal's `connect` or `emit` at the end is no step.
    """
    tree = ast.parse(source)
    if not any(isinstance(node, ast.ClassDef) and _is_controller(node) for node in tree.body):
        return []
    within = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    chains = (ast.unparse(node).removeprefix("self.") for node in ast.walk(tree) if _is_chain(node, within))
    ends = (".connect", ".emit")
    paths = {next((chain.removesuffix(end) for end in ends if chain.endswith(end)), chain) for chain in chains}
    return sorted(path for path in paths if path.count(".") > MAX_DOTS)


def _is_controller(node: ast.ClassDef) -> bool:
    return node.name.endswith("Controller") or any(ast.unparse(base) == "Controller" for base in node.bases)


def _is_chain(node: ast.AST, within: set[int]) -> bool:
    """Return whether this is a name with attributes, as `a.b.c`, and not `within` a longer one."""
    if id(node) in within:
        return False
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


FILES = sorted((ROOT / APP).rglob("*.py"))


def test_no_import_goes_round_in_a_circle() -> None:
    assert import_circle(ROOT) == []


@pytest.mark.parametrize("back", ["from .a import f", "if TYPE_CHECKING:\n    from . import a"])
def test_a_planted_circle_is_found(tmp_path: Path, back: str) -> None:
    (tmp_path / APP / "chat").mkdir(parents=True)
    (tmp_path / APP / "chat" / "a.py").write_text("from desktop_app.chat.b import g")
    (tmp_path / APP / "chat" / "b.py").write_text(back)
    assert set(import_circle(tmp_path)) == {"chat.a", "chat.b"}


def test_the_files_keep_the_import_rules() -> None:
    broken = [told for file in FILES for told in broken_rules(file, ROOT)]
    assert not broken, "\n" + "\n".join(broken)


def test_no_controller_reaches_deep_into_what_it_has() -> None:
    deep = {file.name: deep_reaches(file.read_text(encoding="utf-8")) for file in FILES if "ui" in file.parts}
    assert {name: chains for name, chains in deep.items() if chains} == {}


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("self._panel.breakdown.totals.set_totals(totals)", ["_panel.breakdown.totals.set_totals"]),
        ("parts.composer.field.files.given.connect(self.take)", ["parts.composer.field.files.given"]),
        ("composer.field.given.connect(self.take)", []),
        ("self._panel.history.show_archived(rows)", []),
        ("self._chat.turns.of(name).questions.first.text", []),
    ],
)
def test_a_planted_reach_is_found_in_controllers_only(line: str, found: list[str]) -> None:
    method = f"    def show(self):\n        {line}\n"
    assert deep_reaches(f"class PanelController:\n{method}") == found
    assert deep_reaches(f"class First(Controller):\n{method}") == found
    assert deep_reaches(f"class Panel:\n{method}") == []


def test_what_is_pure_asks_no_clock_for_the_day() -> None:
    pure = [file for part in PURE for file in (ROOT / APP / part).rglob("*.py")]
    assert not [str(file) for file in pure if ".today(" in file.read_text(encoding="utf-8")]


FORBIDDEN = """
conversation/message.py    | from desktop_app.context.view.view import View     | conversation may import nothing of
conversation/message.py    | import time                                        | conversation is pure
context/recall/times.py    | from datetime import datetime                      | context is pure
context/recall/times.py    | from datetime import date                          |
context/view.py            | from desktop_app.chat import ports                 | context may import conversation
permissions/rules.py       | from desktop_app.context.view.view import View     | permissions may import conversation
context/prune/strategies.py      | from ...chat.ports import Emit                     | context may import conversation
chat/take_turn.py          | from desktop_app.models.roles import Roles         | chat may import archive
models/roles.py            | from desktop_app.archive.tables import EntryRow      | models may import
archive/tables.py            | if TYPE_CHECKING: from desktop_app.engine import x | archive may import
archive/writing.py           | from desktop_app.chat.ports import Emit            | archive may import
engine/protocol/lines.py   | from ..compose import Engine                       | engine.protocol may import
engine/protocol/lines.py   | from desktop_app.chat.ports import Emit            | engine.protocol may import
engine/serve.py            | from desktop_app.ui.bridge import Bridge           | engine may import
ui/bridge.py               | from desktop_app.engine.compose import Engine      | ui may import
ui/sidebar/list.py         | from desktop_app.archive import tables             | ui may import
ui/header_controller.py    | from .main_window import MainWindow                | a controller gets the widgets
ui/sidebar/listing.py      | from desktop_app.ui.window_layout import WindowLayout | a controller gets the widgets
ui/main_window.py          | from .window_layout import WindowLayout            |
commands/tour/steps.py     | from desktop_app.ui.main_window import MainWindow  |
commands/doctor.py         | from desktop_app.ui import app                     | commands may import
commands/doctor.py         | def late(): import PySide6.QtCore                  | PySide6 is imported in ui only
engine/serve.py            | from litellm import acompletion                    | litellm is imported in models only
engine/serve.py            | importlib.import_module('litellm')                 | litellm is imported in models only
plugins/one.py             | from desktop_app.chat import ports                 | nobody wrote down what plugins.one may
conversation/transcript.py | from .message import Message; import msgspec       |
context/prune/strategies.py      | from ..view import view_of                         |
models/llama_server/one.py | import xllamacpp                                   |
models/tokens/counts.py    | import tokenizers, tiktoken                        |
engine/compose.py          | from desktop_app.archive.store import Store        |
engine/serve.py            | from . import protocol; from .compose import x     |
ui/bridge.py               | from desktop_app.engine.protocol import Send       |
ui/app.py                  | import qasync; from PySide6.QtCore import QObject  |
commands/doctor.py         | from desktop_app import __version__                |
__main__.py                | from desktop_app.ui.app import run                 |
context/counting.py        | from importlib.util import find_spec; import re    |
"""
"""A file, what it imports, and the rule that forbids it, if one does."""


def test_a_planted_violation_is_found_and_named_and_nothing_else(tmp_path: Path) -> None:
    for number, line in enumerate(FORBIDDEN.strip().splitlines()):
        path, source, rule = (cell.strip() for cell in line.split("|"))
        file = tmp_path / str(number) / APP / path
        file.parent.mkdir(parents=True)
        file.write_text(source, encoding="utf-8")
        broken = broken_rules(file, tmp_path / str(number))
        assert len(broken) == bool(rule), line
        assert all(one.startswith(f"{APP}/{path}:") and rule in one for one in broken), line
