// A document as rows of one height, of which only the visible ones exist. A document is a list of
// sections (parts of messages), a section a list of blocks; blocks are wrapped here when they come,
// and guessed before, so that the scroll bar is right from the start and corrected without a jump.

const LINE = 20; // px, height of a text row
const OVERSCAN = 12; // rows drawn beyond each edge
const TALLEST = 30_000_000; // px; browsers end at some 33 million

class DocView {
  // `options`: {gutter(section, row) → {text, title}, onHead, empty}
  constructor(host, store, options) {
    this.store = store;
    this.options = options;
    this.host = host;
    host.classList.add("doc");
    this.sheet = host.appendChild(element("div", "sheet"));
    this.rows = new Map();
    this.choices = new Map(); // section → {open, raw}
    this.hits = new Map();
    this.sections = [];
    this.items = [];
    this.name = null;
    this.doc = null;
    this.target = null;
    this.raw = false;
  }

  show(name, doc, { keep = false } = {}) {
    if (this.doc === doc && this.name === name) return;
    const same = keep && this.name === name;
    this.name = name;
    this.doc = doc;
    this.sections = doc?.sections ?? [];
    this.sections.forEach((section, i) => (section.first = i > 0 && section.row !== this.sections[i - 1].row));
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.layout();
    if (!same) this.host.scrollTop = 0;
    this.draw();
  }

  setHits(hits, raw) {
    this.hits = hits;
    const relayout = this.raw !== raw;
    this.raw = raw;
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    if (relayout) this.layout();
    this.draw();
  }

  choice(section) {
    return this.choices.get(`${this.store.key}:${section.id}`) ?? { open: !section.fold, raw: (section.edges?.length ?? 1) > 1 };
  }

  choose(section, change) {
    this.choices.set(`${this.store.key}:${section.id}`, { ...this.choice(section), ...change });
    for (const row of this.rows.values()) row.remove();
    this.rows.clear();
    this.layout();
    this.draw();
  }

  isOpen(id) {
    return this.choice(this.sections.find((section) => section.id === id)).open;
  }

  // The form of a section that is shown: indented, or as it is (always while a search is on).
  form(section) {
    return section.pretty && !this.raw && !this.choice(section).raw ? section.pretty : section;
  }

  layout() {
    this.width = Math.max(120, this.host.clientWidth - this.options.margin - 14);
    if (!this.measure) {
      const style = getComputedStyle(this.sheet);
      this.measure = new Measure(`${style.fontSize} ${style.fontFamily}`);
    }
    const cells = this.width / this.measure.cell;
    this.items = [];
    let line = 0;
    for (const section of this.sections) {
      if (section.inside && !this.isOpen(section.inside)) continue;
      if (section.gap) this.items.push({ section, kind: "gap", rows: 1, line });
      if (section.head) this.items.push({ section, kind: "head", rows: 1, line });
      if (section.hole) this.items.push({ section, kind: "hole", rows: 1, line });
      if (section.frame) this.items.push({ section, kind: "frame", rows: section.frame.length, line });
      if (!this.choice(section).open) continue;
      const { id, blocks } = this.form(section);
      let unit = 0;
      for (let i = 0; i < blocks.length; i += 3) {
        const [units, lines, wide] = [blocks[i], blocks[i + 1], blocks[i + 2]];
        const guess = Math.max(lines + (i + 3 >= blocks.length ? 1 : 0), Math.ceil((units + wide * 0.7) / cells) + (lines >> 1), 1);
        this.items.push({ section, kind: "text", id, at: i / 3, unit, units, rows: guess, line, last: i + 3 >= blocks.length });
        unit += units;
        line += lines;
      }
      if (blocks.length) line += 1;
    }
    this.lineCount = line;
    this.place();
  }

  place() {
    let row = 0;
    for (const item of this.items) {
      item.row = row;
      row += item.rows;
    }
    this.rowCount = row;
    this.sheet.style.height = `${Math.min(TALLEST, row * LINE + 8)}px`;
  }

  itemAt(row) {
    let [low, high] = [0, this.items.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.items[middle].row <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // Wrap a block that has come; returns whether its height changed.
  wrap(item) {
    if (item.wraps || item.kind !== "text") return false;
    const text = this.store.block(item.id, item.at);
    if (text === null) return false;
    item.text = text;
    const cuts = item.id === item.section.id ? (item.section.edges ?? []).map(([start]) => start - item.unit).filter((at) => at > 0 && at < text.length) : [];
    item.wraps = wrapBlock(text, this.width, this.measure, cuts);
    if (!item.last && text.endsWith("\n")) {
      item.wraps.starts.pop();
      item.wraps.lines.pop();
    }
    const before = item.rows;
    item.rows = item.wraps.starts.length;
    return before !== item.rows;
  }

  resize() {
    if (!this.doc || !this.host.clientWidth) return;
    const width = Math.max(120, this.host.clientWidth - this.options.margin - 14);
    if (width !== this.width) {
      const top = this.itemAt(Math.floor(this.host.scrollTop / LINE));
      const item = this.items[top];
      const share = item ? (this.host.scrollTop / LINE - item.row) / item.rows : 0;
      for (const row of this.rows.values()) row.remove();
      this.rows.clear();
      this.layout();
      const after = this.items[top];
      if (after) {
        this.wrap(after);
        this.place();
        this.host.scrollTop = (after.row + share * after.rows) * LINE;
      }
    }
    this.draw();
  }

  // Scroll to a place of a section, as soon as its text is there.
  goto(section, unit) {
    const found = this.sections.find((one) => one.id === section);
    if (found && !this.choice(found).open) this.choose(found, { open: true });
    this.target = { section, unit };
    this.draw();
  }

  aim() {
    const { target } = this;
    if (!target || !this.doc) return;
    const item = this.items.find((one) => one.kind === "text" && one.id === target.section && target.unit < one.unit + one.units);
    if (!item) return;
    if (this.wrap(item)) this.place();
    const view = this.host.clientHeight;
    let row = item.row;
    if (item.wraps) {
      row += rowOf(item.wraps.starts, target.unit - item.unit);
      this.target = null;
      const top = row * LINE;
      if (top >= this.host.scrollTop + LINE && top + 2 * LINE <= this.host.scrollTop + view) return;
    }
    this.host.scrollTop = Math.max(0, row * LINE - view / 3);
  }

  draw() {
    if (!this.doc || !this.host.clientHeight) return;
    this.aim();
    const height = this.host.clientHeight;
    for (let again = 0; again < 4; again += 1) {
      const first = Math.max(0, Math.floor(this.host.scrollTop / LINE) - OVERSCAN);
      const last = Math.min(this.rowCount, Math.ceil((this.host.scrollTop + height) / LINE) + OVERSCAN);
      const top = this.itemAt(Math.floor(this.host.scrollTop / LINE));
      const anchor = this.items[top];
      const offset = anchor ? this.host.scrollTop - anchor.row * LINE : 0;
      let changed = false;
      for (let i = this.itemAt(first); i < this.items.length && this.items[i].row < last; i += 1) {
        changed = this.wrap(this.items[i]) || changed;
      }
      if (!changed) {
        this.paint(first, last);
        break;
      }
      this.place();
      if (anchor && Math.abs(anchor.row * LINE + offset - this.host.scrollTop) > 0.5) this.host.scrollTop = anchor.row * LINE + offset;
    }
    this.report(height);
  }

  paint(first, last) {
    const live = new Map();
    let before = null;
    for (let i = this.itemAt(first); i < this.items.length && this.items[i].row < last; i += 1) {
      const item = this.items[i];
      const from = Math.max(0, first - item.row);
      const to = Math.min(item.rows, last - item.row);
      for (let k = from; k < to; k += 1) {
        const name = `${i}.${k}.${item.wraps || item.kind !== "text" ? 1 : 0}`;
        const node = this.rows.get(name) ?? this.build(item, k);
        node.style.top = `${(item.row + k) * LINE}px`;
        if (before ? before.nextSibling !== node : this.sheet.firstChild !== node) {
          this.sheet.insertBefore(node, before ? before.nextSibling : this.sheet.firstChild);
        }
        before = node;
        live.set(name, node);
      }
    }
    for (const [name, node] of this.rows) if (!live.has(name)) node.remove();
    this.rows = live;
  }

  build(item, k) {
    const row = element("div", `line ${item.kind}`);
    const { section } = item;
    const gutter = row.appendChild(element("span", "gutter"));
    if (item.kind === "head") {
      this.options.head(row, section, this);
      return row;
    }
    if (item.kind === "gap") {
      const { open } = this.choice(section);
      const button = row.appendChild(element("button", "", `⋯ ${section.gap} ⋯ ${open ? "hide" : "show"}`));
      button.setAttribute("aria-expanded", String(open));
      button.addEventListener("click", () => this.choose(section, { open: !open }));
      row.classList.add("opens");
      return row;
    }
    if (section.inside || section.unseen) row.classList.add("ghost");
    if (section.unseen) {
      row.classList.add("unseen");
      row.title = section.unseen;
    }
    const body = row.appendChild(element("span", "body"));
    if (item.kind === "hole") {
      if (section.first) row.classList.add("opens");
      putText(body, `content lost: ${section.hole}`);
      this.options.gutter(gutter, section, true, section.edges?.[0], null);
      return row;
    }
    if (item.kind === "frame") {
      if (k === 0) row.classList.add("first");
      if (k === item.rows - 1) row.classList.add("last");
      putText(body, section.frame[k]);
      this.options.gutter(gutter, section, k === 0, section.edges?.[0], null);
      if (k === 0 && section.first) row.classList.add("opens");
      return row;
    }
    if (!item.wraps) return row;
    const { starts, lines, end } = item.wraps;
    const start = starts[k];
    let stop = k + 1 < starts.length ? starts[k + 1] : end;
    const unit = item.unit + start;
    const own = item.id === section.id;
    const edges = section.edges ?? [];
    const at = own ? Math.max(0, rowOf(edges.map(([from]) => from), unit)) : 0;
    const opens = own ? unit === (edges[at]?.[0] ?? 0) : unit === 0;
    const begins = k === 0 ? item.at === 0 : lines[k] !== lines[k - 1];
    this.options.gutter(gutter, section, opens, edges[at], begins ? item.line + lines[k] + 1 : null);
    if (unit === 0 && section.first) row.classList.add("opens");
    if (item.text[stop - 1] === "\n") stop -= 1;
    const text = item.text.slice(start, stop);
    body.dataset.section = item.id;
    body.dataset.unit = String(unit);
    putText(body, text, own ? this.marks(item.id, unit, text.length) : []);
    return row;
  }

  marks(section, unit, length) {
    const hits = this.hits.get(section);
    if (!hits) return [];
    const marks = [];
    let [low, high] = [0, hits.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (hits[middle][0] + hits[middle][1] <= unit) low = middle + 1;
      else high = middle;
    }
    for (let i = low; i < hits.length && hits[i][0] < unit + length; i += 1) {
      marks.push([hits[i][0] - unit, hits[i][0] + hits[i][1] - unit, hits[i][2]()]);
    }
    return marks;
  }

  report(height) {
    if (!this.options.report) return;
    const line = (row) => {
      const item = this.items[this.itemAt(row)];
      if (!item) return 0;
      return item.line + 1 + (item.wraps ? item.wraps.lines[Math.max(0, Math.min(row - item.row, item.wraps.lines.length - 1))] : 0);
    };
    const last = Math.max(0, Math.min(this.rowCount - 1, Math.floor((this.host.scrollTop + height) / LINE) - 1));
    this.options.report(line(Math.ceil(this.host.scrollTop / LINE)), Math.min(this.lineCount, line(last)), this.lineCount);
  }
}
