// One choice for all texts of this tab: tables and markup as they read, or the raw text. A reload remembers it.
const RAW = "chunkscope.raw";
function storedRaw() {
  try {
    return sessionStorage.getItem(RAW) === "yes";
  } catch {
    return false;
  } // storage may be forbidden
}
shared.raw ??= storedRaw();

class RawSwitch {
  // `onChange` is called when it was pressed here or elsewhere.
  constructor(onChange) {
    this.el = element("button", "rawswitch", "Raw text");
    this.el.type = "button";
    this.el.title = "Show the raw text with its markup, or the text as it reads";
    this.el.addEventListener("click", () => {
      shared.raw = !shared.raw;
      try {
        sessionStorage.setItem(RAW, shared.raw ? "yes" : "no");
      } catch {
        /* then a reload forgets */
      }
      shared.bus.dispatchEvent(new CustomEvent("chunkscope:raw"));
    });
    this.onRaw = () => {
      this.mark();
      onChange();
    };
    shared.bus.addEventListener("chunkscope:raw", this.onRaw);
    this.mark();
  }
  mark() {
    this.el.setAttribute("aria-pressed", String(shared.raw));
  }
  destroy() {
    shared.bus.removeEventListener("chunkscope:raw", this.onRaw);
    this.el.remove();
  }
}
