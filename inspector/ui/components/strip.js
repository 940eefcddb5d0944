// The frame: links that keep session and call, the session's line, gauge and scrubber, and the keys
// that move between calls. It owns no state but what the address and the server's columns say.

const PLAY_STEP = 450; // ms a call stays while playing
const COMPARE_KEYS = ["ArrowLeft", "ArrowRight", "[", "]", "d"];

class Strip {
  constructor(root, use) {
    this.root = root;
    this.seen = { name: null, count: 0 }; // calls the reader has been shown the end of
    this.build(use);
    onCall(use, (call) => this.onCall(call));
    use(window, "inspector:live", () => this.drawLive());
    onKey(use, (event) => this.key(event));
    this.clock = setInterval(guard(root, () => this.drawLive()), 1000);
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(root);
  }

  build(use) {
    this.links = element("nav", "links");
    this.links.setAttribute("aria-label", "Pages");
    this.where = element("div", "where muted");
    this.directory = element("span", "clip");
    this.live = element("span", "live");
    this.problems = element("span", "problems");
    this.back = element("span");
    this.where.append(this.directory, this.back, this.live, this.problems);
    const top = element("div", "row top");
    top.append(this.links, this.where);

    this.name = element("span", "name clip");
    this.line = element("span", "muted clip");
    this.lane = element("select", "lane");
    this.lane.setAttribute("aria-label", "Lane");
    use(this.lane, "change", () => this.selectLane(this.lane.value));
    this.fresh = element("button", "fresh");
    use(this.fresh, "click", () => this.select(this.model.count));
    this.place = element("span", "place");
    this.place.setAttribute("aria-live", "polite");
    this.before = this.button("‹", "Previous call (←)", use, () => this.step(-1));
    this.after = this.button("›", "Next call (→)", use, () => this.step(1));
    this.player = this.button("▶", "Play (space)", use, () => this.play());
    const exporter = this.button("Export x", "Export this call as a test (x)", use, () => openExport(this.call));
    exporter.classList.remove("icon");
    const moves = element("div", "moves");
    moves.append(this.fresh, this.lane, this.before, this.place, this.after, this.player, exporter);
    const second = element("div", "row second");
    second.append(this.name, this.line, moves);

    this.gauge = element("canvas", "gauge");
    this.fill = element("span", "fill");
    this.growth = element("span", "muted clip");
    this.alerts = element("div", "alerts");
    const third = element("div", "row third");
    third.append(this.gauge, this.fill, this.growth, this.alerts);

    this.scrubber = new Scrubber(use, (call) => this.select(call));
    this.session = element("div", "session");
    this.session.append(second, third, this.scrubber.node);
    this.root.replaceChildren(top, this.session);
  }

  button(label, title, use, fn) {
    const node = element("button", "icon", label);
    node.title = title;
    node.setAttribute("aria-label", title);
    use(node, "click", fn);
    return node;
  }

  update(data, colours) {
    this.data = data;
    this.colours = colours;
    this.page = readAddress().page;
    this.model = data.session ? new StripModel(data.session) : null;
    this.session.hidden = this.model === null;
    this.directory.textContent = data.directory;
    this.directory.title = data.path;
    this.back.replaceChildren();
    if (data.back !== null) {
      this.back.append(" · ", link("link", `back to ${data.back}`, { page: "sessions", params: { samples: null, session: null, call: null } }));
    }
    this.drawLinks();
    this.drawProblems();
    this.drawLive();
    if (!this.model) {
      this.stop();
      return;
    }
    this.name.textContent = this.name.title = this.model.name;
    this.line.textContent = this.line.title = this.model.line;
    this.drawLanes();
    const call = this.model.clamp(currentCall());
    if (this.seen.name !== this.model.name) this.seen = { name: this.model.name, count: this.model.count };
    this.call = call;
    this.scrubber.update(this.model, colours, call);
    this.drawCall();
  }

  onCall(call) {
    const { page } = readAddress();
    if (page !== this.page) this.stop();
    this.page = page;
    this.drawLinks();
    if (!this.model || readAddress().session !== this.model.name) return;
    this.call = this.model.clamp(call);
    this.scrubber.select(this.call);
    this.drawCall();
  }

  drawLinks() {
    const here = readAddress();
    const pages = [["sessions", "Sessions"], ["session", "Session"], ["call", "Call"], ["compare", "Compare"], ["trace", "Trace"], ["probes", "Probes"]];
    // Trace leads back to what was followed last.
    const traced = shared.traced?.session === here.session && here.page !== "trace" ? shared.traced : {};
    this.links.replaceChildren(...pages.map(([page, label]) => {
      const open = page === "sessions" || here.session !== null;
      const node = open ? link("tab", label, page === "trace" ? { page, params: { find: traced.find, as: traced.as } } : { page }) : element("span", "tab off", label);
      if (!open) node.title = "Open a session first";
      if (page === here.page) node.setAttribute("aria-current", "page");
      return node;
    }));
  }

  drawProblems() {
    const { problems } = this.data;
    this.problems.replaceChildren();
    if (!problems) return;
    const node = link("altered", `▲ ${formatCount(problems, "file")}`, { page: "sessions", params: { show: "files" } });
    node.title = "Files with lines that could not be read as they stand";
    this.problems.append(" · ", node);
  }

  drawLive() {
    const live = shared.live;
    if (!live) return;
    const ago = Math.max(0, Math.round((Date.now() - live.at) / 1000));
    const bytes = `${formatBytes(live.bytes_done).replace(/ .*$/, sameUnit(live) ? "" : "$&")} of ${formatBytes(live.bytes)}`;
    const text = live.running
      ? `Reading ${formatTokens(live.files_done)} of ${formatCount(live.files, "file")} · ${bytes} · ${formatCount(live.calls, "call")} ready`
      : ago > 15 ? `no answer for ${formatDuration(ago * 1000)}` : `live, ${ago} s ago`;
    const shown = [text, live.note].filter(Boolean).join(" · ");
    if (this.live.textContent !== ` · ${shown}`) this.live.textContent = ` · ${shown}`;
    this.live.classList.toggle("altered", !live.running && ago > 15);
  }

  drawLanes() {
    const { lanes } = this.model;
    this.lane.hidden = lanes.length < 2;
    this.lane.replaceChildren(...lanes.map(([name, numbers]) => {
      const option = element("option", "", `${name} (${formatTokens(numbers.length)})`);
      option.value = name;
      return option;
    }));
  }

  drawCall() {
    const { model, call } = this;
    this.place.textContent = model.place(call);
    this.place.title = model.spoken(call);
    this.lane.value = model.laneOf.get(call) ?? "";
    this.before.disabled = model.beside(call, -1) === null;
    this.after.disabled = model.beside(call, 1) === null;
    if (call === model.count) this.seen.count = model.count;
    const fresh = model.count - this.seen.count;
    this.fresh.hidden = fresh <= 0;
    this.fresh.textContent = `${formatCount(fresh, "new call")} ›`;
    this.drawGauge();
    this.drawAlerts();
  }

  drawGauge() {
    const { model, call, colours } = this;
    const [tokens, limit, threshold] = [model.tokens, model.limits, model.thresholds].map((column) => column[call - 1]);
    const share = model.fill(call);
    const over = share !== null && share > 1 ? "lost" : share !== null && threshold && tokens >= threshold ? "altered" : "";
    const sign = over === "lost" ? "● " : over === "altered" ? "▲ " : "";
    const [width, height] = [220, 8];
    const pen = canvasContext(this.gauge, width, height);
    pen.fillStyle = colours.raised;
    pen.fillRect(0, 0, width, height);
    pen.fillStyle = over === "lost" ? colours.lost : colours.same;
    pen.fillRect(0, 0, width * Math.min(1, share ?? 0), height);
    if (threshold && limit) {
      pen.fillStyle = colours.text;
      pen.fillRect(Math.round((width * threshold) / limit) - 1, 0, 1.5, height);
    }
    pen.strokeStyle = colours.line;
    pen.strokeRect(0.5, 0.5, width - 1, height - 1);
    this.gauge.title = threshold ? `compaction is due at ${formatTokens(threshold)} tokens` : "";
    this.fill.replaceChildren();
    if (tokens === null) this.fill.textContent = "tokens unknown";
    else if (!limit) this.fill.textContent = `${formatCount(tokens, "token")} · window unknown`;
    else this.fill.append(element("span", over, sign), `${formatTokens(tokens)} of ${formatTokens(limit)} tokens · ${formatShare(share)}`);
    const growth = model.growth[call - 1];
    this.growth.textContent = growth
      ? `≈ ${formatCount(growth[1], "call")} until full (${formatChange(growth[0])} a call)`
      : "";
    this.growth.title = growth ? "Median of the last 8 calls that grew" : "";
  }

  drawAlerts() {
    const { model, call } = this;
    const gone = model.gone_from;
    const entries = [
      [gone.length, "lost", "●", model.gone_words, gone],
      [model.callsOfRank(2).length, "lost", "●", formatCount(model.callsOfRank(2).length, "error"), model.callsOfRank(2)],
      [model.callsOfRank(1).length, "altered", "▲", formatCount(model.callsOfRank(1).length, "warning"), model.callsOfRank(1)],
    ];
    this.alerts.replaceChildren(...this.serverTag(), ...entries.filter(([count]) => count).map(([, className, symbol, text, calls]) => {
      const node = element("a", className, `${symbol} ${text}`);
      const target = model.next(calls, call, 1, true);
      node.href = addressOf(undefined, { call: target }).href;
      node.title = calls.length > 1 ? `Go to call ${target}, the next of ${calls.length}` : `Go to call ${target}`;
      node.addEventListener("click", guard(this.root, (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        this.select(target);
      }));
      return node;
    }));
  }

  // "the server removed 41,200 tokens": switches to what the model saw, and back.
  serverTag() {
    const found = this.model.server[this.call];
    if (!found) return [];
    const [text, title] = found;
    const isOn = this.page === "call" && readAddress().params.get("prompt") === "effective";
    const node = link("altered server", text, { page: "call", params: { call: this.call, prompt: isOn ? null : "effective" } });
    node.title = isOn ? "Shown as the model saw it. Click for what was sent." : title;
    return [node];
  }

  // ---- moving -------------------------------------------------------------------------------

  select(call) {
    if (call !== null && call !== undefined && call !== this.call) selectCall(call);
  }

  step(by) {
    this.stop();
    if (this.page === "compare") return window.dispatchEvent(new CustomEvent("inspector:step", { detail: { by } }));
    this.select(this.model.beside(this.call, by));
    return undefined;
  }

  selectLane(lane) {
    const numbers = this.model.lanes.find(([name]) => name === lane)[1];
    this.lane.blur();
    this.select(numbers.find((call) => this.model.ranks[call - 1] === 2) ?? numbers[numbers.length - 1]);
  }

  play() {
    if (this.timer) return this.stop();
    if (this.model.beside(this.call, 1) === null) this.select(this.model.laneCalls(this.call)[0]);
    this.player.textContent = "❚❚";
    this.player.title = "Pause (space)";
    this.timer = setInterval(guard(this.root, () => {
      const next = this.model?.beside(this.call, 1) ?? null;
      if (next === null) this.stop();
      else if (this.page === "compare") window.dispatchEvent(new CustomEvent("inspector:step", { detail: { by: 1 } }));
      else this.select(next);
    }), PLAY_STEP);
    return undefined;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.player.textContent = "▶";
    this.player.title = "Play (space)";
  }

  key(event) {
    const { model, call } = this;
    if (event.key === "?") return showKeys(this.root), true;
    if (!model) return false;
    if (event.key === "/" && this.page === "session") {
      shared.focusFind = true;
      return route({ page: "sessions" }, { push: true }), true;
    }
    if (this.page === "compare" && COMPARE_KEYS.includes(event.key)) return false; // they move two sides
    if (event.key === "d" && ["session", "call", "trace", "probes"].includes(this.page)) {
      return route({ page: "compare", params: { call } }, { push: true }), true;
    }
    const numbers = model.laneCalls(call);
    const inLane = (list) => list.filter((number) => numbers.includes(number));
    const targets = {
      ArrowLeft: () => (event.shiftKey ? model.turnBeside(call, -1) : model.beside(call, -1)),
      ArrowRight: () => (event.shiftKey ? model.turnBeside(call, 1) : model.beside(call, 1)),
      Home: () => numbers[0],
      End: () => numbers[numbers.length - 1],
      "[": () => model.next(inLane(model.compactionCalls()), call, -1),
      "]": () => model.next(inLane(model.compactionCalls()), call, 1),
      f: () => model.callsOfRank(2)[0],
    };
    if (event.key === " ") return this.play(), true;
    if (event.key === "x") return openExport(call), true;
    if (event.key === "g") return showGoTo(this.root, model, (target) => this.select(target)), true;
    const target = targets[event.key];
    if (!target) return false;
    this.stop();
    this.select(target());
    return true;
  }

  measure() {
    document.documentElement.style.setProperty("--frame-height", `${Math.ceil(this.root.getBoundingClientRect().height)}px`);
  }

  destroy() {
    this.stop();
    clearInterval(this.clock);
    this.observer.disconnect();
    this.scrubber.destroy();
  }
}

// "1.2 of 3.4 GB": the unit once where both share it.
function sameUnit(live) {
  return formatBytes(live.bytes_done).split(" ")[1] === formatBytes(live.bytes).split(" ")[1];
}

export default (component) => runComponent(component, (root, use) => new Strip(root, use));
