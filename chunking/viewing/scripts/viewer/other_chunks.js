// Chunks of another split (B) over the same lines: a second track on the right of the text, and a dashed line where
// only B has a boundary. They are sent once; a moved boundary of A sends the boundaries that only one of the two has.
const BAR_HEIGHT = 34; // of the line above the text that counts boundaries, where it does not wrap
shared.others ??= new Map(); // key -> the columns of other_chunks.py
shared.awaitedOthers ??= new Map(); // key -> functions that wait for it

async function keepOther({ key, packed, n }) {
  const columns = await unpack(packed, ["starts", "ends", "begins", "tokens"], n);
  for (const name of ["starts", "ends", "begins"]) for (let i = 1; i < n; i++) columns[name][i] += columns[name][i - 1];
  shared.others.set(key, columns);
  for (const resolve of shared.awaitedOthers.get(key) ?? []) resolve(columns);
  shared.awaitedOthers.delete(key);
  for (const old of shared.others.keys()) if (shared.others.size > KEPT && old !== key) shared.others.delete(old);
}

function otherOf(key) {
  const known = shared.others.get(key);
  if (known) return known;
  return new Promise((resolve) => {
    if (!shared.awaitedOthers.has(key)) shared.awaitedOthers.set(key, []);
    shared.awaitedOthers.get(key).push(resolve);
  });
}

// The track that a message of the viewer refers to, or null.
async function trackOf(said, source) {
  if (!said) return null;
  const [columns, only] = await Promise.all([otherOf(said.key), unpack(said.packed, ["onlyA", "onlyB"], said.n)]);
  for (const name of ["onlyA", "onlyB"]) for (let i = 1; i < said.n; i++) only[name][i] += only[name][i - 1];
  return new OtherTrack(columns, only.onlyA.slice(0, said.a), only.onlyB.slice(0, said.b), said.shared, source);
}

// The invisible component that receives B's chunks.
define(
  "other_chunks",
  class {
    constructor(root) {
      hide(root);
    }
    show(data) {
      keepOther(data);
    }
    destroy() {}
  },
  "viewer",
);

class OtherTrack {
  // `onlyA`, `onlyB`: ascending code points, the boundaries that only one of them has; `both`: how many are shared.
  constructor(columns, onlyA, onlyB, both, { ruler, text }) {
    Object.assign(this, columns, { text, both });
    for (const [name, points] of [
      ["E", columns.ends],
      ["N", columns.begins],
      ["unitsA", onlyA],
      ["unitsB", onlyB],
    ])
      this[name] = ruler.allToUnits(points);
    this.alone = new Set(this.unitsB);
    this.all = Int32Array.from([...this.unitsA, ...this.unitsB]).sort();
  }
  get size() {
    return this.N.length;
  }
  addSeams(add, start, end) {
    for (let k = lowerBound(this.N, start); k < this.size && this.N[k] < end; k++) add(this.N[k]);
  }
  isAlone(k) {
    return this.alone.has(this.N[k]);
  }
  // The chunk of B that contains a unit; -1 for none.
  indexAt(unit) {
    const k = lowerBound(this.N, unit + 1) - 1;
    return k >= 0 && unit < this.E[k] ? k : -1;
  }
  // The next boundary after a unit that only one of the two has, wrapping to the beginning; null if there is none.
  nextDifference(unit) {
    return this.all.length ? (this.all[lowerBound(this.all, unit + 1)] ?? this.all[0]) : null;
  }

  // The mark at the start of a chunk of B: its number in the gutter, and the dashed line if A has no boundary. Null
  // elsewhere.
  markAt(unit, lineStart) {
    const k = lowerBound(this.N, unit);
    if (this.N[k] !== unit) return null;
    const opens = !this.text.slice(lineStart, unit).trim();
    const mark = element("span", `othercut${this.isAlone(k) ? " alone" : ""}${opens ? " opens" : ""}`),
      number = element("span", "othernumber");
    mark.dataset.other = k;
    if (k) number.append(element("i", "", this.isAlone(k) ? "┆" : "="));
    number.append(element("b", "", fold(k)));
    mark.append(number);
    return mark;
  }
  // Classes of the bracket next to the line [start, end): "" if it has nothing of B.
  bracketAt(start, end) {
    const k = lowerBound(this.N, end) - 1;
    if (k < 0 || start >= this.E[k]) return "";
    const first = lowerBound(this.N, start),
      opens = first < this.size && this.N[first] < end && !this.text.slice(start, this.N[first]).trim();
    return `inother${k & 1 ? " other-odd" : ""}${opens ? " other-top" : ""}${this.E[k] <= end ? " other-bottom" : ""}`;
  }
  facts(k) {
    const [start, end] = [this.starts[k], this.ends[k]],
      repeated = this.begins[k] - start;
    const rows = [`characters ${fold(start)}–${fold(end)} (${fold(end - start)})`];
    if (this.tokens[k]) rows.push(`${fold(this.tokens[k])} tokens`);
    if (repeated > 0) rows.push(`repeats ${fold(repeated)} characters of the previous chunk`);
    if (k) rows.push(this.isAlone(k) ? "┆ only B has a boundary here" : "= A has a boundary here too");
    return { title: `B: chunk ${fold(k)}`, rows };
  }
  // Whether an element of the text marks a difference: the part that begins there, B's mark, or A's tick.
  isAt(node, unit, scene) {
    if (node.classList.contains("part")) return node.unit === unit;
    return node.dataset.other
      ? this.N[+node.dataset.other] === unit
      : !this.alone.has(unit) && +node.dataset.c === lowerBound(scene.E, unit + 1);
  }
  // A sentence about a difference; `scene` has A.
  sentenceAt(unit, scene) {
    const inB = this.indexAt(unit),
      alone = this.alone.has(unit),
      inA = lowerBound(scene.E, unit + 1);
    const [a, b] = [fold(scene.bands.numbers[inA] ?? 0), fold(inB)];
    return alone
      ? `Only B has a boundary here: chunk ${b} of B begins inside chunk ${a} of A`
      : `Only A has a boundary here: chunk ${a} of A begins${inB < 0 ? "" : ` inside chunk ${b} of B`}`;
  }
  // Beside the flags of the ruler, two lanes: boundaries that only A has, and those that only B has.
  drawOn(pen, { width, height, ratio, colour }) {
    const lane = Math.round(3 * ratio),
      total = Math.max(1, this.text.length),
      tall = Math.max(1, Math.round(1.5 * ratio));
    for (const [units, x, role] of [
      [this.unitsA, width - 3 * lane, "chunk-a"],
      [this.unitsB, width - 2 * lane, "against"],
    ]) {
      pen.fillStyle = colour(role);
      for (const unit of units) pen.fillRect(x, Math.min(height - tall, (unit / total) * height), lane, tall);
    }
  }
}

// Several chunks of B that begin on one line would overprint their numbers: the later one shows the first number.
function spreadOthers(shown) {
  let before = null;
  for (const number of shown.querySelectorAll(".othernumber")) {
    const top = number.offsetTop,
      line = number.closest(".line"),
      same = before && before.line === line && Math.abs(before.top - top) < 4;
    const own = number.querySelector("b");
    if (same) {
      before.node.classList.add("covered");
      own.dataset.from = before.from;
    }
    before = { top, line, node: number, from: same ? before.from : own.textContent };
  }
}

// The line above the text: the numbers of chunks and boundaries of both, as the legend, and a button to the next
// difference.
class OtherBar {
  constructor(parent, onNext) {
    this.el = element("div", "cs others");
    this.el.setAttribute("role", "group");
    this.el.setAttribute("aria-label", "Boundaries of A and B");
    this.counts = Object.fromEntries(
      [
        ["a", "▌", "A", "chunks", "The current settings: chunks of this text, numbered at the left"],
        ["b", "▐", "B", "chunks", "The comparison: chunks of this text, numbered at the right"],
        ["both", "=", "", "both", "Boundaries that A and B share: at the same visible character, ignoring overlaps"],
        ["onlyA", "▏", "", "only A", "Boundaries of A where B has none"],
        ["onlyB", "┆", "", "only B", "Boundaries of B where A has none: a dashed line in the text"],
      ].map(([name, sign, side, word, title]) => {
        const item = element("span", `count ${name}`),
          number = element("b");
        item.append(
          element("i", "", sign),
          ...(side ? [element("em", "", side)] : []),
          number,
          element("span", "", word),
        );
        item.title = title;
        this.el.append(item);
        return [name, number];
      }),
    );
    this.next = element("button", "next");
    this.next.type = "button";
    this.next.append("Next difference", element("kbd", "", "D"));
    this.next.addEventListener("click", onNext);
    this.el.append(this.next);
    this.el.hidden = true;
    parent.append(this.el);
  }
  // `scene`: see scene.js. Without a track, the line is hidden.
  show(scene) {
    const { track } = scene;
    this.el.hidden = track === null;
    if (!track) return;
    const numbers = {
      a: scene.S.length,
      b: track.size,
      both: track.both,
      onlyA: track.unitsA.length,
      onlyB: track.unitsB.length,
    };
    for (const [name, node] of Object.entries(this.counts)) node.textContent = fold(numbers[name]);
    // Not disabled: it would lose the focus while a slider moves
    this.next.setAttribute("aria-disabled", String(!track.all.length));
    this.next.title = track.all.length
      ? "Go to the next boundary that only one of them has"
      : "A and B have the same boundaries";
  }
}
