// The checks of an export: each with how it fares today; a click chooses it.

// `change(form)` passes what is chosen on. Returns {node, show(data)}.
function makeExportChecks(use, change) {
  const node = element("section", "checks");
  const label = node.appendChild(element("h3", "", "checks"));
  const list = node.appendChild(element("div", "list"));
  list.setAttribute("role", "group");
  list.setAttribute("aria-label", "Checks");
  let shown = [];

  function mark(failed) {
    if (failed === null) return ["muted", "? unknown"];
    return failed ? ["lost", "✕ fails now"] : ["here", "■ holds"];
  }

  function row(check) {
    const line = element("label", "check");
    const box = line.appendChild(element("input"));
    box.type = "checkbox";
    box.checked = check.chosen;
    box.dataset.id = check.id;
    box.disabled = check.failed === null;
    const text = line.appendChild(element("span", "what"));
    text.append(element("span", "", oneLine(check.title)));
    if (check.failed && check.reason) text.append(element("span", "muted why", oneLine(check.reason)));
    line.append(element("span", `fares ${mark(check.failed)[0]}`, mark(check.failed)[1]));
    return line;
  }

  use(list, "change", () => {
    change({ checks: [...list.querySelectorAll("input:checked")].map((box) => box.dataset.id) });
  });

  return {
    node,
    show(data) {
      node.hidden = !data.checks?.length;
      const now = JSON.stringify(data.checks ?? []);
      if (now === JSON.stringify(shown)) return;
      shown = data.checks ?? [];
      const focused = list.getRootNode().activeElement?.dataset?.id;
      label.textContent = `checks · ${formatCount(shown.filter((check) => check.failed).length, "fails", "fail")} now`;
      list.replaceChildren(...shown.map(row));
      if (focused) list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
    },
  };
}
