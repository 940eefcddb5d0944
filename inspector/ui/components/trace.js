// The Trace page: one fact over all calls, in prompts and answers. What is looked for and the selected call live
// in the address; the picture shows the lane of the selected call.

export default (component) => runComponent(component, createTrace);

function createTrace(root, use) {
  let [data, colours, head, lane] = [null, null, "", null];
  const progress = element("div", "progress");
  const top = makeTraceHead(use, root, {
    ask: (params) => {
      route({ params });
      showProgress();
    },
    watch,
    copy,
    unwatch: (id) => send({ remove: id }),
  });
  const story = element("div", "story");
  const open = (target) => route(target, { push: true });
  const choose = (call) => selectCall(call);
  const grid = makeTraceGrid(root, use, { open, choose });
  const table = makeTraceTable(root, { open, choose });
  const help = element("div", "help");
  const picture = element("div", "picture");
  picture.append(grid.node);
  root.replaceChildren(progress, top.node, story, picture, table.node, help);
  let copying = null;

  function send(want) {
    const wish = { key: data.wish, seq: Date.now(), ...want };
    if (shared.traceSend) shared.traceSend(wish);
    else shared.traceWish = wish; // the page is drawn before the component that carries it is there
  }

  function watch() {
    if (!data?.lanes.length) return;
    const isMain = !lane || lane.name === "main" || lane === data.lanes[0];
    send({ watch: true, lane: isMain ? null : lane.name });
  }

  function copy(button) {
    copying = button;
    send({ markdown: lane.name });
  }

  function hear(note) {
    if (!note || note.seq === shared.traceNoted) return;
    shared.traceNoted = note.seq;
    if (note.markdown !== undefined) copyText(note.markdown, copying);
    else top.note(note);
  }

  // ---- what is shown ----

  function laneOf(call) {
    return data.lanes.find((one) => one.calls.includes(call)) ?? data.lanes[0] ?? null;
  }

  function showLane() {
    const has = Boolean(lane);
    for (const part of [story, picture, table.node]) part.hidden = !has;
    help.hidden = has;
    if (!has) return showHelp();
    story.replaceChildren(...lane.sentences.map((sentence, at) => {
      const line = element("p", at ? "" : "first");
      putText(line, sentence);
      return line;
    }));
    const others = data.lanes.filter((one) => one !== lane && /[■▤Σ≶≠]/.test(one.verdict));
    if (others.length) story.append(elsewhere(others));
    grid.show(data, lane, colours);
    table.show(data, lane);
    if (!lane.rows.length && !others.length) showNextStep();
    return undefined;
  }

  // Nothing was found: what may help.
  function showNextStep() {
    const line = element("p", "muted", "Try another kind (as amount 8,500 is ￥8,500 and 8500元) or a shorter text, or ");
    line.append(link("link", "search every session for it", { page: "sessions", params: { q: data.find, session: null, call: null } }), ".");
    story.append(line);
  }

  // "Also in lane state: calls 4, 7": lanes are lines of thought of their own.
  function elsewhere(lanes) {
    const line = element("p", "muted", "Also followed in ");
    lanes.forEach((one, at) => {
      const first = one.calls[Math.max(0, [...one.verdict].findIndex((mark) => "■▤Σ≶≠".includes(mark)))];
      const words = `lane ${one.name}${one.headline ? ` (${one.headline})` : ""}`;
      line.append(at ? ", " : "", link("link", words, { params: { call: first } }, { push: false }));
    });
    return line;
  }

  function showHelp() {
    help.replaceChildren();
    if (data.find.trim()) return; // an error stands under the field
    help.append(
      element("p", "", "Follow a sentence, an id, an amount or a rule through every prompt and answer of this session."),
      element("p", "muted", "Type it above, or select text on Call or Compare and press t; t on a row of Session or Call follows the whole message."),
    );
    if (!data.pins.length) return;
    help.append(element("p", "muted", "Pinned or watched in this session:"));
    for (const pin of data.pins) help.append(link("link pin clip", pin, { params: { find: pin, as: null } }));
  }

  function select(call) {
    if (!data) return;
    const own = laneOf(call);
    if (own !== lane) {
      lane = own;
      showLane();
    }
    grid.select(call);
    table.select(call);
  }

  // ---- events ----

  function showProgress() {
    const { page, params, session } = readAddress();
    const waits = data && page === "trace" && (session !== data.session || (params.get("find") ?? "") !== data.find || params.get("as") !== data.as);
    progress.classList.toggle("on", Boolean(waits));
  }

  use(window, "inspector:trace-feed", (event) => hear(event.detail?.note));
  onCall(use, (call) => {
    if (!data || readAddress().session !== data.session || readAddress().page !== "trace") return;
    select(call ?? lane?.calls[lane.calls.length - 1]);
    showProgress();
  });
  onKey(use, (event) => {
    if (!data || readAddress().page !== "trace") return false;
    const acts = {
      "/": () => {
        top.field.focus();
        top.field.select();
      },
      w: watch,
      ArrowDown: () => table.move(1),
      ArrowUp: () => table.move(-1),
    };
    if (event.key in acts) return acts[event.key](), true;
    if (event.key === "Enter") return table.openActive();
    if (event.key === "t" && selectedText(root)) return traceFact(selectedText(root)), true;
    return false;
  });
  document.fonts?.ready.then(() => grid.draw());

  return {
    update(bytes, palette) {
      const packed = unpackTrace(bytes);
      const themed = colours?.mode !== palette.mode;
      colours = palette;
      if (packed.head !== head) {
        head = packed.head;
        data = packed.json();
        if (data.find.trim()) shared.traced = { session: data.session, find: data.find, as: data.as };
        top.show(data);
        lane = laneOf(currentCall(data.opens));
        showLane();
        if (!data.find && !top.waiting) top.field.focus({ preventScroll: true });
      } else if (themed) showLane();
      select(currentCall(data.opens));
      showProgress();
    },
    destroy() {
      top.stop();
      grid.destroy();
    },
  };
}

// A packed payload: its key on the first line, JSON after it. Only a new key is worth parsing.
function unpackTrace(bytes) {
  const end = bytes.indexOf(10);
  return {
    head: new TextDecoder().decode(bytes.subarray(0, end)),
    json: () => JSON.parse(new TextDecoder().decode(bytes.subarray(end + 1))),
  };
}
