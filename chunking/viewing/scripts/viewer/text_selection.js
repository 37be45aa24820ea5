// Ask about a part of the text: select it, and a button appears; nothing is sent until it is pressed.

// The selection inside a shadow root, which browsers report in three ways; null for none.
function selectedIn(root) {
  const whole = getSelection();
  const told = root.getSelection?.() ?? whole;
  let range = told?.rangeCount ? told.getRangeAt(0) : null;
  if (!root.getSelection && whole?.getComposedRanges) {
    const [composed] = whole.getComposedRanges({ shadowRoots: [root] });
    if (composed) {
      range = document.createRange();
      range.setStart(composed.startContainer, composed.startOffset);
      range.setEnd(composed.endContainer, composed.endOffset);
    }
  }
  return range && !range.collapsed && root.contains(range.commonAncestorContainer) ? range : null;
}

// A range as { start, end } in units of the text, or null. Numbers, signs and prefix lines have no units, so only parts
// of the text count.
function partsOf(range, shown) {
  let start = null,
    end = null;
  for (const part of shown.querySelectorAll(".part")) {
    const node = part.firstChild;
    if (!range.intersectsNode(node)) continue;
    const from = part.unit + (range.startContainer === node ? range.startOffset : 0),
      to = part.unit + (range.endContainer === node ? range.endOffset : node.length);
    if (to <= from) continue;
    start ??= from;
    end = to;
  }
  return start === null ? null : { start, end };
}

// The same without half characters and white space around it.
function unitsOf(range, shown, text) {
  const held = partsOf(range, shown);
  if (!held) return null;
  let { start, end } = held;
  const low = (unit) => {
    const code = text.charCodeAt(unit);
    return code >= 0xdc00 && code < 0xe000;
  };
  if (low(start)) start--;
  if (low(end)) end++;
  const chosen = text.slice(start, end),
    lead = chosen.length - chosen.trimStart().length,
    words = chosen.trim();
  return words ? { start: start + lead, end: start + lead + words.length } : null;
}

const MOST_HELD = 60; // blocks that stay in the page for the sake of what is selected in them

class Asking {
  // `view`: the viewer.
  constructor(view) {
    this.view = view;
    this.chosen = null; // { start, end } in units
    this.bar = element("div", "actions");
    this.bar.hidden = true;
    this.bar.setAttribute("role", "toolbar");
    this.bar.setAttribute("aria-label", "Selected text");
    this.button = element("button", "ask");
    this.button.type = "button";
    this.label = element("span");
    this.button.append(this.label, element("kbd", "", "Q"));
    this.button.addEventListener("mousedown", (event) => event.preventDefault()); // or the selection would go
    this.button.addEventListener("click", () => this.ask());
    this.bar.append(...view.pins.buttons, this.button);
    view.el.append(this.bar);
    this.onChange = () => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.look());
    };
    document.addEventListener("selectionchange", this.onChange);
  }
  destroy() {
    document.removeEventListener("selectionchange", this.onChange);
    cancelAnimationFrame(this.frame);
  }
  get range() {
    return selectedIn(this.view.el.getRootNode());
  }

  look() {
    const { view } = this,
      range = view.scene && (view.asking || view.pinning) ? this.range : null;
    const before = this.chosen;
    this.chosen = range && unitsOf(range, view.pane.shown, view.scene.text);
    if (this.chosen && (this.chosen.start !== before?.start || this.chosen.end !== before.end)) view.pins.forget();
    this.bar.hidden = !this.chosen;
    this.button.hidden = !view.asking;
    if (!this.chosen) return;
    this.label.textContent = view.asking;
    view.pins.offer(this.chosen);
    this.place(range);
  }
  place(range) {
    const frame = this.view.el.getBoundingClientRect(),
      box = [...range.getClientRects()].at(-1) ?? range.getBoundingClientRect();
    const { bar } = this,
      x = box.right - frame.left - bar.offsetWidth / 2,
      y = box.bottom - frame.top + 6;
    bar.style.left = `${Math.max(6, Math.min(x, frame.width - bar.offsetWidth - 28))}px`;
    bar.style.top = `${Math.max(6, Math.min(y, frame.height - bar.offsetHeight - 6))}px`;
  }
  // The blocks to keep in the page, including selected ones: a selection survives scrolling off the screen.
  held(layout, first, last) {
    if (!this.chosen) return [first, last];
    const from = Math.min(first, layout.blockAtUnit(this.chosen.start)),
      to = Math.max(last, layout.blockAtUnit(this.chosen.end));
    return to - from > MOST_HELD ? [first, last] : [from, to];
  }
  // Restore the selection after a redraw: a key keeps the selection at its place.
  restore({ start, end }) {
    const parts = [...this.view.pane.shown.querySelectorAll(".part")];
    const first = parts.findLast(({ unit }) => unit <= start),
      last = parts.findLast(({ unit }) => unit < end);
    if (!first || start >= first.unit + first.firstChild.length || end > last.unit + last.firstChild.length) return;
    getSelection()?.setBaseAndExtent(first.firstChild, start - first.unit, last.firstChild, end - last.unit);
  }
  // Ask about the selection, else about the band at the cursor or the picked one.
  ask() {
    const { view } = this,
      { scene } = view,
      i = view.target;
    if (!view.asking) return;
    const of = this.chosen ?? (i >= 0 ? { start: scene.S[i], end: scene.E[i] } : null);
    if (!of) return;
    const { ruler } = scene.source;
    view.events.send("asked", { doc: view.doc, start: ruler.toPoint(of.start), end: ruler.toPoint(of.end) });
    this.close();
  }
  // Nothing is selected any more.
  close() {
    this.bar.hidden = true;
    getSelection()?.removeAllRanges();
    this.chosen = null;
  }
}
