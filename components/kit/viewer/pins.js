// Pins: what a person decides about boundaries. A mark in the text for each, and the keys and buttons that set them.
const PINS = {
  split: { letter: "S", words: "Split here" },
  keep: { letter: "K", words: "Keep together" },
  leave_out: { letter: "X", words: "Leave out" },
  merge: { letter: "M", words: "Merge with next" },
};

// What pins.py packed, as rows.
async function unpackPins(message) {
  if (!message?.n) return [];
  const { kinds, starts, ends, labelIds, holds, labels } = await unpack(message.columns, ["kinds", "starts", "ends", "labelIds", "holds"], message.n);
  return Array.from(kinds, (kind, i) => ({ kind: Object.keys(PINS)[kind], start: starts[i], end: ends[i], label: labels[labelIds[i]], holds: holds[i] > 0 }));
}

// The letter of a pin in the margin of the line where it stands; a dashed one does not hold.
function pinSign({ kind, label, holds }) {
  const node = element("span", `pinsign ${kind}${holds ? "" : " idle"}`, PINS[kind].letter);
  node.title = label;
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", label);
  return node;
}

// Several on one line stand beside each other.
function spreadPins(shown) {
  const taken = new Map();
  for (const sign of shown.querySelectorAll(".pinsign")) {
    const place = Math.round(sign.getBoundingClientRect().top), before = taken.get(place) ?? 0;
    sign.style.setProperty("--before", before);
    taken.set(place, before + 1);
  }
}

class Pinning {
  // `view`: the viewer; its `asker` knows what is selected.
  constructor(view) {
    this.view = view;
    this.buttons = Object.entries(PINS).map(([kind, { letter, words }]) => {
      const button = element("button", "pin");
      button.type = "button";
      button.append(kind === "merge" ? "Merge" : words, element("kbd", "", letter));
      button.addEventListener("mousedown", (event) => event.preventDefault());   // or the selection would go
      button.addEventListener("click", () => this.set(kind));
      button.kind = kind;
      return button;
    });
  }
  get on() { return this.view.pinning; }
  // Which buttons suit a selection: a merge takes the boundaries in it.
  offer(chosen) {
    for (const button of this.buttons) button.hidden = !this.on || (button.kind === "merge" && !this.boundariesIn(chosen).length);
  }
  // Where the text of band i begins that the one before does not hold.
  newStart(i) { const { S, E } = this.view.scene; return i ? Math.max(S[i], E[i - 1]) : S[i]; }
  boundariesIn({ start, end }) {
    const { S } = this.view.scene, found = [];
    for (let i = Math.max(1, lowerBound(S, start)); i < S.length && S[i] < end; i++) if (this.newStart(i) > start && this.newStart(i) < end) found.push(this.newStart(i));
    return found;
  }
  // What a kind of pin would stand at: [start, end] in units each; for the selection, else for the band at the cursor or the picked one.
  places(kind) {
    const { view } = this, { scene } = view, { chosen } = view.asker, i = scene.cursor >= 0 ? scene.cursor : scene.picked;
    if (chosen) return kind === "split" ? [[chosen.start, chosen.start]] : kind === "merge" ? this.boundariesIn(chosen).map((at) => [at, at]) : [[chosen.start, chosen.end]];
    if (i < 0) return [];
    if (kind === "split") return [[this.newStart(i), this.newStart(i)]];
    if (kind === "merge") return i + 1 < scene.S.length ? [[this.newStart(i + 1), this.newStart(i + 1)]] : [];
    return [[this.newStart(i), scene.E[i]]];
  }
  set(kind) {
    const { view } = this, places = this.on ? this.places(kind) : [];
    if (!places.length) return;
    const { ruler } = view.scene.source;
    view.events.send("pin", { doc: view.doc, kind, places: places.map((place) => place.map((unit) => ruler.toPoint(unit))) });
    view.live.textContent = `Pinned: ${PINS[kind].words}`;
    view.asker.close();
  }
  undo(redo) {
    this.view.events.send("unpin", { doc: this.view.doc, redo });
    this.view.live.textContent = redo ? "Redo" : "Undo";
  }
  // Whether a key was one of its own.
  key({ key }) {
    const kind = Object.keys(PINS).find((one) => PINS[one].letter.toLowerCase() === key);
    if (!this.on || !kind) return false;
    this.set(kind);
    return true;
  }
}
