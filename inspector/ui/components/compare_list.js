// The rows of a comparison: only those near the window are in the page; heights are measured as they appear.
// An entry is {name, height, draw(), card?}: `card` names the group whose card stands over its right half.

const LINE = 24; // px, height of a row of one line
const OVERSCAN = 400; // px drawn above and below the window

class CompareList {
  constructor(host, drawCard) {
    this.host = host;
    this.drawCard = drawCard;
    this.sheet = host.appendChild(element("div", "sheet"));
    this.nodes = new Map(); // name → node
    this.cards = new Map(); // group → lane with its card
    this.heights = new Map(); // name → measured px
    this.entries = [];
    this.tops = [0];
    this.current = null;
  }

  // Put other entries; the reader's place is kept at the entry on top of the window, or starts at `top`.
  show(entries, { keep = true } = {}) {
    const anchor = keep ? this.anchor() : null;
    this.entries = entries;
    this.place = new Map(entries.map((entry, at) => [entry.name, at]));
    this.clear();
    if (!keep) this.heights.clear();
    this.measure();
    this.host.scrollTop = anchor && this.place.has(anchor.name) ? this.topOf(anchor.name) + anchor.offset : keep ? this.host.scrollTop : 0;
    this.draw();
  }

  clear() {
    for (const node of [...this.nodes.values(), ...this.cards.values()]) node.remove();
    this.nodes.clear();
    this.cards.clear();
  }

  anchor() {
    const at = this.at(this.host.scrollTop);
    const entry = this.entries[at];
    return entry ? { name: entry.name, offset: this.host.scrollTop - this.tops[at] } : null;
  }

  measure() {
    this.tops = [0];
    for (const entry of this.entries) this.tops.push(this.tops[this.tops.length - 1] + (this.heights.get(entry.name) ?? entry.height));
    this.sheet.style.height = `${this.tops[this.tops.length - 1]}px`;
  }

  topOf(name) {
    return this.tops[this.place.get(name)];
  }

  // Index of the entry at a height.
  at(y) {
    let [low, high] = [0, this.entries.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // Draw again what is shown of some entries: their texts came, or they were opened.
  refresh(names = null) {
    for (const [name, node] of this.nodes) {
      if (names && !names.includes(name)) continue;
      node.remove();
      this.nodes.delete(name);
    }
    for (const [group, lane] of this.cards) {
      if (names && !names.includes(`card ${group}`)) continue;
      lane.remove();
      this.cards.delete(group);
    }
    this.draw();
  }

  draw() {
    const { host, entries } = this;
    if (!host.clientHeight || !entries.length) return;
    for (let round = 0; round < 4; round += 1) {
      const anchor = this.anchor();
      const first = this.at(host.scrollTop - OVERSCAN);
      const last = this.at(host.scrollTop + host.clientHeight + OVERSCAN);
      this.drop(first, last);
      for (let at = first; at <= last; at += 1) this.put(entries[at]);
      const lanes = this.putCards(first, last);
      if (!this.learn(first, last) && !lanes) break;
      this.measure();
      for (const [name, node] of this.nodes) node.style.top = `${this.topOf(name)}px`;
      if (anchor && Math.abs(this.topOf(anchor.name) + anchor.offset - host.scrollTop) > 0.5) {
        host.scrollTop = this.topOf(anchor.name) + anchor.offset;
      }
    }
    this.placeCards();
  }

  drop(first, last) {
    for (const [name, node] of this.nodes) {
      const at = this.place.get(name);
      if (at >= first && at <= last) continue;
      node.remove();
      this.nodes.delete(name);
    }
  }

  put(entry) {
    if (this.nodes.has(entry.name)) return;
    const node = entry.draw();
    node.style.top = `${this.topOf(entry.name)}px`;
    node.dataset.name = entry.name;
    node.setAttribute("role", "row");
    if (entry.name === this.current) node.setAttribute("aria-selected", "true");
    this.nodes.set(entry.name, node);
    this.sheet.append(node);
    for (const text of node.querySelectorAll(".low")) text.classList.toggle("clipped", text.scrollHeight > text.clientHeight + 2);
  }

  // Take the measured heights; true where one is new.
  learn(first, last) {
    let changed = false;
    for (let at = first; at <= last; at += 1) {
      const entry = this.entries[at];
      if (entry.fixed) continue;
      const height = this.nodes.get(entry.name).offsetHeight;
      if (Math.abs((this.heights.get(entry.name) ?? entry.height) - height) < 1) continue;
      this.heights.set(entry.name, height);
      changed = true;
    }
    return changed;
  }

  // A card stands over the right half of all its group's entries and stays in view while they scroll.
  putCards(first, last) {
    const groups = new Set();
    for (let at = first; at <= last; at += 1) if (this.entries[at].card !== undefined) groups.add(this.entries[at].card);
    for (const [group, lane] of this.cards) {
      if (groups.has(group)) continue;
      lane.remove();
      this.cards.delete(group);
    }
    let changed = false;
    for (const group of groups) {
      let lane = this.cards.get(group);
      if (!lane) {
        lane = element("div", "lane");
        lane.append(this.drawCard(group));
        this.cards.set(group, lane);
        this.sheet.append(lane);
      }
      const own = this.entries.filter((entry) => entry.card === group);
      const filler = own[own.length - 1];
      const above = this.topOf(filler.name) - this.topOf(own[0].name);
      const height = Math.max(0, lane.firstChild.offsetHeight - above);
      if (Math.abs((this.heights.get(filler.name) ?? filler.height) - height) < 1) continue;
      this.heights.set(filler.name, height);
      changed = true;
    }
    return changed;
  }

  placeCards() {
    for (const [group, lane] of this.cards) {
      const own = this.entries.filter((entry) => entry.card === group);
      const top = this.topOf(own[0].name);
      const end = this.tops[this.place.get(own[own.length - 1].name) + 1];
      lane.style.top = `${top}px`;
      lane.style.height = `${end - top}px`;
      lane.firstChild.style.maxHeight = `${Math.max(160, this.host.clientHeight - 2)}px`;
    }
  }

  select(name, { reveal = true, top = false } = {}) {
    this.current = name;
    for (const [own, node] of this.nodes) node.setAttribute("aria-selected", String(own === name));
    if (!reveal || !this.place.has(name)) return;
    const at = this.place.get(name);
    const [from, to] = [this.tops[at], this.tops[at + 1]];
    const { scrollTop, clientHeight } = this.host;
    if (top) this.host.scrollTop = Math.max(0, from - 2 * LINE);
    else if (from < scrollTop) this.host.scrollTop = from;
    else if (to > scrollTop + clientHeight) this.host.scrollTop = Math.min(from, to - clientHeight);
    this.draw();
  }
}
