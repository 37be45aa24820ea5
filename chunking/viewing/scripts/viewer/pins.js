// Pins: boundaries set by hand. A mark in the text for each, and the keys and buttons that set them.
const PINS = {
  split: { letter: "S", words: "Split here" },
  keep: { letter: "K", words: "Keep together" },
  leave_out: { letter: "X", words: "Leave out" },
  merge: { letter: "M", words: "Merge with next" },
};

// Rows packed by pins.py.
async function unpackPins(message) {
  if (!message?.n) return [];
  const { kinds, starts, ends, labelIds, holds, labels } = await unpack(
    message.columns,
    ["kinds", "starts", "ends", "labelIds", "holds"],
    message.n,
  );
  return Array.from(kinds, (kind, i) => ({
    kind: Object.keys(PINS)[kind],
    start: starts[i],
    end: ends[i],
    label: labels[labelIds[i]],
    holds: holds[i] > 0,
  }));
}

// Whether the cursor is on text that a pin leaves out; `outside`: its unit if it is in no band, else -1.
const isOn = ({ kind, start, end }, outside) => kind === "leave_out" && start <= outside && outside < end;

// The letter of a pin in the margin of its line; dashed if the pin does not hold.
function pinSign(pin, outside) {
  const { kind, label, holds } = pin,
    node = element(
      "span",
      `pinsign ${kind}${holds ? "" : " idle"}${isOn(pin, outside) ? " cursor" : ""}`,
      PINS[kind].letter,
    );
  node.pin = pin;
  node.title = label;
  node.setAttribute("role", "img");
  node.setAttribute("aria-label", label);
  return node;
}

// Several on one line are side by side.
function spreadPins(shown) {
  const taken = new Map();
  for (const sign of shown.querySelectorAll(".pinsign")) {
    const place = Math.round(sign.getBoundingClientRect().top),
      before = taken.get(place) ?? 0;
    sign.style.setProperty("--before", before);
    taken.set(place, before + 1);
  }
}

const nameOf = ({ kind, start, end }) => `${kind} ${start} ${end}`;
const wordsIn = (text) => text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0;

// Keys and buttons that set pins. A key acts on the selected text, else on the chunk at the cursor, else on the picked
// one; it moves none of them, and the same key again removes its pin. Keys pressed before the server has answered wait
// for the answer (view.js).
class Pinning {
  // `view`: the viewer; its `asker` knows what is selected.
  constructor(view) {
    this.view = view;
    this.did = new Map(); // kind -> names of the pins that its key set where the selection is
    this.known = null; // names of all pins that were drawn
    this.buttons = Object.entries(PINS).map(([kind, { letter, words }]) => {
      const button = element("button", "pin");
      button.type = "button";
      button.append(kind === "merge" ? "Merge" : words, element("kbd", "", letter));
      button.addEventListener("mousedown", (event) => event.preventDefault()); // or the selection would go
      button.addEventListener("click", () => view.enqueue(() => this.set(kind)));
      button.kind = kind;
      return button;
    });
    this.notice = element("div", "notice");
    this.notice.hidden = true;
    this.notice.setAttribute("role", "status");
    this.sentence = element("span");
    this.back = element("button", "", "Undo");
    this.back.type = "button";
    this.back.addEventListener("mousedown", (event) => event.preventDefault()); // the keys stay with the text
    this.back.addEventListener("click", () =>
      view.enqueue(() => {
        if (!this.notice.hidden) this.undo(false);
      }),
    );
    this.notice.append(this.sentence, this.back);
    view.el.append(this.notice);
  }
  get on() {
    return this.view.pinning;
  }
  // Buttons that suit a selection: a merge removes the boundaries in it, or restores them.
  offer(chosen) {
    for (const button of this.buttons)
      button.hidden = !this.on || (button.kind === "merge" && !this.places("merge").length);
  }
  boundariesIn({ start, end }) {
    const { scene } = this.view,
      { S } = scene,
      found = [];
    for (let i = Math.max(1, lowerBound(S, start)); i < S.length && S[i] < end; i++)
      if (scene.newStart(i) > start && scene.newStart(i) < end) found.push(scene.newStart(i));
    return found;
  }
  // Places, as [start, end] in units, where a key sets or removes a pin: its own pin here, else a visible one, else a
  // new place.
  places(kind) {
    const names = this.did.get(kind),
      { scene } = this.view,
      own = names ? scene.pins.filter((pin) => names.has(nameOf(pin))) : [];
    const there = own.length ? own : this.seen(kind);
    return there.length ? there.map(({ start, end }) => [start, end]) : this.fresh(kind);
  }
  // The pins of a kind that shaped the selection. Of several in a chunk, the one set last.
  seen(kind) {
    const { view } = this,
      { scene } = view,
      { chosen } = view.asker,
      i = view.target,
      those = scene.pins.filter((pin) => pin.kind === kind);
    const inside = ({ start, end }) => those.filter((pin) => pin.start > start && pin.start < end);
    if (chosen) return kind === "merge" && !this.boundariesIn(chosen).length ? inside(chosen) : [];
    if (kind === "leave_out") {
      const unit = i < 0 && view.place != null ? scene.source.ruler.toUnit(view.place) : -1;
      return those.filter((pin) => pin.start <= unit && unit < pin.end).slice(-1);
    }
    if (i < 0 || kind === "keep") return [];
    return inside({ start: scene.newStart(i) - (kind === "split" ? 1 : 0), end: scene.E[i] }).slice(-1);
  }
  fresh(kind) {
    const { view } = this,
      { scene } = view,
      { chosen } = view.asker,
      i = view.target;
    if (chosen)
      return kind === "split"
        ? [[chosen.start, chosen.start]]
        : kind === "merge"
          ? this.boundariesIn(chosen).map((at) => [at, at])
          : [[chosen.start, chosen.end]];
    if (i < 0) return [];
    if (kind === "split") return [[scene.newStart(i), scene.newStart(i)]];
    if (kind === "merge") return i + 1 < scene.S.length ? [[scene.newStart(i + 1), scene.newStart(i + 1)]] : [];
    return [[scene.newStart(i), scene.E[i]]];
  }
  set(kind) {
    const { view } = this,
      places = this.on ? this.places(kind) : [];
    if (!places.length) return;
    const { ruler } = view.scene.source;
    this.asked = kind;
    view.ask("pin", { kind, places: places.map((place) => place.map((unit) => ruler.toPoint(unit))) });
  }
  undo(redo) {
    this.view.ask("unpin", { redo });
    this.view.live.textContent = redo ? "Redo" : "Undo";
  }
  // The selection is another one.
  forget() {
    this.did.clear();
  }
  // Whether the pins have changed; also records the pins set by a key and announces left-out text. `fresh`: another
  // document.
  compare(fresh) {
    const { scene, live } = this.view,
      before = fresh ? null : this.known,
      named = new Map(scene.pins.map((pin) => [nameOf(pin), pin]));
    this.known = new Set(named.keys());
    if (fresh) {
      this.forget();
      this.notice.hidden = true;
    }
    if (!before || (before.size === named.size && [...before].every((name) => named.has(name)))) return false;
    const added = [...named].filter(([name]) => !before.has(name)),
      out = added.map(([, pin]) => pin).filter(({ kind }) => kind === "leave_out");
    if (this.asked) {
      const set = added.filter(([, { kind }]) => kind === this.asked).map(([name]) => name);
      if (set.length) this.did.set(this.asked, new Set(set));
      live.textContent = set.length ? `Pinned: ${PINS[this.asked].words}` : `Pin removed: ${PINS[this.asked].words}`;
    }
    this.asked = null;
    this.notice.hidden = !out.length || !this.on;
    if (!out.length) return true;
    const words = out.reduce((sum, { start, end }) => sum + wordsIn(scene.text.slice(start, end)), 0),
      idle = out.find(({ holds }) => !holds);
    this.sentence.textContent = idle ? idle.label : `Left out: ${fold(words)} ${words === 1 ? "word" : "words"}`;
    return true;
  }
  // Whether a key was one of its own.
  key(key) {
    const kind = Object.keys(PINS).find((one) => PINS[one].letter.toLowerCase() === key);
    if (!this.on || !kind) return false;
    this.set(kind);
    return true;
  }
}
