// The Call page: head, window column, rows, reader; or the prompt as one stream; or the body.
// Which call, message and view are shown is read from the address; texts come through CallStore.

const VIEWS = ["list", "text", "json"];
const ADDRESS_DELAY = 150; // ms after the last row before the address follows
const PREFETCH_ROWS = 32; // rows in the direction of the last step whose texts are fetched ahead
const PREFETCH_BACK = 4; // and in the other
const PREFETCH_LEAST = 16; // fetched again when fewer are left
const ANSWER = "answer";

export default (component) => runComponent(component, createCall);

function createCall(root, use) {
  let [data, colours, head] = [null, null, ""];
  let [view, stored] = ["list", false];
  let [wish, selected] = [null, null]; // wish: "m5", "answer" or null; selected: row, or null
  let [found, current, query, searching] = [null, -1, "", false];
  let [addressTimer, eager] = [null, 0]; // eager: a step asked for before the hits were there
  let heading = 1; // of the last step through the rows: 1 down, −1 up

  const store = new CallStore(received, (note) => reader.note(note));
  root.tabIndex = -1;
  const progress = element("div", "progress");
  const top = makeHead({
    view: (name) => setView(name),
    reading: (effective) => setReading(effective),
    find: search,
    step,
    searched: () => query,
    form: () => {
      stored = !stored;
      research();
      showView();
    },
    copyBody: (button) => copyLater(store.body("text").then((body) => body.text), button),
    copyCurl: (button) => copyLater(store.body("curl").then((body) => body.text), button),
    download: () => store.body("file").then((body) => saveFile("request.json", body.base64)),
  });
  const main = element("div", "main");
  const canvas = main.appendChild(element("canvas", "rail"));
  canvas.setAttribute("role", "img");
  const table = main.appendChild(element("div", "table"));
  const titles = table.appendChild(element("div", "row titles"));
  for (const [name, label] of [["place", "#"], ["layer", "layer"], ["role", "role"], ["text", "text"], ["tokens", "tokens"], ["happened", "what happened"]]) {
    titles.append(element("span", name, label));
  }
  const listHost = table.appendChild(element("div", "list"));
  listHost.tabIndex = 0;
  listHost.setAttribute("role", "grid"); // a listbox would keep the keys of the page to itself
  listHost.setAttribute("aria-label", "Messages of the prompt, and the answer");
  const list = new ListView(listHost, store, (row) => select(row));
  const rail = new Rail(canvas);
  const reader = makeReader(store, () => colours, { layers: () => data.layers, copy: copyMessage, watch, trace: () => trace(), unwatch: (id) => store.watch({ remove: id }) });
  main.append(reader.node);
  const streamHost = element("div", "stream scroll");
  streamHost.tabIndex = 0;
  const stream = makeStream(streamHost, store, {
    data: () => data,
    colours: () => colours,
    numbered: () => view === "json",
    report: (first, last, total) => top.showLines(first, last, total),
  });
  root.replaceChildren(progress, top.node, main, streamHost);
  top.showCount(null, -1, false);

  function received(reply) {
    if (reply.key !== store.key) return;
    if (reply.find && reply.find.q === query) setFound(reply.find);
    draw();
  }

  // ---- what is shown ----

  function readPlace() {
    const address = readAddress();
    if (address.page !== "call") return;
    view = VIEWS.includes(address.view) ? address.view : "list";
    if (address.message) wish = address.message;
  }

  function locate() {
    if (wish === ANSWER || wish === null) return wish === null ? null : data.rows.number.length;
    const number = /^m[0-9]+$/.test(wish) ? Number(wish.slice(1)) : -1;
    const at = data.rows.number.indexOf(number);
    if (at >= 0) return at;
    const gone = data.ghosts.number.indexOf(number);
    return gone < 0 ? null : data.rows.number.length + 1 + gone;
  }

  // What the address calls a row.
  function nameOf(at) {
    const count = data.rows.number.length;
    if (at === count) return ANSWER;
    return `m${at < count ? data.rows.number[at] : data.ghosts.number[at - count - 1]}`;
  }

  function writeAddress() {
    clearTimeout(addressTimer);
    addressTimer = setTimeout(writeAddressNow, ADDRESS_DELAY);
  }

  function writeAddressNow() {
    clearTimeout(addressTimer);
    addressTimer = null;
    if (readAddress().page !== "call") return;
    const url = addressOf(null, { message: wish, view: view === "list" ? null : view });
    // No popstate: the page needs no run of the server for this; the next one reads the address.
    if (url.href !== window.location.href) window.history.replaceState({}, "", url);
  }

  function select(row, { focus = false } = {}) {
    if (!data) return;
    const next = Math.max(0, Math.min(row, list.items.total - 1));
    const place = (at) => list.items.places.get(at) ?? 0;
    if (selected !== null && next !== selected) heading = place(next) < place(selected) ? -1 : 1;
    if (next !== selected) reader.note(null);
    selected = next;
    wish = nameOf(selected);
    list.mark(selected);
    list.reveal(selected);
    rail.draw(selected);
    showReader(false);
    writeAddress();
    if (focus) reader.host.focus();
  }

  function docName() {
    const count = data.rows.number.length;
    if (selected === null || selected === count) return "a";
    return selected < count ? `p${selected + 1}` : `g${data.ghosts.number[selected - count - 1]}`;
  }

  function showReader(keep = true) {
    if (wish !== null && selected === null) {
      const number = /^m([0-9]{1,9})$/.exec(wish)?.[1];
      const known = number ? store.doc(`x${number}`) : null;
      const lines = [...(known?.absent ?? []), "← → go to other calls; choose a row to read another message."];
      reader.say(known?.title ?? `${number ? wish : `“${wish}”`} is not in call ${data.number}`, lines, known?.go);
      return;
    }
    const doc = store.doc(docName());
    if (doc) reader.show(docName(), doc, keep);
    prefetch(selected === null || selected > data.rows.number.length ? -1 : selected);
    store.prefetch("a");
  }

  // Fetch what ↑ ↓ will reach, in few and large questions.
  function prefetch(at) {
    const has = (row) => row < 0 || row >= data.rows.number.length || store.texts.docs.has(`p${row + 1}`);
    let near = true;
    for (let i = 1; i <= PREFETCH_LEAST; i += 1) near &&= has(at + i * heading);
    for (let i = 1; i <= PREFETCH_BACK; i += 1) near &&= has(at - i * heading);
    if (near) return;
    const reach = [...Array(PREFETCH_ROWS + PREFETCH_BACK).keys()].map((i) => (i < PREFETCH_ROWS ? at + (i + 1) * heading : at - (i - PREFETCH_ROWS + 1) * heading));
    for (const row of reach) if (!has(row)) store.prefetch(`p${row + 1}`);
  }

  function showView() {
    if (!data) return;
    top.showView(view, stored);
    main.hidden = view !== "list";
    streamHost.hidden = view === "list";
    streamHost.classList.toggle("json", view === "json");
    if (view === "list") {
      list.draw();
      rail.draw(selected);
      showReader();
      reader.doc.resize();
      return;
    }
    const name = view === "text" ? "t" : stored ? "r" : "j";
    const doc = store.doc(name);
    if (doc) {
      stream.show(name, doc, { keep: true });
      stream.resize();
    } else stream.show(null, null);
  }

  function setView(name) {
    if (view === name) return;
    view = name;
    showView();
    research();
    writeAddress();
    if (name === "text" && selected !== null && selected < data.rows.number.length) stream.goto(`p${selected + 1}.0`, 0);
  }

  // What was sent, or what the model saw: other rows, so the server has to answer.
  function setReading(effective) {
    if (!data || data.effective.on === effective) return;
    writeAddressNow();
    route({ params: { prompt: effective ? "effective" : null } });
    showProgress();
  }

  function draw() {
    if (!data) return;
    if (view === "list") {
      list.draw();
      showReader();
      reader.doc.draw();
    } else {
      showView();
      stream.draw();
    }
  }

  const asksFor = (address) => address.params.get("prompt") === "effective";
  const waits = () => {
    const address = readAddress();
    return data && address.page === "call" && (currentCall(data.number) !== data.number || asksFor(address) !== data.effective.on);
  };
  const showProgress = () => progress.classList.toggle("on", Boolean(waits()));

  // ---- find ----

  const scope = () => (view === "json" ? (stored ? "r" : "j") : "prompt");

  function search(text) {
    query = text;
    [found, current] = [null, -1];
    searching = Boolean(text);
    eager = 0;
    if (text) store.find(text, scope());
    showHits();
  }

  function research() {
    if (query && (!found || found.scope !== scope())) search(query);
  }

  function setFound(reply) {
    if (reply.scope !== scope()) return;
    const walked = current;
    [found, searching] = [reply, false];
    current = walked >= 0 && walked < reply.hits.length ? walked : -1;
    showHits();
    if (eager) step(eager);
    eager = 0;
  }

  function showHits() {
    top.showCount(found, current, searching);
    const bySection = new Map();
    const rows = new Set();
    found?.hits.forEach(([section, at, length], i) => {
      const name = found.sections[section];
      if (!bySection.has(name)) bySection.set(name, []);
      bySection.get(name).push([at, length, () => i === current]);
    });
    for (const name of found?.sections ?? []) rows.add(rowOfSection(name));
    reader.doc.setHits(bySection, Boolean(query));
    stream.setHits(bySection, Boolean(query));
    list.setHits(query, rows);
  }

  function rowOfSection(name) {
    if (name[0] === "a") return data.rows.number.length;
    return name[0] === "p" ? Number(name.slice(1, name.indexOf("."))) - 1 : -1;
  }

  function step(by) {
    if (searching) eager = by;
    if (!found?.hits.length) return;
    const count = found.hits.length;
    current = current < 0 ? (by > 0 ? 0 : count - 1) : (current + by + count) % count;
    const [section, at] = found.hits[current];
    const name = found.sections[section];
    showHits();
    if (view === "list") {
      const row = rowOfSection(name);
      if (row !== selected) select(row);
      reader.doc.goto(name, at);
    } else stream.goto(name, at);
  }

  // ---- copies ----

  function copyMessage(button) {
    if (wish !== null && selected === null) return;
    copyLater(store.body("message", docName()).then((body) => body.text), button);
  }

  // ---- watches ----

  // Watch the selected text, else the whole message.
  function watch() {
    const passage = view === "json" ? null : selectedPassage(view === "list" ? reader.host : streamHost);
    if (passage) {
      const doc = passage.section.replace(/\..*$/, "").replace(/^G/, "g");
      store.watch({ ...passage, doc });
    } else if (view === "list" && selected !== null) store.watch({ doc: docName() });
  }

  function trace() {
    const name = view === "list" && selected !== null && nameOf(selected) !== ANSWER ? nameOf(selected) : null;
    traceSelection(root, view === "list" ? reader.host : streamHost, name);
  }

  // ---- events ----

  use(listHost, "scroll", () => list.draw(), { passive: true });
  use(reader.host, "scroll", () => reader.doc.draw(), { passive: true });
  use(streamHost, "scroll", () => stream.draw(), { passive: true });
  use(canvas, "click", (event) => {
    const at = rail.at(event.offsetY);
    if (at >= 0) select(at);
  });
  use(canvas, "mousemove", (event) => (canvas.title = rail.hover(event.offsetY)));
  use(window, "inspector:call-feed", (event) => store.unpack(event.detail));
  use(window, "popstate", () => {
    if (!data) return;
    const before = [view, wish].join();
    readPlace();
    if ([view, wish].join() === before) return;
    selected = locate();
    list.mark(selected);
    if (selected !== null) list.reveal(selected);
    showView();
  });
  // A row chosen a moment ago must be in the address before a step to another call rewrites it.
  use(window, "inspector:call", () => addressTimer !== null && writeAddressNow());
  onCall(use, showProgress);
  onKey(use, (event) => {
    if (!data || readAddress().page !== "call") return false;
    return pressKey(event, {
      find() {
        top.input.focus();
        top.input.select();
      },
      step,
      copy: () => copyMessage(reader.node.querySelector(".title button")),
      isTextSelected: () => String(root.getRootNode().getSelection?.() ?? window.getSelection()).length > 0,
      watch,
      trace,
      toggleReading: () => setReading(!data.effective.on),
      isList: view === "list",
      isReading: root.getRootNode().activeElement === reader.host,
      leaveReader: () => listHost.focus(),
      read: () => reader.host.focus(),
      move: (by) => select(list.items.beside(selected, by)),
      page: Math.max(1, Math.floor(listHost.clientHeight / ROW) - 1),
    });
  });
  const sizes = new ResizeObserver(
    guard(root, () => {
      titles.style.paddingRight = `${8 + listHost.offsetWidth - listHost.clientWidth}px`; // the scroll bar's width
      list.draw();
      rail.draw();
      reader.doc.resize();
      if (view !== "list") stream.resize();
    }),
  );
  for (const host of [root, listHost, reader.host, streamHost]) sizes.observe(host);
  document.fonts?.ready.then(() => {
    reader.doc.measure = stream.measure = null;
    reader.doc.width = stream.width = 0;
    reader.doc.resize();
    if (view !== "list") stream.resize();
  });

  return {
    update(bytes, palette) {
      const packed = unpack(bytes);
      const themed = colours?.mode !== palette.mode;
      colours = palette;
      if (packed.head !== head) {
        if (!head) top.input.value = query = readAddress().params.get("find") ?? ""; // a search led here
        head = packed.head;
        data = packed.json();
        store.open(data.key);
        for (const { start, items } of data.excerpts) store.putExcerpts(start, items);
        if (shared.callReply) store.unpack(shared.callReply);
        readPlace();
        selected = locate();
        [found, current] = [null, -1];
        top.showFacts(data.facts, data.whole || data.effective.on);
        top.showEffect(data.effective);
        list.show(data, colours);
        rail.show(data, colours);
        list.mark(selected);
        if (selected !== null) list.reveal(selected);
        showView();
        if (query) search(query);
        writeAddress();
      } else if (themed && data) {
        list.show(data, colours);
        rail.show(data, colours);
        reader.restyle();
        for (const one of [reader.doc, stream]) one.setHits(one.hits, one.raw);
      }
      showProgress();
    },
    destroy() {
      clearTimeout(addressTimer);
      sizes.disconnect();
      store.close();
    },
  };
}
