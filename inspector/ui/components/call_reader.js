// The reader pane: what a message is, and its whole text.

function makeReader(store, colours, actions) {
  const node = element("section", "reader");
  node.setAttribute("aria-label", "Selected message");
  const top = node.appendChild(element("div", "about"));
  const host = node.appendChild(element("div", "scroll"));
  host.tabIndex = 0;
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
    title.append(copy);
    const parts = [title];
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
    for (const pin of shown.pins ?? []) {
      const row = line("pinned", element("span", "pin", "⚲"));
      putText(row, ` ${pin}`);
      parts.push(row);
    }
    if (shown.hole) {
      const hole = line("outcome error");
      putText(hole, `content lost: ${shown.hole}`);
      parts.push(hole);
    }
    if (shown.ledger) parts.push(ledger(shown));
    top.replaceChildren(...parts);
  }

  function ledger(shown) {
    const wrap = line("ledgers");
    const table = wrap.appendChild(element("table"));
    for (const [label, tokens, origin, inner] of shown.ledger) {
      const row = table.insertRow();
      if (inner) row.className = "inner";
      row.append(element("td", "", label), element("td", "number", tokens), element("td", "muted", origin));
    }
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
    // Nothing to show: say why.
    say(title, lines) {
      const box = line("absent", element("strong", "", title));
      for (const text of lines) putText(box.appendChild(element("p")), text);
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
