// Draws the grid. Every word of a prompt or a tool goes in through textContent.

const MARKS = { extra: "ins", gone: "del" };

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function head(data) {
  const row = element("div", "row head");
  row.setAttribute("role", "row");
  row.append(element("div", "cell fact", data.fact));
  for (const column of data.columns) {
    const cell = element("div", `cell ${column.is_base ? "base" : ""}`);
    cell.setAttribute("role", "columnheader");
    const line = element("div", "line");
    line.append(element("span", "title", column.title), element("span", "figure", column.figure));
    cell.append(line);
    const under = element("div", "line");
    under.append(element("span", `origin ${column.tone}`, column.origin));
    if (column.saving) under.append(element("span", "saving", column.saving));
    cell.append(under);
    row.append(cell);
  }
  return row;
}

function factCell(row) {
  const cell = element("div", "cell fact");
  cell.setAttribute("role", "rowheader");
  cell.append(element("div", "title", row.title));
  if (row.entity) cell.append(element("div", "entity", row.entity));
  for (const note of row.notes) cell.append(element("div", "note", note));
  return cell;
}

// An indented line must not break right after its indent.
function indented(words) {
  return words.replace(/\n +/g, (indent) => indent.replaceAll(" ", "\u00a0"));
}

function textCell(value, title) {
  const blank = value.parts.length || value.note ? "" : " blank";
  const cell = element("div", `cell text ${value.status}${value.broken ? " broken" : ""}${blank}`);
  cell.setAttribute("role", "cell");
  cell.dataset.column = title;
  if (value.note) cell.append(element("span", "status", value.note));
  if (value.parts.length) {
    const text = element("pre", "words");
    for (const [words, mark] of value.parts) {
      const shown = indented(words);
      text.append(MARKS[mark] ? element(MARKS[mark], mark, shown) : document.createTextNode(shown));
    }
    cell.append(text);
  }
  return cell;
}

function draw(root, data) {
  const grid = element("div", "grid");
  grid.setAttribute("role", "table");
  grid.style.setProperty("--columns", data.columns.length);
  grid.append(head(data));
  for (const row of data.rows) {
    const line = element("div", `row ${row.tone}`);
    line.setAttribute("role", "row");
    line.append(factCell(row));
    row.cells.forEach((cell, i) => line.append(textCell(cell, data.columns[i].title)));
    grid.append(line);
  }
  root.replaceChildren(grid);
}

export default function ({ parentElement, data }) {
  draw(parentElement.querySelector(".prompt-diff"), data);
}
