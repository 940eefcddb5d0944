"""What an endpoint's address says about a request: its path, and the model where only the address names it."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

_MODEL: Final = re.compile(
    r"/models/(?P<gemini>[^/:?#]+):"  # Google: /v1beta/models/gemini-2.5-flash:generateContent
    r"|/model/(?P<bedrock>[^?#]+?)/(?:converse|invoke)"  # Amazon: an id or an ARN, percent-encoded
    r"|/deployments/(?P<azure>[^/?#]+)/"  # Azure: a deployment's name, often the model's
)


def path_of(endpoint: str | None) -> str:
    """Return an endpoint without query, fragment and closing slash; empty where there is none."""
    return "" if endpoint is None else endpoint.split("?")[0].split("#")[0].rstrip("/")


def model_in_endpoint(endpoint: str | None) -> str | None:
    """Return the model an endpoint names, for APIs whose body does not (Gemini, Bedrock, Azure).

    Args:
        endpoint: URL or path of the request.
    """
    match = _MODEL.search(endpoint or "")
    if match is None:
        return None
    name = unquote(next(group for group in match.groups() if group is not None))
    # An inference profile's ARN ends with the model's id.
    return name.rsplit("/", 1)[-1] or None
