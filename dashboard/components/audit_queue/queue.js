// The state of one annotator's queue: where they are, what they said, what the store has confirmed.
// Labels wait in `pending` until the store acknowledges their sequence number; they also wait in the
// browser's storage, so that a reload, a closed lid or a stopped server loses none.

const STORED = Symbol.for("toolsight.audit.stored");

class Queue {
  constructor(data) {
    this.batch = data.batch;
    this.annotator = data.annotator;
    this.n = data.n;
    this.client = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
    this.seq = 0;
    this.at = null;
    this.items = new Map();
    this.given = new Map();
    this.pending = new Map();
    this.history = [];
    this.outcomes = new Map();
    this.restore();
  }

  get storageKey() {
    return `toolsight.audit.${this.batch}.${this.annotator}`;
  }

  restore() {
    let kept = [];
    try { kept = JSON.parse(localStorage.getItem(this.storageKey) ?? "[]"); } catch { /* unreadable: nothing waits */ }
    for (const draft of Array.isArray(kept) ? kept : []) if (Number.isInteger(draft?.position)) this.pending.set(draft.position, { ...draft, seq: ++this.seq });
  }

  keep() {
    try {
      if (this.pending.size) localStorage.setItem(this.storageKey, JSON.stringify([...this.pending.values()]));
      else localStorage.removeItem(this.storageKey);
    } catch { /* no storage: labels still wait in memory */ }
  }

  add(items) {
    for (const item of items) this.items.set(item.position, item);
  }

  // What the store holds; returns whether it is about this queue.
  acknowledge(stored) {
    if (!stored || stored.batch !== this.batch || stored.annotator !== this.annotator) return false;
    this.given = new Map(stored.given.map((given) => [given.position, given]));
    if (stored.client === this.client) for (const [position, draft] of this.pending) if (draft.seq <= stored.acked) this.pending.delete(position);
    if (stored.outcome) this.outcomes.set(stored.outcome.position, stored.outcome.lines);
    if (this.at === null) this.at = this.nextOpen(-1) ?? this.n;
    this.keep();
    return true;
  }

  get item() {
    return this.items.get(this.at);
  }

  answer(position) {
    return this.pending.get(position) ?? this.given.get(position);
  }

  get nLabelled() {
    const labelled = new Set([...this.given.keys(), ...this.pending.keys()]);
    return labelled.size;
  }

  // The first item without a label after `from`, else the first before it; null when all have one.
  nextOpen(from) {
    for (let step = 1; step <= this.n; step++) {
      const position = (from + step + this.n) % this.n;
      if (position !== from && !this.answer(position)) return position;
    }
    return null;
  }

  put(label, expected, note) {
    const position = this.at;
    this.pending.set(position, { position, label, expected, note, seq: ++this.seq });
    this.history.push(position);
    this.keep();
    this.at = this.nextOpen(position) ?? this.n;
  }

  // The same label with another note.
  annotate(position, note) {
    const before = this.answer(position);
    if (!before || (before.note ?? "") === note) return false;
    this.pending.set(position, { position, label: before.label, expected: before.expected, note, seq: ++this.seq });
    this.keep();
    return true;
  }

  skip() {
    this.at = this.nextOpen(this.at) ?? this.at;
  }

  move(step) {
    this.at = Math.min(this.n, Math.max(0, this.at + step));
  }

  // Back to the item labelled last: its label holds until another is given.
  undo() {
    const position = this.history.pop();
    if (position === undefined) return false;
    this.at = position;
    return true;
  }

  work(reveal) {
    const pending = [...this.pending.values()].sort((a, b) => a.seq - b.seq);
    return { batch: this.batch, annotator: this.annotator, client: this.client, at: this.at, pending, reveal: reveal ?? null };
  }
}
