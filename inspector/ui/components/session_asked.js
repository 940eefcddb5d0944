// What probes said of the calls: a row of marks, one a call, and the same in words. Data: session_probes.py.

const PROBES_BAND = {
  name: "probes",
  label: "probes",
  height: 18,
  shown: (lane) => lane.probes.size > 0,
  draw: (pen, scene, band) => drawMarks(pen, scene, band, lanePlaces(scene, scene.lane.probes), ([mark]) => mark),
  tips: (scene, place) => (scene.lane.probes.get(place) ?? []).flatMap((mark) => [...mark.lines, "click: to its probe"]),
  target: (scene, place) => {
    const [mark] = scene.lane.probes.get(place) ?? [];
    return mark ? probeTarget(mark) : null;
  },
};

// Puts the marks on the lanes and their calls.
function attachProbes(session, data) {
  for (const call of session.calls) call.probes = null;
  for (const mark of data.marks) {
    const call = session.byNumber.get(mark.call);
    if (call) call.probes = mark;
  }
  for (const lane of session.lanes.values()) lane.probes = byPlace(lane, data.marks);
}

// Where the probe of a mark is; a question that stands in no suite has the page only.
function probeTarget(mark) {
  return { page: "probes", params: { call: mark.call, suite: mark.suite, probe: mark.probe, message: null } };
}

// "a probe fails: evicted", "probes: known"; empty where none says anything.
function probeWords(call) {
  const mark = call.probes;
  if (!mark) return "";
  if (!mark.failed) return `probes: ${mark.verdict}`;
  return mark.failed === 1 ? `a probe fails: ${mark.verdict}` : `${mark.failed} probes fail, the worst ${mark.verdict}`;
}
