// Numbers and text as the interface writes them: the same as inspector/ui/format.py. Shared by all components.

const UNKNOWN = "–";
const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const two = (value) => String(value).padStart(2, "0");

function formatTokens(count) {
  return count === null || count === undefined ? UNKNOWN : grouped.format(count).replace("-", "−");
}

function formatChange(change) {
  return change > 0 ? `+${formatTokens(change)}` : formatTokens(change);
}

function formatEstimate(count) {
  return count === null || count === undefined ? UNKNOWN : `≈ ${formatTokens(count)}`;
}

function formatShare(share) {
  if (share === null || share === undefined || !Number.isFinite(share)) return UNKNOWN;
  const percent = share * 100;
  const tenths = Math.floor(percent * 10 + 0.5);
  if (tenths < 0) return `−${formatShare(-share)}`; // what is unattributed is negative where too much was counted
  if (tenths >= 100) return `${grouped.format(Math.floor(percent + 0.5))} %`;
  if (tenths === 0) return percent <= 0 ? "0 %" : "< 0.1 %";
  return `${Math.floor(tenths / 10)}.${tenths % 10} %`;
}

function formatDuration(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return UNKNOWN;
  const whole = Math.floor(milliseconds + 0.5);
  if (whole < 1000) return `${whole} ms`;
  const tenths = Math.floor(milliseconds / 100 + 0.5);
  if (tenths < 600) return `${Math.floor(tenths / 10)}.${tenths % 10} s`;
  const seconds = Math.floor(milliseconds / 1000 + 0.5);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.floor(milliseconds / 60000 + 0.5);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

function formatBytes(size) {
  if (size < 1000) return `${size} B`;
  let value = size;
  let unit = "";
  for (unit of ["kB", "MB", "GB", "TB"]) {
    value /= 1000;
    if (value < 999.95) break;
  }
  return `${(Math.floor(value * 10 + 0.5) / 10).toFixed(1)} ${unit}`;
}

function formatTime(iso) {
  const moment = new Date(iso ?? "");
  if (Number.isNaN(moment.getTime())) return UNKNOWN;
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  return `${day} ${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

function formatCount(count, noun, plural = `${noun}s`) {
  return `${formatTokens(count)} ${count === 1 ? noun : plural}`;
}

// A text on one line, its breaks as ⏎.
function oneLine(text) {
  return text.split(/\r\n|\r|\n/).map((line) => line.trim()).filter(Boolean).join(" ⏎ ");
}

// The longest beginning of a text that is at most `width` px wide in the context's font, then "…".
function fitText(ctx, text, width) {
  const line = oneLine(text.length > 2000 ? text.slice(0, 2000) : text);
  if (line.length === text.length && ctx.measureText(line).width <= width) return line;
  if (text.length <= 2000 && ctx.measureText(line).width <= width) return line;
  const room = width - ctx.measureText("…").width;
  if (room <= 0) return "";
  let [low, high] = [0, line.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(line.slice(0, middle)).width <= room) low = middle;
    else high = middle - 1;
  }
  if (low > 0 && /[\uD800-\uDBFF]/.test(line[low - 1])) low -= 1;
  return line.slice(0, low) + "…";
}

// A search and its answer have the same key: the bar under the field waits for it.
function searchKey(query, kind) {
  return `${kind} ${query}`;
}
