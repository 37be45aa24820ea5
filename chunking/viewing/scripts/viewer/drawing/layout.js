// Layout of a text far too long to draw completely: blocks of lines with estimated heights, corrected by measurement
// once they are shown.
const BLOCK_UNITS = 1200; // a block ends at the first line end after so many units
const BLOCK_LINES = 30; // ... or after so many lines
const LINE_UNITS = 4000; // a longer line is drawn in pieces

class Layout {
  // `joins`: starts of lines that continue the previous table row.
  constructor(text, joins = new Set()) {
    this.text = text;
    const lines = [0],
      blocks = []; // starts of lines; index of each block's first line
    const isBreak = (unit) =>
      !(unit >= 0xdc00 && unit < 0xe000) && !(unit >= 0x300 && unit < 0x370) && unit !== 0x200d && unit !== 0xfe0f;
    for (let start = 0; start < text.length; ) {
      let end = text.indexOf("\n", start) + 1 || text.length;
      while (joins.has(end)) end = text.indexOf("\n", end) + 1 || text.length;
      if (end - start > LINE_UNITS) {
        end = start + LINE_UNITS;
        const space = text.lastIndexOf(" ", end);
        if (space > start + LINE_UNITS / 2) end = space + 1;
        while (end < text.length && !isBreak(text.charCodeAt(end))) end++;
      }
      lines.push((start = end));
    }
    for (let i = 0, first = 0; i < lines.length - 1; i++) {
      if (i === first) blocks.push(i);
      if (lines[i + 1] - lines[first] >= BLOCK_UNITS || i + 1 - first >= BLOCK_LINES) first = i + 1;
    }
    blocks.push(lines.length - 1);
    this.lines = Int32Array.from(lines);
    this.blocks = Int32Array.from(blocks);
    this.count = this.blocks.length - 1;
    this.starts = this.blocks.map((line) => this.lines[line]); // unit offset at which each block starts
    this.plain = new Float64Array(this.count); // heights without prefix lines
    this.extra = new Float64Array(this.count); // heights of prefix lines
    this.tops = new Float64Array(this.count + 1);
  }
  // Heights for a page with `columns` characters per line of `lineHeight` pixels; `tables`: blocks whose lines are
  // `rowHeight` higher; `pictures`: spans that are one line of `pictureHeight`, however long.
  estimate(columns, lineHeight, tables = [], rowHeight = 0, pictures = [], pictureHeight = 0) {
    for (let b = 0, t = 0, p = 0; b < this.count; b++) {
      let height = 0;
      for (let i = this.blocks[b]; i < this.blocks[b + 1]; i++) {
        const [start, end] = [this.lines[i], this.lines[i + 1]];
        while (t < tables.length && tables[t].end <= start) t++;
        while (p < pictures.length && pictures[p].end <= start) p++;
        if (pictures[p]?.start < end) height += pictures[p].start >= start ? pictureHeight : 0;
        else
          height +=
            Math.max(1, Math.ceil((end - start) / columns)) * lineHeight + (tables[t]?.start <= start ? rowHeight : 0);
      }
      this.plain[b] = height;
    }
  }
  // Unit offsets of the prefix lines (of `height`).
  setExtra(offsets, height) {
    this.extra.fill(0);
    for (let i = 0, b = 0; i < offsets.length; i++) {
      while (b + 1 < this.count && this.starts[b + 1] <= offsets[i]) b++;
      if (this.count) this.extra[b] += height;
    }
    this.stack();
  }
  stack() {
    for (let b = 0; b < this.count; b++) this.tops[b + 1] = this.tops[b] + this.plain[b] + this.extra[b];
  }
  // True if the block's height differs from the estimate.
  measured(b, height) {
    if (Math.abs(height - this.plain[b] - this.extra[b]) < 0.5) return false;
    this.plain[b] = height - this.extra[b];
    return true;
  }
  get height() {
    return this.tops[this.count];
  }
  blockAtTop(top) {
    return Math.max(0, Math.min(this.count - 1, lowerBound(this.tops, top + 0.01) - 1));
  }
  blockAtUnit(unit) {
    return Math.max(0, Math.min(this.count - 1, lowerBound(this.starts, unit + 1) - 1));
  }
}
