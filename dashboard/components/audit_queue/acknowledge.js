// Tells the queue on this page what the store holds. It is a component of its own because its data
// are small and change with every label, while the queue's are large and stay as they are.

const STORED = Symbol.for("toolsight.audit.stored");

export default function ({ data }) {
  window[STORED] = data;
  window.dispatchEvent(new Event("toolsight-audit-stored"));
}
