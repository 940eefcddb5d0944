"""Addresses name paths and models."""

from __future__ import annotations

import pytest

from inspector.model.dialects.endpoints import model_in_endpoint, path_of


@pytest.mark.parametrize(
    ("endpoint", "model"),
    [
        (
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent",
            "gemini-2.5-flash",
        ),
        (
            "/v1/projects/p/locations/l/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse",
            "gemini-3-pro",
        ),
        ("/model/us.amazon.nova-lite-v1%3A0/converse", "us.amazon.nova-lite-v1:0"),
        ("/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.x.y/converse-stream", "us.x.y"),
        ("https://x.openai.azure.com/openai/deployments/gpt-4o/chat/completions", "gpt-4o"),
        ("https://api.openai.com/v1/chat/completions", None),
        ("", None),
        (None, None),
    ],
)
def test_model_in_endpoint(endpoint: str | None, model: str | None) -> None:
    """Gemini, Bedrock and Azure name the model in the address."""
    assert model_in_endpoint(endpoint) == model


@pytest.mark.parametrize(
    ("endpoint", "path"), [("/a/b?x=1", "/a/b"), ("/a/b/#stream", "/a/b"), ("/a", "/a"), (None, "")]
)
def test_path_of(endpoint: str | None, path: str) -> None:
    """Query, fragment and closing slash are no part of the path."""
    assert path_of(endpoint) == path
