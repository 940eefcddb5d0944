// The Compare page: two contexts in two columns, what became of each message between them.
// Which contexts is read from the address; figures come with the data, texts through CompareStore.

export default (component) => runComponent(component, createCompare);

function createCompare(root, use) {
  let [data, head] = [null, ""];
  let [view, onlyDifferences] = ["whole", true];
  let [moving, current, picked] = [null, null, "a"]; // moving: the two calls the arrows are at
  const unfolded = new Set(); // folds that are open
  const cardStates = new Map(); // group → {full, all}

  const store = new CompareStore(() => {
    list.refresh();
    picker.draw();
  }, (note) => ledger.note(note));
  root.tabIndex = -1;
  const progress = element("div", "progress");
  const top = makeCompareHead({
    only: () => {
      onlyDifferences = !onlyDifferences;
      showRows();
    },
    swap,
    step: stepDifference,
    view: (name) => {
      view = name;
      showRows({ keep: false });
    },
    pick: (name) => {
      picked = name;
      picker.open(name === "a" ? "First side" : "Second side", data[name].session, data[name].call);
    },
    compaction: goCompaction,
    form: (form) => route({ params: { as: form === "recorded" ? "recorded" : null } }),
    toFate,
  });
  const picker = new Picker(root, store, choose);
  const host = element("div", "list");
  host.tabIndex = 0;
  host.setAttribute("role", "grid");
  host.setAttribute("aria-label", "Messages of both sides");
  const rows = new Rows(store, {
    more: (name) => {
      rows.opened.set(name, rows.opened.get(name) + 1);
      redraw(name);
    },
    whole: (name) => {
      rows.whole.add(name);
      rows.opened.set(name, 1);
      redraw(name);
    },
    jump: (name) => {
      select(name, { top: true });
      flash(name);
    },
  });
  const list = new CompareList(host, drawCard);
  const live = element("div", "visually-hidden");
  live.setAttribute("aria-live", "polite");
  const ledger = makeLedger({
    light: (line) => lightRow((line && rowOfLine(data.items, line))?.name ?? null),
    go: (line) => goRow(rowOfLine(data.items, line), line.text),
    goTarget: (line) => line.j !== null && goTarget(line.j),
    unwatch: (id) => store.watch({ remove: id }),
  });
  top.compaction.after(ledger.node);
  root.replaceChildren(progress, top.node, host, live);

  // ---- rows ----

  function redraw(name) {
    list.heights.delete(name);
    list.refresh([name]);
  }

  function line(name, draw, more = {}) {
    const height = LINE;
    return { name, height, draw: () => openable(name, draw()), ...more };
  }

  // A click opens a row, or closes it; a text that is being selected is none.
  function openable(name, node) {
    node.addEventListener("click", (event) => {
      if (event.target.closest("a, button")) return;
      if (String(root.getRootNode().getSelection?.() ?? window.getSelection())) return;
      select(name, { reveal: false });
      toggle(name);
    });
    return node;
  }

  function toggle(name) {
    const entry = list.entries[list.place.get(name)];
    if (!entry || entry.fixed) return;
    if (entry.act) return entry.act();
    if (rows.opened.has(name)) {
      rows.opened.delete(name);
      rows.whole.delete(name);
    } else rows.opened.set(name, 1);
    redraw(name);
    return undefined;
  }

  function entries() {
    const made = [];
    if (data.identical && view !== "parameters") made.push({ name: "identical", height: 44, draw: () => element("div", "empty", data.identical) });
    if (view !== "messages") made.push(...parameterEntries());
    if (view !== "parameters") {
      data.items.forEach((item, at) => made.push(...itemEntries(item, at)));
      if (view === "whole" && (data.answers[0] || data.answers[1])) made.push(line("answers", () => rows.answer("answers")));
    }
    return made;
  }

  function parameterEntries() {
    const { parameters } = data;
    const all = view === "parameters";
    const made = parameters.changed.map((one) => line(`parameter ${one.name}`, () => rows.parameter(one, one.name), { difference: one.fate }));
    if (!all) return made;
    if (!parameters.known) return [{ name: "no parameters", height: 44, draw: () => element("div", "empty", "A compaction's record holds messages only. Choose “as sent” to compare parameters.") }];
    for (const one of parameters.tools.changed) made.push(line(`tool ${one.name}`, () => rows.parameter(one, `tool ${one.name}`), { difference: one.fate }));
    for (const [name, value] of parameters.same) made.push(line(`same ${name}`, () => rows.plain(name, value), { fixed: true }));
    for (const name of parameters.tools.same) made.push(line(`same tool ${name}`, () => rows.plain(`tool ${name}`, "the same definition"), { fixed: true }));
    if (!made.length) made.push({ name: "no parameters", height: 44, draw: () => element("div", "empty", "Neither call has parameters or tools.") });
    return made;
  }

  function itemEntries(item, at) {
    if (item.kind === "same") return sameEntries(item, at);
    if (item.kind === "group") return groupEntries(item, at);
    const name = item.kind === "new" ? `new ${item.j}` : `${item.kind} ${item.i}`;
    const kind = data.fates[item.fate][1];
    if (item.kind === "pair") return [line(name, () => rows.pair(name, item), { difference: item.fate })];
    if (item.kind === "left") return [line(name, () => rows.left(name, item))];
    const run = data.items[at - 1]?.kind === "new"; // messages added in a row are one difference
    return [line(name, () => rows.row(item.fate, null, rows.message(name, "b", item.j, kind), item.why), run ? { fate: item.fate } : { difference: item.fate })];
  }

  function sameEntries(item, at) {
    const name = `fold ${at}`;
    const open = unfolded.has(at) || !onlyDifferences;
    const act = () => {
      if (unfolded.has(at)) unfolded.delete(at);
      else unfolded.add(at);
      showRows();
    };
    const made = onlyDifferences ? [{ name, height: LINE, fixed: false, act, draw: () => rows.fold(item, open, act) }] : [];
    if (!open) return made;
    for (const [i, j, count] of item.runs) {
      for (let step = 0; step < count; step += 1) {
        const own = `kept ${i + step}`;
        made.push(line(own, () => rows.row("kept", rows.message(own, "a", i + step, "same"), rows.message(own, "b", j + step, "same"), "kept")));
      }
    }
    return made;
  }

  function groupEntries(item, at) {
    const { kind } = rows.sign(item.fate);
    const fates = item.own ? [[item.own[0], item.own[1]]] : [];
    for (const place of item.sources) fates.push([place, item.fate]);
    const made = fates.map(([place, fate], number) => {
      const name = `source ${place}`;
      const draw = () => {
        const shown = store.cards.get(at);
        const cell = rows.message(name, "a", place, kind, shown ? new Passages(at, shown) : null);
        if (shown?.ledger.some((pin) => pin.i === place && pin.became === "lost")) cell.classList.add("pin-lost");
        const row = rows.row(fate, cell, null, item.why);
        if (number && fate === "summarised") row.querySelector(".sign").classList.add("again");
        row.classList.add("taken");
        return row;
      };
      return line(name, draw, { card: at, ...(number ? { fate } : { difference: fate }) });
    });
    made.push({ name: `filler ${at}`, height: 0, fixed: true, card: at, draw: () => element("div", "filler") });
    return made;
  }

  function drawCard(at) {
    const state = cardStates.get(at) ?? { full: false, all: false };
    const change = (more) => () => {
      cardStates.set(at, { ...state, ...more });
      list.refresh([`card ${at}`]);
    };
    return makeCard(rows, data.items[at], at, state, {
      full: change({ full: !state.full }),
      all: change({ all: true }),
      source: (place) => rows.actions.jump(`source ${place}`),
      target: (place) => goTarget(place),
      light: (place) => lightRow(place === null ? null : `source ${place}`),
    });
  }

  // Go to the row that shows a message, opening the fold it is in; `text`: open it where its line does not say that.
  function goRow(found, text = null) {
    if (!found) return;
    if (view === "parameters") view = "whole";
    if (found.fold !== null && onlyDifferences) unfolded.add(found.fold);
    if (text !== null && found.name.startsWith("source ") && !list.nodes.get(found.name)?.textContent.includes(text)) rows.opened.set(found.name, 1);
    if (found.card !== undefined) cardStates.set(found.card, { all: false, ...cardStates.get(found.card), full: true });
    showRows();
    redraw(found.name);
    rows.actions.jump(found.name);
  }

  const goTarget = (place) => goRow(rowOfAfter(data.items, place));

  function showRows({ keep = true } = {}) {
    if (!data) return;
    list.show(entries(), { keep });
    showState();
  }

  // ---- differences ----

  const differences = () => list.entries.filter((entry) => entry.difference);

  function showState() {
    const all = differences();
    const at = all.findIndex((entry) => entry.name === current);
    top.showState({ view, onlyDifferences, at: at < 0 ? null : at, of: all.length });
  }

  function stepDifference(by) {
    const all = differences();
    if (!all.length) return;
    const here = list.place.get(current) ?? (by > 0 ? -1 : list.entries.length);
    const ahead = all.filter((entry) => (list.place.get(entry.name) - here) * by > 0);
    const next = by > 0 ? ahead[0] ?? all[0] : ahead[ahead.length - 1] ?? all[all.length - 1];
    select(next.name, { top: true });
  }

  function toFate(fate) {
    const all = list.entries.filter((entry) => (entry.difference ?? entry.fate) === fate);
    if (!all.length) return;
    const here = list.place.get(current) ?? -1;
    const next = all.find((entry) => list.place.get(entry.name) > here) ?? all[0];
    select(next.name, { top: true });
  }

  function select(name, options) {
    current = name;
    list.select(name, options);
    showState();
    live.textContent = list.nodes.get(name)?.innerText.slice(0, 200) ?? "";
  }

  function flash(name) {
    list.nodes.get(name)?.animate?.([{ outline: "2px solid var(--ci-accent)" }, { outline: "2px solid transparent" }], 1200);
  }

  function lightRow(name) {
    for (const [own, node] of list.nodes) node.classList.toggle("lit", own === name);
  }

  // ---- where to ----

  const plain = { compaction: null, as: null };

  function sides() {
    return moving ?? { a: data.a.call, b: data.b.call };
  }

  function stepCalls(by, second = false) {
    if (!data || data.a.call === null || data.b.call === null) return;
    const here = sides();
    const beside = (name) => data[name].lane[data[name].lane.indexOf(here[name]) + by];
    const to = { a: second ? here.a : beside("a"), b: beside("b") };
    if (to.a === undefined || to.b === undefined) return;
    moving = to;
    selectCall(to.b, { ...plain, a: to.a });
  }

  function swap() {
    const [a, b] = [data.a, data.b];
    if (a.call === null || b.call === null) return;
    const others = a.session === b.session ? {} : { session: a.session, a_session: b.session };
    route({ params: { ...plain, ...others, a: b.call, call: a.call } }, { push: true });
  }

  function choose(session, call) {
    const other = data[picked === "a" ? "b" : "a"];
    const same = session === other.session;
    const params = picked === "a" ? { a: call, a_session: same ? null : session } : { session, call, a_session: same ? null : other.session };
    if (picked === "b" && other.call !== null) params.a = other.call;
    route({ params: { ...plain, ...params } }, { push: true });
  }

  function goCompaction(by) {
    const { compactions, compaction } = data;
    let target;
    if (compaction) target = compactions.find(([number]) => number === compaction.number + by);
    else {
      const here = sides().b;
      const ahead = compactions.filter(([, , call]) => call !== null && (by > 0 ? call > here : call <= here));
      target = by > 0 ? ahead[0] : ahead[ahead.length - 1];
    }
    if (!target) return;
    const [number, a, call] = target;
    route({ params: { as: null, a_session: null, compaction: number, ...(call === null ? {} : { a, call }) } }, { push: true });
  }

  // What the address leaves open is written into it, so that a link to it stays the same.
  function settleAddress() {
    const { page, params, session } = readAddress();
    if (page !== "compare" || session !== data.b.session || shared.pending !== null) return;
    if ((params.get("a_session") ?? session) !== data.a.session) return;
    const [a, call] = data.at;
    if (call === null || (params.get("a") && params.get("b") && !data.compaction)) return;
    const url = addressOf(null, { a, call });
    if (url.href === window.location.href) return;
    window.history.replaceState({}, "", url);
    window.dispatchEvent(new CustomEvent("inspector:call", { detail: { call } }));
  }

  function showProgress() {
    const { page, params, call } = readAddress();
    const asked = data && page === "compare" ? [params.get("a"), call] : null;
    const waits = asked && (shared.pending !== null || asked[1] !== data.at[1] || (asked[0] ?? "") !== String(data.at[0] ?? ""));
    progress.classList.toggle("on", Boolean(waits));
  }

  // ---- events ----

  use(host, "scroll", () => list.draw(), { passive: true });
  use(host, "mouseover", (event) => lightPassages(host, event.target));
  use(host, "mouseleave", () => lightPassages(host, null));
  use(window, "inspector:compare-feed", (event) => store.unpack(event.detail));
  use(window, "inspector:step", (event) => stepCalls(event.detail.by));
  onCall(use, showProgress);
  onKey(use, (event) => {
    if (!data || readAddress().page !== "compare") return false;
    const { key, shiftKey } = event;
    if (key === "ArrowLeft" || key === "ArrowRight") return stepCalls(key === "ArrowLeft" ? -1 : 1, shiftKey), true;
    if (key === "n" || key === "p") return stepDifference(key === "n" ? 1 : -1), true;
    if (key === "[" || key === "]") return goCompaction(key === "[" ? -1 : 1), true;
    if (key === "d") return route({ params: { ...plain, a: null, a_session: null } }), true;
    const line = ledger.active();
    if (key === "t" && PAGES.includes("trace") && (selectedText(root) || line)) return traceFact(selectedText(root) || line.find, selectedText(root) ? null : line.as), true;
    if (key === "w" && (selectedText(root) || line?.watch)) return store.watch({ text: selectedText(root) || line.find }), true;
    if (key === "ArrowDown" || key === "ArrowUp") {
      const by = key === "ArrowDown" ? 1 : -1;
      let at = current !== null && list.place.has(current) ? list.place.get(current) + by : by > 0 ? 0 : list.entries.length - 1;
      while (list.entries[at]?.height === 0) at += by;
      if (list.entries[at]) select(list.entries[at].name);
      return true;
    }
    if (key === "Enter" && current !== null) return toggle(current), true;
    return false;
  });

  const sizes = new ResizeObserver(guard(root, () => {
    root.style.setProperty("--bar", `${host.offsetWidth - host.clientWidth}px`);
    if (list.width !== host.clientWidth) list.heights.clear(); // lines wrap elsewhere now
    list.width = host.clientWidth;
    if (data) {
      list.measure();
      list.refresh();
    }
  }));
  sizes.observe(host);

  return {
    update(bytes, palette) {
      const packed = unpack(bytes);
      const fresh = packed.head !== head;
      if (fresh) {
        const before = data;
        head = packed.head;
        data = packed.json();
        moving = null;
        store.open(data.key, data.excerpts);
        rows.opened.clear();
        rows.whole.clear();
        unfolded.clear();
        cardStates.clear();
        current = null;
        if (before && data.compaction && !before.compaction) view = "whole";
        if (shared.compareReply) store.unpack(shared.compareReply);
        top.show(data);
        ledger.show(data);
      }
      rows.show(data, palette);
      if (fresh) showRows({ keep: false });
      else list.refresh();
      settleAddress();
      showProgress();
    },
    destroy() {
      sizes.disconnect();
      store.close();
      picker.close();
    },
  };
}
