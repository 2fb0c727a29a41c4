// Shows a text and copies it. It goes in through textContent: it may be of a trace.

const COPIED_MS = 1500;

// A page without TLS from another machine has no clipboard of its own; a selection can be copied there too.
async function copy(node) {
  if (navigator.clipboard) return navigator.clipboard.writeText(node.textContent);
  getSelection().selectAllChildren(node);
  document.execCommand("copy");
  getSelection().removeAllRanges();
}

function button(node, labels) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "copy";
  made.textContent = labels.copy;
  made.addEventListener("click", async () => {
    await copy(node);
    made.textContent = labels.copied;
    setTimeout(() => { made.textContent = labels.copy; }, COPIED_MS);
  });
  return made;
}

export default function ({ parentElement, data }) {
  const box = parentElement.querySelector(".plain");
  const node = box.querySelector(".text");
  node.textContent = data.text;
  node.style.maxHeight = data.most === null ? "none" : `${data.most}px`;
  box.querySelector(".copy")?.remove();
  if (data.text) box.append(button(node, data.labels));
}
