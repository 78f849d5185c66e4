# trial_steps.sh SYSTEM FILE REPORT: the steps of packaging/trial on one copy of a bare system, in a namespace of its own.
set -uo pipefail
SYSTEM="$1" FILE="$2" REPORT="$3"
ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
LOG="$REPORT/log.txt"
USER_HOME=/home/tester
DATA="$USER_HOME/.local/share/palimpsest"
FAILURES=0
INSTALLER="${INSTALLER:-pipx}" # of wheels: or "uv tool"

# step WHAT COMMAND...: runs it, says whether it worked, and goes on.
step() {
    local what="$1" begun=$SECONDS
    shift
    printf '### %s: %s\n' "$what" "$*" >>"$LOG"
    if "$@" >>"$LOG" 2>&1 </dev/null; then
        printf '   ok      %3d s  %s\n' "$((SECONDS - begun))" "$what"
    else
        printf '   FAILED  %3d s  %s\n' "$((SECONDS - begun))" "$what"
        tail -n 6 "$LOG" | sed 's/^/             | /'
        FAILURES=$((FAILURES + 1))
    fi
}

as_root() { chroot "$SYSTEM" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }

# Runs as a user with an empty home, and nothing of this computer's environment but the screen.
as_user() {
    chroot --userspec=tester:tester "$SYSTEM" env -i HOME="$USER_HOME" USER=tester LANG="${LANGUAGE_OF_USER:-C.UTF-8}" \
        PATH="$USER_HOME/.local/bin:/usr/local/bin:/usr/bin:/bin" ${SCREEN:+DISPLAY="$SCREEN"} "${PIP[@]}" sh -c "cd; $*"
}

apt_install() { as_root apt-get install -y --no-install-recommends "$@"; }

# --- The system ----------------------------------------------------------------------------------------------------

prepare() {
    mount -t proc proc "$SYSTEM/proc"
    mount --rbind /dev "$SYSTEM/dev"
    mkdir -p "$SYSTEM/tmp/.X11-unix" && chmod 1777 "$SYSTEM/tmp"
    cp /etc/resolv.conf /etc/hosts "$SYSTEM/etc/"
    apt-config dump | grep -iE '^Acquire::(https?::Proxy|Check-)' >"$SYSTEM/etc/apt/apt.conf.d/99trial" || true
    echo 'APT::Install-Recommends "false";' >>"$SYSTEM/etc/apt/apt.conf.d/99trial"
    printf '#!/bin/sh\nexit 101\n' >"$SYSTEM/usr/sbin/policy-rc.d" && chmod 755 "$SYSTEM/usr/sbin/policy-rc.d"
    as_root useradd --create-home tester
    as_root apt-get update
    cp "$ROOT/resources/samples/tides.jsonl" "$SYSTEM$USER_HOME/chat.jsonl"
    chmod 644 "$SYSTEM$USER_HOME/chat.jsonl"
}

PIP=()
# What pip needs here to reach its index, as variables: its configuration, the certificates, and folders that it names.
use_pip_of_this_computer() {
    local name value word
    for name in index-url extra-index-url find-links; do
        value="$(python3 -m pip config get "global.$name" 2>/dev/null)" || continue
        PIP+=("PIP_$(tr 'a-z-' 'A-Z_' <<<"$name")=$value")
        for word in $value; do
            word="${word#file://}"
            [ -d "$word" ] && share_folder "$(dirname "$word")"
        done
    done
    for name in http_proxy https_proxy no_proxy; do [ -z "${!name:-}" ] || PIP+=("$name=${!name}"); done
    cp -L /etc/ssl/certs/ca-certificates.crt "$SYSTEM/etc/trial-certificates.crt"
    PIP+=(PIP_CERT=/etc/trial-certificates.crt SSL_CERT_FILE=/etc/trial-certificates.crt)
}

share_folder() {
    mountpoint -q "$SYSTEM$1" && return
    mkdir -p "$SYSTEM$1" && mount --bind "$1" "$SYSTEM$1"
}

# A screen outside of the system, so that its libraries do not stand in for missing ones inside.
start_screen() {
    Xvfb -displayfd 3 -s 0 -screen 0 1440x900x24 -ac -nolisten tcp 3>"$REPORT/display" >/dev/null 2>&1 &
    for _ in $(seq 100); do [ -s "$REPORT/display" ] && break || sleep 0.1; done
    SCREEN=":$(cat "$REPORT/display")"
    mount --bind /tmp/.X11-unix "$SYSTEM/tmp/.X11-unix"
}

# All files of the system but those that a system writes as it goes, and the user's.
list_files() {
    (cd "$SYSTEM" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./sys -o -path ./tmp -o -path ./run -o -path ./home \
        -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/log \) -prune -o -print | sort)
}

# --- The artefacts -------------------------------------------------------------------------------------------------

# install_file FILE: as its kind is installed.
install_file() {
    cp "$1" "$SYSTEM/tmp/" && chmod 755 "$SYSTEM/tmp/${1##*/}"
    case "$1" in
    *.deb) apt_install "/tmp/${1##*/}" ;;
    *.run) as_user "/tmp/${1##*/} --install" ;;
    *.whl) as_user "$INSTALLER install --force '/tmp/${1##*/}[builtin]'" ;;
    esac
}

remove_file() {
    case "$1" in
    *.deb) as_root apt-get purge -y palimpsest && as_root apt-get autoremove -y --purge ;;
    *.run) as_user "/tmp/${1##*/} --uninstall" ;;
    *.whl) as_user "$INSTALLER uninstall palimpsest" ;;
    esac
}

# Debian has no uv.
install_installer() {
    if [ "$INSTALLER" = pipx ]; then
        apt_install pipx
    else
        apt_install python3-venv && as_root env "${PIP[@]}" sh -c \
            "python3 -m venv /opt/uv && /opt/uv/bin/pip install uv && ln -s /opt/uv/bin/uv /usr/local/bin/"
    fi
}

# What the .deb asks for by itself, and the other two are told to install.
install_libraries() {
    # shellcheck disable=SC2046 # a list of words
    apt_install $(awk -F ' *[|] *' '!/^#/ && ($2 == "always" || $2 == "screen") { print $1 }' "$ROOT/packaging/system-packages.txt")
}

# --- What is tried -------------------------------------------------------------------------------------------------

version_is() { [ "$(as_user palimpsest --version)" = "palimpsest $(version_of "$1")" ]; }

version_of() { basename "$1" | sed -E 's/^palimpsest[-_]([0-9][0-9a-z.]*)[-_].*/\1/'; }

says_what_is_missing() {
    local said
    said="$(as_user palimpsest 2>&1)" && return 1
    printf '%s\n' "$said"
    grep -q "apt-get install" <<<"$said" && ! grep -q Traceback <<<"$said"
}

# window NAME [ARGUMENTS]: opens it, uses it, takes a picture once the engine answers, and closes it in order.
window() {
    local name="$1" code=0 is_used=0
    shift
    rm -f "$SYSTEM$DATA/palimpsest.log"
    as_user "timeout --signal=TERM --kill-after=20 ${SECONDS_SHOWN:-50} palimpsest $*" &
    local shown=$!
    for _ in $(seq 600); do
        grep -qs "The window was painted" "$SYSTEM$DATA/palimpsest.log" && break
        kill -0 "$shown" 2>/dev/null || break
        sleep 0.1
    done
    ${USE_WINDOW:-sleep 30} || is_used=1 # until the engine has answered, on a slow computer, too
    DISPLAY="$SCREEN" import -window root "$REPORT/$name.png" || true
    wait "$shown" || code=$?
    cat "$SYSTEM$DATA/palimpsest.log"
    grep -q "The window was painted" "$SYSTEM$DATA/palimpsest.log" && ! grep -qE "Traceback| ERROR " "$SYSTEM$DATA/palimpsest.log" &&
        { [ "$code" = 124 ] || [ "$code" = 0 ]; } && [ "$is_used" = 0 ]
}

# Types a message, and waits until one more reply of the built-in model is stored.
send_message() {
    local at before
    before="$(replies)"
    sleep 5
    at="$(DISPLAY="$SCREEN" xdotool search --onlyvisible --name '^Palimpsest$' | tail -n 1)"
    DISPLAY="$SCREEN" xdotool windowfocus "$at" sleep 1 type --delay 30 "Say hello."
    DISPLAY="$SCREEN" xdotool key Return
    for _ in $(seq 50); do
        sleep 3
        [ "$(replies)" -gt "$before" ] && sleep 3 && return
    done
    return 1
}

# How many replies of the built-in model are stored.
replies() {
    python3 - "$SYSTEM$DATA/archive.sqlite3" <<'END'
import sqlite3, sys
archive = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
print(archive.execute("SELECT COUNT(*) FROM entries WHERE body LIKE '%\"model\":\"builtin/%'").fetchone()[0])
END
}

# The entry of the menu, the description for shops, the icons and the type of our files, where they were installed: by
# this computer's tools, which a bare system does not have.
desktop_knows_us() {
    local share="$SYSTEM/usr/share" mime="$REPORT/mime" entry
    [ -e "$share/applications/palimpsest.desktop" ] || share="$SYSTEM$USER_HOME/.local/share"
    entry="$share/applications/palimpsest.desktop"
    mkdir -p "$mime/packages"
    cp /usr/share/mime/packages/freedesktop.org.xml "$share/mime/packages/palimpsest.xml" "$mime/packages/"
    desktop-file-validate "$entry" && appstreamcli validate --no-net "$share"/metainfo/*.xml &&
        as_user "command -v '$(sed -n 's/^TryExec=//p' "$entry")'" &&
        [ -s "$share/icons/hicolor/scalable/apps/palimpsest.svg" ] && [ -s "$share/icons/hicolor/48x48/apps/palimpsest.png" ] &&
        update-mime-database "$mime" && grep -qx 'application/x-palimpsest-archive:\*.palimpsest' "$mime/globs" &&
        grep -q '^MimeType=.*application/x-palimpsest-archive;' "$entry" && rm -r "$mime"
}

import_sample() { as_user "palimpsest import chat.jsonl"; }
finds_sample() { as_user "palimpsest search tide --limit 1" | grep -i tide; }
doctor() { as_user "palimpsest doctor"; }
builtin_answers() { echo "Say hello." | as_user "palimpsest chat --model builtin --window 2048" >"$REPORT/chat.txt" && [ -s "$REPORT/chat.txt" ]; }
tour() { as_user "palimpsest tour tour" && cp -a "$SYSTEM$USER_HOME/tour" "$REPORT/"; }

data_list() { (cd "$SYSTEM$DATA" && find . -name 'archive.sqlite3' -o -name 'settings.json' | sort); }

nothing_is_left() {
    list_files >"$REPORT/after.txt"
    diff "$REPORT/before.txt" "$REPORT/after.txt"
}

# Of the home, the user's data, and nothing else of ours. uv keeps what it fetched until `uv cache clean`.
only_data_is_left() {
    (cd "$SYSTEM$USER_HOME" && find . -type f | grep -vE '^./(.local/share/palimpsest|.cache/uv)/' | grep -i palimpsest) && return 1
    [ -s "$SYSTEM$DATA/archive.sqlite3" ]
}

# --- The trial -----------------------------------------------------------------------------------------------------

step "prepare the system" prepare
start_screen
case "$FILE" in
*.whl)
    use_pip_of_this_computer
    step "install ${INSTALLER%% *}" install_installer
    ;;
esac
list_files >"$REPORT/before.txt"
if [ -n "${OLD:-}" ]; then
    step "install $(version_of "$OLD")" install_file "$OLD"
else
    step "install" install_file "$FILE"
fi
step "the version" version_is "${OLD:-$FILE}"
case "$FILE" in
*.run | *.whl)
    step "without libraries: says what to install" says_what_is_missing
    step "install the libraries" install_libraries
    list_files >"$REPORT/before.txt"
    ;;
esac
step "doctor" doctor
step "import a conversation" import_sample
step "the window" window first
LANGUAGE_OF_USER=C step "the window where the locale is not UTF-8" window plain
step "the window with a file" window file chat.jsonl
case "$FILE" in *.whl) step "fetch the built-in model" as_user "palimpsest model install" ;; esac
step "the built-in model" builtin_answers
USE_WINDOW=send_message SECONDS_SHOWN=170 step "a message in the window" window message --new
case "$FILE" in *.deb | *.run) step "the desktop's files" desktop_knows_us ;; esac
[ -z "${TOUR:-}" ] || step "tour" tour
if [ -n "${OLD:-}" ]; then
    step "install $(version_of "$FILE") over it" install_file "$FILE"
    step "the newer version" version_is "$FILE"
    step "the window" window newer # which brings the archive up to date: until then doctor says that it is an older one's
    step "doctor" doctor
fi
step "the conversation is there" finds_sample
step "remove it" remove_file "$FILE"
step "nothing is left in the system" nothing_is_left
step "of the home, the user's data are left" only_data_is_left
[ "$FAILURES" = 0 ] && echo "   all is well" || echo "   $FAILURES steps failed: see $LOG"
exit "$FAILURES"
