"""Langfuse: traces and observations, downloaded in the app, read from its API, or exported to a bucket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from inspector.importers.base import ImportedCall, ImportedSession, Report
from inspector.importers.reading.documents import Document
from inspector.importers.reading.json_pieces import Loader
from inspector.importers.traces.langfuse_calls import call_of
from inspector.importers.traces.langfuse_observations import observation_of, plant, recognises
from inspector.importers.traces.traced_forest import Node
from inspector.importers.traces.traced_sessions import Tracer, read_sessions


class Langfuse:
    """A session of Langfuse is one; a trace that belongs to none is one, too."""

    name = "langfuse"
    title = (
        "Langfuse export: a trace with `observations`, or observations with `type` and `traceId` "
        "(one, a page of the API, an array, or one a line)"
    )

    def recognises(self, sample: Any) -> bool:
        """Look for an observation, or for a trace."""
        return recognises(sample)

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read the files of a folder together: a session may stand in several, and its traces in others."""
        return read_sessions(_TRACER, documents, report)


def _read(node: Node, loader: Loader) -> ImportedCall | None:
    return call_of(observation_of(node, loader))


_TRACER: Final = Tracer(Langfuse.name, "generations", plant, _read)
