// Markdown as it reads: what its signs mean is drawn, and they are folded or dim. Every character stays in the page, in
// order, as in tables.js: a piece only gets classes, so that places, selections and copies are those of the text.
const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+|$)/;
const UNDERLINE = /^ {0,3}(?:=+|-+)\s*$/;
const QUOTE = /^(?: {0,3}>[ \t]?)+/;
const BULLET = /^([ \t]*)([-*+])[ \t]+(?=\S)/;
const LONGEST = 4000; // units of a line that is read
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
  const pieces = [],
    line = text.slice(0, LONGEST);
  let from = 0,
    look = "";
  const fold = (to) => {
    if (to > from) pieces.push([from, to, "hush"]);
    from = to;
  };
  if (kind === "code") return { look: "", pieces: FENCE.test(line) ? [[0, line.length, "dim"]] : [] };
  if (kind === "heading") {
    const signs = HEADING.exec(line);
    if (!signs && UNDERLINE.test(line)) return { look: "", pieces: [[0, line.length, "dim"]] };
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
  inline(line.slice(from), from, "", pieces);
  return { look, pieces };
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
function markupAt(source, block, start, end) {
  if (!source.markdown || shared.raw || block?.kind === "table") return null;
  const known = (source.markup ??= new Map());
  if (!known.has(start)) known.set(start, markupOf(source.text.slice(start, end), block?.kind ?? ""));
  return known.get(start);
}
shared.markupOf = markupOf; // for whoever wants to know how a line was read
