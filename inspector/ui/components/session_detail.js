// Under the window: asked, answered, how the call ended, how it is proved (session_detail.py).
// The server sends it once the steps have ended (sessionfeed.js); until then the old words stay, under a thin bar.

// Returns {select(call)}; `session` gives the session on the page.
function createDetail(host, use, session) {
  const late = element("div", "late");
  const body = element("div", "detail");
  host.append(late, body);
  let selected = null;
  let shown = null;
  const refresh = () => {
    const detail = shared.detail;
    const fits = detail && selected && detail.session === session()?.session && detail.call === selected.number;
    if (fits && detail !== shown) {
      if (shown?.call !== detail.call) host.scrollTop = 0;
      shown = detail;
      body.replaceChildren(...detailParts(detail));
    }
    host.classList.toggle("waiting", !fits);
  };
  use(window, "inspector:detail", refresh);
  return {
    select(call) {
      selected = call;
      refresh();
    },
  };
}

function detailParts(data) {
  const parts = [];
  const asked = quote("User asked", data.asked, "no message by the user with text");
  if (data.asked_gone) asked.firstChild.append(element("span", "lost", " · not in this prompt any more"));
  parts.push(asked);
  parts.push(quote("Model answered", data.answered, data.status || "an empty answer"));
  const facts = element("dl", "facts");
  for (const { name, value } of data.facts) facts.append(element("dt", "muted", name), element("dd", "", value));
  parts.push(facts);
  return parts;
}

function quote(title, said, none) {
  const part = element("section", "quote");
  part.append(element("h3", "muted", title));
  part.append(element("p", said ? "said" : "muted", said ? said.text : none));
  if (said && said.more) part.append(element("p", "muted", `and ${formatTokens(said.more)} more characters: open the call`));
  return part;
}
