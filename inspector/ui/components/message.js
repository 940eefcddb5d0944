// A box: title, paragraphs, a command to copy, links.

export default (component) => runComponent(component, (root) => ({
  update(data, colours) {
    const { symbol } = PALETTE.severities[data.severity];
    const box = element("section", "box");
    box.setAttribute("role", data.severity === "error" ? "alert" : "note");
    box.style.borderLeftColor = colours.severity(data.severity);
    const title = element("h2");
    const sign = element("span", "sign", symbol);
    sign.style.color = colours.severity(data.severity);
    title.append(sign, data.title);
    box.append(title, ...data.lines.map((line) => element("p", "", line)));
    if (data.code) {
      const row = element("div", "command");
      const copy = element("button", "", "Copy");
      copy.addEventListener("click", () => copyText(data.code, copy));
      row.append(element("pre", "code", data.code), copy);
      box.append(row);
    }
    if (data.links.length) {
      const row = element("p", "links");
      for (const [label, { page, ...params }] of data.links) row.append(link("link", label, { page, params }));
      box.append(row);
    }
    root.replaceChildren(box);
  },
}));
