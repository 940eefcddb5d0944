// The window column beside the rows.

const RAIL_MARK = 3; // px, width of the bar beside a block that is new or changed
const RAIL_LEAST = 1; // px, least height of a block: a message without tokens can still be seen

// The window of the model as a column: each message a block by its tokens, room left up to the limit.
class Rail {
  constructor(canvas, select) {
    this.canvas = canvas;
    this.select = select;
    this.blocks = [];
  }

  show(data, colours) {
    this.data = data;
    this.colours = colours;
    this.draw();
  }

  draw(selected = this.selected) {
    this.selected = selected;
    const { canvas, data, colours } = this;
    const { clientWidth: outer, clientHeight: height } = canvas;
    const width = outer - RAIL_MARK - 3;
    if (!data || width <= 0 || !height) return;
    const { rows, window: room, layers } = data;
    const counted = rows.tokens.reduce((sum, tokens) => sum + (tokens ?? 0), 0) + room.overhead;
    const whole = Math.max(room.limit ?? 0, counted, 1);
    const inner = height - 2;
    const scale = inner / whole;
    const pen = canvasContext(canvas, outer, height);
    pen.fillStyle = colours.background;
    pen.fillRect(0, 0, width, height);
    let y = 1;
    this.blocks = [];
    const crowded = rows.tokens.length * (RAIL_LEAST + 1) > inner;
    const fill = (layer, from, to) => {
      pen.fillStyle = colours.pattern(pen, layer);
      const gap = !crowded && to - from > 2 ? 1 : 0;
      pen.fillRect(1, from, width - 2, Math.max(crowded ? 0.5 : RAIL_LEAST, to - from - gap));
    };
    rows.tokens.forEach((tokens, at) => {
      pen.globalAlpha = rows.unseen.includes(at) ? 0.25 : 1; // sent, and not seen by the model
      const parts = rows.mixed[at] ?? [[rows.layer[at], tokens ?? 0]];
      const top = y;
      for (const [layer, size] of parts) {
        const to = y + Math.max(size * scale, crowded ? 0 : RAIL_LEAST / parts.length);
        fill(layers[layer], y, to);
        y = to;
      }
      pen.globalAlpha = 1;
      this.blocks.push([top, y]);
      const what = data.happened[at];
      if (!what || what[1] === "same") return;
      pen.fillStyle = colours[what[1]];
      pen.fillRect(width + 2, top, RAIL_MARK, Math.max(2, y - top - 1));
    });
    if (room.overhead) fill("overhead", y, (y += room.overhead * scale));
    pen.strokeStyle = colours.line;
    pen.strokeRect(0.5, 0.5, width - 1, height - 1);
    const mark = (tokens, colour) => {
      const at = Math.round(1 + tokens * scale) + 0.5;
      if (tokens > whole || at > height - 2) return;
      pen.strokeStyle = colour;
      pen.setLineDash([4, 3]);
      pen.beginPath();
      pen.moveTo(0, at);
      pen.lineTo(width, at);
      pen.stroke();
      pen.setLineDash([]);
    };
    if (room.threshold) mark(room.threshold, colours.muted);
    if (room.limit && counted > room.limit) mark(room.limit, colours.lost);
    const block = this.blocks[selected] ?? null;
    if (block) {
      pen.strokeStyle = colours.accent;
      pen.lineWidth = 2;
      pen.strokeRect(1, Math.max(1, block[0] - 1), width - 2, Math.max(4, block[1] - block[0] + 1));
    }
    const left = room.limit === null ? null : room.limit - counted;
    const limit = room.limit === null ? "limit unknown" : `${room.kind} ${formatTokens(room.limit)}`;
    this.label = `${formatTokens(counted)} tokens counted · ${limit}${left > 0 ? ` · room for ${formatTokens(left)}` : ""}`;
    canvas.setAttribute("aria-label", `Window: ${this.label}`);
  }

  at(y) {
    return this.blocks.findIndex(([top, bottom]) => y >= top && y < Math.max(bottom, top + 1));
  }

  hover(y) {
    const at = this.at(y);
    if (at < 0) return this.label ?? "";
    const { rows, layers } = this.data;
    const what = this.data.happened[at];
    return `${at + 1} · ${layers[rows.layer[at]]} · ${formatTokens(rows.tokens[at])} tokens${what ? ` · ${what[2]}` : ""}`;
  }
}
