// The prompt as rows of one height, and the window column beside them.

const ROW = 24; // px, height of a list row
const ROW_OVERSCAN = 10;
const RAIL_LEAST = 1; // px, least height of a block: a message without tokens can still be seen

class ListView {
  constructor(host, store, select) {
    this.host = host;
    this.store = store;
    this.select = select;
    this.sheet = host.appendChild(element("div", "sheet"));
    this.nodes = new Map();
    this.needle = "";
    this.hitRows = new Set();
  }

  show(data, colours) {
    this.data = data;
    this.count = data.rows.number.length;
    this.pinned = new Set(data.rows.pinned);
    this.holes = new Set(data.rows.holes);
    this.paints = data.layers.map((name) => `url(${swatch(colours, name).toDataURL()})`);
    this.sheet.style.height = `${(this.count + 1) * ROW}px`;
    this.redraw();
  }

  // Row `count` is the answer.
  mark(selected) {
    this.selected = selected;
    for (const [at, node] of this.nodes) node.setAttribute("aria-selected", String(at === selected));
    this.host.setAttribute("aria-activedescendant", selected === null ? "" : `call-row-${selected}`);
  }

  reveal(at) {
    const top = at * ROW;
    const { scrollTop, clientHeight } = this.host;
    if (top < scrollTop) this.host.scrollTop = top;
    else if (top + ROW > scrollTop + clientHeight) this.host.scrollTop = top + ROW - clientHeight;
    this.draw();
  }

  redraw() {
    for (const node of this.nodes.values()) node.remove();
    this.nodes.clear();
    this.draw();
  }

  draw() {
    if (!this.data || !this.host.clientHeight) return;
    const first = Math.max(0, Math.floor(this.host.scrollTop / ROW) - ROW_OVERSCAN);
    const last = Math.min(this.count + 1, Math.ceil((this.host.scrollTop + this.host.clientHeight) / ROW) + ROW_OVERSCAN);
    for (const [at, node] of this.nodes) {
      if (at < first || at >= last) {
        node.remove();
        this.nodes.delete(at);
      }
    }
    for (let at = first; at < last; at += 1) {
      const node = this.nodes.get(at);
      if (node && !node.waits) continue;
      node?.remove();
      const made = at === this.count ? this.answer() : this.row(at);
      made.style.top = `${at * ROW}px`;
      made.id = `call-row-${at}`;
      made.setAttribute("role", "row");
      for (const cell of made.children) cell.setAttribute("role", "gridcell");
      made.setAttribute("aria-selected", String(at === this.selected));
      made.addEventListener("click", () => this.select(at));
      this.nodes.set(at, made);
      this.sheet.append(made);
    }
  }

  row(at) {
    const { rows, layers } = this.data;
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
    const text = node.appendChild(element("span", "text clip"));
    if (this.pinned.has(at)) {
      const pin = text.appendChild(element("span", "pin", "⚲ "));
      pin.title = "pinned";
    }
    const excerpt = this.store.excerpt(at, this.count);
    node.waits = excerpt === "" && this.store.texts.rows[at] === undefined;
    putText(text, excerpt, this.found(excerpt));
    if (this.holes.has(at)) node.classList.add("hole");
    if (this.hitRows.has(at)) node.classList.add("hit");
    node.append(element("span", "tokens", formatTokens(rows.tokens[at])));
    return node;
  }

  answer() {
    const { answer } = this.data;
    const node = element("div", `row answer ${answer.tone}`);
    node.append(element("span", "place", "→"), element("span", "layer"), element("span", "role", "answer"));
    const text = node.appendChild(element("span", "text"));
    putText(text.appendChild(element("span", "clip")), answer.text, this.found(answer.text));
    if (answer.note) text.append(element("span", "note", answer.note));
    const tokens = node.appendChild(element("span", "tokens", formatTokens(answer.tokens)));
    tokens.title = "tokens of the answer, by the provider";
    if (this.hitRows.has(this.count)) node.classList.add("hit");
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

// The window of the model as a column: each message a block by its tokens, room left up to the limit.
class Rail {
  constructor(canvas, select) {
    this.canvas = canvas;
    this.select = select;
    this.blocks = [];
  }

  show(data, colours) {
    this.data = data;
    this.colours = colours;
    this.draw();
  }

  draw(selected = this.selected) {
    this.selected = selected;
    const { canvas, data, colours } = this;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (!data || !width || !height) return;
    const { rows, window: room, layers } = data;
    const counted = rows.tokens.reduce((sum, tokens) => sum + (tokens ?? 0), 0) + room.overhead;
    const whole = Math.max(room.limit ?? 0, counted, 1);
    const inner = height - 2;
    const scale = inner / whole;
    const pen = canvasContext(canvas, width, height);
    pen.fillStyle = colours.background;
    pen.fillRect(0, 0, width, height);
    let y = 1;
    this.blocks = [];
    const crowded = rows.tokens.length * (RAIL_LEAST + 1) > inner;
    const fill = (layer, from, to) => {
      pen.fillStyle = colours.pattern(pen, layer);
      const gap = !crowded && to - from > 2 ? 1 : 0;
      pen.fillRect(1, from, width - 2, Math.max(crowded ? 0.5 : RAIL_LEAST, to - from - gap));
    };
    rows.tokens.forEach((tokens, at) => {
      const parts = rows.mixed[at] ?? [[rows.layer[at], tokens ?? 0]];
      const top = y;
      for (const [layer, size] of parts) {
        const to = y + Math.max(size * scale, crowded ? 0 : RAIL_LEAST / parts.length);
        fill(layers[layer], y, to);
        y = to;
      }
      this.blocks.push([top, y]);
    });
    if (room.overhead) fill("overhead", y, (y += room.overhead * scale));
    pen.strokeStyle = colours.line;
    pen.strokeRect(0.5, 0.5, width - 1, height - 1);
    const mark = (tokens, colour) => {
      const at = Math.round(1 + tokens * scale) + 0.5;
      if (tokens > whole || at > height - 2) return;
      pen.strokeStyle = colour;
      pen.setLineDash([4, 3]);
      pen.beginPath();
      pen.moveTo(0, at);
      pen.lineTo(width, at);
      pen.stroke();
      pen.setLineDash([]);
    };
    if (room.threshold) mark(room.threshold, colours.muted);
    if (room.limit && counted > room.limit) mark(room.limit, colours.lost);
    const block = selected === null ? null : this.blocks[selected];
    if (block) {
      pen.strokeStyle = colours.accent;
      pen.lineWidth = 2;
      pen.strokeRect(1, Math.max(1, block[0] - 1), width - 2, Math.max(4, block[1] - block[0] + 1));
    }
    const left = room.limit === null ? null : room.limit - counted;
    const limit = room.limit === null ? "limit unknown" : `${room.kind} ${formatTokens(room.limit)}`;
    this.label = `${formatTokens(counted)} tokens counted · ${limit}${left > 0 ? ` · room for ${formatTokens(left)}` : ""}`;
    canvas.setAttribute("aria-label", `Window: ${this.label}`);
  }

  at(y) {
    return this.blocks.findIndex(([top, bottom]) => y >= top && y < Math.max(bottom, top + 1));
  }

  hover(y) {
    const at = this.at(y);
    if (at < 0) return this.label ?? "";
    const { rows, layers } = this.data;
    return `${at + 1} · ${layers[rows.layer[at]]} · ${formatTokens(rows.tokens[at])} tokens`;
  }
}
