// The canvas block of the Session page: one x axis of calls, bands below each other, two layers
// (the picture; the cursor with selection and hover). A step of the scrubber redraws the cursor only.

const AXIS_WIDTH = 38; // px left of the columns, for the figures of the scale
const RIGHT_PAD = 2;
const FEWEST = 8; // columns at the deepest zoom
const WIDEST = 64; // px of a column at most: three calls are three columns, not three walls
const ZOOM = 1.2; // per notch of the wheel
const SHADE_FROM = 8; // px of a mean turn from which every second turn is shaded

// `hooks`: select(call), open(call), go(target of a mark), tip(lines, x, y) or tip(null), stackHeight(height of the marks), layout(bands),
// zoomed(boolean), drawn(): the x axis may have changed, hovered(call).
function createChart(host, use, hooks) {
  const picture = element("canvas", "picture");
  const cursor = element("canvas", "cursor");
  host.append(picture, cursor);
  const state = {
    session: null,
    lane: null,
    colours: null,
    selected: null,
    hover: null,
    first: 0,
    count: 0,
    width: 0,
    height: 0,
    bands: [],
    turns: [],
    drag: false,
  };
  const scene = {
    get session() { return state.session; },
    get lane() { return state.lane; },
    get colours() { return state.colours; },
    get turns() { return state.turns; },
    get left() { return AXIS_WIDTH; },
    get right() { return state.width - RIGHT_PAD; },
    get step() { return Math.min(WIDEST, (state.width - RIGHT_PAD - AXIS_WIDTH) / state.count); },
    edge: (place) => AXIS_WIDTH + (place - state.first) * scene.step,
    centre: (place) => scene.edge(place) + scene.step / 2,
    place: (x) => Math.floor((x - AXIS_WIDTH) / scene.step + state.first),
    // First and last place in view.
    range: () => [
      Math.max(0, Math.floor(state.first)),
      Math.min(state.lane.calls.length - 1, Math.ceil(state.first + state.count) - 1),
    ],
  };

  function layout() {
    if (!state.lane) return;
    state.width = host.clientWidth;
    const marks = MARK_BANDS.filter((band) => band.shown(state.lane)).map((band) => ({ ...band }));
    const below = marks.reduce((sum, band) => sum + band.height, 0);
    const stack = { ...STACK, height: hooks.stackHeight(below + 4) };
    let top = 0;
    for (const band of [stack, ...marks]) {
      band.top = top;
      top += band.height + (band === stack ? 4 : 0);
    }
    state.bands = [stack, ...marks];
    state.height = top;
    host.style.height = `${top}px`;
    hooks.layout(state.bands);
    draw();
  }

  function draw() {
    if (!state.lane || state.width < AXIS_WIDTH * 2) return;
    canvasFace = getComputedStyle(host).fontFamily || canvasFace;
    for (const canvas of [picture, cursor]) {
      canvas.style.width = `${state.width}px`;
      canvas.style.height = `${state.height}px`;
    }
    const pen = canvasContext(picture, state.width, state.height);
    shadeTurns(pen, scene, state.height);
    for (const band of state.bands) {
      pen.save();
      band.draw(pen, scene, band);
      pen.restore();
    }
    drawCursor();
    hooks.drawn();
  }

  function drawCursor() {
    if (!state.lane || !state.bands.length) return;
    const pen = canvasContext(cursor, state.width, state.height);
    const column = (place, alpha, outlined) => {
      if (place === null || place < 0 || place >= state.lane.calls.length) return;
      const [x0, x1] = [Math.round(scene.edge(place)), Math.round(scene.edge(place + 1))];
      if (x1 < scene.left || x0 > scene.right) return;
      const width = Math.max(outlined ? 4 : 1, x1 - x0);
      const x = x1 - x0 < width ? Math.round(x0 - (width - (x1 - x0)) / 2) : x0;
      pen.fillStyle = state.colours.accent;
      pen.globalAlpha = alpha;
      pen.fillRect(x, 0, width, state.height);
      pen.globalAlpha = 1;
      if (!outlined) return;
      pen.strokeStyle = state.colours.accent;
      pen.lineWidth = 1.5;
      pen.strokeRect(x - 0.75, 0.75, width + 0.5, state.height - 1.5);
    };
    if (state.hover && state.hover !== state.selected) column(state.lane.place.get(state.hover.number) ?? null, 0.07, false);
    if (state.selected) column(state.lane.place.get(state.selected.number) ?? null, 0.1, true);
  }

  function setView(first, count) {
    const all = state.lane.calls.length;
    state.count = Math.max(Math.min(FEWEST, all), Math.min(all, count));
    state.first = Math.max(0, Math.min(all - state.count, first));
    hooks.zoomed(state.count < all);
    draw();
  }

  const fit = () => setView(0, state.lane.calls.length);

  // Keep the selected column in view: a zoomed picture follows the scrubber by half its width.
  function follow() {
    const place = state.lane.place.get(state.selected.number);
    if (place >= state.first && place + 1 <= state.first + state.count) return drawCursor();
    return setView(place + 0.5 - state.count / 2, state.count);
  }

  function callAt(x) {
    const place = scene.place(x);
    return state.lane.calls[Math.max(0, Math.min(state.lane.calls.length - 1, place))];
  }

  const at = (event) => {
    const box = cursor.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const bandAt = (y) => state.bands.find((band) => y >= band.top && y < band.top + band.height);

  function hover(event) {
    const { x, y } = at(event);
    const place = scene.place(x);
    const past = place === state.lane.calls.length; // marks after the last call stand at the edge
    const call = x >= AXIS_WIDTH && (place < state.lane.calls.length || past) ? callAt(x) : null;
    if (state.hover !== call) {
      state.hover = call;
      drawCursor();
    }
    const band = bandAt(y);
    cursor.style.cursor = call && band?.target?.(scene, place) ? "pointer" : "";
    if (!call || !band) return hooks.tip(null);
    const lines = band.tips(scene, place, y, band);
    const late = !past && place === state.lane.calls.length - 1 ? band.tips(scene, place + 1, y, band) : [];
    return hooks.tip([callTitle(call), ...lines, ...late.map((words) => `after the last call: ${words}`)], x, y);
  }

  use(cursor, "pointerdown", (event) => {
    const { x, y } = at(event);
    if (event.button !== 0 || x < AXIS_WIDTH || scene.place(x) >= state.lane.calls.length) return;
    const target = bandAt(y)?.target?.(scene, scene.place(x));
    if (target) return void hooks.go(target);
    if (bandAt(y)?.name === "turn") return; // the axis: a double click fits, so a click must not select
    state.drag = true;
    cursor.setPointerCapture(event.pointerId);
    hooks.select(callAt(x));
  });
  use(cursor, "pointermove", (event) => {
    if (state.drag && callAt(at(event).x) !== state.selected) hooks.select(callAt(at(event).x));
    hover(event);
  });
  use(cursor, "pointerup", () => (state.drag = false));
  use(cursor, "pointercancel", () => (state.drag = false));
  use(cursor, "pointerleave", () => {
    state.hover = null;
    hooks.tip(null);
    drawCursor();
  });
  use(cursor, "dblclick", (event) => {
    const { x, y } = at(event);
    const band = bandAt(y);
    if (x < AXIS_WIDTH || !band || band.name === "turn") fit();
    else if (scene.place(x) < state.lane.calls.length) hooks.open(callAt(x));
  });
  // Ctrl-wheel zooms about the pointer, Shift-wheel pans; also for the lifelines, which share the axis.
  function wheel(event, x = at(event).x) {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const turn = event.deltaY || event.deltaX;
    if (event.ctrlKey) {
      const anchor = (x - AXIS_WIDTH) / scene.step;
      const count = state.count * (turn > 0 ? ZOOM : 1 / ZOOM);
      setView(state.first + anchor * (1 - count / state.count), count);
    } else {
      setView(state.first + Math.sign(turn) * Math.max(1, state.count / 12), state.count);
    }
  }
  use(cursor, "wheel", (event) => wheel(event), { passive: false });

  return {
    fit,
    layout,
    scene,
    wheel,
    // A new lane or new data; the zoom stays while the lane does.
    show(session, lane, colours) {
      const other = !state.lane || state.lane.name !== lane.name || state.session.session !== session.session;
      const whole = !state.lane || state.count >= state.lane.calls.length;
      Object.assign(state, { session, lane, colours, hover: null, turns: readTurns(lane) });
      if (other || whole) Object.assign(state, { first: 0, count: lane.calls.length });
      hooks.zoomed(state.count < lane.calls.length);
      layout();
    },
    select(call) {
      state.selected = call;
      if (state.bands.length) follow();
    },
  };
}

// Where each turn begins in a lane.
function readTurns(lane) {
  const turns = [];
  lane.calls.forEach((call, place) => {
    if (!place || call.turn !== lane.calls[place - 1].turn) turns.push({ place, label: call.turn });
  });
  return turns;
}

function shadeTurns(pen, scene, height) {
  if (scene.turns.length < 2 || (scene.step * scene.lane.calls.length) / scene.turns.length < SHADE_FROM) return;
  pen.fillStyle = scene.colours.raised;
  scene.turns.forEach(({ place }, number) => {
    if (number % 2) return;
    const end = scene.turns[number + 1]?.place ?? scene.lane.calls.length;
    const [x0, x1] = [Math.max(scene.left, scene.edge(place)), Math.min(scene.right, scene.edge(end))];
    if (x1 > x0) pen.fillRect(Math.round(x0), 0, Math.round(x1) - Math.round(x0), height);
  });
}

// Columns to draw: one per call, or where calls are narrower than 2 px, one per pixel with its largest call.
function pictureColumns(scene) {
  const [first, last] = scene.range();
  const columns = [];
  if (scene.step >= 2) {
    for (let place = first; place <= last; place += 1) {
      const x = Math.max(scene.left, Math.round(scene.edge(place)));
      const end = Math.min(scene.right, Math.round(scene.edge(place + 1)));
      columns.push({ call: scene.lane.calls[place], x, width: Math.max(1, end - x - (scene.step >= 4 ? 1 : 0)) });
    }
    return columns;
  }
  let column = null;
  for (let place = first; place <= last; place += 1) {
    const call = scene.lane.calls[place];
    const x = Math.floor(scene.edge(place));
    if (!column || column.x !== x) columns.push((column = { call, x, width: 1 }));
    else if ((knownTokens(call) ?? 0) > (knownTokens(column.call) ?? 0)) column.call = call;
  }
  for (let at = 0; at + 1 < columns.length; at += 1) columns[at].width = Math.max(1, columns[at + 1].x - columns[at].x);
  return columns;
}
