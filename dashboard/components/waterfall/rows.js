// Which rows a trace has and which of them show. Rows come in display order, so the rows beneath
// row i are the `size[i] - 1` rows that follow it. No document here.

function subtreeSizes(parent) {
  const size = new Int32Array(parent.length).fill(1);
  for (let i = parent.length - 1; i >= 0; i--) {
    if (parent[i] >= 0) size[parent[i]] += size[i];
  }
  return size;
}

// What came: a line of JSON, and after it the rows in gzip.
function parts(data) {
  const end = data.indexOf(10);
  return [JSON.parse(new TextDecoder().decode(data.subarray(0, end))), data.subarray(end + 1)];
}

function unzipped(rows) {
  return new Response(new Blob([rows]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

// The rows as they were before they were packed: each start is told by its distance from the one before
// that has one, and only odd states are told, as pairs of row and word.
function sums(steps) {
  let at = 0;
  return steps.map((step) => (step === null ? null : (at += step)));
}

function filled(n, pairs) {
  const words = new Array(n).fill("");
  for (const [i, word] of pairs) words[i] = word;
  return words;
}

function depths(parent) {
  const depth = new Int32Array(parent.length);
  for (let i = 0; i < parent.length; i++) {
    depth[i] = parent[i] < 0 ? 0 : depth[parent[i]] + 1;
  }
  return depth;
}

// What a search looks through, a row each; made at the first one.
function haystack(trace) {
  const { ids, label, detail } = trace;
  trace.haystack ??= ids.map((id, i) => `${label(i)} ${detail(i)} ${id}`.toLowerCase());
  return trace.haystack;
}

// Rows whose label holds the query, each with the rows above it that lead there.
function matchingRows(trace, query) {
  const words = haystack(trace);
  const shown = new Uint8Array(trace.n);
  const hits = [];
  for (let i = 0; i < trace.n; i++) {
    if (!words[i].includes(query)) continue;
    hits.push(i);
    for (let p = i; p >= 0 && !shown[p]; p = trace.parent[p]) shown[p] = 1;
  }
  return { shown, hits };
}

// Indexes of the rows on display: all but those beneath a collapsed row, or those of a search.
function visibleRows(trace, collapsed, match) {
  const rows = [];
  let i = 0;
  while (i < trace.n) {
    if (match && !match.shown[i]) {
      i += trace.size[i];
      continue;
    }
    rows.push(i);
    i += !match && collapsed.has(i) ? trace.size[i] : 1;
  }
  return rows;
}

// A text from the catalogue with the values in it, each where its name stands in braces.
function filledIn(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

function nextError(trace, from) {
  for (let step = 1; step <= trace.n; step++) {
    const i = (from + step) % trace.n;
    if (trace.isError[i]) return i;
  }
  return -1;
}

function threeDigits(value) {
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

// The same words as `dashboard.formats.duration_text`.
function formatDuration(us) {
  if (us === 0) return "0";
  if (us < 1000) return `${Math.round(us)} µs`;
  if (us < 1e6) return `${threeDigits(us / 1e3)} ms`;
  if (us < 6e7) return `${(us / 1e6).toFixed(2)} s`;
  const seconds = Math.round(us / 1e6);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

// Round values that cut [from, to] into at most `most` parts.
function ticks(from, to, most) {
  const raw = (to - from) / most;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * magnitude).find((s) => s >= raw);
  const values = [];
  for (let v = Math.ceil(from / step) * step; v <= to; v += step) values.push(v);
  return values;
}
