// The bands of the Session canvas, top to bottom: the token stack and the rows of marks.
// A band is {name, label, height, shown(lane), draw(pen, scene, band), tips(scene, place, y, band), and where its
// marks lead elsewhere target(scene, place)}; `scene` holds the session, the lane, the geometry of the x axis and the colours. Rows of messages
// (lifelines) stand below, in a canvas of their own that scrolls (session_lifelines.js).

const MARK_FONT = 13;
const LABEL_FONT = 11;
const SYMBOL_WIDTH = 11; // px a symbol needs for itself
const GRAVEST_FIRST = ["lost", "condensed", "altered", "here", "same"];
const CHANGES_TOLD = 6; // changes of a call that its tooltip names
const HOLLOW = 0.22; // alpha of the inside of a failed call's column
const UNKNOWN_HEIGHT = 22; // px of the box that stands for a call with unknown tokens
const NEAR_WINDOW = 0.6; // the window line is drawn from this fill on; below, it would flatten the picture
const HEADROOM = 1.07; // of the scale above the largest figure, for the label of the top line

const STACK = {
  name: "tokens",
  label: "",
  height: 0, // what the other bands leave
  shown: () => true,
  draw: drawStack,
  tips: stackTips,
};

const MARK_BANDS = [
  {
    name: "compactions",
    label: "compactions",
    height: 18,
    shown: (lane) => lane.calls.length > 1,
    draw: (pen, scene, band) =>
      drawMarks(pen, scene, band, lanePlaces(scene, scene.lane.compactions), (marks) =>
        marks.find((mark) => !mark.faint) ?? marks[marks.length - 1]),
    tips: (scene, place) => (scene.lane.compactions.get(place) ?? []).flatMap((mark) => mark.lines),
  },
  {
    name: "changes",
    label: "lost, changed",
    height: 18,
    shown: (lane) => lane.calls.length > 1,
    draw: (pen, scene, band) =>
      drawMarks(pen, scene, band, lanePlaces(scene, scene.lane.changes), (changes) => {
        const kinds = changes.map(({ event }) => event.fate.kind);
        return changes[kinds.indexOf(GRAVEST_FIRST.find((kind) => kinds.includes(kind)))].event.fate;
      }),
    tips: (scene, place) => changeTips(scene.session, scene.lane.changes.get(place) ?? []),
  },
  {
    name: "pins",
    label: "pins",
    height: 14,
    shown: (lane) => lane.calls.length > 1,
    draw: drawPins,
    tips: pinTips,
  },
  {
    name: "errors",
    label: "errors",
    height: 18,
    shown: (lane) => lane.troubles,
    draw: drawTroubles,
    tips: (scene, place) => {
      const { note = "", attempts = 1 } = scene.lane.calls[place] ?? {};
      return [note, attempts > 1 && `${attempts} attempts`].filter(Boolean);
    },
  },
  {
    name: "events",
    label: "events",
    height: 18,
    shown: (lane) => lane.events.size > 0,
    draw: (pen, scene, band) =>
      drawMarks(pen, scene, band, lanePlaces(scene, scene.lane.events), (groups) => {
        const kinds = new Set(groups.flatMap((group) => group.kinds));
        const kind = EVENT_RANK.find((name) => kinds.has(name));
        return { symbol: EVENT_SYMBOLS[kind] ?? ANY_EVENT, kind: "same" };
      }),
    tips: (scene, place) =>
      (scene.lane.events.get(place) ?? []).flatMap((group) => [
        ...group.texts,
        ...(group.count > group.texts.length ? [`and ${group.count - group.texts.length} more`] : []),
      ]),
  },
  PROBES_BAND,
  AT_ONCE_BAND,
  {
    name: "turn",
    label: "turn",
    height: 18,
    shown: () => true,
    draw: drawTurns,
    tips: () => [],
  },
];

// ---- the token stack -------------------------------------------------------------------------

// The largest figure of the scale: calls, budget and threshold; the window only when it is near.
function stackScale(lane) {
  let most = 1;
  let limit = 0;
  let window = 0;
  for (const call of lane.calls) {
    most = Math.max(most, knownTokens(call) ?? 0, call.counted ?? 0);
    limit = Math.max(limit, call.budget ?? 0, call.threshold ?? 0);
    window = Math.max(window, call.window ?? 0);
  }
  const near = window > 0 && most >= NEAR_WINDOW * window;
  return { most, top: Math.max(most, limit, near ? window : 0) * HEADROOM, window, near };
}

function drawStack(pen, scene, band) {
  const { colours, session, lane } = scene;
  const scale = (band.scale = stackScale(lane));
  const bottom = band.top + band.height;
  const y = (tokens) => Math.round(bottom - (tokens / scale.top) * band.height);
  band.y = y;
  drawScale(pen, scene, band);
  const columns = pictureColumns(scene);
  const full = columns.filter(({ call }) => call.counted !== null && call.status !== "failed");
  const hollow = columns.filter(({ call }) => call.counted !== null && call.status === "failed");
  const bases = new Map(columns.map((column) => [column, 0]));
  session.layers.forEach((layer, row) => {
    if (layer.key === UNATTRIBUTED) return;
    for (const [list, alpha] of [[full, 1], [hollow, HOLLOW]]) {
      if (!list.length) continue;
      pen.globalAlpha = alpha;
      pen.fillStyle = colours.pattern(pen, layer.key);
      for (const column of list) {
        const amount = column.call.amounts[row];
        if (!amount) continue;
        const base = bases.get(column);
        const [low, high] = [y(base), y(base + amount)];
        bases.set(column, base + amount);
        pen.fillRect(column.x, high, column.width, low - high - (low - high > 2 ? 1 : 0));
      }
    }
  });
  pen.globalAlpha = 1;
  for (const column of hollow) outlineColumn(pen, column, y(column.call.counted), bottom, colours.lost);
  for (const column of columns) drawRest(pen, scene, column, y, bottom);
  drawLimits(pen, scene, band);
}

// What no layer explains: an outline above the count; a tick where the provider says less than the count.
function drawRest(pen, scene, column, y, bottom) {
  const { call, x, width } = column;
  const { colours } = scene;
  const total = knownTokens(call);
  if (total === null) {
    pen.setLineDash([3, 2]);
    outlineColumn(pen, column, bottom - UNKNOWN_HEIGHT, bottom, colours.muted);
    pen.setLineDash([]);
    if (width < 8) return;
    text(pen, colours.muted, LABEL_FONT, "center").fillText("?", x + width / 2, bottom - UNKNOWN_HEIGHT / 2);
  } else if (call.counted === null) {
    outlineColumn(pen, column, y(total), bottom, colours.muted);
  } else if (call.unattributed > 0) {
    const [high, low] = [y(call.counted + call.unattributed), y(call.counted)];
    if (low - high >= 2) outlineColumn(pen, column, high, low, colours.muted);
    else line(pen, colours.muted, 1, x, low - 0.5, x + width, low - 0.5);
  } else if (call.unattributed < 0) {
    const level = y(call.counted + call.unattributed) - 0.5;
    if (y(call.counted) + 2 < level) line(pen, colours.background, 1, x, level, x + width, level);
  }
}

function outlineColumn(pen, column, high, low, colour) {
  pen.strokeStyle = colour;
  pen.lineWidth = 1;
  if (column.width < 3) {
    line(pen, colour, 1, column.x, high + 0.5, column.x + column.width, high + 0.5);
    return;
  }
  pen.strokeRect(column.x + 0.5, high + 0.5, column.width - 1, Math.max(1, low - high - 1));
}

// Rules and their figures, left of the columns.
function drawScale(pen, scene, band) {
  const { colours, left, right } = scene;
  const step = niceStep(band.scale.top / Math.max(2, Math.floor(band.height / 70)));
  for (let tokens = 0; tokens <= band.scale.top; tokens += step) {
    const level = band.y(tokens) + (tokens ? 0.5 : -0.5);
    pen.globalAlpha = tokens ? 0.7 : 1;
    line(pen, colours.line, 1, left, level, right, level);
    pen.globalAlpha = 1;
    if (level - band.top < LABEL_FONT / 2) continue;
    text(pen, colours.muted, LABEL_FONT, "right").fillText(shortTokens(tokens), left - 6, Math.min(level, band.top + band.height - 5));
  }
}

function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  return Math.max(1, power * [1, 2, 5, 10].find((factor) => factor * power >= rough));
}

// Short figures stand at the axis only (12k); everywhere else they are whole.
function shortTokens(tokens) {
  if (tokens >= 1e6) return `${tokens / 1e6}M`;
  return tokens >= 1000 ? `${tokens / 1000}k` : String(tokens);
}

function drawLimits(pen, scene, band) {
  const { lane, colours } = scene;
  const last = lane.calls[lane.calls.length - 1];
  const share = last.threshold && last.budget ? ` ${formatShare(last.threshold / last.budget)}` : ` ${formatTokens(last.threshold)}`;
  const whole = last.budget === last.window; // one line, not two over each other
  const limits = [
    { key: "window", label: `window ${formatTokens(last.window)}`, dash: [], colour: colours.lost, on: band.scale.near && !whole },
    { key: "budget", label: `budget${whole ? " = window" : ""} ${formatTokens(last.budget)}`, dash: [], colour: colours.text, on: true },
    { key: "threshold", label: `compact at${share}`, dash: [4, 3], colour: colours.text, on: true },
  ];
  const taken = [];
  for (const limit of limits) {
    if (!limit.on || last[limit.key] === null) continue;
    const level = drawLimit(pen, scene, band, limit);
    // Above its line where there is room, else below it: at the top of the band a label would lie on its own line.
    const places = [level - 8, level + 9].filter((y) => y >= band.top + 6);
    const at = places.find((y) => taken.every((other) => Math.abs(other - y) >= 14)) ?? places[0];
    taken.push(at);
    haloText(pen, scene, limit.label, scene.left + 4, at, limit.colour);
  }
}

// One limit as a line of steps: a session may change its budget on the way. Returns the last level.
function drawLimit(pen, scene, band, limit) {
  const { calls } = scene.lane;
  pen.save();
  clipColumns(pen, scene, band);
  pen.strokeStyle = limit.colour;
  pen.lineWidth = 1;
  pen.setLineDash(limit.dash);
  pen.beginPath();
  let from = 0;
  for (let place = 1; place <= calls.length; place += 1) {
    if (place < calls.length && calls[place][limit.key] === calls[from][limit.key]) continue;
    const tokens = calls[from][limit.key];
    if (tokens !== null) {
      const level = band.y(tokens) + 0.5;
      pen.moveTo(scene.edge(from), level);
      pen.lineTo(place === calls.length ? scene.right : scene.edge(place), level);
    }
    from = place;
  }
  pen.stroke();
  pen.restore();
  return band.y(calls[calls.length - 1][limit.key]);
}

function stackTips(scene, place, y, band) {
  const call = scene.lane.calls[place];
  if (!call) return [];
  const lines = [tokensLine(call)];
  let base = 0;
  scene.session.layers.forEach((layer, row) => {
    const amount = call.amounts[row];
    if (!amount || amount < 0) return;
    if (y <= band.y(base) && y > band.y(base + amount)) {
      const share = formatShare(amount / (knownTokens(call) || 1));
      lines.push({ layer: layer.key, text: `${layer.name} ${formatTokens(amount)} · ${share} (${call.origins[row]})` });
    }
    base += amount;
  });
  return lines.concat(call.server || [], overlapWords(call), call.note || [], pinWords(call) || [], probeWords(call) || []);
}

// "11,320 counted (o200k_base) · 11,352 by the provider · 32 unattributed"
function tokensLine(call) {
  const parts = [];
  if (call.counted !== null) parts.push(`${formatTokens(call.counted)} counted (${call.countedOrigin})`);
  if (call.provider !== null) parts.push(`${formatTokens(call.provider)} by the provider`);
  if (call.estimated && call.tokens !== call.counted) parts.push(`≈ ${formatTokens(call.tokens)} ${call.tokensOrigin}`);
  if (call.unattributed !== null) parts.push(`${formatTokens(call.unattributed)} unattributed`);
  return parts.join(" · ") || "tokens unknown";
}

// ---- rows of marks ---------------------------------------------------------------------------

// Places of a map that are in view, in order.
function lanePlaces(scene, marks) {
  const [first, last] = scene.range();
  return [...marks.entries()].filter(([place]) => place >= first && place <= last + 1).sort(([a], [b]) => a - b);
}

// One symbol a column. Where they would cover each other the graver one is drawn, the others are ticks.
function drawMarks(pen, scene, band, entries, style) {
  const middle = band.top + band.height / 2;
  const marks = entries.map(([place, found]) => ({ x: Math.min(scene.centre(place), scene.right - 5), ...style(found) }));
  const taken = [];
  for (const rank of GRAVEST_FIRST) {
    for (const mark of marks) {
      if (mark.kind !== rank) continue;
      const hidden = scene.step < SYMBOL_WIDTH && taken.some((x) => Math.abs(x - mark.x) < SYMBOL_WIDTH);
      pen.globalAlpha = mark.faint ? 0.5 : 1;
      if (hidden) {
        line(pen, scene.colours[rank], 1, Math.round(mark.x) + 0.5, band.top + band.height - 5, Math.round(mark.x) + 0.5, band.top + band.height - 1);
      } else {
        taken.push(mark.x);
        text(pen, scene.colours[rank], MARK_FONT, "center", 700).fillText(mark.symbol, mark.x, middle + 0.5);
      }
      pen.globalAlpha = 1;
    }
  }
}

function drawPins(pen, scene, band) {
  const { lane, colours } = scene;
  const [first, last] = scene.range();
  const middle = band.top + band.height / 2;
  clipColumns(pen, scene, band);
  for (let place = first; place <= last; place += 1) {
    const gone = lane.calls[place].pinsGone.length > 0;
    if (!gone && !lane.pinsHeld[place]) continue;
    let end = place;
    const same = (next) => lane.calls[next].pinsGone.length > 0 === gone && (gone || lane.pinsHeld[next] > 0);
    while (end < last && same(end + 1)) end += 1;
    pen.setLineDash(gone ? [Math.max(5, scene.step - 3), 3] : []);
    line(pen, gone ? colours.lost : colours.same, gone ? 4 : 2, scene.edge(place), middle, scene.edge(end + 1), middle);
    pen.setLineDash([]);
    place = end;
  }
}

function pinTips(scene, place) {
  const [call, held] = [scene.lane.calls[place], scene.lane.pinsHeld[place]];
  if (!call) return [];
  const gone = call.pinsGone.map((pin) => `✕ ${pin.text} (${pin.words})`);
  if (!held) return ["no pin counts for this call"];
  return [`${Math.max(0, held - gone.length)} of ${formatCount(held, "pin")} held`, ...gone];
}

// The changes of a call beside its compactions: a line a message, at most a few.
function changeTips(session, changes) {
  const lines = changes.slice(0, CHANGES_TOLD).map(({ event }) => {
    const message = session.lives.messages[event.number - 1];
    return `${event.fate.symbol} ${messageName(message)}: ${event.words}`;
  });
  return changes.length > CHANGES_TOLD ? [...lines, `and ${changes.length - CHANGES_TOLD} more`] : lines;
}

function drawTroubles(pen, scene, band) {
  const [first, last] = scene.range();
  const found = [];
  for (let place = first; place <= last; place += 1) {
    const call = scene.lane.calls[place];
    if (call.status !== "answered") found.push([place, STATUS_SYMBOLS[call.status]]);
    else if (call.attempts > 1) found.push([place, { symbol: `${call.attempts}×`, kind: "altered" }]);
  }
  drawMarks(pen, scene, band, found, (mark) => mark);
}

// Labels of turns at their first call, as many as fit.
function drawTurns(pen, scene, band) {
  const pencil = text(pen, scene.colours.muted, LABEL_FONT, "left");
  let free = -Infinity;
  for (const { place, label } of scene.turns) {
    const x = scene.edge(place);
    if (x < scene.left - 1 || x < free) continue;
    const width = pencil.measureText(label).width;
    if (x + width > scene.right) break;
    pencil.fillText(label, x + 1, band.top + band.height / 2);
    free = x + width + 7;
  }
}

// ---- pens ------------------------------------------------------------------------------------

let canvasFace = "sans-serif"; // set from the page's own face before each picture

function text(pen, colour, size, align, weight = 400) {
  pen.fillStyle = colour;
  pen.font = `${weight} ${size}px ${canvasFace}`;
  pen.textAlign = align;
  pen.textBaseline = "middle";
  return pen;
}

function haloText(pen, scene, label, x, y, colour) {
  text(pen, colour, LABEL_FONT, "left");
  pen.lineJoin = "round";
  pen.lineWidth = 3;
  pen.strokeStyle = scene.colours.background;
  pen.strokeText(label, x, y);
  pen.fillText(label, x, y);
}

function line(pen, colour, width, x0, y0, x1, y1) {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

function clipColumns(pen, scene, band) {
  pen.beginPath();
  pen.rect(scene.left, band.top, scene.right - scene.left, band.height);
  pen.clip();
}
