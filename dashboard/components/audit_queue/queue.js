// The state of one annotator's queue: where they are, what they said, what the store has confirmed.
// Labels wait in `pending` until the store acknowledges their sequence number; they also wait in the
// browser's storage, under a key of this tab, so that a reload, a closed lid, a stopped server or a
// second tab loses none. A tab that starts takes over what other tabs left behind: giving the same
// label twice stores it once.

const STORED = Symbol.for("toolsight.audit.stored");

class Queue {
  constructor(data) {
    this.batch = data.batch;
    this.annotator = data.annotator;
    this.mode = data.mode;
    this.n = data.n;
    this.start = data.start;
    this.client = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
    this.seq = 0;
    this.at = null;
    this.items = new Map();
    this.given = new Map();
    this.skipped = new Map();
    this.settled = new Set();
    this.raters = new Map();
    this.pending = new Map();
    this.history = [];
    this.outcomes = new Map();
    this.restore();
  }

  is(data) {
    return this.batch === data.batch && this.annotator === data.annotator && this.mode === data.mode;
  }

  get storagePrefix() {
    return `toolsight.audit.${this.mode}.${this.batch}.${this.annotator}.`;
  }

  restore() {
    try {
      const left = Object.keys(localStorage).filter((key) => key.startsWith(this.storagePrefix));
      for (const key of left) for (const draft of drafts(localStorage.getItem(key))) this.pending.set(draft.position, { ...draft, seq: ++this.seq });
      this.keep();
      for (const key of left) localStorage.removeItem(key);
    } catch { /* no storage: nothing waits */ }
  }

  keep() {
    const key = this.storagePrefix + this.client;
    try {
      if (this.pending.size) localStorage.setItem(key, JSON.stringify([...this.pending.values()]));
      else localStorage.removeItem(key);
    } catch { /* no storage: labels still wait in memory */ }
  }

  add(items) {
    for (const item of items) this.items.set(item.position, item);
  }

  // What the store holds; returns whether it is about this queue.
  acknowledge(stored) {
    if (!stored || !this.is(stored)) return false;
    this.given = new Map(stored.given.map((given) => [given.position, given]));
    this.skipped = new Map(stored.skipped.map((skip) => [skip.position, skip.reason]));
    this.settled = new Set(stored.settled);
    this.raters = new Map(stored.raters.map((said) => [said.position, said.lines]));
    if (stored.client === this.client) for (const [position, draft] of this.pending) if (draft.seq <= stored.acked) this.pending.delete(position);
    if (stored.outcome) this.outcomes.set(stored.outcome.position, stored.outcome.lines);
    if (this.at === null) this.at = this.nextOpen(this.start - 1) ?? this.n;
    this.keep();
    return true;
  }

  get item() {
    return this.items.get(this.at);
  }

  // The label that holds here: one that waits, else the stored one; null for none.
  answer(position) {
    const waiting = this.pending.get(position);
    if (waiting?.undo) return null;
    return (waiting?.label ? waiting : this.given.get(position)) ?? null;
  }

  // Why the item was passed over; null when it was not.
  skipReason(position) {
    if (this.answer(position)) return null;
    const waiting = this.pending.get(position);
    return waiting?.skip ?? (waiting?.undo ? null : this.skipped.get(position) ?? null);
  }

  isDone(position) {
    return Boolean(this.answer(position) ?? this.skipReason(position)) || this.settled.has(position);
  }

  get nLabelled() {
    const positions = new Set([...this.given.keys(), ...this.pending.keys()]);
    return [...positions].filter((position) => this.answer(position)).length;
  }

  // Decisions that this queue is about: all, or those that raters disagree on.
  get nWanted() {
    return this.mode === "adjudicate" ? this.raters.size : this.n;
  }

  get nByOthers() {
    const concerns = (position) => this.mode !== "adjudicate" || this.raters.has(position);
    return [...this.settled].filter((position) => concerns(position) && !this.answer(position)).length;
  }

  get isAllDone() {
    return this.nextOpen(-1) === null;
  }

  // The first item that waits after `from`, else the first before it; null when none does.
  nextOpen(from) {
    for (let step = 1; step <= this.n; step++) {
      const position = (from + step + this.n) % this.n;
      if (position !== from && !this.isDone(position)) return position;
    }
    return null;
  }

  put(label, expected, note) {
    const position = this.at;
    const before = this.before(position);
    this.pending.set(position, { position, label, expected, note, seq: ++this.seq });
    this.passed(before);
  }

  // Passed over for a reason; a label that was given holds.
  putSkip(reason) {
    const position = this.at;
    const before = this.before(position);
    if (!before.answer) this.pending.set(position, { position, skip: reason, seq: ++this.seq });
    this.passed(before);
  }

  // What holds of an item before something is said of it.
  before(position) {
    return { position, answer: this.answer(position), skip: this.skipReason(position) };
  }

  passed(before) {
    this.history.push(before);
    this.keep();
    this.at = this.nextOpen(before.position) ?? this.n;
  }

  // The same label with another note.
  annotate(position, note) {
    const before = this.answer(position);
    if (!before || (before.note ?? "") === note) return false;
    this.pending.set(position, { position, label: before.label, expected: before.expected, note, seq: ++this.seq });
    this.keep();
    return true;
  }

  later() {
    this.at = this.nextOpen(this.at) ?? this.at;
  }

  move(step) {
    this.at = Math.min(this.n, Math.max(0, this.at + step));
  }

  // Back to the item of which something was said last, as it was before: an earlier label holds again,
  // and where there was none the store takes back what was said of it since this page was opened.
  undo() {
    const before = this.history.pop();
    if (before === undefined) return false;
    const { position, answer, skip } = before;
    const seq = ++this.seq;
    if (answer) this.pending.set(position, { position, label: answer.label, expected: answer.expected, note: answer.note, seq });
    else this.pending.set(position, { position, undo: true, ...(skip ? { skip } : {}), seq });
    this.keep();
    this.at = position;
    return true;
  }

  work(reveal) {
    const pending = [...this.pending.values()].sort((a, b) => a.seq - b.seq);
    return { batch: this.batch, annotator: this.annotator, mode: this.mode, client: this.client, at: this.at, pending, reveal: reveal ?? null };
  }
}

// What a tab left in the browser's storage; nothing when it cannot be read.
function drafts(text) {
  try {
    const kept = JSON.parse(text ?? "[]");
    return Array.isArray(kept) ? kept.filter((draft) => Number.isInteger(draft?.position)) : [];
  } catch { return []; }
}
