"""Which addresses are this machine's: judged by the host that was parsed, by one function for all of the program."""

from __future__ import annotations

import pytest

from desktop_app.addresses import is_local, secrets_of, without_secrets

HERE = [
    "http://localhost:1234/v1",
    "http://LOCALHOST/v1",
    "http://localhost./v1",
    "http://models.localhost:8080",
    "https://127.0.0.1",
    "http://127.8.9.10:1",
    "http://[::1]:8080/v1",
    "http://[::ffff:127.0.0.1]:8080/v1",
    "http://0.0.0.0:8080",
    "http://me:secret@localhost:1234/v1",
]
ELSEWHERE = [
    "http://localhost.evil.com/v1",
    "http://localhostevil.com",
    "http://127.evil.com",
    "http://127.0.0.1.evil.com/v1",
    "http://[::1].evil.com",
    "http://evil.com/localhost",
    "http://localhost@evil.com/v1",
    "http://localhost:80@evil.com/v1",
    "http://evil.com#@localhost",
    "http://192.168.1.2:8080",
    "http://[::2]",
    "ftp://localhost",
    "localhost:1234",
    "",
]


def test_only_this_machine_is_local_and_not_what_looks_like_it() -> None:
    assert [address for address in HERE + ELSEWHERE if is_local(address)] == HERE


@pytest.mark.parametrize(
    ("address", "shown", "secrets"),
    [
        ("http://localhost:1234/v1", "http://localhost:1234/v1", []),
        ("https://me:pw%2F1@example.org/v1", "https://me:…@example.org/v1", ["pw%2F1", "pw/1"]),
        ("https://me:a@b@example.org", "https://me:…@example.org", ["a@b"]),
        ("https://token@example.org/v1", "https://…@example.org/v1", ["token"]),
        ("https://:pw@example.org", "https://:…@example.org", ["pw"]),
        ("https://example.org/a@b", "https://example.org/a@b", []),
        ("https://example.org/v1?key=pw&api-version=1", "https://example.org/v1?key=…&api-version=1", ["pw"]),
        ("https://example.org?a=1&X-Api-Key=pw#key=1", "https://example.org?a=1&X-Api-Key=…#key=1", ["pw"]),
        ("https://example.org/?sig=a/b", "https://example.org/?sig=…", ["a/b"]),
        ("no address: me:pw@x", "no address: me:pw@x", []),
        ("", "", []),
    ],
)
def test_an_address_is_shown_without_its_secrets(address: str, shown: str, secrets: list[str]) -> None:
    assert without_secrets(address) == shown
    assert list(secrets_of(address)) == secrets
