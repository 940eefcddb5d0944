// The head of the Trace page: what is looked for, as what, where; and what can be done with it.

const TRACE_DELAY = 400; // ms after the last key before a search goes out
const SCOPES = [["", "prompts and answers"], ["prompts", "prompts"], ["answers", "answers"]];
const KIND_LABELS = { money: "amount", percent: "percentage", email: "e-mail", url: "link", json: "json path=value", message: "message" };

// Returns {node, field, show(data), note(note)}. `actions`: {ask(params), watch(), copy(button), unwatch(id)}.
function makeTraceHead(use, root, actions) {
  const node = element("div", "tracehead");
  const row = node.appendChild(element("div", "asks"));
  const field = element("input", "field");
  field.type = "search";
  field.placeholder = "A sentence, an id, an amount: type it, or select text on another page and press t";
  field.setAttribute("aria-label", "What is looked for");
  field.autocomplete = "off";
  field.spellcheck = false;
  const kind = picker("As what it is looked for", "as: ");
  const scope = picker("Where it is looked for", "in: ");
  for (const [value, label] of SCOPES) scope.select.append(new Option(label, value));
  const watch = button("Watch w", "It must be in every later prompt (w)", () => actions.watch());
  const copy = button("Copy as Markdown", "Sentences, picture and table, for an issue", () => actions.copy(copy));
  row.append(element("label", "muted", "find"), field, kind.label, scope.label, watch, copy);
  const trouble = node.appendChild(element("div", "trouble"));
  trouble.setAttribute("role", "alert");
  const noteLine = node.appendChild(element("div", "note"));
  noteLine.setAttribute("role", "status");
  let timer = 0;

  function picker(name, before) {
    const label = element("label", "muted", before);
    const select = element("select");
    select.setAttribute("aria-label", name);
    label.append(select);
    return { label, select };
  }

  function button(label, title, fn) {
    const made = element("button", "", label);
    made.title = title;
    use(made, "click", fn);
    return made;
  }

  function ask() {
    clearTimeout(timer);
    timer = 0;
    const find = field.value;
    const asked = readAddress().params;
    // Another text is guessed anew; a message is one only by its name.
    const as = kind.select.value === "message" && !/^m[0-9]+$/.test(find.trim()) ? null : kind.select.value;
    if (find === (asked.get("find") ?? "") && (as || null) === asked.get("as")) return;
    actions.ask({ find: find.trim() ? find : null, as });
  }

  function later() {
    clearTimeout(timer);
    timer = setTimeout(guard(root, ask), TRACE_DELAY);
  }

  use(field, "input", (event) => event.isComposing || later());
  use(field, "compositionend", later);
  use(field, "keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") ask();
    if (event.key === "Escape") field.blur();
  });
  use(kind.select, "change", ask);
  use(scope.select, "change", () => actions.ask({ in: scope.select.value || null }));

  function fillKinds(data) {
    const label = (name) => KIND_LABELS[name] ?? name;
    const guess = data.as === null && data.kind ? `${label(data.kind)} (guessed)` : "guess";
    const options = [["", guess], ...data.kinds.map((name) => [name, label(name)])];
    if (data.as === "message") options.push(["message", label("message")]);
    kind.select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
    kind.select.value = data.as ?? "";
  }

  return {
    node,
    field,
    get waiting() {
      return timer !== 0;
    },
    show(data) {
      if (!timer && root.getRootNode().activeElement !== field) field.value = data.find;
      else if (!timer && field.value === "") field.value = data.find;
      fillKinds(data);
      scope.select.value = data.scope === "all" ? "" : data.scope;
      watch.disabled = copy.disabled = !data.lanes.length;
      trouble.replaceChildren();
      if (data.error) trouble.append(element("span", "lost", `● ${data.error[0]} `), element("span", "muted", data.error[1]));
    },
    note(note) {
      noteLine.replaceChildren();
      if (!note) return;
      noteLine.className = `note ${note.tone === "error" ? "lost" : "here"}`;
      putText(noteLine, note.text);
      if (!note.undo) return;
      const undo = element("button", "", "Undo");
      undo.addEventListener("click", () => actions.unwatch(note.undo));
      noteLine.append(" ", undo);
    },
    stop: () => clearTimeout(timer),
  };
}
