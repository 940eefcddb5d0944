"""Facts about keys: each goes to its own host, AWS keys sign and are never sent."""

from __future__ import annotations

import pytest

from inspector.errors import ProbeError
from inspector.probes.replay_aws import AwsKeys
from inspector.probes.replay_keys import find_key, find_keys, key_variables
from inspector.probes.replay_target import Address, Target

BEDROCK = "bedrock-runtime.eu-west-1.amazonaws.com"
SIGNING = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "a-secret"}


def test_a_key_goes_to_its_own_host_only() -> None:
    """A trace of somebody else may name any host."""
    keys = {"OPENAI_API_KEY": "sk-1", "GOOGLE_API_KEY": "g-1", "MINE": "m-1"}

    assert find_key("api.openai.com", Target(), keys) == "sk-1"
    assert find_key("generativelanguage.googleapis.com", Target(), keys) == "g-1"
    assert find_key("evil.test", Target(), keys) is None
    assert find_key("evil.test", Target(key_variable="MINE"), keys) == "m-1"
    with pytest.raises(ProbeError, match="ANTHROPIC_API_KEY"):
        find_key("api.anthropic.com", Target(), keys)
    with pytest.raises(ProbeError, match="NONE"):
        find_key("api.openai.com", Target(key_variable="NONE"), keys)


def test_each_server_gets_its_own_key() -> None:
    """A session may have asked several."""
    keys = {"OPENAI_API_KEY": "sk-1", "ANTHROPIC_API_KEY": "a-1", "MINE": "m-1"}
    urls = ("https://api.openai.com/v1/responses", "https://api.anthropic.com/v1/messages", "https://evil.test/v1/x")
    addresses = [Address(url, "openai.chat", own=True) for url in urls]

    assert find_keys(addresses, Target(), keys) == {
        "https://api.openai.com": "sk-1",
        "https://api.anthropic.com": "a-1",
        "https://evil.test": None,
    }
    with pytest.raises(ProbeError, match="one key for 3 servers"):
        find_keys(addresses, Target(key_variable="MINE"), keys)


def test_a_key_is_not_sent_unencrypted() -> None:
    """A trace may name a known host without TLS."""
    plain = Address("http://api.openai.com/v1/responses", "openai.chat", own=True)
    here = Address("http://127.0.0.1:8080/v1/responses", "openai.chat", own=False)

    with pytest.raises(ProbeError, match="unencrypted"):
        find_keys([plain], Target(), {"OPENAI_API_KEY": "sk-1"})
    assert find_keys([here], Target(key_variable="MINE"), {"MINE": "m"}) == {"http://127.0.0.1:8080": "m"}


def test_bedrock_prefers_its_own_key() -> None:
    """As AWS's clients do; AWS keys sign where there is none, for the region that the host names."""
    signing = AwsKeys("AKIDEXAMPLE", "a-secret", "eu-west-1")

    assert find_key(BEDROCK, Target(), {**SIGNING, "AWS_BEARER_TOKEN_BEDROCK": "b-1"}) == "b-1"
    assert find_key(BEDROCK, Target(), {**SIGNING, "AWS_REGION": "us-east-1"}) == signing


@pytest.mark.parametrize("host", ["api.cohere.com", "api.cohere.ai"])
def test_cohere_has_two_names_for_its_key(host: str) -> None:
    """Its client reads the first, most others the second."""
    assert find_key(host, Target(), {"CO_API_KEY": "c-1", "COHERE_API_KEY": "c-2"}) == "c-1"
    assert find_key(host, Target(), {"COHERE_API_KEY": "c-2"}) == "c-2"


def test_without_aws_keys_it_is_said_how_to_get_some() -> None:
    """Profiles and roles are not read here; AWS's command prints what is."""
    with pytest.raises(ProbeError, match="AWS_BEARER_TOKEN_BEDROCK") as caught:
        find_key(BEDROCK, Target(), {})

    assert "export-credentials" in str(caught.value.hint)


def test_half_a_pair_of_aws_keys_is_refused() -> None:
    """It is named which half is missing."""
    with pytest.raises(ProbeError, match="AWS_SECRET_ACCESS_KEY is not set"):
        find_key(BEDROCK, Target(), {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE"})


@pytest.mark.parametrize("name", list(SIGNING))
def test_a_named_aws_key_signs_elsewhere_and_is_not_sent(name: str) -> None:
    """At a gateway, too; its region is the environment's."""
    target = Target(key_variable=name)

    assert find_key("gateway.test", target, {**SIGNING, "AWS_DEFAULT_REGION": "eu-west-1"}) == AwsKeys(
        "AKIDEXAMPLE", "a-secret", "eu-west-1"
    )
    with pytest.raises(ProbeError, match="region"):
        find_key("gateway.test", target, SIGNING)


def test_aws_keys_go_to_no_host_that_only_looks_like_aws() -> None:
    """A trace of somebody else may name any host."""
    for host in ("bedrock-runtime.eu-west-1.amazonaws.com.evil.test", "evil-bedrock-runtime.eu-west-1.amazonaws.com"):
        assert key_variables(host) == ()
        assert find_key(host, Target(), SIGNING) is None


def test_bedrocks_other_service_has_a_signature_of_its_own() -> None:
    """``bedrock-mantle`` serves its makers' dialects, with the same keys."""
    host = "bedrock-mantle.eu-west-1.api.aws"

    assert find_key(host, Target(), SIGNING) == AwsKeys("AKIDEXAMPLE", "a-secret", "eu-west-1", None, "bedrock-mantle")
    assert find_key(host, Target(), {"AWS_BEARER_TOKEN_BEDROCK": "b-1"}) == "b-1"


def test_a_key_shows_no_secret() -> None:
    """Not where it is printed by accident."""
    assert "a-secret" not in repr(AwsKeys("AKIDEXAMPLE", "a-secret", "eu-west-1", "a-secret-token"))
