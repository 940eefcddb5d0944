// What an export is, whose code its test runs, what is masked and left out, how large it is, where it goes.

// `change(form)` passes changed fields on, `act(name)` a wish. Returns {node, show(data)}.
function makeExportForm(use, change, act) {
  const node = element("section", "form");
  const kind = choice("as", "What it becomes");
  const mode = choice("your code", "What the test runs", [["builder", "context builder"], ["agent", "whole agent, recorded answers played back"], ["none", "none: shows the bug as it was, stays red"]]);
  const name = mode.line.appendChild(input("Name of the function: module:function", "agent.memory:build_context"));
  const privacy = rows("privacy");
  const patterns = privacy.appendChild(element("span", "patterns"));
  const words = privacy.appendChild(input("Words to mask, commas between them; /…/ is a pattern", "your own words: Zhang San, /P-\\d+/"));
  const goes = rows("");
  const masked = goes.appendChild(element("span", "masked muted"));
  const results = choice("long tool results", "Long tool results", [["whole", "whole"], ["by reference", "by reference"]]);
  const images = results.line.appendChild(element("label", "muted", "images and documents "));
  const pictures = images.appendChild(select([["whole", "whole"], ["by reference", "by reference"]], "Images and documents"));
  const size = rows("size");
  const amount = size.appendChild(element("span"));
  const shrink = size.appendChild(element("button", "", "Shrink while it still fails"));
  const folder = rows("writes to");
  const where = folder.appendChild(input("Folder", "tests/context"));
  const files = node.appendChild(element("div", "files"));
  let [data, drawn] = [null, ""];

  function rows(label) {
    const line = node.appendChild(element("div", "line"));
    line.append(element("span", "label muted", label));
    return line;
  }

  function select(pairs, label) {
    const control = element("select");
    control.setAttribute("aria-label", label);
    control.append(...pairs.map(([value, text]) => new Option(text, value)));
    return control;
  }

  function choice(label, spoken, pairs = []) {
    const line = rows(label);
    return { line, control: line.appendChild(select(pairs, spoken)) };
  }

  function input(label, placeholder) {
    const control = element("input");
    [control.type, control.spellcheck, control.autocomplete, control.placeholder] = ["text", false, "off", placeholder];
    control.setAttribute("aria-label", label);
    return control;
  }

  use(kind.control, "change", () => change({ kind: kind.control.value }));
  use(mode.control, "change", () => change({ mode: mode.control.value }));
  use(name, "change", () => change({ [mode.control.value]: name.value }));
  use(words, "change", () => change({ words: words.value }));
  use(where, "change", () => change({ folder: where.value }));
  use(results.control, "change", () => change({ long_results: results.control.value }));
  use(pictures, "change", () => change({ images: pictures.value }));
  use(patterns, "change", () => change({ masked: [...patterns.querySelectorAll("input:checked")].map((box) => box.value) }));
  use(shrink, "click", () => act(data.state === "shrinking" ? "stop" : data.shrunk ? "whole" : "shrink"));

  function set(control, value) {
    if (control.getRootNode().activeElement !== control) control.value = value;
  }

  function showPatterns() {
    if (patterns.childElementCount !== data.patterns.length) {
      patterns.replaceChildren(...data.patterns.map((pattern) => {
        const label = element("label", "");
        const box = label.appendChild(element("input"));
        [box.type, box.value] = ["checkbox", pattern];
        label.append(` ${pattern}`);
        return label;
      }));
    }
    for (const box of patterns.querySelectorAll("input")) box.checked = data.form.masked.includes(box.value);
  }

  function maskedWords() {
    if (!data.masked) return "";
    const found = data.masked.map(([what, count, places, samples]) => `${formatCount(count, what)} in ${formatCount(places, "place")} (${samples.join(", ")})`);
    const out = data.left_out.length ? ` · left out: ${data.left_out.join("; ")}` : "";
    const unfound = data.unfound.map((word) => ` · no place has “${word}”`).join("");
    return (found.length ? `masked: ${found.join(" · ")}` : "nothing to mask was found") + unfound + out;
  }

  function showSize() {
    shrink.hidden = !data.checks;
    shrink.disabled = data.state === "checking" || (!data.fails && !data.shrunk) || data.form.mode === "agent";
    shrink.title = data.form.mode === "agent" ? "The whole agent makes its own prompts: only the whole session can be played back to it" : "";
    if (!data.checks) return (amount.textContent = "");
    const bytes = data.files.reduce((sum, file) => sum + file.bytes, 0);
    const whole = `${formatCount(data.messages, "message")}, ${formatBytes(bytes)}`;
    if (data.state === "shrinking") {
      const at = data.progress ? `${formatTokens(data.progress[0])} tried, ${formatCount(data.progress[1], "message")} left` : "starting";
      amount.textContent = `shrinking: ${at}`;
      shrink.textContent = "Stop, keep the smallest";
    } else if (data.shrunk) {
      const [before, after, tried, stopped] = data.shrunk;
      amount.textContent = `${whole} · shrunk from ${formatBytes(before)} to ${formatBytes(after)}, ${formatTokens(tried)} tried${stopped ? ", stopped early" : ""}`;
      shrink.textContent = "Back to the whole";
    } else {
      amount.textContent = whole;
      shrink.textContent = "Shrink while it still fails";
    }
    return undefined;
  }

  function showFiles() {
    const now = JSON.stringify([data.files, data.trouble]);
    if (now === drawn) return;
    drawn = now;
    const open = new Set([...files.querySelectorAll("details[open]")].map((one) => one.dataset.name));
    files.replaceChildren();
    if (data.trouble) files.append(element("p", "altered", `▲ ${data.trouble}`));
    for (const file of data.files) {
      const box = files.appendChild(element("details"));
      [box.dataset.name, box.open] = [file.name, open.has(file.name)];
      const line = box.appendChild(element("summary"));
      line.append(element("span", "code", file.name), element("span", "muted", ` ${formatBytes(file.bytes)}${file.there ? " · is there already" : ""}`));
      box.append(element("pre", "code", file.text + (file.cut ? "\n…" : "")));
    }
  }

  return {
    node,
    show(given) {
      data = given;
      node.hidden = !data.form || (data.state === "failed" && !data.checks);
      if (node.hidden) return;
      if (kind.control.options.length !== data.kinds.length) kind.control.replaceChildren(...data.kinds.map(([value, text]) => new Option(text, value)));
      const form = data.form;
      set(kind.control, form.kind);
      set(mode.control, form.mode);
      mode.line.hidden = form.kind !== "test";
      name.hidden = form.mode === "none";
      set(name, form.mode === "agent" ? form.agent : form.builder);
      set(words, form.words);
      set(where, form.folder);
      set(results.control, form.long_results);
      set(pictures, form.images);
      showPatterns();
      masked.textContent = maskedWords();
      showSize();
      showFiles();
    },
  };
}
