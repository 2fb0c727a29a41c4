// What a person does with a trace: fold, search, move, zoom, choose. The drawing is in draw.js.

const COLLAPSE_ABOVE = 1500;
const SEND_AFTER_MS = 150;
const views = new WeakMap();
const calls = new WeakMap();

function spanInUrl() {
  return new URLSearchParams(window.location.search).get("span");
}

class Waterfall extends Drawing {
  constructor(root) {
    super();
    this.root = root;
    this.collapsed = new Set();
    this.window = [0, 1];
    this.selected = -1;
    this.match = null;
    this.version = null;
  }

  update({ version, first, labels }, rows, send) {
    this.send = send;
    this.labels = labels;
    if (!this.viewport) this.build();
    if (this.version !== version) this.load({ ...rows, first }, version);
    this.layout();
  }

  load(data, version) {
    const ids = data.ids.match(/.{16}/g) ?? [];
    const n = ids.length;
    const isError = new Uint8Array(n);
    for (const i of data.errors) isError[i] = 1;
    const label = (i) => data.names[data.name[i]];
    const detail = (i) => (data.detail[i] < 0 ? "" : data.names[data.detail[i]]);
    this.trace = { ...data, ids, n, start: sums(data.start), state: filled(n, data.state), isError, label, detail, size: subtreeSizes(data.parent), depth: depths(data.parent), idAt: new Map(ids.map((id, i) => [id, i])), tries: new Map(data.tries.map(([i, root, number, of]) => [i, { root, number, of }])), outside: new Map(data.outside.map(([i, before, after]) => [i, { before, after }])) };
    this.version = version;
    this.collapsed = new Set();
    if (n > COLLAPSE_ABOVE) this.collapseFrom(2);
    this.window = [0, 1];
    this.match = null;
    this.search.value = "";
    this.drawLegend();
    this.followUrl();
  }

  // The address says which span is open: on load, on reload, and on Back.
  followUrl() {
    const wanted = this.trace.idAt.get(spanInUrl());
    this.selected = wanted ?? this.trace.first;
    this.reveal(this.selected);
    requestAnimationFrame(() => this.scrollTo(this.selected));
  }

  // --- building ---------------------------------------------------------------------------

  build() {
    const t = this.labels;
    this.root.tabIndex = 0;
    this.search = element("input", "search");
    this.search.type = "search";
    this.search.placeholder = t.search;
    this.search.setAttribute("aria-label", t.search);
    this.count = element("span", "count");
    const bar = element("div", "bar");
    bar.append(this.search, this.button("‹ !", t.previous_error, () => this.jumpToError(-1)), this.button("! ›", t.next_error, () => this.jumpToError(1)), this.button("▸", t.collapse_all, () => this.collapseFrom(1)), this.button("▾", t.expand_all, () => this.expandAll()), this.button("−", t.zoom_out, () => this.zoom(2)), this.button("+", t.zoom_in, () => this.zoom(0.5)), this.button("⤢", t.zoom_span, () => this.zoomToSelected()), this.button("1:1", t.zoom_reset, () => this.setWindow(0, 1)), this.count);
    this.overview = element("canvas", "overview");
    this.overview.title = t.drag_to_zoom;
    this.axis = element("div", "axis");
    const head = element("div", "head");
    head.append(element("div", "head-name", t.span), this.axis);
    this.viewport = element("div", "viewport");
    this.viewport.setAttribute("role", "tree");
    this.viewport.setAttribute("aria-label", t.span);
    this.spacer = element("div", "spacer");
    this.rows = element("div", "rows");
    this.viewport.append(this.spacer, this.rows);
    this.legend = element("div", "legend");
    this.root.append(bar, this.overview, head, this.viewport, this.legend);
    this.listen();
  }

  button(text, title, action) {
    const node = element("button", "button", text);
    node.type = "button";
    node.title = title;
    node.setAttribute("aria-label", title);
    node.addEventListener("click", action);
    return node;
  }

  listen() {
    this.viewport.addEventListener("scroll", () => this.schedulePaint());
    this.search.addEventListener("input", () => this.find());
    this.rows.addEventListener("click", (event) => this.clicked(event));
    this.root.addEventListener("keydown", (event) => this.pressed(event));
    for (const strip of [this.overview, this.axis]) this.listenForDrag(strip);
    this.onPop = () => { this.followUrl(); this.layout(); };
    window.addEventListener("popstate", this.onPop);
    this.resize = new ResizeObserver(() => this.resized());
    this.resize.observe(this.root);
  }

  // An observer tells the size that was drawn for, too.
  resized() {
    if (this.root.clientWidth !== this.width) this.layout();
  }

  listenForDrag(strip) {
    let from = null;
    const base = () => (strip === this.overview ? [0, 1] : this.window);
    const at = (event) => {
      const box = strip.getBoundingClientRect();
      const x = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      return base()[0] + x * (base()[1] - base()[0]);
    };
    strip.addEventListener("pointerdown", (event) => { from = at(event); strip.setPointerCapture(event.pointerId); });
    strip.addEventListener("pointerup", (event) => {
      const to = at(event);
      if (from !== null && Math.abs(to - from) > 0.005 * (base()[1] - base()[0])) this.setWindow(Math.min(from, to), Math.max(from, to));
      from = null;
    });
    strip.addEventListener("dblclick", () => this.setWindow(0, 1));
  }

  destroy() {
    window.removeEventListener("popstate", this.onPop);
    this.resize.disconnect();
    clearTimeout(this.pending);
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.overviewFrame);
  }

  // --- what a person does -------------------------------------------------------------------

  clicked(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    const i = Number(row.dataset.i);
    if (event.target.closest(".twisty")) this.toggle(i);
    else { this.select(i, false); this.sendNow(); }
  }

  pressed(event) {
    if (event.target === this.search) {
      if (event.key === "Escape") { this.search.value = ""; this.find(); this.root.focus(); }
      if (event.key === "Enter" && this.match && this.match.hits.length) { this.select(this.nextHit(), true); }
      return;
    }
    const action = this.keys()[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  keys() {
    const at = this.visible.indexOf(this.selected);
    const move = (k) => this.select(this.visible[Math.min(this.visible.length - 1, Math.max(0, k))], true);
    const down = () => move(at + 1);
    const up = () => move(at - 1);
    return {
      ArrowDown: down, j: down, ArrowUp: up, k: up,
      ArrowRight: () => this.open(), ArrowLeft: () => this.shut(),
      Home: () => move(0), End: () => move(this.visible.length - 1),
      Enter: () => this.sendNow(), e: () => this.jumpToError(1), E: () => this.jumpToError(-1),
      "/": () => this.search.focus(), z: () => this.zoomToSelected(), 0: () => this.setWindow(0, 1),
    };
  }

  find() {
    const query = this.search.value.trim().toLowerCase();
    this.match = query ? matchingRows(this.trace, query) : null;
    this.viewport.scrollTop = 0;
    this.layout();
  }

  nextHit() {
    const hits = this.match.hits;
    return hits.find((i) => i > this.selected) ?? hits[0];
  }

  jumpToError(direction) {
    const { n } = this.trace;
    const found = direction > 0 ? nextError(this.trace, this.selected) : this.previousError(n);
    if (found >= 0) this.select(found, true);
  }

  previousError(n) {
    for (let step = 1; step <= n; step++) {
      const i = (this.selected - step + n) % n;
      if (this.trace.isError[i]) return i;
    }
    return -1;
  }

  select(i, scroll) {
    if (i === undefined) return;
    this.selected = i;
    this.reveal(i);
    this.layout();
    if (scroll) this.scrollTo(i);
    clearTimeout(this.pending);
    this.pending = setTimeout(() => this.sendNow(), SEND_AFTER_MS);
  }

  sendNow() {
    clearTimeout(this.pending);
    if (this.trace.state[this.selected] !== "missing") this.send("selected", this.trace.ids[this.selected]);
  }

  toggle(i) {
    if (this.collapsed.has(i)) this.collapsed.delete(i);
    else this.collapsed.add(i);
    this.layout();
  }

  open() {
    const i = this.selected;
    if (this.collapsed.has(i)) this.toggle(i);
    else if (this.trace.size[i] > 1) this.select(i + 1, true);
  }

  shut() {
    const i = this.selected;
    if (this.trace.size[i] > 1 && !this.collapsed.has(i)) this.toggle(i);
    else if (this.trace.parent[i] >= 0) this.select(this.trace.parent[i], true);
  }

  collapseFrom(depth) {
    const { n, size } = this.trace;
    this.collapsed = new Set();
    for (let i = 0; i < n; i++) if (this.trace.depth[i] >= depth && size[i] > 1) this.collapsed.add(i);
    if (this.visible) this.layout();
  }

  expandAll() {
    this.collapsed = new Set();
    this.layout();
  }

  reveal(i) {
    for (let p = this.trace.parent[i]; p >= 0; p = this.trace.parent[p]) this.collapsed.delete(p);
  }

  scrollTo(i) {
    const k = this.visible ? this.visible.indexOf(i) : -1;
    if (k < 0) return;
    const top = k * ROW_HEIGHT;
    const { scrollTop, clientHeight } = this.viewport;
    if (top < scrollTop || top > scrollTop + clientHeight - ROW_HEIGHT) this.viewport.scrollTop = Math.max(0, top - clientHeight / 2);
  }

  setWindow(from, to) {
    this.window = [Math.max(0, from), Math.min(1, to)];
    this.layout();
  }

  zoom(factor) {
    const [from, to] = this.window;
    const middle = (from + to) / 2;
    const half = Math.min(0.5, Math.max(1e-6, ((to - from) / 2) * factor));
    const left = Math.min(Math.max(0, middle - half), 1 - 2 * half);
    this.setWindow(left, left + 2 * half);
  }

  zoomToSelected() {
    const { start, total } = this.trace;
    const i = this.selected;
    if (start[i] === null) return;
    const from = start[i] / total;
    const width = Math.max(this.extent(i) / total, 1e-6);
    this.setWindow(from - width * 0.1, from + width * 1.1);
  }

  // Length of the bar in µs; an unfinished span runs to the end of what was received.
  extent(i) {
    const { duration, start, total } = this.trace;
    return duration[i] === null ? Math.max(0, total - start[i]) : duration[i];
  }
}

// Called at every change of data or theme, a second time perhaps while the rows of the first are unpacked:
// then only the last one draws.
export default async function ({ parentElement, data, setStateValue }) {
  const call = {};
  calls.set(parentElement, call);
  const [head, packed] = parts(data);
  const isKnown = views.get(parentElement)?.version === head.version;
  const rows = isKnown ? null : await unzipped(packed);
  if (calls.get(parentElement) !== call) return undefined;
  let view = views.get(parentElement);
  if (!view) {
    view = new Waterfall(parentElement.querySelector(".waterfall"));
    views.set(parentElement, view);
  }
  view.update(head, rows, setStateValue);
  return () => {
    view.destroy();
    views.delete(parentElement);
    view.root.replaceChildren();
  };
}
