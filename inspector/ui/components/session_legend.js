// Left of the canvas: the composition of the selected call, one row a layer, each always in its place.

// Returns {show(session, colours), select(call)}. Rows stand in the order of the stack, top to bottom.
function createLegend(host) {
  const head = element("div", "legend-head");
  const against = element("span", "muted against");
  head.append(element("span", "muted", "composition"), against);
  const body = element("div", "legend-rows");
  host.append(head, body);
  let rows = [];
  let total = null;

  function legendRow(layer, colours) {
    const node = element("div", "legend-row");
    const cells = ["tokens", "share", "change"].map((name) => element("span", `number ${name}`));
    const outlined = layer && layerStyle(layer.key).texture === "outline";
    const mark = layer && !outlined ? swatch(colours, layer.key, 10) : element("span", `swatch box${outlined ? " outlined" : ""}`);
    node.append(mark, element("span", "code muted", layer?.code ?? ""), element("span", "clip", layer?.name ?? "total"), ...cells);
    if (!layer) node.classList.add("total");
    body.append(node);
    return { node, cells };
  }

  return {
    show(session, colours) {
      body.replaceChildren();
      total = legendRow(null, colours);
      rows = session.layers.map((layer, index) => ({ layer, index })).reverse();
      for (const row of rows) Object.assign(row, legendRow(row.layer, colours));
    },
    select(call) {
      const before = call.previous;
      against.textContent = before ? `against call ${before.number}` : "first of its lane";
      const tokens = knownTokens(call);
      fillRow(total, tokens, before && knownTokens(before), null, call.estimated);
      // The change is of whole prompts: what came and went between two calls, not what one compaction took.
      total.node.title = tokensLine(call) + (before ? `\ncall ${before.number}, the whole prompt: ${tokensLine(before)}` : "");
      for (const row of rows) {
        const amount = call.amounts[row.index];
        const was = before ? before.amounts[row.index] : null;
        fillRow(row, amount, was, amount === null || !tokens ? null : amount / tokens, false);
        row.node.title = [
          amount === null ? `${row.layer.name}: unknown` : `${row.layer.name}: ${formatTokens(amount)} (${call.origins[row.index]})`,
          was === null ? "" : `call ${before.number}: ${formatTokens(was)}`,
        ]
          .filter(Boolean)
          .join(" · ");
      }
    },
  };
}

function fillRow(row, amount, was, share, estimated) {
  const [tokens, shares, change] = row.cells;
  tokens.textContent = estimated ? formatEstimate(amount) : formatTokens(amount);
  shares.textContent = share === null || amount === 0 ? "" : formatShare(share);
  const step = amount === null || was === null || was === undefined ? 0 : amount - was;
  change.textContent = step ? formatChange(step) : "";
  change.classList.toggle("lost", step < 0);
  change.classList.toggle("here", step > 0);
  row.node.classList.toggle("absent", !amount);
}
