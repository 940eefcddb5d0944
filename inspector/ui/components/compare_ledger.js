// The ledger of a compaction: what the messages taken said, a line a value, and where the call after has it now.

const LEDGER_ROWS = 6; // lines seen at once; the others scroll

// Returns {node, show(data), note(note), active()}. `actions`: light(line or null), go(line), goTarget(line),
// trace(line), watch(line), unwatch(id).
function makeLedger(actions) {
  const node = element("section", "balance");
  node.setAttribute("aria-label", "What the messages taken said, and whether the call after still says it");
  node.hidden = true; // until a compaction is looked at
  const head = node.appendChild(element("div", "heads"));
  const list = node.appendChild(element("div", "lines"));
  list.style.setProperty("--rows", LEDGER_ROWS);
  const note = node.appendChild(element("div", "said"));
  let [ledger, column, folded, active] = [null, null, false, null];

  function mark(row, line) {
    list.querySelector(".on")?.classList.remove("on");
    active = line;
    row?.classList.add("on");
    actions.light(line);
  }

  function drawLine(line) {
    const row = element("button", `entry ${line.became}`);
    row.append(element("span", "mark", line.sign));
    putText(row.appendChild(element("span", "quote clip")), line.text);
    row.append(element("span", "clip muted", [line.kind, line.who].filter(Boolean).join(" · ")));
    putText(row.appendChild(element("span", "clip")), line.where);
    row.append(element("span", "clip muted", line.why));
    const to = line.i === null ? "Click goes to where it stands." : line.j === null ? "Click goes to its message." : "Click goes to its message, Shift-click to where it stands now.";
    row.title = [line.find.slice(0, 400), line.where, line.why, `${to} t traces it${line.watch ? ", w watches it" : ""}.`].filter(Boolean).join("\n");
    row.addEventListener("click", (event) => (event.shiftKey ? actions.goTarget(line) : actions.go(line)));
    row.addEventListener("mouseenter", () => mark(row, line));
    row.addEventListener("focus", () => mark(row, line));
    return row;
  }

  function drawHeads() {
    head.replaceChildren();
    for (const [name, sign, count, title] of ledger.columns) {
      const made = head.appendChild(element("button", `sum ${name}`));
      made.append(element("span", `mark ${name}`, sign), ` ${formatTokens(count)} ${name}`);
      made.title = `${title}.${count ? " Click shows only these." : ""}`;
      made.disabled = !count;
      made.setAttribute("aria-pressed", String(column === name));
      made.addEventListener("click", () => {
        column = column === name ? null : name;
        folded = false;
        draw();
      });
    }
    const about = head.appendChild(element("span", "muted clip about", ["by the whole call after", ...ledger.left].join(" · ")));
    about.title = "A value counts as kept where any message of the call after says it: state, memory and later turns as well as the summary.\nNames of people are found by titles, labels and capitals only; small talk, goals and bare small numbers are not listed.";
    const fold = head.appendChild(element("button", "", folded ? "Show" : "Hide"));
    fold.setAttribute("aria-expanded", String(!folded));
    fold.addEventListener("click", () => {
      folded = !folded;
      draw();
    });
  }

  function draw() {
    node.hidden = !ledger;
    if (!ledger) return;
    drawHeads();
    const shown = ledger.lines.filter((line) => column === null || line.column === column);
    list.hidden = folded;
    list.replaceChildren(...(ledger.opaque ? [element("p", "muted", ledger.opaque)] : []), ...shown.map(drawLine));
    if (!shown.length) list.append(element("p", "muted", "The messages taken say nothing that looks like a commitment: no rule, id, amount, date or name."));
    list.scrollTop = 0;
    active = null;
  }

  node.addEventListener("mouseleave", () => mark(null, null));

  return {
    node,
    active: () => active,
    show(data) {
      const fresh = JSON.stringify(data.ledger) !== JSON.stringify(ledger);
      ledger = data.ledger;
      if (fresh) column = null;
      if (fresh) draw();
    },
    note(said) {
      note.replaceChildren();
      note.className = said ? `said ${said.tone}` : "said";
      if (!said) return;
      putText(note, said.text);
      if (!said.undo) return;
      const undo = note.appendChild(element("button", "small", "Undo"));
      undo.addEventListener("click", () => actions.unwatch(said.undo));
    },
  };
}
