// The first start: no traces yet. Three ways on, each ready to be copied or clicked.

const RECORD = (directory) => `import snapshot_sdk

recorder = snapshot_sdk.Recorder(${JSON.stringify(directory)}, session="order-4711", window=128_000)
recorder.snapshot(request)               # before each call: the very body you send
recorder.response(body=response)         # after it`;

const quoted = (path) => (/^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

function way(title, text, code) {
  const part = element("section");
  const words = element("div");
  words.append(element("h3", "", title), element("p", "muted", text));
  part.append(words);
  if (code) {
    const box = element("div", "command");
    const copy = element("button", "", "Copy");
    copy.addEventListener("click", () => copyText(code, copy));
    box.append(element("pre", "code", code), copy);
    part.append(box);
  }
  return part;
}

// Logs that lie where traces were expected are named, with the very command that imports them.
function importing(data) {
  if (data.found) {
    return way("Import what lies here", `It holds no traces, but logs that can be imported (${data.found.words}).`, data.found.command);
  }
  return way(
    "Import what you have",
    "Logs of coding agents, of tracing tools and of HTTP recorders, or plain request bodies. The kind is found out.",
    `context-inspector import auto LOGS --out ${quoted(data.path)}`,
  );
}

export default (component) => runComponent(component, (root) => ({
  update(data) {
    const title = element("h2", "", `No traces in ${data.directory} yet`);
    title.title = data.path;
    const samples = way("Look around", `${data.samples}, each one a real kind of forgetting.`);
    const open = link("button", "Open the samples", { params: { samples: "1" } });
    samples.append(open);
    root.replaceChildren(
      title,
      element("p", "muted lead", "This page follows the directory: the first recorded call appears here by itself."),
      way("Record your agent", "Three lines beside the call your agent makes. Nothing but Python is needed.", RECORD(data.path)),
      importing(data),
      samples,
    );
  },
}));
