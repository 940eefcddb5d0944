// Where a searched text lives: a row a session, a mark a call. Click a mark to open that call.

const MARK = 9; // px of a mark where there is room
const MARK_HEIGHT = 22;
const LEGEND = [["p", "in the prompt"], ["a", "only in the answer"], ["b", "in both"], ["x", "gone"], [".", "absent"]];
const ROWS_DRAWN = 200; // sessions with a picture; more are named on demand

// One mark, centred in a cell. Filled: in the prompt. Hollow: only in the answer. With a dot: both.
function drawMark(pen, colours, mark, x, width, height) {
  const size = Math.max(1, Math.min(width - 1, MARK - 1));
  const [left, top] = [x + (width - size) / 2, (height - size) / 2];
  const [midX, midY] = [x + width / 2, height / 2];
  if (mark === "p" || mark === "b") {
    pen.fillStyle = colours.here;
    pen.fillRect(left, size < 4 ? 4 : top, size, size < 4 ? height - 8 : size);
    if (mark === "b" && size >= 4) pen.fillRect(midX - 1.5, top + size + 2, 3, 3);
  } else if (mark === "a") {
    pen.fillStyle = pen.strokeStyle = colours.altered;
    pen.lineWidth = 1.6;
    if (size < 4) pen.fillRect(left, 4, Math.max(size, 2), height - 8);
    else pen.strokeRect(left + 0.8, top + 0.8, size - 1.6, size - 1.6);
  } else if (mark === "x") {
    pen.strokeStyle = pen.fillStyle = colours.lost;
    pen.lineWidth = 2;
    if (size < 4) {
      pen.fillRect(left, 1, 2, height - 2);
      return;
    }
    pen.beginPath();
    pen.moveTo(left + 1, top + 1);
    pen.lineTo(left + size - 1, top + size - 1);
    pen.moveTo(left + size - 1, top + 1);
    pen.lineTo(left + 1, top + size - 1);
    pen.stroke();
  } else {
    pen.fillStyle = colours.line;
    pen.fillRect(midX - 1, midY - 1, Math.min(2, width), 2);
  }
}

class Marks {
  constructor(row, colours) {
    this.row = row;
    this.colours = colours;
    this.node = element("canvas", "marks");
    this.node.setAttribute("role", "img");
    this.node.setAttribute("aria-label", row.where.map(([, text]) => text).join(", "));
    this.node.addEventListener("mousemove", (event) => {
      const call = this.callAt(event);
      const [, label] = LEGEND.find(([mark]) => mark === row.marks[call - 1]);
      this.node.title = `call ${call}: ${label}`;
    });
  }

  callAt(event) {
    const x = event.clientX - this.node.getBoundingClientRect().left;
    return Math.min(Math.max(1, Math.floor(x / this.step) + 1), this.row.marks.length);
  }

  draw(width) {
    const { marks } = this.row;
    this.step = Math.min(MARK, width / marks.length);
    const used = Math.ceil(this.step * marks.length);
    this.node.style.width = `${used}px`;
    const pen = canvasContext(this.node, used, MARK_HEIGHT);
    // Losses and answers last: where many calls share a pixel they must not be painted over.
    for (const kinds of [".", "pb", "a", "x"]) {
      for (let at = 0; at < marks.length; at += 1) {
        if (kinds.includes(marks[at])) drawMark(pen, this.colours, marks[at], at * this.step, this.step, MARK_HEIGHT);
      }
    }
  }
}

class Hits {
  constructor(root, use) {
    this.root = root;
    this.pictures = [];
    this.active = -1;
    this.shown = ROWS_DRAWN;
    use(window, "popstate", () => this.follow());
    this.observer = new ResizeObserver(() => this.drawMarks());
    this.observer.observe(root);
    onKey(use, (event) => this.key(event));
  }

  update(data, colours) {
    this.data = data;
    this.colours = colours;
    this.active = -1;
    this.draw();
    shared.answered = searchKey(data.query, data.kind);
    this.follow();
    window.dispatchEvent(new CustomEvent("inspector:answered"));
  }

  follow() {
    const here = readAddress();
    this.root.hidden = here.page !== "sessions" || here.q === null || here.params.get("show") === "files";
  }

  draw() {
    const { data } = this;
    const parts = [this.summary()];
    if (data.error) {
      parts.push(element("p", "error lost", `This pattern cannot be searched: ${data.error}`));
    } else if (!data.rows.length) {
      parts.push(this.nothing());
    } else {
      parts.push(this.rowsOf(data.rows.slice(0, this.shown)));
      if (data.rows.length > this.shown) parts.push(this.more(data.rows.length - this.shown));
    }
    this.root.replaceChildren(...parts);
    this.drawMarks();
  }

  more(count) {
    const button = element("button", "more", `Show ${formatCount(count, "more session", "more sessions")}`);
    button.addEventListener("click", guard(this.root, () => {
      this.shown = Infinity;
      this.draw();
    }));
    return button;
  }

  summary() {
    const { data } = this;
    const line = element("div", "summary");
    line.append(element("strong", "clip query", `“${oneLine(data.query)}”`));
    if (!data.error) {
      line.append(element("span", "muted", `as ${data.kind} · ${formatCount(data.places, "place")} in ${formatCount(data.sessions, "session")} · answers ${formatTokens(data.answers)}`));
    }
    const legend = element("span", "legend muted");
    if (data.rows.some((row) => row.marks)) {
      for (const [mark, label] of LEGEND) {
        const sign = element("canvas");
        drawMark(canvasContext(sign, MARK, MARK_HEIGHT), this.colours, mark, 0, MARK, MARK_HEIGHT);
        sign.style.cssText = `width:${MARK}px;height:${MARK_HEIGHT}px`;
        const entry = element("span");
        entry.append(sign, label);
        legend.append(entry);
      }
    }
    line.append(legend);
    return line;
  }

  nothing() {
    const { data } = this;
    const box = element("p", "nothing");
    const next = {
      id: "An id is found as a whole word only: try “as: text”.",
      regex: "Capitals count in a regex; try (?i) at its start, or “as: text”.",
      text: "Try a shorter text, or “as: regex” for one that may be written in several ways.",
    }[data.kind];
    box.append(`Nothing in ${formatCount(data.calls, "prompt")} and their answers. `, element("span", "muted", next));
    return box;
  }

  rowsOf(rows) {
    this.pictures = [];
    const list = element("div", "hits");
    this.lines = rows.map((row) => {
      const first = row.marks ? row.marks.search(/[pab]/) + 1 : null;
      const gone = row.marks.indexOf("x") + 1;
      const params = { session: row.session, call: gone || first };
      const line = element("div", "hit");
      const name = link("clip name", oneLine(row.session), { page: "session", params });
      name.title = row.session;
      const who = element("div", "who");
      who.append(name);
      const text = element("div", "text");
      const where = element("div", "clip where");
      row.where.forEach(([kind, words], at) => {
        if (at) where.append(" · ");
        where.append(element("span", kind === "same" ? "" : kind, words));
      });
      if (row.named) where.prepend(element("span", "tag", "name"), row.where.length ? " " : "the session's name; nothing in its prompts and answers");
      text.append(where);
      if (row.excerpt) {
        const excerpt = element("div", "clip excerpt muted", row.excerpt);
        excerpt.title = row.excerpt;
        text.append(excerpt);
      }
      line.append(who, text);
      // A search and the life of what it found are one thing.
      const trace = { page: "trace", params: { ...params, find: this.data.query, as: this.data.kind } };
      if (row.marks) who.append(link("link trace", "Trace in this session", trace));
      if (row.marks) {
        const marks = new Marks(row, this.colours);
        marks.node.addEventListener("click", guard(this.root, (event) => {
          route({ page: "call", params: { session: row.session, call: marks.callAt(event), find: this.data.kind === "regex" ? null : this.data.query } }, { push: true });
        }));
        this.pictures.push(marks);
        const cell = element("div", "cell");
        cell.append(marks.node);
        line.append(cell);
      }
      line.target = row.marks ? trace : { page: "session", params };
      return line;
    });
    list.append(...this.lines);
    return list;
  }

  drawMarks() {
    for (const marks of this.pictures) {
      const width = marks.node.parentElement?.clientWidth;
      if (width) marks.draw(width);
    }
  }

  key(event) {
    if (this.root.hidden || !this.data?.rows.length || this.data.error) return false;
    if (event.key === "Enter" && this.active >= 0) return route(this.lines[this.active].target, { push: true }), true;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return false;
    this.lines[this.active]?.removeAttribute("aria-selected");
    this.active = Math.min(Math.max(0, this.active + step), this.lines.length - 1);
    this.lines[this.active].setAttribute("aria-selected", "true");
    this.lines[this.active].scrollIntoView({ block: "nearest" });
    return true;
  }

  destroy() {
    this.observer.disconnect();
  }
}

export default (component) => runComponent(component, (root, use) => new Hits(root, use));
