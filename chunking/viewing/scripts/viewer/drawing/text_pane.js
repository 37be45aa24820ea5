// The text on screen: keeps only the visible blocks in the page, and the reader's place when it is redrawn.
const OVERSCAN = 400; // pixels drawn above and below the screen
const PREFIX_HEIGHT = 22; // of a prefix line, with its margin: see style.css
const LINE_HEIGHT = 23;
const ROW_EXTRA = 5; // of a row of a table, more than a line: see style.css
const SIDEWAYS = 120; // pixels, a key
const TRACK_WIDTH = 46; // of the gutter of B: see style.css

class TextPane {
  // `on`: held(layout, first, last, force), the blocks to keep in the page; placed(), after lines have moved on screen;
  // moved(), the reader's place may have changed; resized().
  constructor(parent, on) {
    this.on = on;
    this.scroller = element("div", "scroller");
    this.page = element("div", "page");
    this.shown = element("div", "shown");
    this.page.append(this.shown);
    this.scroller.append(this.page);
    parent.append(this.scroller);
    this.scroller.addEventListener(
      "scroll",
      () => {
        this.frame ||= requestAnimationFrame(() => {
          this.frame = 0;
          this.onScroll();
        });
      },
      { passive: true },
    );
    this.sizes = new ResizeObserver(() => this.onResize());
    this.sizes.observe(this.scroller);
  }
  destroy() {
    this.sizes.disconnect();
    cancelAnimationFrame(this.frame);
  }
  open(source) {
    this.scene = new Scene(source);
    this.layout = new Layout(source.text, source.joins);
    const wide = source.text.slice(0, 20000).match(/[\u1100-\u11ff\u2e80-\uffdc]/g)?.length ?? 0;
    this.spread = 1 + wide / Math.max(1, Math.min(20000, source.text.length));
    this.scroller.setAttribute("aria-label", `Text of ${source.title}`);
    this.scroller.scrollTop = 0;
    this.refit();
  }
  // Estimate all heights again if the width or the number of columns has changed; returns whether it did.
  refit() {
    this.width = 0;
    return this.fit();
  }
  fit() {
    const width = this.shown.clientWidth;
    if (!width || width === this.width) return false;
    this.width = width;
    const drawn = shared.raw ? [] : this.scene.source.blocks.filter(({ kind }) => kind === "table");
    this.layout.estimate(
      Math.max(16, (width - 70 - (this.scene.track ? TRACK_WIDTH : 0)) / (7.1 * this.spread)),
      LINE_HEIGHT,
      drawn,
      ROW_EXTRA,
      shared.raw ? [] : picturesOf(this.scene.source),
      PICTURE_HEIGHT,
    );
    this.layout.stack();
    return true;
  }
  onResize() {
    if (!this.scene?.bands) return;
    const stay = this.anchor();
    if (this.fit()) this.repaint(stay);
    else this.draw(false);
    this.on.resized();
  }

  // The first character whose line's top is on screen, and its distance from the edge.
  anchor() {
    const edge = this.scroller.getBoundingClientRect().top;
    for (const part of this.shown.querySelectorAll(".part")) {
      const box = part.getBoundingClientRect();
      if (box.bottom < edge + 4) continue;
      const top = (unit) => this.rect(part, unit).top - edge;
      let low = 0,
        high = part.firstChild.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (top(middle) >= -2) high = middle;
        else low = middle + 1;
      }
      if (low < part.firstChild.length) return { unit: part.unit + low, y: top(low) };
    }
    return null;
  }
  rect(part, index) {
    const range = document.createRange();
    range.setStart(part.firstChild, index);
    range.setEnd(part.firstChild, Math.min(part.firstChild.length, index + 1));
    return range.getBoundingClientRect();
  }
  yOf(unit) {
    const parts = [...this.shown.querySelectorAll(".part")];
    const part = parts[parts.findIndex((p) => p.unit > unit) - 1] ?? parts.at(-1);
    if (!part || unit < part.unit || unit > part.unit + part.firstChild.length) return null;
    return (
      this.rect(part, Math.min(unit - part.unit, part.firstChild.length - 1)).top -
      this.scroller.getBoundingClientRect().top
    );
  }

  // Draw the visible part. Heights that differ from the estimate shift everything below: the caller keeps the place.
  draw(force) {
    const { layout, scroller } = this;
    if (!layout.count || !this.scene.bands) {
      this.shown.replaceChildren();
      return;
    }
    const [first, last] = this.on.held(
      layout,
      layout.blockAtTop(scroller.scrollTop - OVERSCAN),
      layout.blockAtTop(scroller.scrollTop + scroller.clientHeight + OVERSCAN),
      force,
    );
    if (!force && first === this.first && last === this.last) return;
    const kept = new Map(); // never taken out and put back: that would undo what the user has selected
    for (const node of [...this.shown.children])
      if (force || +node.dataset.b < first || +node.dataset.b > last) node.remove();
      else kept.set(+node.dataset.b, node);
    const blocks = [];
    for (let b = first, next = this.shown.firstChild; b <= last; b++) {
      const node = kept.get(b) ?? blockOf(this.scene, layout, b);
      if (node === next) next = next.nextSibling;
      else this.shown.insertBefore(node, next);
      blocks.push(node);
    }
    [this.first, this.last] = [first, last];
    let moved = false;
    for (const node of blocks) moved = layout.measured(+node.dataset.b, node.getBoundingClientRect().height) || moved;
    if (moved) layout.stack();
    this.page.style.height = `${layout.height}px`;
    this.shown.style.transform = `translateY(${layout.tops[first]}px)`;
    spreadNumbers(this.shown);
    if (this.scene.track) spreadOthers(this.shown);
    if (this.scene.pins.length) spreadPins(this.shown);
    this.on.placed();
  }
  // Redraw everything with the anchor at its place.
  repaint(stay) {
    if (stay) this.bring(stay.unit, stay.y, true);
    else {
      this.draw(true);
      this.draw(false);
    }
    this.on.moved();
  }
  // Scroll the character to `y` pixels below the edge. Heights are known only after drawing: three rounds suffice.
  bring(unit, y, force = true) {
    const b = this.layout.blockAtUnit(unit);
    if (!(b >= this.first && b <= this.last) || force) {
      const guess =
        this.layout.tops[b] +
        ((unit - this.layout.starts[b]) / Math.max(1, (this.layout.starts[b + 1] ?? 0) - this.layout.starts[b])) *
          (this.layout.plain[b] ?? 0);
      if (this.page.clientHeight < this.layout.height) this.page.style.height = `${this.layout.height}px`;
      if (Math.abs(this.scroller.scrollTop - (guess - y)) > OVERSCAN / 2) this.scroller.scrollTop = guess - y;
    }
    for (let round = 0; round < 4; round++) {
      this.draw(force && round === 0);
      const now = this.yOf(unit);
      if (now === null) {
        this.scroller.scrollTop = this.layout.tops[b] - y;
        continue;
      }
      if (Math.abs(now - y) < 1) break;
      const before = this.scroller.scrollTop;
      this.scroller.scrollTop += now - y;
      if (Math.abs(this.scroller.scrollTop - before) < 0.5) break; // at an end of the text
    }
    this.on.moved();
  }
  // In a table wider than its place, scroll until the character is visible.
  revealSideways(unit) {
    const { scroller } = this,
      part = [...this.shown.querySelectorAll(".part")].findLast((one) => one.unit <= unit);
    if (!part || scroller.scrollWidth <= scroller.clientWidth) return;
    const box = this.rect(part, Math.min(unit - part.unit, part.firstChild.length - 1)),
      frame = scroller.getBoundingClientRect();
    if (box.left < frame.left || box.right > frame.right - SIDEWAYS / 2)
      scroller.scrollLeft += box.left - frame.left - frame.width / 2;
  }
  onScroll() {
    if (!this.scene?.bands) return;
    const stay = this.anchor();
    const [first, last] = [this.first, this.last];
    this.draw(false);
    if (stay && (first !== this.first || last !== this.last)) {
      const now = this.yOf(stay.unit);
      if (now !== null && Math.abs(now - stay.y) >= 1) this.scroller.scrollTop += now - stay.y;
    }
    this.on.placed();
    this.on.moved();
  }
}
