// The table under the picture: a row where something happens to the fact, with the text around it.

const TRACE_COLUMNS = [["call", "number"], ["where", ""], ["how", ""], ["text around it", ""], ["tokens from end", "number"]];
const LONGEST_HIT = 300; // characters of a hit that are shown
const LONGEST_FIND = 200; // characters of a text that Call is asked to find

// Returns {node, show(data, lane), select(call), move(by), openActive()}.
function makeTraceTable(root, { open, choose }) {
  const node = element("div", "table");
  node.setAttribute("role", "grid");
  node.setAttribute("aria-label", "What happened to it, call by call");
  let [rows, lines, active] = [[], [], -1];

  function targetOf([call, message, where, , , , piece, , before, compaction]) {
    if (before !== null) return { page: "compare", params: { a: before, call, compaction } };
    const find = piece[1] && piece[1].length <= LONGEST_FIND ? piece[1] : null;
    if (message !== null) return { page: "call", params: { call, message: `m${message}`, find } };
    return { page: "call", params: { call, message: where === "answer" ? "answer" : null } };
  }

  function lineOf(row, at) {
    const [call, , where, how, symbol, kind, [before, hit, after], depth] = row;
    const line = element("div", "entry");
    line.setAttribute("role", "row");
    const state = element("span", "how"); // in full: it wraps
    state.append(element("span", `symbol ${kind}`, symbol), ` ${how}`);
    const text = element("span", where === "–" ? "text told" : "text clip"); // how it went is no text of a prompt
    const left = before.length > 40 ? `…${before.slice(-40)}` : before; // the hit stays in sight
    putText(text, hit ? left : before);
    if (hit) {
      const mark = element("mark", kind);
      putText(mark, hit.length > LONGEST_HIT ? `${hit.slice(0, LONGEST_HIT)}…` : hit);
      text.append("⟦", mark, "⟧");
      putText(text.appendChild(element("span")), after);
    }
    text.title = `${before}${hit ? `⟦${hit}⟧` : ""}${after}`;
    line.append(element("span", "number", String(call)), element("span", "where", where), state, text, element("span", "number muted", depth === null ? UNKNOWN : formatTokens(depth)));
    line.addEventListener("click", guard(root, () => {
      if (selectedText(root)) return; // a text is being selected
      activate(at);
      open(targetOf(row));
    }));
    return line;
  }

  function activate(at) {
    lines[active]?.removeAttribute("aria-selected");
    active = at;
    lines[active]?.setAttribute("aria-selected", "true");
    lines[active]?.scrollIntoView({ block: "nearest" });
  }

  return {
    node,
    show(data, lane) {
      const wanted = { all: () => true, prompts: (row) => row[2] !== "answer", answers: (row) => row[2] === "answer" }[data.scope];
      rows = lane.rows.filter(wanted);
      lines = rows.map(lineOf);
      active = -1;
      const head = element("div", "entry titles");
      for (const [title, className] of TRACE_COLUMNS) head.append(element("span", className, title));
      node.replaceChildren(...(rows.length ? [head, ...lines] : []));
      if (lane.rows_more) node.append(element("div", "muted more", `and ${formatCount(lane.rows_more, "more row")}: the picture has them all`));
    },
    select(call) {
      lines.forEach((line, at) => line.classList.toggle("now", rows[at][0] === call));
    },
    move(by) {
      if (!rows.length) return;
      activate(Math.min(Math.max(0, active < 0 && by < 0 ? rows.length - 1 : active + by), rows.length - 1));
      choose(rows[active][0]);
    },
    openActive() {
      if (active < 0) return false;
      open(targetOf(rows[active]));
      return true;
    },
  };
}
