// The story above the picture: each sentence selects its call and leads to its evidence.

function fillStory(host, data, session, select) {
  host.replaceChildren();
  if (!data.story.length) host.append(element("li", "quiet", session.lives?.quiet ?? ""));
  if (session.calls.length === 1) {
    const only = element("li", "quiet", "One call only: nothing came before it and nothing after. ");
    only.append(link("link", `Open call ${session.calls[0].number}`, { page: "call", params: { call: session.calls[0].number } }));
    host.append(only);
  }
  for (const sentence of data.story) host.append(storyLine(sentence, session, select));
}

function storyLine(sentence, session, select) {
  const item = element("li", "sentence");
  const mark = sentence.kind === "compaction" ? storyCompaction(sentence, session) : null;
  const { symbol, kind } = mark ?? PALETTE.severities[sentence.severity];
  item.append(element("span", `symbol ${kind}`, symbol));
  const call = session.byNumber.get(sentence.call);
  item.append(element("span", "muted place", call ? `${call.turn} · call ${call.number}` : ""));
  if (!call) {
    const words = element("span", "words clip", sentence.text);
    words.title = sentence.text;
    item.append(words);
    if (sentence.kind === "damaged_file") {
      item.append(link("muted go", "files", { page: "sessions", params: { session: null, call: null, show: "files" } }));
    }
    return item;
  }
  const message = sentence.message ? `m${sentence.message}` : null;
  const words = element("a", "words clip", sentence.text);
  words.href = addressOf(null, { call: call.number, message }).href;
  words.title = sentence.text;
  words.addEventListener("click", (event) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    select(call.number, sentence.message);
  });
  item.append(words);
  if (sentence.fact) {
    const params = { call: call.number, find: sentence.fact, message: null };
    item.append(link("muted go", "trace", { page: "trace", params }));
  }
  const exporting = element("button", "muted go", "export");
  exporting.title = `Export call ${call.number} as a test`;
  exporting.addEventListener("click", () => openExport(call.number));
  item.append(exporting, evidenceLink(sentence, session, call, message));
  return item;
}

function storyCompaction(sentence, session) {
  const marks = session.lives?.compactions ?? [];
  return marks.find((one) => one.number === sentence.compaction) ?? marks.find((one) => one.call === sentence.call);
}

// Where a sentence is seen best: two calls beside each other, or one call.
function evidenceLink(sentence, session, call, message) {
  const before = call.previous;
  if (sentence.page === "compare" && before && PAGES.includes("compare")) {
    const pair = { a: before.number, b: call.number, compaction: sentence.compaction, message: null };
    return link("muted go", "compare", { page: "compare", params: pair });
  }
  return link("muted go", "open", { page: "call", params: { call: call.number, message } });
}
