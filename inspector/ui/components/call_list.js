// The prompt as rows of one height.

const ROW = 24; // px, height of a list row
const ROW_OVERSCAN = 10;

class ListView {
  constructor(host, store, select) {
    this.host = host;
    this.store = store;
    this.select = select;
    this.sheet = host.appendChild(element("div", "sheet"));
    this.items = new Items();
    this.nodes = new Map(); // row or fold → its node
    this.needle = "";
    this.hitRows = new Set();
  }

  show(data, colours) {
    this.data = data;
    this.count = data.rows.number.length;
    this.pinned = new Set(data.rows.pinned);
    this.holes = new Set(data.rows.holes);
    this.unseen = new Set(data.rows.unseen);
    this.ghostsUnseen = new Set(data.ghosts.unseen);
    this.paints = data.layers.map((name) => `url(${swatch(colours, name).toDataURL()})`);
    this.items.show(data);
    this.redraw();
  }

  mark(selected) {
    this.selected = selected;
    for (const [name, node] of this.nodes) node.setAttribute("aria-selected", String(name === selected));
    this.host.setAttribute("aria-activedescendant", selected === null ? "" : `call-row-${selected}`);
  }

  reveal(at) {
    if (this.items.uncover(at)) this.redraw();
    const top = (this.items.places.get(at) ?? 0) * ROW;
    const { scrollTop, clientHeight } = this.host;
    if (top < scrollTop) this.host.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight) this.host.scrollTop = top + ROW - clientHeight;
    this.draw();
  }

  toggle(fold) {
    this.items.toggle(fold);
    this.redraw();
    this.nodes.get(fold)?.querySelector("button").focus({ preventScroll: true });
  }

  redraw() {
    this.sheet.style.height = `${this.items.list.length * ROW}px`;
    for (const node of this.nodes.values()) node.remove();
    this.nodes.clear();
    this.draw();
  }

  draw() {
    if (!this.data || !this.host.clientHeight) return;
    const { list } = this.items;
    const first = Math.max(0, Math.floor(this.host.scrollTop / ROW) - ROW_OVERSCAN);
    const last = Math.min(list.length, Math.ceil((this.host.scrollTop + this.host.clientHeight) / ROW) + ROW_OVERSCAN);
    const shown = new Set(list.slice(first, last).map((item) => item.at ?? item.fold));
    for (const [name, node] of this.nodes) {
      if (shown.has(name)) continue;
      node.remove();
      this.nodes.delete(name);
    }
    for (let place = first; place < last; place += 1) {
      const item = list[place];
      const name = item.at ?? item.fold;
      const node = this.nodes.get(name);
      if (node && !node.waits) continue;
      node?.remove();
      const made = this.build(item);
      made.style.top = `${place * ROW}px`;
      made.setAttribute("role", "row");
      for (const cell of made.children) cell.setAttribute("role", "gridcell");
      this.nodes.set(name, made);
      this.sheet.append(made);
    }
  }

  build(item) {
    if (item.fold) return this.fold(item);
    const { at } = item;
    const made = at === this.count ? this.answer() : at > this.count ? this.ghost(at) : this.row(at);
    made.id = `call-row-${at}`;
    made.setAttribute("aria-selected", String(at === this.selected));
    made.addEventListener("click", () => this.select(at));
    return made;
  }

  row(at) {
    const { rows, layers, happened } = this.data;
    const node = element("div", "row");
    node.append(element("span", "place", formatTokens(at + 1)));
    const layer = node.appendChild(element("span", "layer"));
    const paint = layer.appendChild(element("span", "paint"));
    const name = layers[rows.layer[at]];
    paint.style.backgroundImage = this.paints[rows.layer[at]];
    layer.append(element("span", "code", layerStyle(name).code));
    const mixed = rows.mixed[at];
    layer.title = mixed ? mixed.map(([one, tokens]) => `${layers[one]} ${formatTokens(tokens)}`).join(" · ") : name;
    if (mixed) layer.append(element("span", "more", `+${mixed.length - 1}`));
    node.append(element("span", "role clip", rows.roles[rows.role[at]]));
    this.text(node, at, this.pinned.has(at));
    if (this.holes.has(at)) node.classList.add("hole");
    if (this.unseen.has(at)) node.classList.add("ghost", "unseen");
    if (this.hitRows.has(at)) node.classList.add("hit");
    node.append(element("span", "tokens", formatTokens(rows.tokens[at])));
    this.happened(node, happened[at]);
    return node;
  }

  // A message that is gone: where it stood, hollow, still readable.
  ghost(at) {
    const { ghosts, layers } = this.data;
    const g = this.items.ghost(at);
    const node = element("div", "row ghost");
    const name = layers[ghosts.layer[g]];
    const layer = element("span", "layer");
    layer.title = `${name}, gone`;
    layer.append(element("span", "paint hollow"), element("span", "code", layerStyle(name).code));
    node.append(element("span", "place"), layer, element("span", "role clip", ghosts.roles[ghosts.role[g]]));
    this.text(node, at, this.items.pinned.has(g));
    node.append(element("span", "tokens", formatTokens(ghosts.tokens[g])));
    if (this.ghostsUnseen.has(g)) node.classList.add("unseen");
    this.happened(node, [ghosts.symbol[g], ghosts.kind[g], ghosts.words[g], ghosts.title[g]]);
    return node;
  }

  fold(item) {
    const { ghosts } = this.data;
    const open = this.items.open.has(item.fold);
    const node = element("div", "row ghost fold");
    const button = element("button", "clip", `${open ? "▾" : "▸"} ${this.items.say(item)} — ${open ? "hide" : "show"}`);
    button.setAttribute("aria-expanded", String(open));
    button.addEventListener("click", () => this.toggle(item.fold));
    node.append(button);
    const kinds = new Set(item.ghosts.map((g) => ghosts.kind[g]));
    const g = item.ghosts[0];
    if (kinds.size === 1) this.happened(node, [ghosts.symbol[g], ghosts.kind[g], ""]);
    else this.happened(node, ["⋯", "same", ""]);
    return node;
  }

  text(node, at, isPinned) {
    const text = node.appendChild(element("span", "text clip"));
    if (isPinned) {
      const pin = text.appendChild(element("span", "pin", "⚲ "));
      pin.title = "pinned or watched";
    }
    const excerpt = this.store.excerpt(at, this.items.total);
    node.waits = excerpt === "" && this.store.texts.rows[at] === undefined;
    putText(text, excerpt, at < this.count ? this.found(excerpt) : []);
  }

  // The cell "what happened", and the edge that carries its kind.
  happened(node, what) {
    const cell = node.appendChild(element("span", "happened clip"));
    if (!what) return;
    const [symbol, kind, words, title] = what;
    node.classList.add("marked");
    node.style.setProperty("--kind", `var(--ci-${kind})`);
    cell.append(element("span", `symbol ${kind}`, symbol), words);
    cell.title = title || words;
  }

  answer() {
    const { answer } = this.data;
    const node = element("div", `row answer ${answer.tone}`);
    node.append(element("span", "place", "→"), element("span", "layer"), element("span", "role", "answer"));
    const text = node.appendChild(element("span", "text"));
    putText(text.appendChild(element("span", "clip")), answer.text, this.found(answer.text));
    const tokens = node.appendChild(element("span", "tokens", formatTokens(answer.tokens)));
    tokens.title = "tokens of the answer, by the provider";
    if (this.hitRows.has(this.count)) node.classList.add("hit");
    const note = node.appendChild(element("span", "happened clip", answer.note));
    note.title = answer.note;
    return node;
  }

  // Where the searched text stands in an excerpt.
  found(text) {
    if (!this.needle) return [];
    const marks = [];
    const [low, needle] = [text.toLowerCase(), this.needle.toLowerCase()];
    if (low.length !== text.length) return [];
    for (let at = low.indexOf(needle); at >= 0; at = low.indexOf(needle, at + needle.length)) marks.push([at, at + needle.length]);
    return marks;
  }

  setHits(needle, rows) {
    this.needle = needle;
    this.hitRows = rows;
    this.redraw();
  }
}
