"""A run of a model in LangSmith as a call: its prompt, what is known besides, and its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.importers.base import ImportedAnswer, ImportedCall
from inspector.importers.exchanges.exchange import CLIENT_OPTIONS, error_text
from inspector.importers.reading.moments import milliseconds, moment
from inspector.importers.reading.values import objects
from inspector.importers.traces.langchain_messages import fields_of
from inspector.importers.traces.langsmith_runs import metadata_of
from inspector.importers.traces.traced_answers import api_of_answer, read_answer
from inspector.importers.traces.traced_prompts import Noted, read_prompt
from inspector.importers.traces.traced_usage import usage_of_langchain
from inspector.importers.traces.traced_values import mapping_in, structure
from inspector.model.dialects import find_dialect
from inspector.model.request import Usage

_MODELS: Final = ("model", "model_name", "model_id")
_NO_PARAMETERS: Final = CLIENT_OPTIONS | {
    *_MODELS,
    "_type",
    "tools",
    "messages",
    "input",
    "ls_structured_output_format",
}
"""What LangChain keeps among the parameters of a run and does not send under that name."""

_STATUS: Final = re.compile(r"[Ee]rror code: (\d{3})\b")
"""How the clients of OpenAI and Anthropic word the status of a failed request."""

_TRACEBACK: Final = "Traceback (most recent call last)"
_PREFIX: Final = "ls_"


def call_of(run: Mapping[str, Any]) -> ImportedCall | None:
    """Read a run of a model; None where it holds no prompt.

    Args:
        run: The run, put together.
    """
    outputs = structure(run.get("outputs"))
    noted = _noted(run, outputs)
    prompt = read_prompt(run.get("inputs"), noted)
    if prompt is None:
        return None
    api = prompt.api or find_dialect(None, prompt.body).name
    start, end = moment(run.get("start_time")), moment(run.get("end_time"))
    error = _error(run.get("error"))
    streamed = None if outputs else _streamed(run.get("events"))
    if error is None and streamed is not None and end is None:
        error = "broken off: the run has no end"
    body = read_answer(outputs or streamed, api, _usage(run, outputs))
    status = _STATUS.search(error) if error is not None else None
    return ImportedCall(
        request=prompt.body,
        exact="imported" if prompt.whole else "rebuilt",
        missing=prompt.missing,
        api=api,
        time=start,
        answer=ImportedAnswer(
            body,
            time=end,
            duration_ms=milliseconds(start, end),
            status=int(status[1]) if status else None,
            error=error,
        )
        if body is not None or error is not None
        else None,
    )


def _noted(run: Mapping[str, Any], outputs: Any) -> Noted:
    extra, metadata = mapping_in(run.get("extra")), metadata_of(run)
    sent = mapping_in(extra.get("invocation_params")) or mapping_in(metadata.get("invocation_params"))
    models = (*(sent.get(name) for name in _MODELS), metadata.get("ls_model_name"))
    providers = (metadata.get("ls_provider"), sent.get("_type"))
    if sent:
        parameters = {key: one for key, one in sent.items() if key not in _NO_PARAMETERS and one is not None}
    else:
        parameters = {
            key.removeprefix(_PREFIX): metadata[key]
            for key in ("ls_temperature", "ls_max_tokens", "ls_stop")
            if metadata.get(key) is not None
        }
    tools = sent.get("tools")
    return Noted(
        model=next((model for model in models if isinstance(model, str) and model), None),
        tools=list(tools) if isinstance(tools, list) else [] if sent and "functions" not in sent else None,
        parameters=parameters,
        all_parameters=bool(sent),
        provider=next((name for name in providers if isinstance(name, str)), None),
        api=api_of_answer(outputs),
    )


def _usage(run: Mapping[str, Any], outputs: Any) -> Usage | None:
    """Find the tokens: with the answer, beside it, in the provider's own words, or those that LangSmith counts."""
    return next((usage for counts in _counts(run, outputs) if (usage := usage_of_langchain(counts))), None)


def _counts(run: Mapping[str, Any], outputs: Any) -> Iterator[Any]:
    if isinstance(outputs, dict):
        for message in _noted_messages(outputs):
            fields = fields_of(message)
            yield fields.get("usage_metadata")
            told = mapping_in(fields.get("response_metadata"))
            yield told.get("token_usage") or told.get("usage")
        yield outputs.get("usage_metadata")
        yield outputs.get("usage")
        yield mapping_in(outputs.get("llm_output")).get("token_usage")
    yield run.get("usage_metadata")
    details = {"input_token_details": "prompt_token_details", "output_token_details": "completion_token_details"}
    counted = {name: run.get(name) for name in ("prompt_tokens", "completion_tokens", "total_tokens")}
    yield counted | {name: mapping_in(run.get(own)) for name, own in details.items()}


def _noted_messages(outputs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the messages in an output that may carry their usage."""
    generations = outputs.get("generations")
    for batch in generations if isinstance(generations, list) else ():
        yield from (mapping_in(one.get("message")) for one in objects(batch if isinstance(batch, list) else [batch]))  # type: ignore[misc]
    for name in ("output", "message"):
        if isinstance(outputs.get(name), dict):
            yield outputs[name]
    yield from objects(outputs.get("messages"))


def _streamed(events: Any) -> str | None:
    """Put together what came of an answer whose end never came; None: nothing did."""
    pieces: list[str] = []
    for event in objects(events):
        token = mapping_in(event.get("kwargs")).get("token") if event.get("name") == "new_token" else None
        if isinstance(token, str):
            pieces.append(token)
        elif isinstance(token, dict):
            deltas = (choice.get("delta") for choice in objects(token.get("choices")))
            texts = (delta.get("content") for delta in deltas if isinstance(delta, dict))
            pieces += (text for text in texts if isinstance(text, str))
    return "".join(pieces) or None


def _error(error: Any) -> str | None:
    """Give the error without the traceback that LangSmith keeps behind it."""
    said = error_text(structure(error))
    if not said:
        return None
    return said.partition(_TRACEBACK)[0].strip() or said.strip().splitlines()[-1]
