// The picture of the Trace page: a row a lane of evidence, a column a call. Two canvases: the picture, and
// the box of the selected call, which is all a step redraws.

const TRACE_ROW = 20; // px of a row
const DEPTH_ROW = 40; // px of the row of depths
const SYMBOL_ROOM = 9; // px of a column from which symbols are drawn; below it bars
const WIDEST_CALL = 64; // px
const CARRIERS_FIRST = 10; // messages that have a row until the reader asks for the others
const AGAIN = ["✕", "↗", "–", "▨"]; // a stretch of these shows its first only

// Returns {node, show(data, lane, colours), select(call), draw(), destroy()}. `open(target)` goes to the evidence,
// `choose(call)` selects a call.
function makeTraceGrid(root, use, { open, choose }) {
  const node = element("div", "grid");
  const labels = node.appendChild(element("div", "labels"));
  const host = node.appendChild(element("div", "cells"));
  const notes = node.appendChild(element("div", "notes"));
  const picture = host.appendChild(element("canvas"));
  const cursor = host.appendChild(element("canvas", "cursor"));
  host.setAttribute("role", "img");
  let [data, lane, colours, rows, selected, step] = [null, null, null, [], null, 1];
  let opened = null; // the key of the picture whose messages all have a row

  // ---- rows ----

  function rowsOf() {
    const { signs } = data;
    const prompts = data.scope !== "answers";
    const list = [{ label: "verdict", marks: lane.verdict, signs: signs.states, note: lane.headline, noteKind: lane.kind, target: verdictTarget, strong: true }];
    if (prompts) {
      const hidden = opened === data.key ? 0 : Math.max(0, lane.carriers.length - CARRIERS_FIRST);
      const shown = hidden > 1 ? lane.carriers.slice(0, CARRIERS_FIRST) : lane.carriers;
      for (const one of shown) {
        list.push({ label: one, marks: one.marks, signs: signs.carriers, note: one.note, target: (at) => carrierTarget(one, at) });
      }
      if (hidden > 1) list.push({ label: `${formatCount(hidden + lane.more, "more message")}`, unfold: true, marks: restMarks(), signs: signs.carriers, note: "", target: () => null });
      else if (lane.more) list.push({ label: `and ${formatCount(lane.more, "more message")}`, marks: "", signs: {}, note: "", target: () => null });
    }
    if (data.scope !== "prompts") {
      list.push({ label: "answers", marks: answerMarks(), signs: signs.answers, note: answerNote(), target: (at) => ({ page: "call", params: { call: lane.calls[at], message: "answer" } }), text: (at) => lane.says[lane.calls[at]] });
    }
    if (prompts) {
      list.push({ label: "depth", depth: true, note: "", target: verdictTarget });
      list.push({ label: "near misses", marks: lane.near, signs: signs.states, note: lane.near_note, target: (at) => nearTarget(at) });
      list.push({ label: "compactions", each: true, marks: compactionMarks(), signs: signs.compactions, note: "", target: compactionTarget, text: (at) => compactionAt(at)?.[4] });
    }
    list.push({ label: "turn", turn: true, note: "", target: () => null });
    let top = 0;
    for (const row of list) {
      row.top = top;
      row.height = row.depth ? DEPTH_ROW : TRACE_ROW;
      top += row.height;
    }
    return list;
  }

  // Where any of the messages without a row says it.
  function restMarks() {
    const rest = lane.carriers.slice(CARRIERS_FIRST);
    return lane.calls.map((_, at) => (rest.some((one) => "■▤Σ≶".includes(one.marks[at])) ? "▤" : " ")).join("");
  }

  const answerMarks = () => [...lane.answers].map((mark, at) => (mark === "·" && !lane.answered[at] ? " " : mark)).join("");

  function answerNote() {
    const counts = new Map();
    for (const mark of lane.answers) if (mark !== "·") counts.set(mark, (counts.get(mark) ?? 0) + 1);
    return [...counts].map(([mark, count]) => `${data.signs.answers[mark][1]} ${formatTokens(count)}×`).join(" · ");
  }

  const compactionAt = (at) => lane.compactions.find(([call]) => call === lane.calls[at]);
  const compactionMarks = () => lane.calls.map((_, at) => compactionAt(at)?.[1] ?? " ").join("");

  function compactionTarget(at) {
    const found = compactionAt(at);
    if (!found || found[2] === null) return null;
    return { page: "compare", params: { a: found[2], call: found[0], compaction: found[3] } };
  }

  function lossTarget(call) {
    const loss = lane.losses[call];
    return loss ? { page: "compare", params: { a: loss[0], call, compaction: loss[1] } } : null;
  }

  function messageTarget(number, call) {
    return { page: "call", params: { call, message: `m${number}` } };
  }

  function verdictTarget(at) {
    const call = lane.calls[at];
    const loss = lossTarget(call);
    if (loss) return loss;
    const holder = lane.carriers.findLast((one) => "■▤Σ≶".includes(one.marks[at]));
    return holder ? messageTarget(holder.number, call) : null;
  }

  function carrierTarget(one, at) {
    const [mark, call] = [one.marks[at], lane.calls[at]];
    if (mark === " ") return null;
    const stands = "■▤≶≠▫".includes(mark) || (mark === "Σ" && at > 0 && one.marks[at - 1] !== "■" && one.marks[at - 1] !== "▤" && one.marks[at - 1] !== "▫");
    if (stands) return messageTarget(one.number, call);
    const before = lane.calls[at - 1];
    return lossTarget(call) ?? (before === undefined ? null : { page: "compare", params: { a: before, call } });
  }

  function nearTarget(at) {
    const rival = lane.carriers.findLast((one) => "≠≶".includes(one.marks[at]));
    return rival ? messageTarget(rival.number, lane.calls[at]) : null;
  }

  // ---- labels and notes ----

  function labelOf(row) {
    const line = element("div", "label");
    line.style.height = `${row.height}px`;
    if (row.unfold) {
      const button = line.appendChild(element("button", "", `Show ${row.label}`));
      button.addEventListener("click", guard(root, () => {
        opened = data.key;
        layOut();
      }));
      return line;
    }
    if (typeof row.label === "string") {
      line.append(element("span", row.strong ? "" : "muted", row.label));
      return line;
    }
    const { number, layer, code, role, turn } = row.label;
    line.append(element("span", "number", `m${number}`), swatch(colours, layer), element("span", "code", code));
    const what = element("span", "clip", [role, turn].filter(Boolean).join(", "));
    line.append(what);
    line.title = `message m${number}, ${role}, first in ${turn || "?"}`;
    return line;
  }

  function noteOf(row) {
    const line = element("div", `remark clip ${row.noteKind ?? "muted"}`);
    line.style.height = `${row.height}px`;
    const at = row.strong && /^call ([0-9]+):/.exec(row.note);
    const loss = at ? lossTarget(Number(at[1])) : null;
    if (loss) {
      const go = link(row.noteKind, row.note, loss);
      line.append(go);
    } else putText(line, row.note);
    line.title = row.note;
    row.remark = line;
    return line;
  }

  // ---- drawing ----

  function colourOf(kind) {
    return colours[kind] ?? colours.muted;
  }

  function drawMarks(pen, row) {
    const { marks, signs } = row;
    const small = step < SYMBOL_ROOM;
    const middle = row.top + row.height / 2;
    // Losses last: where several calls share a pixel none is painted over.
    for (const late of [false, true]) {
      for (let at = 0; at < marks.length; at += 1) {
        const mark = marks[at];
        if (mark === " ") continue;
        const [kind] = signs[mark] ?? ["same"];
        const repeated = !row.each && AGAIN.includes(mark) && marks[at - 1] === mark;
        if ((!repeated && ["lost", "altered"].includes(kind)) !== late) continue;
        const [x, w] = [at * step, Math.max(1, step - (step >= 4 ? 1 : 0))];
        pen.fillStyle = pen.strokeStyle = mark === "·" ? colours.line : colourOf(kind);
        if (mark === "·" || repeated) {
          pen.globalAlpha = repeated ? 0.65 : 1;
          pen.fillRect(x + w / 2 - 1, middle - 1, Math.min(2, w), 2);
          pen.globalAlpha = 1;
        } else if (mark === "■") {
          pen.fillRect(x, middle - 6, w, 12);
        } else if (mark === "▤") {
          for (const y of [-6, -2, 2]) pen.fillRect(x, middle + y, w, 3);
        } else if (mark === "▫") {
          if (small) pen.fillRect(x, middle - 1, w, 1);
          else pen.strokeRect(x + w / 2 - 2.5, middle - 2.5, 5, 5);
        } else if (small) {
          pen.fillRect(x, row.top + 2, late ? Math.max(w, 2) : w, row.height - 4);
        } else {
          pen.globalAlpha = 0.14;
          pen.fillRect(x, middle - 8, w, 16);
          pen.globalAlpha = 1;
          pen.fillText(mark, x + w / 2, middle + 1);
        }
      }
    }
  }

  function drawDepth(pen, row) {
    const [top, height] = [row.top + 4, row.height - 8];
    pen.fillStyle = colours.line;
    pen.fillRect(0, row.top + row.height - 3, step * lane.calls.length, 1);
    pen.fillStyle = colours.same;
    lane.depth.forEach((depth, at) => {
      const share = depthShare(at);
      if (share !== null) pen.fillRect(at * step, top + (1 - share) * height, Math.max(2, step - 1), 3);
    });
  }

  function depthShare(at) {
    const [depth, tokens] = [lane.depth[at], lane.tokens[at]];
    return depth === null || depth === undefined || !tokens ? null : Math.min(1, depth / tokens);
  }

  function drawTurns(pen, row) {
    pen.fillStyle = colours.muted;
    pen.textAlign = "left";
    let free = -1;
    lane.turns.forEach((turn, at) => {
      if (turn === lane.turns[at - 1] || at * step < free) return;
      pen.fillText(turn, at * step, row.top + row.height / 2 + 1);
      free = at * step + pen.measureText(turn).width + 8;
    });
    pen.textAlign = "center";
  }

  const heightOf = () => (rows.length ? rows[rows.length - 1].top + rows[rows.length - 1].height : 0);

  function draw() {
    const room = host.clientWidth;
    if (!lane || !room || !colours) return;
    step = Math.min(WIDEST_CALL, room / lane.calls.length);
    const [width, height] = [Math.ceil(step * lane.calls.length), heightOf()];
    host.style.height = labels.style.height = `${height}px`;
    for (const canvas of [picture, cursor]) {
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const pen = canvasContext(picture, width, height);
    pen.font = `12px ${getComputedStyle(host).fontFamily}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const row of rows) {
      if (row.depth) drawDepth(pen, row);
      else if (row.turn) drawTurns(pen, row);
      else drawMarks(pen, row);
    }
    drawCursor();
  }

  function drawCursor() {
    const at = lane?.calls.indexOf(selected) ?? -1;
    const height = heightOf();
    const pen = canvasContext(cursor, Math.ceil(step * (lane?.calls.length ?? 0)), height);
    const depth = rows.find((row) => row.depth);
    if (depth?.remark) depth.remark.textContent = depthWords(at);
    if (at < 0) return;
    const w = Math.max(step, 5);
    const x = Math.max(0, (at + 0.5) * step - w / 2);
    pen.fillStyle = pen.strokeStyle = colours.accent;
    pen.globalAlpha = 0.09;
    pen.fillRect(x, 0, w, height);
    pen.globalAlpha = 1;
    pen.lineWidth = 1.5;
    pen.strokeRect(x + 0.75, 0.75, w - 1.5, height - 1.5);
  }

  function depthWords(at) {
    if (at < 0) return "";
    const share = depthShare(at);
    if (share === null) return lane.depth[at] === null ? "no copy in this call" : `${formatTokens(lane.depth[at])} tokens from the end`;
    return `call ${lane.calls[at]}: ${formatTokens(lane.depth[at])} tokens, ${formatShare(share)} from the end`;
  }

  // ---- events ----

  function cellAt(event) {
    const box = host.getBoundingClientRect();
    const at = Math.floor((event.clientX - box.left) / step);
    const y = event.clientY - box.top;
    const row = rows.find((one) => y >= one.top && y < one.top + one.height);
    return lane && row && at >= 0 && at < lane.calls.length ? { row, at, call: lane.calls[at] } : null;
  }

  use(host, "click", (event) => {
    const cell = cellAt(event);
    if (!cell) return;
    const mark = cell.row.marks?.[cell.at];
    const target = cell.row.turn || mark === "·" || mark === " " ? null : cell.row.target(cell.at);
    if (target) open(target);
    else choose(cell.call);
  });
  use(host, "mousemove", (event) => {
    const cell = cellAt(event);
    host.title = cell ? hover(cell) : "";
    const mark = cell?.row.marks?.[cell.at];
    host.style.cursor = cell && mark && mark !== "·" && mark !== " " && cell.row.target(cell.at) ? "pointer" : "default";
  });

  function hover({ row, at, call }) {
    const where = `call ${call}${lane.turns[at] ? `, turn ${lane.turns[at].slice(1)}` : ""}`;
    if (row.depth) return depthWords(at);
    const words = row.text?.(at) ?? row.signs?.[row.marks?.[at]]?.[1] ?? "";
    return words ? `${where}: ${words}` : where;
  }

  function layOut() {
    rows = rowsOf();
    labels.replaceChildren(...rows.map(labelOf));
    notes.replaceChildren(...rows.map(noteOf));
    draw();
  }

  const sizes = new ResizeObserver(guard(root, draw));
  sizes.observe(host);

  return {
    node,
    show(fresh, freshLane, palette) {
      [data, lane, colours] = [fresh, freshLane, palette];
      host.setAttribute("aria-label", `${lane.headline || "nothing happened"}; ${formatCount(lane.calls.length, "call")}`);
      layOut();
    },
    select(call) {
      selected = call;
      if (lane) drawCursor();
    },
    draw,
    destroy: () => sizes.disconnect(),
  };
}
