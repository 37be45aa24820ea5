// Numbers on the wire, and two ways to count a text: Python counts code points, JavaScript UTF-16 units.

// Code points above U+FFFF take two units. `points[i]` is the code point offset of the i-th of them, `units[i]` its unit offset.
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
  toUnit(point) { return point + lowerBound(this.points, point); }
  toPoint(unit) { return unit - lowerBound(this.units, unit); }
  allToUnits(points) { return this.units.length ? points.map((point) => this.toUnit(point)) : points; }
}

const COLUMNS = ["starts", "ends", "numbers", "sections", "tokens", "prefixTokens", "sizes", "flags", "prefixIds", "labelIds"];

// The inverse of bands.pack: Int32Array columns, and the tables of prefixes and labels.
async function unpackBands(packed, n) {
  const bands = { n, prefixes: [], labels: [], ...Object.fromEntries(COLUMNS.map((name) => [name, new Int32Array(n)])) };
  if (!packed) return bands;
  const deflated = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer()), plane = COLUMNS.length * n;
  COLUMNS.forEach((name, row) => {
    for (let i = 0, at = row * n; i < n; i++, at++) {
      bands[name][i] = bytes[at] | (bytes[at + plane] << 8) | (bytes[at + 2 * plane] << 16) | (bytes[at + 3 * plane] << 24);
    }
  });
  for (const name of ["numbers", "sections", "prefixIds", "labelIds"]) for (let i = 1; i < n; i++) bands[name][i] += bands[name][i - 1];
  for (let i = 0, end = 0; i < n; i++) {
    bands.starts[i] += end;                     // came as the distance from the end before
    end = bands.ends[i] += bands.starts[i];     // ... as the length
    bands.sizes[i] += bands.tokens[i];          // ... as the difference
  }
  return Object.assign(bands, JSON.parse(new TextDecoder().decode(bytes.subarray(4 * plane))));
}
