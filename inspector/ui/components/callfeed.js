// Carries texts of the Call page. It shows nothing: the component `call` asks through
// shared.callSend and hears "inspector:call-feed". Apart from it, so that a window of text
// never sends the list again.

export default function feed(component) {
  shared.callSend = (want) => component.setTriggerValue("want", want);
  shared.callReply = component.data; // for a page that is mounted after this
  window.dispatchEvent(new CustomEvent("inspector:call-feed", { detail: component.data }));
  return () => {
    shared.callSend = shared.callReply = null;
  };
}
