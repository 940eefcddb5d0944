// Under the windows: what changed at the call, one line each; a line about a message selects it.

const NOTES_OF_A_FATE = 4; // messages of one fate that have a line each; more are told together

function fillNotes(host, session, call, step, hooks) {
  const lines = [...changeNotes(session, call, step), ...statusNotes(call), ...eventNotes(session, call)];
  host.replaceChildren(...lines.map((note) => noteLine(note, hooks)));
}

function noteLine({ symbol, kind, words, figure = "", message = null, title = null }, hooks) {
  const item = element("li");
  const text = element("span", "words", words);
  text.title = title ?? words;
  item.append(element("span", `symbol ${kind}`, symbol), text, element("span", "number muted", figure));
  if (message) {
    item.classList.add("of-message");
    item.addEventListener("click", () => hooks.selectMessage(message));
  }
  return item;
}

function changeNotes(session, call, step) {
  if (!step) return [];
  const { messages } = session.lives;
  const named = new Set(); // messages that a line about their pin tells already
  const pins = call.pinsGone.map((pin) => {
    const carrier = step.fates.has(pin.carrier) ? messages[pin.carrier - 1] : null;
    if (carrier) named.add(carrier.number);
    const run = pin.runs.find((one) => one.first <= call.number && call.number <= one.last);
    const verdict = run?.name ?? "gone";
    const since = run && run.first < call.number ? ` since call ${run.first}` : "";
    return {
      symbol: verdict === "altered" ? "≈" : "✕",
      kind: verdict === "altered" ? "altered" : "lost",
      words: `${pin.watched ? "watched" : "pinned"}, ${verdict}${since}: ${pin.text}`,
      title: `${pin.text}\n${pin.words}`,
      figure: carrier ? formatTokens(versionAt(carrier, call.number - 1).tokens) : "",
      message: pin.carrier,
    };
  });
  const marks = session.lives.compactions.filter((mark) => mark.call === call.number);
  const lines = [...summaryNotes(messages, step, marks), ...pins, ...markNotes(marks, step)];
  // What a compaction took is told with it, unless it shortened only a few.
  const told = (event) =>
    (event.fate.name === "evicted" && named.has(event.number))
    || marks.some((mark) => mark.has(event.number) && (event.fate.name === "evicted" || mark.count > NOTES_OF_A_FATE));
  for (const name of ["evicted", "truncated", "edited", "returned", "moved"]) {
    const events = [...step.fates.values()].filter((event) => event.fate.name === name && !told(event));
    lines.push(...fateNotes(messages, call, step, events));
  }
  return [...lines, ...addedNotes(messages, step), ...keptNotes(step)];
}

// "23 messages replaced by one summary  −3,791 → +604"
function summaryNotes(messages, step, marks) {
  const bySummary = new Map();
  for (const event of step.fates.values()) {
    if (event.fate.kind !== "condensed" || !event.other) continue;
    if (!bySummary.has(event.other)) bySummary.set(event.other, []);
    bySummary.get(event.other).push(event);
  }
  return [...bySummary].flatMap(([number, events]) => {
    const mark = marks.find((one) => one.summary === number);
    const unseen = mark?.tokensTaken ? mark.unseen : 0; // sent in this call, and gone before its model read them
    const taken = unseen ? mark.tokensTaken : sum(events.map((event) => sizeAt(step.before, event.number)));
    const left = sizeAt(step.after, number);
    const fresh = unseen ? ` (${formatTokens(unseen)} of them new)` : "";
    const line = {
      symbol: "Σ",
      kind: "condensed",
      words: `${formatCount(events.length + unseen, "message")}${fresh} replaced by one summary, m${number}`,
      figure: `${mark?.estimated ? "≈ " : ""}${formatChange(-taken)} → ${formatChange(left)}`,
      title: mark ? mark.lines.join("\n") : events[0].words,
      message: number,
    };
    return mark ? [line, ...mark.lines.slice(1).map(recordLine)] : [line];
  });
}

// What the record of a compaction says, and where the prompts contradict it.
function recordLine(words) {
  return words.startsWith("▲ ") ? { symbol: "▲", kind: "altered", words: words.slice(2) } : { symbol: "", kind: "muted", words };
}

// Compactions that no summary stands for.
function markNotes(marks, step) {
  const summaries = new Set([...step.fates.values()].map((event) => event.other));
  return marks
    .filter((mark) => !summaries.has(mark.summary))
    .flatMap((mark) => [
      {
        symbol: mark.symbol,
        kind: mark.kind,
        words: mark.lines.slice(0, 2).join(" "),
        figure: mark.kind === "lost" && mark.tokensTaken !== null ? formatChange(-mark.tokensTaken) : "",
      },
      ...mark.lines.slice(2).map(recordLine),
    ]);
}

function fateNotes(messages, call, step, events) {
  if (!events.length) return [];
  const { symbol, kind, name } = events[0].fate;
  const size = (event) => [sizeAt(step.before, event.number), sizeAt(step.after, event.number)];
  if (events.length > NOTES_OF_A_FATE) {
    const [was, now] = [0, 1].map((side) => sum(events.map((event) => size(event)[side])));
    const words = `${formatCount(events.length, "message")} ${FATE_VERBS[name]}`;
    return [{ symbol, kind, words, figure: figureOfChange(name, was, now), title: events[0].words }];
  }
  return events.map((event) => {
    const message = messages[event.number - 1];
    const [was, now] = size(event);
    return {
      symbol,
      kind,
      words: `${message.layer.replace("_", " ")}: ${textAt(message, call.number)}`,
      figure: figureOfChange(name, was, now),
      title: `${messageName(message)}: ${event.words}`,
      message: message.number,
    };
  });
}

const FATE_VERBS = { evicted: "taken out", truncated: "cut", edited: "rewritten", returned: "back", moved: "moved" };

function figureOfChange(name, was, now) {
  if (name === "evicted") return formatChange(-was);
  if (name === "returned") return formatChange(now);
  return name === "moved" ? "" : formatChange(now - was);
}

function addedNotes(messages, step) {
  if (!step.before) return [];
  const returned = (number) => step.fates.get(number)?.fate.name === "returned";
  const fresh = step.added.flatMap(({ to, end }) => [...step.after.numbers.subarray(to, end + 1)]);
  const added = fresh.filter((number) => !returned(number));
  if (added.length > NOTES_OF_A_FATE) {
    const tokens = sum(added.map((number) => sizeAt(step.after, number)));
    return [{ symbol: "+", kind: "here", words: `${formatCount(added.length, "message")} added`, figure: formatChange(tokens) }];
  }
  return added.map((number) => {
    const message = messages[number - 1];
    const layer = step.after.layers[step.after.place.get(number)].replace("_", " ");
    return { symbol: "+", kind: "here", words: `${layer}: ${textAt(message, step.call.number)}`, figure: formatChange(sizeAt(step.after, number)), message: number };
  });
}

function keptNotes(step) {
  if (!step.before) return [{ symbol: "·", kind: "muted", words: `${formatCount(step.after.numbers.length, "message")}; nothing came before` }];
  return [{ symbol: "·", kind: "muted", words: `${formatCount(step.kept, "message")} unchanged` }];
}

function statusNotes(call) {
  const atOnce = overlapWords(call).map((words) => ({ symbol: "⊓", kind: "altered", words }));
  const server = call.server ? [{ symbol: "≠", kind: "altered", words: `${call.server}, framing included: the window is what the model saw` }] : [];
  return call.note ? [...atOnce, ...server, { ...STATUS_SYMBOLS[call.status], words: call.note }] : [...atOnce, ...server];
}

function eventNotes(session, call) {
  const lane = session.lanes.get(call.lane);
  const found = lane.events.get(lane.place.get(call.number)) ?? [];
  return found.flatMap((group) => group.texts).map((words) => ({ symbol: "·", kind: "muted", words }));
}

const sum = (values) => values.reduce((total, value) => total + value, 0);

// Tokens of a message on a side; 0 where it does not stand there.
function sizeAt(side, number) {
  const at = side?.place.get(number);
  return at === undefined ? 0 : Math.round(side.sizes[at]);
}
