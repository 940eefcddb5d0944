// On demand: the calls and the lifelines of the picture as native tables, for readers who cannot use a picture.

// A native table of the lane's calls: what the picture shows, for readers who cannot use a picture.
function callTable(session, lane) {
  const table = element("table", "table calls-table");
  table.append(element("caption", "visually-hidden", `Calls of lane ${lane.name}, tokens by layer`));
  const head = element("tr");
  const layers = session.layers.map((layer, index) => ({ layer, index }));
  const names = ["call", "turn", "tokens", ...layers.map(({ layer }) => layer.name), "compactions", "pins gone", ...(lane.probes.size ? ["probes"] : []), "status"];
  for (const name of names) {
    const cell = element("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  const top = element("thead");
  top.append(head);
  const body = element("tbody");
  lane.calls.forEach((call, place) => {
    const row = element("tr");
    const number = element("th");
    number.scope = "row";
    number.append(link("link", String(call.number), { page: "call", params: { call: call.number } }));
    row.append(number, element("td", "", call.turn));
    const figures = [knownTokens(call), ...layers.map(({ index }) => call.amounts[index])];
    for (const figure of figures) row.append(element("td", "number", formatTokens(figure)));
    const marks = lane.compactions.get(place) ?? [];
    row.append(
      element("td", "", marks.map((mark) => mark.lines.join(" ")).join(" ")),
      element("td", "number", String(call.pinsGone.length)),
      ...(lane.probes.size ? [probeCell(call)] : []),
      element("td", "", call.note || call.status),
    );
    body.append(row);
  });
  table.append(top, body);
  return table;
}

// What probes said of a call, as a link to the worst of them.
function probeCell(call) {
  const cell = element("td");
  if (call.probes) cell.append(link("link", call.probes.lines.join("; "), probeTarget(call.probes)));
  return cell;
}

// The lifelines as a native table, one row a message.
function lifeTable(messages, select) {
  const table = element("table", "table lives-table");
  table.append(element("caption", "", `${formatCount(messages.length, "message")}: where each stood and what happened to it`));
  const head = element("tr");
  for (const name of ["message", "layer", "text", "tokens", "stood", "what happened", "pinned"]) {
    const cell = element("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  const top = element("thead");
  top.append(head);
  const body = element("tbody");
  for (const message of messages) {
    const row = element("tr");
    const number = element("th");
    number.scope = "row";
    const pick = element("button", "plain", `m${message.number}`);
    pick.addEventListener("click", () => select(message.number));
    number.append(pick);
    row.append(
      number,
      element("td", "", message.layer.replace("_", " ")),
      element("td", "words clip", message.text),
      element("td", "number", formatTokens(message.tokens)),
      element("td", "", runWords(message)),
      element("td", "", message.events.map((event) => `${event.fate.symbol} ${event.words}`).join("; ")),
      element("td", "", message.pins.map((pin) => pin.words).join("; ")),
    );
    body.append(row);
  }
  table.append(top, body);
  return table;
}
