"""Signs a request for Amazon Bedrock with AWS keys: Signature Version 4, by the standard library.

AWS's own library for this has 31 MB (botocore 1.43) and reads profiles and roles; here the keys come from the
environment alone.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from urllib.parse import parse_qsl, quote

from inspector.errors import ProbeError

ACCESS_KEY: Final = "AWS_ACCESS_KEY_ID"
SECRET_KEY: Final = "AWS_SECRET_ACCESS_KEY"
_TOKEN: Final = "AWS_SESSION_TOKEN"
_REGIONS: Final = ("AWS_REGION", "AWS_DEFAULT_REGION")
_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_HOST: Final = re.compile(
    r"(?:^|\.)bedrock-(?P<kind>runtime|mantle)(?:-fips)?\.(?P<region>[a-z0-9-]+)"
    r"\.(?:(?:vpce\.)?amazonaws\.com(?:\.cn)?|api\.aws)$"
)
"""Bedrock's hosts: public, dual-stack, of China, and of a private link. ``mantle`` speaks its makers' dialects only."""


@dataclass(frozen=True)
class AwsKeys:
    """Keys that sign requests; they are not sent themselves, but for the token of temporary ones."""

    access: str
    """Id of the key."""
    secret: str = field(repr=False)
    region: str
    """That a signature is good for."""
    token: str | None = field(default=None, repr=False)
    """Of temporary keys; None: they are permanent."""
    service: str = "bedrock"
    """That a signature is good for."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What nobody may see."""
        return (self.secret, self.access, *((self.token,) if self.token else ()))


def region_of(host: str) -> str | None:
    """Return the region that a host of Bedrock names; None: it is none of Bedrock's.

    Args:
        host: Its name.
    """
    found = _HOST.search(host.lower())
    return found["region"] if found is not None else None


def is_runtime(host: str) -> bool:
    """Say whether a host is one of Bedrock's that speak Converse and InvokeModel.

    Args:
        host: Its name.
    """
    found = _HOST.search(host.lower())
    return found is not None and found["kind"] == "runtime"


def read_aws_keys(host: str, environment: Mapping[str, str]) -> AwsKeys | None:
    """Read AWS keys from the environment; None: there are none.

    Args:
        host: Where they are used, which names the region; another than Bedrock's: the environment does.
        environment: Variables.

    Raises:
        ProbeError: Only a half of them is set, or no region is known.
    """
    access, secret, token = (environment.get(name, "").strip() for name in (ACCESS_KEY, SECRET_KEY, _TOKEN))
    if not access and not secret:
        return None
    if not access or not secret:
        raise ProbeError(f"{ACCESS_KEY if not access else SECRET_KEY} is not set", hint="AWS keys are two.")
    region = region_of(host) or next((value for name in _REGIONS if (value := environment.get(name, "").strip())), None)
    if region is None:
        raise ProbeError(f"the region of {host} is not known", hint=f"Set {_REGIONS[0]}, such as us-east-1.")
    of_mantle = region_of(host) is not None and not is_runtime(host)
    return AwsKeys(access, secret, region, token or None, "bedrock-mantle" if of_mantle else "bedrock")


def sign(
    keys: AwsKeys,
    method: str,
    target: str,
    headers: Mapping[str, str],
    content: bytes,
    now: datetime,
) -> dict[str, str]:
    """Return the headers that prove who sends a request.

    Args:
        keys: Whose it is.
        method: Of HTTP.
        target: Path and query as they are sent.
        headers: Those that are signed: at least ``host``.
        content: Of the request.
        now: In UTC; a server refuses what is five minutes off.
    """
    date = now.strftime("%Y%m%dT%H%M%SZ")
    added = {"x-amz-date": date} | ({"x-amz-security-token": keys.token} if keys.token else {})
    signed = {name.lower(): " ".join(value.split()) for name, value in {**headers, **added}.items()}
    names = ";".join(sorted(signed))
    path, _, query = target.partition("?")
    canonical = "\n".join(
        (
            method,
            quote(path, safe="/-_.~"),  # what is encoded already is encoded once more, as all services but S3 want it
            "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in _ordered(query)),
            *(f"{name}:{signed[name]}" for name in sorted(signed)),
            "",
            names,
            hashlib.sha256(content).hexdigest(),
        )
    )
    scope = f"{date[:8]}/{keys.region}/{keys.service}/aws4_request"
    text = "\n".join((_ALGORITHM, date, scope, hashlib.sha256(canonical.encode()).hexdigest()))
    key = f"AWS4{keys.secret}".encode()
    for part in scope.split("/"):
        key = _hmac(key, part)
    proof = _hmac(key, text).hex()
    return {
        **added,
        "authorization": f"{_ALGORITHM} Credential={keys.access}/{scope}, SignedHeaders={names}, Signature={proof}",
    }


def _ordered(query: str) -> list[tuple[str, str]]:
    pairs = parse_qsl(query, keep_blank_values=True)
    return sorted(pairs, key=lambda pair: (_encoded(pair[0]), _encoded(pair[1])))


def _encoded(text: str) -> str:
    return quote(text, safe="-_.~")


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
