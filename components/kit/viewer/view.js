// The viewer: keeps in the page only what is on screen, and keeps the reader's place when boundaries move.
const OVERSCAN = 400;       // pixels drawn above and below the screen
const PREFIX_HEIGHT = 22;   // of a prefix line, with its margin: see style.css
const LINE_HEIGHT = 23;
const ROW_EXTRA = 5;        // of a row of a table, more than a line: see style.css
const SIDEWAYS = 120;       // pixels, a key
const FATES_HEIGHT = 36;    // of the line above the text that counts answers
const TRACK_WIDTH = 46;     // of the gutter of B: see style.css
const MOST_ANSWERS = 3;     // said in the tooltip
const RANKS = ["intact", "split", "missed"];

class View {
  constructor(parent) {
    this.el = element("div", "cs view");
    this.scroller = element("div", "scroller");
    this.page = element("div", "page");
    this.shown = element("div", "shown");
    this.tip = element("div", "tip");
    this.live = element("div", "unseen");
    this.page.append(this.shown);
    this.scroller.append(this.page);
    this.el.append(this.scroller);
    this.ruler = new Ruler(this.el, (share) => this.seek(share));
    this.fates = new FateBar(parent, (fate) => this.goNext(fate));
    this.others = new OtherBar(parent, () => this.goNextDifference());
    this.el.append(this.tip, this.live);
    this.asker = new Asking(this);
    this.raw = new RawSwitch(() => this.onRaw());
    this.raw.el.hidden = true;
    this.el.append(this.raw.el);
    parent.append(this.el);
    this.tip.setAttribute("role", "tooltip");
    this.live.setAttribute("aria-live", "polite");
    Object.assign(this.scroller, { tabIndex: 0 });
    this.scroller.setAttribute("role", "region");
    this.scroller.setAttribute("aria-keyshortcuts", "ArrowDown ArrowUp J K H L Enter Escape Q X D");
    this.listen();
  }
  listen() {
    const unpin = () => { this.pinned = null; };
    for (const name of ["wheel", "touchmove", "pointerdown"]) this.el.addEventListener(name, unpin, { passive: true });
    this.scroller.addEventListener("scroll", () => { this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.onScroll(); }); }, { passive: true });
    this.scroller.addEventListener("keydown", (event) => this.onKey(event));
    this.scroller.addEventListener("blur", () => this.setCursor(-1));
    this.shown.addEventListener("click", (event) => this.onClick(event));
    this.shown.addEventListener("mousemove", (event) => this.onHover(event));
    this.shown.addEventListener("mouseleave", () => this.hover(-1));
    this.shown.addEventListener("copy", (event) => this.onCopy(event));
    this.sizes = new ResizeObserver(() => this.onResize());
    this.sizes.observe(this.scroller);
    this.onGoto = ({ detail }) => { if (detail.doc === this.doc && this.scene) this.jump(detail.at, detail.pick); };
    window.addEventListener("chunkscope:goto", this.onGoto);
    // In what shows the picked band beside the text, too, Escape picks none.
    this.onEscape = (event) => { if (event.key === "Escape" && this.scene && event.target.closest?.("[class*=-inspector-open]")) { this.pick(-1); this.scroller.focus(); } };
    document.addEventListener("keydown", this.onEscape);
  }
  destroy() {
    document.removeEventListener("keydown", this.onEscape);
    window.removeEventListener("chunkscope:goto", this.onGoto);
    this.asker.destroy();
    this.raw.destroy();
    this.sizes.disconnect();
    cancelAnimationFrame(this.frame);
    this.fates.el.remove();
    this.others.el.remove();
    this.el.remove();
  }

  show(message) {
    this.take(message).catch((error) => { this.shown.textContent = `The text cannot be shown (${error.message}); reload the page.`; });
  }
  // A message from Python. A later one may overtake it while it waits for the text.
  async take(message) {
    const turn = this.turns;
    this.scroller.style.height = `${message.height - (message.answers ? FATES_HEIGHT : 0) - (message.other ? BAR_HEIGHT : 0)}px`;
    const packed = message.rev === this.rev && this.scene ? null : unpackBands(message.bands, message.n);
    const [source, bands, answers] = await Promise.all([textOf(message.doc), packed, answersOf(message.answers?.key)]);
    const track = await trackOf(message.other, source);
    if (turn !== this.turns) return;
    const fresh = this.doc !== message.doc;
    if (fresh) this.open(message.doc, source);
    if (!bands && fresh) return;
    const looks = JSON.stringify([message.rev, message.marks, message.answers, message.other, message.prefixes, message.noun, message.asking, message.height, themeOf(this.el)]);
    if (fresh || looks !== this.looks) {
      const stay = fresh ? null : this.anchor();
      this.look(message, bands, answers, track);
      if (fresh && this.lastPlace(message.doc)) this.bring(this.lastPlace(message.doc), 0); else this.repaint(stay);
      this.looks = looks;
    } else if (this.scene.picked !== this.pickedIn(message)) {   // a run that changes nothing draws nothing: a click has its element still
      this.scene.picked = this.pickedIn(message);
      this.restyle();
      tell("scene", this.doc, { scene: this.scene });
    }
    if (message.goto && message.goto.nonce !== this.nonce) {
      this.nonce = message.goto.nonce;
      this.jump(message.goto.at, message.goto.pick);
    }
    requestAnimationFrame(() => setTimeout(() => this.painted(message)));
  }
  open(doc, source) {
    this.doc = doc;
    this.scene = new Scene(source);
    this.layout = new Layout(source.text, source.joins);
    const wide = source.text.slice(0, 20000).match(/[\u1100-\u11ff\u2e80-\uffdc]/g)?.length ?? 0;
    this.spread = 1 + wide / Math.max(1, Math.min(20000, source.text.length));
    this.el.classList.toggle("bidi", source.bidi);
    this.scroller.setAttribute("aria-label", `Text of ${source.title}`);
    this.width = 0;
    this.scroller.scrollTop = 0;
    this.fit();
  }
  // What the user picked last, the server may not know yet.
  pickedIn(message) {
    const waiting = this.events.last("pick");
    return this.scene.indexAt(waiting?.doc === this.doc ? waiting.at : message.at);
  }
  lastPlace(doc) { return shared.places.get(doc)?.at; }
  look(message, bands, answers, track) {
    const { scene } = this;
    this.el.dataset.theme = this.fates.el.dataset.theme = this.others.el.dataset.theme = themeOf(this.el);
    scene.noun = message.noun;
    scene.prefixes = message.prefixes;
    if (bands) {
      scene.setBands(bands);
      scene.cursor = -1;
      this.rev = message.rev;
      tell("bands", this.doc, { starts: bands.starts, sizes: bands.sizes });
    }
    scene.setMarks(message.marks);
    scene.setAnswers(answers, message.answers?.fates ?? "");
    this.fates.show(scene.answers, message.other?.fates);
    const compared = scene.track !== null;
    scene.track = track;
    this.others.show(scene);
    this.el.classList.toggle("compared", track !== null);
    const over = this.others.el.offsetHeight - BAR_HEIGHT;   // where the line takes two rows
    if (over > 0) this.scroller.style.height = `${this.scroller.clientHeight - over}px`;
    if (compared !== (track !== null)) { this.width = 0; this.fit(); }
    this.el.classList.toggle("asked", scene.answers !== null);
    this.asking = message.asking;
    scene.picked = this.pickedIn(message);
    this.el.classList.toggle("quiet", scene.quiet);
    const tagged = scene.prefixes ? scene.S.filter((_, i) => scene.bands.prefixes[scene.bands.prefixIds[i]]) : [];
    this.layout.setExtra(tagged, PREFIX_HEIGHT);
    this.ruler.draw(scene);
    tell("scene", this.doc, { scene });
  }
  painted(message) {
    performance.mark("chunkscope:painted", { detail: { rev: message.rev, run: message.run } });
    this.el.dataset.rev = message.rev;
    this.el.dataset.run = message.run;
    window.dispatchEvent(new CustomEvent("chunkscope:painted", { detail: { doc: this.doc, rev: message.rev } }));
  }
  fit() {
    const width = this.shown.clientWidth;
    if (!width || width === this.width) return false;
    this.width = width;
    const drawn = shared.raw ? [] : this.scene.source.blocks.filter(({ kind }) => kind === "table");
    this.layout.estimate(Math.max(16, (width - 70 - (this.scene.track ? TRACK_WIDTH : 0)) / (7.1 * this.spread)), LINE_HEIGHT, drawn, ROW_EXTRA);
    this.layout.stack();
    return true;
  }
  // Tables have become raw text, or the other way round: the reader's place stays.
  onRaw() {
    if (!this.scene?.bands) return;
    const stay = this.anchor();
    this.width = 0;
    if (this.fit()) this.repaint(stay);
  }
  // What is copied are the characters of the text: no line ends between cells.
  onCopy(event) {
    const range = this.asker.range, chosen = range && partsOf(range, this.shown);
    if (!chosen) return;
    event.clipboardData.setData("text/plain", this.scene.text.slice(chosen.start, chosen.end));
    event.preventDefault();
  }
  onResize() {
    if (!this.scene?.bands) return;
    const stay = this.anchor();
    if (this.fit()) this.repaint(stay); else this.draw(false);
    this.ruler.draw(this.scene);
  }

  // The first character whose line's top is on screen, and how far below the edge it stands.
  anchor() {
    const edge = this.scroller.getBoundingClientRect().top;
    for (const part of this.shown.querySelectorAll(".part")) {
      const box = part.getBoundingClientRect();
      if (box.bottom < edge + 4) continue;
      const top = (unit) => this.rect(part, unit).top - edge;
      let low = 0, high = part.firstChild.length;
      while (low < high) { const middle = (low + high) >> 1; if (top(middle) >= -2) high = middle; else low = middle + 1; }
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
    return this.rect(part, Math.min(unit - part.unit, part.firstChild.length - 1)).top - this.scroller.getBoundingClientRect().top;
  }

  // Draw what is on screen. Heights that come out otherwise than estimated shift what lies below: the caller keeps the place.
  draw(force) {
    const { layout, scroller } = this;
    if (!layout.count || !this.scene.bands) { this.shown.replaceChildren(); return; }
    const [first, last] = this.asker.held(layout, layout.blockAtTop(scroller.scrollTop - OVERSCAN), layout.blockAtTop(scroller.scrollTop + scroller.clientHeight + OVERSCAN), force);
    if (!force && first === this.first && last === this.last) return;
    const kept = new Map();   // never taken out and put back: that would undo what the user has selected
    for (const node of [...this.shown.children]) if (force || +node.dataset.b < first || +node.dataset.b > last) node.remove(); else kept.set(+node.dataset.b, node);
    const blocks = [];
    for (let b = first, next = this.shown.firstChild; b <= last; b++) {
      const node = kept.get(b) ?? blockOf(this.scene, layout, b);
      if (node === next) next = next.nextSibling; else this.shown.insertBefore(node, next);
      blocks.push(node);
    }
    [this.first, this.last] = [first, last];
    let moved = false;
    for (const node of blocks) moved = layout.measured(+node.dataset.b, node.getBoundingClientRect().height) || moved;
    if (moved) layout.stack();
    this.page.style.height = `${layout.height}px`;
    this.shown.style.transform = `translateY(${layout.tops[first]}px)`;
    this.spreadNumbers();
    this.placeRaw();
  }
  // The switch of tables stands over the blank line before the first one on screen, where it covers nothing; without a table there is none.
  placeRaw() {
    const { el } = this.raw, frame = this.scroller.getBoundingClientRect();
    const boxes = [...this.shown.querySelectorAll(".tabular")].map((line) => line.getBoundingClientRect());
    const box = boxes.find(({ top, bottom }) => bottom > frame.top + LINE_HEIGHT && top < frame.bottom - LINE_HEIGHT);
    if (el.getRootNode().activeElement !== el) el.hidden = !box;
    if (box) el.style.top = `${Math.max(6, box.top - frame.top - LINE_HEIGHT - 3)}px`;
  }
  // Several chunks that start on one line would print their numbers over each other: the later one says how many there are.
  spreadNumbers() {
    let before = null;
    for (const number of this.shown.querySelectorAll(".number")) {
      const top = number.offsetTop, line = number.closest(".line");
      const same = before && before.line === line && Math.abs(before.top - top) < 4;
      if (same) { before.node.classList.add("covered"); number.dataset.from = before.from; }
      before = { top, line, node: number, from: same ? before.from : number.firstChild.data };
    }
    const worst = new Map();   // of the answers that begin on one line, the sign of the worst stays
    for (const sign of this.shown.querySelectorAll(".sign")) {
      const place = `${sign.closest(".block").dataset.b} ${Math.round(sign.getBoundingClientRect().top)}`, known = worst.get(place);
      const keep = known && RANKS.indexOf(known.dataset.fate) >= RANKS.indexOf(sign.dataset.fate) ? known : sign;
      known?.classList.toggle("covered", keep !== known);
      sign.classList.toggle("covered", keep !== sign);
      worst.set(place, keep);
    }
    if (this.scene.track) spreadOthers(this.shown);
  }
  // Draw all anew with the anchor where it was.
  repaint(stay) {
    if (stay) this.bring(stay.unit, stay.y, true);
    else { this.draw(true); this.draw(false); }
    this.report();
  }
  // Scroll so that the character stands `y` pixels below the edge. Heights are known only once drawn: three rounds settle it.
  bring(unit, y, force = true) {
    const b = this.layout.blockAtUnit(unit);
    if (!(b >= this.first && b <= this.last) || force) {
      const guess = this.layout.tops[b] + ((unit - this.layout.starts[b]) / Math.max(1, (this.layout.starts[b + 1] ?? 0) - this.layout.starts[b])) * (this.layout.plain[b] ?? 0);
      if (this.page.clientHeight < this.layout.height) this.page.style.height = `${this.layout.height}px`;
      if (Math.abs(this.scroller.scrollTop - (guess - y)) > OVERSCAN / 2) this.scroller.scrollTop = guess - y;
    }
    for (let round = 0; round < 4; round++) {
      this.draw(force && round === 0);
      const now = this.yOf(unit);
      if (now === null) { this.scroller.scrollTop = this.layout.tops[b] - y; continue; }
      if (Math.abs(now - y) < 1) break;
      const before = this.scroller.scrollTop;
      this.scroller.scrollTop += now - y;
      if (Math.abs(this.scroller.scrollTop - before) < 0.5) break;   // at an end of the text
    }
    this.report();
  }
  // In a table that is wider than its place, scroll so far that the character is seen.
  revealSideways(unit) {
    const { scroller } = this, part = [...this.shown.querySelectorAll(".part")].findLast((one) => one.unit <= unit);
    if (!part || scroller.scrollWidth <= scroller.clientWidth) return;
    const box = this.rect(part, Math.min(unit - part.unit, part.firstChild.length - 1)), frame = scroller.getBoundingClientRect();
    if (box.left < frame.left || box.right > frame.right - SIDEWAYS / 2) scroller.scrollLeft += box.left - frame.left - frame.width / 2;
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
    this.placeRaw();
    this.report();
  }
  // Say where the reader is.
  report() {
    const here = this.anchor(), { scroller, layout, scene } = this;
    if (!here) return;
    const b = layout.blockAtTop(scroller.scrollTop + scroller.clientHeight);
    this.ruler.place(here.unit / Math.max(1, scene.text.length), (layout.starts[b + 1] ?? scene.text.length) / Math.max(1, scene.text.length));
    const at = this.pinned ?? scene.source.ruler.toPoint(here.unit);
    if (at === this.told) return;
    this.told = at;
    tell("where", this.doc, { at });
  }

  // `pick`: also pick the band there, or the one at another character.
  jump(point, pick = false) {
    const unit = this.scene.source.ruler.toUnit(point);
    if (pick !== false) this.pick(this.scene.indexAt(pick === true ? point : pick));
    const i = this.scene.indexAt(point);
    const tagged = i >= 0 && this.scene.S[i] === unit && this.scene.prefixOf(i);
    this.pinned = point;   // near the end the text cannot scroll that far: the outline still shows the section asked for
    this.bring(unit, tagged ? PREFIX_HEIGHT + 8 : 8, true);
    this.revealSideways(unit);
  }
  seek(share) {
    this.pinned = null;
    this.bring(Math.min(this.scene.text.length - 1, Math.floor(share * this.scene.text.length)), 8, true);
  }

  onClick(event) {
    const part = this.under(event).closest?.("[data-c]");
    if (!part || this.asker.range) return;   // the user is selecting text
    const last = +part.dataset.c, first = +(part.dataset.first ?? last);
    this.pick(this.scene.picked === last && first < last ? last - 1 : last);   // a second click on an overlap picks the chunk before
  }
  // Where a repaint came between press and release, browsers name what holds both as the target of the click.
  under(event) { return event.target === this.shown ? this.shown.getRootNode().elementFromPoint(event.clientX, event.clientY) ?? this.shown : event.target; }
  pick(i) {
    const { scene } = this, at = i >= 0 ? scene.bands.starts[i] : null;
    if (i === scene.picked) return;
    scene.picked = i;
    this.restyle();
    this.say(i);
    tell("scene", this.doc, { scene });
    this.events.send("pick", { doc: this.doc, at });
  }
  // A pick or the cursor changes classes only.
  restyle() {
    const { picked, cursor } = this.scene;
    for (const node of this.shown.querySelectorAll("[data-c]")) {
      const last = +node.dataset.c, first = +(node.dataset.first ?? last);
      node.classList.toggle("picked", picked >= first && picked <= last);
      if (node.classList.contains("tick")) node.classList.toggle("cursor", last === cursor);
    }
  }
  setCursor(i) {
    if (i === this.scene?.cursor || !this.scene) return;
    this.scene.cursor = i;
    this.restyle();
  }
  // To the next answer that is intact, split or missed.
  goNext(fate) {
    const { scene } = this, next = scene.nextAnswer(fate, this.went ?? -1);
    if (!next) return;
    this.went = next.start;
    this.pinned = scene.source.ruler.toPoint(next.start);
    this.bring(next.start, this.scroller.clientHeight * 0.3, false);
    this.revealSideways(next.start);
    for (const part of this.shown.querySelectorAll(".part.answer")) if (part.unit >= next.start && part.unit < next.end) part.classList.add("reached");
    this.live.textContent = scene.answersAt(next.start).map((words) => words.slice(0, 2).join(": ")).join("; ");
  }
  // To the next boundary that only A or only B has, from the last one as long as that is on screen.
  goNextDifference() {
    const { scene, scroller } = this, last = this.differed ?? -1, y = last < 0 ? null : this.yOf(last);
    const unit = scene.track?.nextDifference(y !== null && y > -LINE_HEIGHT && y < scroller.clientHeight ? last : (this.anchor()?.unit ?? 0) - 1);
    if (unit == null) return;
    this.differed = unit;
    this.pinned = scene.source.ruler.toPoint(unit);
    this.bring(unit, scroller.clientHeight * 0.3, false);
    for (const node of this.shown.querySelectorAll(".differs")) node.classList.remove("differs");
    for (const node of this.shown.querySelectorAll(".part, .othercut, .tick")) if (scene.track.isAt(node, unit, scene)) node.classList.add("differs");
    this.live.textContent = scene.track.sentenceAt(unit, scene);
  }
  onKey(event) {
    this.pinned = null;
    if (!this.scene?.bands || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;   // with Shift, arrows extend a selection
    const step = { ArrowDown: 1, j: 1, ArrowRight: 1, ArrowUp: -1, k: -1, ArrowLeft: -1 }[event.key];
    const { scene, scroller } = this;
    if (step) this.move(step);
    else if (event.key === "Enter" && scene.cursor >= 0) this.pick(scene.cursor);
    else if (event.key === "q") this.asker.ask();
    else if (event.key === "x") this.goNext("split");
    else if (event.key === "d" && scene.track) this.goNextDifference();
    else if (event.key === "h" || event.key === "l") scroller.scrollLeft += event.key === "l" ? SIDEWAYS : -SIDEWAYS;   // a wide table
    else if (event.key === "Escape") { this.setCursor(-1); this.pick(-1); this.hover(-1); }
    else return;
    event.preventDefault();
  }
  move(step) {
    const { scene, scroller } = this, n = scene.S.length;
    if (!n) return;
    const from = scene.cursor >= 0 ? scene.cursor : scene.picked;
    const here = this.anchor();
    const i = from >= 0 ? Math.max(0, Math.min(n - 1, from + step)) : Math.min(n - 1, lowerBound(scene.S, here?.unit ?? 0));
    this.setCursor(i);
    const y = this.yOf(scene.S[i]);
    if (y === null || y < PREFIX_HEIGHT || y > scroller.clientHeight - 80) this.bring(scene.S[i], scroller.clientHeight * 0.25, false);
    this.restyle();
    this.say(i);
  }
  say(i) {
    if (i < 0) { this.live.textContent = "Nothing picked"; return; }
    const { title, rows, flags } = this.scene.facts(i);
    this.live.textContent = [title, ...rows, ...flags].join(", ");
  }

  onHover(event) {
    const other = event.target.closest?.("[data-other]");
    if (other) { this.hover(-1); this.tipAt(event, this.tipOfOther(+other.dataset.other)); return; }
    const node = event.target.closest?.("[data-c]"), part = event.target.closest?.(".part.answer");
    this.hover(node ? +node.dataset.c : -1, node, event, part ? this.scene.answersAt(part.unit) : []);
  }
  hover(i, node, event, answers = []) {
    if (i !== this.hovered) {
      this.hovered = i;
      for (const part of this.shown.querySelectorAll(".hovered")) part.classList.remove("hovered");
      if (i >= 0) for (const part of this.shown.querySelectorAll(`[data-c="${i}"]`)) part.classList.add("hovered");
    }
    this.tip.classList.toggle("on", i >= 0 || answers.length > 0);
    if (i < 0 && !answers.length) return;
    const lines = answers.slice(0, MOST_ANSWERS).flatMap(([title, question, fate]) => [element("strong", `fate ${fate}`, title), element("div", "question", question)]);
    if (answers.length > MOST_ANSWERS) lines.push(element("div", "also", `… and ${answers.length - MOST_ANSWERS} more`));
    if (i >= 0) lines.push(...this.tipOf(i, +(node.dataset.first ?? i)));
    const part = event.target.closest(".part"), k = part ? this.scene.track?.indexAt(part.unit) ?? -1 : -1;
    if (k >= 0) lines.push(element("div", "also", `in chunk ${fold(k)} of B`));
    this.tipAt(event, lines);
  }
  // Under the line that the pointer is on, or above it: that line can be read on. Nothing covers what is being selected, or is.
  tipAt(event, lines) {
    const selecting = event.buttons & 1 || this.asker.range !== null;
    this.tip.classList.toggle("on", !selecting);
    if (selecting) return;
    this.tip.replaceChildren(...lines);
    const frame = this.el.getBoundingClientRect(), { clientX: x, clientY: y } = event, { offsetWidth: width, offsetHeight: height } = this.tip;
    const line = [...event.target.getClientRects()].find(({ top, bottom }) => top <= y && y <= bottom && bottom - top < 2 * LINE_HEIGHT);
    const above = (line?.top ?? y - LINE_HEIGHT / 2) - 5 - height - frame.top, below = (line?.bottom ?? y + LINE_HEIGHT / 2) + 5 - frame.top;
    this.tip.style.left = `${Math.max(4, Math.min(x - frame.left + 14, frame.width - width - 8))}px`;
    this.tip.style.top = `${below + height > frame.height && above > 0 ? above : below}px`;
  }
  tipOfOther(k) {
    const { title, rows } = this.scene.track.facts(k);
    return [element("strong", "", title), ...rows.map((row) => element("div", "", row))];
  }
  tipOf(i, first) {
    const { title, rows, flags } = this.scene.facts(i);
    const lines = [element("strong", "", title), ...rows.map((row) => element("div", "", row)), ...flags.map((words) => element("div", "warn", `▲ ${words}`))];
    if (first < i) lines.push(element("div", "also", `overlap: also in ${this.scene.noun.toLowerCase()} ${fold(this.scene.bands.numbers[i - 1])}`));
    return lines;
  }
}

define("viewer", View, "viewer");
