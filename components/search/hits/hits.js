// Hits as cards. Everything arrives as text from Python and is set with textContent, so a document cannot inject
// markup.
const many = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

function make(tag, name = "", text = "", title = "") {
  const node = element(tag, name, text);
  if (title) node.title = title;
  return node;
}

class Board {
  constructor(root) {
    this.el = make("div", "cs board");
    this.bar = make("div", "bar");
    this.count = make("span", "count");
    this.count.setAttribute("role", "status");
    this.modes = make("div", "modes");
    this.modes.setAttribute("role", "group");
    this.modes.setAttribute("aria-label", "Order of the hits");
    this.byRank = this.mode("By rank", false, "All hits, best first.");
    this.byDocument = this.mode("By document", true, "Hits grouped by document; the document with the best hit first.");
    this.modes.append(this.byRank, this.byDocument);
    this.raw = new RawSwitch(() => {
      if (this.data) {
        this.draw();
        this.mark(this.openedId, false);
      }
    });
    this.bar.append(this.count, this.raw.el, this.modes);
    this.list = make("div", "list");
    this.el.append(this.bar, this.list);
    root.append(this.el);
    this.list.addEventListener("click", (event) => this.onClick(event));
    this.list.addEventListener("keydown", (event) => this.onKey(event));
  }
  mode(label, grouped, title) {
    const button = make("button", "mode", label, title);
    button.type = "button";
    button.addEventListener("click", () => this.regroup(grouped));
    return button;
  }
  destroy() {
    this.raw.destroy();
    this.el.remove();
  }

  show(data) {
    this.el.dataset.theme = themeOf(this.el);
    this.el.style.setProperty("--height", `${data.height}px`);
    const fresh = this.data?.rev !== data.rev;
    const opened = data.opened !== this.data?.opened || fresh;
    this.data = data;
    this.turn = Math.max(this.turn ?? 0, data.turn);
    if (fresh || this.grouped === undefined) {
      this.grouped = data.grouped;
      this.draw();
      this.list.scrollTop = 0;
    }
    this.drawLabels();
    // The server may not know of the last click yet; one that it has answered, as with another search, is over.
    const click = this.events.last("opened"),
      ahead = click?.turn > data.turn && this.cards.has(click.hit);
    if (opened) this.mark(ahead ? click.hit : data.opened, fresh);
  }
  regroup(grouped) {
    if (grouped === this.grouped) return;
    this.grouped = grouped;
    this.draw();
    this.mark(this.openedId, true);
    this.events.send("grouped", grouped);
  }

  draw() {
    const { hits, documents } = this.data;
    this.count.textContent = `${many(hits.length, "hit")} in ${many(documents.length, "document")}`;
    this.byRank.setAttribute("aria-pressed", String(!this.grouped));
    this.byDocument.setAttribute("aria-pressed", String(this.grouped));
    this.cards = new Map();
    const list = (places) => {
      const node = make("ol", "cards");
      node.append(...places.map((place) => this.card(hits[place])));
      return node;
    };
    if (!this.grouped) this.list.replaceChildren(list(hits.map((_, place) => place)));
    else this.list.replaceChildren(...documents.flatMap((group) => [this.group(group), list(group.hits)]));
    if (this.data.evidence) this.list.append(this.judged());
    this.raw.el.hidden = !hits.some(({ looks }) => looks.tables.length);
    letTablesScroll(this.list);
    for (const box of this.list.querySelectorAll(".lines"))
      box.classList.toggle("more", box.scrollHeight > box.clientHeight);
  }
  // How the results were judged, and those left out: each opens in the document like a hit.
  judged() {
    const { evidence, left_out } = this.data,
      box = make("div", "judged");
    box.append(make("p", "quiet", evidence));
    if (!left_out.length) return box;
    const fold = make("details"),
      places = make("ol", "places");
    fold.append(make("summary", "", `${many(left_out.length, "result")} with too little evidence`), places);
    for (const { id, rank, citation, why } of left_out) {
      const row = make("li"),
        text = make("div");
      text.append(this.link(id, id, citation), make("p", "quiet", why));
      row.append(make("span", "side", `#${rank}`, "Rank among all results before the cut."), text);
      places.append(row);
    }
    box.append(fold);
    return box;
  }
  group({ title, file, score, hits, context }) {
    const node = make("div", "group");
    const name = make("h3", "", title);
    if (file) name.append(make("span", "quiet file", file, "The document's path in the workspace."));
    const facts = [many(hits.length, "hit"), context ? `${many(context, "neighbour")} around` : "", `best ${score}`];
    node.append(
      name,
      make(
        "span",
        "quiet",
        facts.filter(Boolean).join(" · "),
        `A document scores as its best hit. ${this.data.words.score}`,
      ),
    );
    return node;
  }

  card(hit) {
    const item = make("li", "card");
    item.dataset.id = hit.id;
    const head = make("div", "head");
    const open = make("button", "open", hit.title);
    open.type = "button";
    open.dataset.hit = open.dataset.target = hit.id;
    open.setAttribute("aria-label", `Hit ${hit.rank}: ${hit.title}. Score ${hit.score}. Show it in the document`);
    const score = make("span", "score", "", this.data.words.score);
    score.append(make("span", "quiet", "score "), make("b", "", hit.score));
    head.append(make("span", "rank", String(hit.rank), "Rank among all hits."), open, score);
    item.append(
      head,
      make("div", "citation", hit.citation, "Location: document, headings, and character offset in the text."),
    );
    item.append(this.snippet(hit), this.bars(hit), this.foot(hit));
    this.cards.set(hit.id, { item, open });
    return item;
  }
  snippet(hit) {
    const node = make("div", `snippet${hit.lines ? " lines" : ""}${hit.answered ? " answered" : ""}`);
    const marks = [];
    let text = "";
    for (const [piece, marked] of hit.pieces) {
      if (marked) marks.push([text.length, text.length + piece.length]);
      text += piece;
    }
    drawText(node, text, marks, hit.looks);
    return node;
  }
  // The steps of the score on one scale for all hits: what counts against a hit is stacked to the left of the line.
  bars(hit) {
    const [low, high] = this.data.scale,
      width = high - low || 1,
      percent = (number) => `${(100 * number) / width}%`;
    const steps = hit.steps.filter(({ part }, n) => part || n < hit.legs.length);
    const row = make("div", steps.length > 2 ? "sum many" : "sum");
    const bar = make(
      "div",
      "track",
      "",
      "Length: the contribution of each step to the score, on the same scale for all hits of this search.",
    );
    bar.setAttribute("aria-hidden", "true");
    const ends = { "-1": -low, 1: -low };
    for (const step of steps) {
      if (!step.part) continue;
      const sign = Math.sign(step.part),
        from = sign > 0 ? ends[1] : ends[-1] + step.part;
      const part = make("span", `part ${step.tone}`);
      part.style.left = percent(from);
      part.style.width = percent(Math.abs(step.part));
      ends[sign] += step.part;
      bar.append(part);
    }
    if (low < 0) {
      const zero = make("span", "zero");
      zero.style.left = percent(-low);
      bar.append(zero);
    }
    const key = make("div", "key");
    for (const step of steps) {
      const leg = hit.legs.find(({ name }) => name === step.name);
      const how = leg
        ? `${leg.name} search: rank ${leg.rank} candidates, ${leg.raw}. ${this.data.words.adds}`
        : step.why;
      const item = make("span", `leg ${step.tone}`, "", how);
      item.append(
        make("i"),
        make("span", "", `${step.name} `),
        make("b", "", steps.length > 1 || !leg ? step.adds : leg.raw),
      );
      key.append(item);
    }
    row.append(bar, key);
    return row;
  }

  // Labels in one row, what they open below it: no label moves.
  foot(hit) {
    const foot = make("div", "foot"),
      row = make("div", "row"),
      panels = make("div", "panels");
    for (const [text, title, kind] of hit.tags) row.append(make("span", `tag ${kind}`, text, title));
    const folds = hit.children ? [[hit.children.label, () => this.children(hit)]] : [];
    folds.push(["Why this hit", () => this.why(hit)]);
    if (hit.near.length) folds.push([many(hit.near.length - 1, "neighbour"), () => this.near(hit)]);
    if (hit.repeats.length) folds.push([`also in ${many(hit.repeats.length, "place")}`, () => this.repeats(hit)]);
    if (this.data.labels[hit.id]) {
      folds.push(["Mark the answer", () => this.sentences(hit), "label"]);
      row.append(this.dismissal(hit));
    }
    for (const [label, fill, kind = ""] of folds) {
      const fold = make("button", `fold ${kind}`.trim(), label),
        panel = make("div", "panel");
      fold.type = "button";
      fold.setAttribute("aria-expanded", "false");
      panel.hidden = true;
      panel.setAttribute("role", "group");
      panel.setAttribute("aria-label", label);
      fold.addEventListener("click", () => {
        if (!panel.firstChild) panel.append(fill()); // filled when it is first opened
        panel.hidden = !panel.hidden;
        fold.setAttribute("aria-expanded", String(!panel.hidden));
        if (!panel.hidden) this.reveal(foot.closest(".card"), panel);
      });
      row.append(fold);
      panels.append(panel);
    }
    foot.append(row, panels);
    return foot;
  }
  why(hit) {
    const box = make("div", "box");
    if (hit.steps.length > 1) box.append(this.waterfall(hit));
    box.append(this.legs(hit));
    if (hit.why) box.append(make("p", "", hit.why));
    if (hit.evidence) box.append(make("p", "", hit.evidence));
    return box;
  }
  // The way to the score as a picture in a table, a row a step: each bar begins where the one above ended.
  waterfall(hit) {
    const sums = hit.steps.map((step) => step.from + step.part),
      low = Math.min(0, ...sums),
      high = Math.max(0, ...sums),
      percent = (number) => `${(100 * number) / (high - low || 1)}%`;
    const table = make("table", "fall"),
      head = make("tr");
    table.setAttribute("aria-label", "The steps of the score");
    for (const [name, text, title] of [
      ["", "step"],
      ["rise", ""],
      ["number", "adds", "Contribution of this step to the score."],
      ["number", "sum", "The score after this step."],
    ])
      head.append(make(text ? "th" : "td", name, text, title));
    table.append(head);
    const line = (name, tone, from, part, adds, sum, why) => {
      const row = make("tr", tone === "total" ? "total" : ""),
        label = make("th", `leg ${tone}`, "", why),
        cell = make("td", "rise"),
        bar = make("span", `part ${tone}`),
        zero = make("span", "zero"),
        track = make("span", "track");
      label.scope = "row";
      label.append(make("i"), make("span", "", name));
      bar.style.left = percent(Math.min(from, from + part) - low);
      bar.style.width = `max(2px, ${percent(Math.abs(part))})`;
      zero.style.left = percent(-low);
      track.append(zero, bar);
      if (tone !== "total") {
        const on = make("span", "on"); // to the bar below
        on.style.left = percent(from + part - low);
        track.append(on);
      }
      cell.append(track);
      row.append(label, cell, make("td", "number", adds), make("td", "number", sum));
      table.append(row);
    };
    for (const step of hit.steps) line(step.name, step.tone, step.from, step.part, step.adds, step.sum, step.why);
    line("score", "total", 0, sums.at(-1), "", hit.score, this.data.words.score);
    const box = make("div", "wide"),
      words = hit.steps.filter((step) => step.why && !hit.legs.some(({ name }) => name === step.name));
    box.append(table, ...words.map((step) => make("p", "quiet", `${step.name}: ${step.why}`)));
    return box;
  }
  legs(hit) {
    const { words } = this.data;
    const columns = [
      ["rank", "rank"],
      ["raw", "own score"],
      ["z", "z-score"],
      ["weight", "weight"],
      ["adds", "adds"],
    ].filter(([key]) => words[key]);
    const table = make("table"),
      head = make("tr"),
      first = make("th", "", "leg");
    head.append(first, ...columns.map(([key, label]) => make("th", "", label, words[key])));
    table.append(head);
    for (const leg of hit.legs) {
      const row = make("tr"),
        name = make("th", `leg ${leg.tone}`);
      name.append(make("i"), make("span", "", leg.name));
      row.append(name, ...columns.map(([key]) => make("td", "", leg[key], words[key])));
      table.append(row);
    }
    const scroll = make("div", "wide");
    scroll.append(table);
    return scroll;
  }
  children(hit) {
    const { rows, found, of } = hit.children,
      box = make("div", "box"),
      list = make("ol", "places found");
    const share = make("div", "share", "", `${found} of its ${of} chunks were found.`);
    share.setAttribute("aria-hidden", "true");
    if (of <= 40) share.append(...Array.from({ length: of }, (_, n) => make("i", n < found ? "on" : "")));
    for (const { id, rank, score, pieces } of rows) {
      const row = make("li"),
        link = this.link(hit.id, id, "");
      for (const [text, marked] of pieces) link.append(marked ? make("mark", "", text) : legible(text));
      row.append(
        make("span", "side", `#${rank}`, "Rank among all candidates of this search."),
        link,
        make("span", "quiet", score, "Its own score."),
      );
      list.append(row);
    }
    box.append(...(of <= 40 ? [share] : []), list);
    return box;
  }
  near(hit) {
    const box = make("ol", "box places");
    for (const { id, side, text, why } of hit.near) {
      const row = make("li", side === "hit" ? "this" : "");
      row.append(
        make("span", "side", side === "hit" ? "hit" : side),
        side === "hit" ? make("span", "", text) : this.link(hit.id, id, text),
        ...(why ? [make("span", "quiet", why, "Why this neighbour is included.")] : []),
      );
      box.append(row);
    }
    return box;
  }
  repeats(hit) {
    const box = make("ul", "box places");
    for (const { id, citation } of hit.repeats) {
      const row = make("li");
      row.append(this.link(hit.id, id, citation));
      box.append(row);
    }
    return box;
  }
  // Labels for a question set; which there are comes with each message, and is drawn without touching the card.
  dismissal(hit) {
    const button = make(
      "button",
      "dismiss",
      "Not relevant",
      "Mark this hit as not relevant to the query in the question set for labels.",
    );
    button.type = "button";
    button.addEventListener("click", () => {
      button.disabled = true;
      this.events.send("labelled", { hit: hit.id, sentence: null });
    });
    return button;
  }
  sentences(hit) {
    const box = make("ol", "box places answers");
    this.data.labels[hit.id].sentences.forEach((text, sentence) => {
      const row = make("li"),
        button = make("button", "link", text, "This sentence answers the query");
      button.type = "button";
      button.addEventListener("click", () => this.events.send("labelled", { hit: hit.id, sentence }));
      row.append(make("span", "side"), button);
      box.append(row);
    });
    this.drawLabels(hit.id, box);
    return box;
  }
  drawLabels(only, fresh) {
    for (const [id, { item }] of this.cards) {
      const label = this.data.labels[id];
      if (!label || (only && only !== id)) continue;
      const button = item.querySelector(".dismiss"),
        box = fresh ?? item.querySelector(".answers");
      if (button) {
        button.disabled = label.dismissed || label.answered.length > 0;
        button.textContent = label.dismissed ? "✕ Not relevant" : "Not relevant";
        button.setAttribute("aria-pressed", String(label.dismissed));
      }
      box?.querySelectorAll("li").forEach((row, sentence) => {
        const on = label.answered.includes(sentence);
        row.classList.toggle("on", on);
        row.firstChild.textContent = on ? "✓" : "";
        row.lastChild.setAttribute("aria-pressed", String(on));
      });
      item.classList.toggle("answering", label.answered.length > 0);
    }
  }
  link(hit, target, text) {
    const button = make("button", "link", text, "Show it in the document");
    button.type = "button";
    Object.assign(button.dataset, { hit, target });
    return button;
  }

  onClick(event) {
    const button = event.target.closest("[data-target]");
    if (button) {
      this.open(button.dataset.hit, button.dataset.target);
      return;
    }
    const card = event.target.closest(".card");
    // The user is selecting text
    if (!card || event.target.closest(".foot, button") || !getSelection()?.isCollapsed) return;
    this.open(card.dataset.id, card.dataset.id);
  }
  open(hit, target) {
    this.mark(hit, false);
    this.events.send("opened", { hit, target, turn: (this.turn += 1) });
  }
  // Show which card is open; `reveal` scrolls the list, never the page.
  mark(id, reveal) {
    this.openedId = id;
    for (const [own, { item, open }] of this.cards) {
      item.classList.toggle("opened", own === id);
      if (own === id) open.setAttribute("aria-current", "true");
      else open.removeAttribute("aria-current");
    }
    const card = this.cards.get(id)?.item;
    if (reveal && card) this.reveal(card);
  }
  // Scroll as little as shows the card; where it is too tall, its top, or the part asked for.
  reveal(card, part = card) {
    const frame = this.list.getBoundingClientRect(),
      box = part.getBoundingClientRect(),
      top = card.getBoundingClientRect().top;
    if (top < frame.top && part === card) this.list.scrollTop += top - frame.top;
    else if (box.bottom > frame.bottom)
      this.list.scrollTop += Math.min(box.bottom - frame.bottom, (part === card ? top : box.top) - frame.top);
  }
  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const opens = [...this.list.querySelectorAll(".open")];
    const here = opens.indexOf(event.target.closest(".card")?.querySelector(".open"));
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: opens.length - 1 }[event.key];
    if (to === undefined || here < 0) return;
    event.preventDefault();
    const next = opens[Math.max(0, Math.min(opens.length - 1, to))];
    next.focus({ preventScroll: true });
    this.reveal(next.closest(".card"));
  }
}

define("hits", Board, "hits");
