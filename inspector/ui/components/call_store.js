// Texts of calls in the browser: documents, blocks, excerpts. What is missing is asked of the server,
// one question at a time; what is looked at now comes before what is only likely to be looked at.

// A packed payload: its key on the first line, JSON after it. Only a new key is worth parsing.
function unpack(bytes) {
  const end = bytes.indexOf(10);
  return {
    head: new TextDecoder().decode(bytes.subarray(0, end)),
    json: () => JSON.parse(new TextDecoder().decode(bytes.subarray(end + 1))),
  };
}

const KEPT_CALLS = 6; // calls whose texts stay here
const ANSWER_WAIT = 5000; // ms after which a question is asked again

class CallStore {
  // `changed` hears of every reply, `noted` of what became of a watch.
  constructor(changed, noted) {
    this.changed = changed;
    this.noted = noted;
    this.calls = new Map();
    this.seq = Date.now() % 1e9;
    this.waiting = 0;
    this.timer = 0;
    this.later = 0;
    this.head = "";
    this.hearers = []; // who waits for a body
    this.clear();
  }

  clear() {
    this.wanted = { docs: new Set(), soon: new Set(), blocks: new Map(), rows: new Map(), find: null, body: null, watch: null };
  }

  open(key) {
    if (this.key === key) return;
    this.key = key;
    this.texts = this.calls.get(key) ?? { docs: new Map(), blocks: new Map(), rows: [] };
    this.calls.delete(key);
    this.calls.set(key, this.texts);
    if (this.calls.size > KEPT_CALLS) this.calls.delete(this.calls.keys().next().value);
    this.clear();
    this.waiting = 0;
  }

  putExcerpts(start, items) {
    for (let i = 0; i < items.length; i += 1) this.texts.rows[start + i] = items[i];
  }

  // Take a packed reply, once.
  unpack(bytes) {
    const packed = unpack(bytes);
    if (packed.head === this.head) return;
    this.head = packed.head;
    const reply = packed.json();
    if (reply.note && reply.note.seq !== shared.noteSeen) {
      shared.noteSeen = reply.note.seq;
      this.noted(reply.note);
    }
    this.receive(reply);
    for (const hear of this.hearers.splice(0)) hear(reply);
  }

  receive(reply) {
    const texts = this.calls.get(reply.key);
    if (reply.key === this.key) {
      clearTimeout(this.timer);
      this.waiting = 0;
    }
    if (!texts) return;
    for (const [name, doc] of Object.entries(reply.docs)) texts.docs.set(name, doc);
    for (const [section, at, text] of reply.blocks) texts.blocks.set(`${section}:${at}`, text);
    for (const [start, items] of reply.rows) items.forEach((item, i) => (texts.rows[start + i] = item));
    this.changed(reply);
    this.ask();
  }

  doc(name) {
    const doc = this.texts.docs.get(name);
    if (!doc) this.want(() => this.wanted.docs.add(name));
    return doc ?? null;
  }

  // A document that may be looked at next.
  prefetch(name) {
    if (!this.texts.docs.has(name)) this.want(() => this.wanted.soon.add(name));
  }

  block(section, at) {
    const name = `${section}:${at}`;
    const text = this.texts.blocks.get(name);
    if (text === undefined) this.want(() => this.wanted.blocks.set(name, [section, at]));
    return text ?? null;
  }

  excerpt(row, rows) {
    const text = this.texts.rows[row];
    if (text === undefined) {
      const start = Math.floor(row / 200) * 200;
      this.want(() => this.wanted.rows.set(start, [start, Math.min(start + 200, rows)]));
    }
    return text ?? "";
  }

  find(q, scope) {
    this.want(() => (this.wanted.find = { q, scope }));
  }

  // Ask for something to copy; `form` is text, file, curl or message.
  body(form, of = "") {
    return new Promise((resolve) => {
      const { key } = this;
      const hear = (reply) => {
        if (reply.key === key && reply.body?.form === form) resolve(reply.body);
        else if (this.key === key) this.hearers.push(hear);
      };
      this.hearers.push(hear);
      this.want(() => (this.wanted.body = { form, of }));
    });
  }

  // Set a watch, or remove one: {doc, section, start, end} or {remove}.
  watch(what) {
    this.want(() => (this.wanted.watch = what));
  }

  want(note) {
    note();
    if (!this.later) {
      this.later = setTimeout(() => {
        this.later = 0;
        this.ask();
      }, 0);
    }
  }

  // What was asked for and has not come is still in `wanted`; what came is taken out here.
  ask() {
    const { wanted, texts } = this;
    for (const name of wanted.docs) if (texts.docs.has(name)) wanted.docs.delete(name);
    for (const name of wanted.soon) if (texts.docs.has(name)) wanted.soon.delete(name);
    for (const name of wanted.blocks.keys()) if (texts.blocks.has(name)) wanted.blocks.delete(name);
    for (const start of wanted.rows.keys()) if (texts.rows[start] !== undefined) wanted.rows.delete(start);
    const nothing = !wanted.docs.size && !wanted.soon.size && !wanted.blocks.size && !wanted.rows.size;
    if (this.waiting || (nothing && !wanted.find && !wanted.body && !wanted.watch)) return;
    if (!shared.callSend) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.ask(), 50);
      return;
    }
    this.seq += 1;
    this.waiting = this.seq;
    const docs = [...wanted.docs, ...wanted.soon];
    shared.callSend({
      key: this.key,
      seq: this.seq,
      docs,
      lead: docs,
      blocks: [...wanted.blocks.values()],
      rows: [...wanted.rows.values()],
      ...(wanted.find ? { find: wanted.find } : {}),
      ...(wanted.watch ? { watch: wanted.watch } : {}),
      ...(wanted.body ? { body: wanted.body.form, of: wanted.body.of } : {}),
    });
    this.asked = { find: wanted.find, body: wanted.body };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.waiting = 0;
      wanted.find ??= this.asked.find;
      wanted.body ??= this.asked.body;
      this.ask();
    }, ANSWER_WAIT);
    wanted.find = wanted.body = wanted.watch = null;
    wanted.blocks.clear(); // a view asks again for what it still shows
    wanted.soon.clear();
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.later);
  }
}
