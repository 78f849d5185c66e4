"""The home folder that a server in the sandbox has for itself, and what else it needs there."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest
from mcp_bench import FOLDER, bench

from desktop_app.settings import McpServer
from desktop_app.tools.sandbox.private_home import furnish_home
from desktop_app.tools.sandbox.scoped_start import can_scope_sockets
from sandbox_here import why_not

in_the_sandbox = pytest.mark.skipif(bool(why_not()), reason=why_not())
pytestmark = pytest.mark.wire


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home, with what other programs have left there."""
    folder = tmp_path / "home"
    for name in (".cache/ms-playwright", ".cache/notes-mcp", ".config/git", ".local/share/uv", ".ssh", "Documents"):
        (folder / name).mkdir(parents=True)
    (folder / ".gitconfig").write_text("[user]\n")
    (folder / ".netrc").write_text("secret")
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CACHE", "CONFIG", "DATA", "STATE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    return folder


def test_the_users_files_are_linked_and_no_keys(tmp_path: Path, home: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    furnish_home(own, os.environ)
    links = {str(path.relative_to(own)) for path in own.rglob("*") if path.is_symlink()}
    assert links == {".cache/ms-playwright", ".config/git", ".local/share/uv", ".gitconfig", "Documents"}
    (home / "Documents").rmdir()
    (home / "new").touch()
    (own / ".gitconfig").unlink()
    (own / ".gitconfig").write_text("its own")
    furnish_home(own, os.environ)
    assert not os.path.lexists(own / "Documents")
    assert (own / "new").is_symlink()
    assert (own / ".gitconfig").read_text() == "its own"


def test_another_place_for_caches_is_linked_too(tmp_path: Path, home: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (tmp_path / "elsewhere" / "puppeteer").mkdir(parents=True)
    furnish_home(own, {"HOME": str(home), "XDG_CACHE_HOME": str(tmp_path / "elsewhere")})
    assert os.readlink(own / ".cache/puppeteer") == str(tmp_path / "elsewhere/puppeteer")


def test_a_planted_link_leads_nowhere(tmp_path: Path, home: Path) -> None:
    own, outside = tmp_path / "own", tmp_path / "outside"
    own.mkdir()
    outside.mkdir()
    (own / ".cache").symlink_to(outside)
    (own / ".local").write_text("a file in the way")
    furnish_home(own, os.environ)
    assert not list(outside.iterdir())
    assert (own / ".cache").is_dir()
    assert not (own / ".cache").is_symlink()
    assert (own / ".local/share/uv").is_symlink()


KEEPS = """
exec 2>>notes
echo mine >> ~/.state; mkdir -p ~/.cache/notes-mcp; echo mine >> ~/.cache/notes-mcp/a; echo x > "$UV_TOOL_DIR-lock"
cat ~/.netrc > secret; echo x > ~/.config/git/ignore
{python} -c "import socket; socket.socket(socket.AF_UNIX).bind('own-socket')" && echo yes > bound
{python} -c "import socket; socket.socket(socket.AF_UNIX).connect(chr(0) + '{name}')" && echo yes > connected
exec {python} {rude}
"""


@in_the_sandbox
async def test_a_server_keeps_files_in_a_home_of_its_own(tmp_path: Path, home: Path) -> None:
    """basic-memory, serena, workspace-mcp and mcp-remote keep state in the home, uvx its tools, Chromium its sockets;
    the sockets without a file, such as the display's, stay closed."""
    work, name = tmp_path / "work", f"palimpsest-test-{os.getpid()}"
    work.mkdir()
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(f"\0{name}")
    listening.listen()
    script = KEEPS.format(python=sys.executable, name=name, rude=FOLDER / "rude.py")
    server = McpServer("s", ("bash", "-c", script), folder=str(work))
    for times in (1, 2):
        async with bench(tmp_path, server, is_on=True) as one:
            assert await one.names() == ["s__work"]
        own = next((tmp_path / "data" / "server_homes").iterdir())
        assert (own / ".state").read_text() == "mine\n" * times
        assert (own / ".cache/notes-mcp/a").read_text() == "mine\n" * times
    listening.close()
    assert own.name.startswith("s-")
    assert not (home / ".state").exists()
    assert not list((home / ".cache/notes-mcp").iterdir())
    assert not list((home / ".config/git").iterdir())
    assert (work / "secret").read_text() == ""
    assert (work / "bound").exists() == can_scope_sockets()
    assert not (work / "connected").exists()


@in_the_sandbox
async def test_a_writable_folder_is_made_or_refused_with_a_word(tmp_path: Path, home: Path) -> None:
    command, new = (sys.executable, str(FOLDER / "rude.py")), tmp_path / "new" / "deep"
    good = McpServer("good", command, writable=(str(new),))
    wide = McpServer("wide", command, writable=(str(home.parent),))
    below = McpServer("below", command, writable=(str(home / ".gitconfig" / "x"),))
    async with bench(tmp_path, good, wide, below, is_on=True) as one:
        assert await one.names() == ["good__work"]
        assert new.is_dir()
        assert f"{home.parent} holds a home" in one.details()
        assert "cannot be made" in one.details()


@in_the_sandbox
async def test_the_reason_of_a_failed_write_reaches_model_and_user(tmp_path: Path, home: Path) -> None:
    target = "/opt/tool/db"
    script = f"echo \"Error: EROFS: read-only file system, open '{target}'\" >&2; exit 3"
    async with bench(tmp_path, McpServer("s", ("bash", "-c", script)), is_on=True) as one:
        assert await one.names() == []
        failure = one.servers.failures()[1]
        assert failure.kind == "sandbox"
        assert target in failure.detail
