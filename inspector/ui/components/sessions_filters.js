// Filters and order of the table. They live in the address, act in the browser at once, and come back
// with a reload.

const DAY = 86_400_000; // ms
const SINCE = { day: ["last 24 hours", DAY], week: ["last 7 days", 7 * DAY], month: ["last 30 days", 30 * DAY] };
const ORDERS = {
  worst: ["worst first", null], // the order of the server
  newest: ["newest first", (a, b) => (a.last < b.last ? 1 : a.last > b.last ? -1 : 0)],
  calls: ["most calls", (a, b) => b.calls - a.calls],
  turns: ["most turns", (a, b) => b.turns - a.turns],
  peak: ["fullest", (a, b) => (b.peak ?? -1) - (a.peak ?? -1)],
  compactions: ["most compactions", (a, b) => b.compactions - a.compactions],
  pins: ["most pins gone", (a, b) => b.gone - a.gone || b.pins - a.pins],
  name: ["by name", (a, b) => a.session.localeCompare(b.session, undefined, { numeric: true })],
};
const FILTERS = ["agent", "model", "since", "findings", "order"];

function readFilters() {
  const { params } = readAddress();
  return Object.fromEntries(FILTERS.map((name) => [name, params.get(name)]));
}

function filterRows(rows, { agent, model, since, findings, order }) {
  const from = SINCE[since] ? Date.now() - SINCE[since][1] : null;
  const kept = rows.filter((row) =>
    (agent === null || row.agent === agent)
    && (model === null || row.models.includes(model))
    && (from === null || new Date(row.last).getTime() >= from)
    && (findings === null || row.rank >= 1));
  const compare = ORDERS[order]?.[1];
  return compare ? kept.sort(compare) : kept;
}

// A select whose first entry means "no filter".
function picker(use, name, label, onChange) {
  const node = element("select");
  node.setAttribute("aria-label", label);
  use(node, "change", () => onChange({ [name]: node.value || null }));
  return node;
}

function fillPicker(node, all, entries, value) {
  const options = [["", all], ...entries].map(([key, label]) => {
    const option = element("option", "", label);
    option.value = key;
    return option;
  });
  node.replaceChildren(...options);
  node.value = value ?? "";
  if (node.selectedIndex < 0) node.value = "";
  node.classList.toggle("set", node.value !== "");
}
