// One small line: gaps stay gaps, the limit is dashed, the last point is marked.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 200;
const HEIGHT = 40;
const MARGIN = 4;

function shape(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

// Runs of points that follow each other without a gap.
function runs(values, place) {
  const found = [];
  let run = [];
  values.forEach((value, i) => {
    if (value === null) {
      if (run.length) found.push(run);
      run = [];
    } else run.push(place(i, value));
  });
  if (run.length) found.push(run);
  return found;
}

function scale(values, limit) {
  const known = values.filter((value) => value !== null);
  if (limit !== null) known.push(limit);
  const low = Math.min(0, ...known);
  const high = Math.max(...known, low + 1e-12);
  const step = values.length > 1 ? (WIDTH - 2 * MARGIN) / (values.length - 1) : 0;
  const y = (value) => HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN);
  return { x: (i) => (step ? MARGIN + i * step : WIDTH / 2), y };
}

function draw(root, { values, limit, label }) {
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
  const title = shape("title", {});
  title.textContent = label;
  svg.append(title);
  const { x, y } = scale(values, limit);
  if (limit !== null) svg.append(shape("line", { class: "limit", x1: 0, x2: WIDTH, y1: y(limit), y2: y(limit) }));
  const lines = runs(values, (i, value) => [x(i), y(value)]);
  for (const run of lines) {
    if (run.length === 1) svg.append(shape("path", { class: "dot", d: `M${run[0][0]} ${run[0][1]}h0` }));
    else svg.append(shape("polyline", { class: "line", points: run.map((point) => point.join(",")).join(" ") }));
  }
  const last = lines.at(-1)?.at(-1);
  if (last) svg.append(shape("path", { class: "dot last", d: `M${last[0]} ${last[1]}h0` }));
  root.replaceChildren(svg);
}

export default function ({ parentElement, data }) {
  draw(parentElement.querySelector(".sparkline"), data);
}
