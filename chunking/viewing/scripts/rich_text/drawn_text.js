// A short text with highlighted code, tables and marks. Text only, never markup.

// `marks`: [start, end] of highlights, in order; `looks`: from text_looks.py. All in units.
function drawText(parent, text, marks, looks) {
  let at = 0;
  for (const [start, end, header, delimiter] of shared.raw ? [] : looks.tables) {
    drawPieces(parent, text, at, start, marks, looks.code);
    parent.append(drawnTable(text, start, end, header, delimiter, marks, looks.code));
    at = end;
  }
  drawPieces(parent, text, at, text.length, marks, looks.code);
}

function drawPieces(parent, text, from, to, marks, code) {
  const seams = new Set([from, to]);
  for (const [start, end] of [...marks, ...code])
    for (const place of [start, end]) if (place > from && place < to) seams.add(place);
  const cuts = [...seams].sort((a, b) => a - b),
    holds =
      (at) =>
      ([start, end]) =>
        start <= at && end > at;
  for (let k = 0; k + 1 < cuts.length; k++) {
    const piece = text.slice(cuts[k], cuts[k + 1]),
      token = code.find(holds(cuts[k]));
    const node = token ? element("span", token[2], piece) : legible(piece);
    if (!marks.some(holds(cuts[k]))) {
      parent.append(node);
      continue;
    }
    const mark = element("mark");
    mark.append(node);
    parent.append(mark);
  }
}

function drawnTable(text, from, to, header, delimiter, marks, code) {
  const box = element("div", "drawn"),
    table = element("table"),
    rows = [];
  for (let start = from; start < to; ) {
    let end = start,
      quotes = 0;
    do {
      // a field in quotes may go over several lines
      const next = text.indexOf("\n", end) + 1;
      const line = text.slice(end, next && next <= to ? next : to);
      quotes += delimiter == null ? 0 : line.split('"').length - 1;
      end += line.length;
    } while (quotes % 2 && end < to);
    rows.push([start, end]);
    start = end;
  }
  const shape = columnsOf(
    rows.map(([start, end]) => text.slice(start, end)),
    rows.filter(([start]) => start < header).length,
    delimiter,
  );
  for (const [number, [start, end]] of rows.entries()) {
    const row = text.slice(start, end),
      line = element("tr");
    if (number && delimiter == null && RULE.test(row)) continue;
    for (const [at, cell] of cellsOf(row, delimiter).entries()) {
      const node = element(start < header ? "th" : "td", shape?.sides[at] ?? "start");
      if (start < header) node.scope = "col";
      let done = cell.start;
      for (const hidden of [...cell.hidden, cell.end]) {
        drawPieces(node, text, start + done, start + hidden, marks, code);
        done = hidden + 1;
      }
      line.append(node);
    }
    table.append(line);
  }
  box.append(table);
  return box;
}

// Tables wider than their place scroll in it, also by keys. Call it when they are on the page.
function letTablesScroll(root) {
  for (const box of root.querySelectorAll(".drawn")) {
    if (box.scrollWidth <= box.clientWidth) continue;
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Table");
  }
}
