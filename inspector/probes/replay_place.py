"""Fits a request to where it goes: Bedrock, Vertex and Gemini name the model in the address, others in the body.

Bedrock and Vertex name the version of Anthropic's dialect in the body, Anthropic in a header.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.probes.replay_dialects import Asked, NoPlaceError
from inspector.probes.replay_path import is_bedrock, is_vertex, names_model
from inspector.probes.replay_target import Address

_VERSION: Final = "anthropic_version"
_BEDROCK: Final = "bedrock-2023-05-31"
_VERTEX: Final = "vertex-2023-10-16"
"""Of Anthropic's dialect where somebody else serves it, as both document it; newer clients send newer ones."""


def fit_place(body: Mapping[str, Any], address: Address, model: str | None) -> Asked:
    """Name the model of a request where its server looks for it.

    Args:
        body: The request, in the dialect of the address; it is not changed.
        address: Where it goes.
        model: As the user named it; None: the call's own.

    Returns:
        The body, and what else differs from the stored one.

    Raises:
        NoPlaceError: The server wants a model that is not known.
    """
    fitted = {name: value for name, value in body.items() if name != "modelId"}  # boto3's argument for the address
    anthropic = address.api == "anthropic.messages"
    if names_model(address.url):
        fitted.pop("model", None)
        if anthropic and (is_bedrock(address.url) or is_vertex(address.url)):
            ours, others = (_BEDROCK, "vertex-") if is_bedrock(address.url) else (_VERTEX, "bedrock-")
            if str(fitted.get(_VERSION) or others).startswith(others):
                fitted[_VERSION] = ours
        return Asked(fitted, ())
    if model is not None:
        fitted["model"] = model
    if not anthropic or _VERSION not in fitted:
        return Asked(fitted, ())
    del fitted[_VERSION]
    if not fitted.get("model"):
        raise NoPlaceError("the model was named in the address of the call; name the one of this server with --model")
    beta = fitted.pop("anthropic_beta", None)
    note = f"left out: anthropic_beta ({beta}), which is a header here: --header anthropic-beta:NAME"
    return Asked(fitted, (note,) if beta else ())
