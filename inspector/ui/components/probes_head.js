// The head of the Probes page: which suite, where a model would be asked, saving a draft, and asking.
// Nothing is sent but by the button that stands under the estimate.

const ASK_WHERE = [
  ["every:5,around-compactions", "every 5 calls + around compactions"],
  ["around-compactions", "around compactions"],
  ["every:10,around-compactions", "every 10 calls + around compactions"],
  ["every:1", "every call"],
];

// `actions`: {send(want), chosen() → ids, call() → number, add(), figures()}.
function makeProbesHead(use, root, actions) {
  const node = element("div", "head");
  const bar = node.appendChild(element("div", "bar"));
  const suite = picker("Suite of probes", "suite");
  const where = picker("Where a model is asked", "ask at");
  const counts = element("span", "counts clip");
  const ask = button("Ask a model …", "Shows what it takes first; nothing is sent before you agree", () => toggleAsk());
  const name = input("File of the suite", "");
  const save = button("Save as suite", "Writes the chosen probes beside the traces", () => saveDraft(false));
  const add = button("Add a probe …", "Writes a new question into this suite", () => actions.add());
  const figures = button("Figures", "Recall, presence, loss of constraints and more, each with its formula", () => actions.figures());
  bar.append(suite.label, where.label, counts, element("span", "grow"), name, save, add, figures, ask);
  const trouble = node.appendChild(element("div", "trouble"));
  trouble.setAttribute("role", "alert");
  const panel = node.appendChild(element("div", "panel"));
  panel.hidden = true;
  const form = panel.appendChild(element("div", "form"));
  const endpoint = input("Endpoint", "the server that answered the calls");
  const model = input("Model", "the model of each call");
  const replicates = input("Answers to each question", "", 4);
  const money = input("Budget of money", "none", 7);
  const tokens = input("Budget of tokens", "none", 9);
  const judge = input("Judge: address of its server", "nobody: judges are off");
  const judgeModel = input("Judge: model", "");
  const judging = [field("judge at", judge, "wide"), field("judge's model", judgeModel)];
  const controls = element("input");
  controls.type = "checkbox";
  const reckon = button("Estimate", "Counts and reckons; nothing is sent", estimate);
  form.append(
    field("endpoint", endpoint, "wide"), field("model", model, "wide"), field("answers each", replicates), field("spend at most", money),
    field("tokens at most", tokens), field("controls: without the fact, fact put last", controls, "check"), ...judging, reckon,
  );
  const offer = panel.appendChild(element("div", "offer"));
  const noteLine = node.appendChild(element("div", "noteline"));
  noteLine.setAttribute("role", "status");
  const runLine = node.appendChild(element("div", "run"));
  let [data, running] = [null, false];
  let bisected = null; // id of the probe whose first wrong call is searched; null: what is chosen is asked

  function picker(label, before) {
    const box = element("label", "muted", `${before} `);
    const select = element("select");
    select.setAttribute("aria-label", label);
    box.append(select);
    return { label: box, select };
  }

  function input(label, placeholder, size = 0) {
    const made = element("input");
    made.type = "text";
    made.placeholder = placeholder;
    made.spellcheck = false;
    made.autocomplete = "off";
    if (size) made.size = size;
    made.setAttribute("aria-label", label);
    return made;
  }

  function field(label, control, className = "") {
    const box = element("label", `field muted ${className}`);
    if (control.type === "checkbox") box.append(control, ` ${label}`);
    else box.append(`${label} `, control);
    return box;
  }

  function button(label, title, fn) {
    const made = element("button", "", label);
    made.title = title;
    use(made, "click", fn);
    return made;
  }

  function saveDraft(replace, file = name.value) {
    actions.send({ act: "save", name: file, replace, chosen: actions.chosen() });
  }

  function bisect(id) {
    bisected = id;
    panel.hidden = false;
    ask.setAttribute("aria-pressed", "true");
    estimate();
  }

  function toggleAsk() {
    bisected = null;
    panel.hidden = !panel.hidden;
    ask.setAttribute("aria-pressed", String(!panel.hidden));
    if (!panel.hidden) estimate();
  }

  function estimate() {
    offer.replaceChildren(element("span", "muted", "Reckoning …"));
    actions.send({
      act: "estimate", bisect: bisected, chosen: actions.chosen(), at: readAddress().params.get("at") ?? data.at, endpoint: endpoint.value, model: model.value,
      replicates: replicates.value, money: money.value, tokens: tokens.value, controls: controls.checked,
      judge: data.judged ? judge.value : "", judge_model: data.judged ? judgeModel.value : "",
    });
  }

  // An estimate is of what the form said: another form has none.
  for (const control of [endpoint, model, replicates, money, tokens, controls, judge, judgeModel]) {
    use(control, "input", () => forget());
    use(control, "keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) estimate();
      if (event.key === "Escape") control.blur();
    });
  }

  function forget() {
    if (!panel.hidden) offer.replaceChildren(element("span", "muted", "Press Estimate to see what this takes. Nothing is sent before you agree."));
  }

  function showEstimate(found) {
    const line = element("div", "sum");
    line.append(element("b", "", found.words), element("span", "muted", ` · ${found.budget}`));
    const to = element("div", "muted");
    putText(to, `to ${found.servers.join(", ")} · ${found.key ? "with the key from the environment" : "without a key"} · ${found.local ? "a server on this machine" : "whole prompts of this session leave this machine"}`);
    if (found.search) putText(line.appendChild(element("div")), `Bisect ${bisected ?? ""}: ${found.search}`);
    const reasons = found.refused.map((why) => {
      const reason = element("div", "altered");
      putText(reason, why);
      return reason;
    });
    const acts = element("div", "acts");
    const label = found.questions ? `Send ${found.search ? "at most " : ""}${formatCount(found.questions, "question")}` : "Show the answers at hand";
    const go = element("button", "go", label);
    go.addEventListener("click", guard(root, () => {
      actions.send({ act: "send", estimate: found.id });
      offer.replaceChildren(element("span", "muted", "Sending …"));
    }));
    const not = element("button", "", "Not now");
    not.addEventListener("click", guard(root, toggleAsk));
    acts.append(go, not);
    offer.replaceChildren(line, to, ...reasons, acts);
  }

  function showNote(note) {
    noteLine.replaceChildren();
    noteLine.className = `noteline ${note.tone === "error" ? "lost" : "here"}`;
    if (["edit", "remove"].includes(note.act) && note.tone === "error") return undefined; // the form says it
    if (note.act === "estimate" && note.tone === "error") {
      const line = element("div", "lost");
      putText(line, `● ${note.text}`);
      offer.replaceChildren(line);
      return;
    }
    if (note.estimate) return showEstimate(note.estimate);
    if (note.act === "send" && note.tone === "good") {
      panel.hidden = true;
      ask.setAttribute("aria-pressed", "false");
      offer.replaceChildren();
    }
    putText(noteLine, note.text ?? "");
    if (note.exists) {
      const replace = element("button", "", "Replace its probes, keep its comments");
      replace.addEventListener("click", guard(root, () => saveDraft(true, note.exists)));
      noteLine.append(" ", replace);
    }
    if (note.saved) {
      noteLine.append(" ", link("link", "Open it", { params: { suite: note.saved, probe: null } }, { push: true }));
    }
    return undefined;
  }

  function showRun(run) {
    running = Boolean(run?.running);
    runLine.replaceChildren();
    if (!run) return;
    if (running) {
      const bar = element("progress");
      [bar.max, bar.value] = [run.total, run.done];
      const stop = element("button", "", run.cancelling ? "Waiting for answers in flight" : "Cancel");
      stop.disabled = run.cancelling;
      stop.addEventListener("click", guard(root, () => actions.send({ act: "cancel" })));
      runLine.append(bar, element("span", "", run.words), stop);
    } else runLine.append(element("span", "muted", `Last run: ${run.words}`));
    if (run.flip) {
      const { words, call, before, compaction } = run.flip;
      putText(runLine.appendChild(element("span", call === null ? "" : "altered")), words);
      if (before !== null && call !== null) {
        runLine.append(link("link", `Compare calls ${before} and ${call}`, { page: "compare", params: { a: before, call, compaction } }));
      }
    }
    for (const trouble of run.troubles) {
      const line = element("div", "altered");
      putText(line, `▲ ${trouble}`);
      runLine.append(line);
    }
  }

  use(suite.select, "change", () => route({ params: { suite: suite.select.value, probe: null } }, { push: true }));
  use(where.select, "change", () => {
    route({ params: { at: where.select.value === "call" ? String(actions.call()) : where.select.value } });
    forget();
  });

  return {
    node,
    forget,
    bisect,
    show(fresh) {
      const other = data?.session !== fresh.session || data?.suite !== fresh.suite;
      data = fresh;
      const options = [["draft", "draft from this session"], ...fresh.suites.map((file) => [file, file])];
      if (!options.some(([value]) => value === fresh.suite)) options.push([fresh.suite, fresh.suite]);
      suite.select.replaceChildren(...options.map(([value, label]) => new Option(label, value)));
      suite.select.value = fresh.suite;
      const places = [...ASK_WHERE, ["call", "this call"]];
      const known = places.some(([value]) => value === fresh.at);
      if (!known) places.push([fresh.at, /^[0-9]+$/.test(fresh.at) ? `call ${fresh.at}` : fresh.at]);
      where.select.replaceChildren(...places.map(([value, label]) => new Option(label, value)));
      where.select.value = fresh.at;
      counts.textContent = fresh.counts ? `looked (no model): ${fresh.counts}` : "";
      counts.title = counts.textContent;
      if (other) name.value = fresh.proposed;
      add.hidden = fresh.draft || fresh.error.length > 0;
      name.hidden = save.hidden = !fresh.draft || !fresh.probes.length;
      save.title = `Writes the chosen probes into ${fresh.folder}`;
      if (!replicates.value) replicates.value = String(fresh.replicates);
      for (const box of judging) box.hidden = !fresh.judged;
      figures.hidden = !fresh.probes.length;
      ask.disabled = !fresh.probes.length || Boolean(fresh.asking);
      if (fresh.asking) ask.title = fresh.asking;
      trouble.replaceChildren();
      if (fresh.error.length) {
        const line = element("span", "lost");
        putText(line, `● ${fresh.error[0]} `);
        trouble.append(line, element("span", "muted", fresh.error[1] ?? ""));
      } else if (fresh.at_trouble) putText(trouble.appendChild(element("span", "altered")), `▲ ask at: ${fresh.at_trouble}`);
      if (other) {
        noteLine.replaceChildren();
        forget();
      }
    },
    note: showNote,
    run: showRun,
  };
}
