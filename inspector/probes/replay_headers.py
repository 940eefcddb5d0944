"""The headers of a question: its key where the dialect wants it, and what nobody may see of them afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

from inspector.probes.replay_aws import AwsKeys, region_of, sign
from inspector.probes.replay_keys import Key
from inspector.probes.replay_path import is_bedrock, is_vertex
from inspector.probes.replay_target import Address

_ANTHROPIC_VERSION: Final = "2023-06-01"
_AZURE: Final = (".openai.azure.com", ".cognitiveservices.azure.com")
_SECRET_HEADER: Final = re.compile(r"auth|key|token|secret|cookie|signature", re.IGNORECASE)


def headers_of(
    address: Address, key: Key | None, content: bytes, host: str, target: str, now: datetime
) -> dict[str, str]:
    """Return the headers of one try.

    Args:
        address: Where it goes.
        key: Sent the way the dialect wants it, or signs; None: none is sent.
        content: What is sent.
        host: As the client names it in its ``Host`` header.
        target: Path and query as the client sends them.
        now: In UTC; a signature is good for minutes, so each try has its own.
    """
    headers = {"content-type": "application/json", "accept": "application/json"}
    resold = is_bedrock(address.url) or is_vertex(address.url)
    anthropic = address.api == "anthropic.messages"
    if anthropic and not resold:
        headers["anthropic-version"] = _ANTHROPIC_VERSION
    if isinstance(key, AwsKeys):
        signed = {"host": host, "content-type": headers["content-type"]}
        headers |= sign(key, "POST", target, signed, content, now)
    elif key is not None and anthropic and not resold and region_of(address.host) is None:
        headers["x-api-key"] = key
    elif key is not None and address.api == "gemini.generate_content":
        headers["x-goog-api-key"] = key
    elif key is not None and address.host.endswith(_AZURE):
        headers["api-key"] = key
    elif key is not None:
        headers["authorization"] = f"Bearer {key}"
    return headers


def secrets_of(key: Key | None, headers: Mapping[str, str]) -> Iterator[str]:
    """Yield what nobody may see: the key, and the words of headers that hold one.

    Args:
        key: None: there is none.
        headers: Further ones of the user's.
    """
    if key is not None:
        yield from key.secrets if isinstance(key, AwsKeys) else (key,)
    for name, value in headers.items():
        if _SECRET_HEADER.search(name):
            yield from value.split()
