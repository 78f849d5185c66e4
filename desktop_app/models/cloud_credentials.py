"""Authorize requests to Azure OpenAI, Bedrock and Vertex: by a key, or by the platform's own credentials.

litellm writes these requests with a stand-in for the credentials, which are added here: it would need the platforms'
libraries for every one, and would send requests of its own to get them. The libraries are used where only they can
help, if they are installed: azure-identity for Entra, botocore for roles and single sign-on, google-auth for what is
neither a user's nor a service account's file.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
https://google.aip.dev/auth/4110
"""

from __future__ import annotations

import asyncio
import configparser
import hashlib
import hmac
import importlib
import json
import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import msgspec

from desktop_app.connections import ConnectionUnusable
from desktop_app.conversation.openai_chat import Json
from desktop_app.conversation.words import translatable
from desktop_app.process_secrets import variable
from desktop_app.settings import ServerKind

from .endpoint import Endpoint, http_client

CLOUDS: frozenset[ServerKind] = frozenset({"azure", "bedrock", "vertex"})
AUTHORIZATION = ("authorization", "api-key", "x-api-key", "x-goog-api-key")
"""Headers in which litellm writes a key."""
TOKEN_SECONDS = 20.0
"""Limit for getting a token."""
EARLIER = 120.0
"""Seconds before its end at which a token is replaced."""
AZURE_SCOPE = "https://cognitiveservices.azure.com/.default"
GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
GOOGLE_TOKENS = "https://oauth2.googleapis.com/token"


class CredentialsMissing(ConnectionUnusable):
    """There are no credentials for a platform; the text says what was looked for."""


class Token(msgspec.Struct, frozen=True):
    """A token, and the time at which it ends, in seconds since 1970."""

    text: str
    ends_at: float


_tokens: dict[tuple[str, ...], Token] = {}


async def authorization(endpoint: Endpoint, method: str, url: str, content: bytes = b"") -> dict[str, str]:
    """Return the headers that authorize that request. Raises CredentialsMissing."""
    match endpoint.kind:
        case "azure":
            return await _azure(endpoint)
        case "bedrock":
            return await _aws(endpoint, method, url, content)
        case "vertex":
            return await _google(endpoint)
        case _:
            return {}


def key_headers(kind: ServerKind, key: str) -> dict[str, str]:
    """Return the header in which a key is sent to a platform; {} if it is no key, but credentials."""
    if not key or key.startswith("{"):
        return {}
    names: dict[ServerKind, str] = {"azure": "api-key", "vertex": "x-goog-api-key"}
    return {names[kind]: key} if kind in names else {"authorization": f"Bearer {key}"}


async def _azure(endpoint: Endpoint) -> dict[str, str]:
    if endpoint.key:
        return key_headers("azure", endpoint.key)
    if token := variable("AZURE_OPENAI_AD_TOKEN"):
        return {"authorization": f"Bearer {token}"}
    token = await _cached(("azure",), lambda: asyncio.to_thread(_entra_token))
    return {"authorization": f"Bearer {token}"}


def _entra_token() -> Token:
    identity = _library("azure.identity")
    if identity is None:
        raise CredentialsMissing(
            translatable(
                "No key is set, and Entra needs the package azure-identity: enter a key, set AZURE_OPENAI_AD_TOKEN, or "
                "install it."
            )
        )
    try:
        token = identity.DefaultAzureCredential().get_token(AZURE_SCOPE)
    except Exception as error:  # noqa: BLE001 - the library has many classes of errors
        raise CredentialsMissing(
            translatable("No key is set, and Entra gave no token ({kind}): sign in with `az login`.").format(
                kind=type(error).__name__
            )
        ) from None
    return Token(token.token, float(token.expires_on))


class AwsKeys(msgspec.Struct, frozen=True):
    """Access keys of AWS. session: "" for those that do not end."""

    access: str
    secret: str
    session: str = ""


async def _aws(endpoint: Endpoint, method: str, url: str, content: bytes) -> dict[str, str]:
    if key := endpoint.key or variable("AWS_BEARER_TOKEN_BEDROCK"):
        return {"authorization": f"Bearer {key}"}
    keys = await asyncio.to_thread(aws_keys, endpoint.cloud.profile)
    return signed_headers(keys, endpoint.region, method, url, content, datetime.now(UTC))


def aws_keys(profile: str) -> AwsKeys:
    """Return the access keys: of the profile, or of the environment if none is named. Raises CredentialsMissing."""
    names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
    access, secret, session = map(variable, names)
    if access and secret and not profile:
        return AwsKeys(access, secret, session)
    name = profile or os.environ.get("AWS_PROFILE") or os.environ.get("AWS_DEFAULT_PROFILE") or "default"
    found = aws_profile(name)
    if "aws_access_key_id" in found and "aws_secret_access_key" in found:
        token = found.get("aws_session_token", "")
        return AwsKeys(found["aws_access_key_id"], found["aws_secret_access_key"], token)
    return _keys_by_botocore(profile, name)


def _keys_by_botocore(profile: str, name: str) -> AwsKeys:
    session = _library("botocore.session")
    missing = CredentialsMissing(
        translatable(
            "No AWS credentials were found: no key, no AWS_ACCESS_KEY_ID, and no access keys in the profile “{name}”. "
            "Roles and single sign-on need the package boto3."
        ).format(name=name)
    )
    if session is None:
        raise missing
    try:
        credentials = session.Session(profile=profile or None).get_credentials()
        frozen = credentials.get_frozen_credentials() if credentials is not None else None
    except Exception:  # noqa: BLE001 - the library has many classes of errors
        raise missing from None
    if frozen is None:
        raise missing
    return AwsKeys(frozen.access_key, frozen.secret_key, frozen.token or "")


def aws_profile(name: str) -> dict[str, str]:
    """Return the fields of a profile in AWS's two files; {} if it has none."""
    home = Path.home() / ".aws"
    places = (
        (os.environ.get("AWS_CONFIG_FILE") or home / "config", name if name == "default" else f"profile {name}"),
        (os.environ.get("AWS_SHARED_CREDENTIALS_FILE") or home / "credentials", name),
    )
    fields: dict[str, str] = {}
    for path, section in places:
        parser = configparser.RawConfigParser(strict=False)
        try:
            parser.read_string(Path(path).expanduser().read_text(encoding="utf-8"))
            fields |= dict(parser.items(section))
        except (OSError, UnicodeDecodeError, configparser.Error):
            continue
    return fields


def signed_headers(
    keys: AwsKeys, region: str, method: str, url: str, content: bytes, now: datetime, service: str = "bedrock"
) -> dict[str, str]:
    """Return the headers that sign a request (AWS Signature Version 4)."""
    parts, stamp = urlsplit(url), now.strftime("%Y%m%dT%H%M%SZ")
    headers = {"host": parts.netloc.rpartition("@")[2], "x-amz-date": stamp}
    headers |= {"x-amz-security-token": keys.session} if keys.session else {}
    names = ";".join(sorted(headers))
    query = "&".join(sorted(f"{_quoted(name)}={_quoted(value)}" for name, value in parse_qsl(parts.query, True)))
    lines = [f"{name}:{headers[name]}" for name in sorted(headers)]
    body = hashlib.sha256(content).hexdigest()
    canonical = "\n".join([method, quote(parts.path or "/", safe="/-_.~"), query, *lines, "", names, body])
    scope = f"{stamp[:8]}/{region}/{service}/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{keys.secret}".encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    del headers["host"]
    value = f"AWS4-HMAC-SHA256 Credential={keys.access}/{scope}, SignedHeaders={names}, Signature={signature}"
    return headers | {"authorization": value}


def _quoted(text: str) -> str:
    return quote(text, safe="-_.~")


async def _google(endpoint: Endpoint) -> dict[str, str]:
    if headers := key_headers("vertex", endpoint.key):
        return headers
    file = google_file(endpoint)
    token = await _cached(("vertex", json.dumps(file, sort_keys=True)), lambda: _google_token(endpoint, file))
    project = file.get("quota_project_id")
    return {"authorization": f"Bearer {token}"} | ({"x-goog-user-project": str(project)} if project else {})


def google_file(endpoint: Endpoint) -> Json:
    """Return the content of Google's file of credentials; {} if there is none. Raises CredentialsMissing.

    It is the key, the file that the settings name, or the application default credentials.
    """
    named = endpoint.cloud.profile or os.environ.get("GOOGLE_APPLICATION_CREDENTIALS", "")
    folder = os.environ.get("CLOUDSDK_CONFIG") or Path.home() / ".config" / "gcloud"
    path = Path(named).expanduser() if named else Path(folder) / "application_default_credentials.json"
    try:
        content = json.loads(endpoint.key if endpoint.key.startswith("{") else path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        if not named and not endpoint.key:
            return {}
        text = translatable("The credentials in {path} cannot be read.")
        raise CredentialsMissing(text.format(path=path if named else translatable("the key"))) from None
    return content if isinstance(content, dict) else {}


async def _google_token(endpoint: Endpoint, file: Json) -> Token:
    match file.get("type"):
        case "authorized_user":
            names = ("client_id", "client_secret", "refresh_token")
            form = {"grant_type": "refresh_token"} | {name: str(file.get(name, "")) for name in names}
        case "service_account":
            form = {"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": _assertion(file)}
        case _:
            return await asyncio.to_thread(_token_by_google_auth)
    return await _exchange(endpoint, str(file.get("token_uri") or GOOGLE_TOKENS), form)


def _assertion(file: Json) -> str:
    jwt = _library("jwt")
    now = int(time.time())
    claims = {
        "iss": file.get("client_email"),
        "scope": GOOGLE_SCOPE,
        "aud": file.get("token_uri") or GOOGLE_TOKENS,
        "iat": now,
        "exp": now + 3_600,
    }
    try:
        if jwt is None:
            raise ValueError
        headers = {"kid": str(file.get("private_key_id", ""))}
        return jwt.encode(claims, str(file.get("private_key", "")), algorithm="RS256", headers=headers)
    except Exception:  # noqa: BLE001 - a damaged key has many classes of errors, whose texts may quote it
        raise CredentialsMissing(translatable("The key of the service account cannot be used.")) from None


async def _exchange(endpoint: Endpoint, address: str, form: Mapping[str, str]) -> Token:
    import httpx

    try:
        async with http_client(Endpoint(endpoint.name, address), timeout=TOKEN_SECONDS) as client:
            response = await client.post(address, data=form)
            answer = response.json()
            return Token(answer["access_token"], time.time() + float(answer.get("expires_in", 3_600)))
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError, RecursionError) as error:
        text = translatable("Google gave no token for these credentials ({kind}): sign in again.")
        raise CredentialsMissing(text.format(kind=type(error).__name__)) from None


def _token_by_google_auth() -> Token:
    auth, transport = _library("google.auth"), _library("google.auth.transport.requests")
    missing = CredentialsMissing(
        translatable(
            "No Google credentials were found: no key, no GOOGLE_APPLICATION_CREDENTIALS, and no application default "
            "credentials (`gcloud auth application-default login`)."
        )
    )
    if auth is None or transport is None:
        raise missing
    try:
        credentials, _ = auth.default(scopes=[GOOGLE_SCOPE])
        credentials.refresh(transport.Request())
        return Token(credentials.token, credentials.expiry.replace(tzinfo=UTC).timestamp())
    except Exception:  # noqa: BLE001 - the library has many classes of errors
        raise missing from None


async def _cached(key: tuple[str, ...], get: Any) -> str:
    token = _tokens.get(key)
    if token is None or token.ends_at - EARLIER < time.time():
        token = _tokens[key] = await get()
    return token.text


def _library(name: str) -> Any:
    """Return a library that need not be installed; None if it is not."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def secrets_of_cloud(endpoint: Endpoint) -> tuple[str, ...]:
    """Return texts that must never be displayed: a refused signature is explained with parts of the request."""
    if endpoint.kind not in CLOUDS:
        return ()
    names = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "AZURE_OPENAI_AD_TOKEN")
    return (*filter(None, map(variable, names)), *(token.text for token in _tokens.values()))
