// The head of a comparison: whose sides they are, what differs at large, the switches and the counts.

const COMPARE_VIEWS = [["whole", "Whole call"], ["messages", "Messages"], ["parameters", "Parameters"]];
const ALWAYS_COUNTED = ["evicted", "edited", "added", "kept"]; // the others only where they occur

function makeCompareHead(actions) {
  const node = element("header", "head");
  const compaction = node.appendChild(element("div", "compaction"));
  const sides = node.appendChild(element("div", "sides"));
  const facts = node.appendChild(element("div", "facts"));
  const notes = node.appendChild(element("div", "notes"));
  const bar = node.appendChild(element("div", "bar"));

  const button = (label, title, act, host = bar) => {
    const made = host.appendChild(element("button", "", label));
    made.title = title;
    made.addEventListener("click", act);
    return made;
  };
  const only = button("Only differences", "Fold what is the same", actions.only);
  button("Swap", "Exchange the sides", actions.swap);
  const previous = button("‹ p", "Previous difference (p)", () => actions.step(-1));
  const next = button("n ›", "Next difference (n)", () => actions.step(1));
  const count = bar.appendChild(element("span", "muted count"));
  const views = bar.appendChild(element("span", "views"));
  const switches = COMPARE_VIEWS.map(([name, label]) => [name, button(label, "", () => actions.view(name), views)]);
  const counts = bar.appendChild(element("span", "counts"));

  function side(data, name) {
    const own = data[name];
    const box = element("div", "side");
    const title = box.appendChild(element("button", "title"));
    title.title = "Choose another session or call";
    title.append(element("strong", "", own.title), element("span", "arrow", "▼"));
    if (own.about) title.append(element("span", "about muted", own.about));
    title.addEventListener("click", () => actions.pick(name));
    if (data.a.session !== data.b.session) putText(box.appendChild(element("span", "session clip")), own.session);
    box.append(element("span", "muted clip", own.size));
    return box;
  }

  function showCompaction(data) {
    const shown = data.compaction;
    compaction.hidden = !shown;
    if (!shown) return;
    const line = element("div", "line");
    line.append(element("strong", "", `Compaction ${shown.number} of ${shown.of}`));
    for (const [by, label, title] of [[-1, "‹", "Previous compaction ([)"], [1, "›", "Next compaction (])"]]) {
      const made = button(label, title, () => actions.compaction(by), line);
      made.className = "icon";
      made.disabled = shown.number + by < 1 || shown.number + by > shown.of;
    }
    if (shown.call !== null) button("Export x", "Export the call after this compaction as a test (x)", () => openExport(shown.call), line);
    const said = line.appendChild(element("span", "said clip"));
    for (const fact of shown.facts) {
      const part = said.appendChild(element("span", "fact"));
      putText(part, fact.text);
      part.title = fact.title;
    }
    if (shown.hasRecord) {
      const forms = line.appendChild(element("span", "views"));
      for (const [form, label, title] of [
        ["recorded", "as recorded", "The messages that the record names before and after"],
        ["sent", "as sent", "The prompts of the call before and of the call after"],
      ]) {
        button(label, title, () => actions.form(form), forms).setAttribute("aria-pressed", String(shown.form === form));
      }
    }
    compaction.replaceChildren(line);
    for (const text of shown.contradictions) {
      const row = compaction.appendChild(element("div", "contradiction"));
      row.append(element("span", "altered", "▲ "));
      putText(row, text);
    }
  }

  function showCounts(data) {
    const { counts: figures, fates } = data;
    counts.replaceChildren();
    const entry = (fate, text, title) => {
      const [symbol, kind] = fates[fate];
      const made = element("button", "tally");
      made.append(element("span", kind, symbol), ` ${text}`);
      made.title = title;
      made.disabled = fate === "kept" || !figures[fate];
      made.addEventListener("click", () => actions.toFate(fate));
      counts.append(made);
    };
    const took = figures.summarised;
    const became = `${formatTokens(took)}→${formatTokens(figures.summaries)}`;
    entry("summarised", became, `${formatCount(took, "message")} taken by ${formatCount(figures.summaries, "summary", "summaries")}`);
    for (const fate of ["evicted", "truncated", "edited", "moved", "returned", "added", "kept"]) {
      if (figures[fate] || ALWAYS_COUNTED.includes(fate)) {
        entry(fate, formatTokens(figures[fate]), `${formatCount(figures[fate], "message")} ${fate === "kept" ? "unchanged" : fate}`);
      }
    }
  }

  return {
    node,
    compaction,
    show(data) {
      const swap = element("span", "swap", "⇄");
      sides.replaceChildren(side(data, "a"), swap, side(data, "b"));
      facts.replaceChildren(...data.facts.map((fact) => {
        const part = element("span", "fact");
        putText(part, fact.text);
        part.title = fact.title ? `${fact.text}\n${fact.title}` : fact.text;
        return part;
      }));
      notes.replaceChildren(...data.notes.map((text) => element("div", "", text)));
      notes.hidden = !data.notes.length;
      showCompaction(data);
      showCounts(data);
    },
    showState({ view, onlyDifferences, at, of }) {
      only.setAttribute("aria-pressed", String(onlyDifferences));
      for (const [name, made] of switches) made.setAttribute("aria-pressed", String(name === view));
      previous.disabled = next.disabled = of === 0;
      count.textContent = of === 0 ? "no difference" : at === null ? formatCount(of, "difference") : `${formatTokens(at + 1)} of ${formatTokens(of)}`;
      only.disabled = view === "parameters";
    },
  };
}
