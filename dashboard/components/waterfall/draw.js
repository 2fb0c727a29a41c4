// Draws a trace as rows of bars. Only the rows in view exist in the document, and every word from
// a trace goes in through textContent.

const ROW_HEIGHT = 24;
const OVERSCAN = 6;
const MOST_INDENT = 10;
const INDENT = 12;

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

class Drawing {
  layout() {
    if (!this.trace) return;
    this.width = this.root.clientWidth;
    this.visible = visibleRows(this.trace, this.collapsed, this.match);
    this.spacer.style.height = `${this.visible.length * ROW_HEIGHT}px`;
    this.viewport.style.height = `${Math.min(560, Math.max(6, this.visible.length) * ROW_HEIGHT)}px`;
    this.drawCount();
    this.drawAxis();
    this.drawIdle();
    this.scheduleOverview();
    this.paint();
  }

  // After the rows: it draws every span of the trace.
  scheduleOverview() {
    cancelAnimationFrame(this.overviewFrame);
    this.overviewFrame = requestAnimationFrame(() => { this.overviewFrame = requestAnimationFrame(() => this.drawOverview()); });
  }

  schedulePaint() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.paint());
  }

  drawCount() {
    const { n } = this.trace;
    const hits = this.match ? `${this.labels.hits}: ${this.match.hits.length} · ` : "";
    this.count.textContent = `${hits}${this.visible.length} / ${n} ${this.labels.spans}`;
  }

  drawAxis() {
    const total = this.trace.total;
    const [from, to] = this.window.map((x) => x * total);
    const most = Math.max(2, Math.floor(this.axis.clientWidth / 70));
    const nodes = ticks(from, to, most).map((value) => {
      const node = element("span", "tick", formatDuration(value));
      const x = ((value - from) / (to - from)) * 100;
      node.style.left = `${x}%`;
      if (x > 92) node.classList.add("last");
      return node;
    });
    this.axis.replaceChildren(...nodes);
  }

  // Times in which no span without children ran, hatched behind the bars.
  drawIdle() {
    const total = this.trace.total;
    const [from, to] = this.window;
    const stops = [];
    for (const [a, b] of this.trace.idle) {
      const left = Math.max(0, (a / total - from) / (to - from)) * 100;
      const right = Math.min(1, (b / total - from) / (to - from)) * 100;
      if (right > left) stops.push(`transparent ${left}%`, `var(--idle) ${left}%`, `var(--idle) ${right}%`, `transparent ${right}%`);
    }
    this.root.style.setProperty("--idle-stripes", stops.length ? `linear-gradient(90deg, transparent 0%, ${stops.join(", ")})` : "none");
  }

  // Every span of the trace, 20,000 perhaps: only when they, the window, the size or the colours changed.
  drawOverview() {
    const canvas = this.overview;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    const style = getComputedStyle(this.root);
    const { n, start, total, role, roles, isError } = this.trace;
    const color = roles.map((name) => style.getPropertyValue(`--role-${name}`) || style.color);
    const error = style.getPropertyValue("--error");
    const drawn = [this.version, ...this.window, width, height, ratio, ...color, error].join();
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const thickness = Math.max(1, (height - 4) / n);
    for (let i = 0; i < n; i++) {
      if (start[i] === null) continue;
      context.fillStyle = isError[i] ? error : color[role[i]];
      context.fillRect((start[i] / total) * width, 2 + (i / n) * (height - 4), Math.max(1, (this.extent(i) / total) * width), thickness);
    }
    context.fillStyle = style.getPropertyValue("--shade");
    context.fillRect(0, 0, this.window[0] * width, height);
    context.fillRect(this.window[1] * width, 0, width, height);
  }

  drawLegend() {
    const present = new Set(this.trace.role);
    const items = this.trace.roles.map((name, k) => [name, k]).filter(([name, k]) => present.has(k) && name !== "missing").map(([name]) => {
      const item = element("span", "key");
      const dot = element("span", "dot");
      dot.style.background = `var(--role-${name})`;
      item.append(dot, element("span", "", this.labels.roles[name] ?? name));
      return item;
    });
    if (this.trace.idle.length) {
      const item = element("span", "key");
      item.append(element("span", "dot idle"), element("span", "", this.labels.idle));
      items.push(item);
    }
    this.legend.replaceChildren(...items, element("span", "hint", this.labels.keys));
  }

  paint() {
    const { scrollTop, clientHeight } = this.viewport;
    const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - OVERSCAN);
    const last = Math.min(this.visible.length, Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT) + OVERSCAN);
    const fragment = document.createDocumentFragment();
    for (let k = first; k < last; k++) fragment.append(this.row(this.visible[k], k));
    this.rows.replaceChildren(fragment);
  }

  row(i, k) {
    const { trace } = this;
    const node = element("div", "row");
    node.dataset.i = i;
    node.dataset.span = trace.ids[i];
    node.style.top = `${k * ROW_HEIGHT}px`;
    node.setAttribute("role", "treeitem");
    node.setAttribute("aria-level", trace.depth[i] + 1);
    node.setAttribute("aria-selected", i === this.selected);
    if (trace.size[i] > 1) node.setAttribute("aria-expanded", !this.collapsed.has(i));
    if (trace.isError[i]) node.classList.add("error");
    if (trace.state[i] === "missing") node.classList.add("missing");
    if (this.isSameCall(i)) node.classList.add("same-call");
    node.append(this.nameCell(i), this.timeCell(i));
    return node;
  }

  nameCell(i) {
    const { trace } = this;
    const cell = element("div", "name");
    cell.style.paddingLeft = `${6 + Math.min(trace.depth[i], MOST_INDENT) * INDENT}px`;
    const isParent = trace.size[i] > 1;
    const isShut = this.collapsed.has(i) && !this.match;
    cell.append(element("span", "twisty", isParent ? (isShut ? "▸" : "▾") : ""));
    if (trace.depth[i] > MOST_INDENT) cell.append(element("span", "depth", `${trace.depth[i]}›`));
    const dot = element("span", "dot");
    dot.style.background = `var(--role-${trace.roles[trace.role[i]]})`;
    cell.append(dot);
    if (trace.isError[i]) cell.append(this.mark("✕", this.labels.error));
    if (trace.cut.includes(i)) cell.append(this.mark("↺", this.labels.cycle));
    const { before, after } = trace.outside.get(i) ?? {};
    if (before) cell.append(this.skew("⇤", before, this.labels.before));
    if (after) cell.append(this.skew("⇥", after, this.labels.after));
    const tried = trace.tries.get(i);
    cell.append(element("span", "label", trace.label(i)));
    if (tried) cell.append(this.note("try", `↻ ${tried.number}/${tried.of}`, filledIn(this.labels.try, tried)));
    if (trace.detail(i)) cell.append(element("span", "detail", trace.detail(i)));
    if (isParent && isShut) cell.append(element("span", "hidden", `+${trace.size[i] - 1}`));
    cell.title = `${trace.label(i)} ${trace.detail(i)}`;
    return cell;
  }

  // Whether the row is another try of what the selected row tries.
  isSameCall(i) {
    const { tries } = this.trace;
    return i !== this.selected && tries.has(i) && tries.get(i).root === tries.get(this.selected)?.root;
  }

  mark(text, title) {
    return this.note("mark", text, title);
  }

  skew(arrow, us, text) {
    const by = formatDuration(us);
    return this.note("skew", `${arrow} ${by}`, filledIn(text, { by }));
  }

  note(className, text, title) {
    const node = element("span", className, text);
    node.title = title;
    node.setAttribute("aria-label", title);
    return node;
  }

  timeCell(i) {
    const { trace } = this;
    const cell = element("div", "time");
    if (trace.start[i] === null) {
      cell.append(element("span", "note start", this.labels[trace.state[i]] ?? ""));
      return cell;
    }
    const [from, to] = this.window;
    const scale = (us) => ((us / trace.total - from) / (to - from)) * 100;
    const left = scale(trace.start[i]);
    const right = scale(trace.start[i] + this.extent(i));
    if (right < 0 || left > 100) {
      cell.append(element("span", right < 0 ? "note start" : "note end", right < 0 ? "‹" : "›"));
      return cell;
    }
    this.appendBar(cell, i, Math.max(0, left), Math.min(100, right));
    return cell;
  }

  appendBar(cell, i, left, right) {
    const { trace } = this;
    const bar = element("div", `span-bar ${trace.state[i]}`);
    bar.style.left = `min(${left}%, 100% - 2px)`;
    bar.style.width = `max(2px, ${right - left}%)`;
    if (!trace.isError[i]) bar.style.background = `var(--role-${trace.roles[trace.role[i]]})`;
    const text = trace.duration[i] === null ? this.labels[trace.state[i]] : formatDuration(trace.duration[i]);
    const note = element("span", "note", text);
    if (right < 82) note.style.left = `calc(${right}% + 5px)`;
    else if (left > 18) note.style.right = `calc(${100 - left}% + 5px)`;
    else { note.classList.add("inside"); note.style.right = "6px"; }
    cell.append(bar, note);
  }
}
