"""Facts about addresses: the call's own server, or one that the user names with or without its path."""

from __future__ import annotations

import pytest

from inspector.errors import ProbeError
from inspector.probes.replay_target import Target, address_of, is_loopback

OPENAI = "https://api.openai.com/v1/chat/completions"
GOOGLE = "https://generativelanguage.googleapis.com"
BEDROCK = "https://bedrock-runtime.eu-west-1.amazonaws.com"
PROFILE = "/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Ainference-profile%2Feu.anthropic.claude-x"


@pytest.mark.parametrize(
    ("endpoint", "api", "wanted"),
    [
        ("http://127.0.0.1:8080", "openai.chat", "http://127.0.0.1:8080/v1/chat/completions"),
        ("http://127.0.0.1:8080/v1", "openai.chat", "http://127.0.0.1:8080/v1/chat/completions"),
        ("http://127.0.0.1:8080/v1/", "openai.responses", "http://127.0.0.1:8080/v1/responses"),
        ("http://127.0.0.1:8080/v1/chat/completions", None, "http://127.0.0.1:8080/v1/chat/completions"),
        ("http://127.0.0.1:8080", "gemini.generate_content", "http://127.0.0.1:8080/v1beta/models/m:generateContent"),
        ("http://127.0.0.1:11434", "ollama.chat", "http://127.0.0.1:11434/api/chat"),
        ("https://x.test/v1/chat/completions?api-version=1", None, "https://x.test/v1/chat/completions?api-version=1"),
    ],
)
def test_a_server_may_be_named_with_or_without_the_path(endpoint: str, api: str | None, wanted: str) -> None:
    """The path of the dialect is added where it is missing."""
    assert address_of(Target(endpoint, api), "openai.chat", OPENAI, "m").url == wanted


@pytest.mark.parametrize(
    "endpoint",
    ["ftp://x.test", "nonsense", "http://", "http://user:secret@x.test", "http://[::1", "http://x.test:99999"],
)
def test_what_is_no_address_is_refused(endpoint: str) -> None:
    """A key in it, too."""
    with pytest.raises(ProbeError):
        address_of(Target(endpoint), "openai.chat", OPENAI, "m")


def test_a_call_without_an_address_wants_one() -> None:
    """A path alone names no server."""
    with pytest.raises(ProbeError, match="not recorded"):
        address_of(Target(), "openai.chat", "/v1/chat/completions", "m")


def test_loopback_is_this_machine() -> None:
    """By name and by address."""
    assert is_loopback("127.0.0.1")
    assert is_loopback("localhost")
    assert not is_loopback("example.org")


def test_an_azure_call_needs_its_version_named() -> None:
    """It is in the query of its address, which is not recorded; its newer API has none."""
    azure = "https://x.openai.azure.com/openai/deployments/gpt-4o/chat/completions"
    with pytest.raises(ProbeError, match="api-version") as caught:
        address_of(Target(), "openai.chat", azure, "gpt-4o")
    named = address_of(Target(f"{azure}?api-version=2024-10-21"), "openai.chat", azure, "gpt-4o")

    assert azure in str(caught.value.hint)
    assert (named.own, named.url) == (True, f"{azure}?api-version=2024-10-21")
    newer = "https://x.openai.azure.com/openai/v1/chat/completions"
    assert address_of(Target(), "openai.chat", newer, "gpt-4o").url == newer


@pytest.mark.parametrize(
    ("endpoint", "api", "wanted"),
    [
        (f"{BEDROCK}{PROFILE}/converse-stream", "bedrock.converse", f"{BEDROCK}{PROFILE}/converse"),
        (f"{BEDROCK}/model/a.b/invoke-with-response-stream", "anthropic.messages", f"{BEDROCK}/model/a.b/invoke"),
        (
            "https://x.test/v1/publishers/anthropic/models/c:streamRawPredict",
            "anthropic.messages",
            "https://x.test/v1/publishers/anthropic/models/c:rawPredict",
        ),
        ("https://api.cohere.com/v2/chat", "cohere.chat", "https://api.cohere.com/v2/chat"),
    ],
)
def test_a_whole_answer_has_an_address_of_its_own(endpoint: str, api: str, wanted: str) -> None:
    """Where streams have another; the model in it stays as it was written."""
    assert address_of(Target(), api, endpoint, "m").url == wanted


def test_a_model_in_an_address_is_replaced_there() -> None:
    """At the call's own server and at a named one; its colon is encoded, as AWS's clients do."""
    call = f"{BEDROCK}{PROFILE}/converse"
    wanted = "/model/amazon.nova-pro-v1%3A0/converse"

    assert address_of(Target(model="amazon.nova-pro-v1:0"), "bedrock.converse", call, "m").url == BEDROCK + wanted
    named = Target(endpoint="http://127.0.0.1:9", api="bedrock.converse", model="amazon.nova-pro-v1:0")
    assert address_of(named, "openai.chat", OPENAI, "gpt").url == "http://127.0.0.1:9" + wanted


def test_another_region_is_asked_for_the_same_model() -> None:
    """An ARN is in the recorded address only; so is which way the call went."""
    for path, api in ((f"{PROFILE}/converse", "bedrock.converse"), ("/model/a.b/invoke", "anthropic.messages")):
        other = "https://bedrock-runtime.us-east-1.amazonaws.com"

        assert address_of(Target(endpoint=other), api, BEDROCK + path, "claude-x").url == other + path


@pytest.mark.parametrize(
    ("endpoint", "model", "wanted", "path"),
    [
        ("https://api.anthropic.com", "claude", "anthropic.messages", "/v1/messages"),
        ("https://api.cohere.com/", "command-a", "cohere.chat", "/v2/chat"),
        (
            "https://generativelanguage.googleapis.com",
            "g",
            "gemini.generate_content",
            "/v1beta/models/g:generateContent",
        ),
        (BEDROCK, "amazon.nova-pro-v1:0", "bedrock.converse", "/model/amazon.nova-pro-v1%3A0/converse"),
        ("http://127.0.0.1:8080", "qwen", "openai.chat", "/v1/chat/completions"),
    ],
)
def test_a_provider_is_known_by_its_host(endpoint: str, model: str, wanted: str, path: str) -> None:
    """It speaks its own dialect, whatever the call spoke; any other server the call's."""
    address = address_of(Target(endpoint, None, model), "openai.chat", OPENAI, "gpt")

    assert (address.api, address.url) == (wanted, endpoint.rstrip("/") + path)


def test_claude_on_bedrock_is_asked_in_its_makers_dialect() -> None:
    """So that nothing of an Anthropic request is lost; a model of somebody else is asked by Converse."""
    native = "https://api.anthropic.com/v1/messages"
    claude = address_of(Target(BEDROCK, None, "anthropic.claude-x"), "anthropic.messages", native, "claude-x")
    other = address_of(Target(BEDROCK, None, "amazon.nova"), "anthropic.messages", native, "claude-x")

    assert (claude.api, claude.url) == ("anthropic.messages", f"{BEDROCK}/model/anthropic.claude-x/invoke")
    assert (other.api, other.url) == ("bedrock.converse", f"{BEDROCK}/model/amazon.nova/converse")


def test_a_server_that_wants_the_model_in_its_address_must_be_told() -> None:
    """A call without one does not make an address with a hole."""
    with pytest.raises(ProbeError, match="model"):
        address_of(Target(BEDROCK), "openai.chat", OPENAI, None)
