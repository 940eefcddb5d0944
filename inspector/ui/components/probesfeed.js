// Carries wishes of the Probes page, what became of them and how far a run is. It shows nothing: the component
// `probes` asks through shared.probesSend and hears "inspector:probes-feed".

export default function feed(component) {
  shared.probesSend = (want) => component.setTriggerValue("want", want);
  shared.probesHeard = component.data;
  window.dispatchEvent(new CustomEvent("inspector:probes-feed", { detail: component.data }));
  return () => {
    shared.probesSend = null;
  };
}
