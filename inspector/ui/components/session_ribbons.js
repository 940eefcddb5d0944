// Ribbons between the two windows: what stayed is a grey band, what a summary took runs together into it, what
// was taken out ends, what is new begins.

const THIN = 1.5; // px below which neighbours of a summary's sources share a ribbon
const STUB = 26; // px after which an end, and before which a beginning, has faded out
const RIBBON_ALPHA = { kept: 0.75, moved: 0.5, altered: 0.45, condensed: 0.55, lost: 0.55, here: 0.5 };
const FADED = 0.3; // of a ribbon's alpha while another message is selected

function drawRibbons(pen, shown, place, colours, selected) {
  const { ribbons, added } = shown.step;
  const x0 = place.width + 3;
  const x1 = place.right - 3;
  const level = (side, at) => place.y(side.edges[at]);
  const lit = litNumbers(selected, ribbons);
  const order = ["kept", "moved", "altered", "lost", "condensed"];
  const { before, after } = shown;
  const fill = { kept: colours.line, moved: colours.same };
  const shares = sourceShares(ribbons, before, after);
  for (const kind of order) {
    let pending = null; // thin sources side by side
    for (const ribbon of ribbons) {
      if (ribbon.kind !== kind) continue;
      const [top, bottom] = [level(before, ribbon.first), level(before, ribbon.last + 1)];
      const on = lit.size && kind !== "kept" ? lit.has(ribbon.number) : true;
      pen.globalAlpha = RIBBON_ALPHA[kind] * (on ? 1 : FADED);
      pen.fillStyle = fill[kind] ?? colours[kind];
      if (kind === "lost") {
        fade(pen, x0, x0 + STUB, top, bottom, colours.lost);
      } else if (kind === "condensed") {
        const [low, high] = shares.get(ribbon).map((tokens) => place.y(tokens));
        const joins = pending && pending.to === ribbon.to && pending.next === ribbon.first && pending.on === on;
        if (!joins) flush(pen, pending, x0, x1);
        pending = joins ? { ...pending, bottom, high, next: ribbon.last + 1 } : { top, bottom, low, high, to: ribbon.to, next: ribbon.last + 1, on };
        if (pending.bottom - pending.top >= THIN) {
          flush(pen, pending, x0, x1);
          pending = null;
        }
      } else {
        band(pen, x0, x1, top, bottom, level(after, ribbon.to), level(after, ribbon.end + 1));
      }
    }
    flush(pen, pending, x0, x1);
  }
  for (const { to, end } of added) {
    pen.globalAlpha = RIBBON_ALPHA.here;
    fade(pen, x1, x1 - STUB, level(after, to), level(after, end + 1), colours.here);
  }
  pen.globalAlpha = 1;
}

// Messages whose ribbons stay bright: the selected one and what it took. None, where it has no part in this step.
function litNumbers(selected, ribbons) {
  const own = new Set(selected ? [selected.number, ...selected.sources.map((source) => source.number)] : []);
  return ribbons.some((ribbon) => ribbon.kind !== "kept" && own.has(ribbon.number)) ? own : new Set();
}

// Where each source ends on its summary: the summary's block, divided as the sources' tokens are.
function sourceShares(ribbons, before, after) {
  const totals = new Map();
  const size = (ribbon) => before.edges[ribbon.last + 1] - before.edges[ribbon.first];
  for (const ribbon of ribbons) {
    if (ribbon.kind === "condensed") totals.set(ribbon.to, (totals.get(ribbon.to) ?? 0) + size(ribbon));
  }
  const done = new Map();
  const shares = new Map();
  for (const ribbon of ribbons) {
    if (ribbon.kind !== "condensed") continue;
    const [start, end] = [after.edges[ribbon.to], after.edges[ribbon.to + 1]];
    const from = done.get(ribbon.to) ?? 0;
    const to = from + size(ribbon);
    done.set(ribbon.to, to);
    const part = (end - start) / (totals.get(ribbon.to) || 1);
    shares.set(ribbon, [start + from * part, start + to * part]);
  }
  return shares;
}

function flush(pen, source, x0, x1) {
  if (source) band(pen, x0, x1, source.top, source.bottom, source.low, source.high);
}

// A band from one side to the other; at least a hair thick.
function band(pen, x0, x1, top0, bottom0, top1, bottom1) {
  const middle = (x0 + x1) / 2;
  const [low0, low1] = [Math.max(bottom0, top0 + 0.7), Math.max(bottom1, top1 + 0.7)];
  pen.beginPath();
  pen.moveTo(x0, top0);
  pen.bezierCurveTo(middle, top0, middle, top1, x1, top1);
  pen.lineTo(x1, low1);
  pen.bezierCurveTo(middle, low1, middle, low0, x0, low0);
  pen.fill();
}

function fade(pen, from, to, top, bottom, colour) {
  const gradient = pen.createLinearGradient(from, 0, to, 0);
  gradient.addColorStop(0, colour);
  gradient.addColorStop(1, `${colour}00`);
  pen.fillStyle = gradient;
  pen.fillRect(Math.min(from, to), top, Math.abs(to - from), Math.max(0.7, bottom - top));
}
