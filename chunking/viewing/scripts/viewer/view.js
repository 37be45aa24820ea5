// The viewer: a text with its chunks drawn over it. Takes messages from Python; handles picks and keys itself.
const FATES_HEIGHT = 36; // of the line above the text that counts answers
const MOST_WAITING = 64; // keys and clicks that wait for an answer of the server; more are dropped
const KEYS = /^(Arrow(Up|Down|Left|Right)|Enter|Escape|[dhlnqx])$/;

class View {
  constructor(parent) {
    this.el = element("div", "cs view");
    this.live = element("div", "unseen");
    this.pane = new TextPane(this.el, {
      held: (...range) => this.asker.held(...range),
      placed: () => this.placeRaw(),
      moved: () => this.report(),
      resized: () => this.ruler.draw(this.scene),
    });
    this.ruler = new Ruler(this.el, (share) => this.seek(share));
    this.fates = new FateBar(parent, (fate) => this.goNext(fate));
    this.others = new OtherBar(parent, () => this.goNextDifference());
    this.tip = new Tooltip(this);
    this.el.append(this.live);
    Object.assign(this, { place: null, own: null, queue: [], waits: false });
    this.pins = new Pinning(this);
    this.asker = new Asking(this);
    this.raw = new RawSwitch(() => this.onRaw());
    this.raw.el.hidden = true;
    this.el.append(this.raw.el);
    this.legend = new Legend(this);
    parent.append(this.el);
    this.live.setAttribute("aria-live", "polite");
    this.listen();
  }
  get scene() {
    return this.pane.scene;
  }
  listen() {
    const unpin = () => {
      this.pinned = null;
    };
    for (const name of ["wheel", "touchmove", "pointerdown"]) this.el.addEventListener(name, unpin, { passive: true });
    const { scroller, shown } = this.pane;
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "region");
    scroller.addEventListener("keydown", (event) => this.onKey(event));
    scroller.addEventListener("blur", () => this.showCursor());
    scroller.addEventListener("focus", () => this.showCursor());
    shown.addEventListener("click", (event) => this.onClick(event));
    shown.addEventListener("copy", (event) => this.onCopy(event));
    this.onGoto = ({ detail }) => {
      if (detail.doc === this.doc && this.scene) this.jump(detail.at, detail.pick);
    };
    shared.bus.addEventListener("chunkscope:goto", this.onGoto);
    // Escape also clears the pick in the panel that shows the picked band.
    this.onEscape = (event) => {
      if (event.key === "Escape" && this.scene && event.target.closest?.("[class*=-inspector-open]")) {
        this.pick(-1);
        scroller.focus();
      }
    };
    document.addEventListener("keydown", this.onEscape);
  }
  destroy() {
    document.removeEventListener("keydown", this.onEscape);
    shared.bus.removeEventListener("chunkscope:goto", this.onGoto);
    this.asker.destroy();
    this.raw.destroy();
    this.pane.destroy();
    this.fates.el.remove();
    this.others.el.remove();
    this.el.remove();
  }

  show(message) {
    this.take(message).catch((error) => {
      this.pane.shown.textContent = `The text cannot be shown (${error.message}); reload the page.`;
    });
  }
  // A message from Python. A later one may overtake it while it waits for the text.
  async take(message) {
    const turn = this.turns;
    this.pane.scroller.style.height = `${message.height - (message.answers ? FATES_HEIGHT : 0) - (message.other ? BAR_HEIGHT : 0)}px`;
    const source = await textOf(message.doc, message.looks),
      edited = this.doc === message.doc && this.scene?.source !== source;
    const packed = message.rev === this.rev && this.scene && !edited ? null : unpackBands(message.bands, message.n);
    const [bands, answers, pins] = await Promise.all([
      packed,
      answersOf(message.answers?.key),
      unpackPins(message.pins),
    ]);
    const track = await trackOf(message.other, source);
    if (turn !== this.turns) return;
    const fresh = this.doc !== message.doc,
      there = edited ? this.pane.anchor() : null;
    if (fresh || edited) this.open(message.doc, source);
    if (fresh) this.asker.chosen = null;
    if (!bands && fresh) return;
    // The pins of this message are those that keys asked for
    const settled = !this.events?.has("pin") && !this.events?.has("unpin");
    const looks = JSON.stringify([
      message.rev,
      message.marks,
      message.answers,
      message.other,
      message.prefixes,
      message.noun,
      message.asking,
      message.pins,
      message.height,
      themeOf(this.el),
    ]);
    if (fresh || edited || looks !== this.looks) {
      const stay = fresh ? null : edited ? there : this.pane.anchor(),
        chosen = !fresh && this.asker.range ? this.asker.chosen : null;
      this.look(message, bands, answers, track, pins, fresh);
      if (fresh && this.lastPlace(message.doc)) this.pane.bring(this.lastPlace(message.doc), 0);
      else this.pane.repaint(stay);
      if (chosen) this.asker.restore(chosen);
      this.looks = looks;
    } else if (this.scene.picked !== this.pickedIn(message)) {
      // a run that changes nothing draws nothing: a click has its element still
      this.scene.picked = this.pickedIn(message);
      this.restyle();
      tell("scene", this.doc, { scene: this.scene });
    }
    if (message.goto && message.goto.nonce !== this.nonce) {
      this.nonce = message.goto.nonce;
      this.jump(message.goto.at, message.goto.pick);
    }
    requestAnimationFrame(() => setTimeout(() => this.painted(message)));
    if (settled) this.act();
  }
  open(doc, source) {
    this.doc = doc;
    this.el.classList.toggle("bidi", source.bidi);
    this.pane.open(source);
  }
  // The server may not know the user's last pick yet.
  pickOf(message) {
    const waiting = this.events?.last("pick");
    return waiting?.doc === this.doc ? waiting.at : message.at;
  }
  pickedIn(message) {
    return this.scene.indexAt(this.pickOf(message));
  }
  // Remember the place of the picked band, without its overlap.
  hold(message) {
    const { scene } = this,
      at = this.pickOf(message);
    if (scene.picked < 0)
      this.own = this.own?.at === at ? this.own : null; // left out by a pin that may go again
    else this.own = { at, place: scene.ownerOf(at) === scene.picked ? at : scene.placeOf(scene.picked) };
  }
  // Pins have moved boundaries: the pick stays at its place in the text, even if that is now in another chunk, or in
  // none.
  follow(message) {
    const { scene } = this,
      at = this.pickOf(message);
    if (at == null || this.own?.at !== at) return;
    const i = scene.ownerOf(this.own.place),
      now = i >= 0 ? scene.bands.starts[i] : this.own.place;
    if (now === at) return;
    this.own.at = now;
    this.events.send("pick", { doc: this.doc, at: now }, true);
  }
  lastPlace(doc) {
    return shared.places.get(doc)?.at;
  }
  look(message, bands, answers, track, pins, fresh) {
    const { scene } = this;
    this.el.dataset.theme = this.fates.el.dataset.theme = this.others.el.dataset.theme = themeOf(this.el);
    scene.noun = message.noun;
    scene.prefixes = message.prefixes;
    if (bands) {
      scene.setBands(bands);
      this.rev = message.rev;
      tell("bands", this.doc, { starts: bands.starts, sizes: bands.sizes });
    }
    scene.setMarks(message.marks);
    scene.setAnswers(answers, message.answers?.fates ?? "");
    scene.setPins(pins);
    if (fresh) this.place = this.own = null;
    this.el.classList.toggle("pinned", scene.pins.length > 0);
    this.pinning = message.pins !== null;
    const moved = this.pins.compare(fresh);
    if (moved) this.follow(message);
    this.placeCursor();
    this.pane.scroller.setAttribute(
      "aria-keyshortcuts",
      this.pinning
        ? "ArrowDown ArrowUp H L Enter Escape Q N D S K X M Control+Z"
        : "ArrowDown ArrowUp J K H L Enter Escape Q N X D",
    );
    this.fates.show(scene.answers, message.other?.fates);
    const compared = scene.track !== null;
    scene.track = track;
    this.others.show(scene);
    this.el.classList.toggle("compared", track !== null);
    const over = this.others.el.offsetHeight - BAR_HEIGHT; // where the line takes two rows
    if (over > 0) this.pane.scroller.style.height = `${this.pane.scroller.clientHeight - over}px`;
    if (compared !== (track !== null)) this.pane.refit();
    this.el.classList.toggle("asked", scene.answers !== null);
    this.asking = message.asking;
    scene.picked = this.pickedIn(message);
    if (!moved) this.hold(message);
    this.el.classList.toggle("quiet", scene.quiet);
    const tagged = scene.prefixes ? scene.S.filter((_, i) => scene.bands.prefixes[scene.bands.prefixIds[i]]) : [];
    this.pane.layout.setExtra(tagged, PREFIX_HEIGHT);
    this.ruler.draw(scene);
    this.legend.refresh();
    tell("scene", this.doc, { scene });
  }
  painted(message) {
    performance.mark("chunkscope:painted", { detail: { rev: message.rev, run: message.run } });
    this.el.dataset.rev = message.rev;
    this.el.dataset.run = message.run;
    this.el.toggleAttribute("data-stale", Boolean(message.stale));
    shared.bus.dispatchEvent(
      new CustomEvent("chunkscope:painted", { detail: { doc: this.doc, rev: message.rev, stale: message.stale } }),
    );
  }
  // Tables and markup have become raw text or vice versa: the reader's place stays.
  onRaw() {
    if (!this.scene?.bands) return;
    const stay = this.pane.anchor();
    if (this.pane.refit()) this.pane.repaint(stay);
  }
  // Copying yields the characters of the text, without line ends between cells.
  onCopy(event) {
    const range = this.asker.range,
      chosen = range && partsOf(range, this.pane.shown);
    if (!chosen) return;
    event.clipboardData.setData("text/plain", this.scene.text.slice(chosen.start, chosen.end));
    event.preventDefault();
  }
  // The switch stands in the corner of a text with markup. Else it is over the blank line before the first table on
  // screen, where it covers nothing; hidden without a table.
  placeRaw() {
    const { el } = this.raw,
      { scroller, shown } = this.pane;
    el.classList.toggle("corner", Boolean(this.scene?.source.markdown));
    if (this.scene?.source.markdown) {
      el.hidden = false;
      el.style.top = "";
      return;
    }
    const frame = scroller.getBoundingClientRect();
    const boxes = [...shown.querySelectorAll(".tabular")].map((line) => line.getBoundingClientRect());
    const box = boxes.find(({ top, bottom }) => bottom > frame.top + LINE_HEIGHT && top < frame.bottom - LINE_HEIGHT);
    if (el.getRootNode().activeElement !== el) el.hidden = !box;
    if (box) el.style.top = `${Math.max(6, box.top - frame.top - LINE_HEIGHT - 3)}px`;
  }
  // Report the reader's place.
  report() {
    const here = this.pane.anchor(),
      { scroller, layout, scene } = this.pane;
    if (!here) return;
    const b = layout.blockAtTop(scroller.scrollTop + scroller.clientHeight);
    this.ruler.place(
      here.unit / Math.max(1, scene.text.length),
      (layout.starts[b + 1] ?? scene.text.length) / Math.max(1, scene.text.length),
    );
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
    this.pinned = point; // near the end the text cannot scroll that far: the outline still shows the section asked for
    this.pane.bring(unit, tagged ? PREFIX_HEIGHT + 8 : 8, true);
    this.pane.revealSideways(unit);
  }
  seek(share) {
    this.pinned = null;
    this.pane.bring(Math.min(this.scene.text.length - 1, Math.floor(share * this.scene.text.length)), 8, true);
  }

  onClick(event) {
    const under = this.under(event),
      part = under.closest?.("[data-c]");
    if (this.asker.range) return; // the user is selecting text
    if (this.asker.chosen) this.asker.close();
    if (this.goOut(under) || !part) return;
    const last = +part.dataset.c,
      first = +(part.dataset.first ?? last),
      { scene } = this;
    // A second click on an overlap picks the chunk before
    const i = scene.picked === last && first < last ? last - 1 : last;
    if (!this.waits) return this.pick(i);
    const place = scene.placeOf(i);
    this.enqueue(() => this.pick(this.scene.ownerOf(place)));
  }
  // Left-out text is in no chunk, and its key removes the pin.
  goOut(under) {
    const { unit, dataset } = under.closest?.(".part") ?? {},
      { ruler } = this.scene.source;
    const pin = unit === undefined || dataset.c ? null : (this.scene.pins.findLast((one) => isOn(one, unit)) ?? null);
    if (pin)
      this.enqueue(() => {
        const at = ruler.toPoint(pin.start);
        this.pick(-1);
        this.setPlace(at);
        this.own = { at, place: at };
        this.live.textContent = pin.label;
        this.events.send("pick", { doc: this.doc, at });
      });
    return pin !== null;
  }
  // If a repaint came between press and release, browsers report the common ancestor as the target of the click.
  under({ target, clientX, clientY }) {
    const { shown } = this.pane;
    return target === shown ? (shown.getRootNode().elementFromPoint(clientX, clientY) ?? shown) : target;
  }
  pick(i) {
    const { scene } = this,
      at = i >= 0 ? scene.bands.starts[i] : null;
    this.setPlace(i >= 0 ? scene.placeOf(i) : null);
    if (i === scene.picked && (i >= 0 || !this.own)) return;
    this.own = i >= 0 ? { at, place: scene.placeOf(i) } : null;
    scene.picked = i;
    this.restyle();
    this.say(i);
    tell("scene", this.doc, { scene });
    this.events.send("pick", { doc: this.doc, at });
  }
  // A pick or the cursor changes classes only.
  restyle() {
    const { picked, cursor } = this.scene;
    for (const node of this.pane.shown.querySelectorAll("[data-c]")) {
      const last = +node.dataset.c,
        first = +(node.dataset.first ?? last);
      node.classList.toggle("picked", picked >= first && picked <= last);
      if (node.classList.contains("tick")) node.classList.toggle("cursor", last === cursor);
    }
    for (const node of this.pane.shown.querySelectorAll(".pinsign"))
      node.classList.toggle("cursor", isOn(node.pin, this.scene.outside));
  }
  // The place in the text where keys act: it stays when boundaries move and chunks are renumbered. A pick moves it.
  setPlace(place) {
    if (place === this.place) return;
    this.place = place;
    this.pins.forget();
    this.showCursor();
  }
  placeCursor() {
    const { scene } = this,
      place = this.pane.scroller.matches(":focus") ? this.place : null;
    scene.cursor = scene.ownerOf(place);
    scene.outside = place == null || scene.cursor >= 0 ? -1 : scene.source.ruler.toUnit(place);
  }
  showCursor() {
    if (!this.scene?.bands) return;
    this.placeCursor();
    this.restyle();
  }
  // The band on which keys act; -1 for none, or if the place is in no chunk.
  get target() {
    return this.place == null ? this.scene.picked : this.scene.ownerOf(this.place);
  }

  // Request another list of pins. Until the answer, keys and clicks wait: each acts on the chunks that the previous one
  // made.
  ask(kind, value) {
    this.waits = this.events.send(kind, { doc: this.doc, ...value });
    this.el.toggleAttribute("data-waits", this.waits);
  }
  enqueue(act) {
    if (this.queue.length < MOST_WAITING) this.queue.push(act);
    if (!this.waits) this.act();
  }
  act() {
    this.waits = false;
    this.pins.asked = null;
    while (this.queue.length && !this.waits) this.queue.shift()();
    this.el.toggleAttribute("data-waits", this.waits);
  }
  // To the next answer that is intact, split or missed.
  goNext(fate) {
    const { scene, pane } = this,
      next = scene.nextAnswer(fate, this.went ?? -1);
    if (!next) return;
    this.went = next.start;
    this.pinned = scene.source.ruler.toPoint(next.start);
    pane.bring(next.start, pane.scroller.clientHeight * 0.3, false);
    pane.revealSideways(next.start);
    for (const part of pane.shown.querySelectorAll(".part.answer"))
      if (part.unit >= next.start && part.unit < next.end) part.classList.add("reached");
    this.live.textContent = scene
      .answersAt(next.start)
      .map((words) => words.slice(0, 2).join(": "))
      .join("; ");
  }
  // To the next boundary that only A or only B has, from the last one while that is on screen.
  goNextDifference() {
    const { scene, pane } = this,
      { clientHeight } = pane.scroller,
      last = this.differed ?? -1,
      y = last < 0 ? null : pane.yOf(last);
    const unit = scene.track?.nextDifference(
      y !== null && y > -LINE_HEIGHT && y < clientHeight ? last : (pane.anchor()?.unit ?? 0) - 1,
    );
    if (unit == null) return;
    this.differed = unit;
    this.pinned = scene.source.ruler.toPoint(unit);
    pane.bring(unit, clientHeight * 0.3, false);
    for (const node of pane.shown.querySelectorAll(".differs")) node.classList.remove("differs");
    for (const node of pane.shown.querySelectorAll(".part, .othercut, .tick"))
      if (scene.track.isAt(node, unit, scene)) node.classList.add("differs");
    this.live.textContent = scene.track.sentenceAt(unit, scene);
  }
  onKey(event) {
    this.pinned = null;
    const { key, repeat } = event,
      shift = event.shiftKey;
    if (this.pinning && (event.ctrlKey || event.metaKey) && ["z", "Z", "y"].includes(key)) {
      event.preventDefault();
      return this.enqueue(() => this.pins.undo(key !== "z" || shift));
    }
    // With Shift, arrows extend a selection
    if (!this.scene?.bands || event.ctrlKey || event.metaKey || event.altKey || shift) return;
    if (!this.isKey(key)) return;
    event.preventDefault();
    if (repeat && this.pinning && "skxm".includes(key)) return; // a key that is held down sets one pin
    this.enqueue(() => this.onLetter(key));
  }
  // Keys of the text; all other keys are the browser's.
  isKey(key) {
    return KEYS.test(key) || (this.pinning ? "skm" : "jk").includes(key);
  }
  onLetter(key) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, ...(this.pinning ? {} : { j: 1, k: -1 }) }[
      key
    ];
    const {
      scene,
      pane: { scroller },
    } = this;
    if (step) this.move(step);
    else if (this.pins.key(key)) this.restyle();
    else if (key === "Enter") {
      if (this.place != null && this.target >= 0) this.pick(this.target);
    } else if (key === "q") this.asker.ask();
    else if (key === "n" || key === "x") this.goNext("split");
    else if (key === "d" && scene.track) this.goNextDifference();
    else if (key === "h" || key === "l")
      scroller.scrollLeft += key === "l" ? SIDEWAYS : -SIDEWAYS; // a wide table
    else if (key === "Escape") {
      this.pick(-1);
      this.setPlace(null);
      if (this.asker.chosen) this.asker.close();
      this.tip.hover(-1);
    }
  }
  move(step) {
    const { scene, pane } = this,
      n = scene.S.length;
    if (!n) return;
    if (this.asker.chosen) {
      // from the selected text on, which is not what keys act on any more
      this.setPlace(scene.source.ruler.toPoint(this.asker.chosen.start));
      this.asker.close();
    }
    const from = this.target,
      here = pane.anchor();
    const next =
      from >= 0
        ? from + step
        : this.place != null
          ? lowerBound(scene.bands.starts, this.place) - (step < 0 ? 1 : 0)
          : lowerBound(scene.S, here?.unit ?? 0);
    const i = Math.max(0, Math.min(n - 1, next));
    this.setPlace(scene.placeOf(i));
    const y = pane.yOf(scene.S[i]),
      { clientHeight } = pane.scroller;
    if (y === null || y < PREFIX_HEIGHT || y > clientHeight - 80) pane.bring(scene.S[i], clientHeight * 0.25, false);
    this.restyle();
    this.say(i);
  }
  say(i) {
    if (i < 0) {
      this.live.textContent = "Nothing selected";
      return;
    }
    const { title, rows, flags } = this.scene.facts(i);
    this.live.textContent = [title, ...rows, ...flags].join(", ");
  }
}

define("viewer", View, "viewer");
