// Under the grid: one probe at one call. The question, what is expected, the evidence, the answers, the verdict.

const MESSAGES_SHOWN = 4;

// `edit(probe)` opens the form, `bisect(probe)` the estimate of a search.
// Returns {node, show(data, probe, call, why it cannot be asked)}.
function makeProbesCell(root, { edit, bisect }) {
  const node = element("section", "cell");
  node.setAttribute("aria-live", "polite");
  node.setAttribute("aria-label", "The selected probe at the selected call");

  function fact(name, ...values) {
    const line = element("div", "fact");
    const value = element("div", "value");
    value.append(...values);
    line.append(element("div", "muted name", name), value);
    return line;
  }

  function text(className, words) {
    const span = element("span", className);
    putText(span, words);
    return span;
  }

  function messageLine(data, probe, number, call, kind) {
    const [code, layer, who] = data.messages[number] ?? ["??", "", ""];
    const line = element("div", `message ${kind}`);
    line.append(link("link", `m${number}`, { page: "call", params: { call, message: `m${number}` } }));
    line.append(element("span", "muted", ` ${code} ${who || layer.replace("_", " ")}  `));
    line.append(text("said", probe.evidence[number] ?? ""));
    return line;
  }

  function messageLines(data, probe, numbers, call, kind) {
    const lines = numbers.slice(0, MESSAGES_SHOWN).map((number) => messageLine(data, probe, number, call, kind));
    const more = numbers.length - MESSAGES_SHOWN;
    if (more > 0) lines.push(element("div", "muted", `and ${formatCount(more, "more message")}: Trace has them all`));
    return lines;
  }

  function armLines(arm) {
    const lines = [];
    const head = element("div", "arm");
    head.append(element("b", "", arm.arm), arm.model ? text("muted", ` asked ${arm.model}, ${formatCount(arm.of, "time")}: `) : " ");
    const [low, high] = arm.interval ?? [null, null];
    head.append(arm.of ? `right ${arm.right} of ${arm.of}` : "no answer");
    if (low !== null) head.append(element("span", "muted", ` (95 %: ${formatShare(low)} to ${formatShare(high)})`));
    if (arm.means) head.append(element("b", "", ` → ${arm.means}`));
    lines.push(head);
    for (const [said, state, why, count] of arm.answers) {
      const line = element("div", "answer");
      line.append(text("", `“${said}”`), count > 1 ? ` ×${count} ` : " ", element("span", state === "right" ? "here" : "altered", state), text("muted", why ? ` ${why}` : ""));
      lines.push(line);
    }
    for (const why of arm.failures) lines.push(text("answer altered", why));
    return lines;
  }

  // What is gone was somewhere: the last call that had it, and the message that said it there.
  function lastHeld(data, probe, at) {
    const run = probe.runs.findLast(([, to, said]) => to < at && said.carriers.length);
    if (!run) return null;
    const call = data.calls[run[1]];
    return fact("last held", ...messageLines(data, probe, run[2].carriers, call, "gone"), element("div", "muted", `in call ${call}`));
  }

  function links(data, probe, call) {
    const line = element("span", "links");
    const at = data.calls.indexOf(call);
    const run = probe.runs.find(([from, to]) => from <= at && at <= to)?.[2];
    const number = run?.carriers[0] ?? run?.rivals[0];
    line.append(link("link", "Call ↵", { page: "call", params: { call, message: number === undefined ? null : `m${number}` } }));
    if (probe.trace) line.append(link("link", "Trace t", { page: "trace", params: { call, find: probe.trace[0], as: probe.trace[1] } }));
    const { flip } = probe;
    if (flip && flip.before !== null) {
      line.append(link("link", `Compare calls ${flip.before} and ${flip.call}`, { page: "compare", params: { a: flip.before, call: flip.call, compaction: flip.compaction } }));
    }
    if (!data.asking) {
      const search = element("button", "", "Bisect …");
      search.title = "Find the first call a model gets wrong, with few questions; shows what it takes first";
      search.addEventListener("click", guard(root, () => bisect(probe)));
      line.append(search);
    }
    const exporting = element("button", "", "Export");
    exporting.title = "Export this call as a test, with what the probes ask";
    exporting.addEventListener("click", guard(root, () => openExport(call)));
    line.append(exporting);
    if (!data.draft) {
      const change = element("button", "", "Edit …");
      change.addEventListener("click", guard(root, () => edit(probe)));
      line.append(change);
    }
    return line;
  }

  return {
    node,
    show(data, probe, call, refused = "") {
      node.replaceChildren();
      if (!probe) return;
      const at = data.calls.indexOf(call);
      const run = probe.runs.find(([from, to]) => from <= at && at <= to)?.[2];
      const turn = data.turns[at] ? ` · turn ${data.turns[at].slice(1)}` : "";
      const title = element("div", "title");
      title.append(links(data, probe, call), element("b", "", `call ${call}${turn}`), " · ", text("", oneLine(probe.question)));
      node.append(title);
      const expected = text("", probe.expected);
      node.append(fact("expected", expected, element("span", "muted", ` · ${probe.kind} · due ${probe.due}`)));
      if (probe.why) node.append(fact("found", text("muted", probe.why)));
      if (!run) {
        node.append(fact("verdict", "This call is of another lane: the probe does not concern it."));
        return;
      }
      const [kind] = data.signs[probe.marks[at]] ?? ["same"];
      node.append(fact("verdict", element("b", kind === "same" ? "" : kind, `${probe.marks[at]} ${run.verdict}`), " ", text("", run.words)));
      const arms = run.arms.flatMap(armLines);
      node.append(fact("model", ...(arms.length ? arms : [text(refused ? "altered" : "muted", refused ? `cannot be asked: ${refused}` : "not asked here: the verdict is from looking")])));
      const depth = probe.depth[at];
      const held = messageLines(data, probe, run.carriers, call, "held");
      const rivals = messageLines(data, probe, run.rivals, call, "rival");
      if (held.length) node.append(fact("held by", ...held, ...(depth === null ? [] : [element("div", "muted", `${formatTokens(depth)} tokens from the end of the prompt`)])));
      if (rivals.length) node.append(fact("against it", ...rivals));
      if (!held.length && run.verdict !== "not due") {
        if (!rivals.length) node.append(fact("held by", element("span", "muted", "no message of this prompt")));
        const before = lastHeld(data, probe, at);
        if (before) node.append(before);
      }
      if (probe.repair && run.lost) node.append(fact("smallest repair", text("", probe.repair)));
    },
  };
}
