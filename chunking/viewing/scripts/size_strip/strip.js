// Sizes of the viewer's chunks as bars. They come from the viewer (texts.js), without a message.
const BINS = 28;

class Strip {
  constructor(parent) {
    this.el = element("div", "cs strip");
    [this.bars, this.goal, this.words] = ["bars", "goal", "words"].map((name) => element("div", name));
    this.el.append(this.bars, this.words);
    this.bars.append(this.goal);
    this.columns = Array.from({ length: BINS }, () => this.bars.appendChild(element("i")));
    parent.append(this.el);
    this.onBands = ({ detail }) => {
      if (detail.doc === this.data?.doc) this.plan();
    };
    shared.bus.addEventListener("chunkscope:bands", this.onBands);
  }
  destroy() {
    shared.bus.removeEventListener("chunkscope:bands", this.onBands);
    cancelAnimationFrame(this.frame);
    this.el.remove();
  }
  show(data) {
    this.data = data;
    this.bars.style.height = `${data.height}px`;
    this.plan();
  }
  // Once a frame: a step of the size brings new chunks, and a new line.
  plan() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }
  draw() {
    const { doc, requested, unit } = this.data,
      known = shared.places?.get(doc);
    const sizes = known?.sizes;
    if (!sizes?.length) {
      this.words.textContent = "";
      return;
    }
    this.el.dataset.theme = themeOf(this.el);
    const sorted = Int32Array.from(sizes).sort(),
      largest = Math.max(sorted.at(-1), requested),
      width = largest / BINS;
    const counts = new Int32Array(BINS);
    for (const size of sorted) counts[Math.min(BINS - 1, Math.floor(size / width))]++;
    const most = Math.max(...counts),
      say = (number) => thousands.format(number);
    this.columns.forEach((column, i) => {
      column.style.height = counts[i] ? `${Math.max(4, (100 * counts[i]) / most)}%` : "0";
      column.className = i * width >= requested ? "over" : "";
      column.title = `${say(counts[i])} of ${say(sorted.length)} chunks hold ${say(Math.floor(i * width))}–${say(Math.floor((i + 1) * width))} ${unit}`;
    });
    this.goal.style.left = `${(100 * requested) / largest}%`;
    const words = [
      ["smallest", sorted[0]],
      ["median", (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2],
      ["largest", sorted.at(-1)],
    ].map(([name, value]) => `${name} ${say(value)}`);
    this.words.replaceChildren(...words.map((text) => element("span", "", text)));
    this.el.setAttribute("role", "img"); // only now: a picture must have words
    this.el.setAttribute(
      "aria-label",
      `${say(sorted.length)} chunks: ${words.join(", ")} ${unit}, requested ${say(requested)}`,
    );
  }
}

define("sizes", Strip, "size_strip");
