// Figures of the session, each with its formula (probes/metrics.py). They are reckoned when somebody asks for them.

// `ask()` passes the wish on. Returns {node, toggle(), show(rows), refresh(), close()}.
function makeProbesFigures(ask) {
  const node = element("div", "panel figures");
  node.hidden = true;
  node.setAttribute("aria-label", "Figures of this session");

  function toggle() {
    node.hidden = !node.hidden;
    if (node.hidden) return;
    node.replaceChildren(element("span", "muted", "Reckoning …"));
    ask();
  }

  return {
    node,
    toggle,
    show(rows) {
      const table = element("table", "table");
      const head = table.appendChild(element("thead")).appendChild(element("tr"));
      for (const name of ["figure", "share", "of", "formula"]) head.appendChild(element("th", "", name)).scope = "col";
      const body = table.appendChild(element("tbody"));
      for (const [name, share, of, formula] of rows) {
        const row = body.appendChild(element("tr"));
        row.appendChild(element("th", "", name)).scope = "row";
        row.append(element("td", "number", share), element("td", "number muted", of), element("td", "muted", formula));
      }
      node.replaceChildren(table);
    },
    refresh() {
      if (!node.hidden) ask(); // answers came, or a probe was edited
    },
    close() {
      node.hidden = true;
    },
  };
}
