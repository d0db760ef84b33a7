// Browsers refuse workers to pages that are opened from a disk, and the search of the site runs in
// one. Here its script runs in a hidden frame instead. Material's script looks for IFrameWorker in
// the parent, to find the files next to it.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.inner = frame.contentWindow;
      this.inner.eval("postMessage = (data) => parent.postMessage(data, '*')");
      window.addEventListener("message", (event) => {
        if (event.source === this.inner) {
          const message = new MessageEvent("message", { data: event.data });
          this.dispatchEvent(message);
          if (this.onmessage) this.onmessage(message);
        }
      });
      const script = this.inner.document.createElement("script");
      script.src = new URL(url, location.href).href;
      this.ready = new Promise((resolve) => (script.onload = resolve));
      this.inner.document.body.appendChild(script);
    }

    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {}
  };
  window.Worker = window.IFrameWorker;
}
