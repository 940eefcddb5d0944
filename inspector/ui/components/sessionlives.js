// Carries the lives of the session's messages to the Session page. A component of its own: the tokens of a
// long session are on the screen before its thousand prompts are compared.

export default function (component) {
  return runComponent(component, () => ({
    update(data) {
      shared.lives = data;
      window.dispatchEvent(new CustomEvent("inspector:lives"));
    },
  }));
}
