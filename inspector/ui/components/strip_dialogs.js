// The two small dialogs of the strip: all keys, and "go to".

const KEYS = [
  ["← →", "previous, next call", ["session", "call", "trace", "probes"]],
  ["Shift ← →", "previous, next turn", ["session", "call", "trace", "probes"]],
  ["[ ]", "previous, next compaction", ["session", "call", "trace", "probes"]],
  ["← →", "both sides to the previous, next call", ["compare"]],
  ["Shift ← →", "the second side alone", ["compare"]],
  ["[ ]", "previous, next compaction", ["compare"]],
  ["d", "compare with the call before", ["session", "call", "compare", "trace", "probes"]],
  ["Home End", "first, last call", ["session", "call", "compare", "trace", "probes"]],
  ["f", "first error", ["session", "call", "compare", "trace", "probes"]],
  ["space", "play, pause", ["session", "call", "compare", "trace", "probes"]],
  ["g", "go to a turn or a call: t14, 30", ["session", "call", "compare", "trace", "probes"]],
  ["↑ ↓", "row", ["sessions", "call", "compare", "trace", "probes"]],
  ["↵", "open the row", ["sessions", "trace"]],
  ["↵", "open the call", ["session", "probes"]],
  ["↵", "open or close the row", ["compare"]],
  ["n p", "next, previous difference", ["compare"]],
  ["↵ Esc", "read the message, back to the list", ["call"]],
  ["/", "find in every prompt and answer", ["sessions", "session"]],
  ["/", "find in this call", ["call"]],
  ["n p", "next, previous hit", ["call"]],
  ["/", "find in this session", ["trace"]],
  ["t", "trace the selected text, or the message", ["session", "call"]],
  ["t", "trace the selected text", ["trace"]],
  ["t", "trace the selected text, or what the probe asks for", ["probes"]],
  ["t w", "trace, watch the selected text or the line of the ledger", ["compare"]],
  ["w", "watch the selected text, or the message", ["call"]],
  ["w", "watch what is traced", ["trace"]],
  ["x", "export the call as a test", ["session", "call", "compare", "trace", "probes"]],
  ["y", "copy the message", ["call"]],
  ["e", "as sent, or as the model saw it", ["call"]],
  ["?", "this list", ["sessions", "session", "call", "compare", "trace", "probes"]],
];

function dialog(root, className, label) {
  const box = element("dialog", className);
  box.setAttribute("aria-label", label);
  box.addEventListener("click", (event) => {
    if (event.target === box) box.close(); // the backdrop
  });
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") box.close(); // at once: the browser's own closing lets a next key through first
  });
  root.append(box);
  return box;
}

function showKeys(root) {
  const box = dialog(root, "keys", "Keys");
  const { page } = readAddress();
  const list = element("dl");
  for (const [keys, does, pages] of KEYS) {
    if (!pages.includes(page)) continue;
    const term = element("dt");
    for (const key of keys.split(" ")) term.append(element("kbd", "", key));
    list.append(term, element("dd", "", does));
  }
  const close = element("button", "", "Close");
  close.addEventListener("click", () => box.close());
  const head = element("header");
  head.append(element("strong", "", "Keys"), close);
  box.append(head, list);
  box.addEventListener("close", () => box.remove());
  box.showModal();
}

function showGoTo(root, model, onSelect) {
  const box = dialog(root, "goto", "Go to a turn or a call");
  const form = element("form");
  const field = element("input");
  field.type = "text";
  field.placeholder = "t14 or 30";
  field.autocomplete = "off";
  field.setAttribute("aria-label", "Turn or call");
  const hint = element("span", "muted", `calls 1–${model.count}`);
  form.append(element("label", "", "Go to"), field, hint);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const call = model.find(field.value);
    if (call === null) {
      hint.className = "lost";
      hint.textContent = `no “${field.value.trim()}” here: calls 1–${model.count}, turns ${model.turns[0]}–${model.turns[model.count - 1]}`;
      field.select();
    } else {
      box.close();
      onSelect(call);
    }
  });
  box.append(form);
  box.addEventListener("close", () => box.remove());
  box.showModal();
}
