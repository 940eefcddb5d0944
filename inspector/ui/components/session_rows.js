// The filters above the picture: which messages have a row.

const ROWS_AT_FIRST = 300; // a session with more rows opens on those of the selected call
const FILTERS = [
  ["all", "All", () => true],
  ["lost", "Lost", (message) => message.lost],
  ["changed", "Changed", (message) => message.changed],
  ["pinned", "Pinned", (message) => message.pins.length > 0],
  ["rules", "Looks like a rule", (message) => message.commitments.length > 0],
  ["large", `Over ${OVER_TOKENS} tokens`, (message) => message.most > OVER_TOKENS],
  ["call", "In this call", (message, inCall) => inCall.has(message.number)],
];

// Returns {show(session, lane), select(call), rows(call), element}. `changed` is called when another filter is chosen.
function createFilters(host, use, changed) {
  const state = { session: null, lane: null, filter: "all", of: null };
  const buttons = FILTERS.map(([name]) => {
    const button = element("button", "filter");
    use(button, "click", () => {
      state.filter = name;
      press();
      changed(name);
    });
    host.append(button);
    return button;
  });
  const press = () => FILTERS.forEach(([name], at) => buttons[at].setAttribute("aria-pressed", String(name === state.filter)));
  const inCall = (call) => new Set(state.session.lives?.orders.get(call.number)?.numbers ?? []);

  return {
    show(session, lane) {
      Object.assign(state, { session, lane });
      const many = lane.messages.length > ROWS_AT_FIRST;
      const of = `${session.session} ${lane.name}`;
      if (session.lives && state.of !== of) Object.assign(state, { of, filter: many ? "call" : "all" });
      FILTERS.forEach(([name, label, test], at) => {
        if (name === "call") return;
        const count = lane.messages.filter((message) => test(message)).length;
        buttons[at].textContent = session.lives ? `${label} ${formatTokens(count)}` : label;
        buttons[at].disabled = count === 0 && name !== "all";
      });
      press();
    },
    select(call) {
      const count = state.session.lives?.orders.get(call.number)?.numbers.length;
      buttons[buttons.length - 1].textContent = count === undefined ? "In this call" : `In this call ${formatTokens(count)}`;
    },
    rows(call) {
      const [, , test] = FILTERS.find(([name]) => name === state.filter);
      const numbers = inCall(call);
      return { filter: state.filter, inCall: numbers, rows: state.lane.messages.filter((message) => test(message, numbers)) };
    },
    // A message that has no row under this filter is shown among all.
    reveal(number, call) {
      if (this.rows(call).rows.some((message) => message.number === number)) return false;
      state.filter = "all";
      press();
      return true;
    },
  };
}
