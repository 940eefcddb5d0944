// Wishes of the dialog go to the server one after the other: each waits until the one before was heard, so that what is
// written is what was chosen last. A wish that got lost between two runs of the page is sent again; the server does
// each of them once.

const RESEND_DELAY = 3000; // ms until a wish nobody heard is sent again

// Returns {send(of, want), heard(of, seq), waiting()}.
function makeExportOutbox(trigger) {
  let [queue, owner, timer] = [[], "", 0];

  function pump() {
    clearTimeout(timer);
    if (!queue.length) return;
    trigger("want", queue[0]);
    timer = setTimeout(pump, RESEND_DELAY);
  }

  return {
    send(of, want) {
      const last = queue[queue.length - 1]?.seq ?? 0;
      queue.push({ ...want, of, seq: Math.max(Date.now(), last + 1) });
      owner = of.join();
      if (queue.length === 1) pump();
    },
    heard(of, seq) {
      if (of.join() !== owner) queue = []; // the dialog is about another call
      if (!queue.length || queue[0].seq !== seq) return;
      queue.shift();
      pump();
    },
    waiting: () => queue.length > 0,
  };
}
