// The form for one probe of a suite. What it does not show (evidence, lane, anchors …) stays as it is in the file.

const NEW_PROBE = { id: "", question: "", kind: "recall", as: "value", text: "", path: "", due_from: "", due_until: "", scorer: "", table: null };

// `send(want)` passes a wish on. Returns {node, open(data, form), note(note), close()}.
function makeProbesEditor(use, root, send) {
  const node = element("form", "panel editor");
  node.hidden = true;
  node.setAttribute("aria-label", "A probe of the suite");
  const controls = {
    question: field("question", "input", "wide"), id: field("id", "input"), kind: field("kind", "select"),
    as: field("expected", "select"), text: field("value", "input", "wide"), path: field("key path", "input"),
    due_from: field("due from turn", "input", "turn"), due_until: field("until turn", "input", "turn"), scorer: field("scorer", "select"),
  };
  const said = element("div", "problem");
  said.setAttribute("role", "alert");
  const acts = element("div", "acts");
  const save = acts.appendChild(element("button", "go", "Write it into the suite"));
  const not = acts.appendChild(element("button", "", "Not now"));
  const remove = acts.appendChild(element("button", "remove", "Remove this probe …"));
  not.type = remove.type = "button";
  node.append(said, acts);
  let was = null;

  function field(label, tag, className = "") {
    const box = node.appendChild(element("label", `field muted ${className}`, `${label} `));
    const control = box.appendChild(element(tag));
    control.setAttribute("aria-label", `Probe: ${label}`);
    if (tag === "input") [control.type, control.spellcheck, control.autocomplete] = ["text", false, "off"];
    return control;
  }

  function options(select, values, first) {
    select.replaceChildren(...first.map(([value, label]) => new Option(label, value)), ...values.map((value) => new Option(value, value)));
  }

  // A value is asked for only where there is one.
  function showFields() {
    const { as, text, path } = controls;
    text.parentNode.hidden = as.value === "must abstain" || as.value === "as it is";
    path.parentNode.hidden = as.value !== "json";
  }

  function close() {
    node.hidden = true;
  }

  // Nothing is removed by one click: the second says what goes and what stays.
  function armRemove(armed) {
    remove.dataset.armed = armed ? "yes" : "";
    remove.textContent = armed ? "Yes, remove it from the suite" : "Remove this probe …";
    said.replaceChildren();
    if (armed) putText(said.appendChild(element("span", "altered")), `▲ ${was.id} goes from the file, with the comments in it. Answers it got stay beside the traces.`);
  }

  use(remove, "click", () => {
    if (remove.dataset.armed) send({ act: "remove", was });
    armRemove(!remove.dataset.armed);
  });
  use(controls.as, "change", showFields);
  use(not, "click", close);
  use(node, "keydown", (event) => {
    if (event.key === "Escape") close();
  });
  use(node, "submit", (event) => {
    event.preventDefault();
    said.replaceChildren();
    const form = Object.fromEntries(Object.entries(controls).map(([key, control]) => [key, control.value]));
    send({ act: "edit", form, was });
  });

  return {
    node,
    close,
    open(data, form = NEW_PROBE) {
      was = form.table;
      options(controls.kind, data.choices.kinds, []);
      options(controls.scorer, data.choices.scorers, [["", "the one that fits"]]);
      options(controls.as, data.choices.expected, form.as === "as it is" ? [["as it is", "as it is in the file"]] : []);
      for (const [key, control] of Object.entries(controls)) control.value = form[key];
      save.textContent = was ? "Write it into the suite" : "Add it to the suite";
      remove.hidden = !was;
      armRemove(false);
      node.hidden = false;
      showFields();
      controls.question.focus();
    },
    note(note) {
      if (note.tone !== "error") {
        close();
        route({ params: { probe: note.edited ?? null } });
        return;
      }
      armRemove(false);
      putText(said.appendChild(element("span", "lost")), `● ${note.text}`);
    },
  };
}
