// The prompt, or its body, as one stream: layer edges and places in the margin, or numbers of lines.

function makeStream(host, store, { data, colours, numbered, report }) {
  return new DocView(host, store, {
    margin: 78,
    head: () => {},
    gutter(gutter, section, opens, edge, line) {
      if (numbered()) {
        if (line !== null) gutter.append(formatTokens(line));
        return;
      }
      const name = edge ? data().layers[edge[2]] : null;
      gutter.style.borderLeftColor = name ? colours().layer(name) : colours().accent;
      gutter.title = name ?? ANSWER;
      if (!opens) return;
      const isAnswer = section.row === data().rows.number.length;
      const place = section.inside === undefined ? section.row + 1 : section.row; // what is gone has its number
      gutter.append(isAnswer ? "→ answer" : `${place}  ${name ? layerStyle(name).code : ""}`);
    },
    report,
  });
}
