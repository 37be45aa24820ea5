// Rows of tables and their cells, with exact places: pipe rows, or fields between delimiters. The rules of
// chunking/splitting/rendering/table_text.py and chunking/parsing/formats/delimited.py.
const SAMPLED_ROWS = 100; // of which columns take their widths
const MOST_COLUMNS = 40; // of a table that is drawn as one
const MOST_WIDTH = 72,
  LEAST_WIDTH = 4,
  LONGEST_WORD = 14; // of a column, in the width of a digit
// No two neighbouring parts of these patterns can match the same characters: on a long cell, the time would grow
// quadratically.
const RULE = /^[ \t>]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|\s*|[^\S \t]\s*)?$/;
const NUMBER = /^[-+−(]?\s?[$€£¥]?\s?[.,' ]*\d[\d.,' ]*\s?[%‰)]?$/;
const WIDE = /[\u1100-\u11ff\u2e80-\uffdc]/g;

const fieldPatterns = new Map(); // delimiter -> what a quoted field is
function quotedField(delimiter) {
  if (!fieldPatterns.has(delimiter))
    fieldPatterns.set(
      delimiter,
      new RegExp(`"[^"]*(?:""[^"]*)*"(?= *(?:[${delimiter.replace(/[\\\]^-]/g, "\\$&")}\\r\\n]|$))`, "y"),
    );
  return fieldPatterns.get(delimiter);
}

// The cells of a row: [start and end of the visible part, and all hidden places inside]. `delimiter` is null for pipe
// rows.
function cellsOf(row, delimiter) {
  return delimiter == null ? pipeCells(row) : fieldCells(row, delimiter);
}

function pipeCells(row) {
  const length = row.trimEnd().length,
    cells = [];
  let from = Math.min(length, /^[ \t>]*\|?/.exec(row)[0].length);
  for (let i = from; i <= length; i++) {
    if (i < length && (row[i] !== "|" || row[i - 1] === "\\")) continue;
    if (i === length && cells.length && !row.slice(from, i).trim()) break; // the row ended with a pipe
    let start = from,
      end = i;
    while (start < end && /\s/.test(row[start])) start++;
    while (end > start && /\s/.test(row[end - 1])) end--;
    const hidden = [];
    for (let at = row.indexOf("\\|", start); at >= 0 && at < end; at = row.indexOf("\\|", at + 2)) hidden.push(at);
    cells.push({ start, end, hidden });
    from = i + 1;
  }
  return cells;
}

function fieldCells(row, delimiter) {
  let length = row.length;
  while (length > 0 && (row[length - 1] === "\n" || row[length - 1] === "\r")) length--;
  const quoted = quotedField(delimiter),
    cells = [];
  for (let from = 0; ; ) {
    quoted.lastIndex = from;
    const match = quoted.exec(row);
    const found = row.indexOf(delimiter, match ? quoted.lastIndex : from),
      after = found < 0 || found > length ? length : found;
    const hidden = [];
    let start = from,
      end = after;
    if (match) {
      start = from + 1;
      end = from + match[0].length - 1;
      for (let at = row.indexOf('""', start); at >= 0 && at < end; at = row.indexOf('""', at + 2)) hidden.push(at);
    }
    cells.push({ start, end, hidden });
    if (found < 0 || found >= length) return cells;
    from = found + delimiter.length;
  }
}

// The same as consecutive pieces that cover every character: [from, to, cell, is it hidden]. Characters between two
// cells belong to the second.
function piecesOf(row, delimiter) {
  const pieces = [];
  let done = 0;
  const add = (to, cell, hidden) => {
    if (to > done) {
      pieces.push([done, to, cell, hidden]);
      done = to;
    }
  };
  const cells = cellsOf(row, delimiter);
  for (const [cell, { start, end, hidden }] of cells.entries()) {
    add(start, cell, true);
    for (const at of hidden) {
      add(at, cell, false);
      add(at + 1, cell, true);
    }
    add(end, cell, false);
  }
  add(row.length, Math.max(0, cells.length - 1), true);
  return pieces;
}

// The columns of a table from a sample of its rows: widths for `grid-template-columns`, their least and greatest total
// in `ch`, and the alignment of their cells ("start", "center", "end"). Null if there are too many.
function columnsOf(rows, headers, delimiter) {
  const columns = [];
  for (const [number, row] of rows.entries()) {
    const cells = cellsOf(row, delimiter),
      rule = number > 0 && number < headers && delimiter == null && RULE.test(row);
    if (cells.length > MOST_COLUMNS) return null;
    for (const [at, { start, end }] of cells.entries()) {
      const text = row.slice(start, end),
        column = (columns[at] ??= { width: 0, word: 0, numbers: 0, filled: 0, side: "" });
      if (rule) {
        column.side = text.endsWith(":") ? (text.startsWith(":") && text.length > 2 ? "center" : "end") : "";
        continue;
      }
      const wide = text.match(WIDE)?.length ?? 0;
      column.width = Math.max(column.width, text.length + wide);
      column.word = Math.max(column.word, wide ? LEAST_WIDTH : 0, ...text.split(/\s+/, 40).map((word) => word.length));
      if (number < headers || !text) continue;
      column.filled++;
      if (NUMBER.test(text)) column.numbers++;
    }
  }
  // Bold, wide letters; padding
  const room = (letters, most) => Math.ceil(1.15 * Math.max(LEAST_WIDTH, Math.min(letters, most))) + 3;
  const sizes = columns.map(({ width, word }) => [room(word, LONGEST_WORD), room(width, MOST_WIDTH)]);
  return {
    template: sizes.map(([least, most]) => `minmax(${least}ch, ${Math.max(least, most)}fr)`).join(" "),
    least: sizes.reduce((sum, [least]) => sum + least, 0),
    most: sizes.reduce((sum, [least, most]) => sum + Math.max(least, most), 0),
    sides: columns.map(({ side, numbers, filled }) => side || (filled && numbers >= 0.7 * filled ? "end" : "start")),
  };
}
shared.tableRows = { cellsOf, piecesOf, columnsOf }; // for whoever wants to know how a row was read
