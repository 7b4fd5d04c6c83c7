// Browsers start no workers from files on the disk. There, the script of a worker, which is what searches the site,
// runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      this.scope = frame.contentWindow;
      this.scope.postMessage = (data) => {
        this.deliver(data, (message) => {
          this.dispatchEvent(message);
          this.onmessage?.(message);
        });
      };
      const script = frame.contentDocument.createElement("script");
      script.src = url;
      script.onload = () => {
        this.loaded = true;
        this.waiting.splice(0).forEach((data) => this.postMessage(data));
      };
      frame.contentDocument.head.append(script);
    }

    postMessage(data) {
      if (this.loaded) this.deliver(data, (message) => this.scope.onmessage(message));
      else this.waiting.push(data);
    }

    deliver(data, receive) {  // a copy, later, as between a page and a worker
      const message = new MessageEvent("message", { data: structuredClone(data) });
      setTimeout(() => receive(message));
    }

    terminate() {
      this.scope.frameElement.remove();
    }
  };
}
