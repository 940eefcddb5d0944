// Lifelines: under the chart and on its x axis a row a message, a bar where it stood, a symbol where something
// happened to it, dots where it is gone. Only the rows in sight are drawn.

const ROW = 18; // px
const BAR = [5, 8]; // px from the top of a row, and height
const LEFT_WIDTH = 296; // px left of the chart, as in session.css
const CODE_AT = 16; // px: swatch, then the two-letter code,
const NUMBER_AT = 40; // the message's number
const TEXT_GAP = 8; // px before its text
const TOKENS_END = 272; // and its tokens
const ABSENT_ALPHA = 0.62; // of the words of a message that is not in the selected call

// `hooks`: select(number), open(message, call), step(call), tip(lines, x, y) or tip(null), wheel(event, x).
function createLifelines(host, use, scene, hooks) {
  const view = element("div", "lives-view");
  const canvas = element("canvas", "lives-picture");
  const mark = element("div", "lives-mark");
  const note = element("div", "lives-note muted");
  const spacer = element("div", "lives-spacer");
  view.append(canvas, mark, note);
  host.append(view, spacer);
  host.tabIndex = 0;
  host.setAttribute("role", "group"); // a list box would keep the keys of the page to itself
  host.setAttribute("aria-label", "Messages over the calls; up and down move, enter opens");
  const state = { rows: [], inCall: new Set(), call: null, message: null, related: new Set(), filter: "" };

  function draw() {
    const [width, height] = [host.clientWidth, host.clientHeight];
    if (!scene.lane || !width || !height) return;
    view.style.height = canvas.style.height = `${height}px`;
    view.style.marginBottom = `${-height}px`; // it stands before the rows' space and takes none of it
    canvas.style.width = `${width}px`;
    const pen = canvasContext(canvas, width, height);
    const first = Math.max(0, Math.floor(host.scrollTop / ROW));
    const last = Math.min(state.rows.length, Math.ceil((host.scrollTop + height) / ROW));
    scene.numberWidth = text(pen, scene.colours.muted, 11, "left").measureText(`m${scene.session.lives?.messages.length ?? ""}`).width;
    pen.save();
    pen.translate(0, -host.scrollTop);
    for (let at = first; at < last; at += 1) drawLife(pen, scene, state, state.rows[at], at * ROW, width);
    pen.restore();
    drawMark();
  }

  // The selected column goes on through the rows: an element, so that a step does not draw them again.
  function drawMark() {
    const place = state.call && scene.lane.place.get(state.call.number);
    const [x0, x1] = place === undefined || place === null ? [0, 0] : [scene.edge(place), scene.edge(place + 1)];
    mark.hidden = place === undefined || place === null || x1 < scene.left || x0 > scene.right || !state.rows.length;
    mark.style.left = `${LEFT_WIDTH + Math.round(x0)}px`;
    mark.style.width = `${Math.max(3, Math.round(x1) - Math.round(x0))}px`;
  }

  function sayEmpty() {
    note.textContent = !scene.session.lives ? "comparing the prompts …" : state.rows.length ? "" : "No message passes this filter.";
  }

  const at = (event) => {
    const box = host.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return { x, y, message: state.rows[Math.floor((y + host.scrollTop) / ROW)] ?? null, place: scene.place(x - LEFT_WIDTH) };
  };
  const callAt = (place) => scene.lane.calls[place] ?? null;

  use(host, "scroll", draw, { passive: true });
  use(host, "wheel", (event) => hooks.wheel(event, at(event).x - LEFT_WIDTH), { passive: false });
  use(host, "click", (event) => {
    const { x, message } = at(event);
    if (!message) return;
    hooks.select(message.number);
    const event_ = nearEvent(scene, message, x - LEFT_WIDTH);
    if (event_) hooks.step(event_.call); // a click on a symbol goes to where it happened
  });
  use(host, "dblclick", (event) => {
    const { x, message, place } = at(event);
    if (message) hooks.open(message, x < LEFT_WIDTH ? null : callAt(place));
  });
  use(host, "pointermove", (event) => {
    const { x, y, message, place } = at(event);
    if (!message) return hooks.tip(null);
    const lines = lifeTips(scene, message, x < LEFT_WIDTH + scene.left ? null : callAt(place), x - LEFT_WIDTH);
    return hooks.tip(lines, x, y + host.offsetTop);
  });
  use(host, "pointerleave", () => hooks.tip(null));

  return {
    draw,
    // Rows under the present filter; kept in place while they stay the same.
    show({ rows, inCall, filter }, call) {
      const anew = filter !== state.filter || rows.length !== state.rows.length || rows.some((row, n) => row !== state.rows[n]);
      if (filter !== state.filter) host.scrollTop = 0;
      Object.assign(state, { rows, inCall, filter, call });
      if (anew) spacer.style.height = `${rows.length * ROW}px`;
      sayEmpty();
      draw();
    },
    select(message, reveal) {
      state.message = message;
      state.related = relatedTo(message);
      const row = message ? state.rows.indexOf(message) : -1;
      if (reveal && row >= 0) {
        const [top, bottom] = [row * ROW, (row + 1) * ROW];
        if (top < host.scrollTop) host.scrollTop = top;
        else if (bottom > host.scrollTop + host.clientHeight) host.scrollTop = bottom - host.clientHeight;
      }
      draw();
    },
    // The row `step` places on; without a selection the first in sight.
    beside(step) {
      const row = state.rows.indexOf(state.message);
      const from = row >= 0 ? row + step : Math.ceil(host.scrollTop / ROW);
      return state.rows[Math.max(0, Math.min(state.rows.length - 1, from))] ?? null;
    },
  };
}

// A summary and what it took belong together, both ways.
function relatedTo(message) {
  if (!message) return new Set();
  const takers = message.events.filter((event) => event.other && event.fate.kind === "condensed").map((event) => event.other);
  return new Set([...takers, ...message.sources.map((source) => source.number)]);
}

function drawLife(pen, scene, state, message, y, width) {
  const { colours, lane } = scene;
  const own = message === state.message;
  if (own || state.related.has(message.number)) {
    pen.fillStyle = own ? colours.accent : colours.condensed;
    pen.globalAlpha = own ? 0.16 : 0.13;
    pen.fillRect(0, y, width, ROW);
    pen.globalAlpha = 1;
  }
  drawLifeWords(pen, scene, message, y, state.inCall.has(message.number) ? state.call.number : null);
  pen.save();
  pen.beginPath();
  pen.rect(LEFT_WIDTH + scene.left, y, scene.right - scene.left, ROW);
  pen.clip();
  pen.translate(LEFT_WIDTH, 0);
  const places = message.runs.map(([first, last]) => [lane.place.get(first), lane.place.get(last)]);
  drawGone(pen, scene, message, places, y);
  pen.fillStyle = colours.pattern(pen, message.layer);
  for (const [first, last] of places) {
    const [x0, x1] = [Math.max(scene.left, Math.round(scene.edge(first))), Math.min(scene.right, Math.round(scene.edge(last + 1)))];
    if (x1 > x0) pen.fillRect(x0, y + BAR[0], Math.max(1, x1 - x0 - (scene.step >= 4 ? 1 : 0)), BAR[1]);
  }
  for (const pin of message.pins) drawPinLine(pen, scene, pin, message, y);
  drawFates(pen, scene, message, y + ROW / 2);
  pen.restore();
}

// As the message was at the selected call (`at`), else as it was last.
function drawLifeWords(pen, scene, message, y, at) {
  const { colours } = scene;
  const present = at !== null;
  const { layer, tokens } = present ? versionAt(message, at) : message;
  const said = present ? textAt(message, at) : message.text;
  const middle = y + ROW / 2;
  pen.globalAlpha = present ? 1 : ABSENT_ALPHA;
  pen.fillStyle = colours.pattern(pen, layer);
  pen.fillRect(0, y + 4, 10, 10);
  text(pen, colours.muted, 11, "left").fillText(layerStyle(layer).code, CODE_AT, middle);
  pen.fillText(`m${message.number}`, NUMBER_AT, middle);
  text(pen, colours.muted, 12, "right").fillText(formatTokens(tokens), TOKENS_END, middle);
  const from = NUMBER_AT + scene.numberWidth + TEXT_GAP;
  const room = TOKENS_END - from - TEXT_GAP - pen.measureText(formatTokens(tokens)).width;
  text(pen, present ? colours.text : colours.muted, 12, "left");
  const ruling = message.commitments.some((one) => one.kind === "rule");
  const words = message.pins.length ? `⚲ ${said}` : ruling ? `${RULE_SIGN} ${said}` : said;
  pen.fillText(fitText(pen, words, room), from, middle);
  pen.globalAlpha = 1;
}

// Dots from where a message was taken out until it is back, or to the end.
function drawGone(pen, scene, message, places, y) {
  const middle = y + ROW / 2 + 0.5;
  pen.setLineDash([1, 3]);
  places.forEach(([, last], at) => {
    const next = places[at + 1];
    if (!next && !message.end) return;
    line(pen, scene.colours.muted, 1, Math.max(scene.left, scene.edge(last + 1)), middle, next ? scene.edge(next[0]) : scene.right, middle);
  });
  pen.setLineDash([]);
}

// A pin's line under the bar of each carrier; where it is broken, red dashes at the row of the one that carried it last.
function drawPinLine(pen, scene, pin, message, y) {
  const { lane, colours } = scene;
  for (const run of pin.runs) {
    if (run.broken && pin.carrier !== message.number) continue;
    const places = lane.calls.flatMap((call, place) => (call.number >= run.first && call.number <= run.last ? [place] : []));
    if (!places.length) continue;
    const spans = run.broken ? [[places[0], places[places.length - 1]]] : standing(lane, message, places[0], places[places.length - 1]);
    for (const [first, last] of spans) {
      const from = run.broken ? scene.centre(first) + Math.min(7, scene.step / 2) : scene.edge(first);
      pen.setLineDash(run.broken ? [5, 3] : []);
      const level = run.broken ? y + ROW / 2 : y + BAR[0] + BAR[1] + 2;
      line(pen, run.broken ? colours.lost : colours.text, run.broken ? 2 : 1.5, Math.max(scene.left, from), level, scene.edge(last + 1), level);
      pen.setLineDash([]);
    }
  }
}

// The stretches of a message between two places.
function standing(lane, message, from, to) {
  return message.runs
    .map(([first, last]) => [Math.max(from, lane.place.get(first)), Math.min(to, lane.place.get(last))])
    .filter(([first, last]) => first <= last);
}

// What happened: the graver symbols first, those that would cover one are ticks.
function drawFates(pen, scene, message, middle) {
  const { colours, lane } = scene;
  const taken = [];
  for (const kind of GRAVEST_FIRST) {
    for (const { call, fate } of message.events) {
      if (fate.kind !== kind) continue;
      const x = scene.centre(lane.place.get(call));
      if (x < scene.left - SYMBOL_WIDTH || x > scene.right + SYMBOL_WIDTH) continue;
      if (scene.step < SYMBOL_WIDTH && taken.some((other) => Math.abs(other - x) < SYMBOL_WIDTH)) {
        line(pen, colours[kind], 1, Math.round(x) + 0.5, middle + 2, Math.round(x) + 0.5, middle + 6);
        continue;
      }
      taken.push(x);
      const at = Math.max(scene.left + 6, Math.min(scene.right - 5, x));
      pen.fillStyle = colours.background;
      pen.fillRect(at - 6, middle - 6, 12, 12);
      text(pen, colours[kind], MARK_FONT, "center", 700).fillText(fate.symbol, at, middle + 0.5);
    }
  }
}

// The event whose symbol is at a place of the axis.
function nearEvent(scene, message, x) {
  const reach = Math.max(SYMBOL_WIDTH / 2, Math.min(scene.step, 2 * SYMBOL_WIDTH) / 2);
  const near = message.events
    .map((event) => ({ event, away: Math.abs(scene.centre(scene.lane.place.get(event.call)) - x) }))
    .filter(({ away }) => away <= reach);
  return near.sort((a, b) => a.away - b.away)[0]?.event ?? null;
}

const EVENTS_TOLD = 6; // events of a message that its tooltip names

function lifeTips(scene, message, call, x) {
  const near = call && nearEvent(scene, message, x);
  const tokens = call ? versionAt(message, call.number).tokens : message.tokens;
  const title = `${messageName(message)} · ${tokensWords(tokens)}`;
  const lines = [call ? `${title} · call ${call.number}, ${call.turn}` : title, call ? textAt(message, call.number) : message.text];
  if (near) return [...lines, `${near.fate.symbol} ${near.words}`, ...pinTipLines(message)];
  if (call) {
    const standing_ = message.runs.some(([first, last]) => first <= call.number && call.number <= last);
    const gone = message.events.findLast((event) => event.call <= call.number && (event.fate.kind === "lost" || event.fate.kind === "condensed"));
    if (!standing_) lines.push(gone ? `gone since call ${gone.call}` : `comes with call ${message.runs[0][0]}`);
  }
  lines.push(runWords(message));
  const told = message.events.slice(0, EVENTS_TOLD).map((event) => `${event.fate.symbol} ${event.words}`);
  if (message.events.length > EVENTS_TOLD) told.push(`and ${message.events.length - EVENTS_TOLD} more`);
  return [...lines, ...told, ...pinTipLines(message)];
}

const pinTipLines = (message) => [
  ...message.pins.map((pin) => `⚲ “${pin.text}” ${pin.words}`),
  ...message.commitments.filter((one) => one.kind === "rule" && !one.watched).map((one) => `${RULE_SIGN} looks like a rule: ${one.why}`),
];
