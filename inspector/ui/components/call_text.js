// Text as it is shown: hidden characters made visible, hits marked, lines wrapped by measured width.

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

// How a character that cannot be seen is written.
function escapeOf(character) {
  return character === "\r" ? "\\r" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

// Put a text into a node: hidden characters in an escaped form, hits marked. Text nodes only.
function putText(node, text, marks = []) {
  const cuts = [];
  HIDDEN.lastIndex = 0;
  for (let match = HIDDEN.exec(text); match; match = HIDDEN.exec(text)) cuts.push(match.index);
  if (!cuts.length && !marks.length) {
    node.append(text);
    return;
  }
  const edges = new Set([0, text.length]);
  for (const at of cuts) edges.add(at).add(at + 1);
  for (const [start, end] of marks) edges.add(Math.max(0, start)).add(Math.min(text.length, end));
  const places = [...edges].sort((a, b) => a - b);
  const hidden = new Set(cuts);
  for (let i = 0; i + 1 < places.length; i += 1) {
    const [start, end] = [places[i], places[i + 1]];
    const mark = marks.find(([from, to]) => from < end && to > start);
    const escaped = hidden.has(start);
    const shown = escaped ? escapeOf(text[start]) : text.slice(start, end);
    if (!mark && !escaped) {
      node.append(shown);
      continue;
    }
    const run = element(mark ? "mark" : "span", escaped ? "escape" : "", shown);
    if (mark?.[2]) run.classList.add("current");
    node.append(run);
  }
}

// Widths of characters in one font; ASCII is one cell wide.
class Measure {
  constructor(font) {
    this.pen = element("canvas").getContext("2d");
    this.pen.font = font;
    this.cell = this.pen.measureText("0".repeat(40)).width / 40;
    this.widths = new Map();
  }

  of(code) {
    let width = this.widths.get(code);
    if (width === undefined) {
      const character = String.fromCodePoint(code);
      const shown = HIDDEN.test(character) ? escapeOf(character) : character;
      HIDDEN.lastIndex = 0;
      width = this.pen.measureText(shown).width;
      this.widths.set(code, width);
    }
    return width;
  }
}

// Wrap a block: where each row starts, and how many line ends stand before it. `cuts` are places
// where a row must end (another layer begins there).
function wrapBlock(text, width, measure, cuts) {
  const starts = [0];
  const lines = [0];
  let [line, start, x, space, spaceX, cut] = [0, 0, 0, -1, 0, 0];
  const push = (at) => {
    starts.push(at);
    lines.push(line);
    start = at;
    space = -1;
  };
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (cut < cuts.length && cuts[cut] <= i) {
      if (cuts[cut] === i && i > start) {
        push(i);
        x = 0;
      }
      cut += 1;
      continue;
    }
    if (code === 10) {
      line += 1;
      i += 1;
      push(i);
      x = 0;
      continue;
    }
    let size = 1;
    let wide = measure.cell;
    if (code === 9) wide = measure.cell * 4;
    else if (code < 32 || code > 126) {
      const point = text.codePointAt(i);
      size = point > 0xffff ? 2 : 1;
      wide = measure.of(point);
    }
    if (x + wide > width && i > start) {
      const broke = space > start;
      x = broke ? x - spaceX : 0;
      push(broke ? space : i);
    }
    x += wide;
    i += size;
    if (code === 32 || code > 0x2e7f) [space, spaceX] = [i, x];
  }
  return { starts, lines, end: text.length };
}

// Index of the last start that is at most `at`.
function rowOf(starts, at) {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
