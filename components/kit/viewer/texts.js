// Texts in this browser tab, by document key, shared by all viewers and outlines. They survive page switches.
const KEPT = 4;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\ud802\ud803\ud83a\ud83b]/;   // of Hebrew, Arabic and other scripts
shared.texts ??= new Map();      // doc -> { text, ruler, turns, bidi, code, joins, title, sections, flags, blocks }
shared.expected ??= new Map();   // doc -> functions that wait for it
shared.places ??= new Map();     // doc -> { at, starts, sizes }: where its viewer is, and its chunks; for outlines that mount later

// The coloured runs of code: { S, E } in units, in order and apart, and the class of each.
async function codeOf({ n, columns, kinds }, ruler) {
  const { gaps, lengths, kind } = await unpack(columns, ["gaps", "lengths", "kind"], n);
  for (let i = 1; i < n; i++) gaps[i] += gaps[i - 1];
  return { S: ruler.allToUnits(gaps), E: ruler.allToUnits(gaps.map((start, i) => start + lengths[i])), classes: Array.from(kind, (which) => `k-${kinds[which]}`) };
}

async function keepText({ doc, text, blocks, code, joins, ...facts }) {
  if (!shared.texts.has(doc)) {
    const ruler = new Ruler16(text);
    const turns = Int32Array.from([...text.matchAll(TURNS)].map(({ index }) => index));
    shared.texts.set(doc, { text, ruler, turns, bidi: RIGHT_TO_LEFT.test(text), ...facts, code: await codeOf(code, ruler), joins: new Set(joins.map((point) => ruler.toUnit(point))),
      blocks: blocks.map(([start, end, kind, header = start, delimiter = null]) => ({ start: ruler.toUnit(start), end: ruler.toUnit(end), kind, header: ruler.toUnit(header), delimiter })) });
  }
  for (const resolve of shared.expected.get(doc) ?? []) resolve(shared.texts.get(doc));
  shared.expected.delete(doc);
  for (const old of shared.texts.keys()) {
    if (shared.texts.size <= KEPT) break;
    if (old !== doc) { shared.texts.delete(old); shared.places.delete(old); }
  }
}

function textOf(doc) {
  const known = shared.texts.get(doc);
  if (known) return Promise.resolve(known);
  return new Promise((resolve) => {
    if (!shared.expected.has(doc)) shared.expected.set(doc, []);
    shared.expected.get(doc).push(resolve);
  });
}

// The component that brings a text; nothing of it is seen.
define("text", class { constructor(root) { hide(root); } show(data) { keepText(data); } destroy() {} }, "viewer");

// Tell outlines (and whoever listens) about a document; what is told is kept for those who come later.
function tell(name, doc, facts) {
  shared.places.set(doc, { ...shared.places.get(doc), ...facts });
  window.dispatchEvent(new CustomEvent(`chunkscope:${name}`, { detail: { doc, ...facts } }));
}
