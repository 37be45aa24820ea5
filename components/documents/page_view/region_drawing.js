// Draw a rectangle on a page to leave its text out. Off until its button is pressed, and again after one rectangle.
const LEAST_DRAWN = 6; // pixels: less is a click

class RegionDrawing {
  // `view`: the page view.
  constructor(view) {
    this.view = view;
    this.on = false;
    this.el = element("div", "drawn");
    this.el.hidden = true;
    this.button = view.button("⬚", "Draw a rectangle whose text is left out", () => this.turn(!this.on));
    this.button.title = "Leave out a region: draw a rectangle on the page";
    this.button.classList.add("toggle");
    this.button.hidden = true;
    const { boxes } = view;
    boxes.addEventListener("pointerdown", (event) => this.start(event));
    boxes.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"])
      boxes.addEventListener(name, (event) => this.end(event, name === "pointerup"));
  }
  offer(wanted) {
    this.button.hidden = !wanted;
    if (!wanted) this.turn(false);
  }
  turn(on) {
    this.on = on;
    this.from = null;
    this.el.hidden = true;
    this.button.setAttribute("aria-pressed", on);
    this.view.el.classList.toggle("drawing", on);
    if (on)
      this.view.live.textContent =
        "Draw a rectangle with the pointer; Escape cancels. By keyboard, pick a block and leave it out.";
  }
  at({ clientX, clientY }) {
    const frame = this.view.boxes.getBoundingClientRect(),
      share = (value) => Math.max(0, Math.min(1, Math.round(SHARE * value) / SHARE));
    return [share((clientX - frame.left) / frame.width), share((clientY - frame.top) / frame.height)];
  }
  start(event) {
    if (!this.on || event.button) return;
    event.preventDefault();
    this.view.boxes.setPointerCapture(event.pointerId);
    this.from = { x: event.clientX, y: event.clientY, at: this.at(event) };
  }
  box(event) {
    const [x, y] = this.at(event),
      [left, top] = this.from.at;
    return [Math.min(x, left), Math.min(y, top), Math.max(x, left), Math.max(y, top)];
  }
  move(event) {
    if (!this.from) return;
    const [left, top, right, bottom] = this.box(event),
      percent = (share) => `${100 * share}%`;
    this.el.hidden = false;
    Object.assign(this.el.style, {
      left: percent(left),
      top: percent(top),
      width: percent(right - left),
      height: percent(bottom - top),
    });
  }
  end(event, drawn) {
    const { from, view } = this;
    if (!from) return;
    const box = this.box(event),
      far = Math.abs(event.clientX - from.x) >= LEAST_DRAWN && Math.abs(event.clientY - from.y) >= LEAST_DRAWN;
    this.turn(false);
    if (drawn && far) view.events.send("region", { doc: view.doc, page: view.page, box });
  }
}
