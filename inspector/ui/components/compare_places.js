// Which row of a comparison shows a message of either side.

// {name, fold}: the row's name, and the number of the fold it is in or null; null: no row shows it.
function rowOfBefore(items, place) {
  for (const [at, item] of items.entries()) {
    if (item.kind === "same" && item.runs.some(([i, , count]) => place >= i && place < i + count)) return { name: `kept ${place}`, fold: at };
    if (item.kind === "group" && (item.sources.includes(place) || item.own?.[0] === place)) return { name: `source ${place}`, fold: null };
    if (item.i === place) return { name: `${item.kind} ${place}`, fold: null };
  }
  return null;
}

function rowOfAfter(items, place) {
  for (const [at, item] of items.entries()) {
    const run = item.kind === "same" ? item.runs.find(([, j, count]) => place >= j && place < j + count) : null;
    if (run) return { name: `kept ${run[0] + place - run[1]}`, fold: at };
    if (item.j !== place) continue;
    if (item.kind === "group") return { name: `source ${item.sources[0]}`, fold: null, card: at };
    return { name: `${item.kind} ${item.kind === "new" ? place : item.i}`, fold: null };
  }
  return null;
}

// The row of a line of the ledger: its source, or where it stands.
function rowOfLine(items, line) {
  return line.i === null ? (line.j === null ? null : rowOfAfter(items, line.j)) : rowOfBefore(items, line.i);
}

// A passage and where it stands light up together.
function lightPassages(host, target) {
  const own = target?.closest?.("[data-passage], [data-passages]");
  const ids = new Set(own ? (own.dataset.passage ?? own.dataset.passages).split(" ") : []);
  for (const node of host.querySelectorAll("[data-passage], [data-passages]")) {
    const all = (node.dataset.passage ?? node.dataset.passages).split(" ");
    node.classList.toggle("lit", ids.size > 0 && all.some((id) => ids.has(id)));
  }
}
