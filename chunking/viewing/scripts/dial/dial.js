// The dial: recall of the current settings with a trace of the settings tried last; IoU and how both are estimated are
// behind "Details".
const NS = "http://www.w3.org/2000/svg";
const KINDS = [
  {
    name: "recall",
    label: "Recall",
    place: 1,
    help: "The share of the answers' characters that would be returned.",
  },
  {
    name: "iou",
    label: "IoU",
    place: 2,
    help: "Answer characters returned, divided by all characters returned and those of the answers that were missed.",
  },
];
const WIDTH = 104,
  HEIGHT = 30; // of a trace, in its own units
const LEAST = 0.04; // a trace spans at least four points, so that noise does not look like a cliff

function shape(tag, attributes, className) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (className) node.setAttribute("class", className);
  return node;
}
const percent = (share) => `${(100 * share).toFixed(1)} %`;

class Gauge {
  constructor({ name, label, place, help }) {
    Object.assign(this, { name, label, place });
    this.el = element("div", `gauge ${name}`);
    this.el.title = help;
    this.number = element("div", "number");
    this.foot = element("div", "foot");
    this.delta = element("span", "delta");
    this.delta.title = "Change in points from the previous settings";
    this.foot.append(element("span", "", label), this.delta);
    this.line = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" }, "trace");
    this.path = shape("polyline", { fill: "none" });
    this.line.append(this.path);
    this.rail = element("div", "rail");
    [this.fill, this.mark] = ["fill", "mark"].map((part) => this.rail.appendChild(element("i", part)));
    this.el.append(this.number, this.foot, this.line, this.rail);
    this.el.setAttribute("role", "meter");
    this.el.setAttribute("aria-valuemin", 0);
    this.el.setAttribute("aria-valuemax", 100);
  }
  show({ trace, other }) {
    const value = trace.at(-1)[this.place],
      measured = trace.at(-1)[3],
      before = trace.at(-2)?.[3] === measured ? trace.at(-2)?.[this.place] : undefined; // never between two ways
    this.fill.style.width = `${100 * value}%`;
    this.mark.hidden = !other;
    if (other) this.mark.style.left = `${100 * other[this.name]}%`;
    this.number.textContent = percent(value);
    const moved = before === undefined ? 0 : 100 * (value - before),
      shown = Math.abs(moved).toFixed(1);
    this.delta.textContent = before === undefined ? "" : shown === "0.0" ? "±0" : `${moved > 0 ? "▲" : "▼"} ${shown}`;
    this.delta.className = `delta ${shown === "0.0" ? "" : moved > 0 ? "up" : "down"}`;
    this.el.setAttribute("aria-label", `${this.label}, ${measured ? "measured" : "live estimate"}`);
    this.el.setAttribute("aria-valuenow", (100 * value).toFixed(1));
    this.el.setAttribute(
      "aria-valuetext",
      percent(value) + (other ? `, live estimate ${percent(other[this.name])}` : ""),
    );
    this.draw(trace);
  }
  draw(trace) {
    const values = trace.map((row) => row[this.place]),
      low = Math.min(...values),
      high = Math.max(...values);
    const middle = (low + high) / 2,
      half = Math.max(high - low, LEAST) / 2,
      step = WIDTH / Math.max(trace.length, 12);
    const dots =
      values.length < 2
        ? []
        : values.map((value, i) => [
            WIDTH - step / 2 - (values.length - 1 - i) * step,
            HEIGHT / 2 - ((value - middle) / half) * (HEIGHT / 2 - 4),
          ]);
    this.path.setAttribute("points", dots.map((dot) => dot.map((number) => number.toFixed(1)).join(",")).join(" "));
    for (const old of this.line.querySelectorAll("g")) old.remove();
    dots.forEach(([x, y], i) => {
      const group = shape("g", {}),
        said = shape("title", {});
      said.textContent = `${trace[i][0]}: ${percent(values[i])}`;
      group.append(
        shape("rect", { x: x - step / 2, y: 0, width: step, height: HEIGHT, fill: "transparent" }),
        shape("circle", { cx: x, cy: y, r: i === dots.length - 1 ? 3 : 1.4 }),
        said,
      );
      this.line.append(group);
    });
  }
}

class Dial {
  constructor(root) {
    this.el = element("section", "cs dial");
    this.el.setAttribute("aria-label", "Live recall of the current settings");
    const head = element("div", "head");
    this.about = element("span", "about");
    this.tag = element("span", "tag");
    head.append(this.tag, this.about);
    const [recall, iou] = (this.gauges = KINDS.map((kind) => new Gauge(kind)));
    this.tokens = element("div", "tokens");
    this.more = element("details", "notes");
    this.check = element("div", "check");
    this.notes = element("div");
    this.more.append(element("summary", "", "Details"), iou.el, this.check, this.notes);
    this.more.addEventListener("toggle", () => {
      shared.details = this.more.open;
      shared.bus.dispatchEvent(new CustomEvent("chunkscope:details"));
    });
    this.more.open = shared.details === true;
    this.el.append(head, recall.el, this.tokens, this.more);
    root.append(this.el);
  }
  destroy() {
    this.el.remove();
  }
  show(data) {
    this.el.dataset.theme = themeOf(this.el);
    const measured = data.trace.at(-1)[3];
    this.tag.textContent = measured ? "measured" : "live estimate";
    this.tag.classList.toggle("measured", measured);
    this.about.textContent = data.about;
    this.about.title = data.about;
    for (const gauge of this.gauges) gauge.show(data);
    this.tokens.replaceChildren(
      element("b", "", Math.round(data.tokens).toLocaleString("en-US")),
      " context tokens per question",
    );
    this.check.textContent = data.check;
    this.notes.replaceChildren(...data.notes.map((words) => element("p", "", words)));
    this.el.dataset.turn = this.turn = (this.turn ?? 0) + 1;
    shared.bus.dispatchEvent(new CustomEvent("chunkscope:dialled"));
  }
}

define("dial", Dial, "dial");
