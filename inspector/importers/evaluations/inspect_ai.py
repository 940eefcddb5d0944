"""inspect_ai's evaluation logs: ``.eval`` archives and ``.json`` files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.importers.base import ImportedSession, Problem, Report, reporting
from inspector.importers.evaluations.inspect_ai_calls import records_of
from inspector.importers.evaluations.inspect_ai_samples import Sample, read_log
from inspector.importers.evaluations.inspect_ai_zip import MAGIC, first_entry
from inspector.importers.reading.documents import Document, digest_of

_ENTRIES: Final = re.compile(r"header\.json|_journal/.+\.json|samples/.+\.json|summaries\.json|reductions\.json")
"""What archives of this format hold."""

_JSON: Final = re.compile(
    rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,\s*(?:"invalidated"\s*:\s*\w+\s*,\s*)?"eval"\s*:\s*\{'
)
"""How a log that is one JSON file begins: inspect_ai always writes its members in this order."""

_LONGEST_ERROR: Final = 2_000
"""Characters kept of an error of a sample: some hold a whole page."""


class InspectAI:
    """Each sample of each epoch is a session."""

    name = "inspect-ai"
    title = "inspect_ai log: an `.eval` archive, or JSON with `version`, `status`, `eval` and `samples`"

    def recognises_head(self, head: bytes) -> bool:
        """Look for an archive's first entry, or the first members of the JSON form."""
        entry = first_entry(head)
        return bool(_ENTRIES.fullmatch(entry)) if entry is not None else _JSON.match(head) is not None

    def recognises(self, sample: Any) -> bool:
        """Look for an evaluation with samples, however its JSON is written."""
        if not isinstance(sample, dict) or not isinstance(sample.get("eval"), dict):
            return False
        return isinstance(sample.get("samples"), list) or "task" in sample["eval"]

    def read(self, documents: Sequence[Document], report: Report) -> Iterator[ImportedSession]:
        """Read each log sample by sample."""
        for document in documents:
            with reporting(document.path, report):
                yield from _sessions(document, report)


def _sessions(document: Document, report: Report) -> Iterator[ImportedSession]:
    path = document.path
    log = read_log(path, archive=document.head().startswith(MAGIC))
    for problem in log.problems:
        report(Problem(str(path), problem))
    if not log.samples and not log.problems:
        report(Problem(str(path), "an evaluation without samples: no call of a model is in it"))
    spec = log.header.get("eval")
    evaluation: Mapping[str, Any] = spec if isinstance(spec, dict) else {}
    named = evaluation.get("eval_id") or evaluation.get("run_id") or path.stem
    silent = 0
    for sample in log.samples:
        if not sample.has_calls:
            silent += 1
            continue
        place = f"{sample.facts.get('id')}_epoch_{sample.facts.get('epoch')}"
        task = evaluation.get("task")
        yield ImportedSession(
            session=f"{named}/{place}",
            format=InspectAI.name,
            source=path.name,
            digest=digest_of([document.digest, place]),
            calls=lambda sample=sample: records_of(sample),  # type: ignore[misc]
            agent=task if isinstance(task, str) else None,
            repairs=sample.repairs,
            meta=_facts(evaluation, sample),
        )
    if silent:
        reason = f"{silent} sample(s) without a call of a model"
        report(Problem(str(path), reason, lost=False))


def _facts(evaluation: Mapping[str, Any], sample: Sample) -> dict[str, Any]:
    """Collect what is worth knowing of a sample beside its calls: what it was, and how it ended."""
    facts = {name: sample.facts[name] for name in ("id", "epoch") if name in sample.facts}
    found: dict[str, Any] = {
        "task": evaluation.get("task"),
        "model": evaluation.get("model"),
        "sample": facts.get("id"),
        "epoch": facts.get("epoch"),
    }
    error, limit, scores = (sample.facts.get(name) for name in ("error", "limit", "scores"))
    if isinstance(error, dict):
        found["error"] = str(error.get("message"))[:_LONGEST_ERROR]
    if isinstance(limit, dict):
        found["limit"] = {name: limit.get(name) for name in ("type", "limit")}
    if isinstance(scores, dict):
        found["scores"] = {name: score.get("value") for name, score in scores.items() if isinstance(score, dict)}
    return {name: value for name, value in found.items() if value is not None}
