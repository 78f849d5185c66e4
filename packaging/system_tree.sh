# What packages put into a Linux system, around the bundle: sourced by the scripts of build.d.

BUNDLE="$ROOT/build/bundle/palimpsest"
APP_ID=chat.palimpsest.palimpsest

need_bundle() {
    [ -x "$BUNDLE/palimpsest" ] && return
    say "There is no bundle yet; building it first."
    "$ROOT/packaging/build.d/bundle"
}

# lay_out PREFIX: copies the bundle, the entry of the menu, icons, types and the description below a prefix such as usr.
# The bundle is linked where that can be, since it has hundreds of megabytes.
lay_out() {
    local prefix="$1" data="$ROOT/packaging/data"
    mkdir -p "$prefix/lib" "$prefix/bin" "$prefix/share/doc/palimpsest"
    cp -al "$BUNDLE" "$prefix/lib/" 2>/dev/null || cp -a "$BUNDLE" "$prefix/lib/"
    ln -s ../lib/palimpsest/palimpsest "$prefix/bin/palimpsest"
    QT_QPA_PLATFORM=offscreen "$VENV/bin/python" "$ROOT/packaging/icons.py" "$prefix/share/icons/hicolor"
    put "$ROOT/resources/icons/palimpsest.svg" "$prefix/share/icons/hicolor/scalable/apps/palimpsest.svg"
    put "$data/palimpsest.desktop" "$prefix/share/applications/palimpsest.desktop"
    put "$data/palimpsest-mime.xml" "$prefix/share/mime/packages/palimpsest.xml"
    sed "s/@VERSION@/$VERSION/; s/@DATE@/$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)/" "$data/$APP_ID.metainfo.xml" |
        put /dev/stdin "$prefix/share/metainfo/$APP_ID.metainfo.xml"
    "$VENV/bin/python" "$ROOT/packaging/licences.py" "$BUNDLE" >&2
    put "$BUNDLE/copyright" "$prefix/share/doc/palimpsest/copyright"
    PYTHONPATH="$ROOT" "$VENV/bin/python" "$ROOT/packaging/sbom.py" "$BUNDLE" >&2
    put "$BUNDLE/sbom.cdx.json" "$prefix/share/doc/palimpsest/sbom.cdx.json"
    cp -a "$BUNDLE/licences" "$prefix/share/doc/palimpsest/"
    gzip -9nc "$ROOT/CHANGELOG.md" | put /dev/stdin "$prefix/share/doc/palimpsest/NEWS.md.gz"
    local part
    for part in licences copyright sbom.cdx.json; do rm -rf "${BUNDLE:?}/$part" "$prefix/lib/palimpsest/$part"; done
}

put() { install -D -m 644 "$1" "$2"; }
