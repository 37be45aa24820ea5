// Everything that decides how a line looks: the text, the bands and marks on it, and what is picked.

const fold = (number) => number.toLocaleString("en-US");

class Scene {
  constructor(source) {
    Object.assign(this, { source, text: source.text, S: new Int32Array(0), E: new Int32Array(0), marks: [], hitAt: new Map() });
    Object.assign(this, { picked: -1, cursor: -1, prefixes: true, quiet: false, noun: "Chunk" });
  }
  setBands(bands) {
    this.bands = bands;
    this.S = this.source.ruler.allToUnits(bands.starts);
    this.E = this.source.ruler.allToUnits(bands.ends);
  }
  setMarks(rows) {
    const { ruler } = this.source;
    this.marks = rows.map(([kind, start, end, label]) => ({ kind, start: ruler.toUnit(start), end: ruler.toUnit(end), label }));
    this.hitAt = new Map(rows.filter(([kind, , , label]) => kind === "hit" && label).map(([, start, , label]) => [start, label]));
    this.quiet = this.marks.some((mark) => mark.kind === "hit");
  }
  // The look of the block that holds a unit offset: "heading", "code" or "".
  kindAt(unit) {
    const { blocks } = this.source;
    let low = 0, high = blocks.length;
    while (low < high) { const middle = (low + high) >> 1; if (blocks[middle].end <= unit) low = middle + 1; else high = middle; }
    return blocks[low]?.start <= unit ? blocks[low].kind : "";
  }
  prefixOf(i) { return this.prefixes ? this.bands.prefixes[this.bands.prefixIds[i]] : ""; }
  // The last band that holds a code point; -1 for none.
  indexAt(point) {
    const i = point == null ? -1 : lowerBound(this.bands.starts, point + 1) - 1;
    return i >= 0 && point < this.bands.ends[i] ? i : -1;
  }
  facts(i) {
    const { bands, source } = this, [start, end] = [bands.starts[i], bands.ends[i]], tokens = bands.tokens[i], own = bands.prefixTokens[i];
    const rows = [`characters ${fold(start)}–${fold(end)} (${fold(end - start)})`];
    if (tokens) rows.push(`${fold(tokens)} tokens${own ? `, ${fold(own)} of them prefix` : ""}`);
    const section = source.sections[bands.sections[i]];
    if (section) rows.push(section);
    return { title: `${this.noun} ${fold(bands.numbers[i])}`, rows, flags: source.flags.filter(([bit]) => bands.flags[i] & bit).map(([, words]) => words) };
  }
}
