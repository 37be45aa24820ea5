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

const COLUMNS = ["starts", "ends", "numbers", "sections", "tokens", "prefixTokens", "flags", "prefixIds", "labelIds"];

// The inverse of bands.pack: Int32Array columns, and the tables of prefixes and labels.
async function unpackBands(packed, n) {
  if (!packed) return { n: 0, prefixes: [], labels: [], ...Object.fromEntries(COLUMNS.map((name) => [name, new Int32Array(0)])) };
  const deflated = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const size = COLUMNS.length * n, bands = { n };
  COLUMNS.forEach((name, row) => {
    const column = (bands[name] = new Int32Array(n));
    for (let i = 0, sum = 0, place = row * n; i < n; i++, place++) {
      sum += bytes[place] | (bytes[place + size] << 8) | (bytes[place + 2 * size] << 16) | (bytes[place + 3 * size] << 24);
      column[i] = sum;
    }
  });
  return Object.assign(bands, JSON.parse(new TextDecoder().decode(bytes.subarray(4 * size))));
}
