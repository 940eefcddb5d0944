// Decodes the payload of the Session page (session_payload.py): columns become one object a call.

const STATUS_SYMBOLS = {
  failed: { symbol: "●", kind: "lost" },
  incomplete: { symbol: "▲", kind: "altered" },
  "no answer": { symbol: "○", kind: "same" },
};
const ANY_COMPACTION = { symbol: "▼", kind: "altered" };
const EVENT_SYMBOLS = { state: "◆", retrieval: "◇", tool: "□", probe: "?" };
const EVENT_RANK = Object.keys(EVENT_SYMBOLS); // where a call has several kinds, the first of these is drawn
const ANY_EVENT = "▪";
const UNATTRIBUTED = "unattributed";

// A column is a list, runs of equal values, or the one value that every call has.
function expand(column, length) {
  if (Array.isArray(column)) return column;
  if (column === null || typeof column !== "object") return new Array(length).fill(column);
  return column.runs.flatMap(([value, count]) => new Array(count).fill(value));
}

// Returns {layers, calls, byNumber, lanes: Map(name → lane)}; a lane holds only its own calls, in order.
function decodeSession(data) {
  const columns = expandColumns(data.calls);
  const layers = data.layers;
  const plain = ["number", "turn", "lane", "purpose", "status", "attempts", "tokens", "tokensOrigin", "estimated", "counted",
    "countedOrigin", "provider", "unattributed", "window", "budget", "threshold", "model", "messages"];
  const calls = columns.number.map((number, index) => {
    const call = {
      previous: null,
      note: columns.note[number] || "",
      server: columns.server[number] || "",
      overlaps: columns.overlaps[number]?.calls ?? [],
      overlapWords: columns.overlaps[number]?.words ?? "",
      pinsGone: [],
      probes: null,
    };
    for (const name of plain) call[name] = columns[name][index];
    call.amounts = layers.map((layer) => layerAmount(columns, layer.key, index));
    call.origins = layers.map((layer) =>
      layer.key === UNATTRIBUTED ? "the provider less the count" : columns.origins[layer.key][index],
    );
    return call;
  });
  const byNumber = new Map(calls.map((call) => [call.number, call]));
  const lanes = new Map();
  calls.forEach((call, index) => {
    call.previous = byNumber.get(columns.previous[index]) || null;
    if (!lanes.has(call.lane)) lanes.set(call.lane, { name: call.lane, calls: [], place: new Map() });
    const lane = lanes.get(call.lane);
    lane.place.set(call.number, lane.calls.length);
    lane.calls.push(call);
  });
  for (const lane of lanes.values()) {
    lane.events = byPlace(lane, data.events);
    lane.troubles = lane.calls.some((call) => call.status !== "answered" || call.attempts > 1);
    lane.probes = new Map();
    lane.pinsHeld = lane.calls.map(() => 0);
    lane.compactions = lane.changes = new Map();
    lane.messages = [];
    lane.largest = Math.max(...lane.calls.map((call) => call.messages)); // rows of lifelines at least
  }
  return { session: data.session, layers, calls, byNumber, lanes, lives: null };
}

function expandColumns(columns) {
  const length = columns.number.length;
  const { note, server, overlaps, layers, origins, ...others } = columns;
  const all = (group) => Object.fromEntries(Object.entries(group).map(([name, column]) => [name, expand(column, length)]));
  return { ...all(others), note, server, overlaps, layers: all(layers), origins: all(origins) };
}

// Tokens of one layer; null where unknown.
function layerAmount(columns, key, index) {
  if (key === UNATTRIBUTED) return columns.unattributed[index];
  return columns.counted[index] === null ? null : columns.layers[key][index];
}

// Marks by the place of their column in a lane; a mark after the last call stands at its edge.
function byPlace(lane, marks) {
  const found = new Map();
  for (const mark of marks) {
    const late = mark.call === null && mark.lane === lane.name;
    const at = late ? lane.calls.length : lane.place.get(mark.call);
    if (at === undefined) continue;
    if (!found.has(at)) found.set(at, []);
    found.get(at).push(mark);
  }
  return found;
}

// What happened to the pins of a call, in words; empty where none is gone.
function pinWords(call) {
  const gone = call.pinsGone.length;
  if (!gone) return "";
  return gone === 1 ? "one pin gone" : `${gone} pins gone`;
}

// Total to draw: the figure shown, or what is counted, or null where nothing is known.
function knownTokens(call) {
  if (call.tokens !== null) return call.tokens;
  return call.counted;
}

// The line that is read aloud: "call 30, turn 14, 11,320 tokens, one pin gone".
function spokenCall(call) {
  const tokens = knownTokens(call);
  return [
    `call ${call.number}`,
    call.turn.startsWith("t") ? `turn ${call.turn.slice(1)}` : `turn ${call.turn}`,
    tokens === null ? "tokens unknown" : `${formatTokens(tokens)} tokens`,
    call.note,
    pinWords(call),
    probeWords(call),
  ]
    .filter(Boolean)
    .join(", ");
}

// Title of a call as it stands everywhere: "Call 30 · turn 14".
function callTitle(call) {
  return `Call ${call.number} · turn ${call.turn.replace(/^t/, "")}`;
}
