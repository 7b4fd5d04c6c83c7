// What the browser keeps between visits, as JSON: nothing of it is sent to the server.

/** Something kept under a name: an object, empty at first, or if what is there cannot be read. */
export function kept(name) {
  return {
    get() {
      try {
        const found = JSON.parse(localStorage.getItem(name));
        return found && typeof found === "object" ? found : {};
      } catch {
        return {};
      }
    },
    set(value) {
      localStorage.setItem(name, JSON.stringify(value));
    },
  };
}
