// The head of the Call page: views, find, what is known of the record, copies.

const FIND_DELAY = 180; // ms after the last key before the server searches

function makeHead(actions) {
  const node = element("div", "head");
  const bar = node.appendChild(element("div", "bar"));
  const views = bar.appendChild(element("div", "views"));
  views.setAttribute("role", "group");
  views.setAttribute("aria-label", "View");
  const buttons = new Map();
  for (const [view, label] of [["list", "List"], ["text", "Text"], ["json", "JSON"]]) {
    const button = views.appendChild(element("button", "", label));
    button.addEventListener("click", () => actions.view(view));
    buttons.set(view, button);
  }
  const readings = bar.appendChild(element("div", "views"));
  readings.setAttribute("role", "group");
  readings.setAttribute("aria-label", "Sent or effective");
  const reading = new Map();
  for (const [name, label, title] of [["sent", "Sent", "The prompt as it was sent (e)"], ["effective", "Effective", "The prompt as the model saw it, after what its server did (e)"]]) {
    const button = readings.appendChild(element("button", "", label));
    button.title = title;
    button.addEventListener("click", () => actions.reading(name === "effective"));
    reading.set(name, button);
  }
  const field = bar.appendChild(element("label", "find"));
  field.append(element("span", "muted", "find"));
  const input = field.appendChild(element("input"));
  input.type = "search";
  input.placeholder = "in the whole prompt and answer";
  input.setAttribute("aria-label", "Find in the whole prompt and answer");
  field.append(element("kbd", "", "/"));
  const count = bar.appendChild(element("span", "count"));
  count.setAttribute("role", "status");
  const back = bar.appendChild(element("button", "", "‹ p"));
  const next = bar.appendChild(element("button", "", "n ›"));
  back.title = "Previous hit (p)";
  next.title = "Next hit (n)";
  back.addEventListener("click", () => actions.step(-1));
  next.addEventListener("click", () => actions.step(1));
  let timer = 0;
  const search = () => {
    clearTimeout(timer);
    actions.find(input.value);
  };
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, FIND_DELAY);
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      if (actions.searched() !== input.value) search();
      actions.step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      input.value = "";
      search();
      input.blur();
    }
  });
  bar.append(element("span", "space"));
  const lines = bar.appendChild(element("span", "lines muted"));
  const form = bar.appendChild(element("button", "form", ""));
  form.addEventListener("click", actions.form);
  const copies = bar.appendChild(element("div", "copies"));
  const button = (label, title, act) => {
    const made = copies.appendChild(element("button", "", label));
    made.title = title;
    made.addEventListener("click", () => act(made));
    return made;
  };
  const copyBody = button("Copy body", "The whole request body, exactly", actions.copyBody);
  const exact = [
    button("cURL", "A shell command that sends exactly these bytes; the key is left out as $API_KEY", actions.copyCurl),
    button("Download", "request.json, byte for byte", actions.download),
  ];
  const facts = node.appendChild(element("div", "facts"));
  const effect = node.appendChild(element("div", "effect"));
  effect.setAttribute("role", "status");

  return {
    node,
    input,
    showFacts(list, whole) {
      copies.hidden = !whole; // a body with a hole cannot be sent again
      facts.replaceChildren(
        ...list.map((fact) => {
          const chip = element(fact.copy ? "button" : "span", `fact ${fact.tone}`);
          putText(chip, fact.text);
          if (fact.title) chip.title = fact.title;
          if (fact.copy) chip.addEventListener("click", () => copyText(fact.copy, chip));
          return chip;
        }),
      );
    },
    // Which reading is shown, and in words how the two differ; the words stand there in the effective reading only.
    showEffect({ on, differs, said, notes }) {
      for (const [name, one] of reading) one.setAttribute("aria-pressed", String((name === "effective") === on));
      reading.get("effective").classList.toggle("differs", differs);
      reading.get("effective").title = `${said}${differs ? "" : "."} (e)`;
      copyBody.textContent = on ? "Copy" : "Copy body";
      copyBody.title = on ? "What the model saw, as JSON; no body that was sent" : "The whole request body, exactly";
      for (const one of exact) one.hidden = on; // only what was sent can be sent again
      effect.hidden = !on;
      effect.classList.toggle("differs", differs);
      effect.replaceChildren();
      for (const text of [said, ...notes]) putText(effect.appendChild(element("span")), text.replace(/[.]$/, ""));
    },
    showView(view, stored) {
      for (const [name, one] of buttons) one.setAttribute("aria-pressed", String(name === view));
      form.hidden = view !== "json";
      form.textContent = stored ? "Indent" : "As stored";
      form.title = stored ? "Indent the body; its values stay as they are" : "The body exactly as it is stored";
      if (view === "list") lines.textContent = "";
    },
    showLines(first, last, total) {
      lines.textContent = total ? `line ${formatTokens(first)}–${formatTokens(last)} of ${formatTokens(total)}` : "";
    },
    showCount(found, current, pending) {
      const total = found?.total ?? 0;
      back.disabled = next.disabled = !total;
      count.classList.toggle("none", Boolean(found) && !total);
      if (!found) count.textContent = pending ? "…" : "";
      else if (!total) count.textContent = "Nothing";
      else if (current >= 0) count.textContent = `${formatTokens(current + 1)} of ${formatTokens(total)}`;
      else count.textContent = formatCount(total, "hit") + (found.in_answer ? ` · ${formatTokens(found.in_answer)} in the answer` : "");
      count.title = total > (found?.hits.length ?? 0) ? `The first ${formatTokens(found.hits.length)} can be walked.` : "";
    },
  };
}

// Put text that the server still has to send on the clipboard, within the click that asked for it.
async function copyLater(promise, button) {
  const before = button?.textContent;
  const say = (text) => {
    if (!button) return;
    button.textContent = text;
    setTimeout(() => (button.textContent = before), 1200);
  };
  try {
    const blob = promise.then((text) => new Blob([text], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    say("Copied");
  } catch {
    await copyText(await promise, button);
  }
}

function saveFile(name, base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const anchor = element("a");
  anchor.href = URL.createObjectURL(new Blob([bytes], { type: "application/json" }));
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}
