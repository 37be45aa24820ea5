// The way of a search as a strip: a cell a stage, the sum of them, and a table of every step behind one button.
const say = (ms) => (ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(ms >= 10 ? 0 : 1)} ms`);

class Pipeline {
  constructor(root) {
    this.el = element("section", "cs pipeline");
    this.el.setAttribute("aria-label", "Stages of this search");
    this.cells = element("ol", "cells");
    this.table = element("div", "wide");
    this.table.hidden = true;
    this.more = element("button", "fold", "Every step");
    this.more.type = "button";
    this.more.setAttribute("aria-expanded", "false");
    this.more.addEventListener("click", () => {
      this.table.hidden = !this.table.hidden;
      this.more.setAttribute("aria-expanded", String(!this.table.hidden));
      this.el.classList.toggle("open", !this.table.hidden);
    });
    this.el.append(this.cells, this.table);
    root.append(this.el);
  }
  destroy() {
    this.el.remove();
  }

  show({ phases, facts }) {
    this.el.dataset.theme = themeOf(this.el);
    const longest = Math.max(...phases.map(({ milliseconds }) => milliseconds), 0.001),
      focused = this.more.getRootNode().activeElement === this.more;
    this.cells.replaceChildren(...phases.map((phase) => this.cell(phase, longest)), this.sum(facts, phases));
    if (focused) this.more.focus({ preventScroll: true });
    this.table.replaceChildren(this.steps(phases));
  }
  sum(facts, phases) {
    const cell = element("li", "cell sum"),
      body = element("div", "body"),
      foot = element("div", "time");
    for (const [number, noun, how] of facts) {
      const fact = element("span", "number");
      fact.append(element("b", "", number), ` ${noun}`);
      fact.title = how;
      body.append(fact);
    }
    const time = element("span", "", say(phases.reduce((sum, { milliseconds }) => sum + milliseconds, 0)));
    time.title = "Time of all stages on this machine. The first search of a server waits until the model is loaded.";
    foot.append(time, this.more);
    cell.append(element("div", "title", "In all"), body, foot);
    return cell;
  }
  cell({ title, does, on, facts, milliseconds }, longest) {
    const cell = element("li", on ? "cell" : "cell off"),
      head = element("div", "title", title),
      body = element("div", "body");
    cell.title = milliseconds ? `${does} ${say(milliseconds)}.` : does;
    for (const [number, noun, tone] of facts) {
      const fact = element("span", `number ${tone}`);
      if (tone) fact.append(element("i"));
      fact.append(element("b", "", number), ` ${noun}`);
      body.append(fact);
    }
    if (!on) body.append(element("span", "number", "off"));
    const time = element("div", "time"),
      bar = element("span", "bar");
    bar.style.width = `${Math.max(milliseconds ? 2 : 0, (46 * milliseconds) / longest)}px`;
    time.append(bar, element("span", "", milliseconds ? say(milliseconds) : "—"));
    cell.append(head, body, time);
    return cell;
  }
  steps(phases) {
    const table = element("table"),
      head = element("tr");
    head.append(...["stage", "step", "handed on", "time"].map((name) => element("th", "", name)));
    table.append(head);
    for (const { title, stages } of phases) {
      stages.forEach(([name, count, time], n) => {
        const row = element("tr");
        row.append(
          element("th", "", n ? "" : title),
          element("td", "", name),
          element("td", "", count),
          element("td", "right", time),
        );
        table.append(row);
      });
    }
    return table;
  }
}

define("pipeline", Pipeline, "pipeline");
