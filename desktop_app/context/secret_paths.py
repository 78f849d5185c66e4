"""Which files hold secrets, told by their names alone: keys, passwords, tokens, cookies, what was typed in a shell."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

FOLDERS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".secrets", ".mozilla", ".thunderbird"),
    *(".local/share/keyrings", ".local/share/kwalletd", "library/keychains", "library/application support/google"),
    *(".config/google-chrome", ".config/chromium", ".config/bravesoftware", ".config/gcloud", ".config/1password"),
)
"""Everything below a folder of one of these names."""
NAMES = (
    *(".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".npmrc", ".pypirc"),
    *(".git-credentials", ".htpasswd", "shadow", "gshadow", "credentials", "credentials.json", "client_secret*.json"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.kdbx"),
    *("*.keychain", "*.keychain-db", "*.gpg", "*.asc", ".*_history", "service-account*.json", "environ"),
    *(".authinfo", ".vault-token", ".s3cfg", ".boto", "rclone.conf", "*.tfstate", "*.ovpn", "*.ppk"),
)
HARMLESS = (".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub")
"""Names that look like them, and are made to be shown."""
ENDINGS = ("/.docker/config.json", "/.config/gh/hosts.yml", "/.cargo/credentials.toml")


_HIDDEN_AND_FILLED_IN = re.compile(r"(?:^|[/={,])\.(?![./])[^/]*[*?\[{},$`]")


def is_secret(path: str) -> bool:
    """Whether a file or folder of that path is likely to hold secrets. Small and capital letters are the same here,
    and dots and blanks at the end of a name are nothing, as on systems that open the same file for both."""
    parts = (part.rstrip(". ") for part in path.lower().replace("\\", "/").split("/"))
    whole = "/".join(["", *filter(None, parts)])
    if any(f"/{folder}/" in f"{whole}/" for folder in FOLDERS):
        return True
    name = whole.rsplit("/", 1)[-1]
    if any(fnmatchcase(name, harmless) for harmless in HARMLESS):
        return False
    return any(fnmatchcase(name, pattern) for pattern in NAMES) or whole.endswith(ENDINGS)


def may_mean_secret(word: str) -> bool:
    """Whether a shell may fill a word in so that it names a secret: `.en?`, `~/.s*/config`. Names without a dot before
    them are not looked at: `*` alone would be among them."""
    return _HIDDEN_AND_FILLED_IN.search(word) is not None
