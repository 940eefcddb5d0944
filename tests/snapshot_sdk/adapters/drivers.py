"""The clients: how each is made, and how it sends one request and reads the answer."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from snapshot_sdk import Recorder


def _sibling(name: str) -> Any:
    """Another file of this folder; the tests are no package."""
    spec = importlib.util.spec_from_file_location(f"adapters_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


contents = _sibling("contents")

KEY = "sk-0123456789abcdef0123456789"


class Driver(NamedTuple):
    """One client."""

    package: str
    api: str
    contents: dict[str, dict[str, Any]]
    send: Callable[[Recorder, str, dict[str, Any], bool], Any]
    """Sends one request to a server, with or without streaming, and reads the answer."""
    model_in_address: bool = False
    streams: bool = True


def _use(value: Any) -> None:
    if isinstance(value, Iterator) or hasattr(value, "__iter__"):
        for _ in value:
            pass


async def _use_async(value: Any) -> None:
    async for _ in value:
        pass


def _sync(client: Any, call: Callable[[Any], Callable[..., Any]]) -> Callable[..., None]:
    """A client with ``call(client)(stream=…, **content)``."""

    def send(recorder: Recorder, url: str, content: dict[str, Any], stream: bool) -> None:
        with recorder.attach(client(url)) as one:
            answer = call(one)(**content, **({"stream": True} if stream else {}))
            if stream:
                _use(answer)

    return send


def _async(client: Any, call: Callable[[Any], Callable[..., Any]]) -> Callable[..., None]:
    def send(recorder: Recorder, url: str, content: dict[str, Any], stream: bool) -> None:
        async def run() -> None:
            async with recorder.attach(client(url)) as one:
                answer = await call(one)(**content, **({"stream": True} if stream else {}))
                if stream:
                    await _use_async(answer)

        asyncio.run(run())

    return send


def _new(path: str, prefix: str = "/v1", **given: Any) -> Callable[[str], Any]:
    module, _, name = path.rpartition(".")

    def make(url: str) -> Any:
        return getattr(importlib.import_module(module), name)(**{"api_key": KEY, "base_url": url + prefix} | given)

    return make


def _with(model: str, function: Callable[..., Any], **given: Any) -> Callable[..., Any]:
    return lambda **content: function(model=model, **given, **content)


def _compacting(client: Any) -> Callable[..., Any]:
    """The endpoint takes no tools."""
    return lambda tools=None, **content: client.responses.compact(model="gpt-5", **content)


def _ollama(name: str) -> Callable[[str], Any]:
    return lambda url: getattr(importlib.import_module("ollama"), name)(host=url)


def _azure(name: str) -> Callable[[str], Any]:
    def make(url: str) -> Any:
        import openai

        return getattr(openai, name)(api_key=KEY, azure_endpoint=url, api_version="2024-10-21")

    return make


def _bedrock(name: str) -> Callable[[str], Any]:
    return _new(f"anthropic.{name}", "", api_key=None, aws_access_key="a", aws_secret_key="b", aws_region="us-east-1")


def _vertex(name: str) -> Callable[[str], Any]:
    def make(url: str) -> Any:
        import anthropic

        return getattr(anthropic, name)(base_url=url, region="us-east5", project_id="p", access_token="t")

    return make


def _mistral(recorder: Recorder, url: str, content: dict[str, Any], stream: bool) -> None:
    from mistralai.client import Mistral

    with recorder.attach(Mistral(api_key=KEY, server_url=url)) as client:
        method = client.chat.stream if stream else client.chat.complete
        answer: Any = method(model="mistral-x", **content)
        if stream:
            with answer as events:
                _use(events)


def _mistral_async(recorder: Recorder, url: str, content: dict[str, Any], stream: bool) -> None:
    from mistralai.client import Mistral

    async def run() -> None:
        async with recorder.attach(Mistral(api_key=KEY, server_url=url)) as client:
            method = client.chat.stream_async if stream else client.chat.complete_async
            answer: Any = await method(model="mistral-x", **content)
            if stream:
                async with answer as events:
                    await _use_async(events)

    asyncio.run(run())


def _genai(url: str) -> Any:
    from google import genai

    return genai.Client(api_key=KEY, http_options={"base_url": url})


def _gemini(recorder: Recorder, url: str, content: dict[str, Any], stream: bool) -> None:
    client = recorder.attach(_genai(url))
    models = client.models
    method = models.generate_content_stream if stream else models.generate_content
    answer = method(model="gemini-x", **content)
    if stream:
        _use(answer)


def _gemini_async(recorder: Recorder, url: str, content: dict[str, Any], stream: bool) -> None:
    async def run() -> None:
        client = recorder.attach(_genai(url))
        models = client.aio.models
        method = models.generate_content_stream if stream else models.generate_content
        answer = await method(model="gemini-x", **content)
        if stream:
            await _use_async(answer)
        await client.aio.aclose()

    asyncio.run(run())


def _langchain(module: str, name: str, address: str, **given: Any) -> tuple[Callable[..., None], Callable[..., None]]:
    def make(url: str) -> Any:
        return getattr(importlib.import_module(module), name)(api_key=KEY, max_retries=0, **{address: url}, **given)

    def messages(content: dict[str, Any]) -> list[Any]:
        return [(one["role"], one["content"]) for one in content["messages"] if isinstance(one["content"], str)]

    def send(recorder: Recorder, url: str, content: dict[str, Any], stream: bool) -> None:
        model = recorder.attach(make(url))
        if stream:
            _use(model.stream(messages(content)))
        else:
            model.invoke(messages(content))

    def send_async(recorder: Recorder, url: str, content: dict[str, Any], stream: bool) -> None:
        async def run() -> None:
            model = recorder.attach(make(url))
            if stream:
                await _use_async(model.astream(messages(content)))
            else:
                await model.ainvoke(messages(content))

        asyncio.run(run())

    return send, send_async


def _posting(library: str) -> Callable[..., None]:
    """A bare HTTP client."""

    def send(recorder: Recorder, url: str, content: dict[str, Any], stream: bool) -> None:
        body = {"model": "m", **content, "stream": stream}
        with recorder.attach(
            getattr(importlib.import_module(library), "Session" if library == "requests" else "Client")()
        ) as client:
            if library == "requests":
                with client.post(f"{url}/v1/chat/completions", json=body, stream=stream) as answer:
                    _use(answer.iter_lines()) if stream else answer.json()
            elif stream:
                with client.stream("POST", f"{url}/v1/chat/completions", json=body) as answer:
                    _use(answer.iter_lines())
            else:
                client.post(f"{url}/v1/chat/completions", json=body)

    return send


def _posting_async(library: str) -> Callable[..., None]:
    def send(recorder: Recorder, url: str, content: dict[str, Any], stream: bool) -> None:
        body = {"model": "m", **content, "stream": stream}

        async def run() -> None:
            module = importlib.import_module(library)
            name = "ClientSession" if library == "aiohttp" else "AsyncClient"
            async with recorder.attach(getattr(module, name)()) as client:
                if library == "aiohttp":
                    async with client.post(f"{url}/v1/chat/completions", json=body) as answer:
                        if stream:
                            await _use_async(answer.content)
                        else:
                            await answer.json()
                elif stream:
                    async with client.stream("POST", f"{url}/v1/chat/completions", json=body) as answer:
                        await _use_async(answer.aiter_lines())
                else:
                    await client.post(f"{url}/v1/chat/completions", json=body)

        asyncio.run(run())

    return send


def _litellm(model: str, prefix: str) -> tuple[Callable[..., None], Callable[..., None]]:
    def send(recorder: Recorder, url: str, content: dict[str, Any], stream: bool) -> None:
        import litellm

        recorder.attach(litellm)
        answer = litellm.completion(model=model, api_key=KEY, api_base=url + prefix, stream=stream, **content)
        if stream:
            _use(answer)

    def send_async(recorder: Recorder, url: str, content: dict[str, Any], stream: bool) -> None:
        import litellm

        async def run() -> None:
            recorder.attach(litellm)
            answer = await litellm.acompletion(
                model=model, api_key=KEY, api_base=url + prefix, stream=stream, **content
            )
            if stream:
                await _use_async(answer)

        asyncio.run(run())

    return send, send_async


_OPENAI = [("OpenAI", _sync), ("AsyncOpenAI", _async)]
_ANTHROPIC = [("Anthropic", _sync), ("AsyncAnthropic", _async)]
_LC_OPENAI = _langchain("langchain_openai", "ChatOpenAI", "base_url", model="gpt-4.1")
_LC_ANTHROPIC = _langchain("langchain_anthropic", "ChatAnthropic", "base_url", model="claude-x", max_tokens=9)
_LL_OPENAI = _litellm("openai/gpt-4.1", "/v1")
_LL_ANTHROPIC = _litellm("anthropic/claude-x", "")

DRIVERS: dict[str, Driver] = {
    **{
        f"openai.{name}": Driver(
            "openai",
            "openai.chat",
            contents.OPENAI,
            how(_new(f"openai.{name}"), lambda c: _with("gpt-4.1", c.chat.completions.create)),
        )
        for name, how in _OPENAI
    },
    **{
        f"openai.{name} responses": Driver(
            "openai",
            "openai.responses",
            contents.RESPONSES,
            how(_new(f"openai.{name}"), lambda c: _with("gpt-5", c.responses.create)),
        )
        for name, how in _OPENAI
    },
    **{
        f"openai.{name} compact": Driver(
            "openai",
            "openai.responses",
            contents.RESPONSES,
            how(_new(f"openai.{name}"), _compacting),
            streams=False,
        )
        for name, how in _OPENAI
    },
    **{
        f"ollama.{name}": Driver(
            "ollama",
            "ollama.chat",
            contents.OLLAMA,
            how(_ollama(name), lambda c: _with("qwen-x", c.chat)),
        )
        for name, how in [("Client", _sync), ("AsyncClient", _async)]
    },
    **{
        f"openai.{name}": Driver(
            "openai",
            "openai.chat",
            contents.CHAT,
            how(_azure(name), lambda c: _with("my-deployment", c.chat.completions.create)),
        )
        for name, how in [("AzureOpenAI", _sync), ("AsyncAzureOpenAI", _async)]
    },
    **{
        f"anthropic.{name}": Driver(
            "anthropic",
            "anthropic.messages",
            contents.MESSAGES,
            how(_new(f"anthropic.{name}", ""), lambda c: _with("claude-x", c.messages.create, max_tokens=2048)),
        )
        for name, how in _ANTHROPIC
    },
    **{
        f"anthropic.{name}": Driver(
            "anthropic",
            "anthropic.messages",
            contents.MESSAGES,
            how(_bedrock(name), lambda c: _with("anthropic.claude-x", c.messages.create, max_tokens=2048)),
            model_in_address=True,
        )
        for name, how in [("AnthropicBedrock", _sync), ("AsyncAnthropicBedrock", _async)]
    },
    **{
        f"anthropic.{name}": Driver(
            "anthropic",
            "anthropic.messages",
            contents.MESSAGES,
            how(_vertex(name), lambda c: _with("claude-x", c.messages.create, max_tokens=2048)),
            model_in_address=True,
        )
        for name, how in [("AnthropicVertex", _sync), ("AsyncAnthropicVertex", _async)]
    },
    **{
        f"groq.{name}": Driver(
            "groq",
            "openai.chat",
            contents.CHAT,
            how(_new(f"groq.{name}", ""), lambda c: _with("llama-x", c.chat.completions.create)),
        )
        for name, how in [("Groq", _sync), ("AsyncGroq", _async)]
    },
    "mistralai.Mistral": Driver("mistralai", "openai.chat", contents.CHAT, _mistral),
    "mistralai.Mistral async": Driver("mistralai", "openai.chat", contents.CHAT, _mistral_async),
    "genai.Client": Driver("google.genai", "gemini.generate_content", contents.GEMINI, _gemini, True),
    "genai.Client async": Driver("google.genai", "gemini.generate_content", contents.GEMINI, _gemini_async, True),
    "ChatOpenAI": Driver("langchain_openai", "openai.chat", contents.PLAIN, _LC_OPENAI[0]),
    "ChatOpenAI async": Driver("langchain_openai", "openai.chat", contents.PLAIN, _LC_OPENAI[1]),
    "ChatAnthropic": Driver("langchain_anthropic", "anthropic.messages", contents.PLAIN, _LC_ANTHROPIC[0]),
    "ChatAnthropic async": Driver("langchain_anthropic", "anthropic.messages", contents.PLAIN, _LC_ANTHROPIC[1]),
    "litellm openai": Driver("litellm", "openai.chat", contents.CHAT, _LL_OPENAI[0]),
    "litellm openai async": Driver("litellm", "openai.chat", contents.CHAT, _LL_OPENAI[1]),
    "litellm anthropic": Driver("litellm", "anthropic.messages", contents.CHAT, _LL_ANTHROPIC[0]),
    "litellm anthropic async": Driver("litellm", "anthropic.messages", contents.CHAT, _LL_ANTHROPIC[1]),
    **{
        library: Driver(library, "openai.chat", contents.CHAT, _posting(library))
        for library in ("httpx", "httpx2", "requests")
    },
    **{
        f"{library} async": Driver(library, "openai.chat", contents.CHAT, _posting_async(library))
        for library in ("httpx", "httpx2", "aiohttp")
    },
}
