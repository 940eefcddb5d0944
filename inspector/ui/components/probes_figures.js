// Figures of the session, each with its formula (probes/metrics.py), and under them those of all sessions. They are
// reckoned when somebody asks for them.

// `send(want)` passes a wish on, `chosen()` gives the ids of the probes that count.
// Returns {node, toggle(), heard(note), sessions(state), suites(name, draft), refresh(), close()}.
function makeProbesFigures(root, use, { send, chosen }) {
  const node = element("div", "panel figures");
  node.hidden = true;
  node.setAttribute("aria-label", "Figures");
  const own = node.appendChild(element("div", "own"));
  const sessions = makeProbesSessions(root, use, send);
  node.append(sessions.node);
  let waiting = false;

  function toggle() {
    node.hidden = !node.hidden;
    if (node.hidden) return;
    own.replaceChildren(element("span", "muted", "Reckoning …"));
    ask();
  }

  function ask() {
    waiting = true;
    send({ act: "figures", chosen: chosen() });
  }

  function show(rows) {
    const table = element("table", "table");
    const head = table.appendChild(element("thead")).appendChild(element("tr"));
    for (const name of ["figure", "share", "of", "formula"]) head.appendChild(element("th", "", name)).scope = "col";
    const body = table.appendChild(element("tbody"));
    for (const [name, share, of, formula] of rows) {
      const row = body.appendChild(element("tr"));
      row.appendChild(element("th", "", name)).scope = "row";
      row.append(element("td", "number", share), element("td", "number muted", of), element("td", "muted", formula));
    }
    own.replaceChildren(table);
  }

  return {
    node,
    toggle,
    heard(note) {
      if (note.act === "figures") {
        waiting = false;
        if (note.figures) show(note.figures);
        else own.replaceChildren(); // why stands in the line above
      } else if (waiting && !node.hidden) ask(); // another wish came before it was answered, and took its place
    },
    sessions: sessions.show,
    suites: sessions.suites,
    refresh() {
      if (!node.hidden) ask(); // answers came, a probe was edited, or another one is ticked
    },
    close() {
      node.hidden = true;
    },
  };
}
