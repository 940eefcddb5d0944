// What the list shows, in order: messages, the answer, and in their old place the ones that are gone.
// One number names a row everywhere: 0 … count − 1 a message, `count` the answer, above it one that is gone.

const FOLD_FROM = 6; // neighbours of one fate from which they fold into a line

class Items {
  constructor() {
    this.open = new Set(); // folds that the reader opened; they stay open from call to call
    this.list = [];
    this.places = new Map();
  }

  show(data) {
    this.data = data;
    this.count = data.rows.number.length;
    this.stays = new Set(data.ghosts.stays);
    this.older = new Set(data.ghosts.older);
    this.pinned = new Set(data.ghosts.pinned);
    this.lay();
  }

  // All rows there are, those in folds too.
  get total() {
    return this.count + 1 + this.data.ghosts.number.length;
  }

  ghost(at) {
    return at > this.count ? at - this.count - 1 : -1;
  }

  lay() {
    const { after } = this.data.ghosts;
    this.list = [];
    this.saysOlder = false;
    let g = 0;
    for (let at = -1; at < this.count; at += 1) {
      if (at >= 0) this.list.push({ at });
      const from = g;
      while (g < after.length && after[g] <= at) g += 1;
      this.layGhosts(from, g);
    }
    this.list.push({ at: this.count });
    this.places = new Map(this.list.map((item, place) => [item.at ?? item.fold, place]));
  }

  layGhosts(from, to) {
    const hides = (g) => this.older.has(g) && !this.open.has("older");
    for (let g = from; g < to; ) {
      if (this.older.has(g) && !this.saysOlder) {
        this.saysOlder = true; // one line for all of them, where the first one stood
        this.list.push({ fold: "older", ghosts: [...this.older] });
      }
      if (hides(g)) {
        g += 1;
        continue;
      }
      let end = g + 1;
      if (!this.stays.has(g)) while (end < to && this.isNeighbour(g, end) && !hides(end)) end += 1;
      this.layStretch(g, end);
      g = end;
    }
  }

  isNeighbour(a, b) {
    const { group } = this.data.ghosts;
    return group[a] === group[b] && !this.stays.has(b) && this.older.has(a) === this.older.has(b);
  }

  layStretch(from, to) {
    const ghosts = [...Array(to - from).keys()].map((i) => from + i);
    const fold = `m${this.data.ghosts.number[from]}`;
    const folds = ghosts.length >= FOLD_FROM;
    if (folds) this.list.push({ fold, ghosts });
    if (!folds || this.open.has(fold)) for (const g of ghosts) this.list.push({ at: this.count + 1 + g, inside: folds });
  }

  // Open or close a fold.
  toggle(fold) {
    if (!this.open.delete(fold)) this.open.add(fold);
    this.lay();
  }

  // Make a row visible that stands in a fold; returns whether the list changed.
  uncover(at) {
    const g = this.ghost(at);
    if (g < 0 || this.places.has(at)) return false;
    if (this.older.has(g) && !this.open.has("older")) {
      this.open.add("older");
      this.lay();
    }
    const holder = this.list.find((item) => item.fold && item.fold !== "older" && item.ghosts.includes(g));
    if (holder && !this.open.has(holder.fold)) this.toggle(holder.fold);
    return true;
  }

  // The row `by` rows away from `at`; folds are passed over.
  beside(at, by) {
    const rows = this.list.filter((item) => item.at !== undefined);
    const place = at === null ? (by > 0 ? -1 : rows.length) : rows.findIndex((item) => item.at === at);
    return rows[Math.max(0, Math.min(rows.length - 1, place + by))].at;
  }

  // "22 messages taken by m67, 3,757 tokens"
  say({ fold, ghosts }) {
    const { tokens, group, gone } = this.data.ghosts;
    const sizes = ghosts.map((g) => tokens[g]);
    const size = sizes.includes(null) ? "" : `, ${formatCount(sizes.reduce((sum, one) => sum + one, 0), "token")}`;
    const calls = ghosts.map((g) => gone[g]);
    const [first, last] = [Math.min(...calls), Math.max(...calls)];
    if (fold === "older") {
      return `older: ${formatTokens(ghosts.length)} gone ${last === first ? `at call ${first}` : `at calls ${first}–${last}`}${size}`;
    }
    const by = group[ghosts[0]];
    if (by === "server") return `${formatCount(ghosts.length, "message")} sent and not seen by the model${size}`;
    const how = by === "✕" ? `taken out at call${first === last ? ` ${first}` : `s ${first}–${last}`}` : `taken by m${by.slice(1)}`;
    return `${formatCount(ghosts.length, "message")} ${how}${size}`;
  }
}
