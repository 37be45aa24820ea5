// Recall with its band against the setting of the slider above: each value is under the slider's thumb. IoU comes below
// it while the dial's details are open. The slider reports its place (number.js); a click or an arrow key sets it. While there is more to come the curve asks for
// it, when the slider rests: a drag is never waited with.
const NS = "http://www.w3.org/2000/svg";
const THUMB = 16; // width of the slider's thumb: its middle moves between half of that from either end
const REST = 450; // ms without a moved setting before the next points are asked for
const GAP = 7,
  ROW = 13; // between the two panels; the row of the model's limit
const PANELS = { recall: 78, iou: 24 },
  SMALL = { recall: 30, iou: 20 }; // heights
const [TEXT, RECALL, LOW, HIGH, IOU, TOKENS] = [0, 1, 2, 3, 4, 5]; // of a point
const COLUMN = { recall: RECALL, iou: IOU };

function shape(tag, attributes, className, text) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (className) node.setAttribute("class", className);
  if (text != null) node.textContent = text;
  return node;
}
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const say = (text) => (text.endsWith("%") ? text : Number(text).toLocaleString("en-US"));
const path = (dots) => dots.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");

// The curves of the page; one asks at a time, as a message of two fragments would run only one of them
const every = new Set();

class Curve {
  constructor(root) {
    every.add(this);
    this.el = element("section", "cs curve");
    this.plot = element("div", "plot");
    this.plot.tabIndex = 0;
    this.plot.setAttribute("role", "slider");
    this.svg = this.plot.appendChild(shape("svg", { "aria-hidden": "true" }));
    this.drawn = this.svg.appendChild(shape("g", {}));
    this.marks = this.svg.appendChild(shape("g", {}, "marks"));
    this.foot = element("div", "foot");
    this.words = element("div", "words");
    this.why = element("button", "why", "?");
    this.why.type = "button";
    this.tip = element("div", "tip");
    this.tip.setAttribute("role", "tooltip");
    this.tip.id = "tip";
    this.why.setAttribute("aria-describedby", "tip");
    this.foot.append(this.words, this.why);
    this.strip = new AnswerStrip(this.el);
    this.el.prepend(this.plot);
    this.el.append(this.foot, this.tip);
    root.append(this.el);
    for (const [on, off] of [
      ["mouseenter", "mouseleave"],
      ["focus", "blur"],
    ]) {
      this.why.addEventListener(on, () => this.tip.classList.add("on"));
      this.why.addEventListener(off, () => this.tip.classList.remove("on"));
    }
    this.plot.addEventListener("pointermove", (event) => {
      this.at = this.under(event);
      this.mark();
    });
    this.plot.addEventListener("pointerleave", () => {
      this.at = null;
      this.mark();
    });
    this.plot.addEventListener("click", (event) => {
      const row = this.under(event);
      if (row) this.set(row);
    });
    this.plot.addEventListener("keydown", (event) => this.onKey(event));
    for (const kind of ["focus", "blur"]) this.plot.addEventListener(kind, () => this.mark());
    this.sized = new ResizeObserver(() => this.draw());
    this.sized.observe(this.plot);
    this.onSlid = ({ detail }) => {
      if (!this.data || detail !== this.data.slider) return;
      if (this.slider.places !== this.places) this.draw();
      else this.mark();
    };
    this.onChange = () => this.later();
    this.onDetails = () => this.data && this.draw();
    shared.bus.addEventListener("chunkscope:details", this.onDetails);
    shared.bus.addEventListener("chunkscope:slid", this.onSlid);
    shared.bus.addEventListener("chunkscope:dialled", this.onChange);
    document.addEventListener("visibilitychange", this.onChange);
  }
  destroy() {
    every.delete(this);
    clearTimeout(this.timer);
    this.sized.disconnect();
    this.strip.destroy();
    shared.bus.removeEventListener("chunkscope:slid", this.onSlid);
    shared.bus.removeEventListener("chunkscope:details", this.onDetails);
    shared.bus.removeEventListener("chunkscope:dialled", this.onChange);
    document.removeEventListener("visibilitychange", this.onChange);
    this.el.remove();
  }

  get slider() {
    return shared.sliders?.get(this.data.slider);
  }
  // The points to be seen: the last curve that was whole, until the next one is.
  get rows() {
    return this.old ? this.last.points : (this.data.points ?? []);
  }
  get old() {
    return Boolean(this.last) && this.data.state !== "done" && this.data.state !== "failed";
  }

  show(data) {
    this.data = data;
    if (data.state === "done") this.last = data;
    this.el.dataset.theme = themeOf(this.el);
    this.el.dataset.state = data.state;
    this.el.classList.toggle("small", data.slider !== "settings.size");
    this.plot.setAttribute("aria-label", `${data.label} on the curve of recall`);
    this.tip.replaceChildren(...this.help().map((words) => element("p", "", words)));
    this.why.setAttribute("aria-label", `How the curve of ${data.label.toLowerCase()} is estimated`);
    this.draw();
    if (data.doc) this.strip.show(data.doc);
    this.later();
  }
  // The panels in sight, from above.
  get panels() {
    return shared.details ? ["recall", "iou"] : ["recall"];
  }
  help() {
    const { about, limit } = this.data,
      name = this.data.label.toLowerCase();
    return [
      `Estimated from pooled vectors; not measured on a real index. All other settings stay as they are${about ? ` (${about})` : ""}.`,
      "Line with a band: recall and its 95 % confidence interval. Dashed: IoU. The vertical line is the current value.",
      "“Shown to have higher recall” accounts for multiple comparisons: if no value is better, one is named in at most 2.5 of 100 samples of questions.",
      ...(limit
        ? [`The model reads ${limit} tokens at once: the vector of a longer chunk is the mean of its parts.`]
        : []),
      `Click the curve, or use the arrow keys on it, to set the ${name}.`,
    ];
  }

  // -- where things are

  place(text) {
    const value = parseFloat(text),
      { places } = this,
      i = lowerBound(places, value);
    if (i === 0 || i >= places.length || places[i] === value) return Math.min(i, places.length - 1);
    return i - (places[i] - value) / (places[i] - places[i - 1]);
  }
  x(text) {
    return THUMB / 2 + (this.place(text) / Math.max(1, this.places.length - 1)) * (this.width - THUMB);
  }
  under(event) {
    const x = event.clientX - this.plot.getBoundingClientRect().left;
    return this.nearest(x);
  }
  nearest(x) {
    let best = null;
    for (const row of this.fitting) if (!best || Math.abs(row.x - x) < Math.abs(best.x - x)) best = row;
    return best;
  }
  // At the place of the slider, between its neighbours on the curve.
  between(x, column) {
    const rows = this.fitting,
      i = rows.findIndex((row) => row.x >= x);
    if (i === 0) return rows[0].point[column];
    if (i < 0) return rows.at(-1).point[column];
    const [before, after] = [rows[i - 1], rows[i]],
      share = (x - before.x) / (after.x - before.x);
    return before.point[column] + share * (after.point[column] - before.point[column]);
  }

  // -- drawing

  draw() {
    const { data } = this,
      slider = data && this.slider;
    this.width = this.plot.clientWidth;
    if (!slider?.places || !this.width) return;
    this.places = slider.places;
    const small = data.slider !== "settings.size",
      tall = small ? SMALL : PANELS,
      { panels } = this,
      deep = panels.length > 1,
      height = tall.recall + (deep ? GAP + tall.iou : 0) + (small ? 0 : ROW);
    this.why.hidden = !deep;
    this.el.classList.toggle("deep", deep);
    this.plot.style.height = `${height}px`;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    this.svg.style.height = `${height}px`;
    // Given as a share or as an amount: points of the other form have no place here.
    this.fitting = this.rows
      .filter((point) => point[TEXT].endsWith("%") === slider.share)
      .map((point) => ({ point, x: this.x(point[TEXT]) }));
    const top = tall.recall + GAP,
      bottom = { recall: tall.recall, iou: top + tall.iou };
    const known = this.fitting.map(({ point }) => point);
    const least = (points) => Math.min(0.9, ...points.map((p) => p[LOW] ?? p[RECALL])),
      right = least(known.slice(-Math.ceil(0.4 * known.length)));
    let low = Math.floor(10 * least(known)) / 10;
    // Room for the label under the curve
    while (low > 0 && ((right - low) / (1 - low)) * tall.recall < 14) low = Math.round(10 * low - 1) / 10;
    const high = Math.ceil(100 * Math.max(0.02, ...known.map((p) => p[IOU]))) / 100;
    this.y = {
      recall: (share) => bottom.recall - 1 - ((share - low) / (1 - low)) * (tall.recall - 2),
      iou: (share) => bottom.iou - 1 - (share / high) * (tall.iou - 2),
    };
    this.height = deep ? bottom.iou : bottom.recall;
    const nodes = [];
    for (const panel of panels)
      nodes.push(shape("line", { x1: 0, x2: this.width, y1: bottom[panel] - 0.5, y2: bottom[panel] - 0.5 }, "base"));
    nodes.push(shape("line", { x1: 0, x2: this.width, y1: 0.5, y2: 0.5 }, "base"));
    if (data.limit && !slider.share && data.limit >= this.places[0] && data.limit <= this.places.at(-1)) {
      const x = this.x(String(data.limit)),
        anchor = x < this.width / 2 ? "start" : "end";
      nodes.push(
        shape("line", { x1: x, x2: x, y1: 0, y2: height - ROW + 2 }, "limit"),
        shape(
          "text",
          { x: x + (anchor === "start" ? -3 : 3), y: height - 2, "text-anchor": anchor },
          "limit",
          `model limit ${data.limit}`,
        ),
      );
    }
    if (!small)
      for (const [end, x] of [
        ["start", 0],
        ["end", this.width],
      ]) {
        const place = this.places[end === "start" ? 0 : this.places.length - 1];
        nodes.push(shape("text", { x, y: height - 2, "text-anchor": end }, "scale", say(String(place))));
      }
    if (this.fitting.length) {
      const group = shape("g", {}, this.old ? "values old" : "values");
      const bounds = this.fitting.filter(({ point }) => point[LOW] != null);
      const band = [
        ...bounds.map(({ point, x }) => [x, this.y.recall(point[HIGH])]),
        ...bounds.map(({ point, x }) => [x, this.y.recall(point[LOW])]).reverse(),
      ];
      group.append(shape("polygon", { points: path(band) }, "band"));
      for (const panel of panels) {
        const dots = this.fitting.map(({ point, x }) => [x, this.y[panel](point[COLUMN[panel]])]);
        group.append(
          shape("polyline", { points: path(dots) }, panel),
          ...dots.map(([cx, cy]) => shape("circle", { cx, cy, r: 1.3 }, panel)),
        );
      }
      nodes.push(group);
    }
    // At the right, where recall leaves room below it, and IoU above it if it falls as with the size.
    const label = (panel, y, name, scale) => {
      const text = shape(
        "text",
        { x: this.width - 1, y, "text-anchor": "end" },
        "scale",
        this.fitting.length ? ` ${scale}` : "",
      );
      text.prepend(shape("tspan", {}, `name ${panel}`, name));
      return text;
    };
    nodes.push(label("recall", bottom.recall - 4, "Recall", `${Math.round(100 * low)}–100 %`));
    if (deep) nodes.push(label("iou", small ? bottom.iou - 4 : top + 9.5, "IoU", `0–${Math.round(100 * high)} %`));
    this.drawn.replaceChildren(...nodes);
    this.mark();
  }
  // The present value, the one that is pointed at, and what is said of it.
  mark() {
    const { data } = this,
      slider = data && this.slider;
    if (!slider || !this.places || !this.width) return;
    const nodes = [],
      x = this.x(slider.text),
      any = this.fitting.length > 1,
      keyed = this.plot.matches(":focus-visible");
    nodes.push(shape("line", { x1: x, x2: x, y1: 0, y2: this.height }, "now"));
    const now = any ? { recall: this.between(x, RECALL), iou: this.between(x, IOU) } : null;
    if (now)
      for (const panel of this.panels)
        nodes.push(shape("circle", { cx: x, cy: this.y[panel](now[panel]), r: 3.2 }, panel));
    if (this.at) nodes.push(shape("line", { x1: this.at.x, x2: this.at.x, y1: 0, y2: this.height }, "at"));
    this.marks.replaceChildren(...nodes);
    const chosen = this.at ?? (keyed && any ? this.nearest(x) : null);
    this.say(chosen?.point);
    const unit = slider.share ? "" : ` ${data.unit}`,
      rows = this.fitting;
    this.plot.setAttribute("aria-valuemin", parseFloat(rows[0]?.point[TEXT] ?? this.places[0]));
    this.plot.setAttribute("aria-valuemax", parseFloat(rows.at(-1)?.point[TEXT] ?? this.places.at(-1)));
    this.plot.setAttribute("aria-valuenow", slider.value);
    this.plot.setAttribute(
      "aria-valuetext",
      `${say(slider.text)}${unit}${now ? `: recall about ${percent(now.recall)}${shared.details ? `, IoU about ${percent(now.iou)}` : ""}` : ""}`,
    );
  }
  say(point) {
    const { data, slider } = this,
      { state } = data;
    if (state === "done" && data.verdict) this.judged = data;
    const moved = slider.text !== this.judged?.present || this.old;
    let words = this.judged?.verdict ?? "";
    if (point) {
      const unit = point[TEXT].endsWith("%") ? "" : ` ${data.unit}`,
        sure = point[LOW] == null ? "" : ` (${(100 * point[LOW]).toFixed(1)}–${(100 * point[HIGH]).toFixed(1)})`;
      words = `${say(point[TEXT])}${unit}: recall ${percent(point[RECALL])}${sure}${shared.details ? `, IoU ${percent(point[IOU])}` : ""}, ${point[TOKENS].toLocaleString("en-US")} context tokens per question`;
    } else if (state === "waiting")
      words = `The curve of recall against ${data.label.toLowerCase()} appears once the documents are encoded.`;
    else if (state === "failed") words = data.verdict;
    else if (state === "running" && !this.last) words = `Estimating: ${data.points.length} of ${data.values} values …`;
    this.words.textContent = words;
    this.words.classList.toggle("stale", !point && Boolean(this.judged) && moved);
  }

  // -- setting the value

  set(row) {
    const { slider } = this;
    if (slider && row.point[TEXT] !== slider.text) slider.set(row.point[TEXT], true);
  }
  onKey(event) {
    const rows = this.fitting ?? [],
      value = this.slider?.value,
      { key } = event;
    if (!rows.length) return;
    const of = (row) => parseFloat(row.point[TEXT]);
    const up = rows.find((row) => of(row) > value) ?? rows.at(-1),
      down = rows.findLast((row) => of(row) < value) ?? rows[0];
    const to = { ArrowRight: up, ArrowUp: up, ArrowLeft: down, ArrowDown: down, Home: rows[0], End: rows.at(-1) }[key];
    if (!to) return;
    event.preventDefault();
    this.set(to);
  }

  // -- asking for more

  get wanting() {
    const { state, verdict } = this.data ?? {};
    return (
      state === "running" ||
      (state === "done" && verdict == null) ||
      (state === "waiting" && Boolean(shared.alive.dial))
    ); // the dial has made all ready
  }
  later() {
    clearTimeout(this.timer);
    if (this.wanting && !document.hidden) this.timer = setTimeout(() => this.due(), REST);
  }
  due() {
    const first = [...every].find((curve) => curve.wanting),
      moving = performance.now() - (shared.moved ?? -Infinity) < REST || this.slider?.waiting;
    if (moving || first !== this || this.events.has("more")) this.later();
    else this.events.send("more", (this.asked = (this.asked ?? 0) + 1), true);
  }
}

define("curve", Curve, "recall_curve");
