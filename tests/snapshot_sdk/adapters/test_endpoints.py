"""Which addresses are model calls."""

from __future__ import annotations

import pytest

from snapshot_sdk.adapters._endpoints import Endpoints

OPEN = Endpoints(any_host=True)


@pytest.mark.parametrize(
    ("path", "api", "model", "purpose"),
    [
        ("/v1/chat/completions", "openai.chat", None, None),
        ("/openai/deployments/d/chat/completions?api-version=1", "openai.chat", None, None),
        ("/v1/agents/completions", "openai.chat", None, None),
        ("/v1/completions", "openai.completions", None, None),
        ("/v1/fim/completions", "openai.completions", None, None),
        ("/v1/responses", "openai.responses", None, None),
        ("/v1/responses/compact", "openai.responses", None, "compaction"),
        ("/v1/complete", "anthropic.complete", None, None),
        ("/anthropic/v1/messages/", "anthropic.messages", None, None),
        (
            "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
            "gemini.generate_content",
            "gemini-2.5-pro",
            None,
        ),
        ("/v1/projects/p/locations/l/publishers/google/models/g:generateContent", "gemini.generate_content", "g", None),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/c@1:rawPredict", "anthropic.messages", "c@1", None),
        ("/model/us.anthropic.claude-x-v1%3A0/invoke", "anthropic.messages", "us.anthropic.claude-x-v1:0", None),
        ("/model/meta.llama/invoke-with-response-stream", None, "meta.llama", None),
        ("/model/meta.llama/converse-stream", "bedrock.converse", "meta.llama", None),
        ("/v2/chat", "cohere.chat", None, None),
        ("/api/chat", "ollama.chat", None, None),
        ("/v1beta/cachedContents", "gemini.generate_content", None, "cache"),
    ],
)
def test_calls(path: str, api: str | None, model: str | None, purpose: str | None) -> None:
    """The last part of the path tells the dialect, and the model where the body does not."""
    assert OPEN.find("POST", f"https://host{path}") == (api, model, purpose)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/embeddings",
        "/v1/messages/count_tokens",
        "/v1/messages/batches",
        "/v1/threads/t/messages",
        "/v1/responses/r/cancel",
        "/v1/responses/input_tokens",
        "/v1beta/models/g:countTokens",
        "/v1beta/cachedContents/c",
        "/v2/embed",
        "/model/amazon.titan-embed-text-v2%3A0/invoke",
        "/model/us.cohere.rerank-v3-5%3A0/invoke",
        "/v1/files",
        "/v1/audio/transcriptions",
        "/v1/images/generations",
        "/api/embed",
        "/",
        "",
    ],
)
def test_no_calls(path: str) -> None:
    """Anything else is none."""
    assert OPEN.find("POST", f"https://host{path}") is None


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("api.openai.com", True),
        ("my.openai.azure.com", True),
        ("bedrock-runtime.eu-west-1.amazonaws.com", True),
        ("us-east5-aiplatform.googleapis.com", True),
        ("aiplatform.googleapis.com", True),
        ("dashscope.aliyuncs.com", True),
        ("API.Groq.com", True),
        ("api.openai.com.evil.org", False),
        ("notapi.openai.com", False),
        ("localhost", False),
    ],
)
def test_known_hosts(host: str, known: bool) -> None:
    """Without a word only the providers' own hosts are recorded."""
    found = Endpoints(any_host=False).find("POST", f"https://{host}/v1/chat/completions")
    assert (found is not None) == known


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("http://127.0.0.1:8000/v1/chat/completions", True),
        ("http://127.0.0.1:8000/v1", True),
        ("http://127.0.0.1:8000/v1/embeddings", False),
        ("http://127.0.0.1:8001/v1/chat/completions", False),
        ("https://127.0.0.1:8000/v1/chat/completions", False),
        ("http://127.0.0.1:8000/v10/chat/completions", False),
    ],
)
def test_named(url: str, found: bool) -> None:
    """Scheme, host, port and the beginning of the path have to be those that were named."""
    named = Endpoints("http://127.0.0.1:8000/v1/", any_host=False)
    assert (named.find("POST", url) is not None) == found
