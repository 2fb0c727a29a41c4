// Keeps one history entry a navigation. When a page is opened with a query, Streamlit pushes the
// new query under the old path first and the new path right after it; Back would then stop at an
// address that nobody ever saw. The second push replaces the first.

const TOGETHER_MS = 1500;
const MARK = Symbol.for("toolsight.address");

function keepOneEntry() {
  const { history, location } = window;
  if (history[MARK]) return;
  history[MARK] = true;
  const push = history.pushState.bind(history);
  let pushed = { href: "", time: 0 };
  history.pushState = (state, title, url) => {
    const target = new URL(url ?? location.href, location.href);
    const isFollowUp =
      target.pathname !== location.pathname &&
      target.search === location.search &&
      pushed.href === location.href &&
      performance.now() - pushed.time < TOGETHER_MS;
    const isQueryOnly = target.pathname === location.pathname;
    if (isFollowUp) history.replaceState(state, title, url);
    else push(state, title, url);
    pushed = { href: isQueryOnly ? target.href : "", time: performance.now() };
  };
}

export default function () {
  keepOneEntry();
}
