// Pages in this browser tab: the place of each line of a document (once per document), and pictures (once per page and
// width). They survive page switches.
const KEPT_PAPERS = 4,
  KEPT_PICTURES = 24;
shared.papers ??= new Map(); // doc -> Paper
shared.awaited ??= new Map(); // doc -> functions that wait for it
shared.pictures ??= new Map(); // "file:page:width" -> { url, width, height }, the one used last at the end
const COLUMNS = ["starts", "ends", "pages", "lefts", "tops", "rights", "bottoms"];
const SHARE = 10000; // boxes come in parts of ten thousand

// One document's lines on its pages. Offsets are code points, as in Python.
class Paper {
  constructor({ doc, count, noun, out }, lines) {
    Object.assign(this, { doc, count, noun, out, n: lines.starts.length, page: null });
    for (const name of COLUMNS) this[name] = lines[name];
    for (let i = 0, end = 0, page = 0; i < this.n; i++) {
      this.starts[i] += end; // came as the distance from the end before
      end = this.ends[i] += this.starts[i]; // ... as the length
      page = this.pages[i] += page; // ... as the step
      this.rights[i] += this.lefts[i]; // ... as the width
      this.bottoms[i] += this.tops[i]; // ... as the height
    }
    this.onPage = new Map(); // page -> its lines with a place, in reading order
    for (let i = 0; i < this.n; i++)
      if (this.lefts[i] >= 0) {
        if (!this.onPage.has(this.pages[i])) this.onPage.set(this.pages[i], []);
        this.onPage.get(this.pages[i]).push(i);
      }
  }
  linesOn(page) {
    return this.onPage.get(page) ?? [];
  }
  // Lines that hold a character of [start, end): the first, and one past the last.
  within(start, end) {
    return [lowerBound(this.ends, start + 1), lowerBound(this.starts, end)];
  }
  // The page on which a character stands, or what comes after it.
  pageAt(point) {
    const i = lowerBound(this.ends, point + 1);
    return this.n ? this.pages[Math.min(i, this.n - 1)] : 1;
  }
  // Boxes [left, top, right, bottom] around the part of a page that [start, end) covers: as few as possible without
  // containing the middle of another line or spanning a gap. So a paragraph is one box, and one that continues in the
  // next column two.
  regions(page, start, end) {
    const all = this.linesOn(page),
      mine = all.filter((i) => this.starts[i] < end && this.ends[i] > start);
    const others = all.filter((i) => !(this.starts[i] < end && this.ends[i] > start));
    const boxes = [];
    for (const i of mine) {
      const line = [this.lefts[i], this.tops[i], this.rights[i], this.bottoms[i]],
        last = boxes.at(-1);
      const joined = last && [
        Math.min(last[0], line[0]),
        Math.min(last[1], line[1]),
        Math.max(last[2], line[2]),
        Math.max(last[3], line[3]),
      ];
      const gap = last ? Math.max(line[1] - last[3], last[1] - line[3]) : 0,
        high = line[3] - line[1];
      const clear = joined && gap < 3 * high + 50 && !others.some((k) => this.middleIn(k, joined));
      if (clear) boxes[boxes.length - 1] = joined;
      else boxes.push(line);
    }
    return boxes.map((box) => box.map((value) => value / SHARE));
  }
  middleIn(i, [left, top, right, bottom]) {
    const x = (this.lefts[i] + this.rights[i]) / 2,
      y = (this.tops[i] + this.bottoms[i]) / 2;
    return x > left && x < right && y > top && y < bottom;
  }
}

async function keepPaper(message) {
  const { doc } = message;
  if (!shared.papers.has(doc)) {
    const lines = await unpack(message.lines, COLUMNS, message.n);
    if (!shared.papers.has(doc)) shared.papers.set(doc, new Paper(message, lines));
  }
  const paper = shared.papers.get(doc);
  if (String(paper.out) !== String(message.out)) {
    // an edit of the document
    paper.out = message.out;
    shared.bus.dispatchEvent(new CustomEvent("chunkscope:left_out", { detail: { doc } }));
  }
  for (const resolve of shared.awaited.get(doc) ?? []) resolve(shared.papers.get(doc));
  shared.awaited.delete(doc);
  for (const old of shared.papers.keys()) {
    if (shared.papers.size <= KEPT_PAPERS) break;
    if (old !== doc) shared.papers.delete(old);
  }
}

function paperOf(doc) {
  const known = shared.papers.get(doc);
  if (known) return Promise.resolve(known);
  return new Promise((resolve) => {
    if (!shared.awaited.has(doc)) shared.awaited.set(doc, []);
    shared.awaited.get(doc).push(resolve);
  });
}

function keepPicture(file, { page, asked, mime, data, width, height }) {
  const key = `${file}:${page}:${asked}`;
  if (shared.pictures.has(key)) return;
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  shared.pictures.set(key, { url: URL.createObjectURL(new Blob([bytes], { type: mime })), width, height });
  for (const [old, { url }] of shared.pictures) {
    if (shared.pictures.size <= KEPT_PICTURES) break;
    URL.revokeObjectURL(url);
    shared.pictures.delete(old);
  }
}

// The picture of a page in the width asked for; undefined where it has not come, or was given up for newer ones.
function pictureOf(file, page, asked) {
  const key = `${file}:${page}:${asked}`,
    found = shared.pictures.get(key);
  if (found) {
    shared.pictures.delete(key);
    shared.pictures.set(key, found);
  }
  return found;
}

// The component that brings the lines; nothing of it is seen.
define(
  "papers",
  class {
    constructor(root) {
      hide(root);
    }
    show(data) {
      keepPaper(data);
    }
    destroy() {}
  },
  "page_view",
);
