// Carries texts of the Compare page. It shows nothing: the component `compare` asks through
// shared.compareSend and hears "inspector:compare-feed". Apart from it, so that a window of texts
// never sends the rows again.

export default function feed(component) {
  shared.compareSend = (want) => component.setTriggerValue("want", want);
  shared.compareReply = component.data; // for a page that is mounted after this
  window.dispatchEvent(new CustomEvent("inspector:compare-feed", { detail: component.data }));
  return () => {
    shared.compareSend = shared.compareReply = null;
  };
}
