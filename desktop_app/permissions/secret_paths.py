"""Recognition of files with secrets by their names: keys, passwords, tokens, cookies, shell histories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from functools import lru_cache

FOLDERS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".secrets", ".mozilla", ".thunderbird"),
    ".docker",
    *(".local/share/keyrings", ".local/share/kwalletd", ".local/share/palimpsest", ".local/share/containers/auth"),
    *("library/keychains", "library/application support/google", "library/application support/firefox"),
    *("library/application support/palimpsest", "appdata/local/palimpsest", "appdata/roaming/mozilla"),
    *("appdata/local/google/chrome", "library/cookies", ".config/palimpsest", ".config/op", ".config/sops"),
    *(".config/google-chrome", ".config/chromium", ".config/bravesoftware", ".config/gcloud", ".config/1password"),
    *(".config/gh", ".config/glab-cli", ".config/hub", ".config/doctl", ".config/containers", ".config/keepassxc"),
    *(".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".config/bitwarden cli", ".config/azure"),
    *(".var/app", "snap/firefox", "snap/chromium", ".1password"),  # sandboxed packages of browsers
    *(".librewolf", ".pki", ".minikube/certs", ".terraform.d", ".oci", ".bluemix", ".gsutil", ".subversion/auth"),
    *(".mcp-auth", ".google_workspace_mcp", ".config/github-copilot", ".config/goose"),  # sign-ins of other clients
    *("run/secrets", "etc/ssl/private", "etc/sudoers.d", "etc/wireguard", "etc/openvpn", "etc/letsencrypt"),
    *("etc/networkmanager/system-connections", "etc/ipsec.d/private", "etc/swanctl", "etc/netplan", "etc/credstore"),
    *("etc/credstore.encrypted", "etc/pki/tls/private", "etc/kubernetes/pki", "etc/cups/ssl", "etc/iwd"),
    *("var/lib/networkmanager", "var/lib/iwd", "var/lib/bluetooth", "var/lib/sss", "var/lib/samba/private"),
    "var/lib/systemd/credential.secret",
)
"""Folders in which everything is secret."""
NAMES = (
    *(".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".mylogin.cnf", ".npmrc"),
    ".pypirc",
    *(".git-credentials", ".htpasswd", "shadow", "gshadow", "credentials", "credentials.json", "client_secret*.json"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.kdbx"),
    *("*.keychain", "*.keychain-db", "*.gpg", "*.asc", ".*_history", "service-account*.json", "environ"),
    *(".authinfo", ".vault-token", ".s3cfg", ".boto", "rclone.conf", "*.tfstate", "*.ovpn", "*.ppk", "*.keystore"),
    *("auth.json", "keys.json", "secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml"),
    *(".dockercfg", ".kubeconfig", "kubeconfig", ".yarnrc.yml", "pip.conf", "nuget.config", ".terraformrc"),
    *(".xauthority", ".iceauthority"),
    *("ssh_host_*_key", "dropbear_*_host_key", "shadow-", "gshadow-", "shadow.bak", "gshadow.bak", "opasswd"),
    *("*.keytab", "krb5cc_*", "ipsec.secrets", "chap-secrets", "pap-secrets", "*.nmconnection", "secrets.tdb"),
    "wpa_supplicant*.conf",
    # Settings of other clients, which hold the keys of MCP servers and providers.
    *(".mcp.json", "mcp.json", "mcp_config.json", "mcp-config.json", "mcp_settings.json", "cline_mcp_settings.json"),
    *(".claude.json", ".claude.json.backup*", ".credentials.json", "claude_desktop_config.json", "oauth_creds.json"),
    *("mcp-oauth-tokens*.json", "google_accounts.json", ".aider.conf.yml"),
    *("logins.json", "key4.db", "cookies.sqlite", "login data", "cookies", ".rediscli_auth", "sudoers"),
)
HARMLESS = (".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub")
"""Similar names of files without secrets."""
ENDINGS = (
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".config/git/credentials"),
    *(".codex/config.toml", ".gemini/settings.json", ".qwen/settings.json", ".config/opencode/opencode.json"),
    *(".config/opencode/opencode.jsonc", ".continue/config.yaml", ".continue/config.json", ".openhands/settings.json"),
    *(".codeium/windsurf/mcp_config.json", ".config/zed/settings.json", ".kimi/config.toml", ".kimi/config.json"),
    *(".m2/settings.xml", ".gradle/gradle.properties", ".config/pip/pip.conf", ".bundle/config"),
)
PROCESSES_SHOWN = frozenset({"cpuinfo", "meminfo", "loadavg", "uptime", "version", "stat", "filesystems"})
"""Files of /proc about the machine. All others are about a process: its arguments, its memory, its files."""
DISKS = (
    *("sd?*", "hd?*", "vd?*", "xvd?*", "nvme?*", "mmcblk?*", "dm-*", "md?*", "loop?*"),
    *("nbd?*", "zd?*", "mapper", "disk", "block", "mem", "kmem", "port", "core"),
)
"""Names of disks and of memory in /dev, through which root can read any file."""
MAX_ALTERNATIVES = 64
"""Words that braces are expanded to."""
MAX_NAME = 255
"""Characters of a file name. A longer pattern is assumed to match any name."""
_HARMLESS, _NAMED = (re.compile("|".join(map(translate, names))) for names in (HARMLESS, NAMES))
_ENDED = tuple(f"/{end}/" for end in ENDINGS)
_BRACES = re.compile(r"\{([^{}]*)\}")
_HOME = re.compile(r"^(?:~|\$HOME\b|\$\{HOME\})")
_NUMBER = re.compile(r"\$[?#]")
_HERE = re.compile(r"^(?:\$PWD\b|\$\{PWD\}|~\+(?=/|$))")
_ELSEWHERE = re.compile(r"~[+-]?\d|~-")
"""Previous folders of the shell, which may also come from the environment."""


def is_secret(path: str) -> bool:
    """Return whether a file or folder probably contains secrets.

    Case, and dots and spaces at the end of a name, are ignored, because some systems ignore them.
    """
    parts = _parts(path)
    if not parts:
        return False
    normalized = "/".join(["", *parts, ""])
    if any(f"/{folder}/" in normalized for folder in FOLDERS) or _is_of_the_system(path, parts):
        return True
    if _HARMLESS.match(parts[-1]):
        return False
    return _NAMED.match(parts[-1]) is not None or normalized.endswith(_ENDED)


def may_mean_secret(word: str) -> bool:
    """Return whether a shell may expand a word to the name of a secret: `.en?`, `~/.s*/config`, `*`, `/pr*/1/*`.

    A substitution, an unknown variable, or a previous folder of the shell may expand to any name.
    """
    if _ELSEWHERE.match(word):
        return True
    word = _NUMBER.sub("0", _HOME.sub("/~", _HERE.sub(".", word)))
    if "$" in word or "`" in word:
        return True
    return any(_may_be_secret(glob) for glob in _alternatives(word))


def _may_be_secret(glob: str) -> bool:
    parts = _parts(glob)
    if not parts:
        return False
    if is_secret(glob) or _is_of_the_system(glob, parts):
        return True
    rows = (*(folder.split("/") for folder in FOLDERS), *(ending.split("/") for ending in ENDINGS))
    for row in rows:
        for begin in range(len(parts) - len(row) + 1):
            if all(_may_match(part, name) for part, name in zip(parts[begin:], row, strict=False)):
                return True
    return any(_may_match(parts[-1], name.removesuffix("*")) for name in NAMES)


def _parts(path: str) -> list[str]:
    """Return the components of a path in lower case, without empty ones, with `..` resolved as far as possible."""
    names: list[str] = []
    for name in path.lower().replace("\\", "/").split("/"):
        if name == ".." and names and names[-1] != "..":
            names.pop()
        elif name == ".." or (name := name.rstrip(". ")):
            names.append(name)
    return names


def _is_of_the_system(path: str, parts: Sequence[str]) -> bool:
    """Return whether a path is, or a relative path may be, a file of /proc about a process, or a disk in /dev."""
    at = next((n for n, part in enumerate(parts) if part != ".."), len(parts))
    if at == len(parts) or not (path.replace("\\", "/").startswith("/") or at):
        return False
    if _may_match(parts[at], "dev") and len(parts) > at + 1 and any(_may_match(parts[at + 1], disk) for disk in DISKS):
        return True
    return _may_match(parts[at], "proc") and not (len(parts) == at + 2 and parts[at + 1] in PROCESSES_SHOWN)


def _alternatives(word: str) -> Iterator[str]:
    """Expand braces; sequences, and more than MAX_ALTERNATIVES words, become `*`, which matches anything."""
    words = [word]
    while found := next((match for each in words if (match := _BRACES.search(each))), None):
        parts = found[1].split(",") if "," in found[1] else ["*"]
        words = [each.replace(found[0], part, 1) if found[0] in each else each for each in words for part in parts]
        words = list(dict.fromkeys(words))
        if len(words) > MAX_ALTERNATIVES:
            words = [re.sub(r"[{}].*[{}]|[{}]", "*", word)]
    return iter(words)


@lru_cache(4_096)
def _may_match(glob: str, name: str) -> bool:
    """Return whether some file name matches both globs. As in a shell, wildcards do not match a leading dot."""
    if name.startswith(".") and glob[:1] in ("*", "?", "["):
        return False
    return len(glob) > MAX_NAME or _overlap(re.sub(r"\[[^\]]*\]", "?", glob), name)


def _overlap(one: str, other: str) -> bool:
    """Return whether two globs of `*` and `?` match a common name, by dynamic programming from their ends."""
    fitting = [[False] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one), -1, -1):
        for j in range(len(other), -1, -1):
            a, b = one[i : i + 1], other[j : j + 1]
            if a == "*":
                fitting[i][j] = fitting[i + 1][j] or (b != "" and fitting[i][j + 1])
            elif b == "*":
                fitting[i][j] = fitting[i][j + 1] or (a != "" and fitting[i + 1][j])
            elif a and b:
                fitting[i][j] = (a == b or "?" in (a, b)) and fitting[i + 1][j + 1]
            else:
                fitting[i][j] = a == b
    return fitting[0][0]
