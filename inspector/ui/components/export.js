// The export dialog: which checks, whose code, what is masked and left out, where it goes. Open while the address says so.

export default (component) => runComponent(component, (root, use) => createExport(root, use, component.setTriggerValue));

// Open the dialog for a call, from any page.
function createExport(root, use, trigger) {
  let data = null;
  let noted = null;
  let armed = false; // a test that passes today was asked for once
  const box = root.appendChild(element("dialog", "export"));
  box.setAttribute("aria-label", "Export a call as a test");
  box.tabIndex = -1;
  const head = box.appendChild(element("header"));
  const title = head.appendChild(element("strong"));
  const shut = head.appendChild(element("button", "", "Close"));
  const body = box.appendChild(element("div", "body"));
  const foot = box.appendChild(element("footer"));
  const parts = { checks: makeExportChecks(use, change), form: makeExportForm(use, change, act) };
  const said = element("p", "says");
  body.append(said, parts.checks.node, parts.form.node);
  const note = foot.appendChild(element("span", "note"));
  note.setAttribute("role", "status");
  const copy = foot.appendChild(element("button", "", "Copy command"));
  const download = foot.appendChild(element("button", "", "Download .zip"));
  const write = foot.appendChild(element("button", "go", "Write"));

  const outbox = makeExportOutbox(trigger);

  function act(name, more = {}) {
    outbox.send([data.session, data.call], { act: name, ...more });
    showFoot();
  }

  function change(form) {
    armed = false;
    act("form", { form });
  }

  function close() {
    if (box.open) box.close();
    if (readAddress().params.get("export") !== null) route({ params: { export: null } });
  }

  use(shut, "click", close);
  use(box, "close", close);
  use(box, "click", (event) => {
    if (event.target === box) close(); // the backdrop
  });
  use(copy, "click", () => copyText(data.command, copy));
  use(download, "click", () => act("download"));
  use(write, "click", () => {
    if (data.fails || armed) return act("write", { agreed: armed });
    armed = true;
    showFoot();
  });
  use(window, "popstate", () => {
    if (readAddress().params.get("export") === null && box.open) box.close();
  });

  function save(zip) {
    const bytes = Uint8Array.from(atob(zip), (letter) => letter.charCodeAt(0));
    const anchor = element("a");
    anchor.href = URL.createObjectURL(new Blob([bytes], { type: "application/zip" }));
    anchor.download = `${data.files[0]?.name.replace(/^test_|\.[^.]*$/g, "") ?? "export"}.zip`;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
  }

  function showFoot() {
    const chosen = (data.checks ?? []).some((check) => check.chosen);
    const ready = data.state === "ready" && data.files.length > 0 && chosen && !outbox.waiting();
    const there = ready && data.files.some((file) => file.there);
    const passes = ready && !data.fails;
    for (const button of [copy, download, write]) button.disabled = !ready;
    write.disabled ||= there || data.remote;
    write.textContent = passes && !armed ? "Write …" : passes ? "Yes, write a test that passes today" : `Write ${formatCount(ready ? data.files.length : 0, "file")}`;
    const heard = data.note;
    note.className = `note ${armed || (data.state === "ready" && !chosen) ? "altered" : heard?.text ? (heard.tone === "error" ? "lost" : "here") : there ? "altered" : "muted"}`;
    note.textContent = "";
    if (data.state === "checking") note.textContent = "Running the checks …";
    else if (data.state === "ready" && !chosen) note.textContent = "▲ No check is chosen: there is nothing to test.";
    else if (armed) note.textContent = "▲ Every chosen check holds today: this test would pass before anything is mended.";
    else if (heard?.text) note.textContent = heard.tone === "error" ? `● ${heard.text}` : `■ ${heard.text}`;
    else if (there) note.textContent = "▲ A file of this name is there, and nothing is overwritten: choose another folder.";
    else if (data.remote) note.textContent = "Writing is off while other machines can reach this app.";
  }

  return {
    update(given) {
      data = given;
      outbox.heard([data.session, data.call], data.note?.seq);
      const turn = data.turn === null || data.turn === undefined ? "" : `turn ${data.turn} · `;
      title.textContent = `Export ${turn}call ${data.call} of ${data.session} as a test`;
      said.className = `says ${data.state === "failed" ? "lost" : ""}`;
      if (data.state === "failed") said.textContent = `● ${data.error.join(" ")}`;
      else if (data.state === "checking" && !data.checks) said.textContent = "Running the checks on the recorded prompt …";
      else said.textContent = data.fails ? data.title : "Nothing that is chosen fails: such a test shows no bug.";
      data.files ??= [];
      parts.checks.show(data);
      parts.form.show(data);
      if (data.note && data.note.seq !== noted) {
        noted = data.note.seq;
        if (data.note.act === "write") armed = false;
        if (data.note.zip) save(data.note.zip);
      }
      showFoot();
      if (!box.open && readAddress().params.get("export") !== null) {
        box.showModal();
        box.focus(); // not a button: Enter must not do what nobody chose
      }
    },
    destroy() {
      if (box.open) box.close();
    },
  };
}
