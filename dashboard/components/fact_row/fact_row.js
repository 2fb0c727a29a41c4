// Draws words and values. Every one goes in through textContent: values come from traces.

function element(tag, className, text) {
  const node = document.createElement(tag);
  node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function drawn([word, value]) {
  const node = element("div", "fact");
  node.append(element("dt", "word", word), element("dd", "value", value));
  return node;
}

export default function ({ parentElement, data }) {
  parentElement.querySelector(".facts").replaceChildren(...data.facts.map(drawn));
}
