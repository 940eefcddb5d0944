"""Facts about the headers of a question, and what of them nobody may see."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from inspector.probes.replay_aws import AwsKeys
from inspector.probes.replay_headers import headers_of, secrets_of
from inspector.probes.replay_keys import Key
from inspector.probes.replay_target import Address

WHEN = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOST = "bedrock-runtime.eu-west-1.amazonaws.com"
KEYS = AwsKeys("AKIDEXAMPLE", "a-secret", "eu-west-1", "a-token")


def headers(url: str, api: str, key: Key | None = "sk-1") -> dict[str, str]:
    """Headers of a question there."""
    return headers_of(Address(url, api, own=True), key, b"{}", HOST, "/model/m/converse", WHEN)


@pytest.mark.parametrize(
    ("url", "api", "name", "value"),
    [
        ("https://api.anthropic.com/v1/messages", "anthropic.messages", "x-api-key", "sk-1"),
        (f"https://{HOST}/model/a/invoke", "anthropic.messages", "authorization", "Bearer sk-1"),
        ("https://x/publishers/anthropic/models/c:rawPredict", "anthropic.messages", "authorization", "Bearer sk-1"),
        (
            "https://bedrock-mantle.eu-west-1.api.aws/anthropic/v1/messages",
            "anthropic.messages",
            "authorization",
            "Bearer sk-1",
        ),
        (f"https://{HOST}/model/a/converse", "bedrock.converse", "authorization", "Bearer sk-1"),
        ("https://api.cohere.com/v2/chat", "cohere.chat", "authorization", "Bearer sk-1"),
        ("https://x.openai.azure.com/openai/v1/responses", "openai.responses", "api-key", "sk-1"),
    ],
)
def test_a_key_stands_where_the_server_looks_for_it(url: str, api: str, name: str, value: str) -> None:
    """Who resells a dialect has a way of its own."""
    assert {key: one for key, one in headers(url, api).items() if "sk-1" in one} == {name: value}


def test_aws_keys_sign_and_are_not_sent() -> None:
    """For the region and the service, of host, type, time and token."""
    found = headers(f"https://{HOST}/model/m/converse", "bedrock.converse", KEYS)

    assert "Credential=AKIDEXAMPLE/20261130/eu-west-1/bedrock/aws4_request" in found["authorization"]
    assert "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token" in found["authorization"]
    assert found["x-amz-security-token"] == "a-token"
    assert not any("a-secret" in value for value in found.values())


def test_all_of_aws_keys_are_secret() -> None:
    """An answer or an error that repeats one is masked; so is what stands in a header that holds a key."""
    seen = set(secrets_of(KEYS, {"x-key": "Bearer other", "x-trace": "7"}))

    assert seen == {"a-secret", "AKIDEXAMPLE", "a-token", "Bearer", "other"}
