// Says once that the browser is at rest: what stood before this on the page is drawn, and has been seen.

const AT_MOST_MS = 3_000; // a browser that never rests is not waited for longer

export default function ({ setTriggerValue }) {
  const say = () => setTriggerValue("painted", true);
  const whenIdle =
    window.requestIdleCallback ?? ((then) => setTimeout(then, AT_MOST_MS / 10));
  // What was drawn last before the rest may wait for its frame still: saying takes the thread from it.
  const afterFrame = (then) => {
    frame = requestAnimationFrame(() => setTimeout(then));
  };
  let frame = requestAnimationFrame(() => whenIdle(() => afterFrame(say), { timeout: AT_MOST_MS }));
  return () => cancelAnimationFrame(frame);
}
