// Carries wishes of the Trace page and what became of them. It shows nothing: the component `trace` asks
// through shared.traceSend and hears "inspector:trace-feed". Apart from it, so that a note never sends the
// picture again.

export default function feed(component) {
  shared.traceSend = (want) => component.setTriggerValue("want", want);
  if (shared.traceWish) {
    const wish = shared.traceWish;
    shared.traceWish = null;
    shared.traceSend(wish);
  }
  window.dispatchEvent(new CustomEvent("inspector:trace-feed", { detail: component.data }));
  return () => {
    shared.traceSend = null;
  };
}
