// Files with lines that could not be read as they stand.

export default (component) => runComponent(component, (root, use) => {
  const follow = () => (root.hidden = readAddress().params.get("show") !== "files");
  use(window, "popstate", follow);
  return {
    update(data) {
      follow();
      const head = element("div", "summary");
      const title = element("strong", "", `${formatCount(data.files, "file")} with problems`);
      const copy = element("button", "", "Copy list");
      copy.addEventListener("click", () => copyText(data.rows.map((row) => row.join("\t")).join("\n"), copy));
      const back = link("link", "Back to the sessions", { params: { show: null } });
      if (data.files) head.append(element("span", "altered", "▲"));
      head.append(title, element("span", "muted", "every other record was read"), element("span", "grow"), copy, back);
      const table = element("table");
      const columns = table.createTHead().insertRow();
      for (const name of ["File", "Line", "Byte", "Trouble", "Outcome"]) columns.append(element("th", ["Line", "Byte"].includes(name) ? "number" : "", name));
      const body = table.createTBody();
      for (const [file, line, byte, reason, outcome] of data.rows) {
        const row = body.insertRow();
        row.append(
          element("td", "code", file), element("td", "number", formatTokens(line)), element("td", "number", formatTokens(byte)),
          element("td", "", reason), element("td", "muted", outcome),
        );
      }
      const rest = data.lines - data.rows.length;
      root.replaceChildren(head, ...(data.rows.length ? [table] : []), ...(rest > 0 ? [element("p", "muted", `and ${formatCount(rest, "more line", "more lines")}`)] : []));
    },
  };
});
