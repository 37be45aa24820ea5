// One page of a document at a time, with the bands of the text drawn where they stand. The text's viewer says what
// there is to draw and what is picked; a click here asks it to go there. Python is asked for pictures only.
const ZOOMS = [0, 1, 1.5, 2, 3]; // times the width of the column; 0: the whole page
const EDGE = 8; // pixels of desk around the sheet
const WIDTHS = [1000, 2000],
  HASTE = 120;

class PageView {
  constructor(root) {
    this.el = element("div", "cs pages");
    this.bar = element("div", "bar");
    this.before = this.button("‹", "Previous page", () => this.turn(this.page - 1));
    this.after = this.button("›", "Next page", () => this.turn(this.page + 1));
    this.field = element("input");
    Object.assign(this.field, { inputMode: "numeric", autocomplete: "off" });
    this.total = element("span", "total");
    this.less = this.button("−", "Smaller", () => this.zoom(-1));
    this.more = this.button("+", "Larger", () => this.zoom(1));
    const turning = element("div", "group"),
      sizing = element("div", "group");
    turning.append(this.before, this.field, this.total, this.after);
    sizing.append(this.less, this.more);
    this.hint = element("span", "hint");
    this.bar.append(turning, this.hint, sizing);
    this.scroller = element("div", "scroller");
    this.sheet = element("div", "sheet");
    this.image = element("img");
    this.image.draggable = false;
    this.note = element("div", "note");
    this.boxes = element("div", "boxes paper");
    this.boxes.tabIndex = 0;
    this.boxes.setAttribute("role", "listbox");
    this.boxes.setAttribute("aria-keyshortcuts", "ArrowDown ArrowUp ArrowLeft ArrowRight PageDown PageUp Enter Escape");
    this.region = new RegionDrawing(this);
    sizing.prepend(this.region.button);
    this.live = element("div", "unseen");
    this.live.setAttribute("aria-live", "polite");
    this.sheet.append(this.image, this.note, this.boxes, this.region.el);
    this.desk = element("div", "desk");
    this.desk.append(this.sheet);
    this.scroller.append(this.desk);
    this.el.append(this.bar, this.scroller, this.live);
    root.append(this.el);
    Object.assign(this, { page: 1, level: 1, cursor: -1, bands: [], faults: new Map(), asked: "", ratio: Math.SQRT2 });
    this.listen();
  }
  button(sign, label, act) {
    const node = element("button", "sign", sign);
    node.type = "button";
    node.setAttribute("aria-label", label);
    node.addEventListener("click", act);
    return node;
  }
  listen() {
    this.field.addEventListener("change", () => this.turn(parseInt(this.field.value, 10)));
    this.field.addEventListener("focus", () => this.field.select());
    this.boxes.addEventListener("keydown", (event) => this.onKey(event));
    this.boxes.addEventListener("blur", () => this.setCursor(-1));
    // Boxes redrawn between press and release are other elements: the click then comes from their common ancestor.
    this.boxes.addEventListener("click", ({ target, clientX, clientY }) => {
      if (this.region.on) return;
      const box =
        target.closest(".box") ?? this.boxes.getRootNode().elementFromPoint(clientX, clientY)?.closest(".box");
      if (box) this.pick(+box.dataset.k);
    });
    this.onScene = ({ detail }) => {
      if (detail.doc === this.doc) this.follow(detail.scene);
    };
    this.onGoto = ({ detail }) => {
      if (detail.doc === this.doc && detail.from !== this) this.find(detail.at);
    };
    this.onLeftOut = ({ detail }) => {
      if (detail.doc === this.doc) this.over();
    };
    shared.bus.addEventListener("chunkscope:scene", this.onScene);
    shared.bus.addEventListener("chunkscope:goto", this.onGoto);
    shared.bus.addEventListener("chunkscope:left_out", this.onLeftOut);
    this.sizes = new ResizeObserver(() => {
      this.fit();
      this.ask();
    });
    this.sizes.observe(this.scroller);
  }
  destroy() {
    shared.bus.removeEventListener("chunkscope:scene", this.onScene);
    shared.bus.removeEventListener("chunkscope:goto", this.onGoto);
    shared.bus.removeEventListener("chunkscope:left_out", this.onLeftOut);
    this.sizes.disconnect();
    clearTimeout(this.timer);
    this.el.remove();
  }

  show(message) {
    this.take(message).catch((error) => {
      this.say(`The page cannot be shown (${error.message}); reload the page.`);
    });
  }
  // A message from Python. A later one may overtake it while it waits for the lines.
  async take(message) {
    const turn = this.turns;
    this.el.dataset.theme = themeOf(this.el);
    this.scroller.style.height = `${message.height - 42}px`;
    const paper = await paperOf(message.doc);
    if (turn !== this.turns) return;
    const { picture, fault } = message;
    if (picture?.data) keepPicture(message.file, picture);
    if (fault) this.faults.set(`${message.file}:${fault.page}`, fault.words);
    const fresh = this.doc !== message.doc || this.file !== message.file;
    Object.assign(this, { doc: message.doc, file: message.file, drawn: message.drawn, paper });
    this.region.offer(message.regions);
    if (fresh) this.open(message);
    else this.paint();
  }
  open(message) {
    const title = shared.texts?.get(this.doc)?.title ?? "the document",
      { noun } = this.paper;
    this.title = title;
    this.field.setAttribute("aria-label", `${noun[0].toUpperCase()}${noun.slice(1)} number`);
    this.field.maxLength = String(this.paper.count).length;
    this.field.style.width = `${Math.max(2, String(this.paper.count).length) + 2}ch`;
    this.total.textContent = `of ${this.paper.count.toLocaleString("en")}`;
    this.hint.textContent = this.drawn ? "" : "no picture in the file";
    this.hint.title = "The file has the position of each text on its page, but no picture of the page.";
    this.asked = "";
    this.cursor = -1;
    this.scene = shared.places?.get(this.doc)?.scene;
    const picked = this.picked();
    this.known = this.nameOf(picked);
    this.page = picked ? this.paper.pageAt(picked.start) : (this.paper.page ?? message.first);
    this.turn(this.page, true);
  }
  // What is picked in the text: { start, end }.
  picked() {
    const { scene } = this;
    return scene?.bands && scene.picked >= 0
      ? { start: scene.bands.starts[scene.picked], end: scene.bands.ends[scene.picked] }
      : null;
  }
  nameOf(picked) {
    return picked ? `${picked.start}-${picked.end}` : "";
  }
  // The text has other bands, or another one is picked: the page turns to it, unless it stands on this page.
  follow(scene) {
    this.scene = scene;
    const picked = this.picked(),
      name = this.nameOf(picked);
    const moved = name !== this.known;
    this.known = name;
    if (!moved || !picked) {
      this.over();
      return;
    }
    const [first, after] = this.paper.within(picked.start, picked.end),
      pages = this.paper.pages.subarray(first, after);
    if (pages.length && !pages.includes(this.page)) this.turn(pages[0]);
    else this.over();
    this.reveal(".picked");
  }
  // Turn to the place of a character and mark what stands there.
  find(point) {
    this.turn(this.paper.pageAt(point));
    this.setCursor(this.bands.findIndex(({ start, end }) => start <= point && point < end));
    this.reveal(".cursor");
  }

  turn(page, silent = false) {
    if (!this.paper) return;
    this.page = this.paper.page = Math.max(1, Math.min(this.paper.count, page || this.page));
    this.field.value = this.page;
    this.before.disabled = this.page <= 1;
    this.after.disabled = this.page >= this.paper.count;
    this.cursor = -1;
    this.scroller.scrollTop = 0;
    if (!silent) this.live.textContent = `${this.paper.noun} ${this.page} of ${this.paper.count}`;
    this.over();
    this.paint();
  }
  // The page's picture: the best there is; what is missing is asked for.
  paint() {
    const { file, page } = this,
      best = [this.wanted(), ...WIDTHS].map((width) => pictureOf(file, page, width)).find(Boolean);
    const words = this.faults.get(`${file}:${page}`);
    if (best) this.ratio = best.height / best.width;
    this.fit();
    this.image.hidden = !best;
    if (best && this.image.src !== best.url) this.image.src = best.url;
    this.image.alt = `Picture of ${this.paper.noun} ${page} of ${this.title}`;
    this.sheet.classList.toggle("waiting", this.drawn && !best && !words);
    this.say(
      best
        ? ""
        : (words ?? (this.drawn ? "" : this.paper.linesOn(page).length ? "" : `No text on this ${this.paper.noun}.`)),
    );
    this.el.dataset.page = page;
    this.el.dataset.drawn = String(Boolean(best));
    this.ask();
  }
  say(words) {
    this.note.textContent = words;
  }
  wanted() {
    const needed = this.sheet.clientWidth * Math.min(window.devicePixelRatio || 1, 2) * 0.9;
    return WIDTHS.find((width) => width >= needed) ?? WIDTHS.at(-1);
  }
  // Ask for the picture of this page, then for the next one. Whoever leafs through fast asks only where they stop.
  ask() {
    clearTimeout(this.timer);
    if (!this.drawn || !this.paper || !this.el.isConnected) return;
    const width = this.wanted(),
      { file } = this;
    const lacking = (page) =>
      page <= this.paper.count && !pictureOf(file, page, width) && !this.faults.has(`${file}:${page}`);
    const page = [this.page, this.page + 1].find(lacking);
    if (!page) return;
    const want = `${file}:${page}:${width}`;
    this.timer = setTimeout(() => {
      // Asked once more where the answer was overtaken by another message.
      if (this.asked === want && Date.now() - this.since < 8000) {
        this.timer = setTimeout(() => this.ask(), 2000);
        return;
      }
      Object.assign(this, { asked: want, since: Date.now() });
      this.events.send("want", { doc: this.doc, page, width }, true);
    }, HASTE);
  }
  zoom(step) {
    this.level = Math.max(0, Math.min(ZOOMS.length - 1, this.level + step));
    const { scroller, sheet } = this,
      x = (scroller.scrollLeft + scroller.clientWidth / 2) / sheet.clientWidth,
      y = (scroller.scrollTop + scroller.clientHeight / 2) / sheet.clientHeight;
    this.fit();
    this.less.disabled = this.level === 0;
    this.more.disabled = this.level === ZOOMS.length - 1;
    scroller.scrollLeft = x * sheet.clientWidth - scroller.clientWidth / 2;
    scroller.scrollTop = y * sheet.clientHeight - scroller.clientHeight / 2;
    this.live.textContent = this.level
      ? `${100 * ZOOMS[this.level]} percent`
      : `The whole ${this.paper?.noun ?? "page"}`;
    this.paint();
  }
  fit() {
    const wide = this.scroller.clientWidth - 2 * EDGE,
      high = this.scroller.clientHeight - 2 * EDGE;
    const width = Math.max(80, Math.round(this.level ? wide * ZOOMS[this.level] : Math.min(wide, high / this.ratio)));
    this.sheet.style.width = `${width}px`;
    this.sheet.style.height = `${Math.round(width * this.ratio)}px`;
  }

  // Draw what lies over the page.
  over() {
    if (!this.paper) return;
    const { scene, page } = this;
    this.bands = [...bandsOn(this.paper, page, scene), ...leftOn(this.paper, page, scene)];
    this.boxes.replaceChildren(
      ...this.bands.flatMap((band, number) => boxesOf(band, number, this.drawn ? null : this.doc)),
    );
    this.boxes.setAttribute(
      "aria-label",
      `${this.paper.noun} ${page} of ${this.paper.count} of ${this.title}: its contents`,
    );
    this.el.classList.toggle("quiet", Boolean(scene?.quiet));
    this.restyle();
  }
  restyle() {
    for (const box of this.boxes.children) {
      const number = +box.dataset.k,
        picked = this.scene?.picked >= 0 && this.bands[number].i === this.scene.picked;
      box.classList.toggle("picked", picked);
      box.classList.toggle("cursor", number === this.cursor);
      if (box.id) box.setAttribute("aria-selected", picked);
    }
    const active = this.cursor >= 0 ? `box${this.cursor}` : "";
    if (active) this.boxes.setAttribute("aria-activedescendant", active);
    else this.boxes.removeAttribute("aria-activedescendant");
  }
  setCursor(number) {
    if (number === this.cursor) return;
    this.cursor = number;
    this.restyle();
  }
  // Scroll as little as shows a box; the page around it stays.
  reveal(which) {
    const box = this.boxes.querySelector(which);
    if (!box) return;
    const frame = this.scroller.getBoundingClientRect(),
      place = box.getBoundingClientRect(),
      margin = 24;
    if (place.top < frame.top + margin || place.height > frame.height)
      this.scroller.scrollTop += place.top - frame.top - margin;
    else if (place.bottom > frame.bottom - margin) this.scroller.scrollTop += place.bottom - frame.bottom + margin;
    if (place.left < frame.left || place.right > frame.right)
      this.scroller.scrollLeft += place.left - frame.left - margin;
  }
  pick(number) {
    const band = this.bands[number];
    this.cursor = number;
    shared.bus.dispatchEvent(
      new CustomEvent("chunkscope:goto", {
        detail: { doc: this.doc, at: band.at, pick: band.i >= 0 ? band.start : false, from: this },
      }),
    );
    this.restyle();
  }
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.paper) return;
    const { scroller } = this,
      scrolled = (step) => {
        const before = scroller.scrollTop;
        scroller.scrollTop += step * 0.9 * scroller.clientHeight;
        return scroller.scrollTop !== before;
      };
    const act = {
      ArrowDown: () => this.step(1),
      ArrowUp: () => this.step(-1),
      ArrowRight: () => this.turn(this.page + 1),
      ArrowLeft: () => this.turn(this.page - 1),
      PageDown: () => {
        if (!scrolled(1)) this.turn(this.page + 1);
      },
      PageUp: () => {
        if (!scrolled(-1)) this.turn(this.page - 1);
      },
      Home: () => this.turn(1),
      End: () => this.turn(this.paper.count),
      "+": () => this.zoom(1),
      "-": () => this.zoom(-1),
      Enter: () => {
        if (this.cursor >= 0) this.pick(this.cursor);
      },
      Escape: () => {
        this.region.turn(false);
        this.setCursor(-1);
      },
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
  // From box to box in reading order, over the edge of the page too.
  step(step) {
    const from = this.cursor >= 0 ? this.cursor : this.bands.findIndex(({ i }) => i >= 0 && i === this.scene?.picked);
    const to = from < 0 ? (step > 0 ? 0 : this.bands.length - 1) : from + step;
    if (to >= 0 && to < this.bands.length) this.setCursor(to);
    else if (this.page + step >= 1 && this.page + step <= this.paper.count) {
      this.turn(this.page + step);
      this.setCursor(step > 0 ? 0 : this.bands.length - 1);
    }
    this.reveal(".cursor");
  }
}

define("page_view", PageView, "page_view");
