// Figures of all sessions: a row a session, all together first. They are measured when somebody asks for it, in the
// background; the rows are ordered by a figure when its head is pressed, the worst end first at the second press.

const FIRST_ROWS = 100; // more are drawn when the reader asks for them: a thousand rows of cells take a while

// `send(want)` passes a wish on. Returns {node, suites(name, draft), show(state), table()}.
function makeProbesSessions(root, use, send) {
  const node = element("div", "sessions");
  const bar = node.appendChild(element("div", "bar"));
  const go = element("button", "", "Over all sessions");
  go.title = "Measures every session of the directory by looking and by the answers at hand; no model is asked";
  const suite = select("Probes of each session", "probes");
  const by = select("Groups of sessions", "groups");
  const how = element("span", "how");
  bar.append(go, suite.label, by.label, how);
  const troubles = node.appendChild(element("div", "troubles"));
  const frame = node.appendChild(element("div", "rows"));
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", "Figures of all sessions");
  let state = null;
  let [drawn, order, all] = ["", null, false]; // what is drawn, [column, downwards], whether every row is

  function select(label, before) {
    const box = element("label", "muted", `${before} `);
    const control = element("select");
    control.setAttribute("aria-label", label);
    box.append(control);
    return { label: box, control };
  }

  // Two cells a figure, the share and what it is of, so that both stand in line.
  function shares(cells, who) {
    return cells.flatMap(([share, of, , spread], place) => {
      const [, name, formula] = state.table.columns[place];
      const pair = [element("td", "number", share), element("td", "of muted", of === "of nothing" ? "" : of.replace(" of ", "/"))];
      for (const cell of pair) cell.title = `${who}: ${name.replaceAll("_", " ")}\n${of}${spread ? `\n${spread}` : ""}\n${formula}`;
      return pair;
    });
  }

  function row(name, about, cells, className = "") {
    const made = element("tr", className);
    const head = made.appendChild(element("th"));
    head.scope = "row";
    head.append(typeof name === "string" ? element("span", "", name) : name);
    head.title = head.textContent;
    made.append(element("td", "muted clip", about), ...shares(cells, head.textContent));
    return made;
  }

  function ordered(rows) {
    if (order === null) return rows;
    const [column, down] = order;
    const value = (one) => one[3][column][2];
    const known = rows.filter((one) => value(one) !== null);
    const unknown = rows.filter((one) => value(one) === null); // in no order: they stay behind
    return [...known.sort((one, other) => (down ? value(other) - value(one) : value(one) - value(other))), ...unknown];
  }

  function heads() {
    const line = element("tr");
    for (const name of ["session", "probes"]) line.appendChild(element("th", "", name)).scope = "col";
    state.table.columns.forEach(([short, name, formula], place) => {
      const head = line.appendChild(element("th", "number"));
      [head.scope, head.colSpan] = ["col", 2];
      const down = order?.[0] === place ? order[1] : null;
      head.setAttribute("aria-sort", down === null ? "none" : down ? "descending" : "ascending");
      const press = head.appendChild(element("button", "plain", `${short}${down === null ? "" : down ? " ↓" : " ↑"}`));
      press.title = `${name}: ${formula}`;
      press.addEventListener("click", guard(root, () => {
        order = down === null ? [place, true] : down ? [place, false] : null;
        draw();
        frame.querySelectorAll("thead button")[place].focus();
      }));
    });
    return line;
  }

  function draw() {
    const found = state.table;
    const table = element("table", "table");
    table.appendChild(element("thead")).append(heads());
    const body = table.appendChild(element("tbody"));
    const [count, cells] = found.all;
    body.append(row(found.left ? "those measured" : "all sessions", count, cells, "together"));
    for (const [name, size, own] of found.groups[by.control.value] ?? []) body.append(row(name, size, own, "together"));
    const rows = ordered(found.sessions);
    for (const [session, about, , own] of all ? rows : rows.slice(0, FIRST_ROWS)) {
      const target = { page: "probes", params: { session, call: null, suite: null, probe: null } };
      body.append(row(link("link", session, target), about, own));
    }
    const kids = [table];
    if (!all && rows.length > FIRST_ROWS) {
      const more = element("button", "", `Show all ${formatCount(rows.length, "session")}`);
      more.addEventListener("click", guard(root, () => {
        all = true;
        draw();
      }));
      kids.push(more);
    }
    frame.replaceChildren(...kids);
  }

  function showTroubles() {
    const said = [...state.troubles];
    const found = state.table;
    if (found?.left) said.push(`Stopped: ${formatCount(found.left, "session")} were not looked at.`);
    if (state.of) said.push(`This suite was made for ${state.of}: of probes the other sessions have no figures. Take “session” out of it to put it to all.`);
    for (const [session, why] of found?.unread ?? []) said.push(`${session} is not counted: ${why}`);
    const shown = said.slice(0, FIRST_ROWS).map((text) => {
      const line = element("div", "altered");
      putText(line, `▲ ${text}`);
      return line;
    });
    if (said.length > FIRST_ROWS) shown.push(element("div", "muted", `and ${said.length - FIRST_ROWS} more`));
    troubles.replaceChildren(...shown);
  }

  function showGroups() {
    const names = Object.keys(state.table?.groups ?? {});
    const before = by.control.value;
    by.control.replaceChildren(new Option("none", ""), ...names.map((name) => new Option(`by ${name}`, name)));
    by.control.value = names.includes(before) ? before : "";
    by.label.hidden = !names.length;
  }

  function showHow() {
    how.replaceChildren();
    go.disabled = Boolean(state?.running) && !state.cancelling;
    if (!state?.running) return;
    const line = element("progress");
    if (state.total !== null) [line.max, line.value] = [state.total, state.done];
    const stop = element("button", "", state.cancelling ? "Waiting for this session" : "Cancel");
    stop.disabled = state.cancelling;
    stop.addEventListener("click", guard(root, () => send({ act: "cancel sessions" })));
    how.append(line, element("span", "muted", state.words), stop);
  }

  use(go, "click", () => {
    go.disabled = true;
    send({ act: "sessions", suite: suite.control.value || null });
  });
  use(by.control, "change", draw);
  by.label.hidden = true;

  return {
    node,
    suites(name, draft) {
      const options = [new Option("each session's own, or a draft", "")];
      if (!draft) options.push(new Option(`${name} for all`, name));
      suite.control.replaceChildren(...options);
      suite.label.hidden = draft;
    },
    show(fresh) {
      const stamp = fresh ? `${fresh.number} ${fresh.table !== null}` : "";
      state = fresh;
      showHow();
      if (!fresh || stamp === drawn) return;
      drawn = stamp;
      [order, all] = [null, false];
      showTroubles();
      showGroups();
      if (fresh.table) draw();
      else frame.replaceChildren();
    },
  };
}
