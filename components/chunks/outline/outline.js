// A tree of thousands of sections: only the rows on screen are in the page.
const ROW = 28,
  SPARE = 8;
class Tree {
  constructor(parent) {
    this.el = element("div", "outline");
    this.filter = element("input", "filter");
    Object.assign(this.filter, { type: "search", placeholder: "Filter sections", spellcheck: false });
    this.filter.setAttribute("aria-label", "Filter sections");
    this.scroller = element("div", "rows");
    Object.assign(this.scroller, { tabIndex: 0 });
    this.scroller.setAttribute("role", "tree");
    this.page = element("div", "page");
    this.tip = Object.assign(element("div", "tip"), { id: "tip", hidden: true });
    this.tip.setAttribute("role", "tooltip");
    this.none = element("div", "none");
    this.scroller.append(this.page, this.tip, this.none);
    this.el.append(this.filter, this.scroller);
    parent.append(this.el);
    Object.assign(this, { open: new Set(), here: -1, focus: -1, rows: [], counts: null });
    this.listen();
  }
  listen() {
    this.filter.addEventListener("input", () => {
      this.arrange();
      this.scroller.scrollTop = 0;
      this.draw();
    });
    this.filter.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.filter.value) {
        this.filter.value = "";
        this.arrange();
        this.reveal(this.here);
      } else if (event.key === "ArrowDown") {
        this.scroller.focus();
        this.setFocus(this.rows[0] ?? -1);
      } else if (event.key === "Enter" && this.rows.length) this.go(this.rows[0]);
      else return;
      event.preventDefault();
    });
    this.scroller.addEventListener(
      "scroll",
      () => {
        this.frame ||= requestAnimationFrame(() => {
          this.frame = 0;
          this.draw();
        });
      },
      { passive: true },
    );
    this.scroller.addEventListener("keydown", (event) => this.onKey(event));
    this.scroller.addEventListener("blur", () => this.tell());
    this.scroller.addEventListener("focus", () => {
      if (this.focus < 0) this.setFocus(this.here >= 0 ? this.here : (this.rows[0] ?? -1));
    });
    this.page.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (!row) return;
      this.focus = +row.dataset.i;
      if (event.target.closest(".twist") && this.parents.has(this.focus)) this.toggle(this.focus);
      else this.go(this.focus);
    });
    this.onWhere = ({ detail }) => {
      if (detail.doc === this.doc) this.at(detail.at);
    };
    this.onBands = ({ detail }) => {
      if (detail.doc === this.doc) {
        this.count(detail.starts);
        this.draw();
      }
    };
    shared.bus.addEventListener("chunkscope:where", this.onWhere);
    shared.bus.addEventListener("chunkscope:bands", this.onBands);
    this.sizes = new ResizeObserver(() => {
      if (this.data) {
        this.into(this.here);
        this.draw();
      }
    }); // it gives way to the inspector
    this.sizes.observe(this.scroller);
  }
  destroy() {
    this.sizes.disconnect();
    shared.bus.removeEventListener("chunkscope:where", this.onWhere);
    shared.bus.removeEventListener("chunkscope:bands", this.onBands);
    cancelAnimationFrame(this.frame);
    this.el.remove();
  }

  show(data) {
    this.scroller.style.height = `${data.height - 41}px`;
    this.scroller.setAttribute("aria-label", "Sections");
    const parents = new Set(data.parents.filter((parent) => parent >= 0));
    if (data.doc === this.doc && `${data.starts} ${data.parents}` !== `${this.data.starts} ${this.data.parents}`) {
      // an edit: what was open stays so
      const shut = new Set([...this.parents].filter((i) => !this.open.has(i)).map((i) => this.data.starts[i]));
      this.open = new Set([...parents].filter((i) => !shut.has(data.starts[i])));
      Object.assign(this, { here: -1, focus: -1, counts: null });
      this.page.replaceChildren();
    }
    this.parents = parents;
    if (data.doc !== this.doc) {
      this.doc = data.doc;
      Object.assign(this, { here: -1, focus: -1, counts: null });
      this.top = Math.min(...data.levels, 9);
      // All of a small outline is open; of a large one the first two levels.
      this.open = new Set([...this.parents].filter((i) => data.titles.length <= 60 || data.levels[i] <= this.top));
      this.filter.value = "";
      this.page.replaceChildren();
    }
    this.data = data;
    if (data.guesses.some(Boolean)) (shared.guessed ??= new Set()).add(data.doc); // for the legend of the text
    const known = shared.places?.get(data.doc);
    if (known?.starts) this.count(known.starts);
    this.arrange();
    if (known?.at != null) this.at(known.at);
    this.draw();
  }
  // Chunks that start in each section, its subsections included.
  count(starts) {
    const { data } = this;
    this.counts = data?.counts
      ? data.starts.map((start, i) => lowerBound(starts, data.ends[i]) - lowerBound(starts, start))
      : null;
  }
  arrange() {
    const { titles, parents } = this.data,
      words = this.filter.value.trim().toLowerCase(),
      rows = [];
    if (words) {
      for (let i = 0; i < titles.length; i++) if (titles[i].toLowerCase().includes(words)) rows.push(i);
    } else {
      const visible = new Uint8Array(titles.length);
      for (let i = 0; i < titles.length; i++)
        if (parents[i] < 0 || (visible[parents[i]] && this.open.has(parents[i]))) {
          visible[i] = 1;
          rows.push(i);
        }
    }
    this.rows = rows;
    this.places = new Map(rows.map((section, row) => [section, row]));
    this.page.style.height = `${rows.length * ROW}px`;
    this.none.textContent = rows.length
      ? ""
      : words
        ? "No section has this in its title."
        : "This document has no headings.";
  }
  at(point) {
    const i = lowerBound(this.data.starts, point + 1) - 1;
    if (i === this.here) return;
    this.here = i;
    if (this.filter.value) this.draw();
    else this.reveal(i);
  }
  // Open what holds the section and scroll the tree to it.
  reveal(i) {
    let opened = false;
    for (let parent = this.data.parents[i]; parent >= 0; parent = this.data.parents[parent])
      if (!this.open.has(parent)) {
        this.open.add(parent);
        opened = true;
      }
    if (opened) this.arrange();
    this.into(i);
    this.draw();
  }
  into(i) {
    const row = this.places.get(i),
      { scrollTop, clientHeight } = this.scroller;
    if (row === undefined) return;
    const y = row * ROW;
    if (y < scrollTop || y > scrollTop + clientHeight - ROW) this.scroller.scrollTop = y - clientHeight / 3;
  }
  toggle(i, open = !this.open.has(i)) {
    if (open) this.open.add(i);
    else this.open.delete(i);
    this.arrange();
    this.draw();
  }
  go(i) {
    this.focus = this.here = i;
    this.into(i);
    this.draw();
    shared.bus.dispatchEvent(
      new CustomEvent("chunkscope:goto", { detail: { doc: this.doc, at: this.data.starts[i] } }),
    );
    this.events.send("section", { doc: this.doc, index: i });
  }
  setFocus(i) {
    this.focus = i;
    this.into(i);
    this.draw();
  }
  // https://www.w3.org/WAI/ARIA/apg/patterns/treeview/
  onKey(event) {
    const row = this.places.get(this.focus) ?? -1,
      last = this.rows.length - 1,
      i = this.focus;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 1);
    const to = { ArrowDown: row + 1, ArrowUp: row - 1, Home: 0, End: last, PageDown: row + page, PageUp: row - page }[
      event.key
    ];
    if (event.ctrlKey || event.metaKey || event.altKey || last < 0) return;
    if (to !== undefined) this.setFocus(this.rows[Math.max(0, Math.min(last, to))]);
    else if (event.key === "ArrowRight" && this.parents.has(i)) {
      if (this.open.has(i)) this.setFocus(this.rows[Math.min(last, row + 1)]);
      else this.toggle(i, true);
    } else if (event.key === "ArrowLeft") {
      if (this.parents.has(i) && this.open.has(i)) this.toggle(i, false);
      else if (this.data.parents[i] >= 0) this.setFocus(this.data.parents[i]);
    } else if ((event.key === "Enter" || event.key === " ") && i >= 0) this.go(i);
    else return;
    event.preventDefault();
  }
  // Rows that stay on screen keep their elements: a click is lost if its row is replaced between press and release.
  draw() {
    const { rows, scroller, page } = this;
    const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - SPARE),
      after = Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW) + SPARE);
    const old = new Map([...page.children].map((row) => [+row.dataset.i, row]));
    const wanted = rows.slice(first, after);
    for (const i of wanted) {
      const row = old.get(i) ?? page.appendChild(this.blank(i));
      old.delete(i);
      this.fill(row, i, this.places.get(i));
    }
    for (const row of old.values()) row.remove();
    this.tell();
    const active = page.querySelector(".focus");
    if (active) scroller.setAttribute("aria-activedescendant", active.id);
    else scroller.removeAttribute("aria-activedescendant");
  }
  // The evidence for a guessed heading, under its row while it has the focus; a pointer finds it on the row's sign.
  tell() {
    const row = this.places.get(this.focus),
      guess = this.data.guesses[this.focus];
    this.tip.hidden = !guess || row === undefined || !this.scroller.matches(":focus-visible");
    if (this.tip.hidden) return;
    this.tip.textContent = guess;
    const { scrollTop, clientHeight } = this.scroller,
      under = (row + 1) * ROW;
    this.tip.style.top = `${under + this.tip.offsetHeight > scrollTop + clientHeight ? row * ROW - this.tip.offsetHeight : under}px`;
  }
  blank(i) {
    const row = element("div", "row");
    row.id = `s${i}`;
    row.dataset.i = i;
    row.setAttribute("role", "treeitem");
    row.append(
      element("span", "twist"),
      Object.assign(element("span", "title"), { dir: "auto" }),
      element("span", "guess"),
      element("span", "count"),
    );
    return row;
  }
  fill(row, i, place) {
    const { data, top } = this,
      [twist, title, sign, number] = row.children,
      guess = data.guesses[i] ?? "";
    const branch = this.parents.has(i) && !this.filter.value,
      depth = Math.max(0, data.levels[i] - Math.max(1, top));
    row.classList.toggle("here", i === this.here);
    row.classList.toggle("focus", i === this.focus);
    row.style.top = `${place * ROW}px`;
    row.style.paddingLeft = `${4 + depth * 13}px`;
    row.setAttribute("aria-level", depth + 1);
    row.setAttribute("aria-selected", i === this.here);
    row.setAttribute("aria-setsize", this.rows.length);
    row.setAttribute("aria-posinset", place + 1);
    if (branch) row.setAttribute("aria-expanded", this.open.has(i));
    else row.removeAttribute("aria-expanded");
    twist.className = `twist${branch ? (this.open.has(i) ? " open" : " shut") : ""}`;
    const words = legible(data.titles[i]);
    if (title.textContent !== words) title.textContent = title.title = words;
    if (sign.title !== guess) {
      sign.title = guess;
      sign.textContent = guess && "≈";
      sign.setAttribute("aria-hidden", true);
      if (guess) row.setAttribute("aria-description", guess);
      else row.removeAttribute("aria-description");
    }
    number.textContent = this.counts ? thousands.format(this.counts[i]) : "";
    if (this.counts) number.setAttribute("aria-label", `${this.counts[i]} chunks`);
  }
}

define("outline", Tree, "outline");
