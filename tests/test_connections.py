"""What connections take from an environment that httpx would refuse as a whole."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.connections import (
    CertificatesUnusable,
    ProxyUnusable,
    clean_key,
    odd_characters,
    proxy_of,
    sendable_headers,
    tls_context,
)
from desktop_app.settings import is_secret_header

PROXY = "http://proxy.example:3128"
URL = "https://api.example.org/v1"


@pytest.mark.parametrize(
    ("without", "url", "is_direct"),
    [
        ("[::1]", URL, False),
        ("localhost,127.0.0.1,[::1]", URL, False),
        ("[2001:db8::7]", "https://[2001:db8::7]/v1", True),
        ("[2001:db8::7]:443", "https://[2001:db8::7]/v1", True),
        ("[2001:db8::7]:80", "https://[2001:db8::7]/v1", False),
        ("2001:db8::/32", "https://[2001:db8::7]/v1", True),
        ("192.168.0.0/16", "http://192.168.3.4:8000/v1", True),
        ("192.168.0.0/16", "http://192.169.3.4:8000/v1", False),
        ("example.org", URL, True),
        (".example.org", URL, True),
        ("*.example.org", URL, True),
        ("ple.org", URL, False),
        ("api.example.org:8443", URL, False),
        ("api.example.org:443", URL, True),
        ("API.Example.ORG", URL, True),
        ("http://api.example.org", URL, True),
        ("a b other.org", URL, False),
        ("[::1,http://[::1,:::,%,/", URL, False),
        ("*", URL, True),
        ("", URL, False),
    ],
)
def test_hosts_that_no_proxy_names_are_reached_without_one(without: str, url: str, is_direct: bool) -> None:
    proxies = {"http": PROXY, "https": PROXY, "no": without}
    assert proxy_of(url, proxies) == ("" if is_direct else PROXY)


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_value_of_the_environment_breaks_another(without: str, everything: str) -> None:
    proxies = {"https": PROXY, "all": everything, "no": without}
    assert proxy_of(URL, proxies) in ("", PROXY)
    assert proxy_of("http://localhost:1/v1", proxies) == ""


@pytest.mark.parametrize("unusable", ["socks://127.0.0.1:1080", "socks4://a:1", "ftp://a", "http://a:99999", "http://"])
def test_a_proxy_that_cannot_be_used_counts_only_if_there_is_no_other(unusable: str) -> None:
    assert proxy_of(URL, {"all": unusable, "https": PROXY}) == PROXY
    assert proxy_of(URL, {"all": PROXY, "https": unusable}) == PROXY
    with pytest.raises(ProxyUnusable, match="ALL_PROXY") as caught:
        proxy_of(URL, {"all": unusable, "http": PROXY})
    assert urlsplit(unusable).scheme in str(caught.value)
    assert proxy_of("http://127.0.0.1:1/v1", {"all": unusable}) == ""


def test_what_is_said_of_a_proxy_has_no_password() -> None:
    with pytest.raises(ProxyUnusable) as caught:
        proxy_of(URL, {"all": "socks9://me:hunter22@127.0.0.1:1"})
    assert "hunter22" not in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "value"), [("SSL_CERT_FILE", "nothing.pem"), ("SSL_CERT_FILE", __file__), ("SSL_CERT_DIR", "nowhere")]
)
def test_certificates_that_cannot_be_read_are_named(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, str(tmp_path / value))
    with pytest.raises(CertificatesUnusable, match=variable) as caught:
        tls_context()
    assert str(tmp_path / value) in str(caught.value)


def test_the_certificates_of_another_library_are_not_missed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "nothing.pem"))
    assert tls_context().get_ca_certs()


@pytest.mark.parametrize("key", ["\u200bsk-1234", "sk-12\u200b34", "sk-1234\ufeff", " sk-1234\xa0", "sk-\u20601234\n"])
def test_characters_that_cannot_be_seen_are_no_part_of_a_key(key: str) -> None:
    assert clean_key(key) == "sk-1234"
    assert not odd_characters(key)


def test_visible_ones_are_named() -> None:
    assert odd_characters("sk-аbс–1а") == "ас–"


@given(st.dictionaries(st.text(max_size=12), st.text(max_size=12)))
def test_only_headers_that_can_be_sent_are(headers: dict[str, str]) -> None:
    httpx.Request("GET", URL, headers=list(sendable_headers(headers)))


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [
        ("X-Api-Key", True),
        ("Authorization", True),
        ("Cookie", True),
        ("CF-Access-Client-Secret", True),
        ("X-Team", False),
    ],
)
def test_names_that_sound_secret(name: str, is_secret: bool) -> None:
    assert is_secret_header(name) == is_secret
