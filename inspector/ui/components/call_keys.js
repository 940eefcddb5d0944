// The keys of the Call page; those that move between calls are the strip's.

// Act on a key; returns whether it was one of the page's.
function pressKey({ key }, page) {
  const anywhere = {
    "/": page.find,
    n: () => page.step(1),
    p: () => page.step(-1),
    w: page.watch,
    t: page.trace,
    e: page.toggleReading,
  };
  if (key in anywhere) {
    anywhere[key]();
    return true;
  }
  if (key === "y") {
    if (page.isTextSelected()) return false; // the browser copies what is selected
    page.copy();
    return true;
  }
  if (!page.isList) return false;
  if (page.isReading) {
    if (key !== "Escape") return false;
    page.leaveReader();
    return true;
  }
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page.page, PageUp: -page.page };
  if (key in steps) page.move(steps[key]);
  else if (key === "Enter") page.read();
  else return false;
  return true;
}
