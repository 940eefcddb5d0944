"""What the address of a server's model says: which dialect, which model, streamed or not; and how it is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, urlsplit, urlunsplit

from inspector.probes.replay_aws import is_runtime

PATHS: Final[Mapping[str, str]] = {
    "openai.chat": "/v1/chat/completions",
    "mistral.chat": "/v1/chat/completions",
    "openai.responses": "/v1/responses",
    "anthropic.messages": "/v1/messages",
    "gemini.generate_content": "/v1beta/models/{model}:generateContent",
    "ollama.chat": "/api/chat",
    "cohere.chat": "/v2/chat",
    "bedrock.converse": "/model/{model}/converse",
}
"""Where each dialect is spoken, as its provider documents it."""
_INVOKE: Final = "/model/{model}/invoke"
"""Bedrock's other way: the body is that of the model's maker, so Anthropic's for Claude."""
_HOSTS: Final[Mapping[str, str]] = {
    "api.anthropic.com": "anthropic.messages",
    "generativelanguage.googleapis.com": "gemini.generate_content",
    "api.cohere.com": "cohere.chat",
    "api.cohere.ai": "cohere.chat",
}
_BEDROCK: Final = re.compile(r"/model/[^/]+/(?:converse|invoke)(?:-stream|-with-response-stream)?$")
_VERTEX: Final = re.compile(r"/publishers/[^/]+/models/[^/:]+:")
_MODEL: Final = re.compile(r"(?P<before>/models?/)(?P<model>[^/:?#]+)(?P<after>:|/(?:converse|invoke))")
_STREAMED: Final = (
    (re.compile(r":streamGenerateContent$"), ":generateContent"),
    (re.compile(r":streamRawPredict$"), ":rawPredict"),
    (re.compile(r"/converse-stream$"), "/converse"),
    (re.compile(r"/invoke-with-response-stream$"), "/invoke"),
)
"""End of the path of a stream → that of a whole answer (Gemini, Vertex, Bedrock)."""


def dialect_of_host(url: str) -> str | None:
    """Say what a provider's server speaks where its address has no path; None: it is not known.

    Args:
        url: Of the server.
    """
    parts = urlsplit(url)
    if parts.path.rstrip("/"):
        return None
    if is_runtime(parts.hostname or ""):
        return "bedrock.converse"
    return _HOSTS.get(parts.hostname or "")


def is_bedrock(url: str) -> bool:
    """Say whether a URL is one of Bedrock's: by its path, so that gateways and private endpoints are, too.

    Args:
        url: Of a call.
    """
    return _BEDROCK.search(urlsplit(url).path) is not None


def is_vertex(url: str) -> bool:
    """Say whether a URL is one of Vertex AI's, by its path.

    Args:
        url: Of a call.
    """
    return _VERTEX.search(urlsplit(url).path) is not None


def names_model(url: str) -> bool:
    """Say whether the model is named in an address, and so not in the body (Gemini, Bedrock, Vertex).

    Args:
        url: Of a call.
    """
    return _MODEL.search(urlsplit(url).path) is not None


def with_model(url: str, model: str) -> str:
    """Name another model in an address that names one.

    Args:
        url: Of a call.
        model: Its name or ARN.
    """
    parts = urlsplit(url)
    path = _MODEL.sub(lambda found: f"{found['before']}{quote(model, safe='')}{found['after']}", parts.path, count=1)
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def unstreamed(url: str) -> str:
    """Return the address of a whole answer, where streams have one of their own.

    Args:
        url: Of a call.
    """
    parts = urlsplit(url)
    path = parts.path
    for streamed, whole in _STREAMED:
        path = streamed.sub(whole, path)
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def with_path(url: str, api: str, model: str | None) -> str:
    """Add the path of a dialect to the address of a server.

    Args:
        url: Of the server, perhaps with the first part of the path.
        api: The dialect.
        model: Named in the path where the dialect wants it there.
    """
    parts = urlsplit(url)
    path = _INVOKE if api == "anthropic.messages" and is_runtime(parts.hostname or "") else PATHS[api]
    path = path.replace("{model}", quote(model or "", safe=""))
    base = parts.path.rstrip("/")
    first = "/" + path.split("/")[1]  # /v1, /v1beta, /v2, /api, /model
    joined = base + path.removeprefix(first) if base.endswith(first) else base + path
    return urlunsplit((parts.scheme, parts.netloc, joined, parts.query, ""))
