// Draws one decision. Every text of a trace goes in as text, never as markup.

const FOLD_ABOVE_CHARS = 1500;

function node(tag, name, text) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined && text !== null) made.textContent = text;
  return made;
}

function folded(summary, text, isOpen) {
  const details = node("details", "folded");
  details.open = Boolean(isOpen);
  details.append(node("summary", "", summary), node("pre", "", text));
  return details;
}

function longText(text, t) {
  if (text.length <= FOLD_ABOVE_CHARS) return node("pre", "", text);
  const box = node("div");
  box.append(node("pre", "", `${text.slice(0, FOLD_ABOVE_CHARS)} …`), folded(t.whole, text));
  return box;
}

function passageNode(passage, t) {
  const box = node("div", `passage ${passage.kind} ${passage.side}`);
  const who = node("div", "who", t.roles[passage.role] ?? passage.role);
  if (passage.kind !== "text") who.append(node("span", "kind", t.kinds[passage.kind]));
  if (passage.name) who.append(node("code", "", passage.name));
  box.append(who);
  if (passage.side === "system") box.append(folded(t.instructions, passage.text));
  else box.append(longText(passage.text, t));
  return box;
}

function conversationNode(item, t) {
  const box = node("section", "conversation");
  box.append(node("h4", "", t.conversation));
  const request = item.conversation.findLast((passage) => passage.side === "user" && passage.kind === "text");
  if (request) {
    const pinned = node("div", "request");
    pinned.append(node("div", "who", t.request), longText(request.text, t));
    box.append(pinned);
  }
  const list = node("div", "passages");
  list.tabIndex = 0;
  if (!item.conversation.length) list.append(node("p", "muted", t.conversation_hidden));
  for (const passage of item.conversation) list.append(passageNode(passage, t));
  box.append(list);
  return box;
}

function choiceNode(item, t) {
  const box = node("section", "choice");
  box.append(node("h4", "", t.choice));
  if (!item.chosen) box.append(node("div", "tool none", t.no_call));
  else {
    const name = node("div", "tool");
    name.append(node("code", "", item.chosen.tool));
    if (item.is_offered === false) name.append(node("span", "mark", t.not_offered));
    box.append(name, longText(item.chosen.arguments ?? t.arguments_hidden, t));
  }
  if (item.said) {
    const said = node("div", "said");
    said.append(node("div", "who", t.said), longText(item.said, t));
    box.append(said);
  }
  for (const other of item.beside) box.append(node("div", "who", `${t.beside}: ${other.tool}`), longText(other.arguments ?? t.arguments_hidden, t));
  return box;
}

function toolNode(tool, isChosen, t) {
  const box = node("details", isChosen ? "offer chosen" : "offer");
  const head = node("summary");
  head.append(node("code", "", tool.name), node("span", "description", tool.description ?? ""));
  box.append(head);
  if (tool.schema) box.append(node("div", "who", t.schema), node("pre", "", tool.schema));
  return box;
}

function offeredNode(item, tools, t) {
  const box = node("section", "offered");
  box.append(node("h4", "", `${t.offered} (${tools.length})`));
  if (!tools.length) box.append(node("p", "muted", t.offered_hidden));
  for (const tool of tools) box.append(toolNode(tool, tool.name === item.chosen?.tool, t));
  return box;
}

function linesNode(name, title, lines, t) {
  const box = node("section", name);
  box.append(node("h4", "", title));
  for (const line of lines) box.append(node("div", "who", line.name), longText(line.text, t));
  return box;
}
