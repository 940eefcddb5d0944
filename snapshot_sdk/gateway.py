"""What a gateway needs to record the model calls that pass through it, byte for byte.

:class:`Endpoints` tells which requests are calls, :func:`begin` writes one down before it is sent on, and the
:class:`Exchange` it returns is told what comes back. The clients' adapters are made of the same three.
"""

from __future__ import annotations

from snapshot_sdk._responses import Answer, read_answer
from snapshot_sdk.adapters._answer import Body, read_body
from snapshot_sdk.adapters._codings import decode
from snapshot_sdk.adapters._endpoints import Endpoints, ModelCall
from snapshot_sdk.adapters._exchange import RETRY_HEADER, Exchange, Outcome, Outgoing, begin

__all__ = [
    "RETRY_HEADER",
    "Answer",
    "Body",
    "Endpoints",
    "Exchange",
    "ModelCall",
    "Outcome",
    "Outgoing",
    "begin",
    "decode",
    "read_answer",
    "read_body",
]
