// Calls that ran at the same time: a bracket over each pair of neighbours, and the same in words.

const BRACKET_HEIGHT = 5; // px of the legs

const AT_ONCE_BAND = {
  name: "at once",
  label: "at once",
  height: 14,
  shown: (lane) => lane.calls.some((call) => call.overlaps.length),
  draw: drawAtOnce,
  tips: (scene, place) => overlapWords(scene.lane.calls[place]),
};

// A list of one line, or of none: "overlaps calls 7 and 9: each was sent before the other had its answer".
function overlapWords(call) {
  if (!call?.overlaps.length) return [];
  return [`${call.overlapWords}: sent before the other one's answer was there`];
}

function drawAtOnce(pen, scene, band) {
  const { calls } = scene.lane;
  const [first, last] = scene.range();
  const top = Math.round(band.top + (band.height - BRACKET_HEIGHT) / 2) + 0.5;
  clipColumns(pen, scene, band);
  for (let place = first; place <= last; place += 1) {
    let end = place;
    while (end + 1 < calls.length && calls[end].overlaps.includes(calls[end + 1].number)) end += 1;
    if (end === place) continue;
    const [left, right] = [scene.edge(place) + 2.5, scene.edge(end + 1) - 2.5];
    line(pen, scene.colours.altered, 2, left, top, right, top);
    for (const x of [left, right]) line(pen, scene.colours.altered, 2, x, top, x, top + BRACKET_HEIGHT);
    place = end;
  }
}
