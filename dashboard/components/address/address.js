// Keeps one history entry a navigation. When a page is opened with a query, Streamlit pushes the
// new query under the old path first and, once the server has answered, the new path; Back would then
// stop at an address that nobody ever saw. A change of the path alone that nobody asked for by a link or
// a button is that second half, however late it comes, and replaces the first. A further click into a
// table is no such wish: people click again while a page is slow.

const CONTROLS = 'a[href], button, input, summary, [role="button"], [role="option"]';
const MARK = Symbol.for("toolsight.address");

function isControl(event) {
  return event.composedPath().some((node) => node instanceof Element && node.matches(CONTROLS));
}

function keepOneEntry() {
  const { history, location } = window;
  if (history[MARK]) return;
  history[MARK] = true;
  const push = history.pushState.bind(history);
  let isAsked = false;
  document.addEventListener("click", (event) => { isAsked ||= isControl(event); }, true);
  window.addEventListener("popstate", () => { isAsked = false; });
  history.pushState = (state, title, url) => {
    const target = new URL(url ?? location.href, location.href);
    const isPathOnly = target.pathname !== location.pathname && target.search === location.search;
    if (isPathOnly && !isAsked) history.replaceState(state, title, url);
    else push(state, title, url);
    isAsked = false;
  };
}

export default function () {
  keepOneEntry();
}
