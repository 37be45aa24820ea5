// A slider and a box for one number. While it is dragged, one value at a time is on its way to the server: the newest
// value leaves when the server has confirmed the previous one and the viewer, and the dial if there is one, have
// painted it. (Sending earlier would interrupt the run that is about to paint.) `shared.sliders` has them by key, for
// the curve under them (recall_curve), which reads `places` and `text`, calls `set`, and listens to every change
// ("chunkscope:slid"). `shared.moved` is the time of the last change, in ms.
const DIAL_PATIENCE = 400; // ms that the dial may come after the text; a slower one is shown when the hand rests

// Stops of the slider. Over a wide range they are about 2-3 % apart, so that small sizes are as easy to set as large
// ones.
function placesFor(low, high, step) {
  const places = [];
  if (high <= 64 * Math.max(low, 1) || high - low <= 400 * step)
    for (let i = 0; low + i * step <= high + 1e-9; i++) places.push(+(low + i * step).toFixed(6));
  else
    for (let value = low; value <= high; value += Math.max(step, 2 ** Math.floor(Math.log2(Math.max(1, value)) - 5)))
      places.push(value);
  if (places.at(-1) < high) places.push(high);
  return places;
}
const show = (number) => (Number.isInteger(number) ? number.toLocaleString("en-US") : number.toFixed(2));

class Input {
  constructor(parent) {
    this.el = element("div", "number");
    // Our own fixed markup; texts are set below.
    this.el.innerHTML = `<div class="head"><label for="box"></label><button class="why" type="button" aria-label="Help">?</button><span class="space"></span>
      <span class="field"><input id="box" inputmode="decimal" autocomplete="off" spellcheck="false"><span class="unit"></span><button class="swap" type="button"></button></span></div>
      <input id="slide" type="range"><div class="ends"><span></span><span></span></div><div class="fault" id="fault" role="alert"></div><div class="tip" role="tooltip"></div>`;
    parent.append(this.el);
    const find = (selector) => this.el.querySelector(selector);
    Object.assign(this, {
      label: find("label"),
      why: find(".why"),
      box: find("#box"),
      unit: find(".unit"),
      swap: find(".swap"),
      slide: find("#slide"),
      ends: find(".ends"),
      fault: find(".fault"),
      tip: find(".tip"),
    });
    this.slide.addEventListener("input", () =>
      this.set(String(this.places[+this.slide.value]) + this.sign, this.data.live),
    );
    this.slide.addEventListener("change", () => this.pump());
    this.box.addEventListener("input", () => {
      const text = this.read();
      if (text !== null) this.set(text, this.data.live, true);
    });
    this.box.addEventListener("change", () => {
      const text = this.read();
      if (text !== null) this.set(text, true);
      else this.draw();
    });
    this.box.addEventListener("keydown", (event) => this.onKey(event));
    this.swap.addEventListener("click", () => this.exchange());
    for (const [on, off] of [
      ["mouseenter", "mouseleave"],
      ["focus", "blur"],
    ]) {
      this.why.addEventListener(on, () => this.tip.classList.add("on"));
      this.why.addEventListener(off, () => this.tip.classList.remove("on"));
    }
    this.onPainted = () => {
      this.painted = true;
      this.look();
    };
    this.onDialled = () => {
      this.dialled = true;
      if (this.dialing) this.answered();
    };
    shared.bus.addEventListener("chunkscope:painted", this.onPainted);
    shared.bus.addEventListener("chunkscope:dialled", this.onDialled);
  }
  destroy() {
    shared.bus.removeEventListener("chunkscope:painted", this.onPainted);
    shared.bus.removeEventListener("chunkscope:dialled", this.onDialled);
    clearTimeout(this.dialing);
    if (shared.sliders.get(this.key) === this) shared.sliders.delete(this.key);
    this.el.remove();
  }

  get share() {
    return this.text.endsWith("%");
  }
  get sign() {
    return this.share ? "%" : "";
  }
  get value() {
    return parseFloat(this.text);
  }

  show(data) {
    this.data = data;
    (shared.sliders ??= new Map()).set((this.key = this.events.key), this);
    if (data.turn !== this.turn) {
      this.turn = data.turn;
      this.text = this.sent = data.text;
    }
    this.look();
    this.draw();
  }
  draw() {
    const { data } = this,
      unit = this.share ? "%" : data.unit;
    const [low, high] = this.share ? [0, 99] : [data.minimum, data.maximum];
    // An overlap above one half is typed
    const top = data.whole ? (this.share ? 50 : Math.max(1, Math.floor(data.whole / 2))) : high;
    const shape = `${low} ${top} ${data.step}`;
    if (shape !== this.shape) {
      this.shape = shape;
      this.places = placesFor(low, top, data.step);
      this.slide.min = 0;
      this.slide.max = this.places.length - 1;
      this.ends.children[0].textContent = show(low) + this.sign;
      this.ends.children[1].textContent = show(top) + this.sign;
    }
    this.label.textContent = data.label;
    this.tip.textContent = data.help;
    this.unit.textContent = unit;
    this.swap.hidden = !data.whole;
    this.swap.textContent = this.share ? data.unit : "%";
    this.swap.title = this.share
      ? `Give the ${data.label.toLowerCase()} in ${data.unit}`
      : `Give the ${data.label.toLowerCase()} as a share of the size`;
    this.swap.setAttribute("aria-label", this.swap.title);
    const shown = this.text.replace("%", "");
    if (this.el.getRootNode().activeElement !== this.box || this.read() !== this.text) this.box.value = shown;
    const place = this.nearest(this.value);
    if (+this.slide.value !== place) this.slide.value = place;
    this.slide.style.setProperty("--done", `${(100 * place) / Math.max(1, this.places.length - 1)}%`);
    this.slide.setAttribute("aria-label", data.label);
    this.slide.setAttribute("aria-valuetext", `${shown} ${unit}`);
    this.fault.textContent = data.error;
    this.el.classList.toggle("faulty", Boolean(data.error));
    for (const input of [this.box, this.slide]) {
      input.setAttribute("aria-invalid", Boolean(data.error));
      input.setAttribute("aria-describedby", "fault");
    }
    shared.bus.dispatchEvent(new CustomEvent("chunkscope:slid", { detail: this.key }));
  }
  nearest(value) {
    const { places } = this;
    let best = 0;
    for (let i = 1; i < places.length; i++) if (Math.abs(places[i] - value) < Math.abs(places[best] - value)) best = i;
    return best;
  }
  // The value of the box as the server expects it; null if it is not a number.
  read() {
    const match = /^\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/.exec(this.box.value.replace(/[, ]/g, ""));
    if (!match || (match[2] && !this.data.whole)) return null;
    return match[1] + (match[2] || this.sign);
  }
  onKey(event) {
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const [low, high] = this.share ? [0, 99] : [this.data.minimum, this.data.maximum];
      const next = Math.min(high, Math.max(low, this.value + step * this.data.step * (event.shiftKey ? 10 : 1)));
      this.set(+next.toFixed(6) + this.sign, true);
    } else if (event.key === "Enter") this.pump();
  }
  // Switch between an amount and a share of the size; the overlap stays about the same.
  exchange() {
    const { whole } = this.data,
      value = this.value || 0;
    this.set(
      this.share ? String(Math.floor((whole * value) / 100)) : `${Math.min(99, Math.round((100 * value) / whole))}%`,
      true,
    );
    this.box.value = this.text.replace("%", "");
  }
  set(text, send, typing = false) {
    this.text = text;
    shared.moved = performance.now();
    if (!typing) this.box.value = text.replace("%", "");
    this.draw();
    if (send) this.pump();
  }
  pump() {
    this.due = this.waiting; // asked for while a value is on its way: as soon as that is answered
    if (this.waiting || this.text === this.sent) return;
    this.waiting = true;
    this.painted = this.dialled = false;
    this.sent = this.text;
    performance.mark("chunkscope:sent", { detail: { text: this.sent } });
    this.events.send("value", { text: this.sent, turn: this.turn }, true);
  }
  // Whether the sent value is answered. The viewer may paint before or after this input is notified.
  look() {
    if (!this.waiting || this.dialing || this.events.has("value")) return;
    const { data } = this,
      // Else there is none, or the server has made another value of it
      paints = data.live && shared.alive.viewer && data.text === this.sent;
    if (paints && !this.painted) return;
    if (!paints || !shared.alive.dial || this.dialled) this.answered();
    else this.dialing = setTimeout(() => this.answered(), DIAL_PATIENCE);
  }
  answered() {
    clearTimeout(this.dialing);
    this.dialing = 0;
    if (!this.waiting) return;
    this.waiting = false;
    if (this.due) requestAnimationFrame(() => this.pump());
  }
}

define("number", Input, "number");
