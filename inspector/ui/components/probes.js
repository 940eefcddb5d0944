// The Probes page: the questions of a suite over all calls. Suite, probe and call live in the address; which drafts
// are taken up lives here until they are saved.

export default (component) => runComponent(component, createProbes);

function createProbes(root, use) {
  let [data, colours, stamp] = [null, null, ""];
  let line = -1; // place of the selected probe
  let chosen = new Set();
  let waiting = null;
  let refused = {}; // call → why it cannot be asked, as the last estimate found
  const progress = element("div", "progress");
  const head = makeProbesHead(use, root, { send, chosen: () => [...chosen], call: shownCall, add: () => editor.open(data), figures: () => figures.toggle() });
  const editor = makeProbesEditor(use, root, (want) => send({ suite: data.suite, ...want }));
  const figures = makeProbesFigures(root, use, { send, chosen: () => [...chosen] });
  const grid = makeProbesGrid(root, use, { choose, open: openCall, toggle });
  const cell = makeProbesCell(root, { edit: (probe) => editor.open(data, probe.form), bisect: (probe) => head.bisect(probe.id) });
  const picture = element("div", "picture");
  const empty = element("div", "empty");
  picture.append(grid.node);
  root.replaceChildren(progress, head.node, figures.node, editor.node, picture, empty, cell.node);

  // The component that carries wishes may come a moment after the grid: what is wanted until then waits for it.
  function send(want) {
    const whole = { session: data.session, seq: Date.now(), ...want };
    if (shared.probesSend) shared.probesSend(whole);
    else waiting = whole;
  }

  function sendWaiting() {
    if (waiting && waiting.session === data?.session) shared.probesSend?.(waiting);
    waiting = null;
  }

  function shownCall() {
    return currentCall(data.opens);
  }

  function toggle(id, on) {
    if (on) chosen.add(id);
    else chosen.delete(id);
    head.forget();
    figures.refresh();
  }

  function choose(at, call) {
    line = at;
    selectCall(call ?? shownCall(), { probe: data.probes[at].id });
    select();
  }

  function openCall(at, call) {
    const probe = data.probes[at];
    const place = data.calls.indexOf(call);
    const run = probe?.runs.find(([from, to]) => from <= place && place <= to)?.[2];
    const number = run?.carriers[0] ?? run?.rivals[0];
    route({ page: "call", params: { call, message: number === undefined ? null : `m${number}` } }, { push: true });
  }

  // The probe of the address; without one the first that fails, which is what one came for.
  function lineOfAddress() {
    const wanted = readAddress().params.get("probe");
    const named = data.probes.findIndex((probe) => probe.id === wanted);
    if (named >= 0) return named;
    const failing = data.probes.findIndex((probe) => probe.flip);
    return failing >= 0 ? failing : data.probes.length ? 0 : -1;
  }

  function select() {
    const call = shownCall();
    grid.select(line, call);
    cell.show(data, data.probes[line], call, refused[call]);
  }

  function showEmpty() {
    const none = !data.probes.length;
    picture.hidden = cell.node.hidden = none;
    empty.hidden = !none;
    empty.replaceChildren();
    if (!none || data.error.length) return;
    empty.append(
      element("p", "", "Nothing in this session looks like something to be remembered: no pin, no rule, no id that was used, no state."),
      element("p", "muted", `Write a suite by hand (docs/probes.md) into ${data.folder}, or watch a sentence on Call: it becomes a probe.`),
    );
  }

  function hear(heard) {
    if (!heard) return;
    if (heard.note && heard.note.seq !== shared.probesNoted) {
      shared.probesNoted = heard.note.seq;
      if (["edit", "remove"].includes(heard.note.act)) editor.note(heard.note);
      figures.heard(heard.note);
      if (heard.note.estimate) {
        refused = heard.note.estimate.refused_calls;
        grid.refuse(refused);
        select();
      }
      head.note(heard.note);
    }
    head.run(heard.run);
    figures.sessions(heard.sessions);
  }

  function showProgress() {
    const { page, session, params } = readAddress();
    const other = data && page === "probes" && (session !== data.session || (params.get("suite") ?? data.suite) !== data.suite);
    progress.classList.toggle("on", Boolean(other));
  }

  use(window, "inspector:probes-feed", (event) => {
    hear(event.detail);
    if (waiting) setTimeout(guard(root, sendWaiting), 0);
  });
  onCall(use, () => {
    if (!data || readAddress().session !== data.session || readAddress().page !== "probes") return;
    if (shared.pending === null && readAddress().params.get("probe")) line = lineOfAddress();
    select();
    showProgress();
  });
  onKey(use, (event) => {
    if (!data?.probes.length || readAddress().page !== "probes") return false;
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves) {
      const to = Math.min(Math.max(0, line + moves[event.key]), data.probes.length - 1);
      if (to !== line) choose(to, null);
      return true;
    }
    if (event.key === "Enter" && line >= 0) return openCall(line, shownCall()), true;
    if (event.key === "t" && selectedText(root)) return traceFact(selectedText(root)), true;
    if (event.key === "t" && data.probes[line]?.trace) return traceFact(...data.probes[line].trace), true;
    return false;
  });
  document.fonts?.ready.then(() => grid.draw());

  return {
    update(bytes, palette) {
      const end = bytes.indexOf(10);
      const key = new TextDecoder().decode(bytes.subarray(0, end));
      const themed = colours?.mode !== palette.mode;
      colours = palette;
      if (key !== stamp) {
        stamp = key;
        const before = data;
        data = JSON.parse(new TextDecoder().decode(bytes.subarray(end + 1)));
        // What was ticked stays while the same suite gets answers.
        if (before?.session !== data.session || before?.suite !== data.suite) {
          refused = {};
          chosen = new Set(data.probes.filter((probe) => probe.chosen).map((probe) => probe.id));
          editor.close();
          figures.close();
        }
        head.show(data);
        figures.suites(data.suite, data.draft);
        figures.refresh();
        line = lineOfAddress();
        grid.show(data, chosen, colours);
        showEmpty();
        hear(shared.probesHeard);
      } else if (themed) grid.show(data, chosen, colours);
      select();
      showProgress();
    },
    destroy: () => grid.destroy(),
  };
}
