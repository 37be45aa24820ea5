// Numbers on the wire, and two ways to count a text: Python counts code points, JavaScript UTF-16 units.

// Code points above U+FFFF take two units. `points[i]` is the code point offset of the i-th such character, `units[i]`
// its unit offset.
class Ruler16 {
  constructor(text) {
    const units = [];
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0xd800 && code < 0xdc00) units.push(i++);
    }
    this.units = Int32Array.from(units);
    this.points = this.units.map((unit, i) => unit - i);
  }
  toUnit(point) {
    return point + lowerBound(this.points, point);
  }
  toPoint(unit) {
    return unit - lowerBound(this.units, unit);
  }
  allToUnits(points) {
    return this.units.length ? points.map((point) => this.toUnit(point)) : points;
  }
}

const COLUMNS = [
  "starts",
  "ends",
  "numbers",
  "sections",
  "tokens",
  "prefixTokens",
  "embeddedTokens",
  "sizes",
  "flags",
  "prefixIds",
  "labelIds",
  "groups",
];

// The inverse of bands.pack: Int32Array columns, the tables of prefixes, labels and tones, and the noun for a group.
async function unpackBands(packed, n) {
  const bands = {
    n,
    prefixes: [],
    labels: [],
    tones: [],
    groupNoun: "",
    facts: {},
    ...(await unpack(packed, COLUMNS, n)),
  };
  for (const name of ["numbers", "sections", "prefixIds", "labelIds", "groups"])
    for (let i = 1; i < n; i++) bands[name][i] += bands[name][i - 1];
  for (let i = 0, end = 0; i < n; i++) {
    bands.starts[i] += end; // came as the distance from the end before
    end = bands.ends[i] += bands.starts[i]; // ... as the length
    bands.sizes[i] += bands.tokens[i]; // ... as the difference
    bands.embeddedTokens[i] += bands.tokens[i]; // ... too
  }
  return bands;
}
