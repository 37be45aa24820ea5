// The tooltip of the chunk, the answer or B's chunk under the pointer.
const MOST_ANSWERS = 3; // said

class Tooltip {
  // `view`: the viewer.
  constructor(view) {
    this.view = view;
    this.el = element("div", "tip");
    this.el.setAttribute("role", "tooltip");
    view.el.append(this.el);
    view.pane.scroller.addEventListener("mousemove", (event) => this.onHover(event));
    view.pane.scroller.addEventListener("mouseleave", () => this.hover(-1));
  }
  get scene() {
    return this.view.scene;
  }

  onHover(event) {
    const other = event.target.closest?.("[data-other]");
    if (other) {
      this.hover(-1);
      this.showAt(event, this.linesOfOther(+other.dataset.other));
      return;
    }
    const bracket = this.bracketAt(event);
    if (bracket) {
      this.hover(-1);
      this.showAt(event, bracket);
      return;
    }
    const node = event.target.closest?.("[data-c]"),
      part = event.target.closest?.(".part.answer");
    this.hover(node ? +node.dataset.c : -1, node, event, part ? this.scene.answersAt(part.unit) : []);
  }
  // What a bracket in the gutter under the pointer stands for; null elsewhere.
  bracketAt({ target, clientX, clientY }) {
    const { scroller, shown } = this.view.pane;
    if (target.closest?.(".line") || clientX > scroller.getBoundingClientRect().left + 12) return null;
    const lines = [...shown.querySelectorAll(".line.grouped[data-c]")];
    const line = lines.find((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return top <= clientY && clientY < bottom;
    });
    const words = line && this.scene.groupWords(+line.dataset.c);
    return words ? [element("strong", "", words[0]), element("div", "", words[1]), element("div", "also", words[2])] : null;
  }
  hover(i, node, event, answers = []) {
    if (i !== this.hovered) {
      this.hovered = i;
      for (const part of this.view.pane.shown.querySelectorAll(".hovered")) part.classList.remove("hovered");
      if (i >= 0)
        for (const part of this.view.pane.shown.querySelectorAll(`[data-c="${i}"]`)) part.classList.add("hovered");
    }
    this.el.classList.toggle("on", i >= 0 || answers.length > 0);
    if (i < 0 && !answers.length) return;
    const lines = answers
      .slice(0, MOST_ANSWERS)
      .flatMap(([title, question, fate]) => [
        element("strong", `fate ${fate}`, title),
        element("div", "question", question),
      ]);
    if (answers.length > MOST_ANSWERS)
      lines.push(element("div", "also", `… and ${answers.length - MOST_ANSWERS} more`));
    if (i >= 0) lines.push(...this.linesOfBand(i, +(node.dataset.first ?? i)));
    const part = event.target.closest(".part"),
      k = part ? (this.scene.track?.indexAt(part.unit) ?? -1) : -1;
    if (k >= 0) lines.push(element("div", "also", `in chunk ${fold(k)} of B`));
    this.showAt(event, lines);
  }
  // Below or above the line under the pointer, which stays readable. Never covers a selection.
  showAt(event, lines) {
    const selecting = event.buttons & 1 || this.view.asker.range !== null;
    this.el.classList.toggle("on", !selecting);
    if (selecting) return;
    this.el.replaceChildren(...lines);
    const frame = this.view.el.getBoundingClientRect(),
      { clientX: x, clientY: y } = event,
      { offsetWidth: width, offsetHeight: height } = this.el;
    const line = [...event.target.getClientRects()].find(
      ({ top, bottom }) => top <= y && y <= bottom && bottom - top < 2 * LINE_HEIGHT,
    );
    const above = (line?.top ?? y - LINE_HEIGHT / 2) - 5 - height - frame.top,
      below = (line?.bottom ?? y + LINE_HEIGHT / 2) + 5 - frame.top;
    this.el.style.left = `${Math.max(4, Math.min(x - frame.left + 14, frame.width - width - 8))}px`;
    this.el.style.top = `${below + height > frame.height && above > 0 ? above : below}px`;
  }
  linesOfOther(k) {
    const { title, rows } = this.scene.track.facts(k);
    return [element("strong", "", title), ...rows.map((row) => element("div", "", row))];
  }
  linesOfBand(i, first) {
    const { title, rows, flags } = this.scene.facts(i);
    const lines = [
      element("strong", "", title),
      ...rows.map((row) => element("div", "", row)),
      ...flags.map((words) => element("div", "warn", `▲ ${words}`)),
    ];
    if (first < i)
      lines.push(
        element(
          "div",
          "also",
          `overlap: also in ${this.scene.noun.toLowerCase()} ${fold(this.scene.bands.numbers[i - 1])}`,
        ),
      );
    return lines;
  }
}
