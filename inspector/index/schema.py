"""The schema of the index: one list of described columns.

The tables' DDL, the Arrow types of bulk inserts, the views a user queries and ``docs/sql.md`` all derive
from here. What the user may rely on are the views; the tables under ``store`` may change with any version.
"""

from __future__ import annotations

from typing import Final

from inspector.index.tables import table

INDEX_VERSION: Final = 7
"""Raise it with every change of a table, a view or of what is computed into them: an index of another
version is thrown away and built anew, without asking, as it is only a cache."""

META = table(
    "meta",
    "Facts about the index itself.",
    ("key", "VARCHAR", "Name of the fact."),
    ("value", "VARCHAR", "Its value."),
)

FILES = table(
    "files",
    "Trace files and how far each was read.",
    ("file", "INTEGER", "Number of the file."),
    ("path", "VARCHAR", "Path below the traces directory."),
    ("size", "BIGINT", "Bytes when last looked at."),
    ("mtime_ns", "BIGINT", "Time of change when last looked at."),
    ("read_to", "BIGINT", "Bytes read: the end of the last complete line."),
    ("lines", "INTEGER", "Lines read."),
    ("head", "VARCHAR", "Hash of the first bytes read: another one means another file."),
    ("tail", "VARCHAR", "Hash of the last bytes read: another one means the file was rewritten."),
    ("refused", "BOOLEAN", "Its format is newer than this version reads."),
    ("section", "INTEGER", "The section its next record belongs to."),
    ("seen", "INTEGER[]", "Sequence numbers seen in that section, as pairs of first and last."),
)

SECTIONS = table(
    "sections",
    "One header and what follows it in a file; sound files have one.",
    ("section", "INTEGER", "Number of the section."),
    ("file", "INTEGER", "File it stands in."),
    ("session", "VARCHAR", "Session its records belong to."),
    ("writer", "VARCHAR", "Process that wrote it."),
    ("header", "VARCHAR", "The header record, JSON; of a file without one, an empty object."),
)

LINE_ERRORS = table(
    "line_errors",
    "Lines that could not be read as they stand.",
    ("file", "INTEGER", "File."),
    ("line", "INTEGER", "Line, from 1."),
    ("byte", "BIGINT", "Where the trouble starts, from the start of the file."),
    ("reason", "VARCHAR", "What is wrong."),
    ("recovered", "INTEGER", "Records recovered from the line."),
)

SOURCES = table(
    "sources",
    "Source text of the elements of bodies, each once.",
    ("source", "INTEGER", "Number of the source."),
    ("wire", "VARCHAR", "Hash of the text."),
    ("text", "BLOB", "The text, UTF-8, lone surrogates passed through."),
)

BLOBS = table(
    "blobs",
    "What the blob numbers of a section stand for.",
    ("section", "INTEGER", "Section."),
    ("n", "INTEGER", "Blob number."),
    ("source", "INTEGER", "Source; NULL where it cannot be restored."),
    ("hole", "VARCHAR", "Why it cannot be restored."),
)

CONTENTS = table(
    "contents",
    "Decoded messages, each once, whatever number of prompts has them.",
    ("content", "INTEGER", "Number of the content."),
    ("api", "VARCHAR", "Dialect that decoded it."),
    ("member", "VARCHAR", "Member of the body it stands in."),
    ("whole", "BOOLEAN", "It is the whole member (all tool definitions are), not one of an array."),
    ("sources", "INTEGER[]", "Sources it is made of: one, or one a tool for tool definitions; none where it is lost."),
    ("hash", "VARCHAR", "Content hash: the message's identity."),
    ("role", "VARCHAR", "Role."),
    ("kind", "VARCHAR", "Kind of its first part."),
    ("walk", "INTEGER", "What it means to the search for the current input: 0 pass, 1 stop, 2 it is the input."),
    ("text", "VARCHAR", "Text of all parts: what is searched."),
    ("hole", "VARCHAR", "Why the content is lost."),
    ("refers", "BOOLEAN", "It stands for messages that a server keeps or replaced: a compaction, a reference."),
    ("keys", "VARCHAR[]", "Ids of its tool calls (`call:` before each) and results (`result:`)."),
)

UNITS = table(
    "units",
    "Contents as counted: one content under one tokenizer and one set of labels.",
    ("unit", "INTEGER", "Number of the unit."),
    ("content", "INTEGER", "Content."),
    ("counting", "VARCHAR", "What it was counted under: model family, labels, place."),
    ("segments", "VARCHAR", "Its segments with layers and tokens, JSON."),
)

RECORDS = table(
    "records",
    "Every record of the trace files, without its blobs.",
    ("session", "VARCHAR", "Session."),
    ("section", "INTEGER", "Section it stands in."),
    ("line", "INTEGER", "Line."),
    ("place", "INTEGER", "Place on the line: 0 but for glued records."),
    ("writer", "VARCHAR", "Process that wrote it."),
    ("seq", "INTEGER", "Sequence number."),
    ("time", "VARCHAR", "Wall time, never running backwards inside a section."),
    ("type", "VARCHAR", "Type of the record."),
    ("key", "VARCHAR", "Snapshot's id, for snapshots, attempts and responses."),
    ("api", "VARCHAR", "Dialect of a snapshot's body."),
    ("record", "VARCHAR", "The record, JSON, runs of arrays made absolute."),
    ("kept", "INTEGER", "Of a snapshot: so many rows at its beginning are those of the lane's snapshot before it."),
    ("contents", "INTEGER[]", "Of a snapshot the rows that follow, of a response its messages."),
)

PROMPTS = table(
    "prompts",
    "What was computed from the messages of each prompt, in display order.",
    ("session", "VARCHAR", "Session."),
    ("ordinal", "INTEGER", "Place in display order, from 1."),
    ("section", "INTEGER", "Section of its record."),
    ("line", "INTEGER", "Line of its record."),
    ("place", "INTEGER", "Place on that line."),
    ("units", "INTEGER[]", "Its rows."),
    ("thread", "INTEGER", "Line of thought, by shared content."),
    ("previous", "INTEGER", "Ordinal of the prompt it continues."),
    ("new_turns", "INTEGER", "User messages with text that the prompt before did not have."),
    ("layers", "VARCHAR[]", "Layers of the composition."),
    ("layer_tokens", "BIGINT[]", "Tokens of each."),
    ("layer_origins", "VARCHAR[]", "Origin of each figure."),
    ("pins_gone", "VARCHAR[]", "Pins in force whose text is not there."),
)

EFFECTIVE = table(
    "effective",
    "What the model saw of a prompt, where a server made something else of it.",
    ("session", "VARCHAR", "Session."),
    ("call", "INTEGER", "Number of the call."),
    ("units", "INTEGER[]", "The rows it saw."),
    (
        "removed",
        "VARCHAR",
        "What it did not see, JSON: reasons, and of each message unit, place (from 0), parts, reason.",
    ),
    ("waits", "VARCHAR[]", "Answers that the prompt refers to and that are not recorded."),
)

SESSIONS = table(
    "sessions",
    "One row a session.",
    ("session", "VARCHAR", "Id of the session."),
    ("agent", "VARCHAR", "Name of the agent."),
    ("models", "VARCHAR[]", "Models, in order of first use."),
    ("calls", "INTEGER", "Number of calls."),
    ("turns", "INTEGER", "Number of turns."),
    ("started", "VARCHAR", "Time of the first record, ISO UTC."),
    ("ended", "VARCHAR", "Time of the last record, ISO UTC."),
    ("peak", "BIGINT", "Tokens of the largest context of the main lane."),
    ("peak_origin", "VARCHAR", "Origin of that figure."),
    ("window_size", "BIGINT", "The model's hard limit, tokens."),
    ("budget", "BIGINT", "Tokens the agent allows itself."),
    ("threshold", "BIGINT", "Tokens that trigger compaction."),
    ("compactions", "INTEGER", "Number of recorded compactions."),
    ("pins", "INTEGER", "Number of pins."),
    ("pins_gone", "INTEGER", "Number of pins that some call lacks."),
    ("failed_calls", "INTEGER", "Number of failed calls."),
    ("server_calls", "INTEGER", "Number of calls whose prompt a server changed before the model read it."),
    ("server_removed", "BIGINT", "Most tokens that a server took out of one prompt; NULL: none, or unknown."),
    ("fill", "DOUBLE[]", "Per call of the main lane: tokens ÷ budget (else window, else peak)."),
    ("lanes", "VARCHAR[]", "Lanes, main first."),
    ("lane_calls", "INTEGER[]", "Number of calls of each lane."),
    ("origin", "VARCHAR", "Where it comes from: recorded, imported, sample."),
    ("exact", "VARCHAR[]", "How far its prompts are proved."),
    ("incident", "VARCHAR", "Of a sample: what went wrong in it, on one line."),
)

CALLS = table(
    "calls",
    "One row a call: what was sent, how large, what came back.",
    ("session", "VARCHAR", "Session."),
    ("call", "INTEGER", "Number of the call in its session, from 1."),
    ("id", "VARCHAR", "Id of the snapshot."),
    ("turn", "VARCHAR", "Turn, JSON: a number or a string; NULL: unknown."),
    ("turn_label", "VARCHAR", "Turn as shown, `t14`."),
    ("turn_inferred", "BOOLEAN", "Whether the turn was inferred."),
    ("lane", "VARCHAR", "Lane."),
    ("lane_origin", "VARCHAR", "Who says so: given, default or inferred."),
    ("purpose", "VARCHAR", "What a side call is for."),
    ("previous", "VARCHAR", "Id of the snapshot it continues."),
    ("api", "VARCHAR", "Dialect of the request."),
    ("model", "VARCHAR", "Model."),
    ("time", "VARCHAR", "When it was sent, ISO UTC."),
    ("duration_ms", "DOUBLE", "Milliseconds until the answer was complete."),
    ("status", "VARCHAR", "answered, incomplete, failed, no answer."),
    ("http_status", "INTEGER", "HTTP status."),
    ("error", "VARCHAR", "Error, in the provider's or client's words."),
    ("attempts", "INTEGER", "Tries on the wire."),
    ("stop_reason", "VARCHAR", "Why the model stopped."),
    ("input_tokens", "BIGINT", "Tokens of the prompt by the provider, cached ones included."),
    ("cached_read", "BIGINT", "Of these, read from the cache."),
    ("cached_write", "BIGINT", "Of these, written to the cache."),
    ("output_tokens", "BIGINT", "Tokens of the answer by the provider."),
    ("reasoning_tokens", "BIGINT", "Of these, reasoning."),
    ("input_is", "VARCHAR", "How input_tokens stands to the prompt: exact, at least, at most."),
    ("provider", "BIGINT", "Size of what the model wrote its answer from, by the provider; NULL: unknown, or a bound."),
    ("usage", "VARCHAR", "Usage as the provider gave it, JSON."),
    ("usage_problems", "VARCHAR[]", "Figures of the usage that cannot be true, and why; they are used nowhere."),
    ("usage_notes", "VARCHAR[]", "What to know about the figures of the usage."),
    ("server", "VARCHAR[]", "What a server did to the prompt before the model read it: stored, summary, edit."),
    ("server_removed", "BIGINT", "Counted tokens of the body that the model did not see; NULL: none, or unknown."),
    ("server_removed_messages", "INTEGER", "Messages of the body that it did not see, or not wholly."),
    ("server_added", "BIGINT", "Counted tokens it saw that are not in the body; NULL: none, or unknown."),
    ("server_added_messages", "INTEGER", "Messages it saw that are not in the body."),
    ("server_certainty", "VARCHAR", "How sure that is: certain, likely, a guess; NULL: it saw what was sent."),
    ("sent", "BIGINT", "Counted tokens of the prompt as it was sent."),
    ("sent_origin", "VARCHAR", "Origin of that figure."),
    ("layers", "VARCHAR[]", "Layers of the composition."),
    ("layer_tokens", "BIGINT[]", "Counted tokens of each layer, as the model saw them."),
    ("layer_origins", "VARCHAR[]", "Origin of each of these figures."),
    ("counted", "BIGINT", "Counted tokens of the prompt as the model saw it, overhead included."),
    ("counted_origin", "VARCHAR", "Origin of that figure."),
    ("calibrated", "BIGINT", "Counted tokens × the steady ratio of past calls of the model."),
    ("calibrated_origin", "VARCHAR", "Origin of that figure."),
    (
        "unattributed",
        "BIGINT",
        "Tokens of the provider, where exact, less the counted ones.",
    ),
    ("tokens", "BIGINT", "The figure to show: provider where exact, else calibrated, else counted."),
    ("tokens_origin", "VARCHAR", "Origin of that figure."),
    ("window_size", "BIGINT", "The model's hard limit, tokens."),
    ("budget", "BIGINT", "Tokens the agent allows itself."),
    ("threshold", "BIGINT", "Tokens that trigger compaction."),
    ("messages", "INTEGER", "Messages of the prompt, all tool definitions counted as one."),
    ("exact", "VARCHAR", "How far the stored request is proved: bytes, values, redacted, imported, rebuilt."),
    ("missing", "VARCHAR[]", "Parts the source log lacked."),
    ("caller", "VARCHAR", "First frame of the user's code."),
    ("file", "VARCHAR", "Trace file, below the traces directory."),
    ("line", "INTEGER", "Line of the record, from 1."),
    ("pins_gone", "VARCHAR[]", "Ids of pins whose text the model did not see in the prompt."),
    ("response_id", "VARCHAR", "The provider's id of the answer."),
    ("answer", "INTEGER[]", "Contents of the answer."),
    ("section", "INTEGER", "Section of the record."),
    ("place", "INTEGER", "Place of the record on its line."),
    ("answer_key", "VARCHAR", "Where the response record stands; NULL: none came."),
)

PINS = table(
    "pins",
    "Pins and how they fared, verbatim.",
    ("session", "VARCHAR", "Session."),
    ("pin", "VARCHAR", "Id of the pin."),
    ("excerpt", "VARCHAR", "The pinned text, cut to 2,000 characters."),
    ("target", "VARCHAR", "What is pinned, JSON: text, message or regex."),
    ("reason", "VARCHAR", "Why."),
    ("caller", "VARCHAR", "First frame of the user's code."),
    ("scope", "VARCHAR", "Lane it holds for; NULL: every lane."),
    ("since_call", "INTEGER", "First call after the pin."),
    ("released_call", "INTEGER", "First call after its release; NULL: still pinned."),
    ("gone", "INTEGER[]", "Calls that lack it."),
)

COMPACTIONS = table(
    "compactions",
    "Recorded compactions.",
    ("session", "VARCHAR", "Session."),
    ("compaction", "VARCHAR", "Id of the compaction."),
    ("state", "VARCHAR", "pending, running, done or failed: its last state."),
    ("strategy", "VARCHAR", "summary, edit or trim."),
    ("policy", "VARCHAR", "Policy, as the agent names it."),
    ("reason", "VARCHAR", "Why."),
    ("lane", "VARCHAR", "Lane."),
    ("time", "VARCHAR", "When its last state was recorded, ISO UTC."),
    ("tokens_before", "BIGINT", "Tokens before, as recorded."),
    ("tokens_after", "BIGINT", "Tokens after, as recorded."),
    ("duration_ms", "DOUBLE", "How long it took, milliseconds."),
    ("error", "VARCHAR", "Error."),
    ("caller", "VARCHAR", "First frame of the user's code."),
    ("before_messages", "INTEGER", "Messages before."),
    ("after_messages", "INTEGER", "Messages after."),
    ("call", "INTEGER", "First call of its lane after it."),
)

EVENTS = table(
    "events",
    "Events the agent recorded.",
    ("session", "VARCHAR", "Session."),
    ("event", "INTEGER", "Number of the event in its session, from 1."),
    ("kind", "VARCHAR", "state, retrieval, tool, probe or the user's own word."),
    ("lane", "VARCHAR", "Lane."),
    ("time", "VARCHAR", "When, ISO UTC."),
    ("data", "VARCHAR", "What the agent said about it, JSON."),
    ("caller", "VARCHAR", "First frame of the user's code."),
    ("call", "INTEGER", "First call after it."),
)

TABLES: Final = (
    META,
    FILES,
    SECTIONS,
    LINE_ERRORS,
    SOURCES,
    BLOBS,
    CONTENTS,
    UNITS,
    RECORDS,
    PROMPTS,
    EFFECTIVE,
    SESSIONS,
    CALLS,
    PINS,
    COMPACTIONS,
    EVENTS,
)
"""All tables."""

DERIVED: Final = (PROMPTS, EFFECTIVE, SESSIONS, CALLS, PINS, COMPACTIONS, EVENTS)
"""Tables computed per session; a session's rows can be thrown away and computed again."""
