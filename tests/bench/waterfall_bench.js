// What a page saw of itself: when its first bars were painted, what had come by then, and how long
// after a click the detail of the span was. Nothing outside of the page is asked while it loads.
(() => {
  const roots = [];
  const seen = { bars: null, requests: [], socketBytes: 0, wanted: null, told: null, shown: null };
  window.benchmark = seen;

  const afterPaint = (then) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = then;
    channel.port2.postMessage(null);
  });

  function textOf(panel) {
    const inside = roots.filter((root) => panel.contains(root.host)).map((root) => root.textContent);
    return [panel.textContent, ...inside].join(" ");
  }

  function look() {
    if (seen.bars === null && roots.some((root) => root.querySelector(".span-bar"))) {
      seen.bars = 0;
      afterPaint(() => {
        seen.bars = performance.now();
        seen.bytesAtBars = seen.socketBytes;
        const [page] = performance.getEntriesByType("navigation");
        seen.requests = [page, ...performance.getEntriesByType("resource")].map((entry) => ({
          name: entry.name, kB: entry.transferSize / 1000, whole: entry.decodedBodySize / 1000, start: entry.startTime, end: entry.responseEnd,
        }));
      });
    }
    const panel = seen.wanted && document.querySelector(".st-key-span_panel");
    if (!panel) return;
    const text = textOf(panel);
    if (!seen.wanted.every((word) => text.includes(word))) return;
    seen.wanted = null;
    afterPaint(() => { seen.shown = performance.now(); });
  }

  const observer = new MutationObserver(look);
  const watch = (root) => observer.observe(root, { childList: true, characterData: true, subtree: true });
  watch(document);
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, options);
    roots.push(root);
    watch(root);
    return root;
  };
  document.addEventListener("click", (event) => { seen.clicked = event.timeStamp; }, true);
  window.WebSocket = new Proxy(WebSocket, {
    construct(target, given) {
      const socket = new target(...given);
      socket.addEventListener("message", ({ data }) => { seen.socketBytes += data.size ?? data.byteLength ?? data.length; });
      return socket;
    },
  });
})();
