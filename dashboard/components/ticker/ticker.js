// Ticks once, `seconds` after it was last answered; never while the tab is hidden.

const RETRY_MS = 30_000; // an answer that is lost is asked for again

export default function ({ data, setTriggerValue }) {
  let due = performance.now() + data.seconds * 1000;
  let timer = 0;

  const wait = () => {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(tick, Math.max(due - performance.now(), 0));
  };
  const tick = () => {
    due = performance.now() + RETRY_MS;
    wait();
    setTriggerValue("tick", data.asked);
  };

  document.addEventListener("visibilitychange", wait);
  wait();
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", wait);
  };
}
