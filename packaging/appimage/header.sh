#!/bin/sh
# Palimpsest @VERSION@ for Linux on @ARCH@: this file is the program. The first start unpacks it into the user's cache.
#   FILE [ARGUMENTS]        runs it; the arguments are those of `palimpsest`
#   FILE --install          puts it into ~/.local, with an entry in the menu; a newer file does the same over it
#   FILE --uninstall        takes that away again, and what was unpacked; conversations and settings stay
#   FILE --extract FOLDER   unpacks it there: FOLDER/AppRun starts it
set -eu

version=@VERSION@ id=@ID@ skip=@SKIP@
cache="${XDG_CACHE_HOME:-$HOME/.cache}/palimpsest"
share="${XDG_DATA_HOME:-$HOME/.local/share}"
lib="$HOME/.local/lib/palimpsest" bin="$HOME/.local/bin/palimpsest"
case "$0" in */*) self="$0" ;; *) self="$(command -v -- "$0")" ;; esac

stop() {
    printf '%s\n' "palimpsest: $1" >&2
    exit 1
}

# unpack FOLDER: what is cut short leaves only FOLDER.unfinished.
unpack() {
    rm -rf "$1.unfinished"
    mkdir -p "$1.unfinished" || stop "$1 cannot be written. XDG_CACHE_HOME names another place for it."
    tail -n "+$skip" "$self" | tar -xzf - --no-same-owner -C "$1.unfinished" || {
        rm -rf "$1.unfinished"
        stop "it could not be unpacked into $1: the disk is full, or this file is not whole."
    }
    rm -rf "$1"
    mv "$1.unfinished" "$1"
}

# Takes away what older versions unpacked, unless one of them runs.
forget_others() {
    for folder in "$cache"/*-*; do
        [ -d "$folder" ] && [ "$folder" != "$cache/$version-$id" ] || continue
        flock --nonblock --exclusive "$folder" rm -rf "$folder" || true
    done
}

run() {
    folder="$cache/$version-$id"
    if [ ! -x "$folder/AppRun" ]; then
        echo "Unpacking Palimpsest into $folder (once)" >&2
        mkdir -p "$cache" || stop "$cache cannot be written. XDG_CACHE_HOME names another place for it."
        (flock 8 && { [ -x "$folder/AppRun" ] || unpack "$folder"; }) 8>"$cache/lock"
        forget_others
    fi
    exec 9<"$folder"
    flock --shared 9
    exec "$folder/AppRun" "$@"
}

refresh_desktop() {
    update-desktop-database -q "$share/applications" 2>/dev/null || true
    update-mime-database "$share/mime" >/dev/null 2>&1 || true
    gtk-update-icon-cache -q -t -f "$share/icons/hicolor" 2>/dev/null || true
}

remove_installed() {
    [ -f "$lib/installed" ] || return 0
    while IFS= read -r file; do rm -f "$share/$file"; done <"$lib/installed"
    rm -rf "$lib"
    [ "$(readlink "$bin")" != "$lib/usr/bin/palimpsest" ] || rm -f "$bin"
}

install_it() {
    unpack "$lib.new"
    (cd "$lib.new/usr/share" && find . -type f ! -path './doc/*') | sed 's|^\./||' >"$lib.new/installed"
    remove_installed
    mv "$lib.new" "$lib"
    while IFS= read -r file; do
        mkdir -p "$share/$(dirname "$file")"
        cp "$lib/usr/share/$file" "$share/$file"
    done <"$lib/installed"
    # The menu does not look into ~/.local/bin on every desktop.
    sed -i "s|^Exec=palimpsest|Exec=\"$bin\"|; s|^TryExec=.*|TryExec=$bin|" "$share/applications/palimpsest.desktop"
    mkdir -p "$(dirname "$bin")"
    ln -sfn "$lib/usr/bin/palimpsest" "$bin"
    refresh_desktop
    echo "Palimpsest $version is installed: $bin"
}

case "${1:-}" in
--install) install_it ;;
--uninstall)
    remove_installed
    rm -rf "$cache"
    refresh_desktop
    echo "Palimpsest is removed. Conversations and settings are still in $share/palimpsest"
    ;;
--extract)
    [ $# = 2 ] || stop "--extract needs a folder"
    [ ! -e "$2" ] || stop "$2 is there already"
    unpack "$2"
    ;;
*) run "$@" ;;
esac
exit
