"""The code of README and docs/capture.md, run as a new user would run it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from snapshot_sdk import read_requests

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text("utf-8")
CAPTURE = (ROOT / "docs" / "capture.md").read_text("utf-8")

CHAT_PATH = "/v1/chat/completions"
MESSAGES = 'messages=[{"role": "user", "content": "hi"}]'
CHAT = f'client.chat.completions.create(model="gpt-4.1", {MESSAGES})'
CLAUDE = f'client.messages.create(model="claude-x", max_tokens=9, {MESSAGES})'
POSTED = f'json={{"model": "m", {MESSAGES.replace("messages=", chr(34) + "messages" + chr(34) + ": ")}}}'

QUESTIONS = {
    "OpenAI": f"print({CHAT}.choices[0].message.content)",
    "AsyncOpenAI": f"print(asyncio.run({CHAT}).choices[0].message.content)",
    "AzureOpenAI": f"print({CHAT}.choices[0].message.content)",
    "AsyncAzureOpenAI": f"print(asyncio.run({CHAT}).choices[0].message.content)",
    "Anthropic": f"print({CLAUDE}.content[0].text)",
    "AsyncAnthropic": f"print(asyncio.run({CLAUDE}).content[0].text)",
    "AnthropicBedrock": f"print({CLAUDE}.content[0].text)",
    "AnthropicVertex": f"print({CLAUDE}.content[0].text)",
    "genai.Client": 'print(client.models.generate_content(model="gemini-x", contents="hi").text)',
    "Mistral": f"print(client.chat.complete(model='m', {MESSAGES}).choices[0].message.content)",
    "Groq": f"print({CHAT}.choices[0].message.content)",
    "AsyncGroq": f"print(asyncio.run({CHAT}).choices[0].message.content)",
    "Client": f"print(client.chat(model='m', {MESSAGES}).message.content)",
    "AsyncClient": f"print(asyncio.run(client.chat(model='m', {MESSAGES})).message.content)",
    "litellm": f'print(client.completion(model="openai/gpt-4.1", {MESSAGES}).choices[0].message.content)',
    "ChatOpenAI": 'print(client.invoke("hi").content)',
    "ChatAnthropic": 'print(client.invoke("hi").content)',
    "boto3.client": (
        'print(client.converse(modelId="amazon.nova-pro-v1:0", messages=[{"role": "user", "content": '
        '[{"text": "hi"}]}])["output"]["message"]["content"][0]["text"])'
    ),
    "httpx.Client": f'print(client.post(URL, {POSTED}).json()["choices"][0]["message"]["content"])',
    "httpx2.AsyncClient": f'print(asyncio.run(client.post(URL, {POSTED})).json()["choices"][0]["message"]["content"])',
    "requests.Session": f'print(client.post(URL, {POSTED}).json()["choices"][0]["message"]["content"])',
}
"""What a user asks each client, by its class."""


def _blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def _rows() -> list[tuple[str, str]]:
    """Import and expression of each client in the table of docs/capture.md."""
    return re.findall(r"^\|[^|]*\| `([^`]*import[^`]*)` \| `([^`]+)` \|$", CAPTURE, re.MULTILINE)


def _name(expression: str) -> str:
    return expression.partition("(")[0]


def _environment(url: str) -> dict[str, str]:
    """What a user sets to reach another server with each client, and the keys."""
    addresses = {
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_API_BASE": f"{url}/v1",
        "AZURE_OPENAI_ENDPOINT": url,
        "OPENAI_API_VERSION": "2024-10-21",
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_URL": url,
        "ANTHROPIC_BEDROCK_BASE_URL": url,
        "ANTHROPIC_VERTEX_BASE_URL": url,
        "ANTHROPIC_VERTEX_PROJECT_ID": "p",
        "CLOUD_ML_REGION": "us-east5",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GROQ_BASE_URL": url,
        "OLLAMA_HOST": url,
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": url,
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # it fetches its prices otherwise
    }
    keys = ("OPENAI", "AZURE_OPENAI", "ANTHROPIC", "GEMINI", "GROQ")
    inherited = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return {**inherited, **addresses, **{f"{name}_API_KEY": "k" for name in keys}, "PYTHONPATH": str(ROOT)}


def _answers(loopback: Any) -> Callable[[Any], Any]:
    """Answers ``hi`` as each endpoint does."""
    said = {"role": "assistant", "content": "hi"}
    answers = {
        "/messages": loopback.MESSAGE,
        "/invoke": loopback.MESSAGE,
        ":rawPredict": loopback.MESSAGE,
        ":generateContent": loopback.GEMINI,
        "/converse": {"output": {"message": {**said, "content": [{"text": "hi"}]}}, "stopReason": "end_turn"},
        "/api/chat": {"model": "m", "message": said, "done": True, "prompt_eval_count": 11, "eval_count": 3},
        "/completions": loopback.CHAT,
    }

    def choose(received: Any) -> Any:
        path = received.path.partition("?")[0]
        return loopback.Reply(next(body for end, body in answers.items() if path.endswith(end)))

    return choose


def _run(program: str, url: str, directory: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        cwd=directory, env=_environment(url), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def _check(done: subprocess.CompletedProcess[str], server: Any, directory: Path) -> None:
    assert (done.returncode, done.stdout) == (0, "hi\n"), done.stderr
    (path,) = (directory / "snapshots").rglob("*.jsonl")
    (found,) = read_requests(path)
    assert [found.request.body_bytes()] == server.bodies()
    assert found.record["exact"] == "bytes"
    assert path.parent.name.startswith("order-4711-")


def test_the_table_has_every_client() -> None:
    """Each client that is asked here stands in the table, and the other way round."""
    assert sorted(_name(expression) for _, expression in _rows()) == sorted(QUESTIONS)


@pytest.mark.parametrize(("line", "expression"), _rows(), ids=lambda value: _name(value))
def test_one_line(line: str, expression: str, server: Any, loopback: Any, tmp_path: Path) -> None:
    """README's block with the import and the client of each row prints what it would print, and leaves its request."""
    package = "google.genai" if "genai" in line else line.split()[1]
    pytest.importorskip(package, reason=f"the client package {package} is not installed")
    if expression.startswith("AnthropicBedrock"):
        pytest.importorskip("boto3", reason="AnthropicBedrock signs with boto3, which is not installed")
    if expression.startswith("AnthropicVertex"):
        pytest.importorskip("google.auth", reason="AnthropicVertex needs google-auth, which is not installed")
    block = _blocks(README)[0]
    assert "recorder.attach(OpenAI())" in block
    given = expression.replace("…", "k").replace("Mistral(", f'Mistral(server_url="{server.url}", ')
    program = re.sub(r"^from openai import OpenAI.*$", line, block, flags=re.MULTILINE)
    program = program.replace("attach(OpenAI())", f"attach({given})")
    server.choose = _answers(loopback)
    start = f"import asyncio\nURL = '{server.url}{CHAT_PATH}'\n"

    _check(_run(f"{start}{program}{QUESTIONS[_name(expression)]}\n", server.url, tmp_path), server, tmp_path)


def test_the_block_of_the_guide(server: Any, tmp_path: Path) -> None:
    """The first lines of docs/capture.md do the same."""
    pytest.importorskip("openai", reason="the client package openai is not installed")
    program = f"from openai import OpenAI\n{_blocks(CAPTURE)[0]}{QUESTIONS['OpenAI']}\n"

    _check(_run(program, server.url, tmp_path), server, tmp_path)


@pytest.mark.parametrize("number", range(len(_blocks(CAPTURE))))
def test_blocks_are_python(number: int) -> None:
    """Every block of the guide compiles."""
    compile(_blocks(CAPTURE)[number], "docs/capture.md", "exec")


def _block_with(word: str) -> str:
    (block,) = (block for block in _blocks(CAPTURE) if word in block)
    return block


def test_by_hand(server: Any, tmp_path: Path) -> None:
    """The function of the guide records what it sends and what comes back, with nothing but Python."""
    request = '{"model": "gpt-4.1", "messages": [{"role": "user", "content": "hi 你好"}]}'
    call = f"ask({server.url + CHAT_PATH!r}, {request}, {{'content-type': 'application/json'}})"
    program = _block_with("urllib.request") + f"print({call}['choices'][0]['message']['content'])\n"

    _check(_run(program, server.url, tmp_path), server, tmp_path)


def test_by_hand_refused(
    server: Any, loopback: Any, tmp_path: Path, records: Callable[..., list[dict[str, Any]]]
) -> None:
    """A refused call is on disk with its status, and the error gets through."""
    server.replies = [loopback.Reply({}, status=429)]
    program = _block_with("urllib.request") + f"ask({server.url + CHAT_PATH!r}, {{}}, {{}})\n"

    assert "HTTPError" in _run(program, server.url, tmp_path).stderr
    assert (records("response")[0]["status"], records("response")[0]["complete"]) == (429, False)


def test_opentelemetry(tmp_path: Path, records: Callable[..., list[dict[str, Any]]]) -> None:
    """The provider of the guide records the model calls among its spans."""
    pytest.importorskip("opentelemetry.sdk.trace", reason="the package opentelemetry-sdk is not installed")
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": '[{"role": "user", "parts": [{"type": "text", "content": "hi"}]}]',
    }
    call = f"with provider.get_tracer('agent').start_as_current_span('chat', attributes={attributes!r}): pass\n"
    done = _run(_block_with("SnapshotSpanProcessor") + call, "", tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert records("snapshot")[0]["exact"] == "values"
