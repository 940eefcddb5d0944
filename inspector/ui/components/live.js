// Hands the state of the index to the strip; draws nothing itself. In a fragment of its own, so that a
// poll sends these few numbers and not the strip's columns.

export default (component) => runComponent(component, () => ({
  update(data) {
    shared.live = { ...data, at: Date.now() };
    window.dispatchEvent(new CustomEvent("inspector:live"));
  },
}));
