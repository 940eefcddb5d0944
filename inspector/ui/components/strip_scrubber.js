// The scrubber: one column a call; height = fill, colour = the worst at that call.
// Two canvases: the picture, and the box of the selected call, which is all a step redraws.

const SCRUBBER_TOP = 10; // px for the marks of compactions
const SCRUBBER_HEIGHT = 34; // px of the columns

class Scrubber {
  constructor(use, onSelect) {
    this.node = element("div", "scrubber");
    this.picture = element("canvas");
    this.cursor = element("canvas", "cursor");
    this.node.append(this.picture, this.cursor);
    this.node.tabIndex = 0;
    this.node.setAttribute("role", "slider");
    this.node.setAttribute("aria-label", "Calls of the session");
    this.hover = null;
    const at = (event) => this.callAt(event.clientX - this.node.getBoundingClientRect().left);
    use(this.node, "pointerdown", (event) => {
      if (event.button !== 0) return;
      this.node.setPointerCapture(event.pointerId);
      this.dragging = true;
      onSelect(at(event));
    });
    use(this.node, "pointermove", (event) => {
      const call = at(event);
      this.node.title = call ? this.model.spoken(call) : "";
      if (this.dragging && call !== this.call) onSelect(call);
    });
    for (const end of ["pointerup", "pointercancel"]) use(this.node, end, () => (this.dragging = false));
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.node);
  }

  update(model, colours, call) {
    this.model = model;
    this.colours = colours;
    this.calls = model.laneCalls(call);
    this.call = call;
    this.draw();
  }

  select(call) {
    this.call = call;
    const lane = this.model.laneCalls(call);
    if (lane === this.calls) this.drawCursor();
    else this.update(this.model, this.colours, call);
  }

  callAt(x) {
    const at = Math.floor((x / this.node.clientWidth) * this.calls.length);
    return this.calls[Math.min(Math.max(at, 0), this.calls.length - 1)];
  }

  draw() {
    const width = this.node.clientWidth;
    if (!this.model || !width) return;
    const { model, colours, calls } = this;
    const pen = canvasContext(this.picture, width, SCRUBBER_TOP + SCRUBBER_HEIGHT);
    const step = width / calls.length;
    const gap = step >= 4 ? 1 : 0;
    const bottom = SCRUBBER_TOP + SCRUBBER_HEIGHT;
    const highest = Math.max(1, ...calls.map((call) => model.fill(call) ?? 0));
    const rankColours = [colours.fill, colours.altered, colours.lost];
    // Where several calls share a pixel the worst is drawn last, so that no red is painted over.
    for (const rank of [0, 1, 2]) {
      calls.forEach((call, at) => {
        if (model.ranks[call - 1] !== rank) return;
        const fill = model.fill(call);
        const height = fill === null ? 2 : Math.max(2, (fill / highest) * SCRUBBER_HEIGHT);
        const [x, w] = [at * step, Math.max(step - gap, rank ? 2 : 1)];
        if (model.failedCalls.has(call) && w >= 3) {
          pen.strokeStyle = rankColours[rank];
          pen.lineWidth = 1.5;
          const high = Math.max(height, 6);
          pen.strokeRect(x + 0.75, bottom - high + 0.75, w - 1.5, high - 1.5);
        } else {
          pen.fillStyle = rankColours[rank];
          pen.fillRect(x, bottom - height, w, height);
        }
      });
    }
    pen.fillStyle = colours.condensed;
    for (const [call] of model.compactions) {
      const at = calls.indexOf(call);
      if (at < 0) continue;
      const x = (at + 0.5) * step;
      pen.beginPath();
      pen.moveTo(x - 4, 1);
      pen.lineTo(x + 4, 1);
      pen.lineTo(x, 7);
      pen.fill();
    }
    pen.fillStyle = colours.line;
    pen.fillRect(0, bottom - 1, width, 1);
    this.drawCursor();
  }

  drawCursor() {
    const width = this.node.clientWidth;
    if (!this.model || !width) return;
    const pen = canvasContext(this.cursor, width, SCRUBBER_TOP + SCRUBBER_HEIGHT);
    const at = this.calls.indexOf(this.call);
    if (at < 0) return;
    const step = width / this.calls.length;
    const w = Math.max(step, 5);
    const x = Math.min(Math.max(0, (at + 0.5) * step - w / 2), width - w);
    pen.fillStyle = this.colours.accent;
    pen.globalAlpha = 0.07;
    pen.fillRect(x, SCRUBBER_TOP - 2, w, SCRUBBER_HEIGHT + 2);
    pen.globalAlpha = 1;
    pen.strokeStyle = this.colours.accent;
    pen.lineWidth = 2;
    pen.strokeRect(x + 1, SCRUBBER_TOP - 2, w - 2, SCRUBBER_HEIGHT + 1);
    this.drawOther(pen, step);
    this.node.setAttribute("aria-valuemin", "1");
    this.node.setAttribute("aria-valuemax", String(this.model.count));
    this.node.setAttribute("aria-valuenow", String(this.call));
    this.node.setAttribute("aria-valuetext", this.model.spoken(this.call));
  }

  // The other side of Compare: a dashed box.
  drawOther(pen, step) {
    const at = this.calls.indexOf(otherCall());
    if (at < 0) return;
    const w = Math.max(step, 5);
    const x = Math.min(Math.max(0, (at + 0.5) * step - w / 2), this.node.clientWidth - w);
    pen.setLineDash([3, 2]);
    pen.strokeRect(x + 1, SCRUBBER_TOP - 2, w - 2, SCRUBBER_HEIGHT + 1);
    pen.setLineDash([]);
  }

  destroy() {
    this.observer.disconnect();
  }
}
