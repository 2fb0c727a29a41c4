// What a person does with the queue: keys and buttons. The state is in queue.js, the drawing of one
// decision in draw.js.

const PICK_KEYS = "123456789abcdefghijklmnopqrstuvwxyz";
const REFILL_STEP = 25;
const views = new WeakMap();

class AuditView {
  constructor(root) {
    this.root = root;
    this.queue = null;
    this.picking = null;
    this.isFull = false;
    this.onKey = (event) => this.pressed(event);
    this.onStored = () => this.stored();
    document.addEventListener("keydown", this.onKey);
    window.addEventListener("toolsight-audit-stored", this.onStored);
  }

  destroy() {
    document.removeEventListener("keydown", this.onKey);
    window.removeEventListener("toolsight-audit-stored", this.onStored);
  }

  update(data, send) {
    this.data = data;
    this.t = data.t;
    this.sendWork = send;
    if (!this.queue?.is(data)) {
      this.queue = new Queue(data);
      this.block = null;
      this.picking = null;
    }
    this.queue.add(data.items);
    this.drawnAt = undefined;
    this.stored();
  }

  stored() {
    const isFirst = this.queue.at === null;
    if (!this.queue.acknowledge(window[STORED])) return;
    if (isFirst && this.queue.pending.size) this.send();
    if (this.drawnAt !== this.queue.at || this.drawnItem !== this.queue.item) this.draw();
    else this.refresh();
  }

  send(reveal) {
    this.block = Math.floor(this.queue.at / REFILL_STEP);
    this.sendWork("work", this.queue.work(reveal));
  }

  // After a step without a label: the server learns where we are only when it has to send more.
  moved() {
    if (Math.floor(this.queue.at / REFILL_STEP) !== this.block) this.send();
    this.draw();
  }

  // --- keys ---------------------------------------------------------------------------------

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.queue?.at === null) return;
    const target = event.composedPath()[0];
    if (target === this.note && ["Enter", "Escape"].includes(event.key) && !event.isComposing) {
      event.preventDefault();
      this.note.blur();
      return;
    }
    if (target?.closest?.("input, textarea, select, [contenteditable=true], [role=listbox], [role=combobox], [role=dialog], [role=menu]")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = this.picking ? this.pickAction(key) : this.action(key);
    if (!action || event.repeat) return;
    event.preventDefault();
    action();
  }

  action(key) {
    const label = this.data.labels.find((known) => known.key === key);
    if (label) return () => this.choose(label);
    return {
      ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1),
      n: () => this.note?.focus(), s: () => this.skip(), u: () => this.undo(), o: () => this.reveal(),
    }[key];
  }

  pickAction(key) {
    if (key === "Escape") return () => this.stopPicking();
    const option = this.picking.options.find((known) => known.key === key);
    return option && (() => this.picked(option));
  }

  // --- what a person does ---------------------------------------------------------------------

  applies(label) {
    return this.queue.item && (this.queue.item.chosen ? label.for_call : label.for_none);
  }

  choose(label) {
    const { item } = this.queue;
    if (!item) return;
    if (!this.applies(label)) { this.say(item.chosen ? this.t.is_call : this.t.is_none); return; }
    if (!label.needs_expected) { this.put(label.id, null); return; }
    const others = this.tools(item).filter((tool) => tool.name !== item.chosen?.tool).slice(0, PICK_KEYS.length);
    const options = others.map((tool, at) => ({ key: PICK_KEYS[at], text: tool.name, isCode: true, action: () => this.put(label.id, tool.name) }));
    options.push({ key: "0", text: this.t.another_tool, action: () => this.put(label.id, null) });
    this.pick(`${label.name}: ${this.t.which_tool}`, options);
  }

  // Asks for one of several; the next key decides.
  pick(title, options) {
    this.picking = { title, options };
    this.refresh();
  }

  picked(option) {
    this.picking = null;
    option.action();
  }

  stopPicking() {
    this.picking = null;
    this.refresh();
  }

  put(label, expected) {
    this.queue.put(label, expected, this.note?.value.trim() ?? "");
    this.send();
    this.draw();
  }

  step(by) {
    this.queue.move(by);
    this.moved();
  }

  skip() {
    const isFree = this.queue.item && !this.queue.answer(this.queue.at);
    if (!isFree || this.queue.mode === "adjudicate") { this.later(); return; }
    const options = this.data.skips.map((reason) => ({ key: reason.key, text: reason.name, action: () => this.skipFor(reason.id) }));
    options.push({ key: "s", text: this.t.skip_later, action: () => this.later() });
    this.pick(this.t.skip_why, options);
  }

  skipFor(reason) {
    this.queue.putSkip(reason);
    this.send();
    this.draw();
  }

  later() {
    const before = this.queue.at;
    this.queue.later();
    this.moved();
    if (this.queue.at === before) this.say(this.t.last_open);
  }

  undo() {
    if (!this.queue.undo()) { this.say(this.t.nothing_to_undo); return; }
    this.send();
    this.draw();
    this.say(this.t.undone);
  }

  reveal() {
    const { queue } = this;
    if (queue.given.has(queue.at)) this.send(queue.at);
    else this.say(queue.pending.has(queue.at) ? this.t.saving_first : this.t.label_first);
  }

  noteLeft(position, text) {
    if (this.queue.annotate(position, text.trim())) this.send();
    this.refresh();
  }

  tools(item) {
    return this.data.catalogues[item.catalogue] ?? [];
  }

  // --- drawing --------------------------------------------------------------------------------

  draw() {
    const { queue, t } = this;
    this.picking = null;
    this.drawnAt = queue.at;
    this.drawnItem = queue.item;
    this.head = node("div", "head");
    this.message = node("div", "message");
    this.message.setAttribute("role", "status");
    this.answers = node("div", "answers");
    this.note = null;
    const { item } = queue;
    const body = item ? this.itemNode(item) : node("div", "end", queue.at >= queue.n ? (queue.isAllDone ? t.all_done : t.end) : t.loading);
    this.root.dataset.position = queue.at;
    this.root.replaceChildren(this.head, body, this.message, this.answers, this.tail(item));
    const list = this.root.querySelector(".passages");
    if (list) list.scrollTop = list.scrollHeight;
    this.refresh();
    const reason = this.data.skips.find((known) => known.id === queue.skipReason(queue.at));
    if (reason) this.say(`${t.skipped_here}: ${reason.name}`);
  }

  itemNode(item) {
    const { t } = this;
    const body = node("div", "body");
    if (!item.is_stored) {
      body.append(node("p", "muted", t.not_stored));
      return body;
    }
    const right = node("div", "side");
    const said = this.queue.raters.get(item.position);
    right.append(choiceNode(item, t), ...(said ? [linesNode("raters", t.raters_said, said, t)] : []), offeredNode(item, this.tools(item), t));
    body.append(conversationNode(item, t), right);
    return body;
  }

  tail(item) {
    const { t, queue } = this;
    const bar = node("div", "tail");
    const add = (text, key, action) => bar.append(this.button("plain", text, key, action));
    add(t.back, "←", () => this.step(-1));
    add(t.next, "→", () => this.step(1));
    add(t.skip, "S", () => this.skip());
    add(t.undo, "U", () => this.undo());
    add(t.outcome, "O", () => this.reveal());
    if (!item) return bar;
    this.note = node("input", "note");
    this.note.placeholder = `${t.note} (N)`;
    this.note.setAttribute("aria-label", t.note);
    this.note.maxLength = 2000;
    this.note.value = queue.answer(item.position)?.note ?? "";
    this.note.addEventListener("blur", (event) => this.noteLeft(item.position, event.target.value));
    bar.append(this.note);
    return bar;
  }

  button(name, text, key, action) {
    const made = node("button", name);
    made.type = "button";
    if (key) made.append(node("kbd", "", key));
    made.append(node("span", "", text));
    made.addEventListener("click", () => { made.blur(); action(); });
    return made;
  }

  // What changes while the item stays: progress, what is saved, which label is given.
  refresh() {
    if (!this.head) return;
    this.drawHead();
    this.answers.replaceChildren(...(this.queue.item ? (this.picking ? this.pickNodes() : this.labelNodes()) : []));
    this.drawOutcome();
    this.root.dataset.picking = Boolean(this.picking);
    this.root.dataset.labelled = this.queue.nLabelled;
    this.root.dataset.pending = this.queue.pending.size;
  }

  drawHead() {
    const { queue, t } = this;
    const bar = node("div", "bar");
    const filled = node("div", "filled");
    filled.style.width = `${(100 * (queue.nLabelled + queue.nByOthers)) / queue.nWanted}%`;
    bar.append(filled);
    const place = queue.at >= queue.n ? t.place_end : `${queue.at + 1} / ${queue.n}`;
    const others = queue.nByOthers ? [node("span", "muted", `${queue.nByOthers} ${t.by_others}`)] : [];
    const saved = queue.pending.size ? `${t.saving} ${queue.pending.size}` : t.saved;
    this.head.replaceChildren(node("strong", "place", place), bar, node("span", "done", `${queue.nLabelled} / ${queue.nWanted} ${queue.mode === "adjudicate" ? t.settled : t.labelled}`), ...others, node("span", queue.pending.size ? "saving" : "saved", saved));
  }

  labelNodes() {
    const given = this.queue.answer(this.queue.at);
    this.root.dataset.skipped = this.queue.skipReason(this.queue.at) ?? "";
    return this.data.labels.map((label) => {
      const button = this.button("label", label.name, label.key, () => this.choose(label));
      button.title = label.hint;
      button.dataset.label = label.id;
      button.disabled = !this.applies(label);
      if (given?.label === label.id) {
        button.classList.add("given");
        button.setAttribute("aria-pressed", "true");
        if (given.expected) button.append(node("code", "", given.expected));
      }
      return button;
    });
  }

  pickNodes() {
    const { title, options } = this.picking;
    const made = options.map((option) => this.button(option.isCode ? "pick" : "plain", option.text, option.key.toUpperCase(), () => this.picked(option)));
    return [node("div", "pick-head", title), ...made, this.button("plain", this.t.cancel, "Esc", () => this.stopPicking())];
  }

  drawOutcome() {
    this.root.querySelector(".outcome")?.remove();
    const lines = this.queue.outcomes.get(this.queue.at);
    if (!lines || !this.queue.item) return;
    this.answers.after(linesNode("outcome", this.t.outcome_title, lines, this.t));
  }

  say(text) {
    this.message.textContent = text;
  }
}

export default function ({ parentElement, data, setStateValue }) {
  let view = views.get(parentElement);
  if (!view) {
    view = new AuditView(parentElement.querySelector(".audit"));
    views.set(parentElement, view);
  }
  view.update(data, setStateValue);
  return () => {
    view.destroy();
    views.delete(parentElement);
    view.root.replaceChildren();
  };
}
