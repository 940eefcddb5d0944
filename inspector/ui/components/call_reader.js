// The reader pane: what a message is, and its whole text.

function makeReader(store, colours, actions) {
  const node = element("section", "reader");
  node.setAttribute("aria-label", "Selected message");
  const top = node.appendChild(element("div", "about"));
  const host = node.appendChild(element("div", "scroll"));
  host.tabIndex = 0;
  const noteLine = line("watchnote");
  noteLine.hidden = true;
  noteLine.setAttribute("role", "status");
  const doc = new DocView(host, store, {
    margin: 40,
    gutter(gutter, section, opens, edge) {
      if (!edge) return;
      const name = actions.layers()[edge[2]];
      gutter.style.borderLeftColor = colours().layer(name);
      gutter.title = edge[3] || name;
      if (opens) gutter.append(layerStyle(name).code);
    },
    head: sectionHead,
  });

  function line(className, ...children) {
    const made = element("div", className);
    made.append(...children);
    return made;
  }

  function showAbout(shown) {
    const title = line("title");
    putText(title.appendChild(element("strong", "clip")), shown.title);
    const copy = element("button", "", "Copy y");
    copy.title = "Copy the whole text (y)";
    copy.addEventListener("click", () => actions.copy(copy));
    if (shown.life) title.append(traceButton(), watchButton());
    title.append(copy);
    const parts = [title, noteLine];
    if (shown.outcome) {
      const outcome = line(`outcome ${shown.outcome.tone}`);
      putText(outcome, shown.outcome.title || shown.outcome.text);
      parts.push(outcome);
    }
    const facts = line("muted");
    putText(facts, shown.facts.join(" · "));
    if (shown.usage) facts.title = shown.usage;
    if (shown.facts.length) parts.push(facts);
    for (const [layer, why] of shown.why ?? []) {
      const row = line("why muted", swatch(colours(), layer), element("span", "code", layerStyle(layer).code));
      putText(row, ` ${layer.replace("_", " ")}${why ? `: by ${why}` : ""}`);
      parts.push(row);
    }
    for (const event of shown.life ?? []) parts.push(lifeLine(event));
    if (shown.hole) {
      const hole = line("outcome error");
      putText(hole, `content lost: ${shown.hole}`);
      parts.push(hole);
    }
    if (shown.ledger) parts.push(ledger(shown));
    top.replaceChildren(...parts);
  }

  function traceButton() {
    const button = element("button", "", "Trace t");
    button.title = "Follow the selected text, or the whole message, through the session (t)";
    button.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the selection
    button.addEventListener("click", () => actions.trace());
    return button;
  }

  function watchButton() {
    const button = element("button", "", "Watch w");
    button.title = "Watch the selected text, or the whole message: it must be in every later prompt (w)";
    button.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the selection
    button.addEventListener("click", () => actions.watch());
    return button;
  }

  // "Σ call 30 · turn 14: taken by summary m67"
  function lifeLine(event) {
    const row = line(`life${event.later ? " later" : ""}`, element("span", `symbol ${event.kind}`, event.symbol));
    const words = row.appendChild(element("span", "words"));
    if (event.later) words.append("later ");
    if (event.call) words.append(link("link", event.where, { page: "call", params: { call: event.call } }), ": ");
    const text = words.appendChild(element("span"));
    putText(text, event.text);
    if (event.title) text.title = event.title;
    if (event.compare && PAGES.includes("compare")) {
      const [a, b] = event.compare;
      words.append(" · ", link("link", "compare", { page: "compare", params: { call: b, a, b } }));
    }
    if (event.watch) {
      const remove = words.appendChild(element("button", "remove", "Stop watching"));
      remove.addEventListener("click", () => actions.unwatch(event.watch));
    }
    return row;
  }

  // What became of a watch; gone when another message is chosen.
  function showNote(note) {
    noteLine.hidden = note === null;
    if (note === null) return;
    noteLine.className = `watchnote ${note.tone}`;
    const text = element("span");
    putText(text, note.text);
    noteLine.replaceChildren(text);
    if (note.undo) {
      const undo = noteLine.appendChild(element("button", "", "Undo"));
      undo.addEventListener("click", () => actions.unwatch(note.undo));
    }
  }

  function ledger(shown) {
    const wrap = line("ledgers");
    const table = wrap.appendChild(element("table"));
    for (const [label, tokens, origin, inner] of shown.ledger) {
      const row = table.insertRow();
      if (inner) row.className = "inner";
      row.append(element("td", "", label), element("td", "number", tokens), element("td", "muted", origin));
    }
    if (shown.passes.length) wrap.append(passes(shown.passes));
    const layers = wrap.appendChild(element("table"));
    for (const [layer, tokens, origin] of shown.composition) {
      const row = layers.insertRow();
      const name = element("td");
      name.append(swatch(colours(), layer), element("span", "code", layerStyle(layer).code), layer.replace("_", " "));
      row.append(name, element("td", "number", formatTokens(tokens)));
      row.title = origin;
    }
    return wrap;
  }

  // The provider's figures side by side: the context is a size, what is billed is a price.
  function passes(rows) {
    const table = element("table", "passes");
    const titles = table.insertRow();
    for (const title of ["by the provider", "in", "cached", "written", "out"]) titles.append(element("td", "muted", title));
    for (const [name, ...figures] of rows) {
      const row = table.insertRow();
      row.append(element("td", "", name), ...figures.map((figure) => element("td", "number", figure)));
    }
    return table;
  }

  return {
    node,
    host,
    doc,
    show(name, shown, keep) {
      if (doc.doc !== shown) showAbout(shown);
      doc.show(name, shown, { keep });
    },
    restyle() {
      if (doc.doc) showAbout(doc.doc);
    },
    note: showNote,
    // Nothing to show: say why.
    say(title, lines, go = null) {
      const box = line("absent", element("strong", "", title));
      for (const text of lines) putText(box.appendChild(element("p")), text);
      if (go) box.appendChild(element("p")).append(link("link", `Open call ${go}`, { page: "call", params: { call: go } }));
      top.replaceChildren(box);
      doc.show(null, null);
    },
  };
}

// The heading of a part: what it is, folded or not, indented or as it is.
function sectionHead(row, section, view) {
  const { open, raw } = view.choice(section);
  const label = row.appendChild(element(section.fold === undefined ? "span" : "button", "label clip"));
  if (section.fold !== undefined) {
    label.setAttribute("aria-expanded", String(open));
    label.addEventListener("click", () => view.choose(section, { open: !open }));
    label.append(open ? "▾ " : "▸ ");
  }
  putText(label, section.head);
  if (section.tokens !== undefined) row.append(element("span", "muted", `${formatTokens(section.tokens)} tokens`));
  if (section.pretty && open && !view.raw) {
    const toggle = row.appendChild(element("button", "form", raw ? "Indent" : "As sent"));
    toggle.addEventListener("click", () => view.choose(section, { raw: !raw }));
  }
}
