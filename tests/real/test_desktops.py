"""The window on real desktops of Debian 12 and 13: portal, screen reader, input methods, managers and compositors."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from desktop_app.__main__ import main
from real_programs import system, within

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    "at-spi2-core", "ca-certificates", "dbus", "dunst", "fcitx5", "fcitx5-pinyin", "fonts-dejavu-core",
    "gir1.2-atspi-2.0", "gsettings-desktop-schemas", "i3-wm", "ibus", "ibus-libpinyin", "imagemagick", "kwin-wayland",
    "libegl1", "libgl1", "libnss3", "libxcb-cursor0", "libxcb-icccm4", "libxcb-image0", "libxcb-keysyms1",
    "libxcb-render-util0", "libxkbcommon-x11-0", "mutter", "openbox", "orca", "procps", "python3-gi",
    "speech-dispatcher", "sway", "weston", "wmctrl", "x11-utils", "xauth", "xdg-desktop-portal",
    "xdg-desktop-portal-gtk", "xdotool", "xfwm4", "xvfb",
)  # fmt: skip
OLD_PACKAGES = (
    "at-spi2-core", "dbus", "fonts-dejavu-core", "gir1.2-atspi-2.0", "gsettings-desktop-schemas", "libegl1", "libgl1",
    "libnss3", "libxcb-cursor0", "libxcb-icccm4", "libxcb-image0", "libxcb-keysyms1", "libxcb-render-util0",
    "libxcb-shape0", "libxkbcommon-x11-0", "openbox", "orca", "procps", "python3-gi", "speech-dispatcher",
    "speech-dispatcher-audio-plugins", "xauth", "xdotool", "xvfb",
)  # fmt: skip
PLANTED = "sk-planted-5f3a9c51e2d7"
WINDOW = shlex.join([sys.executable, "-m", "desktop_app", "--data-dir"])
NOT_ROOTS_RIGHT = ("setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace")
"""Root may inspect what forbids it, and so may root's portal. Users and their portal do not have that right."""
DARK = "[org/gnome/desktop/interface]\\ncolor-scheme='prefer-dark'\\n"
START_PORTAL = f"""
mkdir -p $XDG_CONFIG_HOME/glib-2.0/settings $XDG_CONFIG_HOME/xdg-desktop-portal
printf "{DARK}" > $XDG_CONFIG_HOME/glib-2.0/settings/keyfile
printf '[preferred]\\ndefault=gtk\\n' > $XDG_CONFIG_HOME/xdg-desktop-portal/portals.conf
/usr/libexec/xdg-desktop-portal-gtk & sleep 1
/usr/libexec/xdg-desktop-portal & sleep 3
"""
COLOUR = "import -window root png:- | convert png:- -crop 1x1+700+500 -format '%[fx:lightness]' info:-"


@pytest.fixture(scope="module")
def desktop() -> Path:
    return system("trixie", *PACKAGES)


@pytest.fixture(scope="module")
def old_desktop() -> Path:
    return system("bookworm", *OLD_PACKAGES)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with two conversations."""
    texts = {"Penguins": "They swim.\n\n1. far\n2. deep", "Lisbon": "It has **seven** hills."}
    folder = tmp_path / "data"
    for question, answer in texts.items():
        file = tmp_path / f"{question}.jsonl"
        said = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        file.write_text("\n".join(map(json.dumps, said)))
        assert main(["--data-dir", str(folder), "import", str(file)]) == 0
    return folder


def run(root: Path, folder: Path, script: str, *before: str, **variables: str) -> str:
    """Run a script of bash on a virtual screen with a session bus. Returns its output."""
    (folder / "script.sh").write_text(f"trap 'kill $(jobs -p) 2>/dev/null' EXIT\n{script}")
    for name in ("home", "runtime", "config"):
        (folder / name).mkdir(mode=0o700, exist_ok=True)
    environment = {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin:/usr/games", "LANG": "C.UTF-8", "LIBGL_ALWAYS_SOFTWARE": "1",
        "HOME": f"{folder}/home", "XDG_RUNTIME_DIR": f"{folder}/runtime", "XDG_CONFIG_HOME": f"{folder}/config",
        "GSETTINGS_BACKEND": "keyfile", "PYTHONPATH": str(ROOT), **variables,
    }  # fmt: skip
    screen = ("xvfb-run", "-a", "-s", "-screen 0 1440x900x24", "dbus-run-session", "--")
    command = within(root, *before, *screen, "bash", f"{folder}/script.sh")
    output = (folder / "output").open("w+")  # a pipe would stay open in what the script leaves behind
    with output:
        subprocess.run(command, env=environment, stdout=output, stderr=subprocess.STDOUT, timeout=300, check=False)
        output.seek(0)
        return output.read()


ASK = """
import sys
from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection
from desktop_app.process_secrets import seal_process
if sys.argv[1] == "sealed":
    seal_process()
at = DBusAddress("/org/freedesktop/portal/desktop", "org.freedesktop.portal.Desktop", "org.freedesktop.portal.Settings")
call = new_method_call(at, "Read", "ss", ("org.freedesktop.appearance", "color-scheme"))
print("asked", sys.argv[1], open_dbus_connection().send_and_get_reply(call).body)
"""
LOOK = """
import sys
found = 0
with open(f"/proc/{sys.argv[1]}/mem", "rb", buffering=0) as memory:
    for region in open(f"/proc/{sys.argv[1]}/maps"):
        span, rights, *_ = region.split()
        first, end = (int(number, 16) for number in span.split("-"))
        if rights.startswith("rw"):
            memory.seek(first)
            content = memory.read(end - first)
            found += sum(sys.argv[2].encode(form) in content for form in ("utf-8", "utf-16-le", "utf-32-le"))
print("in memory", sys.argv[3], found)
"""


def test_the_portal_answers_the_window_which_keeps_no_key(desktop: Path, tmp_path: Path, data: Path) -> None:
    """xdg-desktop-portal 1.20.3 opens /proc/PID/root of its caller, and refuses one that is sealed."""
    (tmp_path / "ask.py").write_text(ASK)
    (tmp_path / "look.py").write_text(LOOK)
    output = run(desktop, tmp_path, f"""{START_PORTAL}
        for state in open sealed; do {sys.executable} {tmp_path}/ask.py $state; done
        {WINDOW} {data} & window=$!
        for second in $(seq 40); do grep -qs 'was painted' {data}/*.log && break; sleep 0.5; done; sleep 2
        echo lightness $({COLOUR})
        look() {{ {sys.executable} {tmp_path}/look.py $window "$@"; }}
        for second in $(seq 40); do look Penguins shown | grep -v ' 0$' && break; done
        look {PLANTED} planted
        engine=$(pgrep -P $window -f engine | head -1)
        head -c 1 /proc/$engine/mem 2>&1 | grep -q denied && echo engine is sealed
        kill $window; wait $window
    """, *NOT_ROOTS_RIGHT, OPENAI_API_KEY=PLANTED)  # fmt: skip
    assert "asked open (('v', ('u', 1)),)" in output, output
    assert re.search(r"asked sealed .*Unable to open /proc/\d+/root", output), output
    lightness = re.search(r"lightness ([\d.]+)", output)
    assert lightness is not None, output
    assert float(lightness[1]) < 0.3, output
    assert "in memory planted 0" in output, output
    assert "engine is sealed" in output, output
    assert re.search(r"in memory shown [1-9]", output), "the search finds what is there"


NOTIFY = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QWidget
from desktop_app.ui.desktop_notifications import DesktopNotifier
application, window = QApplication([]), QWidget()
notifier = DesktopNotifier(window)
notifier.opened.connect(lambda key: (print("opened", key, flush=True), application.quit()))
notifier.notify("c1", "Billing", "The reply is ready & waits.")
QTimer.singleShot(20_000, lambda: application.exit(1))
sys.exit(application.exec())
"""


@pytest.mark.parametrize("portal", ["", START_PORTAL], ids=["daemon alone", "portal"])
def test_a_notification_arrives_and_its_click_comes_back(desktop: Path, tmp_path: Path, portal: str) -> None:
    """With dunst 1.12 as the daemon. Without a portal: its activation is not configured."""
    (tmp_path / "notify.py").write_text(NOTIFY)
    hide = "" if portal else "mount -t tmpfs none /usr/share/dbus-1/services\n"
    output = run(desktop, tmp_path, f"""{hide}
        dunst & sleep 2
        {portal}
        QT_QPA_PLATFORM=offscreen {sys.executable} {tmp_path}/notify.py & asked=$!
        for second in $(seq 20); do [ "$(dunstctl count displayed)" = 1 ] && break; sleep 0.5; done
        echo displayed $(dunstctl count displayed); dunstctl action 0
        wait $asked
    """, *(NOT_ROOTS_RIGHT if portal else ()))  # fmt: skip
    assert "displayed 1" in output, output
    assert "opened c1" in output, output


@pytest.mark.parametrize("orca", ["48.1", "43.1"])
def test_orca_reads_messages_results_and_numbers(
    request: pytest.FixtureRequest, tmp_path: Path, data: Path, orca: str
) -> None:
    """Orca of Debian 13 and of Debian 12, by its log of what it speaks.

    43.1 does not listen to announcements (object:announcement), so that results and counts are not heard with it.
    """
    log = tmp_path / "orca.log"
    press = "sleep 1.5; xdotool key"
    system_of = request.getfixturevalue("desktop" if orca == "48.1" else "old_desktop")
    output = run(system_of, tmp_path, f"""
        echo 'pcm.!default {{ type null }}' > $HOME/.asoundrc
        openbox & speech-dispatcher -s -t 0 & sleep 1
        orca --debug-file={log} & sleep 8
        QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 {WINDOW} {data} & window=$!
        for second in $(seq 40); do grep -qs 'was painted' {data}/*.log && break; sleep 0.5; done; sleep 6
        {press} F6; {press} F6; {press} F6; {press} Up; sleep 2
        {press} ctrl+k; sleep 2; xdotool type hills; sleep 4; {press} Escape
        {press} ctrl+f; sleep 1; xdotool type seven; sleep 3; {press} Escape
        {press} ctrl+comma; sleep 3; xdotool type 'text size'; sleep 2
        for tab in 1 2 3 4 5; do {press} Tab; done; sleep 1
        {press} Escape; {press} Escape; {press} ctrl+plus; sleep 4
        kill $window; sleep 4
    """)  # fmt: skip
    assert log.exists(), output
    spoken = re.findall(r"SPEECH OUTPUT: '(.*?)' ?[\[{]", log.read_text(errors="replace"), re.DOTALL)
    flat = [" ".join(text.split()) for text in spoken]
    assert any("seven hills" in text and text.startswith("Assistant") for text in flat), flat
    if orca == "43.1":
        assert any(text.startswith("Search everything dialog") for text in flat), flat
        return
    assert any(text.startswith("1 result. Lisbon") for text in flat), flat
    assert "1 of 1" in flat, flat
    assert any(text.startswith("Settings dialog") for text in flat), flat
    assert any(text.startswith("Text size, 100 %") for text in flat), flat
    assert not any("83 percent" in text for text in flat), flat
    assert flat.count("Text size 110 %") == 1, flat


DRAFT = """
from PySide6.QtCore import QTimer
from desktop_app.settings import Settings
from desktop_app.ui.app import make_application
from desktop_app.ui.composer.draft_field import DraftField
application = make_application(Settings())
field = DraftField()
field.setPlaceholderText("Message")
field.resize(600, 300)
field.show()
field.activateWindow()
field.setFocus()
field.composed = []
def look():
    if field.is_composing:
        print("composes", repr(field.placeholderText()), flush=True)
timer = QTimer(interval=100)
timer.timeout.connect(look)
timer.start()
QTimer.singleShot(12_000, application.quit)
application.exec()
print("written", field.written())
"""
PROFILE = """[Groups/0]
Name=Default
Default Layout=us
DefaultIM=pinyin
[Groups/0/Items/0]
Name=keyboard-us
[Groups/0/Items/1]
Name=pinyin
[GroupOrder]
0=Default
"""


SCREENS = {
    "X11": "openbox &\nexport QT_QPA_PLATFORM=xcb",
    "sway": """
        echo 'output X11-1 resolution 1024x640' > $XDG_CONFIG_HOME/sway
        WLR_BACKENDS=x11 WLR_RENDERER=pixman sway --unsupported-gpu -c $XDG_CONFIG_HOME/sway &
        for second in $(seq 60); do [ -S $XDG_RUNTIME_DIR/wayland-1 ] && break; sleep 0.5; done
        export WAYLAND_DISPLAY=wayland-1 QT_QPA_PLATFORM=wayland
    """,
}


@pytest.mark.parametrize("screen", SCREENS)
def test_fcitx5_writes_into_the_draft(desktop: Path, tmp_path: Path, screen: str) -> None:
    """fcitx5 5.1.12, whose plugin PySide's Qt lacks, with the variable that it tells users to set."""
    (tmp_path / "draft.py").write_text(DRAFT)
    profile = tmp_path / "config" / "fcitx5" / "profile"
    profile.parent.mkdir(parents=True)
    profile.write_text(PROFILE)
    has_name = "dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner"
    output = run(desktop, tmp_path, f"""{SCREENS[screen]}
        fcitx5 --disable=notifications,notificationitem,portal &
        for second in $(seq 60); do {has_name} string:org.fcitx.Fcitx5 | grep -q true && break; sleep 0.5; done; sleep 2
        QT_IM_MODULE=fcitx {sys.executable} {tmp_path}/draft.py & draft=$!
        sleep 4; xdotool mousemove 500 300 click 1; fcitx5-remote -o; fcitx5-remote -s pinyin
        xdotool type --delay 150 nihao; sleep 1.5; xdotool key space
        wait $draft
    """)  # fmt: skip
    assert "written 你好" in output, output
    assert "composes ''" in output, "the placeholder makes way"


def test_ibus_writes_into_the_draft(desktop: Path, tmp_path: Path) -> None:
    """ibus 1.5.32 with its Pinyin, on X11."""
    (tmp_path / "draft.py").write_text(DRAFT)
    output = run(desktop, tmp_path, f"""
        openbox & export QT_QPA_PLATFORM=xcb QT_IM_MODULE=ibus
        ibus-daemon --panel disable & sleep 4; ibus engine libpinyin; echo engine $(ibus engine)
        {sys.executable} {tmp_path}/draft.py & draft=$!
        sleep 5; xdotool mousemove 500 300 click 1; sleep 1; ibus engine libpinyin; sleep 1
        xdotool type --delay 150 nihao; sleep 2; xdotool key space
        wait $draft
    """)  # fmt: skip
    assert "engine libpinyin" in output, output
    assert "written 你好" in output, output
    assert "composes ''" in output, "the placeholder makes way"


MANAGERS = {
    "openbox": "openbox",
    "xfwm4": "xfwm4 --compositor=off",
    "i3": "echo 'font pango:monospace 8' > $XDG_CONFIG_HOME/i3rc; i3 -c $XDG_CONFIG_HOME/i3rc",
}


@pytest.mark.parametrize("name", MANAGERS)
def test_a_window_manager_lists_fills_and_closes_the_window(
    desktop: Path, tmp_path: Path, data: Path, name: str
) -> None:
    """openbox 3.6, xfwm4 4.20, and i3 4.24, which gives its windows the whole screen."""
    picture = tmp_path / "picture.png"
    output = run(desktop, tmp_path, f"""
        {MANAGERS[name]} & sleep 3
        {WINDOW} {data} & window=$!
        for second in $(seq 60); do grep -qs 'was painted' {data}/*.log && break; sleep 0.5; done; sleep 4
        echo listed $(wmctrl -l -p -x)
        xdotool search --class --onlyvisible palimpsest getwindowgeometry
        echo focused $(xdotool getactivewindow getwindowname)
        xdotool key ctrl+n; sleep 2; xdotool type --delay 80 'typed with keys'; sleep 1
        import -window root {picture}
        {WINDOW} {data} --new
        wmctrl -x -c palimpsest; wait $window; echo ended $?
    """)  # fmt: skip
    assert picture.exists(), output
    assert re.search(r"listed .*palimpsest", output), output
    assert re.search(r"focused .*Palimpsest", output), output
    sizes = [tuple(map(int, found)) for found in re.findall(r"Geometry: (\d+)x(\d+)", output)]
    assert all(width <= 1440 and height <= 900 for width, height in sizes), output
    assert name != "i3" or max(sizes) > (1400, 850), output
    assert "Palimpsest is open already" in output, output
    assert "ended 0" in output, output
    drafts = "".join(file.read_bytes().decode(errors="replace") for file in data.rglob("*") if file.is_file())
    assert "typed with keys" in drafts, "the window takes keys, and keeps what was typed as it is closed"
    assert "Traceback" not in drafts, output


COMPOSITORS = {
    "weston": ("wl-real", "weston --backend=x11 --width=1024 --height=640 --socket=wl-real --renderer=pixman"),
    "sway": ("wayland-1", "sway --unsupported-gpu -c $XDG_CONFIG_HOME/sway"),
    "mutter": ("wl-real", "mutter --wayland --nested --wayland-display=wl-real"),
    "kwin": ("wl-real", "kwin_wayland --x11-display $DISPLAY --width 1024 --height 640 --socket wl-real"),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPOSITORS)
def test_the_window_opens_on_a_compositor_and_ends_in_order(
    desktop: Path, tmp_path: Path, data: Path, name: str
) -> None:
    """Nested on a virtual screen, and without systemd: weston 14, sway 1.10, mutter 48, kwin 6.3."""
    socket, command = COMPOSITORS[name]
    picture = tmp_path / "picture.png"
    output = run(desktop, tmp_path, f"""
        echo 'output X11-1 resolution 1024x640' > $XDG_CONFIG_HOME/sway
        {command} & compositor=$!
        for second in $(seq 60); do [ -S $XDG_RUNTIME_DIR/{socket} ] && break; sleep 0.5; done
        WAYLAND_DISPLAY={socket} env -u DISPLAY {WINDOW} {data} & window=$!
        for second in $(seq 60); do grep -qs 'was painted' {data}/*.log && break; sleep 0.5; done; sleep 6
        import -window root {picture}
        WAYLAND_DISPLAY={socket} env -u DISPLAY {WINDOW} {data} --new
        kill -TERM $window; wait $window; echo ended $?
        kill $compositor
    """, XDG_SESSION_TYPE="wayland", WLR_BACKENDS="x11", WLR_RENDERER="pixman",
        MUTTER_DEBUG_DUMMY_MODE_SPECS="1024x640")  # fmt: skip
    assert picture.exists(), output
    colours = subprocess.run(
        within(desktop, "identify", "-format", "%k", str(picture)), capture_output=True, text=True, check=True
    )
    assert int(colours.stdout) > 200, "the letters of a window that is painted"
    assert "Palimpsest is open already" in output, output
    assert "ended 0" in output, output
    logged = "".join(file.read_text() for file in data.glob("*.log"))
    assert "Traceback" not in logged, logged
    assert os.access(picture, os.R_OK)
