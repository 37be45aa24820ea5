// A query and its passages, judged by keyboard. Everything arrives as text and is set with textContent.
const HELP = [
  [
    "mark",
    "Space",
    "Mark sentence",
    "Mark the sentence at the cursor as the answer or part of it; press again to unmark.",
  ],
  ["dismiss", "N", "Not relevant", "The passage at the cursor does not answer the query; press again to undo."],
  ["save", "Enter", "Save and next", "Save the marks and go to the next query."],
  [
    "none",
    "0",
    "No answer in these documents",
    "Nothing answers the query: it counts as correctly unanswered if the search says so.",
  ],
  ["skip", "S", "Skip", "Leave this query out for now."],
  ["undo", "U", "Undo", "Undo the last label and go to its query."],
  [
    "propose",
    "P",
    "Propose answers",
    "Ask the configured language model for quotes that answer the query; you accept them one by one.",
  ],
];
const MOVES = {
  j: [1, 0],
  ArrowDown: [1, 0],
  k: [-1, 0],
  ArrowUp: [-1, 0],
  l: [0, 1],
  ArrowRight: [0, 1],
  h: [0, -1],
  ArrowLeft: [0, -1],
};

class Labelling {
  constructor(root) {
    this.el = element("section", "cs labelling");
    this.el.tabIndex = 0;
    this.el.setAttribute(
      "aria-label",
      "Label a query: J and K move between passages, left and right between sentences",
    );
    this.query = element("h3", "query");
    this.facts = element("div", "facts");
    this.list = element("ol", "passages");
    this.status = element("div", "status");
    this.status.setAttribute("role", "status");
    this.actions = element("div", "actions");
    this.buttons = Object.fromEntries(
      HELP.map(([name, key, label, title]) => {
        const button = element("button", `action ${name}`);
        button.type = "button";
        button.title = title;
        button.append(element("kbd", "", key), element("span", "", label));
        button.addEventListener("click", () => {
          this[name]();
          this.el.focus({ preventScroll: true });
        });
        this.actions.append(button);
        return [name, button];
      }),
    );
    this.el.append(this.query, this.facts, this.list, this.status, this.actions);
    root.append(this.el);
    this.el.addEventListener("keydown", (event) => this.onKey(event));
    this.list.addEventListener("click", (event) => this.onClick(event));
  }
  destroy() {
    this.el.remove();
  }

  show(data) {
    this.el.dataset.theme = themeOf(this.el);
    this.el.style.setProperty("--height", `${data.height}px`);
    const fresh = this.data?.turn !== data.turn,
      proposed = JSON.stringify(this.data?.proposals) !== JSON.stringify(data.proposals);
    const first = !this.data;
    this.data = data;
    this.waiting = ["saved", "none", "skipped", "undone", "propose"].some(
      (kind) => this.events.last(kind)?.turn === data.turn,
    );
    if (fresh) Object.assign(this, { at: 0, sentence: 0, marks: new Set(), dismissed: new Set(), accepted: new Set() });
    if (fresh || proposed) this.draw();
    this.mark_up();
    if (fresh) this.list.scrollTop = 0;
    if (fresh || first)
      this.say(
        data.passages.length ? "" : "Nothing was found for this query. Press 0 if nothing answers it, or S to skip.",
      );
    if (data.note) this.say(data.note);
    if (first) this.el.focus({ preventScroll: true });
  }
  say(words) {
    this.status.textContent = legible(words);
  }

  draw() {
    const { data } = this;
    this.query.textContent = legible(data.query);
    this.facts.textContent = legible(data.facts);
    this.items = data.passages.map(({ title, pieces }, place) => {
      const item = element("li", "passage"),
        head = element("div", "head"),
        text = element("p", "text");
      item.dataset.place = place;
      head.append(
        element("span", "number", String(place + 1)),
        element("span", "title", title),
        element("span", "verdict"),
      );
      pieces.forEach(([words, sentence]) => {
        if (sentence === null) {
          text.append(legible(words));
          return;
        }
        const node = element("span", "sentence", words);
        node.dataset.sentence = sentence;
        node.setAttribute("role", "button");
        node.setAttribute("aria-pressed", "false");
        text.append(node);
      });
      item.append(
        head,
        text,
        ...data.proposals.flatMap((one, number) => (one.passage === place ? [this.proposal(one, number)] : [])),
      );
      return item;
    });
    this.list.replaceChildren(...this.items);
  }
  proposal({ quote }, number) {
    const row = element("div", "proposal"),
      button = element("button", "accept");
    row.dataset.number = number;
    button.type = "button";
    button.append(element("kbd", "", "Y"), element("span", "", "Accept"));
    button.title = "Accept this quote as an answer";
    button.addEventListener("click", () => {
      this.accept(number);
      this.el.focus({ preventScroll: true });
    });
    row.append(element("span", "label", "Proposed"), element("q", "", quote), button);
    return row;
  }

  // Show the cursor, marks and verdicts. Each colour has a sign and a word with it.
  mark_up() {
    const { data } = this;
    this.items.forEach((item, place) => {
      const here = place === this.at,
        dismissed = this.dismissed.has(place);
      item.classList.toggle("here", here);
      item.classList.toggle("dismissed", dismissed);
      if (here) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
      let marked = 0;
      item.querySelectorAll(".sentence").forEach((node) => {
        const on = this.marks.has(`${place} ${node.dataset.sentence}`);
        marked += on;
        node.setAttribute("aria-pressed", String(on));
        node.classList.toggle("cursor", here && Number(node.dataset.sentence) === this.sentence);
      });
      item.querySelectorAll(".proposal").forEach((row) => {
        const on = this.accepted.has(Number(row.dataset.number));
        marked += on;
        row.classList.toggle("accepted", on);
        row.querySelector(".accept span").textContent = on ? "Accepted" : "Accept";
      });
      item.querySelector(".verdict").textContent = marked ? `✓ ${marked} marked` : dismissed ? "✕ not relevant" : "";
    });
    for (const [name, button] of Object.entries(this.buttons)) {
      button.hidden = (name === "propose" && !data.canPropose) || (name === "undo" && !data.canUndo);
      button.disabled = this.waiting;
    }
    this.el.toggleAttribute("aria-busy", this.waiting);
  }

  // -- keys and clicks
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const named = { " ": "mark", n: "dismiss", Enter: "save", 0: "none", s: "skip", u: "undo", p: "propose" }[key];
    const button = event.target.closest?.("button");
    if (button && (key === " " || key === "Enter")) return; // a button that has the focus
    if (named) {
      if (!this.buttons[named].hidden) this[named]();
    } else if (key === "y") this.accept(this.data.proposals.findIndex((_, number) => !this.accepted.has(number)));
    else if (/^[1-9]$/.test(key)) this.go(Number(key) - 1, 0);
    else if (MOVES[key]) this.move(...MOVES[key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  onClick(event) {
    const item = event.target.closest(".passage"),
      sentence = event.target.closest(".sentence");
    if (!item || event.target.closest("button") || !getSelection()?.isCollapsed) return;
    this.at = Number(item.dataset.place);
    this.sentence = sentence ? Number(sentence.dataset.sentence) : 0;
    if (sentence) this.mark();
    else this.mark_up();
    this.el.focus({ preventScroll: true });
  }
  get count() {
    return this.items[this.at]?.querySelectorAll(".sentence").length ?? 0;
  }
  move(passages, sentences) {
    if (passages) {
      this.go(this.at + passages, 0);
      return;
    }
    const to = this.sentence + sentences;
    if (to >= 0 && to < this.count) this.go(this.at, to);
    else if (to < 0 && this.at) {
      this.at -= 1;
      this.go(this.at, this.count - 1);
    } else if (to > 0) this.go(this.at + 1, 0);
  }
  go(place, sentence) {
    if (place < 0 || place >= this.items.length) return;
    Object.assign(this, { at: place, sentence });
    this.mark_up();
    this.reveal();
    const node = this.items[place].querySelector(".cursor");
    this.say(
      `Passage ${place + 1} of ${this.items.length}, sentence ${sentence + 1} of ${this.count}${node?.getAttribute("aria-pressed") === "true" ? ", marked" : ""}`,
    );
  }
  // The list scrolls, never the page.
  reveal() {
    const frame = this.list.getBoundingClientRect(),
      item = this.items[this.at].getBoundingClientRect();
    const box = (this.items[this.at].querySelector(".cursor") ?? this.items[this.at]).getBoundingClientRect();
    const wanted = item.height <= frame.height ? item : box;
    if (wanted.top < frame.top) this.list.scrollTop += wanted.top - frame.top - 4;
    else if (wanted.bottom > frame.bottom) this.list.scrollTop += wanted.bottom - frame.bottom + 4;
  }

  // -- labels
  mark() {
    if (this.waiting || !this.items.length) return;
    const name = `${this.at} ${this.sentence}`,
      on = !this.marks.delete(name);
    if (on) {
      this.marks.add(name);
      this.dismissed.delete(this.at);
    }
    this.mark_up();
    this.say(on ? "Marked as an answer. Press Enter to save." : "The mark was removed.");
  }
  dismiss() {
    if (this.waiting || !this.items.length) return;
    const on = !this.dismissed.delete(this.at);
    if (on) {
      this.dismissed.add(this.at);
      for (const name of [...this.marks]) if (name.startsWith(`${this.at} `)) this.marks.delete(name);
      if (this.at + 1 < this.items.length) {
        this.go(this.at + 1, 0);
        return;
      }
    }
    this.mark_up();
  }
  accept(number) {
    const one = this.data.proposals[number];
    if (this.waiting || !one) return;
    if (!this.accepted.delete(number)) {
      this.accepted.add(number);
      this.dismissed.delete(one.passage);
    }
    this.at = one.passage;
    this.sentence = 0;
    this.mark_up();
    this.reveal();
  }
  save() {
    if (!this.marks.size && !this.accepted.size) {
      this.say("Nothing is marked: mark the sentence that answers, press 0 if none does, or S to skip.");
      return;
    }
    this.send("saved", {
      marks: [...this.marks].map((name) => name.split(" ").map(Number)),
      accepted: [...this.accepted],
      dismissed: [...this.dismissed],
    });
  }
  none() {
    if (this.marks.size || this.accepted.size) {
      this.say("An answer is marked: press Enter to save it, or remove the mark first.");
      return;
    }
    this.send("none", {});
  }
  skip() {
    this.send("skipped", {});
  }
  undo() {
    this.send("undone", {});
  }
  propose() {
    this.send("propose", {});
    this.say("Asking the language model …");
  }
  send(kind, value) {
    if (this.waiting) return;
    this.waiting = true;
    this.mark_up();
    this.events.send(kind, { ...value, turn: this.data.turn });
  }
}

define("labelling", Labelling, "labelling");
