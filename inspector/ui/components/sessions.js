// Sessions: the field that searches everything, the filters and the table. What a search finds and the
// files with problems are components of their own below; this one then shows the field only.

const SEARCH_DELAY = 350; // ms after the last key before a search goes out
const KINDS = [["text", "text"], ["regex", "regex"], ["id", "id"]];
const COLUMNS = [
  ["Session", "", "name"], ["What happened", "", "worst"], ["Turns", "number", "turns"], ["Calls", "number", "calls"],
  ["Peak", "number", "peak"], ["Comp.", "number", "compactions"], ["Pins", "", "pins"], ["Fill over calls", "", null],
  ["Last call", "number", "newest"],
];

class Sessions {
  constructor(root, use) {
    this.root = root;
    this.field = element("input", "field");
    this.field.type = "search";
    this.field.placeholder = "Find text in every prompt and answer, an id, or a session name";
    this.field.setAttribute("aria-label", this.field.placeholder);
    this.field.autocomplete = "off";
    this.field.spellcheck = false;
    use(this.field, "input", (event) => event.isComposing || this.later());
    use(this.field, "compositionend", () => this.later());
    use(this.field, "keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Enter") this.search();
      if (event.key === "Escape") this.field.blur();
    });
    this.hint = element("kbd", "hint", "/");
    this.kind = element("select");
    this.kind.setAttribute("aria-label", "How the text is meant");
    for (const [value, label] of KINDS) this.kind.append(new Option(label, value));
    use(this.kind, "change", () => this.search());
    const box = element("div", "box");
    box.append(this.field, this.hint);
    const search = element("div", "search");
    const as = element("label", "muted", "as: ");
    as.append(this.kind);
    search.append(box, as);
    this.bar = element("div", "bar");

    this.count = element("span", "muted");
    const set = (params) => this.filter(params);
    this.agent = picker(use, "agent", "Agent", set);
    this.model = picker(use, "model", "Model", set);
    this.since = picker(use, "since", "Since", set);
    this.order = picker(use, "order", "Order", set);
    this.findings = element("input");
    this.findings.type = "checkbox";
    use(this.findings, "change", () => set({ findings: this.findings.checked ? "1" : null }));
    const only = element("label", "only");
    only.append(this.findings, "only with findings");
    const filters = element("div", "filters");
    filters.append(this.count, element("span", "grow"), this.agent, this.model, this.since, only, this.order);

    this.head = element("div", "head");
    this.list = new SessionList(use);
    this.none = element("p", "none muted");
    this.table = element("div", "table");
    this.table.append(filters, this.head, this.list.node, this.none);
    root.replaceChildren(search, this.bar, this.table);

    for (const event of ["popstate", "inspector:answered"]) use(window, event, () => this.follow());
    onKey(use, (event) => this.key(event));
  }

  update(data, colours) {
    this.rows = data.rows;
    this.colours = colours;
    this.follow();
    if (shared.focusFind) {
      shared.focusFind = false;
      this.field.focus();
    }
  }

  // Show what the address says.
  follow() {
    const here = readAddress();
    if (here.page !== "sessions" || !this.rows) return;
    const q = here.q ?? "";
    if (!this.waiting && this.field.value.trim() !== q) this.field.value = q;
    this.kind.value = here.params.get("kind") ?? "text";
    if (this.kind.selectedIndex < 0) this.kind.value = "text";
    const asked = q && searchKey(q, this.kind.value);
    const answered = shared.answered === asked;
    this.bar.classList.toggle("busy", Boolean(asked) && !answered);
    // Old content stays until the answer is there.
    if (!asked) shared.answered = null;
    this.table.hidden = here.params.get("show") === "files" || Boolean(asked && shared.answered);
    this.drawTable();
  }

  drawTable() {
    const filters = readFilters();
    const unique = (values) => [...new Set(values)].sort().map((value) => [value, value]);
    fillPicker(this.agent, "any agent", unique(this.rows.flatMap((row) => row.agent ?? [])), filters.agent);
    fillPicker(this.model, "any model", unique(this.rows.flatMap((row) => row.models)), filters.model);
    fillPicker(this.since, "any time", Object.entries(SINCE).map(([key, [label]]) => [key, label]), filters.since);
    const [[, [worst]], ...orders] = Object.entries(ORDERS);
    fillPicker(this.order, worst, orders.map(([key, [label]]) => [key, label]), filters.order);
    this.findings.checked = filters.findings !== null;
    const rows = filterRows(this.rows, filters);
    const calls = rows.reduce((sum, row) => sum + row.calls, 0);
    const all = rows.length === this.rows.length ? "" : ` of ${formatTokens(this.rows.length)}`;
    this.count.textContent = `${formatTokens(rows.length)}${all} ${this.rows.length === 1 ? "session" : "sessions"} · ${formatCount(calls, "call")}`;
    this.drawHead(filters.order ?? "worst");
    this.list.show(rows, this.colours);
    this.none.hidden = rows.length > 0;
    this.none.replaceChildren();
    if (!this.rows.length) {
      this.none.textContent = "Reading the trace files. Sessions appear here as they are read.";
    } else if (!rows.length) {
      const clear = element("button", "", "Show all sessions");
      clear.addEventListener("click", () => this.filter(Object.fromEntries(FILTERS.map((name) => [name, null]))));
      this.none.append(`None of ${formatCount(this.rows.length, "session")} passes these filters. `, clear);
    }
  }

  drawHead(order) {
    this.head.replaceChildren(...COLUMNS.map(([label, className, by]) => {
      if (by === null) return element("span", className, label);
      const node = element("button", className, label);
      node.title = `Order: ${ORDERS[by][0]}`;
      if (by === order) node.setAttribute("aria-current", "true");
      node.addEventListener("click", () => this.filter({ order: by === "worst" ? null : by }));
      return node;
    }));
  }

  filter(params) {
    route({ params });
    this.follow();
  }

  later() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(guard(this.root, () => this.search()), SEARCH_DELAY);
  }

  search() {
    clearTimeout(this.waiting);
    this.waiting = null;
    const kind = this.kind.value === "text" ? null : this.kind.value;
    route({ params: { q: this.field.value.trim() || null, kind, show: null } });
    this.follow();
  }

  key(event) {
    if (readAddress().page !== "sessions") return false;
    if (event.key === "/") return this.field.focus(), this.field.select(), true;
    if (this.table.hidden) return false;
    if (event.key === "ArrowDown") return this.list.move(1), true;
    if (event.key === "ArrowUp") return this.list.move(-1), true;
    if (event.key === "Enter") return this.list.open(), true;
    return false;
  }

  destroy() {
    clearTimeout(this.waiting);
    this.list.destroy();
  }
}

export default (component) => runComponent(component, (root, use) => new Sessions(root, use));
