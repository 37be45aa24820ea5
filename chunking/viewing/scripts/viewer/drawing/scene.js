// Everything that decides how a line looks: the text, the bands and marks on it, and what is picked.

const fold = (number) => number.toLocaleString("en-US");

// The tokens of a chunk, told as by token_words in labels.py. `tokens`: text as written and prefix, which the size limits;
// 0 if only `embedded` is known, which the model reads: without markup, with table descriptions.
function tokenWords(tokens, prefix, embedded) {
  const counted = (number) => (number === 1 ? "1 token" : `${fold(number)} tokens`);
  if (!tokens) return `${counted(embedded)} embedded`;
  const sized = prefix
    ? `${counted(tokens)} with prefix (${fold(tokens - prefix)} text, ${fold(prefix)} prefix)`
    : counted(tokens);
  return embedded === tokens ? sized : `${sized}; ${fold(embedded)} embedded`;
}

class Scene {
  constructor(source) {
    Object.assign(this, {
      source,
      text: source.text,
      S: new Int32Array(0),
      E: new Int32Array(0),
      marks: [],
      hitAt: new Map(),
    });
    Object.assign(this, { picked: -1, cursor: -1, outside: -1, prefixes: true, quiet: false, noun: "Chunk" });
    Object.assign(this, { answers: null, cutting: new Set(), track: null, pins: [], pinAt: new Map() });
  }
  setBands(bands) {
    this.bands = bands;
    this.S = this.source.ruler.allToUnits(bands.starts);
    this.E = this.source.ruler.allToUnits(bands.ends);
  }
  setMarks(rows) {
    const { ruler } = this.source;
    this.marks = rows.map(([kind, start, end, label]) => ({
      kind,
      start: ruler.toUnit(start),
      end: ruler.toUnit(end),
      label,
    }));
    this.hitAt = new Map(
      rows.filter(([kind, , , label]) => kind === "hit" && label).map(([, start, , label]) => [start, label]),
    );
    this.quiet = this.marks.some((mark) => mark.kind === "hit");
  }
  // Answers with a letter each for what the bands make of it (FATES in answers.js); call it after setBands and
  // setMarks.
  setAnswers(answers, fates) {
    const { ruler } = this.source;
    this.answers =
      answers &&
      answers.rows.map(([start, end, text], i) => ({
        kind: "answer",
        fate: FATES[fates[i]].name,
        sign: FATES[fates[i]].sign,
        start: ruler.toUnit(start),
        end: ruler.toUnit(end),
        label: answers.texts[text],
      }));
    this.cutting.clear();
    if (!answers) return;
    this.marks.push(...this.answers);
    for (const { fate, start, end } of this.answers)
      if (fate === "split") {
        for (let i = lowerBound(this.S, start + 1); i < this.S.length && this.S[i] < end; i++) this.cutting.add(i);
      }
  }
  // Call it after setAnswers.
  setPins(rows) {
    const { ruler } = this.source;
    this.pins = rows.map(({ start, end, ...pin }) => ({ ...pin, start: ruler.toUnit(start), end: ruler.toUnit(end) }));
    this.marks.push(
      ...this.pins.map(({ kind, start, end, holds }) => ({ kind: holds ? `pin-${kind}` : "pin-idle", start, end })),
    );
    this.pinAt = new Map();
    for (const pin of this.pins) this.pinAt.set(pin.start, [...(this.pinAt.get(pin.start) ?? []), pin]);
  }
  // Numbers of the bands that hold an answer whole, or where none does of those that hold a part.
  holders({ fate, start, end }) {
    const [first, after] =
      fate === "intact"
        ? [lowerBound(this.E, end), lowerBound(this.S, start + 1)]
        : [lowerBound(this.E, start + 1), lowerBound(this.S, end)];
    return [...this.bands.numbers.slice(first, Math.max(first, after))];
  }
  // The next answer of a fate behind a unit, from the beginning where there is none.
  nextAnswer(fate, unit) {
    const those = (this.answers ?? []).filter((answer) => answer.fate === fate).sort((a, b) => a.start - b.start);
    return those.find(({ start }) => start > unit) ?? those[0];
  }
  // What is to be said of the answers that hold a unit: [heading, question, fate] each.
  answersAt(unit) {
    return this.marks
      .filter(({ kind, start, end }) => kind === "answer" && start <= unit && end > unit)
      .map((answer) => {
        const { fate, sign, label } = answer;
        if (!fate) return ["Answer", label, ""];
        const holders = this.holders(answer),
          where = holders.length ? bandsInWords(this.noun, holders) : "";
        const words = {
          intact: `Answer intact in ${where}`,
          split: where.startsWith(`${this.noun.toLowerCase()}s`)
            ? `Answer split between ${where}`
            : `Only part of it is in ${where}`,
          missed: "Answer in no chunk",
        };
        return [`${sign} ${words[fate]}`, label, fate];
      });
  }
  // The block that a line's first letter stands in, of those that look other than running text; undefined for none.
  blockAt(start, end) {
    const {
      text,
      source: { blocks },
    } = this;
    let unit = start;
    while (unit < end && " \t>".includes(text[unit])) unit++;
    if (unit === end || text[unit] === "\n") unit = start;
    let low = 0,
      high = blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (blocks[middle].end <= unit) low = middle + 1;
      else high = middle;
    }
    return blocks[low]?.start <= unit ? blocks[low] : undefined;
  }
  prefixOf(i) {
    return this.prefixes ? this.bands.prefixes[this.bands.prefixIds[i]] : "";
  }
  // What is written at a band's tick, and the class of its colour: that of its kind, else one of two that alternate.
  labelOf(i) {
    return this.bands.labels[this.bands.labelIds[i]] || String(this.bands.numbers[i]);
  }
  toneOf(i) {
    return this.bands.tones[this.bands.labelIds[i]];
  }
  lookOf(i) {
    const tone = this.toneOf(i);
    return tone ? `t-${tone}` : i & 1 ? "b" : "a";
  }
  // The group of a band as [first, last] of its bands; null where there are no groups.
  groupOf(i) {
    const { groups, groupNoun } = this.bands;
    if (!groupNoun) return null;
    return [lowerBound(groups, groups[i]), lowerBound(groups, groups[i] + 1) - 1];
  }
  // The same in words: its name, its bands, and what it is; null where there are no groups.
  groupWords(i) {
    const group = this.groupOf(i);
    if (!group) return null;
    const { bands } = this,
      [first, last] = group,
      noun = this.noun.toLowerCase();
    return [
      `${bands.groupNoun} ${fold(bands.groups[i])}`,
      first === last ? `this ${noun} alone` : `${noun}s ${fold(bands.numbers[first])}–${fold(bands.numbers[last])}`,
      `The ${noun}s in one bracket form it together.`,
    ];
  }
  // The bracket beside a line: "" for none, else its classes. White space between two bands of a group stands in it.
  bracketAt(start, end) {
    const { groups, groupNoun } = this.bands,
      i = lowerBound(this.S, end) - 1;
    if (!groupNoun || i < 0) return "";
    const last = i + 1 === this.S.length || groups[i + 1] !== groups[i];
    if (start >= this.E[i] && last) return "";
    const [first] = this.groupOf(i),
      opens = this.S[first] >= start,
      closes = last && this.E[i] <= end;
    return `grouped${groups[i] & 1 ? " odd" : ""}${opens ? " top" : ""}${closes ? " bottom" : ""}`;
  }
  // "hit", "near" or "": how a whole band is marked.
  markOf(i) {
    return (
      this.marks.find(
        ({ kind, start, end }) => (kind === "hit" || kind === "near") && start === this.S[i] && end === this.E[i],
      )?.kind ?? ""
    );
  }
  // The last band that holds a code point; -1 for none.
  indexAt(point) {
    const i = point == null ? -1 : lowerBound(this.bands.starts, point + 1) - 1;
    return i >= 0 && point < this.bands.ends[i] ? i : -1;
  }
  // Where the text of band i begins that the one before does not hold, and in code points its first letter: the name of
  // the band for as long as boundaries move.
  newStart(i) {
    const { S, E } = this;
    return i ? Math.max(S[i], E[i - 1]) : S[i];
  }
  placeOf(i) {
    const from = this.newStart(i),
      lead = this.text.slice(from, this.E[i]).search(/\S/);
    return this.source.ruler.toPoint(from + Math.max(0, lead));
  }
  // The band whose new text holds a code point: the inverse of placeOf, whatever the overlap; -1 for none.
  ownerOf(point) {
    const i = point == null ? -1 : lowerBound(this.bands.ends, point + 1);
    return i >= 0 && i < this.S.length && this.bands.starts[i] <= point ? i : -1;
  }
  // "slide 3", "pages 3–4", "00:01:23–00:02:10": on which pages a span begins and ends; "" where the format has none.
  pagesOf(start, end) {
    const { pages, pageWord, clock } = this.source;
    if (!pages.length) return "";
    const at = (point) =>
      pages[
        Math.max(
          0,
          lowerBound(
            pages.map(([from]) => from),
            point + 1,
          ) - 1,
        )
      ][1];
    const first = at(start),
      last = at(end - 1);
    if (clock)
      return [...new Set([first, last])]
        .map((page) => new Date((page - 1) * 1000).toISOString().slice(11, 19))
        .join("–");
    return first === last ? `${pageWord} ${first}` : `${pageWord}s ${first}–${last}`;
  }
  facts(i) {
    const { bands, source } = this,
      [start, end] = [bands.starts[i], bands.ends[i]],
      tokens = bands.tokens[i],
      own = bands.prefixTokens[i],
      embedded = bands.embeddedTokens[i];
    const rows = [`characters ${fold(start)}–${fold(end)} (${fold(end - start)})`];
    if (embedded) rows.push(tokenWords(tokens, own, embedded));
    const page = this.pagesOf(start, end);
    if (page) rows.push(page);
    if (bands.facts[i]) rows.push(bands.facts[i]);
    const section = source.sections[bands.sections[i]];
    if (section) rows.push(section);
    const group = this.groupWords(i);
    if (group) rows.push(`${group[0]}: ${group[1]}`);
    const held = (this.answers ?? []).filter((answer) => answer.start < this.E[i] && answer.end > this.S[i]);
    const whole = held.filter((answer) => answer.start >= this.S[i] && answer.end <= this.E[i]).length;
    if (whole) rows.push(whole === 1 ? "holds an answer" : `holds ${whole} answers`);
    if (held.length > whole)
      rows.push(
        held.length - whole === 1 ? "holds part of an answer" : `holds parts of ${held.length - whole} answers`,
      );
    return {
      title: `${this.noun} ${fold(bands.numbers[i])}`,
      rows,
      flags: source.flags.filter(([bit]) => bands.flags[i] & bit).map(([, words]) => words),
    };
  }
}
