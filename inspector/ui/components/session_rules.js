// What looks like a rule, an id, an amount or a goal although nobody pinned it: a list above the picture.

const RULE_SIGN = "§"; // before the words of a message that says one

// Returns {show(session, lane), open(shown)}. `actions`: select(number), watch(text).
function createRules(host, actions) {
  host.hidden = true;
  let of = null;

  function draw(messages) {
    host.replaceChildren();
    for (const one of messages.flatMap((message) => message.commitments).sort((a, b) => a.rank - b.rank)) {
      const row = host.appendChild(element("div", "rule"));
      const words = row.appendChild(element("button", "words"));
      const kind = words.appendChild(element("span", "muted", `m${one.number} ${one.kind}`));
      kind.className = "muted kind";
      words.append(element("span", "clip", one.text), element("span", "muted clip", one.why));
      words.title = `${one.text}\n${one.why}\nClick selects its message.`;
      words.addEventListener("click", () => actions.select(one.number));
      const trace = row.appendChild(element("button", "", "Trace"));
      trace.title = "Follow it through the session";
      trace.addEventListener("click", () => traceFact(one.text, one.kind === "rule" ? "rule" : null));
      const watch = row.appendChild(element("button", "", one.watched ? "⚲ watched" : "Watch"));
      watch.title = one.watched ? "A pin or a watch looks after it" : "From now on it is checked in every call, as a pin is";
      watch.disabled = one.watched;
      watch.addEventListener("click", () => {
        watch.disabled = true;
        actions.watch(one.text);
      });
    }
  }

  return {
    // A session that nobody prepared opens on the list: it has no pin, and a rule.
    show(session, lane) {
      const messages = lane.messages.filter((message) => message.commitments.length);
      draw(messages);
      const name = `${session.session} ${lane.name}`;
      if (!session.lives || of === name) return;
      of = name;
      const rules = messages.some((message) => message.commitments.some((one) => one.kind === "rule"));
      host.hidden = !rules || session.lives.pins.length > 0 || session.calls.length === 1;
    },
    open(shown) {
      host.hidden = !shown || !host.childElementCount;
    },
  };
}
