// The two windows of the Session page: the call that is continued and the selected one, each message a block,
// ribbons between them. They follow each step at once: the prompts of all calls are in the browser already.

const STACK_TOP = 30; // px above the stacks, for their titles
const STACK_SHARE = 0.42; // of the pane's height that the stacks take
const [STACK_LEAST, STACK_MOST] = [200, 460]; // px
const STACK_BOTTOM = 6;
const LIMIT_ROOM = 92; // px right of the stacks, for budget, threshold and window
const NEAR_LIMIT = 0.5; // of the largest prompt to a limit, from which the limit is in the picture
const GLIDE = 160; // ms in which blocks and ribbons move to their new places
const STEADY = 120; // ms since the last step below which they jump: fast scrubbing must not lag
const BEFORE_ALPHA = 0.5; // of blocks of the call before that stayed: what happened must stand out

// `hooks`: selectMessage(number). Returns {show(session, colours), select(call, message), draw(), destroy()}.
function createWindow(host, use, guarded, hooks) {
  const canvas = element("canvas", "stacks");
  canvas.setAttribute("role", "img");
  const notes = element("ul", "notes");
  host.append(canvas, notes);
  const state = { session: null, colours: null, call: null, message: null, shown: null, noted: null, frame: 0, stepped: 0 };

  function draw() {
    const { session, call, shown, colours, message } = state;
    if (!call || !shown) return;
    const width = host.clientWidth;
    const tall = Math.round(Math.max(STACK_LEAST, Math.min(STACK_MOST, host.parentElement.clientHeight * STACK_SHARE)));
    const height = STACK_TOP + tall + STACK_BOTTOM;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const pen = canvasContext(canvas, width, height);
    const place = placeWindows(width, tall, shown.scale);
    state.place = place;
    drawWindows(pen, { session, call, shown, colours, message, place, face: getComputedStyle(host).fontFamily });
  }

  function glide(from, to) {
    const start = performance.now();
    const step = guarded((now) => {
      const part = Math.min(1, Math.max(0, (now - start) / GLIDE));
      state.shown = part === 1 ? to : mixWindows(from, to, 1 - (1 - part) ** 3);
      draw();
      if (part < 1) state.frame = requestAnimationFrame(step);
    });
    state.frame = requestAnimationFrame(step);
  }

  // The message under the pointer, by side.
  function messageAt(event) {
    const { shown, place } = state;
    if (!shown || !place) return null;
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const side = x <= place.width ? shown.before : x >= place.right && x <= place.right + place.width ? shown.after : null;
    if (!side || !side.side) return null;
    const at = side.edges.findIndex((edge) => place.y(edge) > y) - 1;
    return at >= 0 && at < side.side.numbers.length ? side.side.numbers[at] : null;
  }

  use(canvas, "pointermove", (event) => {
    const number = messageAt(event);
    const message = number && state.session.lives.messages[number - 1];
    canvas.title = message ? windowTip(message, state.call) : "";
    canvas.style.cursor = message ? "pointer" : "";
  });
  use(canvas, "click", (event) => {
    const number = messageAt(event);
    if (number) hooks.selectMessage(number);
  });

  return {
    draw,
    show(session, colours) {
      if (state.session !== session) Object.assign(state, { call: null, shown: null });
      Object.assign(state, { session, colours, noted: null });
    },
    select(call, message) {
      const now = performance.now();
      const stepped = state.call !== call;
      const jump = !state.shown || !stepped || state.call.lane !== call.lane || now - state.stepped < STEADY || reducedMotion();
      if (stepped) state.stepped = now;
      Object.assign(state, { call, message });
      canvas.setAttribute("aria-label", `Windows of the call before and of ${spokenCall(call)}`);
      const step = stepTo(state.session, call);
      if (state.noted !== call || state.step !== step) fillNotes(notes, state.session, call, step, hooks);
      state.noted = call;
      state.step = step;
      cancelAnimationFrame(state.frame);
      const target = windowsOf(state.session, call, step);
      if (!jump) return glide(state.shown, target);
      state.shown = target;
      return draw();
    },
    destroy: () => cancelAnimationFrame(state.frame),
  };
}

function windowTip(message, call) {
  const event = message.events.find((one) => one.call === call.number);
  const lines = [`${messageName(message)} · ${tokensWords(versionAt(message, call.number).tokens)}`, textAt(message, call.number)];
  return event ? [...lines, `${event.fate.symbol} ${event.words}`].join("\n") : lines.join("\n");
}

const reducedMotion = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// What the picture of a call shows: both sides as edges of blocks in tokens, and the scale they share. The scale is
// that of the whole lane, so that the context grows and shrinks from step to step; limits far away are left out of it.
function windowsOf(session, call, step) {
  const lane = session.lanes.get(call.lane);
  lane.most ??= Math.max(1, ...lane.calls.map((one) => Math.max(knownTokens(one) ?? 0, one.counted ?? 0)));
  const most = Math.max(lane.most, call.previous ? knownTokens(call.previous) ?? 0 : 0);
  const limits = [call.budget, call.threshold].filter((limit) => limit && most >= NEAR_LIMIT * limit);
  if (call.window && most >= NEAR_WINDOW * call.window) limits.push(call.window);
  return {
    step,
    scale: Math.max(most, ...limits),
    before: call.previous && sideEdges(step?.before, call.previous),
    after: sideEdges(step?.after, call),
  };
}

// Edges of the blocks of a side, in tokens from the top; what belongs to no message comes last.
function sideEdges(side, call) {
  const edges = new Float64Array((side?.numbers.length ?? 0) + 1);
  side?.sizes.forEach((size, at) => (edges[at + 1] = edges[at] + size));
  return { side, call, edges, end: Math.max(edges[edges.length - 1], knownTokens(call) ?? 0) };
}

function mixWindows(from, to, part) {
  const between = (a, b) => a + (b - a) * part;
  const side = (old, now) => {
    if (!now || !old?.side || !now.side) return now;
    const edges = new Float64Array(now.edges.length);
    let base = 0;
    now.side.numbers.forEach((number, at) => {
      const was = old.side.place.get(number);
      const size = now.edges[at + 1] - now.edges[at];
      base += between(was === undefined ? 0 : old.edges[was + 1] - old.edges[was], size);
      edges[at + 1] = base;
    });
    return { ...now, edges, end: between(old.end, now.end) };
  };
  return { step: to.step, scale: between(from.scale, to.scale), before: side(from.before, to.before), after: side(from.after, to.after) };
}

function placeWindows(full, tall, scale) {
  const width = Math.max(56, Math.min(120, Math.floor(full * 0.23)));
  return { width, right: Math.max(width + 40, full - width - LIMIT_ROOM), tall, y: (tokens) => STACK_TOP + (tokens / scale) * tall };
}

function drawWindows(pen, { call, shown, colours, message, place, face }) {
  const { width, right, y } = place;
  const font = (size, weight = 400) => (pen.font = `${weight} ${size}px ${face}`);
  pen.textBaseline = "middle";
  const label = (words, x, at, colour, align = "left") => {
    pen.fillStyle = colour;
    pen.textAlign = align;
    pen.fillText(words, x, at);
  };
  const capacity = call.budget ?? call.window;
  if (capacity !== null && capacity <= shown.scale) {
    pen.strokeStyle = colours.line;
    pen.lineWidth = 1;
    pen.strokeRect(right + 0.5, STACK_TOP + 0.5, width - 1, Math.round(y(capacity)) - STACK_TOP - 1);
  }
  font(12);
  label(call.previous ? `call ${call.previous.number}  ${figureOf(call.previous)}` : "nothing before", 0, 10, colours.muted);
  font(12, 600);
  const own = `call ${call.number}  ${figureOf(call)}`;
  const [now, was] = [knownTokens(call), call.previous && knownTokens(call.previous)];
  const change = now !== null && was !== null && was !== undefined ? now - was : 0;
  const words = change ? `${own}  ${formatChange(change)}` : own;
  const from = Math.min(right, right + width + LIMIT_ROOM - pen.measureText(words).width - 2);
  label(own, from, 10, colours.text);
  if (change) label(formatChange(change), from + pen.measureText(`${own}  `).width, 10, change < 0 ? colours.lost : colours.here);
  if (shown.step && shown.before) drawRibbons(pen, shown, place, colours, message);
  const marks = shown.step ? edgeMarks(shown.step) : { before: new Map(), after: new Map() };
  if (shown.before) drawSide(pen, shown.before, 0, place, colours, marks.before, true, message);
  drawSide(pen, shown.after, right, place, colours, marks.after, false, message);
  font(11);
  drawTicks(pen, call, shown, place, colours, label);
}

const figureOf = (call) => (call.estimated ? formatEstimate : formatTokens)(knownTokens(call));

// Places of blocks that something happened to, with the kind of it.
function edgeMarks({ ribbons, added }) {
  const [before, after] = [new Map(), new Map()];
  for (const { kind, first, last, to } of ribbons) {
    if (kind === "kept" || kind === "moved") continue;
    for (let at = first; at <= last; at += 1) before.set(at, kind);
    if (kind === "altered") after.set(to, kind);
  }
  for (const { to, end } of added) for (let at = to; at <= end; at += 1) after.set(at, "here");
  for (const { kind, to } of ribbons) if (kind === "condensed") after.set(to, kind);
  return { before, after };
}

// One prompt, first message at the top; what belongs to no message is an outline at the end.
function drawSide(pen, shown, x, place, colours, marks, faint, selected) {
  const { side, call, edges, end } = shown;
  const { width, y } = place;
  if (knownTokens(call) === null && !(edges[edges.length - 1] > 0)) return drawUnknown(pen, x, place, colours);
  const failed = call.status === "failed";
  side?.numbers.forEach((number, at) => {
    const [top, bottom] = [Math.round(y(edges[at])), Math.round(y(edges[at + 1]))];
    const own = number === selected?.number;
    if (bottom <= top && !own) return;
    const kind = marks.get(at);
    pen.globalAlpha = faint && !kind ? BEFORE_ALPHA : 1;
    const tall = Math.max(1, bottom - top - (bottom - top > 2 ? 1 : 0));
    if (failed && tall > 2 && !faint) {
      pen.strokeStyle = colours.layer(side.layers[at]);
      pen.lineWidth = 1;
      pen.strokeRect(x + 0.5, top + 0.5, width - 1, tall - 1);
    } else {
      pen.fillStyle = colours.pattern(pen, side.layers[at]);
      pen.fillRect(x, top, width, tall);
    }
    pen.globalAlpha = 1;
    if (kind) {
      pen.fillStyle = colours[kind];
      pen.fillRect(faint ? x + width : x - 3, top, 3, tall);
    }
    if (own) outlineBlock(pen, x, top, width, tall, colours);
  });
  const rest = Math.round(y(edges[edges.length - 1]));
  const bottom = Math.round(y(end));
  if (bottom - rest < 2) return undefined;
  pen.globalAlpha = faint ? BEFORE_ALPHA : 1;
  pen.strokeStyle = colours.muted;
  pen.lineWidth = 1;
  pen.strokeRect(x + 0.5, rest + 0.5, width - 1, bottom - rest - 1);
  pen.globalAlpha = 1;
  return undefined;
}

function outlineBlock(pen, x, top, width, tall, colours) {
  pen.strokeStyle = colours.accent;
  pen.lineWidth = 2;
  pen.strokeRect(x + 1, top - 1, width - 2, Math.max(3, tall + 2));
}

function drawUnknown(pen, x, { width }, colours) {
  pen.setLineDash([3, 2]);
  pen.strokeStyle = colours.muted;
  pen.strokeRect(x + 0.5, STACK_TOP + 0.5, width - 1, 40);
  pen.setLineDash([]);
  pen.fillStyle = colours.muted;
  pen.textAlign = "center";
  pen.fillText("tokens unknown", x + width / 2, STACK_TOP + 20);
}

// Budget, threshold and window at the right of the new stack.
function drawTicks(pen, call, shown, { right, width, y }, colours, label) {
  const share = call.budget && call.threshold ? formatShare(call.threshold / call.budget) : "compact";
  const whole = call.budget === call.window;
  const ticks = [
    { tokens: call.threshold, words: share, dash: [4, 3], colour: colours.text },
    { tokens: call.budget, words: whole ? "budget = window" : "budget", dash: [], colour: colours.text },
    { tokens: whole ? null : call.window, words: "window", dash: [], colour: colours.lost },
  ];
  let free = -Infinity;
  for (const tick of ticks) {
    if (tick.tokens === null || tick.tokens > shown.scale) continue;
    const level = Math.round(y(tick.tokens)) - 0.5;
    pen.strokeStyle = tick.colour;
    pen.lineWidth = 1;
    pen.setLineDash(tick.dash);
    pen.beginPath();
    pen.moveTo(right - 4, level);
    pen.lineTo(right + width + 4, level);
    pen.stroke();
    pen.setLineDash([]);
    const at = Math.max(level, free + 13);
    free = at;
    label(tick.words, right + width + 8, Math.min(at, y(shown.scale) - 4), tick.colour);
  }
  const limit = call.budget ?? call.window;
  if (limit !== null && limit > shown.scale) {
    const words = `${formatShare((knownTokens(call) ?? 0) / limit)} of ${formatTokens(limit)}`;
    label(words, right + width + 8, y(shown.after.end) - 4, colours.muted);
  }
}
