// Carries what probes said of the session's calls to the Session page. A component of its own: answers come while
// the page is open, and must not resend the lives of its messages.

export default function (component) {
  return runComponent(component, () => ({
    update(data) {
      shared.probeMarks = data;
      window.dispatchEvent(new CustomEvent("inspector:probe-marks"));
    },
  }));
}
