// Patterns, one a line, that report while they are typed. The first key after a rest leaves at once; those that follow
// each other closely, as of a held key, leave together once they pause.
const PAUSE = 50; // ms

class Patterns {
  constructor(parent) {
    this.el = element("div", "patterns");
    // Our own fixed markup; texts are set below.
    this.el.innerHTML = `<div class="head"><label for="lines"></label><button class="why" type="button" aria-label="Help">?</button></div>
      <textarea id="lines" spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off" aria-describedby="fault told"></textarea>
      <div class="fault" id="fault" role="alert"></div><div class="tip" role="tooltip"></div>`;
    parent.append(this.el);
    const find = (selector) => this.el.querySelector(selector);
    Object.assign(this, {
      label: find("label"),
      why: find(".why"),
      box: find("textarea"),
      fault: find(".fault"),
      tip: find(".tip"),
    });
    this.box.addEventListener("input", () => this.typed());
    this.box.addEventListener("change", () => this.send());
    for (const [on, off] of [
      ["mouseenter", "mouseleave"],
      ["focus", "blur"],
    ]) {
      this.why.addEventListener(on, () => this.tip.classList.add("on"));
      this.why.addEventListener(off, () => this.tip.classList.remove("on"));
    }
  }
  destroy() {
    clearTimeout(this.timer);
    this.el.remove();
  }

  show(data) {
    if (data.turn !== this.turn) {
      this.turn = data.turn;
      this.box.value = this.sent = data.text;
    }
    this.label.textContent = data.label;
    this.tip.textContent = data.help;
    this.box.placeholder = data.placeholder;
    this.fault.textContent = data.error;
    this.el.classList.toggle("faulty", Boolean(data.error));
    this.box.setAttribute("aria-invalid", String(Boolean(data.error)));
    this.grow();
  }
  grow() {
    this.box.rows = Math.min(8, Math.max(2, this.box.value.split("\n").length));
  }
  typed() {
    const now = performance.now(),
      rested = now - (this.at ?? -PAUSE) >= PAUSE;
    this.at = now;
    this.grow();
    clearTimeout(this.timer);
    if (rested) this.send();
    else this.timer = setTimeout(() => this.send(), PAUSE);
  }
  send() {
    clearTimeout(this.timer);
    if (this.box.value === this.sent) return;
    this.sent = this.box.value;
    this.events.send("value", { text: this.sent, turn: this.turn }, true);
  }
}

define("patterns", Patterns, "settings_form");
