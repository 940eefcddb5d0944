// The Session page: story, composition, canvas and lifelines at the left, the two windows and the words of the
// call at the right. Data: session_payload.py, and session_lives.py when the prompts have been compared.

const TIP_GAP = 14; // px between pointer and tooltip
const [LEAST_STACK, MOST_STACK] = [132, 560]; // px
const LIVES_LEAST = 6 * 18; // px kept for lifelines

export default function (component) {
  const ask = (want) => component.setTriggerValue("want", want);
  return runComponent(component, (root, use) => createSession(root, use, ask));
}

function createSession(root, use, ask) {
  const view = buildSession(root);
  const { story, title, limits, filterHost, block, legend, labels, chartHost, lifeHost, tableHost, tip } = view;
  let session = null;
  let data = null;
  let lane = null;
  let selected = null;
  let message = null; // the selected message, of the address once the keys have settled
  let settle = 0;
  let colours = null;
  let attached = null; // the lives that are on the page: newer ones come when the agent goes on
  const guarded = (fn) => guard(root, fn);
  const composition = createLegend(legend);
  const stacks = createWindow(view.windowHost, use, guarded, { selectMessage });
  const detail = createDetail(view.detailHost, use, () => session);
  const open = (call, of = null) =>
    route({ page: "call", params: { call: call.number, message: of ? `m${of.number}` : null } }, { push: true });
  const showLines = (lines, x, y) => showTip(tip, block, colours, lines, x, y);
  const chart = createChart(chartHost, use, {
    select: (call) => selectCall(call.number),
    open,
    go: (target) => route(target, { push: true }),
    tip: (lines, x, y) => showLines(lines, x + chartHost.offsetLeft, y),
    stackHeight,
    layout: (bands) => placeLabels(labels, bands),
    drawn: () => lifelines?.draw(),
    zoomed: (zoomed) => (view.fitButton.hidden = !zoomed),
  });
  const lifelines = createLifelines(lifeHost, use, chart.scene, {
    select: selectMessage,
    step: (number) => selectCall(number, message ? { message: `m${message.number}` } : {}),
    open: (of, call) => open(callOf(of, call ?? selected), of),
    tip: showLines,
    wheel: (event, x) => chart.wheel(event, x),
  });
  const rules = createRules(view.rulesHost, { select: selectMessage, watch: (words) => ask({ text: words, seq: Date.now() }) });
  const filters = createFilters(filterHost, use, (name) => {
    rules.open(name === "rules");
    showRows();
    if (!tableHost.hidden) fillTables();
  });

  // The stack takes what the legend needs, or what few lifelines leave.
  function stackHeight(marks) {
    const room = block.clientHeight - marks;
    if (session.calls.length === 1) return Math.max(LEAST_STACK, Math.min(MOST_STACK, room));
    const rows = Math.max(lane.messages.length, lane.largest) * ROW;
    const least = Math.max(LEAST_STACK, legend.offsetHeight - 4);
    return Math.max(LEAST_STACK, Math.min(MOST_STACK, room - LIVES_LEAST, Math.max(least, room - rows)));
  }

  function showLane(call) {
    lane = session.lanes.get(call.lane);
    title.textContent = session.lanes.size > 1 ? `${lane.name} (${lane.calls.length})` : "";
    filters.show(session, lane);
    rules.show(session, lane);
    filterHost.hidden = lifeHost.hidden = session.calls.length === 1;
    view.top.style.paddingRight = `${lifeHost.offsetWidth - lifeHost.clientWidth}px`; // one x axis beside the scroll bar
    chart.show(session, lane, colours);
    if (!tableHost.hidden) fillTables();
  }

  function showRows() {
    lifelines.show(filters.rows(selected), selected);
  }

  function select(number) {
    const call = session?.byNumber.get(number ?? data.opensAt);
    if (!call) return;
    selected = call;
    if (call.lane !== lane?.name) showLane(call);
    composition.select(call);
    chart.select(call);
    filters.select(call);
    showRows();
    readMessage();
    if (!tableHost.hidden) markRow();
    stacks.select(call, message);
    detail.select(call);
    view.heading.textContent = callTitle(call);
    limits.textContent = limitWords(call, lane);
    view.compareButton.hidden = !call.previous || !PAGES.includes("compare");
    speak();
  }

  function speak() {
    const words = [spokenCall(selected), message ? messageSpoken(message) : ""].filter(Boolean).join("; ");
    view.live.textContent = words;
    chartHost.setAttribute("aria-valuemin", 1);
    chartHost.setAttribute("aria-valuemax", session.calls.length);
    chartHost.setAttribute("aria-valuenow", selected.number);
    chartHost.setAttribute("aria-valuetext", words);
  }

  // The message of the address, unless a step among the rows is still under way.
  function readMessage() {
    if (settle) return;
    const found = /^m([0-9]+)$/.exec(readAddress().message ?? "");
    const named = (found && session.lives?.messages[Number(found[1]) - 1]) || null;
    if (named === message) return;
    message = named;
    if (message && filters.reveal(message.number, selected)) showRows();
    lifelines.select(message, true);
  }

  // Select a message: at once in the browser, in the address when the steps have ended. Again: let it go.
  function selectMessage(number) {
    const next = message?.number === number ? null : session.lives.messages[number - 1];
    moveTo(next);
  }

  function moveTo(next) {
    message = next;
    if (message && filters.reveal(message.number, selected)) showRows();
    lifelines.select(message, true);
    stacks.select(selected, message);
    speak();
    clearTimeout(settle);
    settle = setTimeout(guarded(() => {
      settle = 0;
      if (readAddress().page === "session") route({ params: { message: message ? `m${message.number}` : null } });
    }), ROUTE_DELAY);
  }

  function fillTables() {
    const rows = filters.rows(selected).rows;
    tableHost.replaceChildren(callTable(session, lane), ...(rows.length ? [lifeTable(rows, selectMessage)] : []));
    markRow();
  }

  function markRow() {
    tableHost.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const row = tableHost.querySelectorAll(".calls-table tbody tr")[lane.place.get(selected.number)];
    row?.setAttribute("aria-current", "true");
    row?.scrollIntoView({ block: "nearest" });
  }

  function attach() {
    attached = shared.lives;
    attachLives(session, attached);
  }

  // The prompts were compared: rows, marks, windows and the quiet line are known now.
  function takeLives() {
    if (!session || attached === shared.lives || shared.lives?.session !== session.session) return;
    attach();
    fillStory(story, data, session, selectFromStory);
    message = null;
    if (!lane) return;
    lane = null;
    select(selected.number);
  }

  // Somebody asked a model, or a suite was written: a row of marks came, went or says something else.
  function takeProbes() {
    if (!session || shared.probeMarks?.session !== session.session) return;
    attachProbes(session, shared.probeMarks);
    if (!lane) return;
    chart.show(session, lane, colours);
    select(selected.number);
    if (!tableHost.hidden) fillTables();
  }

  function selectFromStory(call, number) {
    selectCall(call, { message: number ? `m${number}` : null });
    if (number && session.lives) moveTo(session.lives.messages[number - 1]);
  }

  use(view.openButton, "click", () => selected && open(selected, message && inCall(message, selected) ? message : null));
  use(view.compareButton, "click", () => selected?.previous && route({
    page: "compare", params: { a: selected.previous.number, b: selected.number, message: null },
  }, { push: true }));
  use(view.exploreButton, "click", () => ask("explore"));
  use(view.fitButton, "click", () => chart.fit());
  use(view.tableButton, "click", () => {
    tableHost.hidden = !tableHost.hidden;
    block.hidden = !tableHost.hidden;
    view.tableButton.textContent = tableHost.hidden ? "Show as table" : "Show as picture";
    if (tableHost.hidden) chart.layout();
    else fillTables();
  });
  use(window, "inspector:lives", takeLives);
  use(window, "inspector:probe-marks", takeProbes);
  // On the way to another session the address is ahead of the data: its call is none of this picture's.
  onCall(use, (number) => readAddress().session === session?.session && select(number));
  onKey(use, (event) => {
    if (!selected || readAddress().page !== "session") return false;
    if (event.key === "t" && (selectedText(root) || message)) {
      if (selectedText(root)) traceFact(selectedText(root));
      else traceFact(`m${message.number}`, "message");
      return true;
    }
    if (event.key === "Enter") return open(message ? callOf(message, selected) : selected, message), true;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const next = step && session.lives && tableHost.hidden ? lifelines.beside(step) : null;
    if (next) moveTo(next);
    return Boolean(next);
  });
  let sized = 0; // px of the rows: where they got less, the selected one comes into sight again
  const redraw = guarded(() => {
    if (!selected) return;
    chart.layout();
    stacks.draw();
    if (message && sized !== lifeHost.clientHeight) lifelines.select(message, true);
    sized = lifeHost.clientHeight;
  });
  const stopWatching = watchSizes(redraw, [root, chartHost, lifeHost]);

  return {
    update(fresh, palette) {
      colours = palette;
      data = fresh;
      session = decodeSession(data);
      attached = null;
      if (shared.lives?.session === session.session) attach();
      if (shared.probeMarks?.session === session.session) attachProbes(session, shared.probeMarks);
      composition.show(session, colours);
      stacks.show(session, colours);
      fillStory(story, data, session, selectFromStory);
      lane = null;
      message = null;
      select(currentCall(data.opensAt));
      if (!lane && session.calls.length) select(data.opensAt);
    },
    destroy() {
      clearTimeout(settle);
      stopWatching();
      stacks.destroy();
    },
  };
}

const inCall = (message, call) => message.runs.some(([first, last]) => first <= call.number && call.number <= last);

// The call to open a message at: the one asked for if it stands there, else its nearest before, else its first.
function callOf(message, call) {
  const numbers = message.runs.map(([first, last]) => (call.number < first ? null : Math.min(last, call.number)));
  return { number: numbers.findLast((number) => number !== null) ?? message.runs[0][0] };
}

function messageSpoken(message) {
  const last = message.events[message.events.length - 1];
  return `message ${messageName(message)}${last ? `, ${last.words}` : ""}`;
}

function watchSizes(redraw, nodes) {
  const sizes = new ResizeObserver(redraw);
  for (const node of nodes) sizes.observe(node);
  let density = null;
  const watchDensity = () => {
    density?.removeEventListener("change", denser);
    density = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    density.addEventListener("change", denser);
  };
  const denser = () => {
    watchDensity();
    redraw();
  };
  watchDensity();
  document.fonts.ready.then(redraw);
  return () => {
    sizes.disconnect();
    density?.removeEventListener("change", denser);
  };
}

// What has no line in the picture: a window far away, or one that nobody told.
function limitWords(call, lane) {
  if (call.window === null) {
    return `window unknown for model ${call.model ?? "(not named)"}: set it in the recorder or inspector.toml`;
  }
  const { most, near } = stackScale(lane);
  return near ? "" : `window ${formatTokens(call.window)}, at most ${formatShare(most / call.window)} used`;
}

// Names of the mark rows, beside their bands.
function placeLabels(host, bands) {
  host.replaceChildren();
  for (const band of bands) {
    if (!band.label) continue;
    const label = element("span", "muted", band.label);
    label.style.top = `${band.top}px`;
    label.style.height = label.style.lineHeight = `${band.height}px`;
    host.append(label);
  }
}

function showTip(tip, host, colours, lines, x, y) {
  tip.hidden = !lines;
  if (!lines) return;
  tip.replaceChildren(
    ...lines.map((words, number) => {
      const row = element("div", number ? "" : "tip-title");
      if (words.layer) row.append(swatch(colours, words.layer, 9), " ", words.text);
      else row.textContent = words;
      return row;
    }),
  );
  const [width, height] = [tip.offsetWidth, tip.offsetHeight];
  const right = x + TIP_GAP + width <= host.clientWidth;
  tip.style.left = `${Math.max(0, right ? x + TIP_GAP : x - TIP_GAP - width)}px`;
  const below = y + TIP_GAP + height <= host.clientHeight;
  tip.style.top = `${Math.max(0, below ? y + TIP_GAP : y - TIP_GAP - height)}px`;
}
