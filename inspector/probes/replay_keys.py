"""Which key goes with a question: never one to a host that the user did not name for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from inspector.errors import ProbeError
from inspector.probes.replay_aws import ACCESS_KEY, SECRET_KEY, AwsKeys, read_aws_keys, region_of
from inspector.probes.replay_target import Address, Target, is_loopback

Key = str | AwsKeys
"""What is sent, or what signs what is sent."""

_VARIABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "api.openai.com": ("OPENAI_API_KEY",),
    "api.anthropic.com": ("ANTHROPIC_API_KEY",),
    "generativelanguage.googleapis.com": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "api.mistral.ai": ("MISTRAL_API_KEY",),
    "api.cohere.com": ("CO_API_KEY", "COHERE_API_KEY"),
    "api.cohere.ai": ("CO_API_KEY", "COHERE_API_KEY"),
    "api.deepseek.com": ("DEEPSEEK_API_KEY",),
    "api.groq.com": ("GROQ_API_KEY",),
    "openrouter.ai": ("OPENROUTER_API_KEY",),
    "api.moonshot.cn": ("MOONSHOT_API_KEY",),
    "dashscope.aliyuncs.com": ("DASHSCOPE_API_KEY",),
}
"""Host → variables its key is looked for in. A trace of somebody else may name any host: others get no key unless the
user says which variable holds it."""
_BEDROCK_KEY: Final = "AWS_BEARER_TOKEN_BEDROCK"
"""An API key of Bedrock alone, which AWS's own clients prefer to AWS keys, too."""
_SIGNING: Final = frozenset({ACCESS_KEY, SECRET_KEY})


def key_variables(host: str) -> tuple[str, ...]:
    """Return the variables of which one must be set for a host; none: no key is looked for.

    Args:
        host: Where a question goes.
    """
    if region_of(host) is not None:
        return (_BEDROCK_KEY, ACCESS_KEY)
    return _VARIABLES.get(host, ())


def find_keys(addresses: Iterable[Address], target: Target, environment: Mapping[str, str]) -> dict[str, Key | None]:
    """Find the key that each server is sent, by its origin; None: none is sent there.

    Args:
        addresses: Where questions go.
        target: What the user said.
        environment: Variables.

    Raises:
        ProbeError: A variable is not set, a key would go unencrypted over a network, or one key to several servers.
    """
    origins = {one.origin: one for one in addresses}
    if target.key_variable is not None and len(origins) > 1:
        raise ProbeError(
            f"one key for {len(origins)} servers: {', '.join(origins)}", hint="Name the one to ask with --endpoint URL."
        )
    keys: dict[str, Key | None] = {}
    for origin, address in origins.items():
        key = find_key(address.host, target, environment)
        encrypted = origin.startswith("https:") or is_loopback(address.host)
        if key is not None and target.key_variable is None and not encrypted:
            raise ProbeError(
                f"the key would go to {origin} unencrypted", hint="Name a server with --endpoint https://…"
            )
        keys[origin] = key
    return keys


def find_key(host: str, target: Target, environment: Mapping[str, str]) -> Key | None:
    """Find the key that is sent to a host, or signs what is; None: none is.

    Args:
        host: Where the question goes.
        target: What the user said. A variable of AWS keys stands for all of them: they sign, and are not sent.
        environment: Variables.

    Raises:
        ProbeError: The variable that the user or the host names is not set.
    """
    named = target.key_variable
    if named in _SIGNING:
        found: Key | None = read_aws_keys(host, environment)
    elif named is not None:
        found = _read_key(named, environment)
    else:
        names = key_variables(host)
        if not names:
            return None
        sent = (name for name in names if name not in _SIGNING)
        found = next((value for name in sent if (value := _read_key(name, environment)) is not None), None)
        if found is None and ACCESS_KEY in names:
            found = read_aws_keys(host, environment)
    if found is not None:
        return found
    if named is not None:
        raise ProbeError(f"{named} is not set", hint="Looking needs no key.")
    if ACCESS_KEY in names:
        raise ProbeError(
            f"set {_BEDROCK_KEY}, or {ACCESS_KEY} and {SECRET_KEY}, or choose another server with --endpoint",
            hint='Of a profile: eval "$(aws configure export-credentials --format env)". Looking needs no key.',
        )
    raise ProbeError(
        f"set {' or '.join(names)}, or choose another server with --endpoint", hint="Looking needs no key."
    )


def _read_key(name: str, environment: Mapping[str, str]) -> str | None:
    """Read a variable that holds a key; None: it holds none.

    Raises:
        ProbeError: A character in it cannot be sent: it came along when the key was pasted.
    """
    key = environment.get(name, "").strip()
    wrong = next((character for character in key if not "!" <= character <= "~"), None)
    if wrong is not None:
        raise ProbeError(
            f"{name} holds {wrong!r} (U+{ord(wrong):04X}), which no key has",
            hint="Paste the key alone, without quotes.",
        )
    return key or None
