// What stands beside messages that were taken out: the summary, pins and passages with where they are now.

const PIN_SIGNS = { lost: "✕", altered: "≈", here: "■" };
const LISTED_FIRST = 8; // passages listed before "show all"

// The passages of a group: which stretches of its sources stand where in the context after.
class Passages {
  constructor(at, shown) {
    this.shown = shown;
    this.bySource = new Map();
    shown.passages.forEach((passage, number) => {
      const own = this.bySource.get(passage[0]) ?? [];
      own.push([passage, number]);
      this.bySource.set(passage[0], own);
    });
    this.listed = new Map(shown.listed.map(([number, text]) => [number, text]));
    this.prefix = `${at}.`;
  }

  id(number) {
    return this.prefix + number;
  }

  of(place) {
    return this.bySource.get(place) ?? [];
  }

  count(place) {
    return this.of(place).length;
  }

  ids(place) {
    return this.of(place).map(([, number]) => this.id(number));
  }

  inText(place) {
    return this.of(place).map(([[, start, end], number]) => [start, end, "carried", this.id(number)]);
  }

  // An excerpt is one line, so a passage is looked for by its words.
  inExcerpt(place, excerpt) {
    return this.of(place).flatMap(([, number]) => {
      const words = (this.listed.get(number) ?? "").replace(/…$/, "");
      const at = words ? excerpt.indexOf(words.slice(0, 24)) : -1;
      if (at < 0) return [];
      let end = at;
      while (end < excerpt.length && excerpt[end] === words[end - at]) end += 1;
      return [[at, end, "carried", this.id(number)]];
    });
  }

  inTarget(place) {
    return this.shown.passages.flatMap(([, , , target, start, end], number) => (target === place ? [[start, end, "carried", this.id(number)]] : []));
  }
}

// The card of a group. `actions`: jump to a source or a row after, whole text, list all.
function makeCard(rows, item, at, state, actions) {
  const { data, store } = rows;
  const shown = store.card(at);
  const evicted = item.j === null;
  const card = element("section", `card ${evicted ? "lost" : "condensed"}`);
  card.setAttribute("aria-label", evicted ? "What is left of the messages taken out" : "The summary");
  const head = card.appendChild(element("h3"));
  const count = formatCount(item.sources.length, "message");
  if (evicted) {
    if (shown && !shown.ledger.length && !shown.listed.length) card.classList.add("bare");
    const verb = item.sources.length === 1 ? "this" : "these";
    head.append(element("span", "muted", `nothing stands for ${verb} ${count}, ${formatTokens(item.tokens)} tokens`));
  } else {
    const side = data.b.rows;
    const number = side.number[item.j];
    const what = data.layers[side.layer[item.j]] === "summary" ? "Summary" : "One message";
    head.append(element("strong", "", `${what} · ${formatTokens(side.tokens[item.j])} tokens`));
    const share = item.share === null || item.share === undefined ? "" : ` (${formatShare(item.share)})`;
    head.append(element("span", "", `for ${count}, ${formatTokens(item.tokens)} tokens${share}`));
    if (number !== null) head.append(rows.openLink("b", item.j));
    head.title = item.why;
  }
  if (!shown) {
    card.append(element("p", "muted", "…"));
    return card;
  }
  const passages = new Passages(at, shown);
  if (shown.text !== undefined) card.append(summaryText(shown, item, passages, state, actions));
  if (shown.ledger.length) card.append(ledger(shown.ledger, actions));
  if (shown.listed.length) card.append(survivors(shown.listed, passages, item, state, actions));
  return card;
}

function summaryText(shown, item, passages, state, actions) {
  const text = element("div", state.full ? "summary" : "summary low");
  putMarked(text, shown.text, passages.inTarget(item.j));
  if (shown.more) text.append(element("span", "muted", ` … ${formatCount(shown.more, "more character")}`));
  text.title = state.full ? "" : "Click for the whole text";
  text.addEventListener("click", (event) => {
    if (!event.target.closest?.(".carried")) actions.full();
  });
  return text;
}

function ledger(lines, actions) {
  const list = element("div", "ledger");
  for (const line of lines) {
    const row = list.appendChild(element("button", `line ${line.became}`));
    row.append(element("span", "mark", PIN_SIGNS[line.became]));
    putText(row.appendChild(element("span", "quote clip")), line.text);
    row.append(element("span", "who clip muted", line.who), element("span", "where clip", line.where));
    row.title = [line.text, line.reason, line.where, "Click goes to its message."].filter(Boolean).join("\n");
    row.addEventListener("click", () => actions.source(line.i));
    row.addEventListener("mouseenter", () => actions.light(line.i));
    row.addEventListener("mouseleave", () => actions.light(null));
  }
  return list;
}

function survivors(listed, passages, item, state, actions) {
  const box = element("div", "survivors");
  box.append(element("h4", "muted", `${formatCount(listed.length, "passage")} still there, word for word`));
  const list = box.appendChild(element("div", "ledger"));
  for (const [number, text, who, where] of state.all ? listed : listed.slice(0, LISTED_FIRST)) {
    const [source] = passages.shown.passages[number];
    const target = passages.shown.passages[number][3];
    const row = list.appendChild(element("button", "line here"));
    row.dataset.passage = passages.id(number);
    row.append(element("span", "mark", "■"));
    putText(row.appendChild(element("span", "quote clip")), text);
    row.append(element("span", "who clip muted", who), element("span", "where clip", where));
    row.title = `${text}\n${where}\nClick goes to the message it comes from, Shift-click to where it stands now.`;
    row.addEventListener("click", (event) => (event.shiftKey ? actions.target(target) : actions.source(source)));
  }
  if (!state.all && listed.length > LISTED_FIRST) {
    const more = box.appendChild(element("button", "small", `${listed.length - LISTED_FIRST} more`));
    more.addEventListener("click", actions.all);
  }
  return box;
}
