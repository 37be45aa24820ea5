// The answers in the shown document as one sign each, in the order of the text: a dot if a chunk holds it whole, a tall
// diamond if it is split, a cross if it is missed. The viewer tells their states with each repaint, without a message.
const LANE = 13, // px of a row of signs
  LEAST_ROOM = 7, // px of a sign with its space
  MOST_LANES = 3; // more answers stand closer

class AnswerStrip {
  constructor(parent) {
    this.el = element("div", "answers");
    this.el.hidden = true;
    this.canvas = this.el.appendChild(element("canvas"));
    this.canvas.setAttribute("role", "img");
    parent.append(this.el);
    this.el.addEventListener("pointermove", (event) => {
      const answer = this.under(event);
      this.el.title = answer ? `${answer.sign} ${answer.fate}: ${answer.label}` : "";
    });
    this.el.addEventListener("click", (event) => {
      const answer = this.under(event);
      if (!answer) return;
      const at = this.scene.source.ruler.toPoint(answer.start);
      shared.bus.dispatchEvent(new CustomEvent("chunkscope:goto", { detail: { doc: this.doc, at, pick: false } }));
    });
    this.onScene = ({ detail }) => {
      if (detail.doc === this.doc) this.plan();
    };
    shared.bus.addEventListener("chunkscope:scene", this.onScene);
    this.sized = new ResizeObserver(() => this.plan());
    this.sized.observe(this.el);
  }
  destroy() {
    this.sized.disconnect();
    cancelAnimationFrame(this.frame);
    shared.bus.removeEventListener("chunkscope:scene", this.onScene);
  }
  show(doc) {
    this.doc = doc;
    this.plan();
  }
  plan() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }
  get scene() {
    return shared.places?.get(this.doc)?.scene;
  }
  under({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect(),
      { each, step } = this;
    if (!each) return null;
    const column = Math.floor((clientX - box.left) / step),
      lane = Math.floor((clientY - box.top) / LANE);
    return column >= 0 && column < each ? (this.rows[lane * each + column] ?? null) : null;
  }
  draw() {
    const answers = this.scene?.answers;
    this.el.hidden = !answers?.length;
    if (this.el.hidden) return;
    this.rows = [...answers].sort((a, b) => a.start - b.start || a.end - b.end);
    const width = this.el.clientWidth,
      { length } = this.rows;
    if (!width) return;
    const lanes = Math.min(MOST_LANES, Math.ceil((length * LEAST_ROOM) / width));
    this.each = Math.ceil(length / lanes);
    this.step = Math.min(12, width / this.each);
    const ratio = window.devicePixelRatio || 1,
      height = lanes * LANE;
    Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    const pen = this.canvas.getContext("2d"),
      style = getComputedStyle(this.canvas);
    pen.scale(ratio, ratio);
    for (const [i, { fate }] of this.rows.entries()) {
      const x = ((i % this.each) + 0.5) * this.step,
        y = (Math.floor(i / this.each) + 0.5) * LANE;
      drawFate(pen, fate, x, y, Math.max(1, Math.min(3, this.step / 2 - 0.5)), style);
    }
    const count = (fate) => this.rows.filter((answer) => answer.fate === fate).length;
    const words = ["intact", "split", "missed"].map((fate) => `${count(fate)} ${fate}`).join(", ");
    this.canvas.setAttribute("aria-label", `Answers in this document: ${words}`);
  }
}
