// Texts of a comparison in the browser. What is missing is asked of the server, one question at a time.

// A packed payload: its key on the first line, JSON after it. Only a new key is worth parsing.
function unpack(bytes) {
  const end = bytes.indexOf(10);
  return {
    head: new TextDecoder().decode(bytes.subarray(0, end)),
    json: () => JSON.parse(new TextDecoder().decode(bytes.subarray(end + 1))),
  };
}

const EXCERPTS_ASKED = 100; // excerpts of one side asked for together
const ANSWER_WAIT = 5000; // ms after which a question is asked again
const LISTS = ["rows", "pairs", "texts", "cards"]; // what is asked for by place

class CompareStore {
  // `changed` hears of every reply, `noted` of what became of a watch.
  constructor(changed, noted) {
    this.changed = changed;
    this.noted = noted;
    this.note = null;
    this.key = null;
    this.seq = Date.now() % 1e9;
    this.head = "";
    this.calls = new Map(); // session → calls, for the picker
    this.sessions = null;
    this.forget();
  }

  forget() {
    this.excerpts = { a: new Map(), b: new Map() };
    this.pairs = new Map();
    this.texts = new Map();
    this.cards = new Map();
    this.wanted = { rows: new Map(), pairs: new Map(), texts: new Map(), cards: new Map(), sessions: false, calls: null, watch: null };
    this.waiting = false;
  }

  open(key, excerpts) {
    if (this.key === key) return;
    this.key = key;
    this.forget();
    for (const name of ["a", "b"]) {
      for (const [place, text] of Object.entries(excerpts[name])) this.excerpts[name].set(Number(place), text);
    }
  }

  // Take a packed reply, once.
  unpack(bytes) {
    const packed = unpack(bytes);
    if (packed.head === this.head) return;
    this.head = packed.head;
    const reply = packed.json();
    if (reply.sessions) this.sessions = reply.sessions;
    if (reply.note && reply.note.seq !== this.note) {
      this.note = reply.note.seq;
      if (reply.note.seq === this.watched) this.noted(reply.note);
    }
    if (reply.calls) this.calls.set(reply.calls.session, reply.calls.rows);
    if (reply.key === this.key) {
      clearTimeout(this.timer);
      this.waiting = false;
      for (const [name, start, items] of reply.rows) items.forEach((text, i) => this.excerpts[name].set(start + i, text));
      for (const [i, j, whole, shown] of reply.pairs) this.pairs.set(`${i} ${j} ${whole}`, shown);
      for (const [name, place, start, text, total] of reply.texts) this.texts.set(`${name} ${place} ${start}`, { text, total });
      for (const [at, shown] of reply.cards) this.cards.set(at, shown);
    }
    this.changed();
    this.ask();
  }

  excerpt(name, place, count) {
    const text = this.excerpts[name].get(place);
    if (text === undefined) {
      const start = Math.floor(place / EXCERPTS_ASKED) * EXCERPTS_ASKED;
      this.want("rows", `${name} ${start}`, [name, start, Math.min(start + EXCERPTS_ASKED, count)]);
    }
    return text ?? null;
  }

  // The differing words of a pair; `whole` with all that is the same between them.
  pair(i, j, whole = false) {
    const name = `${i} ${j} ${Number(whole)}`;
    const shown = this.pairs.get(name);
    if (!shown) this.want("pairs", name, [i, j, Number(whole)]);
    return shown ?? (whole ? this.pair(i, j) : null);
  }

  // A message's text as far as it was asked for; `parts` pieces of it.
  text(name, place, parts) {
    let [start, text, total] = [0, "", null];
    for (let part = 0; part < parts; part += 1) {
      const piece = this.texts.get(`${name} ${place} ${start}`);
      if (!piece) {
        this.want("texts", `${name} ${place} ${start}`, [name, place, start]);
        break;
      }
      text += piece.text;
      total = piece.total;
      start += Array.from(piece.text).length; // the server counts characters, not UTF-16 units
      if (start >= total) break;
    }
    return total === null ? null : { text, left: total - start };
  }

  card(at) {
    const shown = this.cards.get(at);
    if (!shown) this.want("cards", at, at);
    return shown ?? null;
  }

  listSessions() {
    if (!this.sessions) {
      this.wanted.sessions = true;
      this.soon();
    }
    return this.sessions;
  }

  listCalls(session) {
    const rows = this.calls.get(session);
    if (!rows) {
      this.wanted.calls = session;
      this.soon();
    }
    return rows ?? null;
  }

  // Set a watch, {text}, or remove one, {remove}.
  watch(what) {
    this.wanted.watch = what;
    this.soon();
  }

  want(list, name, value) {
    this.wanted[list].set(name, value);
    this.soon();
  }

  soon() {
    this.later ??= setTimeout(() => {
      this.later = undefined;
      this.ask();
    }, 0);
  }

  // What is still looked at asks again when it is drawn: nothing waits here for more than one question.
  ask() {
    const { wanted } = this;
    if (this.waiting || (LISTS.every((list) => !wanted[list].size) && !wanted.sessions && !wanted.watch && wanted.calls === null)) return;
    clearTimeout(this.timer);
    if (!shared.compareSend) {
      this.timer = setTimeout(() => this.ask(), 50);
      return;
    }
    this.waiting = true;
    this.seq += 1;
    const question = { key: this.key, seq: this.seq };
    if (wanted.watch) {
      question.watch = wanted.watch;
      this.watched = this.seq;
      wanted.watch = null;
    }
    for (const list of LISTS) {
      question[list] = [...wanted[list].values()];
      wanted[list].clear();
    }
    if (wanted.sessions) question.sessions = true;
    if (wanted.calls !== null) question.calls = wanted.calls;
    [wanted.sessions, wanted.calls] = [false, null];
    shared.compareSend(question);
    this.timer = setTimeout(() => {
      this.waiting = false;
      this.changed();
    }, ANSWER_WAIT);
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.later);
  }
}
