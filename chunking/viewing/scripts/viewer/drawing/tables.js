// Rows of a table as lines in columns. Every character stays in the page, in order: bars, quotes and the white space
// around cells have no width. Lines, offsets and selections know nothing of it.

// Where a row begins and ends that holds a line: a field in quotes may go over several lines, and a long row is drawn
// in pieces.
function rowAround({ text, joins }, start, end) {
  let first = start,
    last = end;
  while (first > 0 && (text[first - 1] !== "\n" || joins.has(first))) first = text.lastIndexOf("\n", first - 2) + 1;
  while (last < text.length && (text[last - 1] !== "\n" || joins.has(last)))
    last = text.indexOf("\n", last) + 1 || text.length;
  return [first, last];
}

// The columns of a table (see columnsOf), found once; null where it is drawn as raw text.
function shapeOf(source, block) {
  if (block.shape !== undefined) return block.shape;
  const rows = [];
  let headers = 0;
  for (let at = source.text.lastIndexOf("\n", block.start) + 1; at < block.end && rows.length < SAMPLED_ROWS; ) {
    const [, end] = rowAround(source, at, Math.min(at + 1, source.text.length));
    if (at < block.header) headers++;
    rows.push(source.text.slice(at, Math.min(end, at + 4 * LINE_UNITS)));
    at = end;
  }
  return (block.shape = columnsOf(rows, headers, block.delimiter));
}

// The line [start, end) of a table as it is drawn: null where it is not.
const LONG_WORD = /\S{15}/; // may not fit its column (table_rows.js)

class Row {
  static of(scene, block, start, end) {
    if (block?.kind !== "table" || shared.raw) return null;
    const { source } = scene,
      shape = shapeOf(source, block);
    if (!shape) return null;
    const [first, last] = rowAround(source, start, end),
      text = source.text.slice(first, last);
    const header = first < block.header,
      rule = header && block.delimiter == null && first > block.start && RULE.test(text);
    const cut = rule && lowerBound(scene.S, start) < lowerBound(scene.S, end); // where a chunk starts in it, it is seen
    return cut
      ? null
      : new Row(text, shape, first, rule ? [[0, text.length, 0, true]] : piecesOf(text, block.delimiter), header, rule);
  }
  constructor(text, shape, first, pieces, header, rule) {
    Object.assign(this, { text, shape, first, pieces, header, rule });
    this.kind = rule ? "rule" : header ? "row header" : "row";
  }
  seams(add) {
    for (const [from] of this.pieces) add(this.first + from);
  }
  pieceAt(unit) {
    const { pieces, first } = this;
    return pieces.findLast(([from]) => first + from <= unit) ?? pieces[0];
  }
  hides(unit) {
    return this.pieceAt(unit)[3];
  }
  // The element for the character: its cell, created if missing. A row interrupted by a prefix continues in its own
  // columns.
  place(line, unit) {
    if (this.rule) return line;
    const [from, to, at] = this.pieceAt(unit);
    if (!line.cells) {
      line.cells = element("span", "cells");
      line.cells.style.gridTemplateColumns = this.shape.template;
      line.cells.style.maxWidth = `${this.shape.most}ch`;
      line.style.minWidth = `${this.shape.least}ch`;
      line.append(line.cells);
    }
    const last = line.cells.lastChild;
    if (last?.at === at) return last;
    const cell = element("span", `cell ${this.shape.sides[at] ?? "start"}`);
    if (LONG_WORD.test(this.text.slice(from, this.pieces.findLast(([, , which]) => which === at)?.[1] ?? to)))
      cell.classList.add("long");
    cell.at = at;
    cell.style.gridColumn = at + 1;
    line.cells.append(cell);
    return cell;
  }
  // A chunk that begins or ends between two cells colours only its own cells.
  static tint(line) {
    for (const cell of line.cells?.children ?? []) {
      const parts = [...cell.querySelectorAll(".part")].filter(
          (part) => !part.classList.contains("hush") || cell.children.length === 1,
        ),
        look = parts[0]?.look;
      if (!look || look === line.look || parts.some((part) => part.look !== look)) continue;
      cell.className += ` ${look}`;
      Object.assign(cell.dataset, parts[0].dataset);
      for (const part of parts) part.look = line.look; // they need none of their own
    }
  }
}
