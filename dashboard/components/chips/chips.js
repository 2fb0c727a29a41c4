// Draws groups of chips. Every word goes in through textContent: some come from traces.

function element(tag, className, text) {
  const node = document.createElement(tag);
  node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

function button(group, chip, choose) {
  const node = element("button", "chip");
  node.type = "button";
  node.title = chip.label;
  node.setAttribute("aria-pressed", chip.is_on);
  node.append(element("span", "label", chip.label), element("span", "n", chip.n));
  node.addEventListener("click", () => choose({ name: group.name, value: chip.value }));
  return node;
}

function drawn(group, choose) {
  const node = element("div", "group");
  node.setAttribute("role", "group");
  node.setAttribute("aria-label", group.label);
  node.dataset.name = group.name;
  node.append(element("span", "name", group.label), ...group.chips.map((chip) => button(group, chip, choose)));
  return node;
}

export default function ({ parentElement, data, setTriggerValue }) {
  const choose = (chosen) => setTriggerValue("chosen", chosen);
  parentElement.querySelector(".chips").replaceChildren(...data.groups.map((group) => drawn(group, choose)));
}
