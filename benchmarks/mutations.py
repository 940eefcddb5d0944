"""How well rewritten messages are found again: real contexts, mutated by a seeded generator.

    python benchmarks/mutations.py [--realdata DIRECTORY] [--seeds 12]

The first three quarters of each context are mutated, the last quarter follows as new messages, so that there is
something to be wrong about. Thresholds were chosen on the *tuning* contexts only; the *held out* ones were not looked
at. Prints precision and recall of the pairing, with the ids of tool calls and without.

What counts: of the messages that were rewritten, moved to another role or dropped, is the pair right? A message that
stands in the context more than once cannot be told from its copies by anybody: a pair with a copy of the right
message, word for word, is right. Messages that nothing was done to do not count for recall, but a wrong pair of one
counts against precision.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.contexts import HELD_OUT, TUNING, Message, samples
from inspector.analysis.alignment import align
from inspector.model.context import Block
from inspector.model.dialects import find_dialect
from inspector.model.fates import Fate
from inspector.model.layers import Layer
from snapshot_sdk.canonical import content_hash

ROOT: Final = Path(__file__).resolve().parent.parent
LONGEST: Final = 400
"""Messages of a context that are used; a whole log of thousands adds time, not kinds."""
SHARE: Final = 0.35
"""Share of the messages that are mutated."""
MARKS: Final = ("", "…[truncated]", "\n... (truncated 1,024 chars)", "…（已截断）", "\n[... 120 lines omitted]")
WORDS: Final = ("foo", "其他", "changed", "另", "value")


# --- mutations ------------------------------------------------------------------------------------------------------


def cut_end(text: str, rng: random.Random) -> str:
    """The head, and perhaps a mark."""
    return text[: int(len(text) * rng.uniform(0.2, 0.7))] + rng.choice(MARKS) if len(text) >= 80 else text


def cut_middle(text: str, rng: random.Random) -> str:
    """Head and tail."""
    quarter = len(text) // 4
    return f"{text[:quarter]}\n…\n{text[-quarter:]}" if len(text) >= 200 else text


def edit_words(text: str, rng: random.Random) -> str:
    """Every tenth word is another one."""
    words = re.split(r"(\s+|(?<=[一-鿿]))", text)
    places = [n for n, word in enumerate(words) if word.strip()]
    for place in rng.sample(places, max(1, len(places) // 10)) if places else ():
        words[place] = rng.choice(WORDS)
    return "".join(words)


def change_digits(text: str, rng: random.Random) -> str:
    """Every digit is another one."""
    return re.sub(r"\d", lambda _: str(rng.randrange(10)), text)


def reformat(text: str, rng: random.Random) -> str:
    """JSON is indented, perhaps escaped; other text is put on one line."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=rng.random() < 0.3)
    except ValueError:
        return re.sub(r"\s+", " ", text)


def widen(text: str, rng: random.Random) -> str:
    """Every white space is one longer."""
    return re.sub(r"[ \n]+", lambda match: match[0] + " ", text)


REWRITINGS: Final[dict[str, Callable[[str, random.Random], str]]] = {
    "truncate": cut_end,
    "keep head and tail": cut_middle,
    "edit words": edit_words,
    "change digits": change_digits,
    "reformat JSON": reformat,
    "white space": widen,
}
KINDS: Final = (*REWRITINGS, "drop", "duplicate", "move to another layer", "string ↔ block list")


@dataclass
class Mutated:
    """A context after mutation, and the truth."""

    after: list[Message] = field(default_factory=list)
    origin: list[int | None] = field(default_factory=list)
    """For each message after: the place it had before; None: it is new or a copy."""
    kinds: dict[int, str] = field(default_factory=dict)
    """Place before → what was done to it; unchanged and duplicated ones are absent."""


def mutate(messages: Sequence[Message], rng: random.Random) -> Mutated:
    """Mutate some messages, drop and duplicate some, and put every twentieth elsewhere."""
    result = Mutated()
    for place, message in enumerate(messages):
        kind = rng.choice(KINDS) if rng.random() < SHARE else None
        if kind == "drop":
            result.kinds[place] = kind
            continue
        changed = _change(message, kind, rng)
        if kind is not None and kind != "duplicate" and changed != message:
            result.kinds[place] = kind
        result.after.append(changed)
        result.origin.append(place)
        if kind == "duplicate":
            result.after.append(deepcopy(message))
            result.origin.append(None)
    for _ in range(len(result.after) // 20):
        start, end = rng.randrange(len(result.after)), rng.randrange(len(result.after))
        result.after.insert(end, result.after.pop(start))
        result.origin.insert(end, result.origin.pop(start))
    return result


def _change(message: Message, kind: str | None, rng: random.Random) -> Message:
    if kind == "move to another layer":
        return {**message, "role": "system" if message["role"] != "system" else "user"}
    if kind == "string ↔ block list":
        return _other_form(message)
    if kind in REWRITINGS:
        rewrite = REWRITINGS[kind]
        return _rewrite(deepcopy(message), lambda text: rewrite(text, rng))
    return message


def _other_form(message: Message) -> Message:
    content = message.get("content")
    if isinstance(content, str):
        return {**message, "content": [{"type": "text", "text": content}]}
    if isinstance(content, list) and len(content) == 1 and set(content[0]) == {"type", "text"}:
        return {**message, "content": content[0]["text"]}
    return message


def _rewrite(message: Message, rewrite: Callable[[str], str]) -> Message:
    """Rewrite the largest text of a message: its content, a block, a tool result, the arguments of a call."""
    spots: list[tuple[Any, Any]] = []
    content = message.get("content")
    if isinstance(content, str):
        spots.append((message, "content"))
    for block in content if isinstance(content, list) else ():
        spots += [(block, key) for key in ("text", "content") if isinstance(block.get(key), str)]
        if isinstance(block.get("content"), list):
            spots += [(inner, "text") for inner in block["content"] if isinstance(inner.get("text"), str)]
    spots += [(call["function"], "arguments") for call in message.get("tool_calls") or ()]
    if spots:
        owner, key = max(spots, key=lambda spot: len(spot[0][spot[1]]))
        owner[key] = rewrite(owner[key])
    return message


# --- measuring ------------------------------------------------------------------------------------------------------


def block_of(message: Message) -> Block:
    """A message as the alignment sees it."""
    content = message.get("content")
    is_anthropic = isinstance(content, list) and any(b.get("type") in ("tool_use", "tool_result") for b in content)
    decoded = find_dialect("anthropic.messages" if is_anthropic else "openai.chat", {}, None).decode(
        "messages", message
    )
    keys = [f"{'call' if p.kind == 'tool_call' else 'result'}:{p.call_id}" for p in decoded.parts if p.call_id]
    keys += [f"result:{call}" for call in message.get("tool_call_ids") or () if f"result:{call}" not in keys]
    kinds = {part.kind for part in decoded.parts}
    layer = Layer.SYSTEM if decoded.role == "system" else Layer.HISTORY
    layer = Layer.TOOL_RESULTS if "tool_result" in kinds else Layer.TOOL_CALLS if "tool_call" in kinds else layer
    return Block(content_hash(message), decoded.role, layer, decoded.text, tuple(keys))


@dataclass
class Score:
    """Pairs of a set of contexts."""

    right: int = 0
    wrong: int = 0
    missed: Counter[str] = field(default_factory=Counter)
    """By what was done."""
    done: Counter[str] = field(default_factory=Counter)
    """Messages by what was done."""
    edits_of_form: int = 0
    """Messages that only changed between string and block list and were called edited."""

    @property
    def precision(self) -> float:
        """Share of the pairs that are right."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Share of the true pairs that were found."""
        return self.recall_of(KINDS)

    def recall_of(self, kinds: Collection[str]) -> float:
        """Share of the true pairs of some kinds that were found."""
        done = sum(count for kind, count in self.done.items() if kind in kinds and kind != "drop")
        return 1 - sum(count for kind, count in self.missed.items() if kind in kinds) / max(1, done)


def score(contexts: Sequence[Sequence[Message]], seeds: int, with_ids: bool = True) -> Score:
    """Mutate contexts and align them.

    Args:
        contexts: The contexts.
        seeds: Mutations of each.
        with_ids: Keep the ids of tool calls; else alignment has only the texts.
    """
    total = Score()
    for context in contexts:
        messages = list(context[:LONGEST])
        cut = len(messages) * 3 // 4
        before = [_block(message, with_ids) for message in messages[:cut]]
        for seed in range(seeds):
            mutated = mutate(messages[:cut], random.Random(seed))
            after = [_block(message, with_ids) for message in (*mutated.after, *messages[cut:])]
            _add(total, before, after, mutated)
    return total


def _block(message: Message, with_ids: bool) -> Block:
    block = block_of(message)
    return block if with_ids else replace(block, keys=())


def _add(total: Score, before: Sequence[Block], after: Sequence[Block], mutated: Mutated) -> None:
    truth = {i: j for j, i in enumerate(mutated.origin) if i is not None}
    rows = align(before, after).of_before()
    equivalent = {(before[i].text, after[j].text) for i, j in truth.items()}
    for i, row in rows.items():
        kind, paired = mutated.kinds.get(i), row.after if row.fate is not Fate.SUMMARISED else None
        is_right = paired is not None and (before[i].text, after[paired].text) in equivalent
        if kind is None:
            total.wrong += paired is not None and not is_right
            continue
        total.done[kind] += 1
        total.edits_of_form += kind == "string ↔ block list" and row.fate in (Fate.EDITED, Fate.TRUNCATED)
        if is_right:
            total.right += kind != "drop"
        else:
            total.wrong += paired is not None and before[i].text != after[paired].text
            if i in truth:
                total.missed[kind] += 1


def read(sources: Sequence[Callable[[Path], Iterator[list[Message]]]], root: Path) -> list[list[Message]]:
    """Read the contexts of some sources."""
    return [context for source in sources for context in source(root)]


def main() -> None:
    """Print the figures as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("CONTEXT_INSPECTOR_REALDATA") or ROOT.parent / "shared" / "realdata"
    parser.add_argument("--realdata", type=Path, default=Path(default))
    parser.add_argument("--seeds", type=int, default=12)
    arguments = parser.parse_args()
    sets = {"samples": list(samples(ROOT / "sample_data" / "traces"))}
    if arguments.realdata.is_dir():
        sets |= {"tuning": read(TUNING, arguments.realdata), "held out": read(HELD_OUT, arguments.realdata)}
    print("| contexts | messages changed | ids | precision | recall | rewritten only | missed |")
    print("|---|---|---|---|---|---|---|")
    for name, contexts in sets.items():
        for with_ids in (True, False):
            found = score(contexts, arguments.seeds, with_ids)
            missed = ", ".join(f"{kind} {count}" for kind, count in found.missed.most_common(4))
            print(
                f"| {name}, {len(contexts)} | {found.done.total():,} | {'yes' if with_ids else 'no'} "
                f"| {found.precision:.3f} | {found.recall:.3f} | {found.recall_of(REWRITINGS):.3f} | {missed} |"
            )


if __name__ == "__main__":
    main()
