"""Which addresses are this machine's: judged by the host that was parsed, by one function for all of the program."""

from __future__ import annotations

from desktop_app.addresses import is_local

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
