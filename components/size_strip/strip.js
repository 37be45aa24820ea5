// Sizes of the viewer's chunks as bars. The viewer tells them (texts.js); nothing is sent for this.
const BINS = 28;
const strips = new WeakMap();   // parent element -> Strip

class Strip {
  constructor(parent) {
    this.el = document.createElement("div");
    this.el.className = "cs strip";
    [this.bars, this.goal, this.words] = ["bars", "goal", "words"].map((name) => Object.assign(document.createElement("div"), { className: name }));
    this.el.append(this.bars, this.words);
    this.bars.append(this.goal);
    this.columns = Array.from({ length: BINS }, () => this.bars.appendChild(document.createElement("i")));
    this.el.setAttribute("role", "img");
    parent.append(this.el);
    this.onBands = ({ detail }) => { if (detail.doc === this.data?.doc) this.draw(); };
    window.addEventListener("chunkscope:bands", this.onBands);
  }
  destroy() { window.removeEventListener("chunkscope:bands", this.onBands); this.el.remove(); }
  show(data) { this.data = data; this.bars.style.height = `${data.height}px`; this.draw(); }
  draw() {
    const { doc, requested, unit } = this.data, known = window.chunkscope?.places?.get(doc);
    const sizes = unit === "characters" ? known?.lengths : known?.tokens;
    if (!sizes?.length) { this.words.textContent = ""; return; }
    const [r, g, b] = getComputedStyle(this.el).color.match(/[\d.]+/g).map(Number);
    this.el.dataset.theme = 0.299 * r + 0.587 * g + 0.114 * b > 128 ? "dark" : "light";   // light letters: a dark page
    const sorted = Int32Array.from(sizes).sort(), largest = Math.max(sorted.at(-1), requested), width = largest / BINS;
    const counts = new Int32Array(BINS);
    for (const size of sorted) counts[Math.min(BINS - 1, Math.floor(size / width))]++;
    const most = Math.max(...counts), say = (number) => number.toLocaleString("en-US");
    this.columns.forEach((column, i) => {
      column.style.height = counts[i] ? `${Math.max(4, (100 * counts[i]) / most)}%` : "0";
      column.className = i * width >= requested ? "over" : "";
      column.title = `${say(counts[i])} of ${say(sorted.length)} chunks hold ${say(Math.floor(i * width))}–${say(Math.floor((i + 1) * width))} ${unit}`;
    });
    this.goal.style.left = `${(100 * requested) / largest}%`;
    this.words.replaceChildren(...[["smallest", sorted[0]], ["median", sorted[sorted.length >> 1]], ["largest", sorted.at(-1)]].map(([name, value]) => {
      const word = document.createElement("span");
      word.textContent = `${name} ${say(value)}`;
      return word;
    }));
    this.el.setAttribute("aria-label", `${say(sorted.length)} chunks: ${this.words.textContent} ${unit}, requested ${say(requested)}`);
  }
}

export default function (component) {
  const { parentElement, data } = component;
  let strip = strips.get(parentElement);
  if (!strip) strips.set(parentElement, (strip = new Strip(parentElement)));
  const turn = (strip.calls = (strip.calls ?? 0) + 1);
  strip.show(data);
  // Also called for a message that was overtaken: the strip then belongs to the later one.
  return () => { if (turn === strip.calls) { strip.destroy(); strips.delete(parentElement); } };
}
