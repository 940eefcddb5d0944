// The grid of the Probes page: a row a probe, a column a call. Two canvases: the picture, and the box of the
// selected cell, which is all a step redraws.

const PROBE_ROW = 42; // px of a row: the question, and under it what is expected and why it is asked
const PROBE_HEAD = 36; // px of the rows of turns and compactions
const PROBE_ROOM = 9; // px of a column from which symbols are drawn; below it bars
const WIDEST_PROBE_CALL = 48; // px
const REPEATS = ["✕", "▨", "○"]; // a stretch of these shows its first only

// Returns {node, show(data, chosen, colours), select(probe, call), refuse(calls), draw(), destroy()}.
// `choose(probe, call)` selects a cell, `open(target)` goes to the evidence, `toggle(id, on)` picks a draft.
function makeProbesGrid(root, use, { choose, open, toggle }) {
  const node = element("div", "grid");
  const corner = node.appendChild(element("div", "top corner"));
  const top = node.appendChild(element("div", "top heads"));
  const flips = node.appendChild(element("div", "top flips muted", "flips at"));
  const labels = node.appendChild(element("div", "labels"));
  const host = node.appendChild(element("div", "cells"));
  const notes = node.appendChild(element("div", "notes"));
  const heads = top.appendChild(element("canvas"));
  const picture = host.appendChild(element("canvas"));
  const cursor = host.appendChild(element("canvas", "cursor"));
  host.setAttribute("role", "img");
  let [data, colours, step, row, call, rows, refused] = [null, null, 1, -1, null, [], {}];

  function labelOf(probe, chosen, at) {
    const line = element("div", "label");
    const words = element("div", "words");
    const question = words.appendChild(element("div", "question clip"));
    putText(question, probe.label);
    const under = words.appendChild(element("div", "under clip"));
    putText(under, probe.under);
    if (data.draft) {
      const box = element("input");
      box.type = "checkbox";
      box.checked = chosen.has(probe.id);
      box.setAttribute("aria-label", `Take up: ${probe.label}`);
      box.addEventListener("change", guard(root, () => toggle(probe.id, box.checked)));
      line.append(box);
    }
    line.append(words);
    line.title = `${probe.question}\nexpected: ${probe.expected}\n${probe.due}${probe.why ? `\nfound: ${probe.why}` : ""}`;
    words.addEventListener("click", guard(root, () => choose(at, null)));
    return line;
  }

  function noteOf(probe) {
    const line = element("div", "note");
    const { flip } = probe;
    if (!flip) {
      const due = /[■Σ◐≶≠✕○▨?]/.test(probe.marks) ? UNKNOWN : "never due";
      line.append(element("span", "muted", probe.model ? `${due} (${probe.model})` : due));
      return line;
    }
    const target = flip.before === null
      ? { page: "call", params: { call: flip.call } }
      : { page: "compare", params: { a: flip.before, call: flip.call, compaction: flip.compaction } };
    const go = link(`flip ${flip.kind}`, "", target);
    putText(go, flip.words);
    go.title = `${flip.words}\n${flip.before === null ? "Open the call" : "Compare it with the call before"}`;
    if (probe.model) go.append(element("span", "muted", ` (${probe.model})`));
    line.append(go);
    return line;
  }

  // ---- drawing ----

  function drawMarks(pen, marks, asked, middle) {
    for (const late of [false, true]) {
      for (let at = 0; at < marks.length; at += 1) {
        const mark = marks[at];
        if (mark === " ") continue;
        const [kind] = data.signs[mark] ?? ["same"];
        const repeated = REPEATS.includes(mark) && marks[at - 1] === mark && asked[at] === " ";
        // Losses last: where several calls share a pixel none is painted over.
        if ((!repeated && ["lost", "altered"].includes(kind)) !== late) continue;
        const [x, w] = [at * step, Math.max(1, step - (step >= 4 ? 1 : 0))];
        pen.fillStyle = pen.strokeStyle = mark === "·" ? colours.line : colours[kind];
        if (mark === "·") pen.fillRect(x + w / 2 - 1, middle - 1, Math.min(2, w), 2);
        else if (mark === "■") pen.fillRect(x, middle - 8, w, 16);
        else {
          pen.globalAlpha = repeated ? 0.12 : 0.18;
          pen.fillRect(x, middle - 8, w, 16);
          pen.globalAlpha = 1;
          if (repeated) pen.fillRect(x + w / 2 - 1, middle - 1, Math.min(2, w), 2);
          else if (step < PROBE_ROOM) pen.fillRect(x, middle - 8, Math.max(w, 2), 16);
          else pen.fillText(mark, x + w / 2, middle + 1);
        }
        if (asked[at] !== " ") {
          pen.fillStyle = colours.text; // a model was asked here
          pen.fillRect(x, middle + 10, w, 2);
        }
      }
    }
  }

  function drawHeads() {
    const pen = canvasContext(heads, Math.ceil(step * data.calls.length), PROBE_HEAD);
    pen.font = `12px ${getComputedStyle(host).fontFamily}`;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillStyle = colours.muted;
    let free = -1;
    data.turns.forEach((turn, at) => {
      if (turn === data.turns[at - 1] || at * step < free) return;
      pen.fillText(turn, at * step, 9);
      free = at * step + pen.measureText(turn).width + 8;
    });
    pen.textAlign = "center";
    const ask = new Set(data.ask);
    data.calls.forEach((number, at) => {
      const compaction = data.compactions.find(([first]) => first === number);
      pen.fillStyle = colours.condensed;
      if (compaction) pen.fillText("▼", (at + 0.5) * step, 24);
      pen.fillStyle = colours.accent;
      if (ask.has(number)) pen.fillRect(at * step, 33, Math.max(1, step - 1), 2);
    });
  }

  function draw() {
    const room = host.clientWidth;
    if (!data || !room || !colours) return;
    step = Math.min(WIDEST_PROBE_CALL, room / Math.max(1, data.calls.length));
    const [width, height] = [Math.ceil(step * data.calls.length), PROBE_ROW * data.probes.length];
    host.style.height = `${height}px`;
    for (const canvas of [picture, cursor, heads]) {
      canvas.style.width = `${width}px`;
      canvas.style.height = canvas === heads ? `${PROBE_HEAD}px` : `${height}px`;
    }
    const pen = canvasContext(picture, width, height);
    pen.font = `13px ${getComputedStyle(host).fontFamily}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    data.probes.forEach((probe, at) => {
      drawMarks(pen, probe.marks, probe.asked, (at + 0.5) * PROBE_ROW);
    });
    drawHeads();
    drawCursor();
  }

  function drawCursor() {
    rows.forEach(([label, note], at) => {
      label.classList.toggle("now", at === row);
      note.classList.toggle("now", at === row);
    });
    const height = PROBE_ROW * data.probes.length;
    const pen = canvasContext(cursor, Math.ceil(step * data.calls.length), height);
    const at = data.calls.indexOf(call);
    if (at < 0) return;
    const w = Math.max(step, 5);
    const x = Math.max(0, (at + 0.5) * step - w / 2);
    pen.fillStyle = pen.strokeStyle = colours.accent;
    pen.globalAlpha = 0.09;
    pen.fillRect(x, 0, w, height);
    pen.globalAlpha = 1;
    if (row < 0) return;
    pen.lineWidth = 2;
    pen.strokeRect(x + 1, row * PROBE_ROW + 6, w - 2, PROBE_ROW - 12);
  }

  // ---- events ----

  function cellAt(event) {
    const box = host.getBoundingClientRect();
    const [at, line] = [Math.floor((event.clientX - box.left) / step), Math.floor((event.clientY - box.top) / PROBE_ROW)];
    return data && data.calls[at] !== undefined && data.probes[line] ? { at, line } : null;
  }

  use(host, "click", (event) => {
    const cell = cellAt(event);
    if (cell) choose(cell.line, data.calls[cell.at]);
  });
  use(host, "dblclick", (event) => {
    const cell = cellAt(event);
    if (cell) open(cell.line, data.calls[cell.at]);
  });
  use(host, "mousemove", (event) => {
    const cell = cellAt(event);
    host.title = cell ? hover(cell) : "";
  });

  function hover({ at, line }) {
    const probe = data.probes[line];
    const where = `call ${data.calls[at]}${data.turns[at] ? `, turn ${data.turns[at].slice(1)}` : ""}`;
    const run = probe.runs.find(([from, to]) => from <= at && at <= to);
    return `${where}: ${run ? run[2].words : "another lane"}${probe.asked[at] === " " ? "" : " (a model was asked)"}${refused[data.calls[at]] ? `\ncannot be asked: ${refused[data.calls[at]]}` : ""}`;
  }

  const sizes = new ResizeObserver(guard(root, draw));
  sizes.observe(host);

  return {
    node,
    show(fresh, chosen, palette) {
      if (data?.session !== fresh.session) refused = {};
      [data, colours] = [fresh, palette];
      corner.replaceChildren(element("div", "muted", "turn"), element("div", "muted", "compactions ▼ · would be asked —"));
      rows = data.probes.map((probe, at) => [labelOf(probe, chosen, at), noteOf(probe)]);
      labels.replaceChildren(...rows.map(([label]) => label));
      notes.replaceChildren(...rows.map(([, note]) => note));
      flips.textContent = "flips at, and what did it";
      host.setAttribute("aria-label", `${data.counts}. ${formatCount(data.calls.length, "call")}`);
      draw();
    },
    select(line, number) {
      const moved = line !== row;
      [row, call] = [line, number];
      if (!data || !colours) return;
      drawCursor();
      if (moved) rows[row]?.[0].scrollIntoView({ block: "nearest" });
    },
    refuse: (calls) => (refused = calls),
    draw,
    destroy: () => sizes.disconnect(),
  };
}
