// Markdown as it reads: what its signs mean is drawn, and they are folded or dim. Every character stays in the page, in
// order, as in tables.js: a piece only gets classes, so that places, selections and copies are those of the text.
const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)/;
const UNDERLINE = /^ {0,3}(?:=+|-+)\s*$/;
const QUOTE = /^(?: {0,3}>[ \t]?)+/;
const BULLET = /^([ \t]*)([-*+])[ \t]+(?=\S)/;
const NUMBERED = /^[ \t]*\d{1,9}[.)][ \t]/;
const FIGURE = /^[ \t]*\[?!\[[^[\]\n]*\]\([^\n]*\)\s*$/; // a line that is an image alone
const LONGEST = 4000; // units of a line that is read
const PARAGRAPH = 40; // lines that are read together
// In the order in which they bind: code, images and links, then emphasis. No part can match what the next begins with.
const INLINE = new RegExp(
  [
    /(?<tick>`{1,8})(?<code>[^`\n]+)\k<tick>(?!`)/,
    /(?<open>!?\[)(?<label>[^[\]\n]*)(?<url>\]\([^()\s]*(?:[ \t]+"[^"\n]*")?\))/,
    /(?<strong>\*\*|__)(?=\S)(?<heavy>[^*_\n]+)\k<strong>/,
    /(?<strike>~~)(?=\S)(?<gone>[^~\n]+)~~/,
    /(?<![\p{L}\p{N}*_\\])(?<em>[*_])(?=[^\s*_])(?<light>[^*_\n]*[^\s*_])\k<em>(?![\p{L}\p{N}*_])/u,
    /(?<comment><!--[^\n]*?-->)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);

// The pieces of a line that look other than running text: [from, to, classes] in units of the line, in order and
// disjoint; and the class of the line itself.
function markupOf(text, kind) {
  const line = text.slice(0, LONGEST);
  if (kind === "code") return { look: "", pieces: FENCE.test(line) ? [[0, line.length, "dim"]] : [] };
  if (kind === "heading" && !HEADING.test(line) && UNDERLINE.test(line))
    return { look: "", pieces: [[0, line.length, "dim"]] };
  const { look, pieces, from } = leadOf(line, kind);
  inline(line.slice(from), from, "", pieces);
  return { look, pieces };
}

// What a line begins with: its look, the pieces of its signs, and where its text begins.
function leadOf(line, kind) {
  const pieces = [];
  let from = 0,
    look = FIGURE.test(line) ? "figure" : "";
  const fold = (to) => {
    if (to > from) pieces.push([from, to, "hush"]);
    from = to;
  };
  if (kind === "heading") {
    const signs = HEADING.exec(line);
    look = `h${signs ? signs[1].length : 2}`;
    if (signs) fold(signs[0].length);
  } else {
    const quote = QUOTE.exec(line);
    if (quote) {
      look = "quoted";
      fold(quote[0].length);
    }
    const bullet = BULLET.exec(line.slice(from));
    if (bullet) {
      from += bullet[1].length;
      pieces.push([from, from + 1, "bullet"]);
      from += 1;
    }
  }
  return { look, pieces, from };
}

// The lines of a paragraph, read as one: emphasis may span its line ends. Of each line what markupOf gives.
function paragraphOf(lines) {
  const leads = lines.map((line) => leadOf(line, "")),
    pieces = [];
  const joined = lines.map((line, i) => " ".repeat(leads[i].from) + line.slice(leads[i].from).replace("\n", " ")).join("");
  inline(joined, 0, "", pieces);
  let start = 0;
  return lines.map((line, i) => {
    const { look, pieces: own, from } = leads[i],
      text = [start + from, start + line.length - 1];
    const clipped = pieces
      .map(([a, b, classes]) => [Math.max(a, text[0]) - start, Math.min(b, text[1]) - start, classes])
      .filter(([a, b]) => a < b);
    start += line.length;
    return { look, pieces: [...own, ...clipped] };
  });
}

function inline(text, offset, within, pieces) {
  let done = 0;
  const add = (from, to, classes) => {
    if (to > from && classes) pieces.push([offset + from, offset + to, classes]);
  };
  for (const match of text.matchAll(INLINE)) {
    const { index, 0: whole, groups } = match,
      { tick, open, url, strong, strike, em, comment } = groups;
    add(done, index, within);
    const end = index + whole.length;
    done = end;
    if (comment) {
      add(index, end, "dim");
      continue;
    }
    const head = (tick ?? open ?? strong ?? strike ?? em).length,
      tail = url ? url.length : head;
    if (open && !groups.label) {
      add(index, end, "dim");
      continue;
    }
    const name = tick ? "code" : open ? (open === "[" ? "link" : "image") : strong ? "strong" : strike ? "strike" : "em",
      classes = `${within} md-${name}`.trim();
    add(index, index + head, "hush");
    if (tick) add(index + head, end - tail, classes);
    else inline(text.slice(index + head, end - tail), offset + index + head, classes, pieces);
    add(end - tail, end, "hush");
  }
  add(done, text.length, within);
}

// The markup of the line [start, end), read once a text; null where there is none, or its signs are to be seen.
function markupAt(scene, block, start, end) {
  const { source } = scene;
  if (!source.markdown || shared.raw || block?.kind === "table") return null;
  const known = (source.markup ??= new Map());
  if (known.has(start)) return known.get(start);
  const picture = pictureAt(source, start, end);
  if (picture) known.set(start, picture);
  else {
    const lines = block ? [] : paragraphAround(scene, start, end);
    if (lines.length > 1)
      for (const [i, markup] of paragraphOf(lines.map((line) => source.text.slice(...line))).entries())
        known.set(lines[i][0], markup);
    else known.set(start, markupOf(source.text.slice(start, end), block?.kind ?? ""));
  }
  return known.get(start);
}

// The lines of running text around a line that belong to one paragraph, as [start, end); at most PARAGRAPH on each side.
function paragraphAround(scene, start, end) {
  const { text } = scene,
    lines = [[start, end]];
  const isWhole = ([from, to]) => (from === 0 || text[from - 1] === "\n") && text[to - 1] === "\n" && to - from < LONGEST;
  // Whether a line of running text goes on from one before it: blank lines, list items and pictures do not.
  const isText = ([from, to]) =>
    to > from &&
    isWhole([from, to]) &&
    text.slice(from, to).trim() !== "" &&
    !FIGURE.test(text.slice(from, to)) &&
    !scene.blockAt(from, to);
  const isQuoted = ([from, to]) => QUOTE.test(text.slice(from, to));
  const begins = ([from, to]) => {
    const line = text.slice(from, to).replace(QUOTE, "");
    return BULLET.test(line) || NUMBERED.test(line) || !line.trim();
  };
  if (!isText(lines[0])) return lines;
  const joins = (before, after) => isText(before) && isText(after) && isQuoted(before) === isQuoted(after) && !begins(after);
  for (let n = 0; n < PARAGRAPH; n++) {
    const [from] = lines[0],
      before = [from > 1 ? text.lastIndexOf("\n", from - 2) + 1 : 0, from];
    if (!joins(before, lines[0])) break;
    lines.unshift(before);
  }
  for (let n = 0; n < PARAGRAPH; n++) {
    const [, to] = lines.at(-1),
      after = [to, text.indexOf("\n", to) + 1];
    if (!joins(lines.at(-1), after)) break;
    lines.push(after);
  }
  return lines;
}
shared.markupOf = markupOf; // for whoever wants to know how a line was read
