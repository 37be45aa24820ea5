// Texts in this browser tab, by document key, shared by all viewers and outlines. They survive page switches.
const KEPT = 4;
// Of Hebrew, Arabic and other scripts
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\ud802\ud803\ud83a\ud83b]/;
shared.letters ??= new Map(); // doc -> { text, ruler, turns, bidi }
shared.facts ??= new Map(); // doc -> { looks, code, joins, title, sections, flags, blocks }, as they came last
shared.latest ??= new Map(); // doc -> the looks that came last, which may still be unpacked
shared.texts ??= new Map(); // doc -> both together
shared.expected ??= new Map(); // doc -> [looks, function] of those who wait for it
// Doc -> { at, starts, sizes }: where its viewer is, and its chunks; for outlines that mount later
shared.places ??= new Map();

// The coloured runs of code: { S, E } in units, in order and disjoint, and the class of each.
async function codeOf({ n, columns, kinds }, ruler) {
  const { gaps, lengths, kind } = await unpack(columns, ["gaps", "lengths", "kind"], n);
  for (let i = 1; i < n; i++) gaps[i] += gaps[i - 1];
  return {
    S: ruler.allToUnits(gaps),
    E: ruler.allToUnits(gaps.map((start, i) => start + lengths[i])),
    classes: Array.from(kind, (which) => `k-${kinds[which]}`),
  };
}

async function keepText({ doc, packed }) {
  if (!shared.letters.has(doc)) {
    const text = await unpackJson(packed);
    const turns = Int32Array.from([...text.matchAll(TURNS)].map(({ index }) => index));
    shared.letters.set(doc, { text, ruler: new Ruler16(text), turns, bidi: RIGHT_TO_LEFT.test(text) });
  }
  for (const old of shared.letters.keys()) {
    if (shared.letters.size <= KEPT) break;
    if (old !== doc)
      for (const kept of [shared.letters, shared.facts, shared.latest, shared.texts, shared.places]) kept.delete(old);
  }
  return join(doc);
}

// Facts about a text besides its characters; edits of the document change only the facts.
async function keepFacts({ doc, looks, packed }) {
  shared.latest.set(doc, looks);
  if (shared.facts.get(doc)?.looks === looks) return join(doc);
  const facts = await unpackJson(packed);
  if (shared.latest.get(doc) !== looks) return; // overtaken by those of a later edit
  shared.facts.set(doc, { doc, looks, ...facts });
  return join(doc);
}

async function join(doc) {
  const letters = shared.letters.get(doc),
    known = shared.facts.get(doc);
  if (!letters || !known) return;
  if (shared.texts.get(doc)?.looks !== known.looks) {
    const { blocks, code, joins, ...facts } = known,
      { ruler } = letters,
      colours = await codeOf(code, ruler);
    if (shared.facts.get(doc) !== known) return; // overtaken
    shared.texts.set(doc, {
      ...letters,
      ...facts,
      code: colours,
      joins: new Set(joins.map((point) => ruler.toUnit(point))),
      blocks: blocks.map(([start, end, kind, header = start, delimiter = null]) => ({
        start: ruler.toUnit(start),
        end: ruler.toUnit(end),
        kind,
        header: ruler.toUnit(header),
        delimiter,
      })),
    });
  }
  const waiting = shared.expected.get(doc) ?? [];
  shared.expected.delete(doc);
  for (const [looks, resolve] of waiting) textOf(doc, looks).then(resolve);
}

// A text with its facts.
function textOf(doc, looks) {
  const known = shared.texts.get(doc);
  if (known && (!looks || known.looks === looks)) return Promise.resolve(known);
  return new Promise((resolve) => {
    if (!shared.expected.has(doc)) shared.expected.set(doc, []);
    shared.expected.get(doc).push([looks, resolve]);
  });
}

// The invisible components that receive a text and its facts.
define(
  "text",
  class {
    constructor(root) {
      hide(root);
    }
    show(data) {
      keepText(data);
    }
    destroy() {}
  },
  "viewer",
);
define(
  "text_facts",
  class {
    constructor(root) {
      hide(root);
    }
    show(data) {
      keepFacts(data);
    }
    destroy() {}
  },
  "viewer",
);

// Requests a run of the full page when a viewer has painted bands over other sections than the page shows.
class SectionsWatch {
  constructor(root) {
    hide(root);
    this.onPainted = ({ detail }) => {
      if (detail.stale) this.events.send("stale", detail.rev, true);
    };
    shared.bus.addEventListener("chunkscope:painted", this.onPainted);
  }
  show() {}
  destroy() {
    shared.bus.removeEventListener("chunkscope:painted", this.onPainted);
  }
}
define("sections_watch", SectionsWatch, "viewer");

// Notify outlines and other listeners about a document; the facts are kept for those that mount later.
function tell(name, doc, facts) {
  shared.places.set(doc, { ...shared.places.get(doc), ...facts });
  shared.bus.dispatchEvent(new CustomEvent(`chunkscope:${name}`, { detail: { doc, ...facts } }));
}
