// The text that is selected in a document: a section and where in it, in UTF-16 units; null: nothing is.
// Rows that were scrolled out of the page are no part of it.
function selectedPassage(host) {
  const scope = host.getRootNode();
  const selection = window.getSelection();
  let edges = null;
  if (selection?.getComposedRanges) [edges] = selection.getComposedRanges({ shadowRoots: [scope] });
  else {
    const own = scope.getSelection?.() ?? selection;
    edges = own?.rangeCount ? own.getRangeAt(0) : null;
  }
  if (!edges || !host.contains(edges.startContainer) || !host.contains(edges.endContainer)) return null;
  const range = document.createRange();
  range.setStart(edges.startContainer, edges.startOffset);
  range.setEnd(edges.endContainer, edges.endOffset);
  if (range.collapsed) return null;
  const bodies = [...host.querySelectorAll(".body[data-section]")].filter((body) => range.intersectsNode(body));
  if (!bodies.length) return null;
  const { section } = bodies[0].dataset;
  const own = bodies.filter((body) => body.dataset.section === section);
  const last = own[own.length - 1];
  const start = Number(own[0].dataset.unit) + (unitsTo(own[0], range.startContainer, range.startOffset) ?? 0);
  const end = Number(last.dataset.unit) + (unitsTo(last, range.endContainer, range.endOffset) ?? unitsOf(last));
  return end > start ? { section, start, end } : null;
}

// Units of a row before a place in it; a hidden character is one unit, however it is written.
function unitsTo(body, node, offset) {
  if (node === body) return [...body.childNodes].slice(0, offset).reduce((sum, child) => sum + unitsOf(child), 0);
  let units = 0;
  for (const child of body.childNodes) {
    if (child === node || child.contains(node)) return units + (child.classList?.contains("escape") ? 1 : offset);
    units += unitsOf(child);
  }
  return null;
}

function unitsOf(node) {
  if (node.classList?.contains("escape")) return 1;
  if (node.classList?.contains("body")) return [...node.childNodes].reduce((sum, child) => sum + unitsOf(child), 0);
  return node.textContent.length;
}

// The text of a selection as the trace has it: rows that were wrapped are one line again, hidden characters are
// themselves. Empty: nothing is selected.
function selectedWords(host) {
  const passage = selectedPassage(host);
  if (!passage) return "";
  const rows = [...host.querySelectorAll(".body[data-section]")].filter((body) => body.dataset.section === passage.section);
  rows.sort((a, b) => Number(a.dataset.unit) - Number(b.dataset.unit));
  let [words, at] = ["", passage.start];
  for (const body of rows) {
    const [unit, text] = [Number(body.dataset.unit), unitsText(body)];
    const [from, to] = [Math.max(0, passage.start - unit), Math.min(text.length, passage.end - unit)];
    if (to <= from) continue;
    if (words && unit + from > at) words += "\n";
    words += text.slice(from, to);
    at = unit + to;
  }
  return words.trim();
}

// Follow what is selected through the session, else the message of this name (`m5`); null: the message is none.
function traceSelection(root, host, name) {
  const words = selectedWords(host) || selectedText(root);
  if (words) traceFact(words);
  else if (name !== null) traceFact(name, "message");
}

// The text of a row, one unit a character; a hidden one stands for itself again.
function unitsText(node) {
  if (node.classList?.contains("escape")) {
    const code = /^\\u([0-9a-f]{4})$/.exec(node.textContent);
    return code ? String.fromCharCode(parseInt(code[1], 16)) : "\r";
  }
  if (node.nodeType === 3 || !node.childNodes.length) return node.textContent;
  return [...node.childNodes].map(unitsText).join("");
}
