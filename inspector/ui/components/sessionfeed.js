// Carries the words of the settled call to the Session page's right pane; a component of its own, so that
// a step never sends the whole session again.

export default function (component) {
  return runComponent(component, () => ({
    update(data) {
      shared.detail = data;
      window.dispatchEvent(new CustomEvent("inspector:detail"));
    },
  }));
}
