"""A Gemini model that answers from a script, and bills like the real one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sample_data.provider import Answer, PromptCache, count
from sample_data.wire import Message, Wanted
from sample_data.wire_gemini import GeminiGenerateContent
from sample_data.world import World

_ENGLISH, _CHINESE, _JSON = 1.06, 0.97, 1.14  # tokens of Gemini's vocabulary per token of o200k_base
_OPENING_TOKENS: Final = 1  # beside the texts of a prompt
_FRAME_TOKENS: Final = 7  # around name and values of a call or a result: 26 for get_country() and its Mexico
_DECLARATION_TOKENS: Final = 13  # around one function: 16 for get_country, which has no parameters
_SCHEMA_TOKENS: Final = 4  # around all parameters, and
_PARAMETER_TOKENS: Final = 4  # around each, which is named again as required: 54 for get_current_weather(location)
_CACHE_FROM: Final = 1024  # shortest prefix that 2.5 Flash reads from its implicit cache
_CACHE_SECONDS: Final = 300
_CJK: Final = re.compile(r"[\u4e00-\u9fff]")


class GeminiModel:
    """Answers as ``POST /v1beta/models/{model}:generateContent`` does, its thinking turned off."""

    def __init__(self, name: str, world: World) -> None:
        self.name = name
        self._world = world
        self._cache = PromptCache(world, _CACHE_SECONDS)

    def answer(
        self, request: Mapping[str, Any], say: str | None, uses: Sequence[tuple[str, Mapping[str, Any]]]
    ) -> Answer:
        """Answer a request with what the script says; time passes meanwhile."""
        wanted = tuple(Wanted("", tool, arguments) for tool, arguments in uses)
        message = GeminiGenerateContent(self.name).assistant(say, wanted)
        # Instructions and tools come first in the cached prefix, then the contents.
        front = [*request["systemInstruction"]["parts"], *request.get("tools", ())]
        pieces = [json.dumps(piece) for piece in (*front, *request["contents"])]
        costs = [_part_tokens(part) for part in front] + [_content_tokens(one) for one in request["contents"]]
        known, _ = self._cache.common(pieces)
        cached = sum(costs[:known])
        prompt, output = sum(costs) + _OPENING_TOKENS, _content_tokens(message)
        usage: dict[str, Any] = {
            "promptTokenCount": prompt,
            "candidatesTokenCount": output,
            "totalTokenCount": prompt + output,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": prompt}],
        }
        if cached >= _CACHE_FROM:  # the member is absent where nothing was read from the cache
            usage["cachedContentTokenCount"] = cached
            usage["cacheTokensDetails"] = [{"modality": "TEXT", "tokenCount": cached}]
        seconds = 0.4 + prompt / 40_000 + output / 160 + self._world.random.uniform(-0.05, 0.25)
        self._world.sleep(seconds)
        body = {
            "candidates": [{"content": message, "finishReason": "STOP", "index": 0}],
            "usageMetadata": usage,
            "modelVersion": self.name,
            "responseId": self._world.provider_id("", 22),
        }
        return Answer(message, body, wanted, round(seconds * 1_000, 1))


def _content_tokens(content: Message) -> int:
    return sum(_part_tokens(part) for part in content["parts"])


def _part_tokens(part: Mapping[str, Any]) -> int:
    if "text" in part:
        text = part["text"]
        return round(count(text) * (_CHINESE if _CJK.search(text) else _ENGLISH))
    if "functionDeclarations" in part:
        return sum(_declared(function) for function in part["functionDeclarations"])
    (said,) = part.values()
    values = json.dumps(said.get("args", said.get("response")), ensure_ascii=False)
    return _FRAME_TOKENS + round(count(said["name"] + values) * _JSON)


def _declared(function: Mapping[str, Any]) -> int:
    parameters = function["parameters"]["properties"]
    lines = [function["name"], function["description"]]
    lines += [f"{name}: {at['type']}, {at['description']}\n{name}" for name, at in parameters.items()]
    text = "\n".join(lines)
    frames = _DECLARATION_TOKENS + (_SCHEMA_TOKENS if parameters else 0) + _PARAMETER_TOKENS * len(parameters)
    return frames + round(count(text) * (_CHINESE if _CJK.search(text) else _ENGLISH))
