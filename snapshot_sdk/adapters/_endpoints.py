"""Which requests are calls of a model: known paths, known hosts, and what the user names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol
from urllib.parse import SplitResult, unquote, urlsplit


class ModelCall(NamedTuple):
    """What an address says about a call."""

    api: str | None
    """Dialect of the body; None: to be recognised."""
    model: str | None = None
    """Where the address names it, not the body."""
    purpose: str | None = None


_CALLS: Final = tuple(
    (re.compile(pattern), api)
    for pattern, api in (
        (r"/(?:chat|agents)/completions$", "openai.chat"),
        (r"/(?:fim/)?completions$", "openai.completions"),
        (r"/responses(?:/compact)?$", "openai.responses"),
        (r"/v1/messages$", "anthropic.messages"),
        (r"/v1/complete$", "anthropic.complete"),
        (r"/models/(?P<model>[^/:]+):(?:g|streamG)enerateContent$", "gemini.generate_content"),
        (r"/anthropic/models/(?P<model>[^/:]+):(?:r|streamR)awPredict$", "anthropic.messages"),
        (r"/mistralai/models/(?P<model>[^/:]+):(?:r|streamR)awPredict$", "openai.chat"),
        (r"/model/(?P<model>[^/]*anthropic[^/]*)/invoke(?:-with-response-stream)?$", "anthropic.messages"),
        (r"/model/(?P<model>(?![^/]*(?:embed|rerank))[^/]+)/invoke(?:-with-response-stream)?$", None),
        (r"/model/(?P<model>[^/]+)/converse(?:-stream)?$", "bedrock.converse"),
        (r"/v2/chat$", "cohere.chat"),
        (r"/cachedContents$", "gemini.generate_content"),
        (r"/api/chat$", "ollama.chat"),
        (r"/api/generate$", "ollama.generate"),
    )
)
"""Last part of the path → dialect. Counting tokens, batches, embeddings, files and models are no calls. Making a
cache of Gemini's is: it sends the part of a prompt that later requests only name."""

_PURPOSES: Final = {"/responses/compact": "compaction", "/cachedContents": "cache"}
"""Last part of the path → what the call is for, where that is no turn of a conversation."""

_HOSTS: Final = re.compile(
    r"(?:^|\.)(?:"
    r"api\.openai\.com|openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com|models\.ai\.azure\.com"
    r"|api\.anthropic\.com|generativelanguage\.googleapis\.com|aiplatform\.googleapis\.com"
    r"|bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?"
    r"|mistral\.ai|api\.groq\.com|openrouter\.ai|api\.deepseek\.com|api\.x\.ai|api\.together\.(?:xyz|ai)"
    r"|api\.fireworks\.ai|api\.cerebras\.ai|api\.perplexity\.ai|api\.cohere\.(?:com|ai)|integrate\.api\.nvidia\.com"
    r"|router\.huggingface\.co|api\.sambanova\.ai|api\.moonshot\.(?:cn|ai)|dashscope(?:-intl)?\.aliyuncs\.com"
    r"|open\.bigmodel\.cn|api\.z\.ai|ark\.[a-z-]+\.volces\.com|api\.minimaxi?\.(?:com|chat|io)|api\.siliconflow\.(?:cn|com)"
    r"|api\.lingyiwanwu\.com|api\.baichuan-ai\.com|qianfan\.baidubce\.com|api\.hunyuan\.cloud\.tencent\.com"
    r")$|-aiplatform\.googleapis\.com$"
)
"""Where models are served, for :func:`snapshot_sdk.install`; others are named by the user."""

_MAX_FOUND: Final = 256
"""Addresses remembered: an agent calls one or two, and to look one up takes as long as to write a record."""

_PORTS: Final = {"http": 80, "https": 443}


class Finder(Protocol):
    """Recognises model calls."""

    def find(self, method: str, url: str) -> ModelCall | None:
        """Recognises a request; None: it is not to be recorded."""


class Endpoints:
    """What is recorded."""

    def __init__(self, named: Iterable[str] = (), *, any_host: bool) -> None:
        """Reads the addresses that the user names.

        Args:
            named: URLs; model calls below them are recorded, and whatever is posted to exactly one of them.
            any_host: Record the known paths of every host.

        Raises:
            TypeError: They are no strings.
            ValueError: One is no ``http`` or ``https`` URL.
        """
        if isinstance(named, str):
            named = (named,)
        self._named = tuple(_parse(url) for url in named)
        self._any_host = any_host
        self._found: dict[tuple[str, str], ModelCall | None] = {}

    def find(self, method: str, url: str) -> ModelCall | None:
        """Recognises a request.

        Args:
            method: HTTP method.
            url: Where it goes.

        Returns:
            None: it is not to be recorded.
        """
        found = self._found
        try:
            return found[method, url]
        except KeyError:
            call = self._find(method, url)
        if len(found) >= _MAX_FOUND:
            found = self._found = {}
        found[method, url] = call
        return call

    def _find(self, method: str, url: str) -> ModelCall | None:
        if method.upper() != "POST":
            return None
        parts = urlsplit(url)
        path = parts.path.rstrip("/")
        known = next(((match, api) for pattern, api in _CALLS if (match := pattern.search(path))), None)
        if known is None:
            exactly = any(_origin(parts) == _origin(one) and path == one.path.rstrip("/") for one in self._named)
            return ModelCall(None) if exactly else None
        if not (
            self._any_host or _HOSTS.search(parts.hostname or "") or any(_below(parts, one) for one in self._named)
        ):
            return None
        match, api = known
        model = match.groupdict().get("model")
        purpose = next((purpose for end, purpose in _PURPOSES.items() if path.endswith(end)), None)
        return ModelCall(api, unquote(model) if model else None, purpose)


def _parse(url: str) -> SplitResult:
    if not isinstance(url, str):
        raise TypeError(f"an endpoint is a URL, not {type(url).__name__}")
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError(f"an endpoint is a URL such as http://127.0.0.1:8000/v1, not {url!r}")
    return parts


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


def _below(parts: SplitResult, named: SplitResult) -> bool:
    base = named.path.rstrip("/")
    return _origin(parts) == _origin(named) and (parts.path == base or parts.path.startswith(base + "/"))
