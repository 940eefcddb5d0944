// What the rows of a comparison are made of: two cells and the sign between them.

const CHANGE_CODES = { 0: "", 1: "removed", 2: "added" };
const GAP_CODE = 3;

// A text with marked stretches, [start, end, className, passage] each; hidden characters made visible.
function putMarked(node, text, marks) {
  const ordered = [...marks].sort((x, y) => x[0] - y[0]);
  let at = 0;
  for (const [start, end, className, passage] of ordered) {
    const from = Math.max(at, start);
    const to = Math.min(end, text.length);
    if (to <= from) continue;
    putText(node, text.slice(at, from));
    const mark = node.appendChild(element("span", className));
    mark.dataset.passage = passage;
    putText(mark, text.slice(from, to));
    at = to;
  }
  putText(node, text.slice(at));
}

// White space that came or went is written out: nobody sees it otherwise.
function visibleSpace(text) {
  return /^\s+$/.test(text) ? text.replaceAll(" ", "·").replaceAll("\t", "→").replace(/\r?\n/g, "⏎\n") : text;
}

// One side of a difference: what is the same, and what went or came.
function putRuns(node, runs, own, onGap) {
  for (const [code, text] of runs) {
    if (code === GAP_CODE) {
      const gap = element("button", "gap", `⋯ ${formatCount(text, "character")} ⋯`);
      gap.title = "Unchanged; show them";
      gap.addEventListener("click", (event) => {
        event.stopPropagation();
        onGap();
      });
      node.append(gap);
    } else if (code === 0) putText(node, text);
    else if (code === own) putText(node.appendChild(element("span", CHANGE_CODES[code])), visibleSpace(text));
  }
}

class Rows {
  constructor(store, actions) {
    this.store = store;
    this.actions = actions; // open, whole, jump, moreText, unfold
    this.opened = new Map(); // name → pieces of the text shown
    this.whole = new Set(); // names of pairs shown with all that is the same
  }

  show(data, colours) {
    this.data = data;
    this.colours = colours;
    this.paints = data.layers.map((name) => `url(${swatch(colours, name).toDataURL()})`);
    this.pinned = { a: new Set(data.a.rows.pinned), b: new Set(data.b.rows.pinned) };
    this.holes = { a: new Set(data.a.rows.holes), b: new Set(data.b.rows.holes) };
  }

  sign(fate) {
    const [symbol, kind] = this.data.fates[fate];
    return { symbol, kind };
  }

  // A row of two cells; null leaves a side empty.
  row(fate, left, right, title) {
    const { symbol, kind } = fate ? this.sign(fate) : { symbol: "", kind: "same" };
    const node = element("div", `row ${kind}`);
    const middle = element("span", `sign ${kind}`, fate === "kept" ? "" : symbol);
    middle.title = title ?? "";
    middle.setAttribute("role", "gridcell");
    node.append(left ?? element("span", "cell none"), middle, right ?? element("span", "cell none"));
    return node;
  }

  // The frame of a message: place, layer, text, tokens.
  cell(name, place, kind = "same") {
    const { rows } = this.data[name];
    const node = element("span", `cell ${kind}`);
    node.setAttribute("role", "gridcell");
    const number = rows.number[place];
    const at = node.appendChild(element("span", "place", formatTokens(place + 1)));
    at.title = number === null ? `place ${place + 1}` : `place ${place + 1} · m${number}`;
    const layer = node.appendChild(element("span", "layer"));
    const layerName = this.data.layers[rows.layer[place]];
    layer.title = `${layerName.replace("_", " ")} · ${rows.roles[rows.role[place]]}`;
    layer.append(element("span", "paint"), element("span", "code", layerStyle(layerName).code));
    layer.firstChild.style.backgroundImage = this.paints[rows.layer[place]];
    const text = node.appendChild(element("span", "text"));
    if (this.holes[name].has(place)) node.classList.add("hole");
    if (this.pinned[name].has(place)) {
      const pin = text.appendChild(element("span", "pin", "⚲ "));
      pin.title = "pinned";
    }
    node.append(element("span", "tokens", formatTokens(rows.tokens[place])));
    return { node, text };
  }

  // A message in one line, or its whole text where it was opened.
  message(entryName, name, place, kind, marks = null) {
    const { node, text } = this.cell(name, place, kind);
    const pieces = this.opened.get(entryName);
    if (!pieces) {
      text.classList.add("clip");
      const excerpt = this.store.excerpt(name, place, this.data[name].rows.layer.length) ?? "";
      putMarked(text, excerpt, marks ? marks.inExcerpt(place, excerpt) : []);
      if (marks?.count(place)) {
        const chip = element("span", "chip", `■ ${marks.count(place)}`);
        chip.title = `${formatCount(marks.count(place), "passage")} of it ${marks.count(place) === 1 ? "stands" : "stand"} word for word in the call after`;
        chip.dataset.passages = marks.ids(place).join(" ");
        node.querySelector(".tokens").before(chip);
        node.classList.add("chipped");
      }
      return node;
    }
    text.classList.add("whole");
    const shown = this.store.text(name, place, pieces);
    if (shown) putMarked(text, shown.text || "(no text)", marks ? marks.inText(place) : []);
    else text.append("…");
    const foot = text.appendChild(element("div", "foot"));
    if (shown?.left) {
      foot.append(this.button(`${formatCount(shown.left, "more character")}`, () => this.actions.more(entryName)));
    }
    foot.append(this.openLink(name, place));
    return node;
  }

  openLink(name, place) {
    const side = this.data[name];
    const number = side.rows.number[place];
    if (side.call === null || number === null) return element("span");
    return link("link", `m${number} in call ${side.call}`, {
      page: "call",
      params: { session: side.session, call: side.call, message: `m${number}` },
    });
  }

  button(label, act) {
    const node = element("button", "small", label);
    node.addEventListener("click", (event) => {
      event.stopPropagation();
      act();
    });
    return node;
  }

  // An edited message: the differing words on both sides.
  pair(entryName, item) {
    const { kind } = this.sign(item.fate);
    const cells = [["a", item.i, 1], ["b", item.j, 2]];
    const shown = item.differs ? this.store.pair(item.i, item.j, this.whole.has(entryName)) : null;
    const made = cells.map(([name, place, own]) => {
      if (!item.differs) return this.message(entryName, name, place, kind);
      const { node, text } = this.cell(name, place, kind);
      text.classList.add("difference");
      if (!shown) text.append(this.store.excerpt(name, place, this.data[name].rows.layer.length) ?? "…");
      else {
        putRuns(text, shown.runs, own, () => this.actions.whole(entryName));
        if (shown.more[own - 1]) text.append(element("div", "foot muted", `… ${formatCount(shown.more[own - 1], "more character")}`));
      }
      if (this.opened.has(entryName)) text.appendChild(element("div", "foot")).append(this.openLink(name, place));
      else text.classList.add("low");
      return node;
    });
    for (const text of item.gone ?? []) {
      const line = made[1].appendChild(element("span", "gone lost", "✕ pinned, not word for word in this call: "));
      putText(line, text);
    }
    const row = this.row(item.fate, ...made, item.why);
    if (item.from || item.was) {
      const note = element("span", "note", item.from ? `from place ${item.i + 1}` : item.was);
      if (item.from) note.replaceChildren(this.button(`from place ${item.i + 1}`, () => this.actions.jump(`left ${item.i}`)));
      made[1].querySelector(".tokens").before(note);
      made[1].classList.add("chipped");
    }
    if (item.from) row.replaceChild(element("span", "cell none"), made[0]);
    return row;
  }

  // Where a moved message stood.
  left(entryName, item) {
    const cell = this.message(entryName, "a", item.i, "same faded");
    const jump = element("span", "note");
    jump.append(this.button(`to place ${item.j + 1}`, () => this.actions.jump(`pair ${item.i}`)));
    cell.querySelector(".tokens").before(jump);
    cell.classList.add("chipped");
    return this.row(item.fate, cell, null, item.why);
  }

  fold(item, open, act) {
    const node = element("div", "fold");
    const what = `${formatCount(item.n, "unchanged message")} · ${formatTokens(item.tokens)} tokens`;
    const button = node.appendChild(element("button", "", `${what} — ${open ? "hide" : "show"}`));
    button.setAttribute("aria-expanded", String(open));
    button.addEventListener("click", act);
    return node;
  }

  // A parameter or a tool that is not the same.
  parameter(changed, label) {
    const { kind } = this.sign(changed.fate);
    const cells = [1, 2].map((own) => {
      if (!changed.runs.some(([code]) => code === own || code === 0)) return null;
      const node = element("span", `cell named ${kind}`);
      node.append(element("span", "name clip", label));
      const text = node.appendChild(element("span", "text difference"));
      putRuns(text, changed.runs, own, () => {});
      if (changed.more[own - 1]) text.append(element("div", "foot muted", `… ${formatCount(changed.more[own - 1], "more character")}`));
      return node;
    });
    return this.row(changed.fate, ...cells, changed.fate);
  }

  plain(name, value) {
    const cells = [0, 1].map(() => {
      const node = element("span", "cell named same");
      node.append(element("span", "name clip", name));
      putText(node.appendChild(element("span", "text clip")), value);
      return node;
    });
    return this.row("kept", ...cells, "the same");
  }

  answer(entryName) {
    const cells = this.data.answers.map((answer) => {
      if (!answer) return null;
      const node = element("span", `cell answer ${answer.tone}`);
      node.append(element("span", "place", "→"), element("span", "layer muted", "answer"));
      const text = node.appendChild(element("span", this.opened.has(entryName) ? "text whole" : "text clip"));
      putText(text, answer.text);
      node.append(element("span", "tokens", formatTokens(answer.tokens)));
      return node;
    });
    return this.row(null, ...cells);
  }
}
