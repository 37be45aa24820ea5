// The context: a bar with a segment a passage, and the passages as they are handed over. textContent only.
class ContextPanel {
  constructor(root) {
    this.el = element("section", "cs context");
    this.el.setAttribute("aria-label", "The context");
    this.words = element("div", "words");
    this.raw = new RawSwitch(() => {
      this.text = "";
      if (this.data) this.show(this.data);
    });
    this.bar = element("div", "bar");
    this.bar.setAttribute("role", "group");
    this.bar.setAttribute("aria-label", "Passages by size");
    this.list = element("ol", "list");
    this.list.tabIndex = 0;
    this.list.setAttribute("aria-label", "Passages");
    this.el.append(this.words, this.bar, this.list);
    root.append(this.el);
  }
  destroy() {
    this.raw.destroy();
    this.el.remove();
  }

  show(data) {
    const text = JSON.stringify(data);
    this.el.dataset.theme = themeOf(this.el);
    if (text === this.text) return;
    Object.assign(this, { text, data });
    this.list.style.setProperty("--height", `${data.height}px`);
    const sent = element("b", "", data.summary),
      hits = element("span", "quiet", data.hits);
    sent.title = data.sent;
    hits.title = data.bare;
    this.words.replaceChildren(
      sent,
      hits,
      element("span", data.over ? "warn" : "quiet", data.over ? "▲ over the budget" : data.rest),
      this.raw.el,
    );
    this.raw.el.hidden = !data.sources.some(({ looks }) => looks.tables.length);
    this.passages = data.sources.map((source) => this.passage(source));
    this.list.replaceChildren(...this.passages);
    letTablesScroll(this.list);
    this.bar.replaceChildren(...data.sources.map((source, n) => this.segment(source, n, data.whole)));
    if (data.free) {
      const free = element("span", "free");
      free.style.flexGrow = data.free;
      free.title = `${data.free.toLocaleString("en-US")} tokens of the budget are free`;
      this.bar.append(free);
    }
  }
  segment({ number, citation, tokens }, n, whole) {
    const button = element("button", "segment", tokens / whole > 0.03 ? String(number) : "");
    button.type = "button";
    button.style.flexGrow = tokens;
    button.title = `[${number}] ${citation}: ${tokens.toLocaleString("en-US")} tokens`;
    button.setAttribute("aria-label", `Passage ${number}, ${tokens} tokens: ${citation}`);
    button.addEventListener("click", () => this.bring(n));
    return button;
  }
  passage({ number, citation, tokens, text, looks }) {
    const item = element("li"),
      head = element("div", "head");
    const size = element("span", "quiet", `${tokens.toLocaleString("en-US")} tokens`);
    size.title = "Tokens of the passage with its heading line, counted with the embedding model's tokenizer.";
    head.append(element("b", "", `[${number}]`), element("span", "citation", citation), size);
    const body = element("div", "text");
    drawText(body, text, [], looks);
    item.append(head, body);
    return item;
  }
  bring(n) {
    const item = this.passages[n];
    this.list.scrollTop += item.getBoundingClientRect().top - this.list.getBoundingClientRect().top;
    for (const other of this.passages) other.classList.toggle("here", other === item);
  }
}

define("context", ContextPanel, "context_panel");
