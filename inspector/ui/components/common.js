// Shared by all components; stands before each component's script, after `const PALETTE = …`.
// Text of traces is only ever put into text nodes and canvases, never into markup.

const PAGES = ["session", "call", "compare", "trace", "probes"]; // the page Sessions has no path of its own
const KEPT = ["session", "call", "samples"]; // parameters that live on when the page changes
const ROUTE_DELAY = 200; // ms after the last step before the server follows a scrub
// Each component is a module of its own: what they share lives on the window.
const shared = (window.__contextInspector ??= { pending: null, timer: 0 });

// When a run ends, Streamlit pushes the address of that run's page if another one is shown. A reader who
// pressed Back twice would be taken back to where they came from: only route() writes the history.
shared.push ??= window.history.pushState.bind(window.history);
window.history.pushState = () => {};

// ---- address: the only place where the selected call lives -----------------------------------

function readAddress() {
  const url = new URL(window.location.href);
  const last = url.pathname.split("/").filter(Boolean).pop() ?? "";
  const params = url.searchParams;
  const page = PAGES.includes(last) ? last : "sessions";
  const call = params.get(callName(page));
  return {
    page,
    params,
    session: params.get("session"),
    call: call !== null && /^[0-9]+$/.test(call) ? Number(call) : null,
    message: params.get("message"),
    view: params.get("view"),
    q: params.get("q"),
  };
}

// The parameter that holds the selected call: on Compare it is the second side.
function callName(page) {
  return page === "compare" ? "b" : "call";
}

// The address of a page. On another page only the KEPT parameters stay; null takes a parameter out.
// `call` always means the selected call, whatever the page calls it.
function addressOf(page, params = {}) {
  const here = readAddress();
  const target = page ?? here.page;
  const url = new URL(window.location.href);
  const path = url.pathname.split("/").filter(Boolean);
  if (PAGES.includes(path[path.length - 1])) path.pop();
  if (target !== "sessions") path.push(target);
  url.pathname = "/" + path.join("/");
  const query = new URLSearchParams();
  for (const [name, value] of here.params) {
    if (target === here.page || KEPT.includes(name)) query.set(name, value);
  }
  if (target !== here.page && here.call !== null) query.set(callName(target), here.call);
  if (target !== here.page && target === "compare") query.delete("call");
  for (const [given, value] of Object.entries(params)) {
    const name = given === "call" ? callName(target) : given;
    if (value === null || value === undefined || value === "") query.delete(name);
    else query.set(name, String(value));
  }
  url.search = query.toString();
  url.hash = "";
  return url;
}

// Go somewhere. `push` makes an entry of the history; without it the present one is replaced.
// Streamlit listens to popstate and reruns with the page and the parameters it then finds.
function route({ page, params } = {}, { push = false } = {}) {
  clearTimeout(shared.timer);
  const call = shared.pending;
  shared.pending = null;
  const url = addressOf(page, { ...(call === null ? {} : { call }), ...params });
  if (url.href === window.location.href) return;
  // The entry that is left keeps the call of the last step: Back must land on what was on the screen.
  if (push && call !== null) window.history.replaceState({}, "", addressOf(null, { call }));
  if (push) shared.push({}, "", url);
  else window.history.replaceState({}, "", url);
  window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}

// Select a call: at once in the browser, in the address when the steps have ended.
function selectCall(call, params = {}) {
  shared.pending = call;
  shared.pendingOther = params.a ?? null;
  window.dispatchEvent(new CustomEvent("inspector:call", { detail: { call } }));
  clearTimeout(shared.timer);
  const place = placeOf();
  shared.timer = setTimeout(() => {
    const left = placeOf() !== place;
    if (shared.pending === null || left) {
      shared.pending = null; // Back, Forward or a link came first: the step belongs to a view that is gone
      return;
    }
    shared.pending = null;
    // A call chosen by itself ends the look at a compaction.
    const looked = readAddress().page === "compare" ? { compaction: null, as: null } : {};
    route({ params: { ...looked, ...params, call } }); // the chosen message stays: its number holds for the whole session
  }, ROUTE_DELAY);
}

function placeOf() {
  const { page, session } = readAddress();
  return `${page} ${session}`;
}

// The selected call: the step under way, else the address, else what the page opens at.
function currentCall(fallback = null) {
  return shared.pending ?? readAddress().call ?? fallback;
}

// The other side of Compare, where it is a call of the same session; null: there is none.
function otherCall() {
  const { page, params, session } = readAddress();
  if (page !== "compare" || (params.get("a_session") ?? session) !== session) return null;
  if (shared.pending !== null && shared.pendingOther !== null) return shared.pendingOther;
  const other = params.get("a");
  return other !== null && /^[0-9]+$/.test(other) ? Number(other) : null;
}

// ---- life of a component ---------------------------------------------------------------------

// `create(root, use)` runs once and returns {update(data, colours), destroy?()}; update runs on each
// change of data or theme. `use(target, type, fn)` adds a listener that removal takes away.
function runComponent(component, create) {
  const { data, parentElement } = component;
  const root = parentElement.querySelector(".root") ?? parentElement;
  if (!root.inspector) {
    const removers = [];
    const use = (target, type, fn, options) => {
      const guarded = guard(root, fn);
      target.addEventListener(type, guarded, options);
      removers.push(() => target.removeEventListener(type, guarded, options));
    };
    root.inspector = { removers, parts: null };
    guard(root, () => (root.inspector.parts = create(root, use)))();
  }
  const state = root.inspector;
  state.data = data;
  guard(root, () => state.parts?.update(data, theme(root)))();
  return () => {
    for (const remove of state.removers.splice(0)) remove();
    state.parts?.destroy?.();
    root.inspector = null;
  };
}

// Wrap a callback: a fault shows one line where the component stands, and the reason in the console.
function guard(root, fn) {
  return (...args) => {
    try {
      return fn(...args);
    } catch (error) {
      console.error(error);
      let line = root.querySelector(":scope > .fault");
      if (!line) root.prepend((line = element("div", "fault")));
      line.textContent = `This part cannot be drawn: ${error.message}. Reload the page; the record itself is unharmed.`;
      return undefined;
    }
  };
}

// Follow the selected call; also called when Back or Forward changed it.
function onCall(use, fn) {
  use(window, "inspector:call", (event) => fn(event.detail.call));
  use(window, "popstate", (event) => {
    if (event.isTrusted) shared.pending = null; // Back or Forward: what the address says holds
    fn(currentCall());
  });
}

// Keys of the whole page. The handler gets the event and returns true when the key was its own.
function onKey(use, handler) {
  use(document, "keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = event.composedPath()[0];
    if (target instanceof HTMLElement) {
      if (target.isContentEditable || target.closest("input, textarea, select, dialog, [role=dialog], [role=listbox]")) return;
      const presses = event.key === " " || event.key === "Enter";
      if (presses && target.closest("button, a, summary, [role=button]")) return;
    }
    if (document.querySelector("[role=dialog]")) return;
    if (handler(event)) event.preventDefault();
  });
}

// ---- elements --------------------------------------------------------------------------------

function element(tag, className = "", text = null) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== null) node.textContent = text;
  return node;
}

// A real link (it can be opened in a new tab), which routes when clicked plainly.
function link(className, text, target, { push = true } = {}) {
  const node = element("a", className, text);
  node.href = addressOf(target.page, target.params).href;
  node.addEventListener("click", (event) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    route(target, { push });
  });
  return node;
}

// What is selected in a component, as a reader sees it; empty: nothing is.
function selectedText(root) {
  return String(root.getRootNode().getSelection?.() ?? window.getSelection() ?? "").trim();
}

// Follow a text, a value or a message (`m5` with the kind "message") through the session.
function traceFact(find, kind = null) {
  const { page } = readAddress();
  const params = { find, as: kind, in: null, message: null };
  route({ page: "trace", params: page === "trace" ? params : { ...params, call: currentCall() } }, { push: true });
}

// Open the export dialog for a call: over the page, and in its address.
function openExport(call) {
  route({ params: { export: call } }, { push: true });
}

async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea", "", "");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  if (!button) return;
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = before), 1200);
}

// ---- palette ---------------------------------------------------------------------------------

// The colours of the mode the page is in, also set on the root as --ci-… for style sheets.
function theme(root) {
  const host = root.getRootNode().host ?? root;
  const mode = isDark(getComputedStyle(host).getPropertyValue("--st-background-color")) ? "dark" : "light";
  const palette = PALETTE.modes[mode];
  if (root.dataset.mode !== mode) {
    root.dataset.mode = mode;
    for (const [name, value] of Object.entries({ ...palette.ground, ...palette.kinds })) {
      root.style.setProperty(`--ci-${name}`, value);
    }
    for (const [name, value] of Object.entries(palette.families)) {
      root.style.setProperty(`--ci-family-${name.replace(" ", "-")}`, value);
    }
  }
  const colours = { mode, ...palette.ground, ...palette.kinds, families: palette.families };
  colours.layer = (name) => palette.families[layerStyle(name).family];
  colours.pattern = (ctx, name) => texture(ctx, colours.layer(name), layerStyle(name).texture, palette.ground.background);
  colours.severity = (name) => palette.kinds[PALETTE.severities[name].kind];
  return colours;
}

function isDark(colour) {
  const probe = element("canvas").getContext("2d");
  probe.fillStyle = colour.trim() || "#FFFFFF";
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(probe.fillStyle.slice(at, at + 2), 16));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < 128;
}

// {code, family, texture} of a layer; a layer of a newer index is shown as overhead.
function layerStyle(name) {
  return PALETTE.layers[name] ?? { code: "??", family: "overhead", texture: "outline" };
}

const TILE = 6; // CSS px of a texture's repeat
const textures = new Map();

// A fill style for a canvas whose context is scaled by the device's pixel ratio.
function texture(ctx, colour, kind, ground) {
  if (kind === "solid") return colour;
  const ratio = window.devicePixelRatio || 1;
  const name = `${colour} ${kind} ${ground} ${ratio}`;
  let tile = textures.get(name);
  if (!tile) {
    tile = element("canvas");
    tile.width = tile.height = Math.round(TILE * ratio);
    const pen = tile.getContext("2d");
    pen.scale(tile.width / TILE, tile.height / TILE);
    if (kind === "outline") {
      pen.fillStyle = ground;
      pen.fillRect(0, 0, TILE, TILE);
      pen.globalAlpha = 0.55;
    }
    pen.fillStyle = colour;
    if (kind !== "outline") pen.fillRect(0, 0, TILE, TILE);
    pen.strokeStyle = pen.fillStyle = kind === "outline" ? colour : ground;
    pen.lineWidth = 1.3;
    pen.beginPath();
    if (kind === "hatch" || kind === "outline") {
      for (const shift of [-TILE, 0, TILE]) {
        pen.moveTo(shift, TILE);
        pen.lineTo(shift + TILE, 0);
      }
      pen.stroke();
    } else if (kind === "bars") {
      pen.fillRect(0, 0, 1.5, TILE);
    } else if (kind === "dots") {
      for (const [x, y] of [[1.5, 1.5], [4.5, 4.5]]) {
        pen.moveTo(x + 0.9, y);
        pen.arc(x, y, 0.9, 0, 7);
      }
      pen.fill();
    }
    textures.set(name, tile);
  }
  const pattern = ctx.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(TILE / tile.width, TILE / tile.height));
  return pattern;
}

// A square of a layer's colour and texture, beside its two-letter code.
function swatch(colours, name, size = 10) {
  const node = element("canvas", "swatch");
  const ratio = window.devicePixelRatio || 1;
  node.width = node.height = Math.round(size * ratio);
  node.style.width = node.style.height = `${size}px`;
  const pen = node.getContext("2d");
  pen.scale(ratio, ratio);
  pen.fillStyle = colours.pattern(pen, name);
  pen.fillRect(0, 0, size, size);
  return node;
}

// Fit a canvas to its CSS size and the device's pixels; returns a cleared context in CSS px.
function canvasContext(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}
