// Decodes the lives of messages (session_lives.py) and answers what changed from call to call.

const OVER_TOKENS = 500; // a message above this is one of the large ones

// Puts lives on a session: {messages, compactions, pins, orders, eventsAt}; lanes get their rows and marks.
function attachLives(session, data) {
  const fateOf = (number) => data.fates[number];
  const columns = data.messages;
  const messages = columns.text.map((text, at) => {
    const number = at + 1;
    const versions = groups(columns.versions[at], 3).map(([call, layer, tokens]) => ({ call, layer: data.layers[layer], tokens }));
    const events = groups(columns.events[number] ?? [], 4).map(([call, fate, words, other]) => ({
      number, call, fate: fateOf(fate), words: data.words[words], other: other || null,
    }));
    const last = versions[versions.length - 1];
    const end = events.findLast((event) => event.fate.kind === "lost" || event.fate.kind === "condensed" || event.fate.name === "returned");
    return {
      number, text, versions, events,
      older: groups(columns.older[number] ?? [], 2), // [call, text until then]
      lane: data.lanes[columns.lane[at]],
      runs: groups(columns.runs[at], 2),
      layer: last.layer,
      tokens: last.tokens,
      most: Math.max(...versions.map((version) => version.tokens ?? 0)),
      lost: events.some((event) => event.fate.kind === "lost" || event.fate.kind === "condensed"),
      changed: events.some((event) => event.fate.kind === "altered"),
      end: end && end.fate.name !== "returned" ? end : null,
      sources: [], // of a summary: the messages it took
      pins: [],
      commitments: [],
    };
  });
  data.commitments.forEach(([number, kind, words, why, watched], rank) =>
    messages[number - 1]?.commitments.push({ number, kind, text: words, why, watched: Boolean(watched), rank }),
  );
  const eventsAt = new Map();
  for (const message of messages) {
    for (const event of message.events) {
      if (!eventsAt.has(event.call)) eventsAt.set(event.call, []);
      eventsAt.get(event.call).push(event);
      if (event.other && event.fate.kind === "condensed") messages[event.other - 1]?.sources.push(message);
    }
  }
  const compactions = data.compactions.map((mark) => ({
    ...mark,
    ...(mark.fate === null ? ANY_COMPACTION : { symbol: fateOf(mark.fate).symbol, kind: fateOf(mark.fate).kind }),
    faint: !mark.recorded || !mark.done,
    has: spanTest(mark.taken),
    count: sum(groups(mark.taken, 2).map(([, count]) => count)),
  }));
  const pins = data.pins.map((pin) => ({
    ...pin,
    runs: groups(pin.runs, 3).map(([verdict, first, last]) => ({ ...data.verdicts[verdict], first, last })),
  }));
  for (const pin of pins) for (const number of pin.carriers) messages[number - 1]?.pins.push(pin);
  session.lives = { messages, compactions, pins, eventsAt, orders: readOrders(data.orders), steps: new Map(), quiet: data.quiet };
  for (const lane of session.lanes.values()) attachLane(session, lane);
}

function attachLane(session, lane) {
  const { messages, compactions, pins, eventsAt } = session.lives;
  lane.messages = messages.filter((message) => message.lane === lane.name);
  lane.compactions = byPlace(lane, compactions);
  lane.pinsHeld = lane.calls.map(() => 0);
  for (const call of lane.calls) call.pinsGone = [];
  for (const pin of pins) {
    if (!pin.lanes.includes(lane.name)) continue;
    for (const run of pin.runs) {
      for (const [place, call] of lane.calls.entries()) {
        if (call.number < run.first || call.number > run.last) continue;
        lane.pinsHeld[place] += 1;
        if (run.broken) call.pinsGone.push(pin);
      }
    }
  }
  // Compactions have a row of their own: the row of changes shows the rest.
  const changes = [];
  for (const call of lane.calls) {
    const own = lane.compactions.get(lane.place.get(call.number)) ?? [];
    const rest = (eventsAt.get(call.number) ?? []).filter((event) => !own.some((mark) => mark.has(event.number)));
    for (const event of rest) if (event.fate.kind !== "same") changes.push({ call: call.number, event });
  }
  lane.changes = byPlace(lane, changes);
}

function groups(flat, size) {
  const found = [];
  for (let at = 0; at < flat.length; at += size) found.push(flat.slice(at, at + size));
  return found;
}

function spanTest(flat) {
  const spans = groups(flat, 2);
  return (number) => spans.some(([first, count]) => number >= first && number < first + count);
}

// The message numbers of each prompt, from pieces copied from the prompt it continues.
function readOrders(entries) {
  const orders = new Map();
  for (const [call, before, pieces] of entries) {
    const source = orders.get(before)?.numbers ?? [];
    let length = 0;
    for (let at = 1; at < pieces.length; at += 2) length += pieces[at];
    const numbers = new Int32Array(length);
    let to = 0;
    for (let at = 0; at < pieces.length; at += 2) {
      const [from, count] = [pieces[at], pieces[at + 1]];
      for (let step = 0; step < count; step += 1) numbers[to + step] = from < 0 ? step - from : source[from + step];
      to += count;
    }
    orders.set(call, { numbers, before: before || null });
  }
  return orders;
}

// What a message was at a call: its layer and its tokens.
function versionAt(message, call) {
  let found = message.versions[0];
  for (const version of message.versions) {
    if (version.call > call) break;
    found = version;
  }
  return found;
}

// Its text at a call.
function textAt(message, call) {
  return message.older.find(([until]) => until > call)?.[1] ?? message.text;
}

const STEPS_KEPT = 64; // calls whose step is remembered

// The step to a call: {before, after: sides, groups of ribbons, events, added, kept}. Cached.
function stepTo(session, call) {
  const { lives } = session;
  const order = lives?.orders.get(call.number);
  if (!order) return null;
  let step = lives.steps.get(call.number);
  if (!step) {
    if (lives.steps.size >= STEPS_KEPT) lives.steps.delete(lives.steps.keys().next().value);
    step = readStep(session, call, order);
    lives.steps.set(call.number, step);
  }
  return step;
}

function readStep(session, call, order) {
  const { lives } = session;
  const before = order.before === null ? null : session.byNumber.get(order.before);
  const sides = {
    before: before && readSide(lives, before, lives.orders.get(before.number).numbers),
    after: readSide(lives, call, order.numbers),
  };
  const fates = new Map((lives.eventsAt.get(call.number) ?? []).map((event) => [event.number, event]));
  return { ...sides, ...readRibbons(sides, fates), fates, call, previous: before };
}

// One prompt as blocks: {numbers, layers, sizes, place: number → place, call}.
function readSide(lives, call, numbers) {
  const sizes = new Float64Array(numbers.length);
  const layers = new Array(numbers.length);
  const place = new Map();
  const unknown = [];
  let sum = 0;
  numbers.forEach((number, at) => {
    const { layer, tokens } = versionAt(lives.messages[number - 1], call.number);
    layers[at] = layer;
    place.set(number, at);
    if (tokens === null) unknown.push(at);
    else sum += sizes[at] = tokens;
  });
  // What nobody could count shares what the total leaves.
  const rest = Math.max(0, (knownTokens(call) ?? 0) - sum);
  for (const at of unknown) sizes[at] = rest / unknown.length;
  return { numbers, layers, sizes, place, call, loose: unknown.length ? 0 : rest };
}

// Groups of blocks that share a ribbon: {kind, first, last (places before), to, end (places after), number, other}.
function readRibbons({ before, after }, fates) {
  const ribbons = [];
  const added = [];
  let kept = 0;
  const extend = (ribbon) => {
    const last = ribbons[ribbons.length - 1];
    const joins = last && last.kind === ribbon.kind && last.last + 1 === ribbon.first && (last.kind === "lost" || (last.kind === "kept" && last.end + 1 === ribbon.to));
    if (!joins) return ribbons.push(ribbon);
    last.last = ribbon.last;
    last.end = ribbon.end;
    return undefined;
  };
  before?.numbers.forEach((number, at) => {
    const to = after.place.get(number);
    const event = fates.get(number);
    if (to !== undefined) {
      const kind = !event ? "kept" : event.fate.kind === "altered" ? "altered" : "moved";
      if (kind === "kept") kept += 1;
      extend({ kind, first: at, last: at, to, end: to, number });
      return;
    }
    const summary = event?.other ? after.place.get(event.other) : undefined;
    if (summary !== undefined) extend({ kind: "condensed", first: at, last: at, to: summary, end: summary, number });
    else extend({ kind: "lost", first: at, last: at, to: null, end: null, number });
  });
  const summaries = new Set(ribbons.map((ribbon) => (ribbon.kind === "condensed" ? ribbon.to : null)));
  after.numbers.forEach((number, at) => {
    if (before?.place.has(number) || summaries.has(at)) return; // a summary begins where its ribbons run together
    const last = added[added.length - 1];
    if (last && last.end + 1 === at) last.end = at;
    else added.push({ to: at, end: at });
  });
  return { ribbons, added: before ? added : [], kept };
}

// Words of a message in one line: "m67 summary".
function messageName(message) {
  return `m${message.number} ${message.layer.replace("_", " ")}`;
}

// "calls 1–12, 17–21"; of many stretches the first and how many more.
function runWords(message) {
  const spans = message.runs.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  const shown = spans.slice(0, 4).join(", ");
  const more = spans.length > 4 ? ` and ${spans.length - 4} more stretches` : "";
  return `in ${message.runs.length === 1 && message.runs[0][0] === message.runs[0][1] ? "call" : "calls"} ${shown}${more}`;
}

const tokensWords = (tokens) => (tokens === null ? "tokens unknown" : formatCount(tokens, "token"));
