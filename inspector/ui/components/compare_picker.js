// Choosing a side: a session, then a call of it. Both lists are filtered by typing; names stay text.

const MOST_PICKS = 300; // lines of one list; the others are reached by typing

class Picker {
  constructor(root, store, choose) {
    this.root = root;
    this.store = store;
    this.choose = choose;
    this.box = null;
  }

  open(label, session, call) {
    this.close();
    this.session = session;
    this.call = call;
    const box = element("dialog", "picker");
    this.box = box;
    box.setAttribute("aria-label", label);
    const head = box.appendChild(element("div", "head"));
    head.append(element("strong", "", label));
    const close = head.appendChild(element("button", "", "Close"));
    close.addEventListener("click", () => this.close());
    const lists = box.appendChild(element("div", "lists"));
    [this.sessionField, this.sessionList] = this.list(lists, "Session", "session or date");
    [this.callField, this.callList] = this.list(lists, "Call", "t14, 30 or tokens");
    box.addEventListener("click", (event) => {
      if (event.target === box) this.close(); // the backdrop
    });
    box.addEventListener("close", () => this.close());
    this.root.append(box);
    box.showModal();
    this.draw();
    this.callField.focus();
    this.callList.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  }

  list(host, label, hint) {
    const column = host.appendChild(element("div", "column"));
    const field = column.appendChild(element("input"));
    field.type = "search";
    field.placeholder = hint;
    field.setAttribute("aria-label", `${label}: ${hint}`);
    const list = column.appendChild(element("div", "options"));
    list.tabIndex = -1;
    list.setAttribute("aria-label", label);
    field.addEventListener("input", () => this.draw());
    field.addEventListener("keydown", (event) => {
      const options = [...list.querySelectorAll("button")];
      if (event.key === "Enter") options[0]?.click();
      else if (event.key === "ArrowDown") options[0]?.focus();
      else if (event.key === "Escape") this.close();
      else return;
      event.preventDefault();
    });
    list.addEventListener("keydown", (event) => {
      const move = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
      if (!move) return;
      event.preventDefault();
      const other = event.target[move];
      if (other instanceof HTMLButtonElement) other.focus();
      else if (event.key === "ArrowUp") field.focus();
    });
    return [field, list];
  }

  draw() {
    if (!this.box) return;
    this.fill(this.sessionList, this.store.listSessions(), this.sessionField.value, ([name]) => name === this.session, ([name]) => {
      this.session = name;
      this.call = null;
      this.callField.value = "";
      this.draw();
      this.callField.focus();
    }, ([name, calls, time]) => [name, `${calls} · ${time}`]);
    this.fill(this.callList, this.store.listCalls(this.session), this.callField.value, ([number]) => number === this.call, ([number]) => {
      this.close();
      this.choose(this.session, number);
    }, ([number, title, facts]) => [title, facts, `t${title.split(" ")[1]}`, number]);
  }

  fill(list, rows, typed, isCurrent, act, words) {
    if (!rows) {
      list.replaceChildren(element("p", "muted", "…"));
      return;
    }
    const wanted = typed.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const found = rows.filter((row) => {
      const text = words(row).join(" ").toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    if (wanted.length === 1) found.sort((x, y) => Number(words(y).includes(wanted[0])) - Number(words(x).includes(wanted[0])));
    const current = found.findIndex(isCurrent);
    const from = Math.max(0, Math.min(current - MOST_PICKS / 2, found.length - MOST_PICKS));
    const shown = found.slice(from, from + MOST_PICKS);
    list.replaceChildren(...shown.map((row) => {
      const [name, facts] = words(row);
      const option = element("button", "option");
      putText(option.appendChild(element("span", "name clip")), name);
      option.append(element("span", "muted", facts));
      option.title = name;
      if (isCurrent(row)) option.setAttribute("aria-current", "true");
      option.addEventListener("click", () => act(row));
      return option;
    }));
    if (!found.length) list.append(element("p", "muted", "Nothing has this in its name."));
    if (found.length > shown.length) {
      list.append(element("p", "muted", `${formatTokens(found.length - shown.length)} more: type to narrow`));
    }
  }

  close() {
    const box = this.box;
    this.box = null;
    box?.remove();
  }
}
