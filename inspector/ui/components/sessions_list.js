// The rows of the table: only those in sight exist as elements, so a thousand sessions scroll like ten.

const ROW_HEIGHT = 28; // px, as in sessions.css
const TALL_ROW_HEIGHT = 48; // px, where samples say on a second line what went wrong
const LINE_HEIGHT = 20; // px, of a second line of the sentence
const NARROW = matchMedia("(max-width: 1400px)"); // as in sessions.css: a sentence would be cut before its cause
const OVERSCAN = 8; // rows beyond the edges

class SessionList {
  constructor(use) {
    this.node = element("div", "list");
    this.node.tabIndex = 0;
    this.node.setAttribute("role", "grid");
    this.node.setAttribute("aria-label", "Sessions");
    this.spacer = element("div", "spacer");
    this.node.append(this.spacer);
    this.rows = [];
    this.height = ROW_HEIGHT;
    this.active = -1;
    use(this.node, "scroll", () => this.draw(), { passive: true });
    this.observer = new ResizeObserver(() => {
      this.fit();
      this.draw();
    });
    this.observer.observe(this.node);
  }

  show(rows, colours) {
    const name = this.rows[this.active]?.session;
    this.rows = rows;
    this.colours = colours;
    this.active = rows.findIndex((row) => row.session === name);
    this.fit();
    this.node.setAttribute("aria-rowcount", String(rows.length));
    this.drawn = null;
    this.draw();
  }

  // All rows are of one height: which are in sight is then a division.
  fit() {
    const tall = this.rows.some((row) => row.incident);
    const wraps = NARROW.matches && this.rows.some((row) => row.severity !== null);
    const height = (tall ? TALL_ROW_HEIGHT : ROW_HEIGHT) + (wraps ? LINE_HEIGHT : 0);
    this.node.classList.toggle("tall", tall);
    this.node.classList.toggle("wraps", wraps);
    if (height !== this.height) this.drawn = null;
    this.height = height;
    this.spacer.style.height = `${this.rows.length * height}px`;
  }

  move(step) {
    if (!this.rows.length) return;
    if (this.active < 0) this.active = Math.ceil(this.node.scrollTop / this.height) - step; // starts at what is in sight
    this.active = Math.min(Math.max(this.active + step, 0), this.rows.length - 1);
    const top = this.active * this.height;
    const { scrollTop, clientHeight } = this.node;
    if (top < scrollTop) this.node.scrollTop = top;
    else if (top + this.height > scrollTop + clientHeight) this.node.scrollTop = top + this.height - clientHeight;
    this.drawn = null;
    this.draw();
  }

  open() {
    const row = this.rows[this.active];
    if (row) route(this.target(row), { push: true });
  }

  target(row) {
    return { page: "session", params: { session: row.session, call: row.open } };
  }

  draw() {
    const first = Math.max(0, Math.floor(this.node.scrollTop / this.height) - OVERSCAN);
    const last = Math.min(this.rows.length, Math.ceil((this.node.scrollTop + this.node.clientHeight) / this.height) + OVERSCAN);
    const window_ = `${first} ${last} ${this.active}`;
    if (this.drawn === window_) return;
    this.drawn = window_;
    const nodes = [];
    for (let at = first; at < last; at += 1) nodes.push(this.row(this.rows[at], at));
    this.spacer.replaceChildren(...nodes);
  }

  row(row, at) {
    const node = link("line", "", this.target(row));
    node.style.top = `${at * this.height}px`;
    node.setAttribute("role", "row");
    node.setAttribute("aria-rowindex", String(at + 1));
    if (at === this.active) node.setAttribute("aria-selected", "true");
    const title = element("span", "lines");
    const name = element("span", "clip name", oneLine(row.session) || "(no name)");
    title.title = [row.session, row.agent, row.models.join(", "), row.origin].filter(Boolean).join("\n");
    title.append(name);
    const told = element("span", "lines");
    told.append(this.happened(row));
    if (row.incident) {
      title.append(element("span", "chip", "sample"));
      const incident = element("span", "clip muted incident", oneLine(row.incident));
      incident.title = row.incident;
      told.append(incident);
    }
    node.append(title, told, ...this.numbers(row), this.spark(row), this.last(row));
    return node;
  }

  happened(row) {
    const cell = element("span", "clip happened");
    if (row.severity === null) {
      cell.append(element("span", "muted", row.told ? "no findings" : "reading …"));
      return cell;
    }
    const sign = element("span", "sign", PALETTE.severities[row.severity].symbol);
    sign.style.color = this.colours.severity(row.severity);
    cell.append(sign, row.happened);
    cell.title = row.happened + (row.more ? `\n… and ${formatTokens(row.more)} more` : "");
    return cell;
  }

  numbers(row) {
    const peak = element("span", "number", formatShare(row.peak));
    if (row.peak > 1) peak.classList.add("lost");
    peak.title = row.limit
      ? `${formatTokens(row.peak_tokens)} of ${formatTokens(row.limit)} tokens`
      : `${formatTokens(row.peak_tokens)} tokens; neither budget nor window is known`;
    const pins = element("span", row.gone ? "lost" : row.pins ? "" : "muted");
    pins.textContent = row.gone ? `${row.gone} of ${row.pins} gone` : row.pins ? `${row.pins} held` : UNKNOWN;
    const compactions = element("span", row.compactions ? "number" : "number muted", formatTokens(row.compactions));
    compactions.title = compactionsTitle(row);
    return [
      element("span", "number", row.turns ? formatTokens(row.turns) : UNKNOWN),
      element("span", "number", formatTokens(row.calls)),
      peak,
      compactions,
      pins,
    ];
  }

  spark(row) {
    const [width, height] = [160, 16];
    const canvas = element("canvas", "spark");
    const pen = canvasContext(canvas, width, height);
    const step = width / Math.max(row.fill.length, 16);
    const highest = Math.max(1, ...row.fill.map((value) => value ?? 0));
    row.fill.forEach((value, at) => {
      const high = value === null ? 1 : Math.max(2, (value / highest) * height);
      pen.fillStyle = value > 1 ? this.colours.lost : this.colours.fill;
      pen.fillRect(at * step, height - high, Math.max(1, step - (step >= 3 ? 1 : 0)), high);
    });
    return canvas;
  }

  last(row) {
    const time = formatTime(row.last);
    const year = `${new Date().getFullYear()}-`;
    const cell = element("span", "muted number", time.startsWith(year) ? time.slice(year.length) : time.slice(0, 10));
    cell.title = time;
    return cell;
  }

  destroy() {
    this.observer.disconnect();
  }
}

function compactionsTitle(row) {
  if (!row.compared) return `${formatTokens(row.recorded)} recorded; the prompts are still being compared`;
  if (!row.compactions) return "none recorded, and none seen in the prompts";
  const found = row.compactions - row.recorded;
  return found > 0 ? `${formatTokens(row.recorded)} recorded, ${formatTokens(found)} more seen in the prompts` : "all recorded";
}
