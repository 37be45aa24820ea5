// The answer: sentences with their citations and what became of each. A model wrote it, so textContent only.
class AnswerPanel {
  constructor(root) {
    this.el = element("section", "cs answer");
    this.el.setAttribute("aria-label", "The answer");
    this.words = element("div", "words");
    this.list = element("div", "list");
    this.list.tabIndex = 0;
    this.list.setAttribute("aria-label", "Sentences");
    this.list.setAttribute("aria-live", "polite");
    this.note = element("div", "note");
    this.el.append(this.words, this.list, this.note);
    root.append(this.el);
  }
  destroy() {
    this.el.remove();
  }

  show(data) {
    const text = JSON.stringify(data);
    this.el.dataset.theme = themeOf(this.el);
    if (text === this.text) return;
    this.text = text;
    this.list.style.setProperty("--height", `${data.height}px`);
    this.words.textContent = data.summary;
    this.note.textContent = data.running && !data.rows.length ? "Waiting for the first words …" : data.note;
    const held = this.list.contains(this.list.getRootNode().activeElement)
      ? this.list.getRootNode().activeElement.dataset.cite
      : null;
    const lines = [];
    data.rows.forEach((row, n) => {
      if (row.line || !lines.length) lines.push(element("p"));
      lines.at(-1).append(this.sentence(row, n, data.opened), " ");
    });
    this.list.replaceChildren(...lines);
    this.list.classList.toggle("running", data.running);
    if (held) this.list.querySelector(`[data-cite="${held}"]`)?.focus();
  }
  sentence({ text, cites, kind, sign, words, reason }, n, opened) {
    const whole = element("span", `sentence ${kind}`);
    whole.append(element("span", "text", text));
    for (const { number, title, known } of cites) {
      const button = element("button", "cite", `[${number}]`);
      button.type = "button";
      button.dataset.cite = `${n}.${number}`;
      button.disabled = !known;
      button.title = known ? title : "There is no such passage.";
      button.setAttribute(
        "aria-label",
        known ? `Passage ${number}: ${title}` : `Passage ${number}, which does not exist`,
      );
      button.setAttribute("aria-pressed", String(opened?.[0] === n && opened?.[1] === number));
      button.addEventListener("click", () => this.events.send("open", { sentence: n, number }));
      whole.append(button);
    }
    if (sign) {
      const mark = element("span", "mark", words ? `${sign} ${words}` : sign);
      mark.title = reason;
      mark.tabIndex = 0;
      mark.setAttribute("role", "note");
      mark.setAttribute("aria-label", `${words || "supported"}: ${reason}`);
      whole.append(mark);
    }
    return whole;
  }
}

define("answer", AnswerPanel, "answer_panel");
