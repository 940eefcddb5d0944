// What the strip knows of a session: columns by call and the ways to step through them.

class StripModel {
  constructor(session) {
    Object.assign(this, session);
    this.count = this.turns.length;
    this.laneOf = new Map();
    for (const [lane, numbers] of this.lanes) for (const number of numbers) this.laneOf.set(number, lane);
    this.failedCalls = new Set(this.failed);
  }

  clamp(call) {
    return Math.min(Math.max(1, call ?? this.default_call), this.count);
  }

  laneCalls(call) {
    const lane = this.laneOf.get(call);
    return this.lanes.find(([name]) => name === lane)?.[1] ?? [];
  }

  // The call `step` places on in the same lane, or null at its end.
  beside(call, step) {
    const numbers = this.laneCalls(call);
    return numbers[numbers.indexOf(call) + step] ?? null;
  }

  // First call of the next turn, or of this turn and then of the one before.
  turnBeside(call, step) {
    const numbers = this.laneCalls(call);
    const turn = (at) => this.turns[numbers[at] - 1];
    let at = numbers.indexOf(call);
    if (step > 0) {
      while (at < numbers.length && turn(at) === this.turns[call - 1]) at += 1;
      return numbers[at] ?? null;
    }
    const start = at;
    while (at > 0 && turn(at - 1) === turn(start)) at -= 1;
    if (at < start) return numbers[at];
    if (at === 0) return null;
    at -= 1;
    while (at > 0 && turn(at - 1) === turn(at)) at -= 1;
    return numbers[at];
  }

  // Next of a list of call numbers in a direction; `around` goes on at the other end.
  next(numbers, call, step, around = false) {
    const ordered = [...numbers].sort((a, b) => a - b);
    if (step > 0) return ordered.find((number) => number > call) ?? (around ? ordered[0] : null) ?? null;
    return ordered.reverse().find((number) => number < call) ?? (around ? ordered[0] : null) ?? null;
  }

  compactionCalls() {
    return [...new Set(this.compactions.map(([call]) => call))];
  }

  callsOfRank(rank) {
    return this.ranks.flatMap((worst, at) => (worst === rank ? [at + 1] : []));
  }

  // A call from what a reader types: `30`, or `t14` for the first call of a turn.
  find(typed) {
    const text = typed.trim().toLowerCase();
    if (/^[0-9]+$/.test(text)) {
      const call = Number(text);
      return call >= 1 && call <= this.count ? call : null;
    }
    const at = this.turns.findIndex((turn) => turn.toLowerCase() === text);
    return at < 0 ? null : at + 1;
  }

  // `turn 14 · call 30 of 46`
  place(call) {
    const turn = this.turns[call - 1];
    const known = /^t[0-9]/.test(turn) ? `turn ${turn.slice(1)}` : turn === "t?" ? "turn ?" : turn;
    return `${known} · call ${formatTokens(call)} of ${formatTokens(this.count)}`;
  }

  fill(call) {
    const [tokens, limit] = [this.tokens[call - 1], this.limits[call - 1]];
    return tokens === null || !limit ? null : tokens / limit;
  }

  // The line a screen reader hears: `call 30, turn 14, 11,320 tokens, one pin gone`.
  spoken(call) {
    const parts = [`call ${call}`, this.turns[call - 1].replace(/^t/, "turn "), `${formatTokens(this.tokens[call - 1])} tokens`];
    if (this.failedCalls.has(call)) parts.push("failed");
    const gone = this.gone_from.filter((number) => number <= call).length;
    if (gone) parts.push(`${formatCount(gone, "pin")} gone`);
    if (this.compactions.some(([number]) => number === call)) parts.push("compaction before it");
    return parts.join(", ");
  }
}
