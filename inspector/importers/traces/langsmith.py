"""LangSmith: runs, exported, read from its API, or as its SDK posts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from inspector.importers.base import ImportedCall, ImportedSession, Report
from inspector.importers.reading.documents import Document
from inspector.importers.reading.json_pieces import Loader
from inspector.importers.traces.langsmith_calls import call_of
from inspector.importers.traces.langsmith_runs import plant, recognises, run_of
from inspector.importers.traces.traced_forest import Node
from inspector.importers.traces.traced_sessions import Tracer, read_sessions


class LangSmith:
    """A thread of LangSmith is a session; a trace that belongs to none is one, too."""

    name = "langsmith"
    title = (
        "LangSmith export: runs with `run_type` and `inputs` (one, with `child_runs` or without, a page of the API, "
        "an array, one a line, or `post` and `patch`)"
    )

    def recognises(self, sample: Any) -> bool:
        """Look for a run, or for what completes one."""
        return recognises(sample)

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read the files of a folder together: a thread may stand in several."""
        return read_sessions(_TRACER, documents, report)


def _read(node: Node, loader: Loader) -> ImportedCall | None:
    return call_of(run_of(node, loader))


_TRACER: Final = Tracer(LangSmith.name, "runs of a model", plant, _read)
