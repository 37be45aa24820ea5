// The strip beside the text: the whole document's chunks as bars as long as the chunks are, flags, hits, and what is on
// screen.
class Ruler {
  constructor(parent, onSeek) {
    this.el = element("div", "ruler");
    this.el.setAttribute("aria-hidden", "true"); // the same is in the text, the outline and the tooltip
    this.canvas = element("canvas");
    this.window = element("div", "onscreen");
    this.el.append(this.canvas, this.window);
    parent.append(this.el);
    const seek = (event) =>
      onSeek(Math.max(0, Math.min(1, (event.clientY - this.el.getBoundingClientRect().top) / this.el.clientHeight)));
    this.el.addEventListener("pointerdown", (event) => {
      this.el.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.el.addEventListener("pointermove", (event) => {
      if (event.buttons) seek(event);
    });
  }
  // `scene`: see scene.js. Rows of pixels take the longest chunk that touches them.
  draw(scene) {
    const ratio = window.devicePixelRatio || 1,
      width = Math.round(this.el.clientWidth * ratio),
      height = Math.round(this.el.clientHeight * ratio);
    if (!width || !height) return;
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    const pen = this.canvas.getContext("2d"),
      style = getComputedStyle(this.el),
      colour = (role) => style.getPropertyValue(`--cs-${role}`).trim();
    pen.clearRect(0, 0, width, height);
    const { S, E, bands } = scene,
      total = Math.max(1, scene.text.length),
      quiet = scene.quiet;
    const lengths = new Float32Array(height),
      owners = new Int32Array(height).fill(-1);
    let longest = 1;
    for (let i = 0; i < S.length; i++) {
      const size = bands.sizes[i],
        from = Math.floor((S[i] / total) * height),
        to = Math.max(from + 1, Math.floor((E[i] / total) * height));
      if (size > longest) longest = size;
      for (let row = from; row < to && row < height; row++)
        if (size >= lengths[row]) {
          lengths[row] = size;
          owners[row] = i;
        }
    }
    pen.globalAlpha = quiet ? 0.25 : 0.5;
    const dense = S.length > height / 6; // colours that change from row to row would only flicker
    for (let row = 0; row < height; row++)
      if (owners[row] >= 0) {
        const tone = scene.toneOf(owners[row]);
        pen.fillStyle = colour(
          quiet ? "section" : tone ? `block-${tone}` : !dense && owners[row] & 1 ? "chunk-b" : "chunk-a",
        );
        pen.fillRect(0, row, Math.max(2, (lengths[row] / longest) * width), 1);
      }
    pen.globalAlpha = 1;
    pen.fillStyle = colour("warning");
    for (let i = 0; i < S.length; i++)
      if (bands.flags[i]) pen.fillRect(0, (S[i] / total) * height, 3 * ratio, Math.max(2, ratio * 2));
    for (const mark of scene.marks) {
      if (mark.kind !== "hit" && (mark.kind !== "answer" || mark.fate)) continue;
      pen.fillStyle = colour(mark.kind);
      pen.fillRect(0, (mark.start / total) * height, width, Math.max(3 * ratio, ((mark.end - mark.start) / total) * height));
    }
    // Answers as dots on a bright edge; of those that lie on each other, the worst is above.
    const answers = scene.answers ?? [];
    for (const fates of [["intact"], ["split", "missed"]])
      for (const { fate, start, end } of answers) {
        if (!fates.includes(fate)) continue;
        const radius = (fate === "intact" ? 2.3 : 3) * ratio,
          y = Math.min(height - 2 * radius, Math.max(2 * radius, ((start + end) / 2 / total) * height));
        pen.save();
        pen.shadowColor = style.getPropertyValue("--paper").trim();
        pen.shadowBlur = 2 * ratio;
        drawFate(pen, fate, width - 5 * ratio, y, radius, style);
        pen.restore();
      }
    scene.track?.drawOn(pen, { width, height, ratio, colour });
  }
  // What is on screen, as shares of the text.
  place(from, to) {
    this.window.style.top = `${100 * from}%`;
    this.window.style.height = `${Math.max(1.2, 100 * (to - from))}%`;
  }
}
