"""Pair rewritten messages: by their ids, by the words they share, by a place-holder left behind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from inspector.analysis.rewriting import strip_mark
from inspector.analysis.words import weigh_overlaps, words_of
from inspector.model.context import Block
from inspector.model.fates import Certainty

ACCEPT: Final = 0.85
"""Least share of the shorter text's word weight that the longer one must hold (measured: precision
0.97, recall 0.94 on 219 real messages and 106 rewritings)."""
ACCEPT_NEAR: Final = 0.6
"""The same between the same neighbours, where there are few candidates."""
SURE: Final = 0.9
"""Share from which a pairing is called likely, below it a guess."""
SMALL: Final = 6
"""Texts of fewer words are pairs only if most words are shared both ways: anything long holds two words."""
SMALL_BOTH: Final = 0.5
"""Share of the larger small text's word weight that must be in the other."""
FULLER: Final = 0.1
"""A fuller match wins among equal containments: the whole text over a short piece of it."""
NEIGHBOURS: Final = 0.2
"""What standing between the same neighbours adds: it decides between near-copies."""
OTHER_ROLE: Final = 0.9
"""Share of the longer text's words that must be shared where the roles differ: an answer restates a result."""
LOPSIDED: Final = 0.7
"""If the shorter text has less than this share of the longer one's word weight it must be a piece of it, word
for word: texts about one thing share their words without being one text."""
SEVERAL: Final = 3
"""A longer text that holds this many messages is a version of none of them: it tells what they said."""
PIECE: Final = 16
"""Length of the probes that are looked up for that, characters."""
PROBES: Final = 12
"""Number of probes."""
FOUND_IN_SHORTER: Final = 0.5
"""Share of the probes that must be found where the later text is the shorter one."""
FOUND_IN_LONGER: Final = 0.9
"""The same where it is the longer one: messages are cut more often than they grow, but often quoted."""
ROUNDS: Final = 8
"""Times the assignment is made anew without pairs that failed; what still fails then stays unpaired."""
MOST_PAIRS: Final = 16_000_000
"""Above this number of possible pairs (4,000 rewritten messages) no words are compared: it needs gigabytes."""
LEAST_REMAINS: Final = 12
"""Shortest head of a text, in characters, that names it."""
PLACE_HOLDER: Final = re.compile(
    r"\b(omitted|cleared|removed|truncated|elided|masked|redacted|stripped|offloaded|pruned|compacted)\b"
    r"|已(省略|清除|删除|截断|移除|折叠)",
    re.IGNORECASE,
)
"""Words of the short texts that agents leave where content was."""
PLACE_HOLDER_LIMIT: Final = 400
"""Longest text, in characters, that is taken for a place-holder."""


class PairedBy(NamedTuple):
    """The message of the second context that is a rewritten one of the first, and why."""

    after: int
    certainty: Certainty
    evidence: str
    similarity: float | None


def share_keys(before: Sequence[Block], after: Sequence[Block]) -> bool:
    """Say whether two contexts share any id: then ids were not made anew between them."""
    known = {key for block in before for key in block.keys}
    return any(key in known for block in after for key in block.keys)


def keys_differ(a: Block, b: Block) -> bool:
    """Say whether both messages carry ids and not one is common: they are two messages, however alike."""
    return bool(a.keys) and bool(b.keys) and set(a.keys).isdisjoint(b.keys)


def pair_by_keys(
    before: Sequence[Block],
    after: Sequence[Block],
    open_before: list[int],
    open_after: list[int],
    paired: dict[int, int],
) -> dict[int, PairedBy]:
    """Pair messages that carry the same ids of tool calls or results."""
    by_key: dict[str, int] = {}
    for j in open_after:
        for key in after[j].keys:
            by_key.setdefault(key, j)
    pairs: dict[int, PairedBy] = {}
    used: set[int] = set()
    for i in open_before:
        for key in before[i].keys:
            match = by_key.get(key)
            if match is not None and match not in used:
                used.add(match)
                pairs[i] = PairedBy(match, "certain", f"the same tool call id {key.partition(':')[2]}", None)
                break
    return pairs


def pair_by_cut(
    before: Sequence[Block],
    after: Sequence[Block],
    open_before: list[int],
    open_after: list[int],
    paired: dict[int, int],
) -> dict[int, PairedBy]:
    """Pair a message with what is left of it: its head, its tail or both, and perhaps a mark of the cut.

    The whole later text, less the mark, must be the head (or tail) of exactly one earlier text.
    """
    remains: dict[int, str] = {}
    for j in open_after:
        remains[j] = strip_mark(after[j].text)
    claims: dict[int, list[int]] = {j: [] for j in open_after}
    starts: dict[str, list[int]] = {}
    for j in open_after:
        if len(remains[j]) >= LEAST_REMAINS:
            starts.setdefault(remains[j][:LEAST_REMAINS], []).append(j)
    for i in open_before:
        for j in starts.get(before[i].text[:LEAST_REMAINS], ()):
            if len(remains[j]) < len(before[i].text) and before[i].text.startswith(remains[j]):
                claims[j].append(i)
    pairs: dict[int, PairedBy] = {}
    stable = share_keys(before, after)
    near = between_same_neighbours(len(before), len(after), open_before, open_after, paired)
    rows = {i: row for row, i in enumerate(open_before)}
    for column, j in enumerate(open_after):
        candidates = [i for i in claims[j] if i not in pairs and not (stable and keys_differ(before[i], after[j]))]
        if len(candidates) > 1:
            candidates = [i for i in candidates if near[rows[i], column]]
        if len(candidates) == 1:
            pairs[candidates[0]] = PairedBy(j, "certain", "its beginning, word for word", 1.0)
    return pairs


def pair_by_words(
    before: Sequence[Block],
    after: Sequence[Block],
    open_before: list[int],
    open_after: list[int],
    paired: dict[int, int],
) -> dict[int, PairedBy]:
    """Pair messages by the words they share, so that the whole assignment is best.

    Of two equally good candidates the one between the same neighbours wins; elsewhere in the
    context more words must agree.
    """
    if not open_before or not open_after or len(open_before) * len(open_after) > MOST_PAIRS:
        return {}
    left = [strip_mark(before[i].text) for i in open_before]
    right = [strip_mark(after[j].text) for j in open_after]
    overlaps = weigh_overlaps(left, right)
    shared = overlaps.shared
    smaller = np.minimum.outer(overlaps.left, overlaps.right)
    larger = np.maximum.outer(overlaps.left, overlaps.right)
    with np.errstate(divide="ignore", invalid="ignore"):
        contained = np.where(smaller > 0, shared / smaller, 0.0)
        ratio = np.where(larger > 0, smaller / larger, 0.0)
        both = np.where(larger > 0, shared / larger, 0.0)
    near = between_same_neighbours(len(before), len(after), open_before, open_after, paired)
    small = np.logical_or.outer(_are_small(left), _are_small(right))
    contained[small & (both < SMALL_BOTH)] = 0.0
    contained[contained < np.where(near, ACCEPT_NEAR, ACCEPT)] = 0.0
    codes = {role: code for code, role in enumerate({block.role for block in (*before, *after)})}
    roles = [np.array([codes[block.role] for block in blocks]) for blocks in (before, after)]
    other_role = np.not_equal.outer(roles[0][open_before], roles[1][open_after])
    contained[other_role & (both < OTHER_ROLE)] = 0.0
    if share_keys(before, after):
        contained[_differ_in_keys(before, after, open_before, open_after)] = 0.0
    grown = (contained > 0) & (ratio < LOPSIDED) & (overlaps.left[:, None] < overlaps.right[None, :])
    contained[grown & (grown.sum(axis=0) >= SEVERAL)] = 0.0
    score = np.where(contained > 0, contained + FULLER * both + NEIGHBOURS * near, 0.0)
    pairs: dict[int, PairedBy] = {}
    for x, y in _assign(score, (ratio < LOPSIDED) & (score > 0), left, right):
        share = float(contained[x, y])
        certainty: Certainty = "likely" if share >= SURE else "a guess"
        evidence = f"{round(share * 100)} % of the shorter text's words, rare ones counting more"
        pairs[open_before[x]] = PairedBy(open_after[y], certainty, evidence, share)
    return pairs


def _differ_in_keys(
    before: Sequence[Block], after: Sequence[Block], open_before: list[int], open_after: list[int]
) -> NDArray[np.bool_]:
    has_left = np.array([bool(before[i].keys) for i in open_before])
    has_right = np.array([bool(after[j].keys) for j in open_after])
    differ: NDArray[np.bool_] = has_left[:, None] & has_right[None, :]
    columns = {key: column for column, j in enumerate(open_after) for key in after[j].keys}
    for row, i in enumerate(open_before):
        for key in before[i].keys:
            if key in columns:
                differ[row, columns[key]] = False
    return differ


def _assign(
    score: NDArray[np.float64], lopsided: NDArray[np.bool_], left: list[str], right: list[str]
) -> list[tuple[int, int]]:
    """The best assignment whose lopsided pairs hold: the shorter text is a piece of the longer one.

    Looking at the texts of all pairs costs texts squared, so only chosen pairs are looked at, and the
    choice is made again without those that fail.
    """
    lefts, rights = _Pieces(left), _Pieces(right)
    for _ in range(ROUNDS):
        chosen = [(x, y) for x, y in _best(score) if score[x, y] > 0]
        failed = [(x, y) for x, y in chosen if lopsided[x, y] and not _is_piece(lefts[x], rights[y])]
        for x, y in failed:
            score[x, y] = 0.0
        lopsided[tuple(np.array(chosen).T)] = False
        if not failed:
            return chosen
    return [(x, y) for x, y in chosen if score[x, y] > 0]


def _best(score: NDArray[np.float64]) -> list[tuple[int, int]]:
    """The assignment with the largest sum; of every pair in it that scores 0, any other will do as well."""
    rows = np.flatnonzero(score.max(axis=1) > 0)
    columns = score[rows].argmax(axis=1)
    best = score[rows, columns]
    alone = (score[rows] == best[:, None]).sum(axis=1) == 1
    if len(set(columns.tolist())) == len(columns) and (alone.all() or len(score) == 1):
        return list(zip(rows.tolist(), columns.tolist(), strict=True))  # each gets the one it wants most
    from scipy.optimize import linear_sum_assignment  # half a second to load, and seldom needed

    return [(int(x), int(y)) for x, y in zip(*linear_sum_assignment(score, maximize=True), strict=True)]


class _Pieces(dict[int, str]):
    """The words of texts, joined by single spaces, made when they are asked for."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__()
        self._texts = texts

    def __missing__(self, place: int) -> str:
        self[place] = " ".join(words_of(self._texts[place]))
        return self[place]


def _are_small(texts: list[str]) -> NDArray[np.bool_]:
    return np.array([len(words_of(text[:200])) < SMALL for text in texts])


def between_same_neighbours(
    before: int, after: int, open_before: list[int], open_after: list[int], paired: dict[int, int]
) -> NDArray[np.bool_]:
    """Which open pairs stand between the same paired neighbours on both sides, n × m."""
    low, high = [-1] * before, [after] * before
    last = -1
    for i in range(before):
        last = paired.get(i, last)
        low[i] = last
    last = after
    for i in reversed(range(before)):
        last = paired.get(i, last)
        high[i] = last
    places = np.array(open_after)
    lows, highs = np.array([low[i] for i in open_before]), np.array([high[i] for i in open_before])
    return (places[None, :] > lows[:, None]) & (places[None, :] < highs[:, None])


def _is_piece(before: str, after: str) -> bool:
    """Whether the shorter of two joined words is, at enough of the places looked at, word for word in the longer."""
    short, long = sorted((before, after), key=len)
    if len(short) <= PIECE:
        return short in long
    step = max(1, (len(short) - PIECE) // PROBES)
    probes = [short[at : at + PIECE] for at in range(0, len(short) - PIECE + 1, step)]
    wanted = FOUND_IN_LONGER if len(after) > len(before) else FOUND_IN_SHORTER
    return sum(probe in long for probe in probes) >= wanted * len(probes)


def pair_by_place_holder(
    before: Sequence[Block],
    after: Sequence[Block],
    open_before: list[int],
    open_after: list[int],
    paired: dict[int, int],
) -> dict[int, PairedBy]:
    """Pair a message with the place-holder that stands exactly where it stood.

    Only where its neighbours on both sides are paired with the place-holder's neighbours, the role
    is the same and the new text says that something was left out.
    """
    free = {j for j in open_after if len(after[j].text) <= PLACE_HOLDER_LIMIT and PLACE_HOLDER.search(after[j].text)}
    known = dict(paired)
    back = {j: i for i, j in known.items()}
    pairs: dict[int, PairedBy] = {}
    for i in open_before:
        j = known[i - 1] + 1 if i - 1 in known else (0 if i == 0 else None)
        if j is None or j not in free or before[i].role != after[j].role:
            continue
        follower = back.get(j + 1)
        if follower == i + 1 or (j + 1 == len(after) and i + 1 == len(before)):
            free.discard(j)
            back[j], known[i] = i, j
            evidence = "a place-holder stands exactly where it stood"
            pairs[i] = PairedBy(j, "likely", evidence, None)
    return pairs
